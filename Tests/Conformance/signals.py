#!/usr/bin/env python3
"""Signals, and the descriptors that a server is started with: nothing of them cuts a download or reaches a client."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

SIZE = 32 << 20
PATH = "/models/Sig/1.0.0/Sig.aimodel/main.mlirb"


def slow_download(host, content, between):
    """Downloads in pieces with `between()` called after the first; whether every byte is right."""
    with socket.create_connection(host.address, timeout=60) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.sendall(served_host.request_bytes(PATH, fields=[("Connection", "close")]))
        answer, body = served_host.read_head(connection)
        pieces = [body]
        between()
        while data := connection.recv(1 << 20):
            pieces.append(data)
        return answer.status == 200 and b"".join(pieces) == content


def check_signals(checks, root, content):
    with served_host.Host(root) as host:
        checks.that(
            slow_download(host, content, lambda: [host.process.send_signal(signal.SIGHUP) for _ in range(20)]),
            "a download while the store is looked at anew",
        )

        def stop():
            host.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            host.process.send_signal(signal.SIGHUP)

        checks.that(slow_download(host, content, stop), "a download during SIGTERM, then SIGHUP")
        checks.equal(host.process.wait(timeout=60), 0, "exit status")


def check_full_log(checks, root):
    """Standard error is a pipe that nobody empties, and each request has something to say there."""
    reading, writing = os.pipe()
    command = [served_host.find_host(), "serve", "--root", str(root), "--listen", "127.0.0.1:0", "--admin", "none"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=writing)
    os.close(writing)
    try:
        line = process.stdout.readline().decode()
        address = ("127.0.0.1", int(re.search(r":(\d+)", line)[1]))
        for number in range(3000):
            # Each is another file of the manifest that is not there.
            answer, _ = served_host.get(address, f"/models/Sig/1.0.0/gone-{number:04}.bin")
            if answer.status != 503:
                checks.that(False, f"a missing file: {answer.status}")
        answer, _ = served_host.get(address, "/models/Sig/1.0.0/manifest.json")
        checks.equal(answer.status, 200, "an answer while the log is stuck")
    finally:
        process.send_signal(signal.SIGTERM)
        os.close(reading)
        checks.equal(process.wait(timeout=60), 0, "exit status with a stuck log")
        process.stdout.close()


def check_closed_descriptors(checks, root):
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/socket"
        command = [served_host.find_host(), "serve", "--root", str(root), "--listen", f"unix:{path}", "--admin", "none"]
        process = subprocess.Popen(["bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash", *command])
        try:
            checks.that(served_host.wait_until(lambda: os.path.exists(path), 60), "it listens")
            time.sleep(0.2)
            for number in range(3):
                checks.equal(os.readlink(f"/proc/{process.pid}/fd/{number}"), "/dev/null", f"descriptor {number}")
        finally:
            process.send_signal(signal.SIGTERM)
            checks.equal(process.wait(timeout=60), 0, "exit status without standard descriptors")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        content = served_host.noise(SIZE)
        asset = scratch / "release" / "Sig.aimodel"
        asset.mkdir(parents=True)
        (asset / "main.mlirb").write_bytes(content)
        for number in range(3000):
            (scratch / "release" / f"gone-{number:04}.bin").write_bytes(b"here")
        root = scratch / "root"
        stage_release.stage(scratch / "release", root, model="Sig", version="1.0.0")
        for path in (root / "Public/models/Sig/1.0.0").glob("gone-*"):
            path.unlink()
        check_signals(checks, root, content)
        check_full_log(checks, root)
        check_closed_descriptors(checks, root)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
