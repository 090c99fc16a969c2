#!/usr/bin/env python3
"""/metrics after mixed traffic: promtool finds no fault in it, and every sum is what the clients have counted, exactly.

Clients on several connections at once ask for files, ranges, questions and nonsense, and count the answers, their classes
and problems, and each octet they get. Then others go in the middle of a download; what is open must return to nothing.
"""

import collections
import pathlib
import random
import re
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

CLIENTS = 8
REQUESTS = 400  # of each client
DEVICES = 20
CUT = 60
MADE_UP = 80
NAMED = 50  # architectures of one model that have a series of their own
SMALL, LARGE = 5_000, 24 << 20
BASE = "/models/Meter/1.0.0"
FILE = f"{BASE}/Meter.h18p.aimodelc/main.mlirb"
ARCHIVE = f"{BASE}/Meter.h18p.aimodelc.tar"
FILES = (FILE, ARCHIVE)
BIG = f"{BASE}/Meter.aimodel/main.mlirb"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)

# What clients ask: method, path, fields. Each answer is counted by what it says of itself.
QUESTIONS = [
    ("GET", FILE, ()),
    ("HEAD", FILE, ()),
    ("GET", FILE, (("Range", "bytes=100-299"),)),
    ("GET", FILE, (("Range", "bytes=0-9,1000-1009"),)),
    ("GET", FILE, (("Range", "bytes=900000-"),)),
    ("GET", FILE, (("If-None-Match", "*"),)),
    ("GET", FILE, (("If-Match", '"other"'),)),
    ("GET", ARCHIVE, ()),
    ("GET", f"{BASE}/manifest.json", ()),
    ("GET", "/models/Meter/latest/manifest.json", ()),
    ("GET", f"{BASE}/resolve?arch=h18p&os=27.0", ()),
    ("GET", "/models", ()),
    ("GET", "/models/Absent", ()),
    ("GET", "/models/Meter/9.9.9", ()),
    ("GET", f"{BASE}/resolve?arch=-", ()),
    ("GET", f"{BASE}/Meter.h18p.aimodelc/absent", ()),
    ("GET", "/nothing", ()),
    ("GET", "/healthz", ()),
    ("DELETE", FILE, ()),
    ("BREW", FILE, ()),
    ("OPTIONS", FILE, ()),
]


class Count:
    """What clients have seen. Each thread has its own; `+=` joins them."""

    def __init__(self):
        self.connections = self.octets = self.downloads = 0
        self.classes = collections.Counter()
        self.problems = collections.Counter()
        self.errors = []

    def __iadd__(self, other):
        self.connections += other.connections
        self.octets += other.octets
        self.downloads += other.downloads
        self.classes += other.classes
        self.problems += other.problems
        self.errors += other.errors
        return self


class Client:
    """One connection that counts what it gets."""

    def __init__(self, host, count):
        self.count = count
        self.connection = socket.create_connection(host.address, timeout=60)
        count.connections += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def ask(self, method, path, fields=()):
        # What the ledger's table of downloads is to hold: answers about a file, but not to HEAD.
        self.count.downloads += method == "GET" and path in FILES
        return self.ask_raw(served_host.request_bytes(path, method, fields), method)

    def ask_raw(self, request, method="GET"):
        self.connection.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.receive()
        head = data.index(b"\r\n\r\n")
        answer = served_host.Answer(data[:head])
        has_body = method != "HEAD" and answer.status not in (204, 304)
        left = head + 4 + (answer.length if has_body else 0) - len(data)
        while left > 0:
            left -= len(self.receive())
        self.count.classes[f"{answer.status // 100}xx"] += 1
        if problem := answer.fields.get("aimodel-problem"):
            self.count.problems[problem] += 1
        return answer

    def receive(self):
        data = self.connection.recv(256 << 10)
        if not data:
            raise ConnectionError("the server ended a connection within an answer")
        self.count.octets += len(data)
        return data


class Metrics:
    """What the server tells, and whether it tells it in order."""

    SAMPLE = re.compile(r'([a-z_]+)(\{[^ ]*\})? (\S+)')

    def __init__(self, host, checks):
        self.host, self.checks = host, checks
        self.scrapes = 0

    def read(self):
        answer, body = served_host.get(("127.0.0.1", self.host.admin_port), "/metrics")
        self.scrapes += 1
        assert answer.status == 200, answer.status
        self.text = body.decode()
        self.values = {}
        for line in self.text.splitlines():
            if not line.startswith("#"):
                name, labels, value = self.SAMPLE.fullmatch(line).groups()
                self.values[name + (labels or "")] = float(value)
        return self

    def __getitem__(self, series):
        return self.values["aimodel_host_" + series]

    def labelled(self, name, label):
        """The samples of a metric that are not 0, by the value of one label."""
        found = collections.Counter()
        for series, value in self.values.items():
            if series.startswith(f"aimodel_host_{name}{{"):
                found[re.search(rf'{label}="([^"]*)"', series)[1]] += value
        return collections.Counter({key: value for key, value in found.items() if value})

    def lint(self, what):
        found = subprocess.run(["promtool", "check", "metrics"], input=self.read().text, capture_output=True, text=True)
        self.checks.equal((found.returncode, found.stdout + found.stderr), (0, ""), f"promtool check metrics, {what}")


def in_threads(number, work):
    """Runs work(index, count) in that many threads; the sum of their counts."""
    counts = [Count() for _ in range(number)]

    def run(index):
        try:
            work(index, counts[index])
        except Exception as error:  # told by the main thread
            counts[index].errors.append(repr(error))

    threads = [threading.Thread(target=run, args=(index,)) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = Count()
    for count in counts:
        total += count
    return total


def mixed(host):
    """Clients that ask whatever there is, each anew on a connection of its own now and then."""

    def work(index, count):
        generator = random.Random(index)
        left = REQUESTS
        while left:
            with Client(host, count) as client:
                for _ in range(min(left, generator.randint(1, 60))):
                    client.ask(*generator.choice(QUESTIONS))
                    left -= 1
            # Octets that are no request: answered, and the connection ends.
            if generator.random() < 0.3:
                with Client(host, count) as client:
                    client.ask_raw(b"hello\r\n\r\n")

    return in_threads(CLIENTS, work)


def devices(host):
    """Devices that load the asset in two pieces; every second one stops after the first."""

    def work(index, count):
        fields = [("AIModel-Device", f"device-{index}")]
        with Client(host, count) as client:
            client.ask("GET", FILE, [*fields, ("Range", f"bytes=0-{SMALL // 2 - 1}")])
            if index % 2 == 0:
                client.ask("GET", FILE, [*fields, ("Range", f"bytes={SMALL // 2}-")])

    return in_threads(DEVICES, work)


def missing(host):
    """Questions for architectures that nobody has heard of, each twice."""
    count = Count()
    with Client(host, count) as client:
        for _ in range(2):
            for index in range(MADE_UP):
                client.ask("GET", f"{BASE}/resolve?arch=x{index:03}&fallback=none")
    return count


def check_public(checks, metrics, count, what):
    """Every counter of the public listener against what clients have counted."""
    sent = 'sent_bytes_total{listener="public"}'
    # A loop counts what the kernel has taken, a moment after which the client has it, or before.
    served_host.wait_until(lambda: metrics.read()[sent] >= count.octets, 20)
    checks.equal(metrics[sent], count.octets, f"{what}: octets")
    for code in ("1xx", "2xx", "3xx", "4xx", "5xx"):
        series = f'requests_total{{listener="public",code="{code}"}}'
        checks.equal(metrics[series], count.classes[code], f"{what}: answers of {code}")
    checks.equal(metrics.labelled("problems_total", "code"), count.problems, f"{what}: problems")
    accepted = count.connections + metrics.scrapes
    checks.equal(metrics["connections_accepted_total"], accepted, f"{what}: connections accepted")


def check_ledger(checks, metrics, root, count, what):
    """The ledger's counters against its rows."""
    ledger = sqlite3.connect(f"file:{root}/var/telemetry.sqlite?mode=ro", uri=True)

    def one(sql):
        return ledger.execute(sql).fetchone()

    def rows():
        tables = ("download", "version_check", "variant_miss", "device_report")
        return sum(one(f"SELECT count(*) FROM {table}")[0] for table in tables)

    def is_whole():
        """All that was asked is written, and nothing was while the metrics were read."""
        before = rows()
        metrics.read()
        return (
            one("SELECT sum(requests) FROM download")[0] == count.downloads
            and one("SELECT count(*) FROM variant_miss")[0] == 2 * MADE_UP
            and metrics["ledger_queue_rows"] == 0
            and before == rows()
        )

    checks.that(served_host.wait_until(is_whole, 30), f"{what}: it holds all that was asked")
    checks.equal(metrics["ledger_written_rows_total"], rows(), f"{what}: rows written")
    begun, completed = one("SELECT count(*), count(completed_ms) FROM transfer")
    checks.equal(metrics["transfers_begun_total"], begun, f"{what}: transfers begun")
    checks.equal(metrics["transfers_completed_total"], completed, f"{what}: transfers completed")
    begun, completed = one("SELECT count(*), count(completed_ms) FROM transfer WHERE device IS NOT NULL")
    checks.equal((begun, completed), (DEVICES, DEVICES // 2), f"{what}: transfers of devices")
    ledger.close()
    checks.equal(metrics["ledger_up"], 1, f"{what}: it can be written")
    checks.equal(metrics.labelled("ledger_dropped_total", "reason"), {}, f"{what}: nothing is lost")
    told = metrics.labelled("variant_misses_total", "architecture")
    checks.equal(len(told), NAMED + 1, f"{what}: series of what is missing")
    checks.equal(told.pop("other"), 2 * (MADE_UP - NAMED), f"{what}: those beyond the bound")
    checks.equal(set(told.values()), {2}, f"{what}: those within it")


def begin_downloads(host):
    """Connections that have seen the head of a download, and take no more of it."""
    opened = []
    for _ in range(CUT):
        connection = socket.create_connection(host.address, timeout=60)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.sendall(served_host.request_bytes(BIG))
        served_host.read_head(connection)
        opened.append(connection)
    return opened


def check_cut(checks, host, metrics):
    """Downloads whose clients go in the middle, by a reset or in order."""
    before = metrics.read()[sent := 'sent_bytes_total{listener="public"}']
    opened = begin_downloads(host)
    served_host.wait_until(lambda: metrics.read()["downloads_active"] == CUT, 20)
    checks.equal(metrics["downloads_active"], CUT, "downloads under way")
    checks.equal(metrics['connections{state="active"}'], CUT + 1, "active connections, with the collector's own")
    for index, connection in enumerate(opened):
        if index % 2 == 0:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        connection.close()
    served_host.wait_until(lambda: metrics.read()["downloads_active"] == 0, 20)
    checks.equal(metrics["downloads_active"], 0, "downloads under way when their clients are gone")
    checks.equal(metrics['connections{state="active"}'], 1, "active connections then: the collector's own")
    served_host.wait_until(lambda: metrics.read()['connections{state="idle"}'] == 0, 20)
    checks.equal(metrics['connections{state="idle"}'], 0, "idle connections then")
    grown = metrics[sent] - before
    checks.that(0 < grown < CUT * LARGE, f"octets sent of {CUT} cut downloads: {grown:.0f}")


def check_process(checks, host, metrics):
    metrics.read()
    told, open_now = metrics.values["process_open_fds"], host.descriptors()
    checks.that(abs(told - open_now) <= 3, f"descriptors: {told:.0f} told, {open_now} open")
    resident = metrics.values["process_resident_memory_bytes"]
    checks.that(0.8 < resident / host.memory() < 1.25, f"memory: {resident:.0f} told, {host.memory()} resident")
    # The kernel counts one by its tick and the other exactly.
    used, seen = metrics.values["process_cpu_seconds_total"], host.cpu_seconds()
    checks.that(abs(used - seen) < 0.5 + 0.2 * seen, f"processor time: {used} s told, {seen} s used")


def main():
    if not shutil.which("promtool"):
        served_host.skip("no promtool here (Debian: prometheus)")
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name, size in (("Meter.aimodel", LARGE), ("Meter.h18p.aimodelc", SMALL)):
            (scratch / "release" / name).mkdir(parents=True)
            (scratch / "release" / name / "main.mlirb").write_bytes(served_host.noise(size))
        root = scratch / "root"
        stage_release.stage(scratch / "release", root, model="Meter", version="1.0.0")
        with served_host.Host(root) as host:
            metrics = Metrics(host, checks)
            metrics.lint("before any request")
            checks.equal(metrics["catalog_models"], 1, "models")
            checks.equal(metrics["catalog_versions"], 1, "versions")
            checks.equal(metrics["catalog_findings"], 0, "findings")
            count = mixed(host)
            count += devices(host)
            count += missing(host)
            checks.equal(count.errors, [], "clients that failed")
            check_public(checks, metrics, count, "mixed traffic")
            check_ledger(checks, metrics, root, count, "the ledger")
            metrics.lint("after mixed traffic")
            check_cut(checks, host, metrics)
            check_process(checks, host, metrics)
            metrics.lint("after downloads that were cut")
            admin = metrics['requests_total{listener="admin",code="2xx"}']
            checks.equal(admin, metrics.scrapes - 1, "answers of the admin listener before this one")
            print(f"{sum(count.classes.values())} answers on {count.connections} connections, {count.octets} octets")
            checks.equal(host.stop(), 0, "exit status after SIGTERM")
        with served_host.Host(root, ["--database", "none"]) as host:
            metrics = Metrics(host, checks)
            metrics.lint("without a ledger")
            checks.that("ledger" not in metrics.text, "without a ledger nothing is told of one")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
