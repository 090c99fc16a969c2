#!/usr/bin/env python3
"""What a person sees: a bar with rate and time left, colours; and that neither gets into a file or a pipe.

Standard output and standard error are connected to pseudo-terminals, one by one. The bar is looked at while a sparse
file of 1 GiB is read, which takes longer than the fifth of a second after which it is drawn.
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading

import store_commands
from store_commands import served_host
import release_folder

MODEL = "Seen"
SPARSE = 1 << 30
COLUMNS = 72
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Screen:
    """A pseudo-terminal and what was written to it."""

    def __init__(self, columns=COLUMNS):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.data = b""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        try:
            while piece := os.read(self.master, 1 << 16):
                self.data += piece
        except OSError:  # EIO: nobody has the other end open any more
            pass

    def finish(self):
        """What was written, once the process has ended; the line ends of a terminal taken back."""
        os.close(self.slave)
        self.reader.join()
        os.close(self.master)
        return self.data.decode().replace("\r\n", "\n")


def run(arguments, output=False, errors=False, environment=()):
    """(exit status, standard output, standard error); True for those that are a terminal."""
    screens = [Screen() if wanted else None for wanted in (output, errors)]
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [served_host.find_host(), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=screens[0].slave if output else subprocess.PIPE,
        stderr=screens[1].slave if errors else subprocess.PIPE,
        env={**variables, "TERM": "xterm", **dict(environment)},
    )
    texts = [text.decode() if text is not None else None for text in process.communicate(timeout=store_commands.PATIENCE)]
    for index, screen in enumerate(screens):
        if screen:
            texts[index] = screen.finish()
    return process.returncode, *texts


def check_bar(checks, release, store):
    arguments = ["publish", release.folder, "--dry-run", "--allow", "hash-mismatch", "--root", store.root]
    status, output, errors = run(arguments, errors=True)
    checks.equal(status, 0, f"publish --dry-run\n{errors}")
    checks.that(output.startswith(f"would publish {MODEL} 1.0.0"), f"the result: {output!r}")
    checks.that("\x1b" not in output and "\r" not in output, f"no escape codes in a pipe: {output!r}")
    bars = re.findall(r"\r\x1b\[K(reading \[[#.]{24}\][^\r\n]*)", errors)
    checks.that(bars, f"the bar is drawn: {errors!r}")
    for bar in bars:
        parts = re.match(r"reading \[[#.]{24}\] \d+ %  [\d.]+ [kMG]?B of 1\.1 GB", bar)
        checks.that(parts, f"the share and the sizes: {bar!r}")
        checks.that(len(bar) < COLUMNS, f"it fits into one line of {COLUMNS}: {bar!r}")
    shares = [int(re.search(r"(\d+) %", bar)[1]) for bar in bars]
    checks.equal(shares, sorted(shares), "it only grows")
    checks.that(any(re.search(r"  [\d.]+ [MG]B/s", bar) for bar in bars), f"the rate: {bars}")
    rest = errors.rsplit("\r\x1b[K", 1)[1]
    checks.that("reading [" not in rest, f"it is taken away in the end: {rest!r}")
    checks.that("\x1b[33mwarning\x1b[0m" in rest, f"the warning stands on a line of its own, in colour: {rest!r}")
    errors = run(arguments, output=True)[2]
    checks.that("\x1b" not in errors and "\r" not in errors, f"neither bar nor colour in a log: {errors!r}")


def check_no_colour(checks, release, store):
    """no-color.org: set and not empty."""
    (release.folder / ".DS_Store").write_text("junk")
    arguments = ["publish", release.folder, "--version", "0.2.0", "--dry-run", "--root", store.root]
    for value, coloured in (("1", False), ("", True)):
        errors = run(arguments, errors=True, environment={"NO_COLOR": value}.items())[2]
        checks.that("system-junk" in errors, f"a warning: {errors!r}")
        checks.equal(bool(COLOUR.search(errors)), coloured, f"colour with NO_COLOR={value!r}: {errors!r}")


def check_colour(checks, store):
    """Findings of verify are results: their colour goes by standard output."""
    (store.root / "Public/models" / MODEL).mkdir(parents=True, exist_ok=True)
    (store.root / "Public/models" / MODEL / "stray").mkdir()
    (store.root / "Public/models" / MODEL / "stray/file").write_text("stray")
    arguments = ["verify", "--root", store.root]
    status, output, errors = run(arguments, errors=True)
    checks.equal(status, 1, f"verify\n{output}{errors}")
    checks.that("surplus  Public/" in output, f"names it: {output!r}")
    checks.that("\x1b" not in output, f"no colour in a pipe, although standard error is a terminal: {output!r}")
    output = run(arguments, output=True)[1]
    checks.that("\x1b[31msurplus\x1b[0m  Public/" in output, f"colour on a terminal: {output!r}")
    output = run([*arguments, "--json"], output=True, errors=True)[1]
    checks.that("\x1b" not in output, f"never in JSON: {output!r}")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        store = store_commands.Store(scratch / "store")
        release = release_folder.make(scratch / "release", base=MODEL, portable=4096, weights=4096)
        published = store.publish(release.folder, "--version", "0.1.0")
        checks.equal(published.status, 0, f"publish\n{published}")
        check_no_colour(checks, release, store)
        os.truncate(release.folder / f"{MODEL}.aimodel/main.mlirb", SPARSE)
        check_bar(checks, release, store)
        check_colour(checks, store)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
