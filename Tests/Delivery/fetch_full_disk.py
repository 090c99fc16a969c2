#!/usr/bin/env python3
"""The device's disk fills up: before a download begins, and at several points of it; by octets, and by files.

The library is on a small tmpfs, in a mount namespace of this script's own; where that is not allowed the script says so
and is skipped. Each time: exit 1 and `insufficient-storage` with figures, each file asked for once and no more, what was
fetched is kept, the installed version is whole and in use. Once there is room again, the same command asks for the rest
and succeeds.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import delivery
from delivery import release_folder, served_host, store_commands
import full_disk

DISK = 64 << 20
MODEL = "Full"
OLD, NEW = "1.0.0", "2.0.0"
RATE = 16 << 20
REQUIRED = 32 << 20  # what the publisher asks a device to have free
BUFFER = 256 << 10
MARGIN = 1 << 20  # what small files, folders and heads take beside the model
INSIDE = "--inside-a-namespace"


def enter_namespace():
    """Runs this script again where it may mount."""
    for command in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        with contextlib.suppress(OSError):
            if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
                os.execvp(command[0], [*command, sys.executable, "-B", __file__, INSIDE])
    served_host.skip("needs a mount namespace (unshare --mount), which is not allowed here")


def publish(checks, scratch):
    """A store with both versions; the store, and what a device should have of each."""
    store, files = store_commands.Store(scratch / "store"), {}
    small = dict(portable=4096, weights=4096, original=4096, specialized=4096)
    large = dict(portable=4096, weights=10_000_001, original=2_000_001, specialized=3_000_001)
    for version, sizes in ((OLD, small), (NEW, large)):
        release = release_folder.make(scratch / version, base=MODEL, version=version, seed=version, **sizes)
        published = store.publish(release.folder)
        checks.equal(published.status, 0, f"publish\n{published}")
        files[version] = delivery.for_device(release)
        # By default half a gigabyte more, for the specialization: too much for a disk of this size.
        manifest = store.manifest(MODEL, version)
        for asset in manifest["assets"]:
            asset["requiredFreeBytes"] = REQUIRED if version == NEW else 1 << 20
        path = store.root / f"manifests/{MODEL}/{version}.json"
        path.unlink()
        path.write_text(json.dumps(manifest, sort_keys=True, separators=(",", ":")))
    return store, files


class Device:
    """A library on a disk of its own with the old version installed, and a host of the new one."""

    def __init__(self, checks, disk, name, port, files):
        self.checks, self.disk, self.files = checks, disk, files
        self.library = delivery.Library(disk.folder / name, MODEL)
        self.proxy = delivery.Proxy(port, RATE)
        self.size = delivery.to_transfer(files[NEW], files[OLD])
        done = self.library.fetch(port, "--version", OLD)
        delivery.check_installed(checks, self.library, OLD, files[OLD], f"the old version\n{done}")

    def check_refused(self, done, what):
        """The typed error with figures, and the old version as it was; the (required, available) octets."""
        checks = self.checks
        checks.equal((done.status, done.output), (1, ""), f"{what}: status and output\n{done}")
        pattern = r"error: insufficient-storage: (\d+) bytes of free space are needed and (\d+) are there; free some .*\n"
        told = re.search(pattern, done.errors)
        checks.that(told, f"{what}: says what is the matter, with figures\n{done}")
        checks.equal(done.errors.count("error"), 1, f"{what}: says it once\n{done}")
        checks.that(not self.library.tree(NEW).exists(), f"{what}: nothing is installed")
        checks.that(not self.library.is_recorded(NEW), f"{what}: nothing is recorded")
        checks.equal(self.library.damage(OLD, self.files[OLD]), [], f"{what}: the old version's files")
        checks.equal(self.library.current(), OLD, f"{what}: the pointer")
        return tuple(map(int, told.groups())) if told else (0, 0)

    def check_once(self, what):
        """No file was asked for twice."""
        targets = [target for target, _ in self.proxy.requested()]
        self.checks.equal(sorted(targets), sorted(set(targets)), f"{what}: each file is asked for once")

    def finish(self, what):
        """With room again; then all of it goes, for the next part."""
        done = self.library.fetch(self.proxy.port, "--version", NEW)
        delivery.check_succeeded(self.checks, self.library, NEW, done, what)
        delivery.check_installed(self.checks, self.library, NEW, self.files[NEW], what)
        self.checks.equal(self.library.damage(OLD, self.files[OLD]), [], f"{what}: the old version's files")
        shutil.rmtree(self.library.folder)


def check_before(checks, disk, port, files):
    """Known before anything is transferred, by what the publisher asks for."""
    device = Device(checks, disk, "before", port, files)
    disk.leave(REQUIRED - MARGIN)
    done = device.library.fetch(device.proxy.port, "--version", NEW)
    required, available = device.check_refused(done, "before the download")
    checks.that(REQUIRED - MARGIN <= required <= REQUIRED, f"says that {REQUIRED} are needed, or what is left: {required}")
    checks.that(REQUIRED - 2 * MARGIN <= available < required, f"says what is there: {available}")
    checks.equal(device.proxy.requested(), [], "the files that are asked for")
    disk.give_back()
    device.finish("with room again")


def check_under_way(checks, disk, port, files, share):
    """The room goes away when this share of the new version has come."""
    what = f"full at {100 * share:.0f} %"
    device = Device(checks, disk, f"at{100 * share:.0f}", port, files)
    process = device.library.start(device.proxy.port, "--version", NEW)
    checks.that(device.proxy.await_passed(share * device.size, process), f"{what}: it is under way")
    process.send_signal(signal.SIGSTOP)  # or both would take the last of the room at the same time
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    disk.leave(0)
    process.send_signal(signal.SIGCONT)
    done = store_commands.finish(process)
    device.check_refused(done, what)
    device.check_once(what)
    kept = device.library.unfinished()
    # What had passed when the room was taken is there, but for what was on its way.
    checks.that(share * device.size - 4 * BUFFER <= kept < device.size, f"{what}: {kept} octets are kept")

    # Still full: told at once, and nothing is lost.
    device.proxy.clear()
    again = device.library.fetch(device.proxy.port, "--version", NEW)
    device.check_refused(again, f"{what}, again")
    checks.equal(device.proxy.requested(), [], f"{what}, again: the files that are asked for")
    checks.equal(device.library.unfinished(), kept, f"{what}, again: octets that are kept")

    disk.give_back()
    device.proxy.clear()
    device.finish(f"{what}, with room again")
    rest = device.size - kept
    checks.that(device.proxy.passed <= rest + MARGIN, f"{what}: {device.proxy.passed} passed for the {rest} that were left")
    if share < 0.6:
        ranges = [span for _, span in device.proxy.requested() if span != "-"]
        checks.that(ranges, f"{what}: it goes on within a file: {device.proxy.requested()}")


def check_names(checks, disk, port, files):
    """A file system has room for so many files, too."""
    device = Device(checks, disk, "names", port, files)
    ballast = disk.folder / "ballast"
    ballast.mkdir()
    for number in range(disk.names() - 6):
        (ballast / str(number)).touch()
    done = device.library.fetch(device.proxy.port, "--version", NEW)
    device.check_refused(done, "without names")
    device.check_once("without names")
    for path in ballast.iterdir():
        path.unlink()
    device.finish("with names again")


def main():
    if INSIDE not in sys.argv:
        enter_namespace()
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as mounted:
        scratch = pathlib.Path(scratch)
        disks = {"octets": f"size={DISK}", "names": f"size={DISK},nr_inodes=400"}
        for name, options in disks.items():
            disks[name] = full_disk.Disk(scratch / name, options)
            mounted.callback(subprocess.run, ["umount", "--lazy", disks[name].folder], check=True)
        store, files = publish(checks, scratch)
        with served_host.Host(store.root) as host:
            check_before(checks, disks["octets"], host.port, files)
            for share in (0.1, 0.5, 0.9):
                check_under_way(checks, disks["octets"], host.port, files, share)
            check_names(checks, disks["names"], host.port, files)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
