#!/usr/bin/env python3
"""One model compiled for six architectures: the store holds the distinct octets and at most 1 % more.

In a real fan-out two thirds of the octets stand there several times: six trees hold two contents of weights. What the
store takes is read off the disk, each inode once, and `list` must tell the same.
"""

import pathlib
import sys
import tempfile

import store_commands
from store_commands import served_host
import release_folder

MODEL = "Speech"
ARCHITECTURES = ("h15d", "h16g", "h17c", "h17g", "h17s", "h18p")
SIZES = {"portable": 24 << 20, "weights": 24 << 20, "original": 161_111, "specialized": 559_365, "tokenizer": 256 << 10}
LIMIT = 1.01


def check_stored(checks, store, distinct, what):
    content, disk = store.sizes()
    for size, kind in ((content, "octets of files"), (disk, "octets on the disk")):
        over = 100 * (size / distinct - 1)
        print(f"{what}: {size} {kind} for {distinct} distinct: {over:+.2f} %")
        checks.that(size <= distinct * LIMIT, f"{what}: {kind} are {over:+.2f} % of {distinct}")
    store_commands.check_clean(checks, store, what)
    return disk


def check_list(checks, store, model, version, release, what):
    row = store.versions(model)[version]
    checks.equal(row["size"], release.size, f"{what}: the apparent size in list")
    checks.equal(row["architectures"], sorted(ARCHITECTURES), f"{what}: the architectures in list")
    stored = row["storedSize"]
    low, high = release.distinct_size, release.distinct_size * LIMIT
    checks.that(low <= stored <= high, f"{what}: the stored size in list: {stored}, and {low} are distinct")
    return row


def size_text(octets):
    """As list shows a size from 1 MB to 1 GB: one digit after the point."""
    return f"{octets / 1e6:.1f} MB"


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        store = store_commands.Store(scratch / "store")
        first = release_folder.make(scratch / "1", base=MODEL, architectures=ARCHITECTURES, **SIZES)
        checks.that(first.size > 2 * first.distinct_size, "the fan-out holds most octets more than once")
        published = store.publish(first.folder, "--json")
        checks.equal(published.status, 0, f"publish\n{published}")
        told = published.json
        checks.equal(told["size"], first.size, "publish --json: size")
        checks.equal(told["storedBytes"], first.distinct_size, "publish --json: storedBytes")
        checks.equal(told["linkedBytes"], first.size - first.distinct_size, "publish --json: linkedBytes")
        check_stored(checks, store, first.distinct_size, "six architectures")
        row = check_list(checks, store, MODEL, "1.0.0", first, "six architectures")
        text = store.run("list").output
        for size in (row["size"], row["storedSize"]):
            checks.that(size_text(size) in text, f"list shows {size_text(size)}:\n{text}")

        # Another version with the same weights costs its own octets only.
        second = release_folder.make(
            scratch / "2", base=MODEL, version="1.1.0", architectures=ARCHITECTURES, seed="2", weights_seed="1", **SIZES
        )
        known = {digest for _, digest in first.files.values()}
        new = sum({digest: size for size, digest in second.files.values() if digest not in known}.values())
        published = store.publish(second.folder, "--json")
        checks.equal(published.json["storedBytes"], new, f"a version with the same weights: storedBytes\n{published}")
        both = first.distinct_size + new
        check_stored(checks, store, both, "two versions")
        check_list(checks, store, MODEL, "1.1.0", second, "the second version")
        text = store.run("list").output
        apparent = size_text(first.size + second.size)
        checks.that(f"2 versions, {apparent}, stored in " in text, f"list sums both up:\n{text}")

        # And under another model's name, with all the same content, it costs names.
        before = store.sizes()[0]
        published = store.publish(first.folder, "--model", "Copy", "--json")
        checks.equal(published.json["storedBytes"], 0, f"another model with the same content: storedBytes\n{published}")
        grown = store.sizes()[0] - before
        checks.that(grown < 64 << 10, f"another model with the same content: {grown} octets, of its manifest")
        check_stored(checks, store, both, "two models")

        # What two share stays when one of them goes.
        pruned = store.run("prune", MODEL, "--keep", "1", "--json")
        checks.equal(pruned.json["removed"], ["1.0.0"], f"prune\n{pruned}")
        checks.that(pruned.json["freedBytes"] < 1 << 20, f"prune frees nothing that another model holds\n{pruned}")
        store_commands.check_clean(checks, store, "pruned")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
