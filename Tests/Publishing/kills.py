#!/usr/bin/env python3
"""200 publications of 60 MB are killed (SIGKILL), at instants spread over all the time that one takes.

Every tenth is killed in its commit, a few milliseconds that time alone seldom hits: as soon as the manifest's draft is
there. After each: the version is whole, by `verify`, or absent; the next publication succeeds, and then nothing is left
over and the whole store verifies. What the killed ones had left is counted, to see that they were met at all stages.
The instants depend on a seed, $SEED; another one is another test. Four workers, each with a store, kill at the same
time.

The stores are in the folder for temporary files, so usually on a disk, and each fsync waits for it; $KILLS_STORE names
another place, such as /dev/shm.
"""

import collections
import concurrent.futures
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

import store_commands
from store_commands import served_host
import release_folder

KILLS = int(os.environ.get("KILLS", "200"))
MODEL = "Killed"
WORKERS = 4


def make_releases(scratch):
    """Two releases that share only small files: each publication has to write its own 60 MB, and to link some more."""
    return [
        release_folder.make(
            scratch / seed,
            base=MODEL,
            architectures=("h16g", "h16p", "h18p"),
            seed=seed,
            portable=24_000_000,
            weights=16_000_000,
            specialized=1_000_000,
            original=1_000_000,
        )
        for seed in ("first", "second")
    ]


class Instants:
    """When to kill: evenly spread over what a publication takes. The last ones that were let run to their end tell how
    long that is now, on a machine that has other work as well."""

    def __init__(self, seed):
        self.random, self.durations = random.Random(seed), []

    def took(self, seconds):
        self.durations = [*self.durations[-4:], seconds]

    def draw(self, number):
        share = (number % 20 + self.random.random()) / 20  # in each twentieth of the time as many as in the others
        return share * statistics.median(self.durations)


def stage_of(store, version):
    """How far the killed one had come, by what it left."""
    stagings = store.stagings()
    drafts, trees = store.drafts()
    if (store.root / f"manifests/{MODEL}/{version}.json").exists():
        return "after the commit"
    if trees:
        return "tree moved, no manifest"
    if drafts:
        return "manifest drafted"
    if stagings:
        written = any(path.is_file() for path in store.staging.glob("*/tree/**/*"))
        return "while copying" if written else "staging made"
    return "before anything"


def check_whole_or_absent(checks, store, version, what):
    listed = store.versions(MODEL)
    verified = store.run("verify", MODEL, version)
    if version in listed:
        checks.equal(verified.status, 0, f"{what}: a version that is listed is whole\n{verified}")
    else:
        checks.equal(verified.status, 1, f"{what}: a version that is not listed is unknown\n{verified}")
        checks.that(f"{MODEL} {version} is not published" in verified.errors, f"{what}: says so\n{verified}")
    return version in listed


def await_draft(store, process):
    """Waits for the draft of a manifest, without a pause: it is there for a moment."""
    folder = store.root / "manifests" / MODEL
    while process.poll() is None and not any(name.startswith(".") for name in os.listdir(folder)):
        pass


def kill_one(checks, store, release, version, seconds):
    """Publishes, kills, looks, publishes again. (The stage in which it was killed, the seconds of the second one.)

    seconds: when to kill; None for in the commit."""
    process = store.start_publish(release.folder, "--version", version)
    if seconds is None:
        await_draft(store, process)
    else:
        time.sleep(seconds)
    process.kill()
    what = f"{version}, killed " + ("in its commit" if seconds is None else f"after {seconds * 1000:.1f} ms")
    store_commands.finish(process)
    stage = stage_of(store, version)
    what += f", {stage}"
    whole = check_whole_or_absent(checks, store, version, what)
    again = store.publish(release.folder, "--version", version, "--json")
    checks.equal(again.status, 0, f"{what}: the next publication\n{again}")
    outcome = "already-published" if whole else "published"
    checks.equal(again.json["outcome"], outcome, f"{what}: what it says")
    return stage, None if whole else again.seconds


def kill_many(scratch, releases, kills, seed):
    """A worker with a store of its own. The others keep the machine busy, which scatters the instants further."""
    checks, stages = served_host.Checks(), []
    store, instants = store_commands.Store(scratch / f"store{seed}"), Instants(seed)
    for number in range(3):
        first = store.publish(releases[number % 2].folder, "--version", f"0.0.{number}")
        checks.equal(first.status, 0, f"a publication that is let run\n{first}")
        instants.took(first.seconds)
        # So that the next one finds nothing of its own content.
        checks.equal(store.run("prune", MODEL, "--keep", "1").status, 0, "prune")
    for number in range(kills):
        version = f"1.0.{number}"
        instant = None if number % 10 == 9 else instants.draw(number)
        met, seconds = kill_one(checks, store, releases[(number + 1) % 2], version, instant)
        stages.append(met)
        if seconds:
            instants.took(seconds)
        store_commands.check_clean(checks, store, f"seed {seed}, {version} after a kill ({met})")
        pruned = store.run("prune", MODEL, "--keep", "1")
        checks.equal(pruned.status, 0, f"prune\n{pruned}")
    checks.equal(list(store.versions(MODEL)), [version], "what is published in the end")
    store_commands.check_clean(checks, store, "in the end")
    return checks, stages, statistics.median(instants.durations)


def main():
    seed = os.environ.get("SEED", "1")
    checks, stages = served_host.Checks(), collections.Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=os.environ.get("KILLS_STORE")) as scratch:
        scratch = pathlib.Path(scratch)
        releases = make_releases(scratch)
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
            done = [
                workers.submit(kill_many, scratch, releases, KILLS // WORKERS, f"{seed}.{number}")
                for number in range(WORKERS)
            ]
            for own, met, seconds in (each.result() for each in done):
                checks.made, checks.failed = checks.made + own.made, checks.failed + own.failed
                stages.update(met)
    unmet = stages["before anything"] + stages["after the commit"]
    kills = sum(stages.values())
    checks.equal(kills, KILLS // WORKERS * WORKERS, "publications that were killed")
    # How many is chance where other work slows some of them down; none would prove nothing.
    checks.that(kills - unmet >= kills // 4, f"a quarter was met in the middle: {dict(stages)}")
    taken = time.monotonic() - started
    print(f"seed {seed}: {kills} kills in {taken:.0f} s, a publication takes {seconds:.2f} s beside the others")
    print("met " + ", ".join(f"{stage}: {count}" for stage, count in sorted(stages.items())))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
