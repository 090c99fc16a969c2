#!/usr/bin/env python3
"""At full load every request is a row's or a loss's: sum(requests) and the counted losses are what /metrics says was
answered, and what the clients counted; losses are under 1 %.

The load is wrk's, which is the heavier one, or else this script's own: keep-alive GETs of a small file from many
connections, while one more connection asks for other octets with each request, so that each is a row of its own. Beside
them a dashboard asks count(*) again and again, each time over a connection of its own: it never fails. How long it waits
at most is said, and not judged: that is the machine's matter too.
"""

import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import ledger_host
from ledger_host import served_host

SECONDS = int(os.environ.get("SECONDS_OF_LOAD", "6"))
CONNECTIONS = 32
SIZES = {"small.bin": 1024, "resources.bin": 1 << 20}


class Dashboard:
    """A reader that never pauses for long."""

    def __init__(self, ledger):
        self.ledger, self.over = ledger, threading.Event()
        self.polls, self.longest, self.failures, self.counts = 0, 0, [], []
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.over.wait(0.005):
            started = time.monotonic()
            try:
                self.counts.append(self.ledger.value("SELECT count(*) FROM download"))
            except sqlite3.Error as error:
                self.failures.append(str(error))
            self.longest = max(self.longest, time.monotonic() - started)
            self.polls += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def load_by_wrk(host, path):
    """(Answers that wrk counted, answers that it may have asked for beside.) Its last ones are cut at its end."""
    command = ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", f"http://127.0.0.1:{host.port}{path}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"error: a load with failures\n{output}")
    return int(re.search(r"(\d+) requests in", output)[1]), CONNECTIONS


def load_by_script(host, path):
    """The same with as many requests as this script can make."""
    end, counts = time.monotonic() + SECONDS, [0] * 4

    def run(number):
        with ledger_host.Client(host.address) as client:
            while time.monotonic() < end:
                answer, body = client.get(path)
                counts[number] += answer.status == 200 and len(body) == answer.length

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(counts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts), 0


def main():
    checks = served_host.Checks()
    load = load_by_wrk if shutil.which("wrk") else load_by_script
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        asset = ledger_host.Asset(scratch, scratch / "root", SIZES)
        with ledger_host.Host(scratch / "root") as host:
            ledger = host.ledger
            served_host.get(host.address, asset.target_of("small.bin"))
            checks.that(ledger.accounts_for(1), "the first request")
            flood, stop = ledger_host.Flood(host, asset, "resources.bin"), threading.Event()

            def run_flood():
                while not stop.is_set():
                    flood.send(500)
                    stop.wait(0.05)

            flooding = threading.Thread(target=run_flood)
            with Dashboard(ledger) as dashboard:
                flooding.start()
                counted, cut = load(host, asset.target_of("small.bin"))
                stop.set()
                flooding.join()
            made = 1 + counted + flood.count
            checks.equal(flood.wrong, 0, "answers that were wrong")
            answered = host.metric("requests_total", listener="public", code="2xx")
            checks.that(made <= answered <= made + cut, f"clients counted {made} and may have cut {cut}: {answered}")
            in_all = "SELECT sum(requests) + (SELECT coalesce(sum(count), 0) FROM dropped WHERE kind = 'download') FROM download"
            checks.that(ledger.told(in_all, answered), f"{answered} answered, {ledger.accounted} accounted for")
            lost = ledger.lost
            checks.that(lost < answered / 100, f"{lost} of {answered} were lost")
            checks.equal(host.metric("ledger_dropped_total", kind="download"), lost, "losses, by /metrics and by the file")
            checks.equal(dashboard.failures, [], "polls that failed")
            checks.that(dashboard.polls >= SECONDS, f"{dashboard.polls} polls")
            checks.equal(dashboard.counts, sorted(dashboard.counts), "count(*) never falls")
            checks.that(dashboard.counts[-1] > flood.count // 2, f"rows that the dashboard saw: {dashboard.counts[-1]}")
            rows = ledger.value("SELECT count(*) FROM download")
            checks.equal(host.stop(), 0, f"exit status\n{host.error_text()}")
        checks.equal(ledger.accounted, answered, "after the end")
        print(
            f"{answered} answers in {SECONDS} s, {flood.count} of them unlike any other; {rows} rows, {lost} lost; "
            f"{dashboard.polls} polls of a dashboard, the longest took {dashboard.longest * 1000:.0f} ms"
        )
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
