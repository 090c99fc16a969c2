#!/usr/bin/env python3
"""What the ledger costs: requests per second of a keep-alive benchmark with the ledger on, beside the same with it off.

    ledger_cost.py [--pairs 7] [--seconds 2] [--connections 32] [--at-least 0.9]

Two servers run with two threads each, the same files and the same settings but --database. wrk loads them in turn, on
off, off on, on off..., so that what else the machine does falls on both. Figures are medians: requests per second of
wall time, and requests per second of CPU time that the server itself used, its ledger's thread included; the ratios are
medians of those of each pair. wrk has a share of the same processors, which the ledger does not make greater, so the ratio
by CPU time is the lower one, and the one that other work on the machine does not move. The script fails when it is below
--at-least, or when the ledger did not record every request.

Needs wrk (Debian: apt-get install wrk).
"""

import argparse
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "Support"))
import served_host
import stage_release

SIZE = 1 << 10
THREADS = 2
PATH = "/models/Bench/1.0.0/Bench.aimodel/small.bin"


def run_wrk(host, seconds, connections):
    """One run: requests in all, for each second of wall time, and for each second of server CPU."""
    before, begun = host.cpu_seconds(), time.monotonic()
    command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", f"http://127.0.0.1:{host.port}{PATH}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    took = time.monotonic() - begun
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"error: a run with failures is no measurement\n{output}")
    requests = int(re.search(r"(\d+) requests in", output)[1])
    return requests, requests / took, requests / (host.cpu_seconds() - before)


def recorded(path):
    """Requests that rows stand for, and those counted as lost."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        return connection.execute(
            "SELECT (SELECT coalesce(sum(requests), 0) FROM download),"
            " (SELECT coalesce(sum(count), 0) FROM dropped WHERE kind = 'download')"
        ).fetchone()


def main():
    parser = argparse.ArgumentParser(description="Requests per second with the ledger on, beside off.")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--at-least", type=float, default=0.9, metavar="RATIO")
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        served_host.skip("no wrk here")

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        asset = scratch / "release" / "Bench.aimodel"
        asset.mkdir(parents=True)
        (asset / "small.bin").write_bytes(served_host.noise(SIZE))
        root, database = scratch / "root", scratch / "telemetry.sqlite"
        stage_release.stage(scratch / "release", root, model="Bench", version="1.0.0")
        threads = ["--threads", str(THREADS)]
        with (
            served_host.Host(root, [*threads, "--database", str(database)]) as on,
            served_host.Host(root, [*threads, "--database", "none"]) as off,
        ):
            hosts, counted, runs = {"on": on, "off": off}, 0, {"on": [], "off": []}
            for name, host in hosts.items():  # warm: the files cached, the buffers made
                requests = run_wrk(host, 1, given.connections)[0]
                counted += requests if name == "on" else 0
            for pair in range(given.pairs):
                for name in ("on", "off") if pair % 2 == 0 else ("off", "on"):
                    figures = run_wrk(hosts[name], given.seconds, given.connections)
                    counted += figures[0] if name == "on" else 0
                    runs[name].append(figures[1:])
            # wrk leaves the answers uncounted that are under way at its end.
            cut = (given.pairs + 1) * given.connections
            all_there = lambda: counted <= sum(recorded(database)) <= counted + cut
            is_whole = served_host.wait_until(all_there, 20)
            rows, lost = recorded(database)
            if is_whole and lost <= counted // 100:
                print(f"{counted} requests counted by wrk, {rows} in the ledger's rows, {lost} lost")
            else:
                print(f"FAILED: {counted} requests counted by wrk, {rows} in the ledger's rows, {lost} lost")
                return 1
            print(f"{'ledger':<7} {'requests/s':>11}   {'spread':<20} {'requests/CPU s':>14}   spread")
            for name, figures in runs.items():
                columns = []
                for column in zip(*figures):
                    columns += [statistics.median(column), f"{min(column):,.0f} to {max(column):,.0f}"]
                print(f"{name:<7} {columns[0]:>11,.0f}   {columns[1]:<20} {columns[2]:>14,.0f}   {columns[3]}")
            pairs = [[on / off for on, off in zip(*pair)] for pair in zip(runs["on"], runs["off"])]
            wall, cpu = (statistics.median(ratios) for ratios in zip(*pairs))
            print(f"{'ratio':<7} {wall:>11.3f}   {'':<20} {cpu:>14.3f}")
            print(f"resident memory: {on.memory() / (1 << 20):.1f} MiB on, {off.memory() / (1 << 20):.1f} MiB off")
    if cpu < given.at_least:
        print(f"FAILED: {cpu:.3f} of the requests per second without the ledger; {given.at_least} was asked for")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
