"""For the scripts beside it: the commands that change a store, run as an operator runs them, and looks at what is on
the disk that owe nothing to them. Standard library only.
"""

import json
import os
import pathlib
import stat
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host

PATIENCE = 120  # seconds that one command may take; all take a fraction of it


class Run:
    """One command that has ended."""

    def __init__(self, arguments, status, output, errors, seconds):
        self.arguments, self.status, self.seconds = arguments, status, seconds
        self.output, self.errors = output.decode(), errors.decode()

    @property
    def json(self):
        return json.loads(self.output)

    def __str__(self):
        return f"aimodel-host {' '.join(self.arguments)}: exit {self.status}\n{self.output}{self.errors}"


def run(*arguments, environment=None, folder=None, command=(), before=None):
    """Runs the command line; neither of its outputs is a terminal. `command` goes before it, such as prlimit; `before`
    is called in the new process."""
    arguments = [str(argument) for argument in arguments]
    started = time.monotonic()
    done = subprocess.run(
        [*command, served_host.find_host(), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        cwd=folder,
        env=None if environment is None else {**os.environ, **environment},
        preexec_fn=before,
    )
    return Run(arguments, done.returncode, done.stdout, done.stderr, time.monotonic() - started)


def start(*arguments, **options):
    """The same, not waited for."""
    return subprocess.Popen(
        [served_host.find_host(), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def finish(process):
    """Waits for what `start` gave."""
    output, errors = process.communicate(timeout=PATIENCE)
    return Run(process.args[1:], process.returncode, output, errors, 0)


class Store:
    """A store, and what an outsider sees of it."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.root.mkdir(parents=True, exist_ok=True)
        self.staging, self.pool = self.root / "Public/.staging", self.root / "Public/.pool"

    def run(self, command, *arguments, **options):
        return run(command, *arguments, "--root", self.root, **options)

    def publish(self, folder, *arguments, **options):
        return self.run("publish", folder, *arguments, **options)

    def start_publish(self, folder, *arguments, **options):
        return start("publish", folder, *arguments, "--root", self.root, **options)

    def versions(self, model):
        """What `list` says of a model; none where it knows no such model."""
        listed = self.run("list", "--json").json["models"]
        found = [entry for entry in listed if entry["model"] == model]
        return {row["version"]: row for row in found[0]["versions"]} if found else {}

    def manifest(self, model, version):
        return json.loads((self.root / "manifests" / model / f"{version}.json").read_bytes())

    # What is on the disk.

    def stagings(self):
        """Names in the staging folder."""
        return sorted(os.listdir(self.staging)) if self.staging.exists() else []

    def contents(self):
        """The status of each content in the pool, by its path there."""
        return {str(path.relative_to(self.pool)): path.stat() for path in self.pool.glob("*/*")}

    def orphans(self):
        """Contents in the pool that no release holds."""
        return sorted(path for path, status in self.contents().items() if status.st_nlink == 1)

    def drafts(self):
        """Manifests under a name that nobody reads, and stray trees: (drafts, trees without a manifest)."""
        manifests, models = self.root / "manifests", self.root / "Public/models"
        drafts = [path.name for path in manifests.glob("*/.*")]
        trees = [
            f"{tree.parent.name}/{tree.name}"
            for tree in models.glob("*/*")
            if not (manifests / tree.parent.name / f"{tree.name}.json").exists()
        ]
        return sorted(drafts), sorted(trees)

    def leftovers(self):
        """All that a store at rest should not hold; empty if it is as it should be."""
        drafts, trees = self.drafts()
        found = {"staging": self.stagings(), "orphans": self.orphans(), "drafts": drafts, "trees": trees}
        return {what: names for what, names in found.items() if names}

    def entries(self):
        """Everything in the store, by its path: kind and mode, size and inode of files. Two of these are equal if
        nothing was made, removed, moved or written meanwhile; the lock file is left out."""
        return tree_entries(self.root, without={"manifests/.lock"})

    def sizes(self):
        """(octets of the files, octets on the disk, folders included), each inode once."""
        seen, content, disk = set(), 0, 0
        for here, _, names in os.walk(self.root):
            for path in [here, *(os.path.join(here, name) for name in names)]:
                status = os.lstat(path)
                if status.st_ino in seen:
                    continue
                seen.add(status.st_ino)
                disk += status.st_blocks * 512
                content += status.st_size if stat.S_ISREG(status.st_mode) else 0
        return content, disk


class Commands:
    """Runs commands on a store, and holds each against what all have in common."""

    def __init__(self, checks, root):
        self.checks, self.store = checks, Store(root)

    def run(self, *arguments, rooted=True, **options):
        done = self.store.run(*arguments, **options) if rooted else run(*arguments, **options)
        self.checks.that("\x1b" not in done.output + done.errors, f"no escape codes where nobody looks\n{done}")
        self.checks.that("Fatal error" not in done.errors, f"no crash\n{done}")
        if "--json" in arguments and done.output:
            try:
                done.json
            except ValueError as error:
                self.checks.that(False, f"JSON parses: {error}\n{done}")
            self.checks.equal(done.output.count("\n"), 1, f"JSON is one line\n{done}")
        return done

    def succeed(self, *arguments, says=(), errors=None, **options):
        """Exit 0, a result on standard output, nothing on standard error unless it is named."""
        done = self.run(*arguments, **options)
        self.checks.equal(done.status, 0, f"exit status\n{done}")
        self.checks.that(done.output.endswith("\n"), f"a result, in whole lines\n{done}")
        for words in says:
            self.checks.that(words in done.output, f"says {words!r}\n{done}")
        if errors is None:
            self.checks.equal(done.errors, "", f"standard error\n{done}")
        else:
            self.checks.that(errors in done.errors, f"standard error says {errors!r}\n{done}")
        return done

    def fail(self, status, *arguments, says=(), writes=False, **options):
        """Another exit status, an error, no result; and nothing is written."""
        before = self.store.entries()
        done = self.run(*arguments, **options)
        self.checks.equal(done.status, status, f"exit status\n{done}")
        self.checks.equal(done.output, "", f"standard output\n{done}")
        last = done.errors.rstrip("\n").split("\nerror: ")[-1]
        self.checks.that(done.errors.startswith("error: ") or "\nerror: " in done.errors, f"an error\n{done}")
        if status == 2:
            self.checks.that("; see aimodel-host help " in last or "--help" in last, f"where to read on\n{done}")
        for words in says:
            self.checks.that(words in done.errors, f"says {words!r}\n{done}")
        if not writes:
            check_same(self.checks, self.store.entries(), before, f"nothing is written\n{done}")
        return done


def tree_entries(root, without=()):
    found = {}
    for here, folders, names in os.walk(root):
        for name in folders + names:
            path = os.path.join(here, name)
            status = os.lstat(path)
            facts = (status.st_mode,)
            if stat.S_ISREG(status.st_mode):
                facts += (status.st_size, status.st_ino, status.st_mtime_ns, status.st_nlink)
            found[os.path.relpath(path, root)] = facts
    return {path: facts for path, facts in found.items() if path not in without}


def check_same(checks, found, expected, what):
    """Two of `entries` are equal; told are only those that differ."""
    paths = sorted(path for path in {*found, *expected} if found.get(path) != expected.get(path))
    changed = [f"{path}: {expected.get(path)} became {found.get(path)}" for path in paths[:20]]
    checks.that(not paths, f"{what}: {len(paths)} differ: " + "; ".join(changed))


def check_clean(checks, store, what):
    """The whole store verifies, and holds nothing that nobody needs."""
    verified = store.run("verify")
    checks.equal(verified.status, 0, f"{what}: verify of the whole store\n{verified}")
    checks.equal(store.leftovers(), {}, f"{what}: what is left over")
