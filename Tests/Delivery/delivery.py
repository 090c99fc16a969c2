"""For the scripts beside it: `fetch` as a user runs it, a look at the library that owes nothing to it, and a proxy that
counts and limits what passes. Standard library only.
"""

import hashlib
import json
import os
import pathlib
import re
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Publishing"))
import store_commands
from store_commands import served_host
import cutting_proxy
import release_folder

ARCHITECTURE = "h18p"


def for_device(release, architecture=ARCHITECTURE):
    """What a device of this architecture should have: (size, SHA-256) by path, of its own tree and of what all share."""
    own = f"{release.base}.{architecture}.aimodelc/"
    other = re.compile(r"[^/]+\.aimodelc?/")
    return {path: facts for path, facts in release.files.items() if path.startswith(own) or not other.match(path)}


def to_transfer(wanted, *held):
    """Octets that must come over the network: each content once, without those that an installed version holds."""
    here = {digest for files in held for _, digest in files.values()}
    return sum({digest: size for size, digest in wanted.values() if digest not in here}.values())


def file_digest(path):
    with open(path, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


class Library:
    """A folder of installed models, and what an outsider sees of one model in it."""

    def __init__(self, folder, model):
        self.folder, self.model = pathlib.Path(folder), model
        self.models, self.hidden = self.folder / model, self.folder / ".delivery"
        self.staging = self.hidden / "staging" / model

    def arguments(self, port, *more):
        url = f"http://127.0.0.1:{port}/models/{self.model}"
        return ["fetch", url, "--arch", ARCHITECTURE, "--into", self.folder, *more]

    def fetch(self, port, *more, **options):
        return store_commands.run(*self.arguments(port, *more), **options)

    def start(self, port, *more, **options):
        return store_commands.start(*self.arguments(port, *more), **options)

    def tree(self, version):
        return self.models / version

    def current(self):
        """The version that the pointer leads to, or None."""
        pointer = self.models / "current.json"
        return json.loads(pointer.read_bytes())["current"] if pointer.exists() else None

    def is_recorded(self, version):
        return (self.models / f"{version}~installed.json").exists()

    def unfinished(self):
        """Octets of what was begun and is not installed."""
        return sum(path.stat().st_size for path in self.staging.glob("*") if path.is_file())

    def damage(self, version, expected):
        """How the installed tree differs from what was published; every octet is read. Empty if it does not."""
        tree, found = self.tree(version), {}
        for here, _, names in os.walk(tree):
            for name in names:
                path = pathlib.Path(here, name)
                found[str(path.relative_to(tree))] = (path.stat().st_size, file_digest(path))
        paths = sorted(path for path in {*found, *expected} if found.get(path) != expected.get(path))
        return [f"{path}: expected {expected.get(path)}, found {found.get(path)}" for path in paths[:5]]


def check_installed(checks, library, version, expected, what):
    """The version is there, whole, recorded and current, and nothing is left of its making."""
    checks.equal(library.damage(version, expected), [], f"{what}: the files of {version}")
    checks.that(library.is_recorded(version), f"{what}: {version} is recorded")
    checks.equal(library.current(), version, f"{what}: the pointer")
    checks.equal(library.unfinished(), 0, f"{what}: octets that are left in staging")
    left = sorted(path.name for path in library.hidden.glob("trash/*"))
    checks.equal(left, [], f"{what}: what is left in the trash")


def check_succeeded(checks, library, version, done, what):
    """Exit 0, the path as the last and only line on standard output, and no error."""
    checks.equal(done.status, 0, f"{what}: exit status\n{done}")
    checks.equal(done.output, f"{library.tree(version)}\n", f"{what}: standard output\n{done}")
    checks.that("error" not in done.errors, f"{what}: standard error\n{done}")


class Rate:
    """Lets so many octets a second pass, over all connections."""

    def __init__(self, octets_a_second):
        self.rate, self.next, self.lock = octets_a_second, 0.0, threading.Lock()

    def wait_for(self, octets):
        with self.lock:
            now = time.monotonic()
            self.next = max(self.next, now) + octets / self.rate
            wait = self.next - now
        time.sleep(wait)


class Proxy:
    """Passes connections on to a server of this host, counts the octets of the answers, and keeps the requests.

    octets_a_second: no more than that reach the clients, who read them at once, so hardly any are on their way when one
    is killed. Its buffer towards the client is small for the same reason.
    """

    BUFFER = 32 << 10

    def __init__(self, server_port, octets_a_second=None):
        self.server = ("127.0.0.1", server_port)
        self.rate = octets_a_second and Rate(octets_a_second)
        self.passed, self.lines, self.lock = 0, [], threading.Lock()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.BUFFER)  # those it accepts have it too
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.server)
            watch = cutting_proxy.RequestWatch(self)
            threading.Thread(target=cutting_proxy.forward_requests, args=(client, server, watch), daemon=True).start()
            threading.Thread(target=self.forward_answers, args=(server, client), daemon=True).start()

    def write(self, line):
        """What RequestWatch tells of each request: its method, target and range."""
        with self.lock:
            self.lines.append(line.split(" ")[1:])

    def forward_answers(self, server, client):
        try:
            while data := server.recv(self.BUFFER // 2):
                if self.rate:
                    self.rate.wait_for(len(data))
                client.sendall(data)
                with self.lock:
                    self.passed += len(data)
        except OSError:
            pass  # the client went away by itself
        finally:
            for side in (client, server):
                try:
                    side.shutdown(socket.SHUT_RD)  # wakes the thread of the other direction
                except OSError:
                    pass
                side.close()

    def clear(self):
        """Forgets what has passed; for between two runs."""
        with self.lock:
            self.passed, self.lines = 0, []

    def requested(self):
        """(target, range) of each request for a file of a release."""
        with self.lock:
            files = [(target, span) for _, target, span in self.lines]
        return [each for each in files if not re.search(r"/(resolve|manifest\.json)(\?|$)", each[0])]

    def await_passed(self, octets, process):
        """Waits until so many octets have passed, or the process has ended; whether they have."""
        served_host.wait_until(lambda: self.passed >= octets or process.poll() is not None, store_commands.PATIENCE)
        return self.passed >= octets
