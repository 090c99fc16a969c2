#!/usr/bin/env python3
"""POST /reports as anyone may send it: what is acknowledged is in the file, no more than is allowed gets in, and nothing
that is sent there keeps a download back.

Clients come from addresses of their own (127.0.x.y). Counts are exact: reports accepted by answers are rows of
`device_report`, before and after the server ends. Times are printed and held to nothing.
"""

import json
import pathlib
import random
import socket
import sqlite3
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

MODEL, VERSION, PORTABLE, COMPILED = "Rep", "1.0.0", "Rep.aimodel", "Rep.h18p.aimodelc"
BURST, ITEMS, BODY = 120, 100, 64 << 10  # from one address at once; in one request; octets of a body
ALL_BURST, ALL_PER_SECOND = 5_000, 500
WEIGHTS = served_host.noise(8 << 20)
JSON = ("Content-Type", "application/json")


def report(**members):
    whole = {"model": MODEL, "version": VERSION, "asset": COMPILED, "architecture": "h18p", "outcome": "loaded"}
    return {**whole, **members}


class Client:
    """A kept connection from an address of its own."""

    def __init__(self, host, source):
        self.connection = socket.create_connection(host.address, timeout=60, source_address=(source, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def post(self, body, fields=(JSON,)):
        """The answer and its document."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        fields = [*fields, ("Content-Length", str(len(body)))]
        self.connection.sendall(served_host.request_bytes("/reports", "POST", fields) + body)
        answer, content = served_host.read_head(self.connection)
        while len(content) < answer.length:
            data = self.connection.recv(64 << 10)
            if not data:
                raise ConnectionError("the connection ended within an answer")
            content += data
        return answer, json.loads(content)


def post(host, body, source="127.0.0.1", fields=(JSON,)):
    with Client(host, source) as client:
        return client.post(body, fields)


def rows(ledger, where="1"):
    database = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True, timeout=60)
    try:
        return database.execute(f"SELECT count(*) FROM device_report WHERE {where}").fetchone()[0]
    finally:
        database.close()


def await_rows(checks, ledger, expected, what, where="1"):
    started = time.monotonic()
    served_host.wait_until(lambda: rows(ledger, where) >= expected, 60)
    checks.equal(rows(ledger, where), expected, what)
    return time.monotonic() - started


def check_written(checks, host, ledger):
    """Reports of one request, good ones and others."""
    items = [report(device=f"d{number}", errorCode=-number, outcome="load-failed") for number in range(ITEMS - 3)]
    items += [report(model="Other"), report(architecture="h16p"), {**report(), "coldLoadMilliseconds": -1}]
    answer, document = post(host, items, "127.0.1.1")
    checks.equal((answer.status, document["accepted"]), (202, ITEMS - 3), "a request of a hundred reports")
    refused = [(each["index"], each["reason"], each["member"]) for each in document["refused"]]
    expected = [(97, "unknown-model", "model"), (98, "other-architecture", "architecture")]
    expected += [(99, "out-of-range", "coldLoadMilliseconds")]
    checks.equal(refused, expected, "those of it that are refused")
    seconds = await_rows(checks, ledger, ITEMS - 3, "the rows of those accepted")
    print(f"acknowledged reports were in the file after {seconds * 1000:.0f} ms")
    checks.equal(rows(ledger, "error_code = -7 AND device = 'd7' AND outcome = 'load-failed'"), 1, "one row by what it says")
    return ITEMS - 3


def check_limits(checks, host):
    """Clients from several addresses at once: each gets its burst, whoever else there is."""
    accepted, waits = [0] * 8, [None] * 8

    def send(index):
        with Client(host, f"127.0.2.{index + 1}") as client:
            for _ in range(BURST // 20 + 2):
                answer, document = client.post([report()] * 20)
                if answer.status == 202:
                    accepted[index] += document["accepted"]
                elif answer.status == 429:
                    waits[index] = int(answer.fields["retry-after"])

    threads = [threading.Thread(target=send, args=(index,)) for index in range(len(accepted))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    checks.equal(accepted, [BURST] * len(accepted), "what is accepted of each address's first")
    checks.that(all(wait and 1 <= wait <= 20 for wait in waits), f"each is told when to come again: {waits}")
    return sum(accepted)


def check_flood(checks, host):
    """Ever new addresses, broken bodies among them, beside a download."""
    accepted, statuses, lock = [0], {}, threading.Lock()
    started = time.monotonic()
    source = random.Random(4)
    good = json.dumps([report()] * ITEMS).encode()
    memory = host.memory()

    def goes_on():
        """Four seconds, and on a slow machine until more came in than is taken."""
        seconds = time.monotonic() - started
        return seconds < 4 or (429 not in statuses and seconds < 60)

    def mangled():
        body = bytearray(good[: source.randrange(len(good))])
        for _ in range(source.randrange(1, 4)):
            if body:
                body[source.randrange(len(body))] = source.randrange(256)
        return bytes(body)

    hostile = [b"[" * BODY, b'{"a":' * (BODY // 5), b'"' + b"\\" * (BODY - 2) + b'"', b"9" * BODY, b"\xff" * BODY]

    def send(first):
        number = 0
        while goes_on():
            number += 1
            address = f"127.{first}.{number >> 8 & 255}.{number & 255}"
            with lock:
                body = good if number % 2 else source.choice(hostile) if number % 4 else mangled()
            answer, document = post(host, body, address)
            with lock:
                statuses[answer.status] = statuses.get(answer.status, 0) + 1
                if answer.status == 202:
                    accepted[0] += document["accepted"]

    threads = [threading.Thread(target=send, args=(10 + index,)) for index in range(3)]
    for thread in threads:
        thread.start()
    downloads = 0
    while goes_on():
        answer, content = served_host.get(host.address, f"/models/{MODEL}/{VERSION}/{PORTABLE}/main.mlirb")
        checks.equal((answer.status, content == WEIGHTS), (200, True), "a download during the flood")
        downloads += 1
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - started
    print(f"{seconds:.1f} s of flood: answers {statuses}, {accepted[0]} reports accepted, {downloads} downloads")
    checks.that(set(statuses) <= {202, 400, 429, 503}, f"the statuses: {statuses}")
    bound = ALL_BURST + ALL_PER_SECOND * (seconds + 1)
    checks.that(accepted[0] <= bound, f"{accepted[0]} accepted of all, and at most {bound:.0f} may be")
    checks.that(statuses.get(429, 0) > 0, "the limit of all was met")
    grown = host.memory() - memory
    print(f"memory grew by {grown >> 10} KiB")
    checks.that(grown < 64 << 20, f"memory grew by {grown} octets")
    return accepted[0]


def check_off(checks, root, folder):
    ledgers = {path for path in folder.rglob("*.sqlite")}
    with served_host.Host(root, ["--database", "none"]) as host:
        answer, document = post(host, report())
        checks.equal((answer.status, document["type"]), (404, "/problems/unknown-resource"), "without a ledger")
        checks.equal(host.stop(), 0, "the exit status of a server without a ledger")
    checks.equal({path for path in folder.rglob("*.sqlite")}, ledgers, "databases after a server without one")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        release, root = scratch / "release", scratch / "root"
        for name, content in ((PORTABLE, WEIGHTS), (COMPILED, b"compiled")):
            (release / name).mkdir(parents=True)
            (release / name / "main.mlirb").write_bytes(content)
        stage_release.stage(release, root, model=MODEL, version=VERSION)
        check_off(checks, root, scratch)
        ledger = scratch / "ledger.sqlite"
        with served_host.Host(root, ["--database", str(ledger)]) as host:
            # The file is made while the server already answers.
            checks.that(served_host.wait_until(lambda: post(host, [])[0].status == 400, 60), "reports are taken")
            sent = check_written(checks, host, ledger)
            sent += check_limits(checks, host)
            await_rows(checks, ledger, sent, "the rows of all addresses")
            sent += check_flood(checks, host)
            await_rows(checks, ledger, sent, "the rows after the flood")
            checks.that(host.alive(), "the server runs on")
            checks.equal(host.stop(), 0, "the server's exit status")
        checks.equal(rows(ledger), sent, "the rows after the server's end")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
