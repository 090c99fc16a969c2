#!/usr/bin/env python3
"""The server is killed (SIGKILL) 50 times while devices download and report. After each kill the ledger, as a copy of the
file and its log, opens and is sound; every report that was acknowledged more than a second before is in it, once; and
none that nobody sent.

The next server goes on with the same ledger: it keeps nothing aside, and no row is lost from one kill to the next. The
instants depend on a seed, $SEED; $KILLS is how many. Two at the same time, each with a store, which scatters them further.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time

import ledger_host
from ledger_host import served_host

KILLS = int(os.environ.get("KILLS", "50"))
LANES = 2
SETTLED = 1.0  # seconds after its acknowledgement that a report may still be lost
SIZES = {"main.hash": 32, "metadata.json": 900, "program.bin": 50_000, "resources.bin": 300_000}


class Reporter:
    """A device after the other reports: what was acknowledged, and when."""

    def __init__(self, host, asset, name, lane):
        self.host, self.asset, self.name, self.lane = host, asset, name, lane
        self.sent, self.acknowledged, self.other = [], [], {}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        source = random.Random(self.name)
        number = 0
        # Connections break when the server is killed.
        while not self.over.is_set():
            # A client may report only so much: another one goes on.
            address = f"127.{50 + self.lane}.{source.randrange(256)}.{source.randrange(1, 255)}"
            try:
                with ledger_host.Client(self.host.address, address) as client:
                    for _ in range(20):
                        if self.over.wait(0.003):
                            return
                        count = source.randint(1, 4)
                        devices = [f"{self.name}/{number + each}" for each in range(count)]
                        number += count
                        self.report(client, devices)
            except (OSError, ConnectionError):
                self.over.wait(0.01)

    def report(self, client, devices):
        items = [
            {
                "model": self.asset.model,
                "version": ledger_host.VERSION,
                "asset": self.asset.name,
                "architecture": "h18p",
                "outcome": "loaded",
                "coldLoadMilliseconds": 7,
                "device": device,
            }
            for device in devices
        ]
        body = json.dumps(items if len(items) > 1 else items[0]).encode()
        self.sent += devices
        answer = client.ask(
            "/reports", [("Content-Type", "application/json"), ("Content-Length", len(body))], "POST", body
        )
        said = client.take(answer.length)
        if answer.status == 202 and json.loads(said).get("accepted") == len(devices):
            self.acknowledged.append((time.monotonic(), devices))
        else:
            self.other[answer.status] = self.other.get(answer.status, 0) + 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


class Downloads(ledger_host.Load):
    """Downloads whose server is killed: what came until then is right."""

    PAUSE = 0.001

    def run(self, number):
        while not self.over.is_set():
            super().run(number)
            self.over.wait(0.01)

    def broken(self, error):
        """The connection that the kill broke, and those that find nobody afterwards."""


def check_ledger(checks, path, scratch, what):
    """The devices that a copy of the ledger knows, and how many rows of downloads it has."""
    copy = scratch / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    # Without the shared memory, which is made anew from the log: as after a crash of the machine's other half.
    for suffix in ("", "-wal"):
        if pathlib.Path(f"{path}{suffix}").exists():
            shutil.copy(f"{path}{suffix}", copy / f"ledger{suffix}")
    try:
        connection = sqlite3.connect(copy / "ledger")
        checks.equal(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)], f"{what}: integrity_check")
        devices = [row[0] for row in connection.execute("SELECT device FROM device_report")]
        rows = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM download").fetchone()
        checks.equal(rows[0], rows[1], f"{what}: rows of downloads, and the newest's number")
        connection.close()
        return devices, rows[0]
    except sqlite3.Error as error:
        checks.that(False, f"{what}: the ledger cannot be read: {error}")
        return [], 0


def kill_many(scratch, kills, seed, lane):
    checks, source = served_host.Checks(), random.Random(seed)
    scratch.mkdir()
    root = scratch / "root"
    asset = ledger_host.Asset(scratch, root, SIZES)
    sent, settled, late, kept_late, downloads, rows = set(), set(), 0, 0, 0, 0
    refusals, rounds_with_early = {}, 0
    for number in range(kills):
        name = f"{seed}/{number}"
        host = ledger_host.Host(root)
        with Downloads(host, asset) as load, Reporter(host, asset, name, lane) as reporter:
            time.sleep(SETTLED + source.uniform(0.05, 1.0))
            killed = time.monotonic()
            host.process.kill()
            host.stop()
        what = f"{name}, killed after {killed - host.started:.3f} s"
        checks.that(not load.wrong, f"{what}: {load.wrong}")
        sent.update(reporter.sent)
        for status, count in reporter.other.items():
            refusals[status] = refusals.get(status, 0) + count
        early = [devices for at, devices in reporter.acknowledged if at < killed - SETTLED]
        settled.update(device for devices in early for device in devices)
        # A host that begins looks through its ledger first, and takes no reports meanwhile.
        rounds_with_early += bool(early)
        later = {device for at, devices in reporter.acknowledged if at >= killed - SETTLED for device in devices}
        devices, found = check_ledger(checks, host.ledger.path, scratch, what)
        missing = settled.difference(devices)
        checks.that(not missing, f"{what}: {len(missing)} acknowledged reports are lost, such as {sorted(missing)[:3]}")
        checks.equal(len(devices), len(set(devices)), f"{what}: no report is there twice")
        checks.that(sent.issuperset(devices), f"{what}: reports that nobody sent: {set(devices) - sent}")
        checks.that(found >= rows, f"{what}: {rows} rows of downloads before, {found} now")
        # What an earlier kill left is not to go either.
        settled.update(devices)
        rows, downloads = found, downloads + load.count
        late, kept_late = late + len(later), kept_late + len(later.intersection(devices))
    with ledger_host.Host(root) as host:
        checks.equal(host.readiness()[1]["status"], "ready", "after the last kill")
        checks.equal(host.stop(), 0, f"exit status\n{host.error_text()}")
    least = kills * 3 // 4
    checks.that(
        rounds_with_early >= least,
        f"{rounds_with_early} of {kills} kills had reports acknowledged more than a second before, {least} are wanted",
    )
    aside = [path.name for path in host.ledger.path.parent.glob("*corrupt*")]
    checks.equal(aside, [], "files kept aside")
    refused = sum(refusals.values())
    checks.that(refused <= len(sent) // 10, f"reports that were refused: {refusals} of {len(sent)}")
    return checks, len(settled), late, kept_late, downloads


def main():
    seed = os.environ.get("SEED", "1")
    checks, totals = served_host.Checks(), [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(LANES) as workers:
        done = [
            workers.submit(kill_many, pathlib.Path(scratch) / str(lane), KILLS // LANES, f"{seed}.{lane}", lane)
            for lane in range(LANES)
        ]
        for own, *counts in (each.result() for each in done):
            checks.made, checks.failed = checks.made + own.made, checks.failed + own.failed
            totals = [total + count for total, count in zip(totals, counts)]
    settled, late, kept_late, downloads = totals
    print(
        f"seed {seed}: {KILLS // LANES * LANES} kills, {downloads} downloads, {settled} reports in the ledger; "
        f"of {late} acknowledged in the last second before a kill it has {kept_late}"
    )
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
