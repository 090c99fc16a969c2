#!/usr/bin/env python3
"""What is published changes while it is being downloaded: each download ends with the right octets.

A server runs, and several downloads of the version concerned are under way: a whole file of 24 MiB, a part of it, two
parts in one answer, the weights of a variant, and a variant as one archive, which is made of many files. Some of them
are held still by their clients until the change is over, others are read on slowly all the time. Meanwhile publish,
promote, rollback, withdraw and prune run. Each change has to be seen by new requests; how long that took is printed.
What prune removed is gone from the disk, too, once the downloads have ended.
"""

import hashlib
import os
import pathlib
import re
import socket
import sys
import tempfile
import threading
import time

import store_commands
from store_commands import served_host
import release_folder

MODEL = "Way"
ARCHITECTURES = ("h16p", "h18p")
PROGRAM, WEIGHTS = 24 << 20, 12 << 20
RECEIVE_BUFFER = 64 << 10
# Much beyond the second in which a change should be seen: this machine may be busy.
SEEN_WITHIN = 20
PACE = 0.002  # seconds between two pieces that a slow client takes
PIECE = 64 << 10


def file_path(release, path):
    return f"/models/{MODEL}/{release.version}/{path}"


def weights_path(architecture):
    return f"{MODEL}.{architecture}.aimodelc/main-{architecture}-delegates/{release_folder.GRAPHS}/resources.bin"


class Download:
    """One download under way; what comes is hashed, not kept."""

    def __init__(self, host, path, expected, fields=()):
        """expected: the SHA-256 of the body in hex; or the parts of a multipart body, as octets."""
        self.path, self.expected = path, expected
        self.connection = socket.socket()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        self.connection.settimeout(store_commands.PATIENCE)
        self.connection.connect(host.address)
        self.connection.sendall(served_host.request_bytes(path, fields=[*fields, ("Connection", "close")]))
        self.answer, body = served_host.read_head(self.connection)
        self.digest, self.received, self.kept = hashlib.sha256(), 0, []
        self.failure = None
        self.take(body)
        self.take(self.connection.recv(PIECE))

    def take(self, data):
        self.digest.update(data)
        self.received += len(data)
        if isinstance(self.expected, list):
            self.kept.append(data)

    @property
    def rest(self):
        return self.answer.length - self.received

    def read_slowly(self):
        """Takes what is left, a piece at a time."""
        try:
            while data := self.connection.recv(PIECE):
                self.take(data)
                time.sleep(PACE)
        except OSError as error:
            self.failure = error

    def read_to_end(self):
        try:
            while data := self.connection.recv(1 << 20):
                self.take(data)
        except OSError as error:
            self.failure = error

    def check(self, checks, what):
        what = f"{what}: {self.path} ({self.answer.status})"
        self.connection.close()
        checks.equal(self.failure, None, f"{what}: ended well")
        checks.equal(self.received, self.answer.length, f"{what}: octets")
        if isinstance(self.expected, list):
            checks.that(self.parts() == self.expected, f"{what}: the octets of its parts")
        else:
            checks.equal(self.digest.hexdigest(), self.expected, f"{what}: SHA-256")

    def parts(self):
        """The parts of a multipart body, by RFC 2046 5.1."""
        boundary = re.search(r"boundary=\"?([^\";]+)", self.answer.fields["content-type"])[1].encode()
        body = b"\r\n" + b"".join(self.kept)
        pieces = body.split(b"\r\n--" + boundary)
        return [piece.split(b"\r\n\r\n", 1)[1] for piece in pieces[1:-1]]


class Downloads:
    """Several downloads of one version; half of them are held until the end, half are read on slowly."""

    def __init__(self, host, store, release):
        manifest = store.manifest(MODEL, release.version)
        archives = {asset["name"]: asset["archive"] for asset in manifest["assets"]}
        program = f"{MODEL}.aimodel/main.mlirb"
        content = release.read(program)
        path = file_path(release, program)
        half = len(content) // 2
        split = [content[: 7 << 20], content[half:]]
        archive = f"{MODEL}.h16p.aimodelc"

        def begin(*arguments):
            return Download(host, *arguments)

        def whole(path):
            return begin(file_path(release, path), release.files[path][1])

        def cut():
            digest = hashlib.sha256(content[1_000_001:]).hexdigest()
            return begin(path, digest, [("Range", "bytes=1000001-"), ("If-Range", f'"{release.files[program][1]}"')])

        def several():
            return begin(path, split, [("Range", f"bytes=0-{len(split[0]) - 1},{half}-")])

        def archived():
            digest = archives[archive]["digest"].removeprefix("sha256:")
            return begin(file_path(release, archive + ".tar"), digest)

        kinds = [lambda: whole(program), lambda: whole(weights_path("h18p")), cut, several, archived]
        self.held = [kind() for kind in kinds]
        self.slow = [kind() for kind in kinds]
        self.threads = [threading.Thread(target=download.read_slowly) for download in self.slow]
        for thread in self.threads:
            thread.start()

    def check_begun(self, checks, what):
        """They could be begun, and those held cannot be over: more is to come than the sockets' buffers hold."""
        buffers = int(pathlib.Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[2]) + RECEIVE_BUFFER
        for download in self.held + self.slow:
            expected = 206 if "content-range" in download.answer.fields or download.kept else 200
            checks.equal(download.answer.status, expected, f"{what}: {download.path}")
        for download in self.held:
            checks.that(download.rest > buffers, f"{what}: {download.path} is under way ({download.rest} to come)")

    def finish(self, checks, what):
        for download in self.held:
            download.read_to_end()
        for thread in self.threads:
            thread.join()
        for download in self.held + self.slow:
            download.check(checks, what)


def problem(answer):
    return answer.fields.get("aimodel-problem")


class Scene:
    """A store with a server."""

    def __init__(self, checks, store, host):
        self.checks, self.store, self.host = checks, store, host

    def command(self, *arguments):
        done = self.store.run(*arguments)
        self.checks.equal(done.status, 0, f"{arguments[0]}\n{done}")
        return done

    def look(self, path, *fields):
        return served_host.get(self.host.address, path, fields=fields)

    def change(self, what, arguments, path, is_seen):
        """Runs a command, and waits until a new request for `path` sees it."""
        done = self.command(*arguments)
        ended = time.monotonic()
        seen = served_host.wait_until(lambda: is_seen(self.look(path)[0]), SEEN_WITHIN)
        milliseconds = (time.monotonic() - ended) * 1000
        self.checks.that(seen, f"{what} is seen within {SEEN_WITHIN} s")
        print(f"{what}: the command took {done.seconds * 1000:.0f} ms, seen {milliseconds:.0f} ms after its end")
        return done

    def during(self, release):
        downloads = Downloads(self.host, self.store, release)
        downloads.check_begun(self.checks, f"downloads of {release.version}")
        return downloads

    def leads_to(self, version):
        location = f"/models/{MODEL}/{version}/manifest.json"
        return lambda answer: answer.status == 307 and answer.fields["location"] == location

    def deleted(self):
        """Octets of files without a name that the server has open."""
        sizes = {}
        for descriptor in pathlib.Path(f"/proc/{self.host.pid}/fd").iterdir():
            try:
                status = descriptor.stat()
            except OSError:
                continue
            if status.st_nlink == 0 and "/Public/" in os.readlink(descriptor):
                sizes[status.st_ino] = status.st_size
        return sum(sizes.values())


def manifest_path(version):
    return f"/models/{MODEL}/{version}/manifest.json"


def check_publish(scene, first, second):
    downloads = scene.during(first)
    same = scene.command("publish", first.folder, "--json")
    scene.checks.equal(same.json["outcome"], "already-published", "publish of the same again")
    scene.change("publish", ["publish", second.folder], manifest_path("1.1.0"), lambda answer: answer.status == 200)
    downloads.finish(scene.checks, "while published")


def check_channel(scene, first, second):
    downloads = [scene.during(first), scene.during(second)]
    arguments = ["promote", MODEL, "1.1.0", "--channel", "stable"]
    scene.change("promote", arguments, manifest_path("stable"), scene.leads_to("1.1.0"))
    scene.change("rollback", ["rollback", MODEL, "--channel", "stable"], manifest_path("stable"), scene.leads_to("1.0.0"))
    for each in downloads:
        each.finish(scene.checks, "while promoted and rolled back")


def check_withdraw_and_prune(scene, second, third):
    """What is withdrawn and then pruned is downloaded all the time."""
    downloads = scene.during(second)
    arguments = ["withdraw", MODEL, "1.1.0", "--reason", "a test", "--replacement", "1.0.0"]
    path = file_path(second, weights_path("h18p"))
    scene.change(
        "withdraw --arch", [*arguments, "--arch", "h18p"], path, lambda answer: problem(answer) == "variant-withdrawn"
    )
    scene.change(
        "withdraw", arguments, manifest_path("1.1.0"), lambda answer: problem(answer) == "version-withdrawn"
    )
    scene.command("publish", third.folder, "--channel", "stable")
    check_prune(scene, "1.1.0", downloads, "prune of what is withdrawn")


def check_prune(scene, version, downloads, what):
    before = scene.store.sizes()[0]
    pruned = scene.change(
        what,
        # By force: who downloads a version asks for it.
        ["prune", MODEL, "--keep", "1", "--force", "--json"],
        manifest_path(version),
        lambda answer: problem(answer) == "unknown-version",
    )
    scene.checks.equal(pruned.json["removed"], [version], f"{what}: removed\n{pruned}")
    fallen = before - scene.store.sizes()[0]
    freed = pruned.json["freedBytes"]
    scene.checks.that(freed > PROGRAM, f"{what}: more than the program is freed\n{pruned}")
    scene.checks.that(abs(fallen - freed) < 1 << 20, f"{what}: {freed} freed, it says, and {fallen} by the disk")
    held = scene.deleted()
    scene.checks.that(held >= PROGRAM, f"{what}: the server still reads what has no name any more ({held} octets)")
    downloads.finish(scene.checks, what)
    served_host.wait_until(lambda: scene.deleted() == 0, SEEN_WITHIN)
    scene.checks.equal(scene.deleted(), 0, f"{what}: octets that the server keeps from the disk after the downloads")


def check_prune_of_old(scene, first, fourth):
    """A version that shares its weights with another that stays."""
    downloads = scene.during(first)
    scene.command("publish", fourth.folder, "--channel", "stable")
    check_prune(scene, "1.0.0", downloads, "prune of what is old")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)

        def make(version, **seeds):
            return release_folder.make(
                scratch / version, base=MODEL, version=version, portable=PROGRAM, weights=WEIGHTS, **seeds
            )

        releases = [make(f"1.{number}.0", seed=str(number)) for number in range(3)]
        releases.append(make("1.3.0", seed="3", weights_seed="0"))
        store = store_commands.Store(scratch / "store")
        published = store.publish(releases[0].folder, "--channel", "stable")
        checks.equal(published.status, 0, f"publish\n{published}")
        with served_host.Host(store.root) as host:
            scene = Scene(checks, store, host)
            check_publish(scene, releases[0], releases[1])
            check_channel(scene, releases[0], releases[1])
            check_withdraw_and_prune(scene, releases[1], releases[2])
            check_prune_of_old(scene, releases[0], releases[3])
            checks.equal(sorted(store.versions(MODEL)), ["1.2.0", "1.3.0"], "what is published in the end")
            checks.that(host.alive(), f"the server lives\n{host.error_text()}")
            checks.equal(host.stop(), 0, "exit status of the server")
        store_commands.check_clean(checks, store, "in the end")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
