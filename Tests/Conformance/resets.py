#!/usr/bin/env python3
"""1,000 clients reset their connections in the middle of a body: the server lives, and closes all it had opened."""

import pathlib
import socket
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

CONNECTIONS = 1000
AT_ONCE = 50
SIZE = 16 << 20  # more than the sockets' buffers take, so that each answer is under way when its client goes
PATH = "/models/Reset/1.0.0/Reset.aimodel/main.mlirb"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


def begin(host):
    """A connection that has seen the head and a little of the body."""
    connection = socket.create_connection(host.address, timeout=30)
    connection.sendall(served_host.request_bytes(PATH))
    answer, body = served_host.read_head(connection)
    while len(body) < 1000:
        body += connection.recv(4096)
    return connection, answer, body


def settled_descriptors(host):
    """The count once the server has noticed that the connections so far are closed: the same in 25 looks."""
    seen = []

    def settled():
        seen.append(host.descriptors())
        return len(seen) >= 25 and len(set(seen[-25:])) == 1

    served_host.wait_until(settled, 10)
    return seen[-1]


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        content = served_host.noise(SIZE)
        asset = scratch / "release" / "Reset.aimodel"
        asset.mkdir(parents=True)
        (asset / "main.mlirb").write_bytes(content)
        stage_release.stage(scratch / "release", scratch / "root", model="Reset", version="1.0.0")
        with served_host.Host(scratch / "root") as host:
            # Every loop has served the file once before descriptors are counted.
            for _ in range(64):
                served_host.get(host.address, PATH, fields=[("Range", "bytes=0-9")])
            before = settled_descriptors(host)

            for _ in range(0, CONNECTIONS, AT_ONCE):
                opened = [begin(host) for _ in range(AT_ONCE)]
                for connection, answer, body in opened:
                    checks.equal(answer.status, 200, "status")
                    checks.that(body == content[: len(body)], "the body begins as the file does")
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
                    connection.close()

            checks.that(host.alive(), f"the server lives\n{host.error_text()}")
            served_host.wait_until(lambda: host.descriptors() <= before, 20)
            after = host.descriptors()
            checks.that(after <= before, f"descriptors return: {before} before, {after} after")
            answer, body = served_host.get(host.address, PATH)
            checks.equal(answer.status, 200, "status afterwards")
            checks.that(body == content, "the whole file comes afterwards")
            checks.equal(host.stop(), 0, "exit status after SIGTERM")
            print(f"{CONNECTIONS} resets; descriptors: {before} before, {after} after")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
