#!/usr/bin/env python3
"""A server with 64 descriptors and 200 clients: downloads under way finish, nothing spins, and what waits is served."""

import pathlib
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

DESCRIPTORS = 64
DOWNLOADS = 10
CLIENTS = 200
SECONDS = 4
SIZE = 16 << 20
PATH = "/models/Few/1.0.0/Few.aimodel/main.mlirb"


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        content = served_host.noise(SIZE)
        asset = scratch / "release" / "Few.aimodel"
        asset.mkdir(parents=True)
        (asset / "main.mlirb").write_bytes(content)
        stage_release.stage(scratch / "release", scratch / "root", model="Few", version="1.0.0")
        with served_host.Host(scratch / "root", descriptors=DESCRIPTORS) as host:
            under_way = []
            for _ in range(DOWNLOADS):
                connection = socket.create_connection(host.address, timeout=60)
                connection.sendall(served_host.request_bytes(PATH))
                under_way.append((connection, *served_host.read_head(connection)))

            # More than the server can take. Those beyond wait in the kernel's queue, asked and unanswered.
            waiting = []
            for _ in range(CLIENTS):
                connection = socket.create_connection(host.address, timeout=60)
                connection.sendall(served_host.request_bytes("/healthz"))
                waiting.append(connection)

            before = host.cpu_seconds()
            time.sleep(SECONDS)
            used = host.cpu_seconds() - before
            print(f"{used / SECONDS:.1%} of a core while {CLIENTS} clients wait for {DESCRIPTORS} descriptors")
            # A listener that stays readable would take what the machine gives, a tenth of a core at least.
            checks.that(used / SECONDS < 0.03, f"{used:.2f} s of processor time in {SECONDS} s: it spins")
            checks.that(host.alive(), "the server lives")

            for connection, answer, body in under_way:
                while len(body) < SIZE and (data := connection.recv(1 << 20)):
                    body += data
                checks.equal(answer.status, 200, "a download that was under way")
                checks.that(body == content, "its bytes are right")
                connection.close()

            served = 0
            for connection in waiting:
                answer, _ = served_host.read_head(connection)
                served += answer.status == 200
                connection.close()
            checks.equal(served, CLIENTS, "clients that waited and were served in the end")
            answer, body = served_host.get(host.address, PATH)
            checks.equal((answer.status, body == content), (200, True), "a new download")
            lines = host.error_text().count("\n")
            checks.that(lines <= 10, f"the log stays short: {lines} lines")
        checks.equal(host.process.returncode, 0, "exit status")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
