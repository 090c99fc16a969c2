#!/usr/bin/env python3
"""Every finding of `publish`, each by a folder that has that fault and no other: it is named, an error refuses with exit
status 1 and leaves nothing behind, a warning lets the release pass. (not-enough-space is full_disk.py's.)"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import release_folder
import served_host
import store_commands

PORTABLE, COMPILED = "Find.aimodel", "Find.h16p.aimodelc"
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"


def rewrite(path, change):
    path.write_bytes(change(path.read_bytes()))


def described(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def plain_file_for_tree(folder):
    # Another base, so that nothing of the first one is missing.
    (folder / "Other.aimodel").write_bytes(b"no folder")


def other_architecture_inside(folder):
    tree = folder / COMPILED
    (tree / "main-h16p.mlirb").rename(tree / "main-h18p.mlirb")
    (tree / "main-h16p-delegates").rename(tree / "main-h18p-delegates")


def renamed(old, new):
    return lambda folder: (folder / old).rename(folder / new)


def without(path):
    return lambda folder: (shutil.rmtree if (folder / path).is_dir() else os.remove)(folder / path)


def written(path, content):
    def make(folder):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)

    return make


def unknown_architecture(folder):
    tree = folder / COMPILED
    (tree / "main-h16p.mlirb").rename(tree / "main-x1.mlirb")
    (tree / "main-h16p-delegates").rename(tree / "main-x1-delegates")
    tree.rename(folder / "Find.x1.aimodelc")
    described(folder, architectures=["h18p", "x1"])


# finding, whether it refuses, what makes it
FAULTS = [
    ("missing-portable", True, without(PORTABLE)),
    ("missing-architecture", True, without(COMPILED)),
    ("unlisted-architecture", True, lambda folder: described(folder, architectures=["h18p"])),
    ("no-architecture-in-name", True, lambda folder: shutil.copytree(folder / COMPILED, folder / "Find.aimodelc")),
    ("architecture-mismatch", True, other_architecture_inside),
    ("missing-program", True, without(f"{PORTABLE}/main.mlirb")),
    ("not-a-program", True, written("tokenizer/more.json", LFS)),
    ("hash-mismatch", True, lambda folder: rewrite(folder / PORTABLE / "main.mlirb", lambda octets: octets + b"x")),
    ("missing-hash", True, without(f"{PORTABLE}/main.hash")),
    ("unsupported-asset-version", True, written(f"{PORTABLE}/metadata.json", b'{"assetVersion":"3.0"}')),
    ("missing-delegates", True, without(f"{COMPILED}/main-h16p-delegates")),
    ("unresolved-asset", True, written("metadata.json", b'{"metadata_version":"0.2","assets":{"main":"No.aimodel"}}')),
    ("empty-asset", True, lambda folder: (folder / "Other.aimodel").mkdir()),
    ("not-a-bundle", True, plain_file_for_tree),
    ("nested-asset", True, lambda folder: shutil.copytree(folder / PORTABLE, folder / "tokenizer" / "Inner.aimodel")),
    ("unsafe-entry", True, lambda folder: os.symlink("tokenizer.json", folder / "tokenizer" / "link.json")),
    ("unsafe-name", True, written("tokenizer/a\tb.json", b"{}")),
    ("case-collision", True, written("tokenizer/TOKENIZER.json", b"{}")),
    ("unknown-architecture", False, unknown_architecture),
    ("empty-file", False, written("tokenizer/nothing.txt", b"")),
    ("system-junk", False, written("tokenizer/.DS_Store", b"junk")),
]
NEVER_ALLOWED = {"unsafe-entry", "unsafe-name"}


def check(checks, scratch, sound, finding, refuses, fault):
    folder = scratch / finding
    shutil.copytree(sound, folder)
    fault(folder)
    store = store_commands.Store(scratch / f"store-{finding}")
    before = store.entries()
    done = store.publish(folder, "--json")
    told = {(entry["finding"], entry["severity"]) for entry in done.json["findings"]}
    found = {entry[0] for entry in told}
    # Of two trees for no base, or of one that is gone, something is missing as well: that is said, too.
    checks.that((finding, "error" if refuses else "warning") in told, f"{finding} is told\n{done}")
    checks.that(found <= {finding, "missing-portable"}, f"{finding}, and nothing that is not there\n{done}")
    checks.equal(done.status, 1 if refuses else 0, f"exit status\n{done}")
    if not refuses:
        return
    checks.equal(done.json["outcome"], "refused", f"the outcome\n{done}")
    left = [entry for entry in store.entries() if entry not in before]
    checks.that(not [e for e in map(str, left) if "models/" in e or ".json" in e], f"{finding} leaves nothing: {left}")
    checks.equal(store.stagings(), [], f"{finding} leaves no staging")
    allowed = store.publish(folder, "--allow", finding, "--json")
    if finding in NEVER_ALLOWED:
        checks.equal(allowed.status, 2, f"never allowed\n{allowed}")
    elif found == {finding}:
        checks.equal(allowed.status, 0, f"--allow turns it into a warning\n{allowed}")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        sound = scratch / "sound"
        release_folder.make(
            sound, base="Find", architectures=["h16p", "h18p"], portable=4096, weights=4096, specialized=4096
        )
        done = store_commands.Store(scratch / "store").publish(sound, "--json")
        checks.equal((done.status, done.json["findings"]), (0, []), f"the sound release\n{done}")
        for finding, refuses, fault in FAULTS:
            check(checks, scratch, sound, finding, refuses, fault)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
