#!/usr/bin/env python3
"""Stages a build's release folder into a server's root, as a published version is laid out.

The folder holds `<base>.aimodel` and `<base>.<arch>.aimodelc` trees, companion files beside them, and usually a
manifest.json that names the base, the version and the architectures. Its bytes go to
ROOT/Public/models/<model>/<version>/, and the manifest, in canonical form, to ROOT/manifests/<model>/<version>.json
by a rename: a version is published if and only if that file is there. Standard library only.

    stage_release.py dist/1.4.0 --root . --channel stable

Sparse files stay sparse, and nothing is read into memory whole. Tests and benchmarks use the functions below directly.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import sys

MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
VERSION_NAME = re.compile(r"[0-9][A-Za-z0-9.+-]{0,63}")
CHANNEL_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
ARCHITECTURE_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
RESERVED_CHANNELS = {"latest", "main", "resolve"}
SYSTEM_JUNK = re.compile(r"\.DS_Store|\._.*|_source\.aimodel")

BLOCK = 512
CHUNK = 1 << 20
FREE_SPACE_FLOOR = 512 << 20  # what a device needs beside three times the asset: scratch of the specialization


class StagingError(Exception):
    """The folder cannot be staged; the text says what is wrong and with what."""


# The archive (POSIX pax): its digest is part of the manifest, so its bytes are made here exactly.


def tar_header(prefix, name, size, kind):
    """One 512-byte ustar header: mode 0644, uid, gid and mtime 0, no owner names."""
    fields = [
        name.ljust(100, b"\0"),
        b"0000644\0",
        b"0000000\0",
        b"0000000\0",
        b"%011o\0" % size,
        b"00000000000\0",
        b"        ",  # the checksum is taken with its own field blank
        kind,
        bytes(100),
        b"ustar\00000",
        bytes(32 + 32),
        b"0000000\0" * 2,
        prefix.ljust(155, b"\0"),
        bytes(12),
    ]
    block = b"".join(fields)
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def split_path(path):
    """The (prefix, name) of a ustar header for a path, the prefix as short as it can be; None where it does not fit."""
    if len(path) <= 100:
        return b"", path
    for at, byte in enumerate(path):
        if byte == ord("/") and at <= 155 and 0 < len(path) - at - 1 <= 100 and at > 0:
            return path[:at], path[at + 1 :]
    return None


def pax_record(key, value):
    """`<length> <key>=<value>\\n`, where the length counts itself."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest)
    while length != len(str(length)) + len(rest):
        length = len(str(length)) + len(rest)
    return str(length).encode() + rest


def padding(size):
    return bytes(-size % BLOCK)


def archive_entry(path, size):
    """The bytes that precede a file's content: its header, and a pax header before it where ustar cannot say it."""
    records = b""
    if not path.isascii() or split_path(path) is None:
        records += pax_record(b"path", path)
    if size >= 8 << 30:
        records += pax_record(b"size", str(size).encode())
    head = b""
    if records:
        head = tar_header(b"", b"PaxHeaders", len(records), b"x") + records + padding(len(records))
    # What a reader that knows no pax sees instead of such a path.
    readable = bytes(byte if byte < 0x80 else ord("?") for byte in path)
    prefix, name = split_path(readable) or (b"", readable[:100])
    return head + tar_header(prefix, name, size if size < 8 << 30 else 0, b"0")


class ArchiveDigest:
    """The size and SHA-256 of an archive while its files pass by in order."""

    def __init__(self, asset):
        self.asset, self.size, self.hash = asset, 0, hashlib.sha256()

    def update(self, data):
        self.size += len(data)
        self.hash.update(data)

    def begin(self, path, size):
        self.update(archive_entry(f"{self.asset}/{path}".encode(), size))

    def end(self, size):
        self.update(padding(size))

    def finish(self):
        self.update(bytes(2 * BLOCK))
        return {"name": f"{self.asset}.tar", "size": self.size, "digest": f"sha256:{self.hash.hexdigest()}"}


# Files.


def copy_sparse(source, target):
    """Copies a file's data extents; holes stay holes."""
    with open(source, "rb") as reader, open(target, "wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        at = 0
        while at < size:
            try:
                at = os.lseek(reader.fileno(), at, os.SEEK_DATA)
            except OSError:  # ENXIO: nothing but a hole up to the end
                break
            end = os.lseek(reader.fileno(), at, os.SEEK_HOLE)
            while at < end:
                moved = os.copy_file_range(reader.fileno(), writer.fileno(), min(end - at, 1 << 30), at, at)
                if moved == 0:
                    raise StagingError(f"{source} became shorter while it was read")
                at += moved
        writer.truncate(size)
    os.chmod(target, 0o644)


def sha256_of(path, archive=None):
    """The SHA-256 of a file in hex; the same bytes also go into `archive`."""
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as reader:
        while chunk := reader.read(CHUNK):
            digest.update(chunk)
            if archive is not None:
                archive.update(chunk)
    return digest.hexdigest()


def files_below(folder):
    """The relative paths of all regular files, sorted by their UTF-8 bytes. Anything that is no file is refused."""
    found = []
    for here, folders, names in os.walk(folder):
        for name in folders + names:
            mode = os.lstat(os.path.join(here, name)).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise StagingError(f"{os.path.join(here, name)} is neither a file nor a folder")
        folders[:] = [name for name in folders if not SYSTEM_JUNK.fullmatch(name)]
        for name in names:
            if not SYSTEM_JUNK.fullmatch(name):
                found.append(os.path.relpath(os.path.join(here, name), folder))
    return sorted(found, key=lambda path: path.encode())


def asset_of(name):
    """(base, architecture or None) of an asset's name, or None when the name is no asset's."""
    if name.endswith(".aimodel"):
        return name.removesuffix(".aimodel"), None
    if not name.endswith(".aimodelc"):
        return None
    base, _, architecture = name.removesuffix(".aimodelc").rpartition(".")
    if not base or not ARCHITECTURE_NAME.fullmatch(architecture):
        raise StagingError(f"{name} has no architecture in its name: <base>.<arch>.aimodelc")
    return base, architecture


# The manifest.


def describe_asset(folder, name, base, architecture):
    """An asset's entry of the manifest, read from its tree."""
    archive, lines, files = ArchiveDigest(name), hashlib.sha256(), []
    for path in files_below(folder / name):
        size = os.stat(folder / name / path).st_size
        archive.begin(path, size)
        digest = sha256_of(folder / name / path, archive)
        archive.end(size)
        lines.update(f"{digest}  {size}  {path}\n".encode())
        files.append({"path": path, "size": size, "digest": f"sha256:{digest}"})
    if not files:
        raise StagingError(f"{name} holds no file")
    total = sum(file["size"] for file in files)
    return {
        "name": name,
        "base": base,
        "kind": "portable" if architecture is None else "compiled",
        "architecture": architecture,
        "size": total,
        "fileCount": len(files),
        "requiredFreeBytes": 3 * total + FREE_SPACE_FLOOR,
        "digest": f"sha256:{lines.hexdigest()}",
        "archive": archive.finish(),
        "files": files,
    }


def describe_release(folder, model, version, created_at, facts, trusted):
    """The manifest of a release folder. `trusted` gives digests of companions that are not to be read."""
    assets, companions = [], []
    for name in sorted(os.listdir(folder), key=os.fsencode):
        if SYSTEM_JUNK.fullmatch(name) or name == "manifest.json":
            continue
        named = asset_of(name)
        if named is not None:
            if not os.path.isdir(folder / name):
                raise StagingError(f"{name} is a plain file where a tree must be")
            assets.append(describe_asset(folder, name, *named))
        elif os.path.isdir(folder / name):
            companions += [f"{name}/{path}" for path in files_below(folder / name)]
        else:
            companions.append(name)
    if not assets:
        raise StagingError(f"{folder} holds no .aimodel and no .aimodelc")
    architectures = sorted({asset["architecture"] for asset in assets} - {None})
    listed = facts.get("architectures")
    if listed is not None and sorted(listed) != architectures:
        raise StagingError(f"{folder}/manifest.json lists {sorted(listed)}, the folder holds {architectures}")
    if unknown := set(trusted) - set(companions):
        raise StagingError(f"{', '.join(sorted(unknown))} is no companion: only a companion's digest can be trusted")
    entries = []
    for path in sorted(companions, key=lambda path: path.encode()):
        if path == "resolve":
            raise StagingError("resolve is a reserved name: no companion can bear it at the top of a release")
        digest = trusted.get(path) or sha256_of(folder / path)
        entries.append({"path": path, "size": os.stat(folder / path).st_size, "digest": f"sha256:{digest}"})
    manifest = {
        "schemaVersion": 1,
        "model": model,
        "version": version,
        "createdAt": created_at,
        "architectures": architectures,
        "assets": assets,
        "companions": entries,
    }
    if facts.get("minDeploymentVersion") is not None:
        manifest["minDeploymentVersion"] = facts["minDeploymentVersion"]
    return manifest


def canonical(document):
    """The one form in which a document is written: compact, keys sorted, UTF-8, one newline at the end."""
    return (json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def write_by_rename(path, data):
    """Writes a file so that a reader finds it whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_bytes(data)
    os.chmod(unfinished, 0o644)
    os.rename(unfinished, path)


def copy_release(folder, target, manifest):
    """Copies what the manifest lists, and nothing else."""
    paths = [f"{asset['name']}/{file['path']}" for asset in manifest["assets"] for file in asset["files"]]
    for path in paths + [companion["path"] for companion in manifest["companions"]]:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        copy_sparse(folder / path, target / path)


def point_channel(root, model, version, channel):
    """Lets a channel name a version for all devices; what it named before goes to the head of its history."""
    path = root / "manifests" / model / "model.json"
    record = {"schemaVersion": 1, "model": model, "channels": {}, "withdrawals": []}
    if path.exists():
        record = json.loads(path.read_bytes())
    before = record["channels"].get(channel)
    if before is not None and before["version"] == version:
        return
    history = [] if before is None else [{"version": before["version"], "at": now()}] + before["history"]
    record["channels"][channel] = {"version": version, "share": 100, "history": history}
    write_by_rename(path, canonical(record))


def now():
    """The present second, or SOURCE_DATE_EPOCH where a build sets it, as a manifest writes it."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def stage(folder, root, model=None, version=None, created_at=None, channel=None, minimum=None, trusted=None):
    """Stages a folder; returns its manifest. An option that is None comes from the folder's own manifest.json."""
    folder, root = pathlib.Path(folder), pathlib.Path(root)
    facts = {}
    if (folder / "manifest.json").exists():
        facts = json.loads((folder / "manifest.json").read_bytes())
    if minimum is not None:
        facts["minDeploymentVersion"] = minimum
    model, version = model or facts.get("base"), version or facts.get("version")
    for what, value, rule in (("model", model, MODEL_NAME), ("version", version, VERSION_NAME)):
        if value is None:
            raise StagingError(f"{folder} has no manifest.json that names the {what}: give --{what}")
        if not rule.fullmatch(value):
            raise StagingError(f"{value} is no {what}'s name: {rule.pattern}")
    if channel is not None and (channel in RESERVED_CHANNELS or not CHANNEL_NAME.fullmatch(channel)):
        raise StagingError(f"{channel} is no channel's name: {CHANNEL_NAME.pattern}, not {sorted(RESERVED_CHANNELS)}")
    published = root / "manifests" / model / f"{version}.json"
    if published.exists():
        raise StagingError(f"{model} {version} is published already, and a published version never changes")

    manifest = describe_release(folder, model, version, created_at or now(), facts, trusted or {})
    target = root / "Public" / "models" / model / version
    if target.exists():  # left by a run that was interrupted before its manifest was written
        shutil.rmtree(target)
    copy_release(folder, target, manifest)
    write_by_rename(published, canonical(manifest))
    if channel is not None:
        point_channel(root, model, version, channel)
    return manifest


def main():
    parser = argparse.ArgumentParser(description="Stages a build's release folder into a server's root.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, required=True, help="the folder of Public/ and manifests/")
    parser.add_argument("--model", help="default: the base in the folder's manifest.json")
    parser.add_argument("--version", help="default: the version in the folder's manifest.json")
    parser.add_argument("--created-at", help="2026-11-30T09:30:00Z; default: now, or SOURCE_DATE_EPOCH")
    parser.add_argument("--min-deployment-version", help="default: the folder's manifest.json")
    parser.add_argument("--channel", help="point this channel at the version")
    parser.add_argument(
        "--trust-digest",
        action="append",
        default=[],
        metavar="PATH=HEX",
        help="take this SHA-256 of a companion instead of reading it (a sparse file of terabytes)",
    )
    given = parser.parse_args()
    trusted = {}
    for pair in given.trust_digest:
        path, _, digest = pair.rpartition("=")
        if not path or not re.fullmatch(r"[0-9a-f]{64}", digest):
            parser.error(f"--trust-digest {pair}: PATH=HEX, with 64 lower-case hexadecimal digits")
        trusted[path] = digest
    try:
        manifest = stage(
            given.folder,
            given.root,
            given.model,
            given.version,
            given.created_at,
            given.channel,
            given.min_deployment_version,
            trusted,
        )
    except (StagingError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    size = sum(asset["size"] for asset in manifest["assets"])
    print(f"staged {manifest['model']} {manifest['version']}: {len(manifest['assets'])} assets, {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
