#!/usr/bin/env python3
"""The ledger's disk and file fail in all ways that they may, while devices download.

    full          the disk is full (a small tmpfs)
    locked        another program holds the write lock for 30 s
    snapshot      a reader holds its snapshot through 200,000 requests: the log stays under its bound
    damaged       the file is damaged when the server starts, in three ways: it is kept aside, and a new one begun
    read-only     the folder cannot be written when the server starts, with a ledger in it and without
    deleted       the file is deleted while the server runs: alone, with its log, with its folder

In each: every download has the SHA-256 of its manifest; /readyz and /metrics tell; afterwards writing goes on without a
restart; and the rows and the counted losses together are exactly the requests that the clients made. Where it is said
below that there are losses, there are: more rows come than the queue takes.

It mounts in a namespace of its own; where that is not allowed the script says so and is skipped. All faults at the same
time, each with a server of its own. FAULTS=full,locked names some of them.
"""

import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback

import ledger_host
from ledger_host import served_host

LOCK_SECONDS = 30
QUEUE = 65_536
OVERFLOW = QUEUE + 15_000  # rows that the queue cannot take while nothing is written
SNAPSHOT_REQUESTS = 200_000
LOG_BOUND = 64 << 20
LOG_LEFT = 4 << 20  # what an emptied log may keep of its file
LONG_AGENT = "flood/" + "x" * 240
SIZES = {"main.hash": 32, "metadata.json": 1000, "program.bin": 70_000, "resources.bin": 1 << 20}
BIG = "resources.bin"


class Stage:
    """A root with an asset, and a folder for the ledger that may be a disk of its own."""

    def __init__(self, checks, folder, name):
        self.checks, self.name, self.folder = checks, name, folder / name
        self.folder.mkdir()
        self.root, self.disk = self.folder / "root", self.folder / "disk"
        self.disk.mkdir()
        self.database = self.disk / "telemetry.sqlite"
        self.asset = ledger_host.Asset(self.folder, self.root, SIZES)
        self.said = []

    def host(self):
        return ledger_host.Host(self.root, database=self.database)

    def mount(self, size):
        run_quietly("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.disk)

    def that(self, holds, what):
        self.checks.that(holds, f"{self.name}: {what}")

    def equal(self, found, expected, what):
        self.checks.equal(found, expected, f"{self.name}: {what}")

    def told_down(self, host, reason):
        """A server that cannot write says so, and why, and goes on serving."""
        self.that(
            served_host.wait_until(lambda: host.metric("ledger_up") == 0, ledger_host.PATIENCE), "ledger_up becomes 0"
        )
        self.tells(host, reason)

    def tells(self, host, reason):
        status, said = host.readiness()
        ledger = said.get("ledger", {})
        self.that(reason in str(ledger), f"/readyz names {reason}: {status} {said}")
        self.that(status == 200, f"/readyz: {status}: the downloads are served")
        answer, _ = served_host.get(host.address, "/readyz")
        self.equal(answer.status, 200, "/readyz on the public listener")

    def told_up(self, host):
        self.that(
            served_host.wait_until(lambda: host.metric("ledger_up") == 1, ledger_host.PATIENCE),
            f"ledger_up becomes 1 without a restart: {host.readiness()}",
        )

    def accounts(self, host, requests, what="rows and losses"):
        """Every request is a row's or a loss's, by the file; and /metrics says the same of the losses."""
        ledger = host.ledger
        self.that(ledger.accounts_for(requests), f"{what}: {requests} asked, {accounted(ledger)} accounted for")
        # The table is behind the counter for a moment.
        losses = "SELECT coalesce(sum(count), 0) FROM dropped WHERE kind = 'download'"
        counted = host.metric("ledger_dropped_total", kind="download")
        self.that(ledger.told(losses, counted), f"{what}: /metrics counts {counted} lost, the table {ledger.lost}")

    def served(self, host, *makers):
        """What the clients made is what the server counted, and every byte was right."""
        made = sum(maker.count for maker in makers)
        for maker in makers:
            self.that(not maker.wrong, f"downloads that were wrong: {maker.wrong}")
        answered = sum(
            host.metric("requests_total", listener="public", code=f"{digit}xx") for digit in (1, 2, 3, 4, 5)
        )
        self.that(answered >= made, f"requests_total: {answered}, {made} were made")
        return made

    def say(self, text):
        self.said.append(f"{self.name:>10}: {text}")


def run_quietly(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")


def accounted(ledger):
    try:
        return ledger.accounted
    except sqlite3.Error as error:
        return error


def reasons(ledger):
    return dict(ledger.rows("SELECT reason, sum(count) FROM dropped WHERE kind = 'download' GROUP BY reason"))


def check_full(stage):
    stage.mount("96m")
    with stage.host() as host, ledger_host.Load(host, stage.asset) as load:
        flood = ledger_host.Flood(host, stage.asset, BIG)
        flood.send(1000)
        stage.that(served_host.wait_until(lambda: load.count > 20, ledger_host.PATIENCE), "downloads before")
        stage.that(host.ledger.told("SELECT count(*) > 0 FROM download", 1), "rows before")
        ballast = stage.disk / "ballast"
        with open(ballast, "wb") as output:
            fill(output, stage.disk)
        flood.send(2000)
        stage.told_down(host, "disk-full")
        before = load.count
        flood.send(OVERFLOW)
        # What the database had given back is not to help it.
        with open(ballast, "ab") as output:
            fill(output, stage.disk)
        stage.that(served_host.wait_until(lambda: load.count > before + 20, ledger_host.PATIENCE), "downloads in it")
        stage.equal(host.metric("ledger_up"), 0, "ledger_up while it lasts")
        ballast.unlink()
        stage.told_up(host)
        flood.send(1000)
        load.__exit__()
        made = stage.served(host, load, flood)
        stage.accounts(host, made)
        stage.that(reasons(host.ledger).get("disk-full", 0) > 0, f"losses by reason: {reasons(host.ledger)}")
        stage.say(f"{made} requests, lost: {reasons(host.ledger)}")
        stage.equal(host.ledger.value("PRAGMA integrity_check"), "ok", "integrity_check")


def fill(output, folder):
    """Takes all the room there is, while the server takes some of it too."""

    def free():
        status = os.statvfs(folder)
        return status.f_bavail * status.f_frsize

    while (left := free()) > 0:
        output.seek(0, os.SEEK_END)
        with contextlib.suppress(OSError):  # less is free by now: looked at again
            os.posix_fallocate(output.fileno(), output.tell(), left)


def check_locked(stage):
    with stage.host() as host, ledger_host.Load(host, stage.asset) as load:
        flood = ledger_host.Flood(host, stage.asset, BIG)
        stage.that(host.ledger.told("SELECT count(*) > 0 FROM download", 1), "rows before")
        holder = sqlite3.connect(stage.database, isolation_level=None, timeout=10)
        holder.execute("BEGIN IMMEDIATE")
        since = time.monotonic()
        stage.told_down(host, "locked")
        flood.send(OVERFLOW)
        while time.monotonic() - since < LOCK_SECONDS:
            time.sleep(0.2)
        stage.equal(host.metric("ledger_up"), 0, "ledger_up while it lasts")
        written = host.ledger.requests
        holder.execute("ROLLBACK")
        holder.close()
        stage.told_up(host)
        flood.send(1000)
        load.__exit__()
        made = stage.served(host, load, flood)
        stage.accounts(host, made)
        found = reasons(host.ledger)
        stage.that(found.get("locked", 0) > 0, f"losses by reason: {found}")
        stage.that(host.ledger.requests - written > QUEUE // 2, "what waited is written afterwards")
        stage.say(f"{made} requests, {LOCK_SECONDS} s, lost: {found}")


def check_snapshot(stage):
    log = pathlib.Path(f"{stage.database}-wal")
    with stage.host() as host, ledger_host.Load(host, stage.asset) as load:
        # Long rows, so that they would not fit the bound.
        flood = ledger_host.Flood(host, stage.asset, BIG, LONG_AGENT)
        flood.send(100)
        stage.that(host.ledger.told("SELECT count(*) > 50 FROM download", 1), "rows before")
        sizes, down = [], []
        with host.ledger.open() as reader:
            reader.execute("BEGIN")
            seen = reader.execute("SELECT count(*) FROM download").fetchone()
            flood.send(SNAPSHOT_REQUESTS, lambda: sizes.append(log.stat().st_size))
            stage.told_down(host, "wal-full")
            sizes.append(log.stat().st_size)
            stage.equal(reader.execute("SELECT count(*) FROM download").fetchone(), seen, "what the reader sees")
            stage.that(host.metric("ledger_wal_size_bytes") <= LOG_BOUND, "ledger_wal_size_bytes")
            reader.execute("COMMIT")
        stage.told_up(host)
        flood.send(1000)
        load.__exit__()
        made = stage.served(host, load, flood)
        stage.accounts(host, made)
        stage.that(
            LOG_BOUND // 2 < max(sizes) <= LOG_BOUND, f"the log's greatest size: {max(sizes)}, its bound {LOG_BOUND}"
        )
        left = lambda: log.stat().st_size <= LOG_LEFT
        stage.that(served_host.wait_until(left, ledger_host.PATIENCE), f"the log afterwards: {log.stat().st_size}")
        found = reasons(host.ledger)
        stage.say(f"{made} requests, the log at most {max(sizes) / (1 << 20):.1f} MiB, lost: {found}")


def check_damaged(stage):
    """A damaged page, a file that is no database, and one that was cut short."""
    for number, damage in enumerate((damage_page, damage_header, cut_short)):
        with stage.host() as host:
            flood = ledger_host.Flood(host, stage.asset, BIG, f"before/{number}")
            flood.send(2000)
            stage.that(host.ledger.accounts_for(2000), f"{damage.__name__}: rows before")
        damage(stage.database)
        damaged = stage.database.read_bytes()
        with stage.host() as host, ledger_host.Load(host, stage.asset) as load:
            flood = ledger_host.Flood(host, stage.asset, BIG)
            flood.send(3000)
            stage.told_up(host)
            status, said = host.readiness()
            kept = list(stage.disk.glob("telemetry.sqlite.corrupt-*"))
            kept = [path for path in kept if not path.name.endswith(("-wal", "-shm"))]
            stage.equal(len(kept), 1, f"{damage.__name__}: files kept aside")
            stage.that(
                kept and kept[0].name in str(said), f"{damage.__name__}: /readyz names the file kept aside: {said}"
            )
            stage.equal(host.metric("ledger_begun_anew_total"), 1, f"{damage.__name__}: ledger_begun_anew_total")
            load.__exit__()
            made = stage.served(host, load, flood)
            stage.accounts(host, made, damage.__name__)
            stage.equal(host.ledger.lost, 0, f"{damage.__name__}: losses")
            stage.that(kept and kept[0].read_bytes() == damaged, f"{damage.__name__}: it was kept as it was")
        for path in stage.disk.iterdir():
            path.unlink()
    stage.say("a damaged page, a damaged header and a file cut short are kept aside; nothing is lost of what came after")


def damage_page(path):
    with open(path, "r+b") as file:
        pages = path.stat().st_size // 4096
        for page in range(2, pages, 7):
            file.seek(page * 4096)
            file.write(served_host.noise(4096, page))


def damage_header(path):
    with open(path, "r+b") as file:
        file.write(served_host.noise(100))


def cut_short(path):
    os.truncate(path, path.stat().st_size // 2 + 100)


def check_read_only(stage):
    stage.mount("64m")
    made = 0
    for what in ("no ledger", "a ledger"):
        run_quietly("mount", "-o", "remount,ro", stage.disk)
        with stage.host() as host, ledger_host.Load(host, stage.asset) as load:
            flood = ledger_host.Flood(host, stage.asset, BIG)
            flood.send(3000)
            stage.that(
                served_host.wait_until(lambda: host.metric("ledger_up") == 0, ledger_host.PATIENCE),
                f"{what}: ledger_up becomes 0",
            )
            status, said = host.readiness()
            reason = str(said.get("ledger", {}))
            stage.that(status == 200 and ("read-only" in reason or "cannot-open" in reason), f"{what}: /readyz: {said}")
            run_quietly("mount", "-o", "remount,rw", stage.disk)
            stage.told_up(host)
            flood.send(1000)
            load.__exit__()
            made += stage.served(host, load, flood)
            stage.accounts(host, made, what)
    stage.equal(host.ledger.lost, 0, "losses")
    stage.say(f"{made} requests, nothing lost")


def check_deleted(stage):
    def alone():
        stage.database.unlink()

    def with_its_log():
        for path in stage.disk.glob("telemetry.sqlite*"):
            path.unlink()

    def with_its_folder():
        shutil.rmtree(stage.disk)

    with stage.host() as host:
        for times, how in enumerate((alone, with_its_log, with_its_folder), 1):
            flood = ledger_host.Flood(host, stage.asset, BIG, f"before/{times}")
            flood.send(2000)
            stage.that(host.ledger.accounts_for(2000 if times == 1 else 2000 + made), f"{how.__name__}: rows before")
            how()
            with ledger_host.Load(host, stage.asset) as load:
                flood = ledger_host.Flood(host, stage.asset, BIG, f"after/{times}")
                flood.send(3000)
                told = lambda: host.metric("ledger_begun_anew_total") == times
                stage.that(served_host.wait_until(told, ledger_host.PATIENCE), f"{how.__name__}: ledger_begun_anew_total")
            made = stage.served(host, load, flood)
            stage.told_up(host)
            stage.accounts(host, made, how.__name__)
            status, said = host.readiness()
            stage.equal(said["ledger"]["timesBegunAnew"], times, f"{how.__name__}: /readyz tells")
        stage.equal(host.metric("ledger_dropped_total", kind="download"), 0, "losses")
    stage.say("alone, with its log and with its folder: nothing is lost of what came after")


FAULTS = {
    "locked": check_locked,
    "snapshot": check_snapshot,
    "full": check_full,
    "damaged": check_damaged,
    "read-only": check_read_only,
    "deleted": check_deleted,
}


def run(name, folder):
    checks = served_host.Checks()
    stage = Stage(checks, folder, name)
    try:
        FAULTS[name](stage)
    except Exception:
        stage.that(False, traceback.format_exc())
    finally:
        subprocess.run(["umount", "--lazy", stage.disk], capture_output=True)
    return checks, stage.said


def main():
    ledger_host.enter_namespace(__file__, "--mount")
    names = os.environ.get("FAULTS")
    names = names.split(",") if names else list(FAULTS)
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(3) as workers:
        for own, said in workers.map(lambda name: run(name, pathlib.Path(folder)), names):
            checks.made, checks.failed = checks.made + own.made, checks.failed + own.failed
            print("\n".join(said))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
