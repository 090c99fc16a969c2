"""For test scripts in Python: a server that is surely stopped, raw HTTP over sockets, and checks that count.

The server's binary is $AIMODEL_HOST, else the release build, else the debug build. Standard library only.
"""

import os
import pathlib
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def find_host():
    """The path of the server's binary."""
    builds = REPOSITORY / ".build"
    for path in (os.environ.get("AIMODEL_HOST"), builds / "release/aimodel-host", builds / "debug/aimodel-host"):
        if path and os.access(path, os.X_OK):
            return str(path)
    sys.exit("error: no server: run make build, or set AIMODEL_HOST to its path")


def allow_descriptors(count):
    """Raises this process's limit, and so that of its servers; skips the script where that is not allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= count:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, max(count, hard)))
    except (ValueError, OSError):
        skip(f"needs ulimit -n {count}, and {hard} is the most that is allowed here")


class Host:
    """A running server. Use as a context manager: it ends with the block, and SIGTERM must end it well."""

    def __init__(self, root, arguments=(), environment=None, descriptors=None):
        """descriptors: the limit of open descriptors (ulimit -n) that the server gets, soft and hard."""
        limits = (descriptors, descriptors)
        self.errors = tempfile.TemporaryFile()
        command = [find_host(), "serve", "--root", str(root), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command + list(arguments),
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=None if environment is None else {**os.environ, **environment},
            preexec_fn=descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits)),
        )
        self.pid = self.process.pid
        ports = {}
        self.tls_ports = []
        while len(ports) < 2:
            line = self.process.stdout.readline().decode()
            if not line:
                self.process.kill()
                self.process.wait()
                sys.exit(f"error: the server did not come up\n{self.error_text()}")
            if found := re.fullmatch(r"listening http://127\.0\.0\.1:(\d+)/? \((public|admin)\)\n", line):
                ports[found[2]] = int(found[1])
            elif found := re.fullmatch(r"listening https://127\.0\.0\.1:(\d+) \(public\)\n", line):
                # They stand before the admin listener's line.
                self.tls_ports.append(int(found[1]))
        self.seconds_to_listen = time.monotonic() - self.started
        self.port, self.admin_port = ports["public"], ports["admin"]
        self.address = ("127.0.0.1", self.port)
        self.tls_address = ("127.0.0.1", self.tls_ports[0]) if self.tls_ports else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the server; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        return self.process.returncode

    def error_text(self):
        """What it has said on standard error."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def alive(self):
        return self.process.poll() is None

    def descriptors(self):
        """How many descriptors it has open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu_seconds(self):
        """User and system time of all its threads so far."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, what="VmRSS"):
        """VmRSS (resident now) or VmHWM (the most so far), in bytes."""
        with open(f"/proc/{self.pid}/status") as status:
            for line in status:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) << 10
        raise LookupError(what)


class Workers:
    """Threads that each do `run(number)`, which ends when `over` is set, from here to the end of a `with`."""

    def __init__(self, count):
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(count)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()


class Checks:
    """Counts checks; prints those that fail."""

    def __init__(self):
        self.made = self.failed = 0

    def that(self, holds, what):
        self.made += 1
        if not holds:
            self.failed += 1
            print(f"FAILED: {what}")

    def equal(self, found, expected, what):
        self.that(found == expected, f"{what}: expected {expected!r}, found {found!r}")

    def finish(self):
        """The last line of a script, and its exit status."""
        print(f"{self.made - self.failed} of {self.made} checks passed")
        return 1 if self.failed else 0


def request_bytes(path, method="GET", fields=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"] + [f"{name}: {value}" for name, value in fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Answer:
    """The head of an answer."""

    def __init__(self, head):
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.fields[name.lower()] = value.strip()

    @property
    def length(self):
        return int(self.fields.get("content-length", "0"))


def read_head(connection, buffered=b""):
    """Reads up to the end of a head; the answer, and what came of the body."""
    while b"\r\n\r\n" not in buffered:
        data = connection.recv(64 << 10)
        if not data:
            raise ConnectionError(f"the connection ended within a head: {buffered[:200]!r}")
        buffered += data
    head, body = buffered.split(b"\r\n\r\n", 1)
    return Answer(head), body


def get(address, path, fields=(), method="GET", timeout=30):
    """One request over a connection of its own; the answer and its whole body."""
    with socket.create_connection(address, timeout=timeout) as connection:
        connection.sendall(request_bytes(path, method, [*fields, ("Connection", "close")]))
        answer, body = read_head(connection)
        while data := connection.recv(1 << 20):
            body += data
        return answer, body


def wait_until(condition, seconds):
    """Whether a condition comes true within a time that is long beside what it takes."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def noise(size, seed=1):
    """Bytes without a short period, the same for the same seed."""
    return random.Random(seed).randbytes(size)
