#!/usr/bin/env python3
"""Answers over TLS: the same octets as over plain connections, whatever the client's pace; and how connections end."""

import hashlib
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release
import tls_peer

BASE = "/models/Tls/1.0.0"
SMALL, BIG, CUT = f"{BASE}/small.txt", f"{BASE}/big.bin", f"{BASE}/cut.bin"
BIG_SIZE = 5_000_000
APPLICATION_DATA = 23


def fields_of(answer):
    return {name: value for name, value in answer.fields.items() if name != "date"}


def check_same(checks, host, authority):
    """One connection with TLS, one without, the same requests."""
    rows = [
        ("GET", SMALL, []), ("HEAD", SMALL, []), ("GET", BIG, []), ("HEAD", BIG, []), ("GET", f"{BASE}/empty.txt", []),
        ("GET", BIG, [("Range", "bytes=0-0")]), ("GET", BIG, [("Range", "bytes=-1")]),
        ("GET", BIG, [("Range", "bytes=16000-48000")]), ("GET", BIG, [("Range", "bytes=4999999-")]),
        ("GET", BIG, [("Range", "bytes=0-9,100-199,20000-70000")]), ("GET", BIG, [("Range", "bytes=9999999-")]),
        ("GET", f"{BASE}/Tls.aimodel.tar", []), ("GET", f"{BASE}/Tls.aimodel.tar", [("Range", "bytes=100-3000")]),
        ("GET", "/models", []), ("GET", f"{BASE}/manifest.json", []), ("GET", f"{BASE}/", [("Accept", "text/html")]),
        ("GET", f"{BASE}/no-such-file", []), ("POST", SMALL, [("Content-Length", "0")]), ("OPTIONS", SMALL, []),
    ]  # fmt: skip
    for version in (2, 3):
        with tls_peer.Connection(host.tls_address, authority.client_context(version)).handshake() as connection:
            for method, path, fields in rows:
                plain, plain_body = served_host.get(host.address, path, fields, method)
                secure, secure_body = connection.get(path, fields, method)
                plain.fields.pop("connection", None)
                what = f"1.{version}: {method} {path} {fields}"
                checks.equal(secure.status, plain.status, f"{what}: status")
                checks.equal(fields_of(secure), fields_of(plain), f"{what}: fields")
                checks.that(secure_body == plain_body, f"{what}: {len(secure_body)} of {len(plain_body)} octets")
            etag = connection.get(SMALL, method="HEAD")[0].fields["etag"]
            checks.equal(connection.get(SMALL, [("If-None-Match", etag)])[0].status, 304, f"1.{version}: If-None-Match")


def check_paces(checks, host, authority, content):
    digest = hashlib.sha256(content).hexdigest()
    for version in (2, 3):
        context = authority.client_context(version)
        for buffer, size in ((None, 1 << 16), (2048, 1 << 16), (2048, 777), (None, 5001)):
            with tls_peer.Connection(host.tls_address, context, receive_buffer=buffer).handshake() as connection:
                connection.receive_size = size
                answer, body = connection.get(BIG)
                checks.equal(hashlib.sha256(body).hexdigest(), digest, f"1.{version}: buffer {buffer}, reads of {size}")
                checks.that(max(connection.records.lengths) <= 16384 + 256, "no record is too long")
                checks.equal(connection.get(SMALL)[0].status, 200, "and one more request")


def check_records(checks, host, authority):
    """A small answer is one record (of TLS 1.2, where kinds can be seen)."""
    with tls_peer.Connection(host.tls_address, authority.client_context(2)).handshake() as connection:
        for path in (SMALL, "/models", f"{BASE}/no-such-file"):
            connection.records.kinds.clear()
            connection.get(path)
            checks.equal(connection.records.kinds, [APPLICATION_DATA], f"records of {path}")


def check_kept(checks, host, authority):
    for version in (2, 3):
        with tls_peer.Connection(host.tls_address, authority.client_context(version)).handshake() as connection:
            right = 0
            for number in range(1000):
                answer, body = connection.get((SMALL, f"{BASE}/manifest.json", "/models/none")[number % 3])
                right += answer.status == (200, 200, 404)[number % 3] and len(body) == answer.length
            checks.equal(right, 1000, f"1.{version}: requests of one connection")


def check_pipelining(checks, host, authority, content):
    tiny = tls_peer.Connection(host.tls_address, authority.client_context(), receive_buffer=4096)
    with tiny.handshake() as connection:
        paths = [SMALL, BIG, "/models/none", f"{BASE}/empty.txt"] * 25
        connection.send(b"".join(map(served_host.request_bytes, paths)))
        rest, right = b"", 0
        for path in paths:
            answer, body, rest = connection.read_answer(rest)
            expected = {SMALL: b"small\n", BIG: content, f"{BASE}/empty.txt": b""}.get(path)
            right += answer.status == 404 if expected is None else body == expected
        checks.equal(right, 100, "answers to 100 requests sent at once")
    with tls_peer.Connection(host.tls_address, authority.client_context()).handshake() as connection:
        for octet in served_host.request_bytes(SMALL):
            connection.send(bytes([octet]))
        checks.equal(connection.read_answer()[1], b"small\n", "a head of one record for each octet")
    with tls_peer.Connection(host.tls_address, authority.client_context()).handshake() as connection:
        # More than the server reads at once, in records of the largest size.
        connection.send(served_host.request_bytes(SMALL, fields=[("X-Fill", "x" * 1000)]) * 60)
        rest, right = b"", 0
        for _ in range(60):
            answer, body, rest = connection.read_answer(rest)
            right += body == b"small\n"
        checks.equal(right, 60, "answers to 60 long heads sent at once")


def check_ends(checks, host, authority, content):
    """close_notify (alert 21) stands before the end of TCP wherever the connection ends in order, and only there."""
    for version in (2, 3):
        context = authority.client_context(version)

        def connect(**options):
            return tls_peer.Connection(host.tls_address, context, **options).handshake()

        def ends_well(connection, what, contains=b""):
            received, how = connection.end()
            checks.equal(how, "close_notify", f"1.{version}: {what}")
            checks.that(contains in received, f"1.{version}: {what}: {received[:60]!r}")
            if version == 2:
                checks.equal(connection.records.kinds[-1], tls_peer.ALERT, f"{what}: the last record")
            return received

        with connect() as connection:
            connection.send(served_host.request_bytes(SMALL, fields=[("Connection", "close")]))
            ends_well(connection, "Connection: close", b"small\n")
        with connect() as connection:
            connection.send(f"GET {SMALL} HTTP/1.0\r\n\r\n".encode())
            ends_well(connection, "HTTP/1.0", b"small\n")
        with connect() as connection:
            connection.send(b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n" + b"x" * 100_000)
            ends_well(connection, "a request that is malformed, with more behind it", b" 400 ")
        with connect() as connection:
            connection.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n123")
            connection.send_close_notify()
            ends_well(connection, "a body that ends early", b" 400 ")
        with connect() as connection:
            connection.get(SMALL)
            connection.send_close_notify()
            ends_well(connection, "the reply to a close_notify")
        with connect() as connection:
            connection.send(served_host.request_bytes(SMALL)[:-9])
            connection.send_close_notify()
            ends_well(connection, "close_notify within a head")
        for buffer in (None, 2048):
            with connect(receive_buffer=buffer) as connection:
                connection.send(served_host.request_bytes(BIG, fields=[("Connection", "close")]))
                connection.send_close_notify()
                received = ends_well(connection, "close_notify before the answer was read")
                checks.that(received.endswith(content), f"1.{version}: and it is whole, buffer {buffer}")
        with connect() as connection:
            connection.send(served_host.request_bytes(SMALL))
            connection.socket.shutdown(socket.SHUT_WR)
            ends_well(connection, "TCP ended by the client", b"small\n")


def check_cut(checks, host, root, authority):
    """A file that becomes shorter while it is sent: the answer is cut, and says so by the missing close_notify."""
    path = root / "Public" / CUT[1:]
    for version in (2, 3):
        whole = served_host.noise(BIG_SIZE * 4, seed=3)
        path.chmod(0o644)
        path.write_bytes(whole)
        os.utime(path, ns=(TIME, TIME))
        context = authority.client_context(version)
        with tls_peer.Connection(host.tls_address, context, receive_buffer=2048).handshake() as connection:
            connection.send(served_host.request_bytes(CUT))
            begin = connection.read()
            os.truncate(path, BIG_SIZE * 3)
            received, how = connection.end()
            head, body = (begin + received).split(b"\r\n\r\n", 1)
            checks.equal(served_host.Answer(head).status, 200, "the answer that is to be cut")
            checks.that(how in ("cut", "reset"), f"1.{version}: how it ends: {how}")
            checks.that(whole.startswith(body) and len(body) <= BIG_SIZE * 3, f"1.{version}: nothing wrong was sent")


def check_drain(checks, root, options, authority):
    for version in (2, 3):
        with served_host.Host(root, options) as host:
            context = authority.client_context(version)
            idle = tls_peer.Connection(host.tls_address, context).handshake()
            idle.get(SMALL)
            fresh = tls_peer.Connection(host.tls_address, context).handshake()
            busy = tls_peer.Connection(host.tls_address, context, receive_buffer=4096).handshake()
            busy.send(served_host.request_bytes(BIG))
            begin = busy.read()
            half = socket.create_connection(host.tls_address)
            half.sendall(bytes.fromhex("1603010200"))
            host.process.send_signal(signal.SIGTERM)
            for name, connection in (("an idle connection", idle), ("one without a request", fresh)):
                received, how = connection.end()
                checks.equal((received, how), (b"", "close_notify"), f"1.{version}: a stop and {name}")
            received, how = busy.end()
            checks.equal(how, "close_notify", f"1.{version}: a stop and a download")
            checks.equal(len(begin + received) - (begin + received).index(b"\r\n\r\n") - 4, BIG_SIZE, "the download")
            checks.equal(host.process.wait(timeout=60), 0, "exit status")
            for connection in (idle, fresh, busy):
                connection.socket.close()
            half.close()


def check_ledger(checks, host, root):
    """Downloads over TLS are told from others."""
    path = root / "var" / "telemetry.sqlite"

    def kinds():
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            return {row[0] for row in database.execute("SELECT DISTINCT tls FROM download")}

    checks.that(served_host.wait_until(lambda: kinds() == {0, 1}, 30), f"the ledger's column tls: {kinds()}")


def check_clients(checks, host, authority, scratch, content):
    url = f"https://localhost:{host.tls_ports[0]}{BIG}"
    target = scratch / "fetched"
    commands = {
        "curl": ["curl", "-sS", "--fail", "--cacert", authority.certificate, "-o", target, url],
        "wget": ["wget", "-q", f"--ca-certificate={authority.certificate}", "-O", target, url],
    }
    for name, command in commands.items():
        if not shutil.which(name):
            print(f"no {name} here: not checked")
            continue
        target.unlink(missing_ok=True)
        done = subprocess.run(list(map(str, command)), timeout=120, capture_output=True)
        checks.equal(done.returncode, 0, f"{name}: {done.stderr[-200:]!r}")
        checks.that(target.exists() and target.read_bytes() == content, f"{name}: what was fetched")
        if name == "curl":
            target.write_bytes(content[:1_234_567])
            done = subprocess.run(list(map(str, [*command[:-1], "-C", "-", url])), timeout=120, capture_output=True)
            checks.that(done.returncode == 0 and target.read_bytes() == content, "curl resumes")


TIME = 1_700_000_000_000_000_000


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        authority = tls_peer.Authority(scratch)
        certificate, key = authority.issue("server")
        content = served_host.noise(BIG_SIZE, seed=2)
        release = scratch / "release"
        (release / "Tls.aimodel").mkdir(parents=True)
        (release / "Tls.aimodel" / "main.mlirb").write_bytes(served_host.noise(50_000))
        (release / "small.txt").write_bytes(b"small\n")
        (release / "empty.txt").write_bytes(b"")
        (release / "big.bin").write_bytes(content)
        (release / "cut.bin").write_bytes(served_host.noise(BIG_SIZE * 4, seed=3))
        root = scratch / "root"
        stage_release.stage(release, root, model="Tls", version="1.0.0")
        options = ["--tls-listen", "127.0.0.1:0", "--tls-cert", str(certificate), "--tls-key", str(key)]
        with served_host.Host(root, [*options, "--threads", "2"]) as host:
            check_same(checks, host, authority)
            check_paces(checks, host, authority, content)
            check_records(checks, host, authority)
            check_kept(checks, host, authority)
            check_pipelining(checks, host, authority, content)
            check_ends(checks, host, authority, content)
            check_clients(checks, host, authority, scratch, content)
            check_ledger(checks, host, root)
            check_cut(checks, host, root, authority)
            checks.that(host.alive(), "the server lives")
            checks.equal(host.stop(), 0, "exit status")
        check_drain(checks, root, options, authority)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
