#!/usr/bin/env python3
"""A TCP proxy that breaks connections, to see whether a client resumes.

    cutting_proxy.py HOST:PORT --cut-after BYTES --connections K --log FILE

Listens on a free port of 127.0.0.1 and prints it. Of the first K connections that carry more than BYTES of answer, each
is cut after BYTES: in turn with a plain close and with a reset. Later connections pass untouched. The log has one line
for each request (method, target, Range), answer (status, Content-Range) and cut. Standard library only.
"""

import argparse
import re
import socket
import struct
import sys
import threading

RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER with no time left: close sends RST
CHUNK = 64 << 10


class Log:
    def __init__(self, path):
        self.file, self.lock = open(path, "a", buffering=1), threading.Lock()

    def write(self, line):
        with self.lock:
            self.file.write(line + "\n")


class Cuts:
    """How many cuts are left, over all connections."""

    def __init__(self, after, count):
        self.after, self.left, self.made, self.lock = after, count, 0, threading.Lock()

    def take(self):
        """The number of this cut from 1, or None when no more are to be made."""
        with self.lock:
            if self.left == 0:
                return None
            self.left -= 1
            self.made += 1
            return self.made


def field(head, name):
    found = re.search(rb"(?im)^" + name + rb":[ \t]*(.*?)[ \t]*\r$", head)
    return found[1].decode("latin-1") if found else None


class RequestWatch:
    """Reads the heads of the requests that pass by (none has a body) and keeps their methods for the answers."""

    def __init__(self, log):
        self.log, self.pending, self.methods = log, b"", []

    def pass_by(self, data):
        self.pending += data
        while b"\r\n\r\n" in self.pending:
            head, self.pending = self.pending.split(b"\r\n\r\n", 1)
            method, target = head.split(b" ")[:2]
            self.methods.append(method)
            wanted = field(head + b"\r\n", b"range") or "-"
            self.log.write(f"request {method.decode()} {target.decode()} {wanted}")


class AnswerWatch:
    """Reads the heads of the answers that pass by, and steps over their bodies by Content-Length."""

    def __init__(self, log, methods):
        self.log, self.methods, self.pending, self.body = log, methods, b"", 0

    def pass_by(self, data):
        while data:
            if self.body:
                skipped = min(self.body, len(data))
                self.body -= skipped
                data = data[skipped:]
                continue
            self.pending += data
            if b"\r\n\r\n" not in self.pending:
                return
            head, data = self.pending.split(b"\r\n\r\n", 1)
            self.pending = b""
            head += b"\r\n"
            status = head.split(b" ")[1].decode()
            method = self.methods.pop(0) if self.methods else b"GET"
            if method != b"HEAD" and status not in ("204", "304"):
                self.body = int(field(head, b"content-length") or 0)
            self.log.write(f"answer {status} {field(head, b'content-range') or '-'}")


def forward_requests(client, server, watch):
    try:
        while data := client.recv(CHUNK):
            watch.pass_by(data)
            server.sendall(data)
        server.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other direction has closed them: there is nobody left to tell


def forward_answers(server, client, watch, cuts, log):
    room = cuts.after
    try:
        while data := server.recv(CHUNK):
            if len(data) > room:
                cut = cuts.take()
                if cut is not None:
                    watch.pass_by(data[:room])
                    client.sendall(data[:room])
                    log.write(f"cut {cut}")
                    if cut % 2 == 0:
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
                    return
                room = sys.maxsize
            room -= len(data)
            watch.pass_by(data)
            client.sendall(data)
    except OSError:
        pass  # the client went away by itself
    finally:
        for side in (client, server):
            try:
                side.shutdown(socket.SHUT_RD)  # wakes the thread of the other direction
            except OSError:
                pass
            side.close()


def main():
    parser = argparse.ArgumentParser(description="A TCP proxy that breaks connections.")
    parser.add_argument("server", help="HOST:PORT")
    parser.add_argument("--cut-after", type=int, required=True, help="bytes of answer, heads included")
    parser.add_argument("--connections", type=int, required=True, help="how many connections are cut")
    parser.add_argument("--log", required=True)
    given = parser.parse_args()
    host, _, port = given.server.rpartition(":")
    log, cuts = Log(given.log), Cuts(given.cut_after, given.connections)
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        server = socket.create_connection((host, int(port)))
        requests = RequestWatch(log)
        answers = AnswerWatch(log, requests.methods)
        threading.Thread(target=forward_requests, args=(client, server, requests), daemon=True).start()
        threading.Thread(target=forward_answers, args=(server, client, answers, cuts, log), daemon=True).start()


if __name__ == "__main__":
    main()
