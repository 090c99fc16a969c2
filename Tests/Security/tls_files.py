#!/usr/bin/env python3
"""Certificates and keys as files: what serve says of those that cannot be used, and what becomes of new ones."""

import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import tls_peer


def check_start(checks, root, authority, scratch):
    good, key = authority.issue("good")
    _, other_key = authority.issue("other")
    rsa, rsa_key = authority.issue("weak", kind="rsa:1024")
    empty = scratch / "empty.pem"
    empty.write_text("")
    locked = scratch / "locked.key"
    authority.run("pkcs8", "-topk8", "-in", key, "-out", locked, "-passout", "pass:secret")
    traditional = scratch / "traditional.key"
    authority.run("ec", "-in", key, "-aes128", "-out", traditional, "-passout", "pass:secret")
    damaged = scratch / "damaged.pem"
    damaged.write_text(good.read_text().replace("MII", "MI!", 1))
    listen, pair = ["--tls-listen", "127.0.0.1:0"], ["--tls-cert", good, "--tls-key", key]
    rows = (
        ([*listen, "--tls-cert", scratch / "none.pem", "--tls-key", key], ("none.pem", "No such file")),
        ([*listen, "--tls-cert", good, "--tls-key", scratch / "none.key"], ("none.key", "No such file")),
        ([*listen, "--tls-cert", scratch, "--tls-key", key], (scratch.name, "Is a directory")),
        ([*listen, "--tls-cert", empty, "--tls-key", key], ("empty.pem", "no certificate")),
        ([*listen, "--tls-cert", damaged, "--tls-key", key], ("damaged.pem", "damaged")),
        ([*listen, "--tls-cert", key, "--tls-key", key], (key.name, "no certificate")),
        ([*listen, "--tls-cert", good, "--tls-key", good], (good.name, "no private key")),
        ([*listen, "--tls-cert", good, "--tls-key", other_key], (good.name, other_key.name, "not that of")),
        ([*listen, "--tls-cert", good, "--tls-key", locked], ("locked.key", "encrypted")),
        ([*listen, "--tls-cert", good, "--tls-key", traditional], ("traditional.key", "encrypted")),
        ([*listen, "--tls-cert", rsa, "--tls-key", rsa_key], (rsa.name, "too small")),
        ([*listen, *pair, "--tls-client-ca", empty], ("empty.pem", "no certificate")),
        (listen, ("--tls-cert",)),
        ([*listen, "--tls-cert", good], ("pairs",)),
        ([*listen, *pair, "--tls-key", key], ("pairs",)),
        ([*listen, *pair, "--tls-min", "1.1"], ("1.1", "1.2 or 1.3")),
        ([*listen, *pair, "--tls-client-verify", "optional"], ("--tls-client-ca",)),
        ([*listen, *pair, "--tls-client-ca", authority.certificate, "--tls-client-verify", "maybe"], ("maybe",)),
        ([*pair], ("--tls-listen",)),
        (["--tls-listen", "nowhere", *pair], ("nowhere", "no address")),
    )
    for arguments, words in rows:
        command = [served_host.find_host(), "serve", "--root", root, "--admin", "none", *arguments]
        done = subprocess.run(list(map(str, command)), capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        said = done.stderr.decode()
        checks.equal(done.returncode, 2, f"{arguments[2:]}: exit status")
        checks.equal(done.stdout, b"", f"{arguments[2:]}: it does not listen")
        for word in words:
            checks.that(word in said, f"{arguments[2:]}: {word!r} in {said!r}")


def check_tls_alone(checks, root, authority):
    certificate, key = authority.issue("alone")
    command = [served_host.find_host(), "serve", "--root", root, "--admin", "none", "--tls-listen", "127.0.0.1:0"]
    command += ["--tls-listen", "[::1]:0", "--tls-cert", certificate, "--tls-key", key]
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        lines = [process.stdout.readline().decode() for _ in range(2)]
        checks.that(lines[0].startswith("listening https://127.0.0.1:"), f"the first line: {lines[0]!r}")
        checks.that(lines[1].startswith("listening https://[::1]:"), f"the second line: {lines[1]!r}")
        process.send_signal(signal.SIGTERM)
        checks.equal(process.stdout.read(), b"", "nothing else listens")
        checks.equal(process.wait(timeout=60), 0, "exit status")


class Files:
    """The certificate that a server is told of, and what it serves."""

    def __init__(self, authority, folder):
        self.authority = authority
        self.folder = folder
        folder.mkdir()
        self.certificate, self.key = folder / "server.pem", folder / "server.key"

    def put(self, name):
        """A new certificate with this common name takes the place of the one that is there, as certbot does it."""
        for path, target in zip(self.authority.issue(name), (self.certificate, self.key)):
            draft = self.folder / ".draft"
            shutil.copyfile(path, draft)
            os.rename(draft, target)

    def options(self):
        return ["--tls-listen", "127.0.0.1:0", "--tls-cert", str(self.certificate), "--tls-key", str(self.key)]

    def served(self, host):
        context = self.authority.client_context()
        with tls_peer.Connection(host.tls_address, context).handshake() as connection:
            subject = ssl._ssl._test_decode_cert(self.saved(connection))["subject"]
            return dict(pair[0] for pair in subject)["commonName"]

    def saved(self, connection):
        path = self.folder / "seen.pem"
        path.write_text(ssl.DER_cert_to_PEM_cert(connection.tls.getpeercert(binary_form=True)))
        return str(path)

    def comes_to(self, host, name):
        return served_host.wait_until(lambda: self.served(host) == name, 60)


def check_reload(checks, root, authority, scratch):
    files = Files(authority, scratch / "files")
    files.put("one")
    with served_host.Host(root, files.options()) as host:

        def told(text, times=1):
            return served_host.wait_until(lambda: host.error_text().count(text) >= times, 60)

        checks.equal(files.served(host), "one", "the first certificate")
        old = tls_peer.Connection(host.tls_address, authority.client_context()).handshake()
        checks.equal(old.get("/models")[0].status, 200, "a connection from before")
        files.put("two")
        checks.that(files.comes_to(host, "two"), "a change is seen without a signal")
        checks.that(told("new connections get the certificates"), "and told")
        checks.equal(old.get("/models")[0].status, 200, "a connection from before goes on")

        # A key of another certificate: nothing changes, and that is told once.
        _, stranger = authority.issue("stranger")
        shutil.copyfile(stranger, files.key)
        checks.that(told("the certificates in use stay"), "a key that does not match is told")
        checks.that("not that of the first certificate" in host.error_text(), "with what is wrong")
        checks.equal(files.served(host), "two", "the certificate in use stays")
        served_host.wait_until(lambda: False, 5)
        checks.equal(host.error_text().count("the certificates in use stay"), 1, "told once for one change")

        # The same when it is read on a signal, and when there is nothing in the file, or no file.
        host.process.send_signal(signal.SIGHUP)
        checks.that(told("the certificates in use stay", 2), "told again on SIGHUP")
        files.certificate.write_text("nothing\n")
        checks.that(told("holds no certificate"), "a file without a certificate is told")
        files.certificate.unlink()
        checks.that(told("No such file"), "a file that is gone is told")
        checks.equal(files.served(host), "two", "the certificate in use stays")
        files.put("three")
        checks.that(files.comes_to(host, "three"), "it recovers by itself")

        # SIGHUP reads at once, and a session from before is resumed with the new certificate's server.
        context = authority.client_context(2)
        with tls_peer.Connection(host.tls_address, context).handshake() as connection:
            session = connection.tls.session
        before = host.error_text().count("new connections get the certificates")
        host.process.send_signal(signal.SIGHUP)
        checks.that(told("new connections get the certificates", before + 1), "SIGHUP is told")
        with tls_peer.Connection(host.tls_address, context, session=session).handshake() as connection:
            checks.that(connection.tls.session_reused, "resumption over a reload")

        # What an operator of Kubernetes or certbot has: links, whose target is exchanged.
        for path in (files.certificate, files.key):
            path.unlink()
        for name in ("four", "five"):
            folder = files.folder / name
            folder.mkdir()
            for path, target in zip(authority.issue(name), ("server.pem", "server.key")):
                shutil.copyfile(path, folder / target)
        (files.folder / "current").symlink_to("four")
        for path in (files.certificate, files.key):
            path.symlink_to(f"current/{path.name}")
        checks.that(files.comes_to(host, "four"), "links")
        (files.folder / "next").symlink_to("five")
        os.rename(files.folder / "next", files.folder / "current")
        checks.that(files.comes_to(host, "five"), "a link whose target is exchanged")

        checks.equal(old.get("/models")[0].status, 200, "the first connection goes on")
        old.socket.close()
        checks.equal(host.stop(), 0, "exit status")


def check_expired(checks, root, authority):
    certificate, key = authority.issue("expired", days=-1)
    options = ["--tls-listen", "127.0.0.1:0", "--tls-cert", str(certificate), "--tls-key", str(key)]
    with served_host.Host(root, options) as host:
        said = served_host.wait_until(lambda: "expired.pem has expired" in host.error_text(), 30)
        checks.that(said, "a certificate that has expired is told")
        try:
            tls_peer.Connection(host.tls_address, authority.client_context()).handshake()
            checks.that(False, "a client takes a certificate that has expired")
        except ssl.SSLCertVerificationError as error:
            checks.that("expired" in error.verify_message, "it is served, and the client says what is wrong")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        authority = tls_peer.Authority(scratch)
        root = scratch / "root"
        (root / "Public").mkdir(parents=True)
        (root / "manifests").mkdir()
        check_start(checks, root, authority, scratch)
        check_tls_alone(checks, root, authority)
        check_expired(checks, root, authority)
        check_reload(checks, root, authority, scratch)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
