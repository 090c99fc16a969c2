"""For the scripts beside it: a server with a ledger, clients that count what they took, and looks at the ledger that owe
nothing to the server: SQLite's own, read-only. Standard library only.
"""

import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import socket
import sqlite3
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

VERSION = "1.0.0"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER with no time left: close sends RST
PATIENCE = 30  # seconds for what takes one or two
VIEWS = (
    "v_downloads_by_day",
    "v_version_adoption",
    "v_missing_variants",
    "v_variant_health",
    "v_bandwidth_by_hour",
    "v_resume_rate",
    "v_stuck_downloads",
)


class Asset:
    """One compiled asset, published alone, and where its bytes are to be asked for."""

    def __init__(self, scratch, root, sizes, model="Ledger", seed="ledger"):
        """sizes: of each file, by its path."""
        self.model, self.name = model, f"{model}.h18p.aimodelc"
        folder = scratch / f"release-{model}" / self.name
        self.contents = {}
        for path, size in sizes.items():
            self.contents[path] = served_host.noise(size, f"{seed} {path}")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(self.contents[path])
        self.manifest = stage_release.stage(folder.parent, root, model=model, version=VERSION)
        self.archive_size = self.manifest["assets"][0]["archive"]["size"]
        self.archive_digest = self.manifest["assets"][0]["archive"]["digest"].removeprefix("sha256:")
        self.target = f"/models/{model}/{VERSION}/{self.name}"
        self.archive_target = f"{self.target}.tar"

    @property
    def size(self):
        return sum(len(content) for content in self.contents.values())

    def target_of(self, path):
        return f"{self.target}/{path}"

    def digest_of(self, path):
        """The SHA-256 of a file as its manifest says it, in hex."""
        files = self.manifest["assets"][0]["files"]
        return next(file["digest"].removeprefix("sha256:") for file in files if file["path"] == path)

    def is_right(self, path, body):
        return hashlib.sha256(body).hexdigest() == self.digest_of(path)


class Ledger:
    """The database as a dashboard reads it."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    @contextlib.contextmanager
    def open(self):
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=10, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()

    def rows(self, sql, *values):
        with self.open() as connection:
            return connection.execute(sql, values).fetchall()

    def value(self, sql, *values):
        return self.rows(sql, *values)[0][0]

    def told(self, sql, expected, seconds=PATIENCE, *values):
        """Whether a question about a ledger that may not be there yet comes to have this answer."""

        def holds():
            try:
                return self.value(sql, *values) == expected
            except sqlite3.Error:
                return False

        return served_host.wait_until(holds, seconds)

    @property
    def requests(self):
        """Answers about files that the rows stand for."""
        return self.value("SELECT coalesce(sum(requests), 0) FROM download")

    @property
    def lost(self):
        """Answers about files that were counted as lost."""
        return self.value("SELECT coalesce(sum(count), 0) FROM dropped WHERE kind = 'download'")

    @property
    def accounted(self):
        with self.open() as connection:
            return connection.execute(
                "SELECT (SELECT coalesce(sum(requests), 0) FROM download)"
                " + (SELECT coalesce(sum(count), 0) FROM dropped WHERE kind = 'download')"
            ).fetchone()[0]

    def accounts_for(self, requests, seconds=PATIENCE):
        """Whether rows and losses come to stand for so many answers."""

        def holds():
            try:
                return self.accounted == requests
            except sqlite3.Error:
                return False

        return served_host.wait_until(holds, seconds)


class Host(served_host.Host):
    """A server whose ledger is at `database`, by default where the server puts it itself."""

    def __init__(self, root, *arguments, database=None, **options):
        path = pathlib.Path(database) if database else pathlib.Path(root) / "var/telemetry.sqlite"
        self.ledger = Ledger(path)
        more = ["--database", str(database)] if database else []
        super().__init__(root, [*more, *arguments], **options)
        self.admin = ("127.0.0.1", self.admin_port)

    def readiness(self):
        """The status of /readyz on the admin listener, and what it says."""
        answer, body = served_host.get(self.admin, "/readyz")
        return answer.status, json.loads(body)

    def metrics(self):
        """/metrics, by name with labels as they are written there."""
        answer, body = served_host.get(self.admin, "/metrics")
        if answer.status != 200:
            raise LookupError(f"/metrics: {answer.status} {body[:200]!r}")
        found = {}
        for line in body.decode().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                found[name.removeprefix("aimodel_host_")] = float(value)
        return found

    def metric(self, name, **labels):
        """The sum of a metric's series that bear these labels."""
        total, found = 0, False
        for series, value in self.metrics().items():
            bare, _, rest = series.partition("{")
            has = dict(re.findall(r'(\w+)="([^"]*)"', rest))
            if bare == name and all(has.get(label) == wanted for label, wanted in labels.items()):
                total, found = total + value, True
        if not found:
            raise LookupError(f"no metric {name} {labels}")
        return int(total)


class Client:
    """A connection that says who it is, and counts the octets of content that it took."""

    def __init__(self, address, source=None, buffer=None):
        """source: the loopback address to come from. buffer: SO_RCVBUF."""
        self.socket = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(PATIENCE)
        self.socket.connect(address)
        self.rest = b""

    @property
    def buffer(self):
        """What the kernel may take for this client before it reads: its program never sees what is there at a cut."""
        return self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)

    def send(self, path, fields=(), method="GET", body=b""):
        self.socket.sendall(served_host.request_bytes(path, method, fields) + body)

    def ask(self, path, fields=(), method="GET", body=b""):
        """Sends a request; the head of its answer."""
        self.send(path, fields, method, body)
        answer, self.rest = served_host.read_head(self.socket, self.rest)
        return answer

    def take(self, count):
        """So many octets of content, and none more than the kernel gave with them."""
        pieces, left = [], count
        while left > 0:
            data, self.rest = self.rest[:left], self.rest[left:]
            if not data:
                data = self.socket.recv(min(left, 256 << 10))
                if not data:
                    raise ConnectionError(f"the connection ended {left} octets early")
            pieces.append(data)
            left -= len(data)
        return b"".join(pieces)

    def get(self, path, fields=()):
        """The answer and its whole body; the connection stays open."""
        answer = self.ask(path, fields)
        return answer, self.take(answer.length)

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self.socket.close()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Load(served_host.Workers):
    """Downloads without end over connections that are kept, a few at a time and a pause after each; of each the SHA-256
    is held against the manifest."""

    PAUSE = 0.005

    def __init__(self, host, asset, clients=2):
        super().__init__(clients)
        self.host, self.asset, self.wrong = host, asset, []
        self.counts = [0] * clients

    def run(self, number):
        try:
            with Client(self.host.address) as client:
                for path in itertools.cycle(self.asset.contents):
                    if self.over.wait(self.PAUSE):
                        return
                    fields = [("User-Agent", f"load/{number}"), ("AIModel-Device", f"load {number}")]
                    answer, body = client.get(self.asset.target_of(path), fields)
                    self.counts[number] += 1
                    if answer.status != 200 or not self.asset.is_right(path, body):
                        self.wrong.append(f"{path}: {answer.status}, {len(body)} octets")
        except OSError as error:
            self.broken(error)

    def broken(self, error):
        """A connection broke: nobody breaks it but the server."""
        self.wrong.append(f"a download that did not end: {error}")

    @property
    def count(self):
        return sum(self.counts)


class Flood:
    """Requests for eight octets each, no two for the same ones, so that each is a row of its own; many on their way at a
    time, and what comes is held against the file.

    All positions have six digits, so that all answers have the same length.
    """

    FIRST, LENGTH, BATCH = 100_000, 8, 128

    def __init__(self, host, asset, path, agent="flood"):
        self.host, self.target, self.content = host, asset.target_of(path), asset.contents[path]
        self.at, self.count, self.wrong, self.agent = self.FIRST, 0, 0, agent

    def request(self, at):
        fields = (("Range", f"bytes={at}-{at + self.LENGTH - 1}"), ("User-Agent", self.agent))
        return served_host.request_bytes(self.target, fields=fields)

    def send(self, requests, meanwhile=lambda: None):
        """So many more; `meanwhile` is called now and then."""
        assert self.at + requests + self.LENGTH < min(10 * self.FIRST, len(self.content)), "the file is too short"
        end = self.at + requests
        with socket.create_connection(self.host.address, timeout=PATIENCE) as connection:
            connection.sendall(self.request(self.at))
            answer, body = served_host.read_head(connection)
            while len(body) < self.LENGTH:
                body += connection.recv(64)
            size = None
            self.check(answer.status, body)
            while self.at < end:
                batch = min(self.BATCH, end - self.at)
                connection.sendall(b"".join(self.request(self.at + number) for number in range(batch)))
                data = bytearray()
                while size is None or len(data) < batch * size:
                    more = connection.recv(256 << 10)
                    if not more:
                        raise ConnectionError("the server ended a connection that was kept")
                    data += more
                    if size is None and b"\r\n\r\n" in data:
                        size = data.index(b"\r\n\r\n") + 4 + self.LENGTH
                for start in range(0, batch * size, size):
                    is_part = data.startswith(b"HTTP/1.1 206 ", start)
                    self.check(206 if is_part else 0, data[start + size - self.LENGTH : start + size])
                meanwhile()

    def check(self, status, body):
        if status != 206 or body != self.content[self.at : self.at + self.LENGTH]:
            self.wrong += 1
        self.at += 1
        self.count += 1


def enter_namespace(script, *kinds):
    """Runs a script again in namespaces of its own, such as --mount, where it may do what it otherwise must not."""
    if INSIDE in sys.argv:
        return
    for options in (kinds, ("--map-root-user", *kinds)):
        with contextlib.suppress(OSError):
            if subprocess.run(["unshare", *options, "true"], capture_output=True).returncode == 0:
                os.execvp("unshare", ["unshare", *options, sys.executable, "-B", script, INSIDE])
    served_host.skip(f"needs a namespace (unshare {' '.join(kinds)}), which is not allowed here")


INSIDE = "--inside-a-namespace"
