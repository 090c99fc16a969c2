#!/usr/bin/env python3
"""10,000 idle keep-alive connections and 2,000 downloads of one file at once, with 20,000 descriptors.

Every download gets the right bytes, every idle connection still answers at the end, and the server's resident memory
stays under 60 MiB at its highest.
"""

import contextlib
import pathlib
import selectors
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

IDLE = 10_000
DOWNLOADS = 2_000
DESCRIPTORS = 20_000
IDLE_SECONDS = 55  # the server ends a connection that is idle for 60
MEMORY_LIMIT = 60 << 20
# Beyond what the sockets' buffers of one connection hold, so that all downloads really are under way together.
BIG = 2 << 20
RECEIVE_BUFFER = 64 << 10
SMALL_PATH = "/models/Many/1.0.0/Many.aimodel/metadata.json"
BIG_PATH = "/models/Many/1.0.0/Many.aimodel/main.mlirb"
IP_BIND_ADDRESS_NO_PORT = 24  # the port is chosen at connect, for the pair of addresses: no shortage of ports


def connect(host, number):
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    connection.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    connection.bind((f"127.0.0.{2 + number % 8}", 0))
    connection.settimeout(60)
    connection.connect(host.address)
    return connection


def ask(connection, expected, checks):
    """One small request over a connection that stays open."""
    connection.sendall(served_host.request_bytes(SMALL_PATH))
    answer, body = served_host.read_head(connection)
    while len(body) < answer.length:
        body += connection.recv(64 << 10)
    checks.that(answer.status == 200 and body == expected, f"an idle connection's answer ({answer.status})")


class Download:
    """One download whose bytes are compared as they come."""

    def __init__(self, connection, content):
        self.connection, self.content, self.head, self.received, self.right = connection, content, b"", 0, True

    def readable(self):
        """Takes what is there; True when the download has ended, well or not."""
        data = self.connection.recv(256 << 10)
        if not data:
            self.right = False
            return True
        if self.head is not None:
            self.head += data
            if b"\r\n\r\n" not in self.head:
                return False
            head, data = self.head.split(b"\r\n\r\n", 1)
            answer, self.head = served_host.Answer(head), None
            self.right = answer.status == 200 and answer.length == len(self.content)
        self.right = self.right and data == self.content[self.received : self.received + len(data)]
        self.received += len(data)
        return not self.right or self.received >= len(self.content)


def download_all(host, content, checks):
    """Begins all downloads before a byte of any is read; the server's memory when all are under way."""
    content = memoryview(content)
    with contextlib.ExitStack() as opened, selectors.DefaultSelector() as selector:
        downloads = []
        for number in range(DOWNLOADS):
            connection = opened.enter_context(connect(host, number))
            connection.sendall(served_host.request_bytes(BIG_PATH))
            downloads.append(Download(connection, content))
        memory = host.memory()
        for download in downloads:
            download.connection.setblocking(False)
            selector.register(download.connection, selectors.EVENT_READ, download)
        while selector.get_map():
            ready = selector.select(timeout=60)
            if not ready:
                break  # a minute without a byte: what is left counts as failed below
            for key, _ in ready:
                if key.data.readable():
                    selector.unregister(key.fileobj)
        for download in downloads:
            checks.that(
                download.right and download.received == len(content),
                f"a download of {len(content)} bytes: {download.received} came, right so far: {download.right}",
            )
    return memory


def main():
    served_host.allow_descriptors(DESCRIPTORS)
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as opened:
        scratch = pathlib.Path(scratch)
        small, content = b'{"assetVersion":"2.0"}', served_host.noise(BIG)
        asset = scratch / "release" / "Many.aimodel"
        asset.mkdir(parents=True)
        (asset / "metadata.json").write_bytes(small)
        (asset / "main.mlirb").write_bytes(content)
        stage_release.stage(scratch / "release", scratch / "root", model="Many", version="1.0.0")

        with served_host.Host(scratch / "root") as host:
            at_start = host.memory()
            quiet_since = time.monotonic()
            idle = []
            for number in range(IDLE):
                connection = opened.enter_context(connect(host, number))
                ask(connection, small, checks)
                idle.append(connection)
            with_idle = host.memory()
            downloading = download_all(host, content, checks)
            if time.monotonic() - quiet_since < IDLE_SECONDS:
                for connection in idle:
                    ask(connection, small, checks)
            else:
                print(f"not asked again: on this machine the rest took longer than the {IDLE_SECONDS} s of idleness")
            highest = host.memory("VmHWM")
            checks.that(host.alive(), f"the server lives\n{host.error_text()}")
            checks.that(
                highest < MEMORY_LIMIT,
                f"resident memory stays under {MEMORY_LIMIT >> 20} MiB: it reached {highest / (1 << 20):.1f}",
            )
            print(
                f"resident MiB: {at_start / (1 << 20):.1f} at start, {with_idle / (1 << 20):.1f} with {IDLE} idle, "
                f"{downloading / (1 << 20):.1f} with {DOWNLOADS} downloads under way, {highest / (1 << 20):.1f} at most"
            )
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
