"""For test scripts in Python: certificates made by the openssl command, and TLS clients that see how a connection ends.

Standard library, and the openssl command.
"""

import shutil
import socket
import ssl
import subprocess

import served_host

ALERT = 21


class Authority:
    """A certificate authority of the test's own; files stand in `folder`."""

    def __init__(self, folder, name="ca"):
        if not shutil.which("openssl"):
            served_host.skip("no openssl command here")
        self.folder = folder
        self.certificate = folder / f"{name}.pem"
        self.key = folder / f"{name}.key"
        self.run(
            "req", "-x509", *self.curve(), "-keyout", self.key, "-out", self.certificate, "-days", "30",
            "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE",
        )

    @staticmethod
    def curve():
        return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"

    @staticmethod
    def run(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    def issue(self, file, names=("localhost",), kind="ec", days=30, usage="serverAuth"):
        """A certificate for these host names, and its key; their paths."""
        certificate, key = self.folder / f"{file}.pem", self.folder / f"{file}.key"
        request, extensions = self.folder / f"{file}.csr", self.folder / f"{file}.ext"
        new_key = self.curve() if kind == "ec" else ("-newkey", kind, "-nodes")
        self.run("req", *new_key, "-keyout", key, "-out", request, "-subj", f"/CN={file}")
        lines = [f"extendedKeyUsage={usage}"]
        if names:
            lines.append("subjectAltName=" + ",".join(f"DNS:{name}" for name in names))
        extensions.write_text("\n".join(lines))
        self.run(
            "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
            "-days", days, "-extfile", extensions, "-out", certificate,
        )  # fmt: skip
        return certificate, key

    def client_context(self, version=None, own=None, protocols=("http/1.1",)):
        """A client that trusts this authority.

        version: 2 or 3 for TLS 1.2 or 1.3 alone; own: its certificate and key.
        """
        context = ssl.create_default_context(cafile=str(self.certificate))
        if version:
            only = {2: ssl.TLSVersion.TLSv1_2, 3: ssl.TLSVersion.TLSv1_3}[version]
            context.minimum_version = context.maximum_version = only
        if own:
            context.load_cert_chain(*map(str, own))
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context


class Connection:
    """A TLS client over a socket that it reads itself, so that records can be seen and reading can pause.

    The ends of a connection are told apart: `close_notify`, `cut` (TCP's end without it), `reset`, or an alert's name.
    """

    def __init__(self, address, context, name="localhost", session=None, receive_buffer=None, timeout=30):
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context.check_hostname = name is not None
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname=name, session=session)
        self.records = Records()
        self.receive_size = 64 << 10

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self):
        if data := self.outgoing.read():
            self.socket.sendall(data)

    def feed(self):
        """Passes on what the socket has; at its end tells the session."""
        data = self.socket.recv(self.receive_size)
        if data:
            self.records.add(data)
            self.incoming.write(data)
        else:
            self.incoming.write_eof()

    def perform(self, call, *arguments):
        while True:
            try:
                result = call(*arguments)
                self.flush()
                return result
            except ssl.SSLWantReadError:
                self.flush()
                self.feed()

    def handshake(self):
        try:
            self.perform(self.tls.do_handshake)
        except ssl.SSLError:
            self.flush()
            raise
        return self

    def send(self, data):
        self.perform(self.tls.write, data)

    def read(self, size=64 << 10):
        """Some octets; none at close_notify."""
        return self.perform(self.tls.read, size)

    def read_answer(self, buffered=b"", bodiless=False):
        """A head and its body, and what came behind them."""
        while b"\r\n\r\n" not in buffered:
            data = self.read()
            if not data:
                raise ConnectionError(f"the connection ended within a head: {buffered[:200]!r}")
            buffered += data
        head, body = buffered.split(b"\r\n\r\n", 1)
        answer = served_host.Answer(head)
        length = 0 if bodiless or answer.status == 304 else answer.length
        pieces, have = [body], len(body)
        while have < length:
            data = self.read()
            if not data:
                raise ConnectionError("the connection ended within a body")
            pieces.append(data)
            have += len(data)
        body = b"".join(pieces)
        return answer, body[:length], body[length:]

    def get(self, path, fields=(), method="GET"):
        """One request; the answer and its body."""
        self.send(served_host.request_bytes(path, method, fields))
        answer, body, rest = self.read_answer(bodiless=method == "HEAD")
        if rest:
            raise ConnectionError(f"octets behind an answer: {rest[:100]!r}")
        return answer, body

    def end(self):
        """Reads until the server ends; what came, and how it ended."""
        received = b""
        try:
            while data := self.read():
                received += data
            return received, "close_notify"
        except ssl.SSLEOFError:
            return received, "cut"
        except ssl.SSLZeroReturnError:
            return received, "close_notify"
        except ssl.SSLError as error:
            return received, error.reason
        except ConnectionResetError:
            return received, "reset"

    def send_close_notify(self):
        """Ends this side of TLS; the server's answers can still be read."""
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.flush()


class Records:
    """The kinds of the TLS records of one direction, in order (RFC 8446 5.1: kind, version, length, content)."""

    def __init__(self):
        self.kinds = []
        self.lengths = []
        self.rest = b""

    def add(self, data):
        data = self.rest + data
        while len(data) >= 5 and len(data) >= 5 + (length := int.from_bytes(data[3:5], "big")):
            self.kinds.append(data[0])
            self.lengths.append(length)
            data = data[5 + length :]
        self.rest = data
