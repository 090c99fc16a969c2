#!/usr/bin/env python3
"""The store's disk fills up: before a publication begins, while it copies, down to the last page, and in its records.

The store is a small tmpfs, in a mount namespace of this script's own; where that is not allowed the script says so and
is skipped. Each time: exit 1, an error that says what is full and what to do, and nothing left, by the octets that are
free and by the files that are there. Once there is room again, the same command succeeds.

The disk fills in the middle because the publisher is stopped (SIGSTOP) as soon as it has written something, which is
after it found that the release fits, while another file takes the room away.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import store_commands
from store_commands import served_host
import release_folder

DISK = 96 << 20
MODEL = "Full"
SMALL = "9.0.0"
PAGE = 4096
INSIDE = "--inside-a-namespace"
ATTEMPTS = 50


def enter_namespace():
    """Runs this script again where it may mount."""
    for command in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        with contextlib.suppress(OSError):
            if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
                os.execvp(command[0], [*command, sys.executable, "-B", __file__, INSIDE])
    served_host.skip("needs a mount namespace (unshare --mount), which is not allowed here")


def mount(folder, options):
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True)
    if done.returncode != 0:
        served_host.skip(f"cannot mount a tmpfs: {done.stderr.strip()}")


class Disk:
    """A store on a tmpfs of its own, and a file beside it that takes room away."""

    def __init__(self, folder, options=f"size={DISK}"):
        mount(folder, options)
        self.folder, self.ballast = folder, folder / "ballast"
        self.store = store_commands.Store(folder / "store")

    def free(self):
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize

    def names(self):
        """How many files it has room for."""
        return os.statvfs(self.folder).f_favail

    def leave(self, octets):
        """Takes the room away, all but so much."""
        with open(self.ballast, "ab") as output:
            os.posix_fallocate(output.fileno(), output.tell(), max(0, self.free() - octets) // PAGE * PAGE)

    def give_back(self):
        self.ballast.unlink()


def check_full(checks, disk, before, files, refused, version, *said):
    """A publication that failed for want of room, with a clear error and nothing left."""
    checks.equal(refused.status, 1, f"{version}: exit status\n{refused}")
    checks.equal(refused.output, "", f"{version}: standard output")
    checks.that(refused.errors.startswith("error"), f"{version}: an error\n{refused}")
    for words in said:
        checks.that(words in refused.errors, f"{version}: says {words!r}\n{refused}")
    checks.equal(disk.free(), before, f"{version}: octets that are free, once the other file is gone")
    store_commands.check_same(checks, disk.store.entries(), files, f"{version}: the files in the store")
    store_commands.check_clean(checks, disk.store, version)


def publish_stopped(disk, folder, version):
    """Starts to publish, and stops it while it copies; None where it was done before it was met."""
    process = disk.store.start_publish(folder, "--version", version)
    deadline = time.monotonic() + store_commands.PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        if any(path.stat().st_size > 1 << 20 for path in disk.store.staging.glob("*/tree/*/main.mlirb")):
            process.send_signal(signal.SIGSTOP)
            # All of its threads stand still from here on; or it has ended.
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if (disk.store.root / f"manifests/{MODEL}/{version}.json").exists():
                process.send_signal(signal.SIGCONT)
                break
            return process
    store_commands.finish(process)
    return None


def fill_while_copying(checks, disk, release, need, shortage, number):
    """Leaves `shortage` octets less than the rest of the publication needs."""
    before = disk.free()
    for attempt in range(ATTEMPTS):
        files = disk.store.entries()
        version = f"2.{number}.{attempt}"
        process = publish_stopped(disk, release.folder, version)
        if process is not None:
            left = need - (before - disk.free()) - shortage
            disk.leave(max(0, left))
            process.send_signal(signal.SIGCONT)
            done = store_commands.finish(process)
            disk.give_back()
            if done.status != 0 or left >= 0:
                break
            # It had written nearly all, and what was left to write was less than the shortage.
        checks.equal(disk.store.run("prune", MODEL, "--keep", "1").status, 0, "prune")
    else:
        checks.that(False, f"in {ATTEMPTS} attempts the publisher was never met while it copied")
        return
    check_full(checks, disk, before, files, done, version, "disk", "is full", "free some")
    again = disk.store.publish(release.folder, "--version", version)
    checks.equal(again.status, 0, f"{version}: with room again\n{again}")
    store_commands.check_clean(checks, disk.store, f"{version} in the end")
    remove(checks, disk, before)


def remove(checks, disk, free):
    """Prunes the big version: the small one is newer."""
    pruned = disk.store.run("prune", MODEL, "--keep", "1")
    checks.equal(pruned.status, 0, f"prune\n{pruned}")
    checks.equal(list(disk.store.versions(MODEL)), [SMALL], f"the big version is pruned\n{pruned}")
    checks.equal(disk.free(), free, f"its room came back\n{pruned}")


def check_fills_up(checks, disk, scratch):
    small = release_folder.make(scratch / "small", base=MODEL, portable=PAGE, weights=PAGE, specialized=PAGE)
    checks.equal(disk.store.publish(small.folder, "--version", SMALL).status, 0, "a small version")
    # Sizes that no disk block divides, so that the last page counts.
    big = release_folder.make(scratch / "big", base=MODEL, seed="big", portable=30_000_001, weights=5_000_001)
    before = disk.free()
    published = disk.store.publish(big.folder, "--version", "1.9.0")
    checks.equal(published.status, 0, f"the big version fits\n{published}")
    need = before - disk.free()
    remove(checks, disk, before)

    # Known before anything is copied.
    before, files = disk.free(), disk.store.entries()
    disk.leave(need - (1 << 20))
    refused = [disk.store.publish(big.folder, "--version", "2.0.0", *more) for more in ((), ("--dry-run",))]
    # What the operator allows is tried, and then the disk is full.
    allowed = disk.store.publish(big.folder, "--version", "2.0.0", "--allow", "not-enough-space")
    disk.give_back()
    for done in refused:
        check_full(checks, disk, before, files, done, "2.0.0", "error  not-enough-space  .", "are free", "prune")
    check_full(checks, disk, before, files, allowed, "2.0.0", "disk", "is full", "free some")

    for number, shortage in enumerate((need, need // 2, 1 << 20, 64 << 10, 8 * PAGE), 1):
        fill_while_copying(checks, disk, big, need, shortage, number)


def check_runs_out_of_names(checks, disk, scratch):
    """A file system has room for so many files, too."""
    small = release_folder.make(scratch / "few", base=MODEL, portable=PAGE, weights=PAGE, specialized=PAGE)
    checks.equal(disk.store.publish(small.folder, "--version", SMALL).status, 0, "a small version")
    free, names = disk.free(), disk.names()
    other = release_folder.make(scratch / "other", base=MODEL, version="2.0.0", seed="2", portable=PAGE, weights=PAGE)
    files = disk.store.entries()
    ballast = disk.folder / "names"
    ballast.mkdir()
    for number in range(names - 1 - 12):
        (ballast / str(number)).touch()
    refused = disk.store.publish(other.folder)
    for path in ballast.iterdir():
        path.unlink()
    ballast.rmdir()
    check_full(checks, disk, free, files, refused, "2.0.0 without names", "disk", "is full", "free some")
    checks.equal(disk.names(), names, "names that are free")
    again = disk.store.publish(other.folder)
    checks.equal(again.status, 0, f"with names again\n{again}")
    store_commands.check_clean(checks, disk.store, "with names again")


def main():
    if INSIDE not in sys.argv:
        enter_namespace()
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as mounted:
        scratch = pathlib.Path(scratch)
        disks = {"octets": f"size={DISK}", "names": f"size={DISK},nr_inodes=400"}
        for name, options in disks.items():
            disks[name] = Disk(scratch / name, options)
            mounted.callback(subprocess.run, ["umount", "--lazy", disks[name].folder], check=True)
        check_fills_up(checks, disks["octets"], scratch)
        check_runs_out_of_names(checks, disks["names"], scratch)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
