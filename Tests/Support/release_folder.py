#!/usr/bin/env python3
"""Writes the folder that a build of a Core AI release leaves behind, in the layout in which such releases are published.

    <base>.aimodel/             main.mlirb (the weights are in it), main.hash, metadata.json
    <base>.<arch>.aimodelc/     main-<arch>.mlirb, main.hash, metadata.json, stats.json, and below
        main-<arch>-delegates/MPSGraph/mpsExecutable.mpsgraphpackage/
            manifest.plist, original_model_0.mpsgraph, specialized_model_1.mpsgraph, resources.bin (the weights)
    tokenizer/tokenizer.json    shared by all architectures
    metadata.json               names the asset, as a resource bundle does
    manifest.json               what the build says it made

As in a real fan-out, the original graph is the same for all architectures, resources.bin is the same within h15 and
h16, and another within h17 to h19, and the specialized graph has one size and another content for each architecture.
Content is noise without a period, the same for the same seed on every host. Standard library only.

    release_folder.py dist/1.4.0 --base Sam3 --version 1.4.0 --arch h16p --arch h18p --weights 4M
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import sys

MAGIC = bytes.fromhex("4d4cef520d") + b"MLIR22.0.0git\0"
PIECE = 1 << 20
GRAPHS = "MPSGraph/mpsExecutable.mpsgraphpackage"
PROPERTY_LIST = b'<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict/></plist>'


def noise(size, seed):
    """Yields pieces of noise, `size` octets in all."""
    source = random.Random(seed)
    while size > 0:
        piece = source.randbytes(min(size, PIECE))
        size -= len(piece)
        yield piece


def family(architecture):
    """Which architectures share their weights with this one."""
    generation = re.match(r"h(\d+)", architecture)
    return "h17" if generation and int(generation[1]) >= 17 else "h15"


class Release:
    """What was written: the size and the SHA-256 of each file, by its path in the folder; manifest.json is no part."""

    def __init__(self, folder, base, version):
        self.folder, self.base, self.version = pathlib.Path(folder), base, version
        self.files = {}

    def write(self, path, pieces):
        """Writes a file; its SHA-256."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        size, digest = 0, hashlib.sha256()
        with open(target, "wb") as output:
            for piece in pieces:
                output.write(piece)
                size += len(piece)
                digest.update(piece)
        self.files[path] = (size, digest.hexdigest())
        return digest

    @property
    def size(self):
        """Octets of all files, as a device sees them."""
        return sum(size for size, _ in self.files.values())

    @property
    def distinct_size(self):
        """Octets of all files when each content counts once."""
        return sum({digest: size for size, digest in self.files.values()}.values())

    def read(self, path):
        return (self.folder / path).read_bytes()


def document(value):
    return [json.dumps(value, sort_keys=True, indent=2).encode() + b"\n"]


def program(size, seed):
    yield MAGIC
    yield from noise(max(0, size - len(MAGIC)), seed)


def make(
    folder,
    base="Sam3",
    version="1.0.0",
    architectures=("h16p", "h18p"),
    seed="1",
    weights_seed=None,
    portable=1 << 20,
    weights=1 << 20,
    original=64 << 10,
    specialized=128 << 10,
    tokenizer=16 << 10,
):
    """Writes a release into `folder`, which need not be there, and says what is in it.

    weights_seed: for resources.bin alone, so that two versions share their weights; else the same as `seed`. The
    tokenizer and the original graph depend on the base only. Sizes are in octets.
    """
    release = Release(folder, base, version)
    bundle = document({"assetVersion": "2.0", "producer": "release_folder"})

    asset = f"{base}.aimodel"
    digest = release.write(f"{asset}/main.mlirb", program(portable, f"{seed} {base} portable"))
    release.write(f"{asset}/main.hash", [digest.digest()])
    release.write(f"{asset}/metadata.json", bundle)

    for architecture in architectures:
        asset = f"{base}.{architecture}.aimodelc"
        name = f"main-{architecture}"
        graphs = f"{asset}/{name}-delegates/{GRAPHS}"
        digest = release.write(f"{asset}/{name}.mlirb", program(1619, f"{seed} {base} {architecture}"))
        release.write(f"{asset}/main.hash", [digest.digest()])
        release.write(f"{asset}/metadata.json", bundle)
        release.write(f"{asset}/stats.json", [b"{}"])
        release.write(f"{graphs}/manifest.plist", [PROPERTY_LIST])
        release.write(f"{graphs}/original_model_0.mpsgraph", noise(original, f"{base} original"))
        release.write(f"{graphs}/specialized_model_1.mpsgraph", noise(specialized, f"{seed} {base} {architecture} graph"))
        shared = f"{weights_seed or seed} {base} {family(architecture)} weights"
        release.write(f"{graphs}/resources.bin", noise(weights, shared))

    vocabulary = b"".join(noise(tokenizer // 2, f"{base} tokenizer")).hex()
    release.write("tokenizer/tokenizer.json", document({"version": "1.0", "vocabulary": vocabulary}))
    reference = {"metadata_version": "0.2", "kind": "segmenter", "name": base, "assets": {"main": f"{base}.aimodel"}}
    release.write("metadata.json", document(reference))
    describe(release, architectures)
    return release


def describe(release, architectures, **changes):
    """Writes the folder's own manifest.json, which is not published."""
    facts = {
        "base": release.base,
        "version": release.version,
        "minDeploymentVersion": "27.0",
        "architectures": sorted(architectures),
        **changes,
    }
    (release.folder / "manifest.json").write_bytes(b"".join(document(facts)))


def octets(text):
    """4096, 64K, 4M or 2G."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text} is no size, such as 4096, 64K, 4M or 2G")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]


def main():
    parser = argparse.ArgumentParser(description="Writes the folder that a build of a Core AI release leaves behind.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--base", default="Sam3")
    parser.add_argument("--version", default="1.0.0")
    parser.add_argument("--arch", action="append", help="may stand more than once (default: h16p and h18p)")
    parser.add_argument("--seed", default="1", help="another seed, other programs and weights")
    parser.add_argument("--weights-seed", help="for resources.bin alone (default: the seed)")
    for name, what, default in (
        ("portable", "the portable program, weights included", "1M"),
        ("weights", "each resources.bin", "1M"),
        ("original", "each original graph", "64K"),
        ("specialized", "each specialized graph", "128K"),
        ("tokenizer", "the tokenizer, about", "16K"),
    ):
        parser.add_argument(f"--{name}", type=octets, default=default, help=f"octets of {what} (default: {default})")
    given = vars(parser.parse_args())
    architectures = given.pop("arch") or ("h16p", "h18p")
    release = make(architectures=architectures, **given)
    print(f"{release.base} {release.version}: {len(release.files)} files, {release.size} octets", end="")
    print(f", {release.distinct_size} of them distinct")
    return 0


if __name__ == "__main__":
    sys.exit(main())
