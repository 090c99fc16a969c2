#!/usr/bin/env python3
"""A catalog of 20,000 versions: how long the server takes to accept, and how much memory it then has.

Two shapes: 200 models of 100 versions, and one model of 20,000. Manifests are read on first use, so the figures hardly
grow with the catalog. The figures are printed; memory is held to its limit, time only to a bound that a slow or busy
machine keeps.
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host
import stage_release

SHAPES = [(200, 100), (1, 20_000)]
MEMORY_LIMIT = 150 << 20
# Of the processor, user and system together: on a shared machine the time on the clock says little.
CPU_SECONDS_LIMIT = 1.5
CONTENT = b"weights"


def make_catalog(root, release, models, versions):
    """All the manifests, each with the bytes of its one file beside it, hard-linked as a store keeps identical files."""
    first = stage_release.stage(release, root, model="M0", version="0.0.1")
    stored = root / "Public/models/M0/0.0.1/M.aimodel/main.mlirb"
    for model in range(models):
        folder = root / "manifests" / f"M{model}"
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, versions + 1):
            if (model, number) == (0, 1):
                continue
            version = f"0.0.{number}"
            first["model"], first["version"] = f"M{model}", version
            (folder / f"{version}.json").write_bytes(stage_release.canonical(first))
            if number == versions:
                asset = root / "Public" / "models" / f"M{model}" / version / "M.aimodel"
                asset.mkdir(parents=True)
                (asset / "main.mlirb").hardlink_to(stored)


def measure(models, versions, checks):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        asset = scratch / "release" / "M.aimodel"
        asset.mkdir(parents=True)
        (asset / "main.mlirb").write_bytes(CONTENT)
        root = scratch / "root"
        make_catalog(root, scratch / "release", models, versions)
        last = f"/models/M{models - 1}/0.0.{versions}"
        with served_host.Host(root) as host:
            cpu = host.cpu_seconds()
            at_start = host.memory()
            answer, body = served_host.get(host.address, f"{last}/M.aimodel/main.mlirb")
            checks.equal((answer.status, body), (200, CONTENT), "a file of the last version")
            answer, body = served_host.get(host.address, f"{last}/manifest.json")
            checks.equal(answer.status, 200, "the last version's manifest")
            checks.equal(json.loads(body)["version"], f"0.0.{versions}", "the version in it")
            answer, body = served_host.get(host.address, f"{last}0/manifest.json")
            checks.equal(answer.status, 404, "a version that is not published")
            answer, body = served_host.get(host.address, f"/models/M{models - 1}")
            checks.equal(answer.status, 200, "the listing of a model")
            checks.that(f"0.0.{versions}".encode() in body, "the last version is in the listing")
            highest = host.memory("VmHWM")
            print(
                f"{models} models of {versions} versions: accepts after {host.seconds_to_listen:.2f} s, resident MiB: "
                f"{at_start / (1 << 20):.1f} at start, {highest / (1 << 20):.1f} at most after a listing of one model"
            )
            for when, memory in (("at start", at_start), ("at most", highest)):
                checks.that(memory < MEMORY_LIMIT, f"memory {when}: {memory >> 20} MiB of {MEMORY_LIMIT >> 20}")
            checks.that(
                cpu < CPU_SECONDS_LIMIT, f"{cpu:.2f} s of the processor until it accepts, {CPU_SECONDS_LIMIT} are allowed"
            )


def main():
    checks = served_host.Checks()
    for models, versions in SHAPES:
        measure(models, versions, checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
