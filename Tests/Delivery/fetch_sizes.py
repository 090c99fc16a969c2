#!/usr/bin/env python3
"""What `fetch` takes: 5,000 small files, and a big one beside curl, in memory, processor time and time.

Memory stays under 60 MiB, whatever the number and the size of the files; that is checked. Time depends on the machine and
on what else it does, so it is printed beside that of curl, which hashes nothing, and of sha256sum, which is what makes
curl's file as sure as fetch's. Medians of three, in turn.

The big file has 256 MiB; $FETCH_BIG_GIB=5 makes it one of 5 GiB, which takes ten more on the disk, for a minute or two.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import delivery
from delivery import release_folder, served_host, store_commands

MODEL = "Sized"
MANY = 5000
ROUNDS = 3
MEMORY = 60 << 20
GIB = int(os.environ.get("FETCH_BIG_GIB", "0"))
BIG = (GIB << 30) or 256 << 20
MARK = 1 << 26  # the big file is sparse, and each so many octets tell where they are


class Measured:
    """A command that ran to its end: its status, and what it took by the kernel's account."""

    def __init__(self, command):
        started = time.monotonic()
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self.errors = process.stderr.read().decode()
        process.stderr.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds, self.processor = time.monotonic() - started, used.ru_utime + used.ru_stime
        # Before exec the process was one of Python, whose memory counts too: it may be less, and is never more.
        self.status, self.memory = process.returncode, used.ru_maxrss << 10


def sparse(size):
    """Yields the content of a sparse file: pieces that hold their own place."""
    for at in range(0, size, MARK):
        yield at.to_bytes(8, "little")


def write_sparse(path, size):
    with open(path, "wb") as output:
        output.truncate(size)
        for number, mark in enumerate(sparse(size)):
            output.seek(number * MARK)
            output.write(mark)


def make_release(folder):
    """A version with one big file, and one with many small ones."""
    small = dict(portable=4096, original=4096, specialized=4096)
    many = release_folder.make(folder / "many", base=MODEL, version="1.0.0", weights=4096, **small)
    for number in range(MANY):
        size = 200 + 13 * number % 4000
        many.write(f"tokenizer/pieces/{number:04}.bin", release_folder.noise(size, f"piece {number}"))
    big = release_folder.make(folder / "big", base=MODEL, version="2.0.0", weights=4096, **small)
    weights = next(path for path in big.files if path.endswith("resources.bin") and delivery.ARCHITECTURE in path)
    write_sparse(big.folder / weights, BIG)
    big.files[weights] = (BIG, delivery.file_digest(big.folder / weights))
    return many, big, weights


def check_memory(checks, measured, what):
    checks.equal(measured.status, 0, f"{what}: exit status\n{measured.errors}")
    checks.that(measured.memory < MEMORY, f"{what}: {measured.memory / 2**20:.1f} MiB of memory, {MEMORY >> 20} at most")
    took = f"{measured.seconds:.2f} s, {measured.processor:.2f} s of processor"
    print(f"{what}: {measured.memory / 2**20:.1f} MiB of memory at most, {took}")


def fetch(library, port, version):
    return Measured([served_host.find_host(), *library.arguments(port, "--version", version)])


def check_many(checks, scratch, port, release):
    """The first time, and once more when all is there."""
    library = delivery.Library(scratch / "many-installed", MODEL)
    check_memory(checks, fetch(library, port, "1.0.0"), f"{MANY} small files")
    delivery.check_installed(checks, library, "1.0.0", delivery.for_device(release), f"{MANY} small files")
    check_memory(checks, fetch(library, port, "1.0.0"), f"{MANY} small files that are there")


def check_big(checks, scratch, port, release, path):
    """Each round: curl, sha256sum of what it got, fetch."""
    rounds = {"curl": [], "sha256sum": [], "fetch": []}
    copy, expected = scratch / "copy", delivery.for_device(release)
    url = f"http://127.0.0.1:{port}/models/{MODEL}/2.0.0/{path}"
    if not shutil.which("curl"):
        print("no curl here: nothing to compare with")
        del rounds["curl"], rounds["sha256sum"]
    for number in range(ROUNDS):
        if "curl" in rounds:
            rounds["curl"].append(Measured(["curl", "-fsS", "-o", copy, url]))
            rounds["sha256sum"].append(Measured(["sha256sum", copy]))
            copy.unlink()
        library = delivery.Library(scratch / f"big-installed{number}", MODEL)
        rounds["fetch"].append(fetch(library, port, "2.0.0"))
        check_memory(checks, rounds["fetch"][-1], f"a file of {BIG >> 20} MiB")
        if number == 0:
            delivery.check_installed(checks, library, "2.0.0", expected, "the big file")
        shutil.rmtree(library.folder)
    for name, measured in rounds.items():
        checks.equal([each.status for each in measured], [0] * ROUNDS, f"{name}: exit statuses")
    if "curl" not in rounds:
        return

    def median(name, what):
        return statistics.median(getattr(each, what) for each in rounds[name])

    for what, text in (("seconds", "time"), ("processor", "processor time")):
        curl, digest, own = (median(name, what) for name in ("curl", "sha256sum", "fetch"))
        print(
            f"{text}: curl {curl:.2f} s, sha256sum {digest:.2f} s, fetch {own:.2f} s: "
            f"{own / curl:.2f} times curl, {own / (curl + digest):.2f} times curl and sha256sum"
        )


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        if shutil.disk_usage(scratch).free < 4 * BIG:
            served_host.skip(f"needs {4 * BIG >> 20} MiB of disk")
        many, big, path = make_release(scratch)
        store = store_commands.Store(scratch / "store")
        for release in (many, big):
            published = store.publish(release.folder)
            checks.equal(published.status, 0, f"publish\n{published}")
            shutil.rmtree(release.folder)
        with served_host.Host(store.root) as host:
            check_many(checks, scratch, host.port, many)
            check_big(checks, scratch, host.port, big, path)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
