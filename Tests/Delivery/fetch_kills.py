#!/usr/bin/env python3
"""`fetch` is killed (SIGKILL) at 100 instants spread over all the time that a download takes, and 20 times more while it
puts the tree in its place, a few milliseconds that time alone seldom hits.

Twenty downloads are killed five times each under way and once at their end. After each kill the version's final path is
not there, or every octet of it is right; an older version is untouched; a pointer never leads to what is not recorded.
The last run completes, and over all runs of a download at most 1.1 times its size, and one buffer for each kill, has
passed a proxy. The proxy slows the download down, so that it lasts long beside the start of a process. The instants
depend on a seed, $SEED; another one is another test. Two workers, each with a proxy, kill at the same time.
"""

import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import time

import delivery
from delivery import release_folder, served_host, store_commands

KILLS = int(os.environ.get("KILLS", "100"))
KILLS_EACH = 5
WORKERS = 2
MODEL = "Killed"
OLD, NEW = "1.0.0", "2.0.0"
RATE = 24 << 20
MOST_OF_IT = 0.9  # the rest is left for the kill at the end
BUFFER = 256 << 10  # octets that fetch takes from the kernel at once


def make_releases(scratch):
    """The old version is small; of the new one, files of all sizes, fetched one by one and several at a time."""
    small = dict(portable=4096, weights=4096, original=4096, specialized=4096, tokenizer=4096)
    large = dict(portable=4096, weights=10_000_000, original=2_000_000, specialized=6_000_001, tokenizer=4096)
    return [
        release_folder.make(scratch / version, base=MODEL, version=version, seed=version, **sizes)
        for version, sizes in ((OLD, small), (NEW, large))
    ]


class Download:
    """A library with the old version, into which the new one is fetched again and again."""

    def __init__(self, checks, folder, template, port, files):
        shutil.copytree(template, folder)
        self.checks, self.library, self.proxy = checks, delivery.Library(folder, MODEL), delivery.Proxy(port, RATE)
        self.old, self.new = files
        self.kills = 0

    def start(self):
        return self.library.start(self.proxy.port, "--version", NEW)

    def run(self):
        """Lets it run to its end; the seconds that took."""
        started = time.monotonic()
        done = store_commands.finish(self.start())
        delivery.check_succeeded(self.checks, self.library, NEW, done, f"after {self.kills} kills")
        delivery.check_installed(self.checks, self.library, NEW, self.new, f"after {self.kills} kills")
        return time.monotonic() - started

    def stage(self):
        """How far the killed one had come, by what it left."""
        library = self.library
        if library.current() == NEW:
            return "pointer moved"
        if library.is_recorded(NEW):
            return "recorded, no pointer"
        if library.tree(NEW).exists():
            return "tree in place, no record"
        if (library.staging / "tree").exists():
            return "tree under way"
        if library.unfinished():
            return "while downloading"
        return "before anything"

    def kill(self, process, what):
        process.kill()
        store_commands.finish(process)
        self.kills += 1
        stage = self.stage()
        self.check(f"{what}, {stage}")
        return stage

    def kill_after(self, seconds):
        process = self.start()
        time.sleep(seconds)
        return self.kill(process, f"kill {self.kills + 1} after {seconds * 1000:.0f} ms")

    def kill_at_the_end(self, sign, seconds):
        """Kills as soon as a path is there that a download makes at its end, or a little later."""
        process = self.start()
        while process.poll() is None and not os.path.exists(sign):
            time.sleep(0.0001)  # the proxy is a thread of this process, and wants to run too
        time.sleep(seconds)
        return self.kill(process, f"kill {self.kills + 1}, {seconds * 1000:.1f} ms after {sign.name} was there")

    def signs_of_the_end(self):
        """The tree beside, at its final place, and its record."""
        tree = self.library.tree(NEW)
        return self.library.staging / "tree", tree, tree.with_name(f"{NEW}~installed.json")

    def check(self, what):
        """All that must hold whenever a process ends."""
        checks, library = self.checks, self.library
        if library.tree(NEW).exists():
            checks.equal(library.damage(NEW, self.new), [], f"{what}: the new version's files")
        else:
            checks.that(not library.is_recorded(NEW), f"{what}: no record without the tree")
        current = library.current()
        checks.that(current in (OLD, NEW), f"{what}: the pointer leads to {current}")
        checks.that(library.is_recorded(current), f"{what}: it leads to what is recorded")
        checks.equal(library.damage(OLD, self.old), [], f"{what}: the old version's files")
        allowed = {OLD, NEW, f"{OLD}~installed.json", f"{NEW}~installed.json", "current.json"}
        strangers = sorted(path.name for path in library.models.iterdir() if path.name not in allowed)
        checks.equal(strangers, [], f"{what}: what else lies beside the versions")


def kill_many(scratch, template, port, files, number, downloads, seed):
    checks, stages, shares = served_host.Checks(), [], []
    chance, size = random.Random(f"{seed}.{number}"), delivery.to_transfer(files[1], files[0])

    def download(name):
        return Download(checks, scratch / f"{number}.{name}", template, port, files)

    measured = download("measured")
    seconds = [measured.run()]
    start_up = statistics.median(measured.run() for _ in range(3))  # with all there, it only asks
    for at in range(downloads):
        killed, instant = download(at), 0
        lasts = max(0.1, statistics.median(seconds[-3:]) - start_up)
        for share in range(KILLS_EACH):
            # In each fifth of the time one, from wherever the one before had come to.
            before, instant = instant, (share + chance.random()) / KILLS_EACH * lasts * MOST_OF_IT
            stages.append(killed.kill_after(instant - before + start_up * chance.uniform(0.5, 1)))
        signs = killed.signs_of_the_end()
        stages.append(killed.kill_at_the_end(signs[at % len(signs)], chance.choice((0, 0, 0.0005, 0.001))))
        killed.run()
        passed = killed.proxy.passed
        most = 1.1 * size + BUFFER * killed.kills
        checks.that(passed <= most, f"{passed} octets passed for {size} and {killed.kills} kills, at most {most:.0f}")
        shares.append(passed / size)
        shutil.rmtree(killed.library.folder)
        if at % 4 == 3:  # the machine has other work as well, now more and now less
            again = download("again")
            seconds.append(again.run())
            shutil.rmtree(again.library.folder)
    return checks, stages, shares, statistics.median(seconds)


def main():
    seed = os.environ.get("SEED", "1")
    checks, stages, shares = served_host.Checks(), collections.Counter(), []
    started = time.monotonic()
    downloads = -(-KILLS // (KILLS_EACH * WORKERS))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        releases = make_releases(scratch)
        files = [delivery.for_device(release) for release in releases]
        store = store_commands.Store(scratch / "store")
        for release in releases:
            published = store.publish(release.folder)
            checks.equal(published.status, 0, f"publish\n{published}")
        with served_host.Host(store.root) as host, concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
            template = delivery.Library(scratch / "template", MODEL)
            done = template.fetch(host.port, "--version", OLD)
            delivery.check_installed(checks, template, OLD, files[0], f"the old version\n{done}")
            work = [
                workers.submit(kill_many, scratch, template.folder, host.port, files, number, downloads, seed)
                for number in range(WORKERS)
            ]
            for own, met, part, seconds in (each.result() for each in work):
                checks.made, checks.failed = checks.made + own.made, checks.failed + own.failed
                stages.update(met)
                shares += part
    kills = sum(stages.values())
    checks.equal(kills, downloads * WORKERS * (KILLS_EACH + 1), "runs that were killed")
    # How many is chance where other work slows some of them down; none would prove nothing.
    checks.that(stages["while downloading"] >= kills // 4, f"a quarter was met while downloading: {dict(stages)}")
    ends = kills - stages["while downloading"] - stages["before anything"]
    checks.that(ends >= downloads * WORKERS // 2, f"half of those that were to be were met at the end: {dict(stages)}")
    placed = ends - stages["tree under way"]
    checks.that(placed >= downloads * WORKERS // 4, f"a quarter of them with the tree in its place: {dict(stages)}")
    print(f"seed {seed}: {kills} kills in {time.monotonic() - started:.0f} s, a download takes {seconds:.2f} s")
    print("met " + ", ".join(f"{stage}: {count}" for stage, count in sorted(stages.items())))
    print(f"transferred: {statistics.mean(shares):.3f} times the size, {max(shares):.3f} at most")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
