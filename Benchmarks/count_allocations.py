#!/usr/bin/env python3
"""The measuring part of allocations.sh: counts allocations over 100,000 requests of each kind.

    count_allocations.py MALLOC_COUNT.SO SCRATCH-FOLDER
"""

import pathlib
import socket
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "Support"))
import served_host
import stage_release

WARM_UP = 1_000
REQUESTS = 100_000
# Not per request: what a loop does by the clock, once a second (the Date field, deadlines, the rows that it hands to the
# ledger). One allocation in a thousand requests is far above that and far below one a request. What the ledger's thread
# does with the rows, once a second too, is told beside it.
LIMIT = 100
PATH = "/models/Count/1.0.0/Count.aimodel/main.mlirb"


def ask(connection, request, length, times):
    """Sends a request again and again; each answer has the length of the first, to the byte."""
    for _ in range(times):
        connection.sendall(request)
        left = length
        while left > 0:
            data = connection.recv(left)
            if not data:
                raise ConnectionError("the server closed a keep-alive connection")
            left -= len(data)


def first_answer(connection, request):
    """The head of an answer, and the bytes of head and body together."""
    connection.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(64 << 10)
    head = data.index(b"\r\n\r\n")
    answer = served_host.Answer(data[:head])
    bodiless = request.startswith(b"HEAD ") or answer.status == 304
    length = head + 4 + (0 if bodiless else answer.length)
    while len(data) < length:
        data += connection.recv(length - len(data))
    return answer, length


def counts(path):
    """The allocations of all threads, and of the event loops."""
    return struct.unpack("=QQ", path.read_bytes()[:16])


def main():
    library, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
    checks = served_host.Checks()
    asset = scratch / "release" / "Count.aimodel"
    asset.mkdir(parents=True)
    (asset / "main.mlirb").write_bytes(served_host.noise(1024))
    stage_release.stage(scratch / "release", scratch / "root", model="Count", version="1.0.0")
    counter = scratch / "count"
    counter.write_bytes(bytes(16))
    environment = {"LD_PRELOAD": library, "MALLOC_COUNT_FILE": str(counter)}
    with served_host.Host(scratch / "root", environment=environment) as host:
        answer, _ = served_host.get(host.address, PATH)
        checks.that(min(counts(counter)) > 0, "the counter counts: a server that answers has allocated something")
        kinds = [
            ("GET 200", served_host.request_bytes(PATH), 200),
            ("HEAD 200", served_host.request_bytes(PATH, "HEAD"), 200),
            ("GET 206", served_host.request_bytes(PATH, fields=[("Range", "bytes=100-899")]), 206),
            ("GET 304", served_host.request_bytes(PATH, fields=[("If-None-Match", answer.fields["etag"])]), 304),
        ]
        for name, request, status in kinds:
            with socket.create_connection(host.address, timeout=30) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                answer, length = first_answer(connection, request)
                checks.equal(answer.status, status, f"{name}: status")
                ask(connection, request, length, WARM_UP)
                before = counts(counter)
                ask(connection, request, length, REQUESTS)
                everywhere, allocations = (now - then for now, then in zip(counts(counter), before))
            print(f"{name}: {allocations} allocations of loops in {REQUESTS} requests, {everywhere} of all threads")
            checks.that(allocations <= LIMIT, f"{name}: {allocations} allocations, {LIMIT} are allowed")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
