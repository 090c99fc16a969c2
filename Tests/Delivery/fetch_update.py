#!/usr/bin/env python3
"""What `fetch` says, with which status, and what it transfers: installation, update, interruption, refusals.

A new version that shares its weights with the installed one transfers the files that changed and no others, by the
octets and the requests that a proxy counts. Ctrl-C and SIGTERM end it with 130 and keep what was fetched; the same
command then asks for the rest with a range. The path is the last line on standard output, and an error names the
problem's code.
"""

import json
import pathlib
import signal
import sys
import tempfile

import delivery
from delivery import release_folder, served_host, store_commands

MODEL = "Sam3"
WEIGHTS = 16 << 20
OVERHEAD = 64 << 10  # what resolving, a manifest and the heads of a dozen answers take at most
RATE = 24 << 20


def make(folder, version, seed, **sizes):
    sizes = {"weights": WEIGHTS, "portable": 1 << 20, **sizes}
    return release_folder.make(folder, base=MODEL, version=version, seed=seed, weights_seed="same", **sizes)


def check_install_and_update(checks, library, proxy, releases):
    """The first version, the second that shares its weights, and the second again."""
    first, second = (delivery.for_device(release) for release in releases)
    done = library.fetch(proxy.port, "--version", "1.0.0")
    delivery.check_succeeded(checks, library, "1.0.0", done, "the first version")
    delivery.check_installed(checks, library, "1.0.0", first, "the first version")
    before = store_commands.tree_entries(library.tree("1.0.0"))

    proxy.clear()
    done = library.fetch(proxy.port)
    delivery.check_succeeded(checks, library, "1.1.0", done, "the update")
    delivery.check_installed(checks, library, "1.1.0", second, "the update")
    held = {digest for _, digest in first.values()}
    changed = sorted(f"/models/{MODEL}/1.1.0/{path}" for path, (_, digest) in second.items() if digest not in held)
    asked = sorted(proxy.requested())
    checks.equal(asked, [(path, "-") for path in changed], "the files that an update asks for")
    size = delivery.to_transfer(second, first)
    checks.that(size <= proxy.passed <= size + OVERHEAD, f"an update of {size} octets transferred {proxy.passed}")
    checks.that(size < WEIGHTS / 8, f"what changed is small beside the weights: {size}")
    print(f"an update of {sum(size for size, _ in second.values())} octets transferred {proxy.passed}")
    checks.equal(library.damage("1.0.0", first), [], "the first version after the update")
    # Links to its files are all that has changed of it: neither content nor time.
    for path, facts in store_commands.tree_entries(library.tree("1.0.0")).items():
        checks.equal(facts[:4], before[path][:4], f"{path} of the first version after the update")

    proxy.clear()
    done = library.fetch(proxy.port, "--json")
    checks.equal((done.status, done.errors), (0, ""), f"once more, as JSON\n{done}")
    asset = f"{MODEL}.{delivery.ARCHITECTURE}.aimodelc"
    told = json.loads(done.output)
    checks.equal((told["version"], told["folder"]), ("1.1.0", str(library.tree("1.1.0"))), "what JSON tells")
    checks.equal([each["name"] for each in told["assets"]], [asset], "the assets that JSON tells")
    path = pathlib.Path(told["assets"][0]["path"])
    checks.equal(path, library.tree("1.1.0") / asset, "the path of the asset")
    checks.equal(proxy.requested(), [], "what is asked for when all is there")
    checks.that(proxy.passed <= OVERHEAD, f"what it takes to find that all is there: {proxy.passed}")


def check_interrupted(checks, library, port, release):
    """Ctrl-C and what a service manager sends; then the same command again."""
    expected = delivery.for_device(release)
    size = delivery.to_transfer(expected)
    proxy = delivery.Proxy(port, RATE)
    for number, share in ((signal.SIGINT, 0.3), (signal.SIGTERM, 0.6)):
        process = library.start(proxy.port, "--version", "1.0.0")
        checks.that(proxy.await_passed(share * size, process), f"{number.name} meets it under way")
        process.send_signal(number)
        done = store_commands.finish(process)
        checks.equal((done.status, done.output), (130, ""), f"after {number.name}\n{done}")
        checks.that(done.errors.startswith("error: interrupted"), f"{number.name}: says so\n{done}")
        checks.that("goes on from there" in done.errors, f"{number.name}: says what to do\n{done}")
        checks.that(library.unfinished() >= 0.8 * share * size, f"{number.name}: kept {library.unfinished()}")
        checks.that(not library.tree("1.0.0").exists(), f"{number.name}: nothing is installed")
    kept = library.unfinished()
    done = library.fetch(proxy.port, "--version", "1.0.0")
    delivery.check_succeeded(checks, library, "1.0.0", done, "after the interruptions")
    delivery.check_installed(checks, library, "1.0.0", expected, "after the interruptions")
    weights = [span for target, span in proxy.requested() if target.endswith("/resources.bin")]
    checks.equal(len(weights), 3, f"the weights are asked for once a run: {weights}")
    checks.equal(weights[0], "-", "the first run asks for all of them")
    starts = [int(span.removeprefix("bytes=").removesuffix("-")) for span in weights[1:]]
    checks.that(0 < starts[0] < starts[1] <= kept, f"the next ones ask for the rest: {weights}")
    checks.that(proxy.passed <= 1.1 * size, f"in all {proxy.passed} octets passed for {size}")


def check_refused(checks, library, port, refused):
    """What helps nobody to try again: told at once, by its code, and nothing is written."""
    newer = ["--os", "26.0"]
    for more, code in (
        (["--version", "7.7.7"], "unknown-version"),
        (["--version", "nightly"], "unknown-channel"),
        (["--version", "1.1.0", "--arch", "h14g", "--fallback", "none"], "no-variant-for-architecture"),
        (["--version", "0.9.0"], "version-withdrawn"),
        (["--version", "1.1.0", *newer], "requires-newer-os"),
    ):
        url = f"http://127.0.0.1:{port}/models/{MODEL}"
        architecture = [] if "--arch" in more else ["--arch", delivery.ARCHITECTURE]
        done = store_commands.run("fetch", url, *architecture, "--into", library.folder, *more)
        checks.equal((done.status, done.output), (1, ""), f"{code}: status and output\n{done}")
        checks.that(done.errors.startswith(f"error: {code}: "), f"says {code}\n{done}")
        checks.that(not library.models.exists(), f"{code}: nothing is installed")
    other = delivery.Library(library.folder, "Unknown").fetch(port)
    checks.equal((other.status, other.output), (1, ""), f"a model that nobody knows\n{other}")
    checks.that(other.errors.startswith("error: unknown-model: "), f"says so\n{other}")
    done = store_commands.finish(refused)
    checks.equal((done.status, done.output), (1, ""), f"no host at that port\n{done}")
    checks.that(done.errors.startswith("error: network: "), f"says so\n{done}")


def check_fallback(checks, library, port, release):
    """An architecture that nothing was compiled for gets the portable tree."""
    url = f"http://127.0.0.1:{port}/models/{MODEL}"
    done = store_commands.run("fetch", url, "--arch", "h14g", "--into", library.folder, "--version", "1.1.0", "--json")
    checks.equal(done.status, 0, f"the portable tree\n{done}")
    assets = [(each["name"], each["architecture"]) for each in json.loads(done.output)["assets"]]
    checks.equal(assets, [(f"{MODEL}.aimodel", None)], "the assets")
    portable = {
        path: facts
        for path, facts in release.files.items()
        if path.startswith(f"{MODEL}.aimodel/") or ".aimodelc/" not in path
    }
    delivery.check_installed(checks, library, "1.1.0", portable, "the portable tree")


def check_usage(checks, scratch, port):
    """What was typed wrong: status 2, before anything is asked or written."""
    url, folder = f"http://127.0.0.1:{port}/models/{MODEL}", scratch / "never"
    for arguments in (
        ["--arch", "h18p"],
        [url],
        [url, url, "--arch", "h18p"],
        [url, "--arch", "A18 Pro"],
        [url, "--arch", "h18p", "--fallback", "maybe"],
        [url, "--arch", "h18p", "--os", "new"],
        [url, "--arch", "h18p", "--version", "1/2"],
        [url, "--arch", "h18p", "--sideways"],
        [f"http://127.0.0.1:{port}/{MODEL}", "--arch", "h18p"],
        [f"ftp://127.0.0.1/models/{MODEL}", "--arch", "h18p"],
        [MODEL, "--arch", "h18p"],
    ):
        done = store_commands.run("fetch", *arguments, "--into", folder)
        checks.equal((done.status, done.output), (2, ""), f"usage\n{done}")
        checks.that(done.errors.startswith("error: "), f"says what is wrong\n{done}")
        checks.that(not folder.exists(), f"nothing is made\n{done}")


def check_together(checks, library, port, release):
    """Two at once: one installs, the other is told that it is under way, or finds it done."""
    proxy = delivery.Proxy(port, RATE)
    pair = [library.start(proxy.port, "--version", "1.0.0")]
    checks.that(proxy.await_passed(1 << 20, pair[0]), "the first is under way")
    pair.append(library.start(proxy.port, "--version", "1.0.0"))
    first, second = (store_commands.finish(process) for process in pair)
    delivery.check_succeeded(checks, library, "1.0.0", first, "the first of two")
    checks.equal((second.status, second.output), (1, ""), f"the second of two\n{second}")
    checks.that(second.errors.startswith("error: busy: "), f"says so\n{second}")
    delivery.check_installed(checks, library, "1.0.0", delivery.for_device(release), "two at once")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        store = store_commands.Store(scratch / "store")
        old = make(scratch / "old", "0.9.0", "old", weights=4096)
        releases = [make(scratch / version, version, version) for version in ("1.0.0", "1.1.0")]
        for release in (old, *releases):
            published = store.publish(release.folder)
            checks.equal(published.status, 0, f"publish\n{published}")
        checks.equal(store.run("withdraw", MODEL, "0.9.0", "--reason", "old").status, 0, "withdraw")

        def library(name):
            return delivery.Library(scratch / name, MODEL)

        with served_host.Host(store.root) as host:
            # Nobody listens at a port that was given and taken back. It is tried for a while; the rest goes on.
            with delivery.socket.create_server(("127.0.0.1", 0)) as closed:
                port = closed.getsockname()[1]
            refused = library("unreachable").start(port)
            check_install_and_update(checks, library("updated"), delivery.Proxy(host.port), releases)
            check_interrupted(checks, library("interrupted"), host.port, releases[0])
            check_fallback(checks, library("portable"), host.port, releases[1])
            check_usage(checks, scratch, host.port)
            check_together(checks, library("together"), host.port, releases[0])
            check_refused(checks, library("refused"), host.port, refused)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
