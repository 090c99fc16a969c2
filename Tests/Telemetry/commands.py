#!/usr/bin/env python3
"""stats, missing and prune's guard, on a ledger that a server wrote while devices downloaded.

What they say is held against what the clients here did; that they only read, beside a running server, from another
user, and from a copy; what they do where the ledger is not there, of no use, or has lost something; and that prune then
removes nothing that a device may still ask for.
"""

import os
import pathlib
import re
import shlex
import shutil
import socket
import sqlite3
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Publishing"))
import store_commands
from store_commands import Commands, served_host
import release_folder

MODEL = "Sam3"
PRUNE = ("prune", MODEL, "--keep", "1")
ASSET = f"{MODEL}.h18p.aimodelc"
PATIENCE = 30  # seconds for what takes one or two
NOBODY = 65534
DAY = 86_400_000
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


def release(folder, version, architectures=("h18p",)):
    """Versions of their own content, so that what is pruned gives room back."""
    return release_folder.make(
        folder / version,
        base=MODEL,
        version=version,
        architectures=architectures,
        seed=version,
        portable=64 << 10,
        weights=256 << 10,
        specialized=16 << 10,
    )


def files_of(store, version):
    """(path, size) of each file of the asset that the devices here download."""
    assets = store.manifest(MODEL, version)["assets"]
    asset = next(each for each in assets if each["name"] == ASSET)
    return [(f"/models/{MODEL}/{version}/{ASSET}/{file['path']}", file["size"]) for file in asset["files"]]


class Devices:
    """What clients did, counted by themselves."""

    def __init__(self, checks, host, store):
        self.checks, self.host, self.store = checks, host, store

    def get(self, path, device, fields=(), expected=200):
        answer, body = served_host.get(self.host.address, path, [("AIModel-Device", device), *fields])
        self.checks.equal(answer.status, expected, f"GET {path}")
        return body

    def download(self, version, device):
        """The whole asset; its octets."""
        files = files_of(self.store, version)
        for path, size in files:
            self.checks.equal(len(self.get(path, device)), size, f"GET {path}")
        return sum(size for _, size in files)

    def cut_and_resume(self, version, device):
        """The same, the biggest file in two pieces: a reset after the first of its octets, then the rest."""
        files = files_of(self.store, version)
        biggest, size = max(files, key=lambda file: file[1])
        fields = [("AIModel-Device", device)]
        connection = socket.socket()
        # A small buffer: the answer must still be under way when the connection is reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(self.host.address)
        connection.sendall(served_host.request_bytes(biggest, fields=fields))
        _, body = served_host.read_head(connection)
        while len(body) < 1000:
            body += connection.recv(1000)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        connection.close()
        # Another loop may serve what follows; it is a resumption once the ledger knows of the cut.
        self.checks.that(served_host.wait_until(lambda: self.cuts() == 1, PATIENCE), "the cut is recorded")
        rest = self.get(biggest, device, [("Range", "bytes=1000-")], expected=206)
        self.checks.equal(len(rest), size - 1000, "the rest of a file that was cut")
        for path, size in files:
            if path != biggest:
                self.get(path, device)

    def cuts(self):
        done = self.store.run("stats", "--json")
        return sum(row["cut"] for row in done.json["downloads"]) if done.status == 0 else 0

    def miss(self, version, architecture, device, fallback="portable"):
        """Asks for a variant that is not there; the portable form, or a refusal."""
        path = f"/models/{MODEL}/{version}/resolve?arch={architecture}&fallback={fallback}"
        self.get(path, device, expected=200 if fallback == "portable" else 404)


def check_no_ledger(commands):
    """Nothing is made by looking for it."""
    ledger = commands.store.root / "var/telemetry.sqlite"
    for command in ("stats", "missing"):
        commands.fail(1, command, says=[f"there is no ledger at {ledger}", "serve makes it", "--database"])
        commands.fail(1, command, "--json", says=[str(ledger)])
        commands.fail(1, command, "--database", "elsewhere.sqlite", says=["there is no ledger at elsewhere.sqlite"])
    # Where one was named, it should be there; in its usual place there need not be one.
    rehearse = (*PRUNE, "--dry-run")
    commands.fail(1, *PRUNE, "--database", ledger, says=["there is no ledger", "Nothing was removed; --force"])
    said = f"note: there is no ledger at {ledger}, so nothing is known of who still asks"
    plan = commands.succeed(*rehearse, "--json", errors=said).json
    commands.checks.equal((plan["removed"], plan["ledgerRead"]), (["1.1.0", "1.0.0", "0.9.0"], False), "no ledger")
    commands.succeed(*rehearse, "--database", ledger, "--force", errors="nothing is known of who still asks")


def rows_of(stats, name, *keys):
    """Some members of each row, by version."""
    return {row["version"]: tuple(row[key] for key in keys) for row in stats[name] if row["model"] == MODEL}


def check_traffic(commands, devices, host):
    """Numbers, beside the server that goes on writing."""
    checks = commands.checks
    size = sum(size for _, size in files_of(commands.store, "1.0.0"))
    files = len(files_of(commands.store, "1.0.0"))
    for device in ("anna", "bert", "carl"):
        devices.download("1.0.0", device)
    devices.cut_and_resume("1.0.0", "dora")
    devices.get(files_of(commands.store, "1.0.0")[0][0], "emil")  # and never the rest
    devices.download("1.1.0", "anna")
    for device in ("anna", "bert", "bert"):
        devices.miss("1.1.0", "h17p", device)
    devices.miss("1.0.0", "h17p", "carl", fallback="none")
    devices.miss("1.1.0", "h19p", "carl")

    def told():
        stats = commands.store.run("stats", "--json")
        if stats.status != 0:
            return False
        asked = sum(row["answers"] for row in stats.json["downloads"])
        return asked == 5 * files + 2 and stats.json["missing"]["asked"] == 5

    checks.that(served_host.wait_until(told, PATIENCE), f"all is recorded\n{commands.store.run('stats')}")
    stats = commands.succeed("stats", "--json").json
    found = rows_of(stats, "downloads", "begun", "completed", "answers", "cut", "resumed")
    expected = {"1.0.0": (5, 4, 4 * files + 2, 1, 1), "1.1.0": (1, 1, files, 0, 0)}
    checks.equal(found, expected, "downloads")
    covered = rows_of(stats, "downloads", "bytesCovered", "bytesSent")
    checks.that(4 * size < covered["1.0.0"][0] < 5 * size, f"each octet once: {covered}, of {size} each")
    checks.that(covered["1.0.0"][1] >= covered["1.0.0"][0], f"sent is no less than covered: {covered}")
    checks.equal(covered["1.1.0"], (size, size), "octets")
    # anna has 1.1.0 by now; emil never completed a download.
    adopted = rows_of(stats, "adoption", "architecture", "devices")
    checks.equal(adopted, {"1.0.0": ("h18p", 3), "1.1.0": ("h18p", 1)}, "adoption")
    checks.equal(stats["missing"], {"architectures": 2, "asked": 5}, "asked in vain")
    checks.equal((stats["model"], stats["dropped"]), (None, []), "nothing is lost")
    checks.that(host.alive(), "the server goes on")

    text = commands.succeed("stats", says=["the last 7 days", "Downloads\n", "80.0 %", "100.0 %"]).output
    commands.succeed(
        "stats", says=["in vain: 5 questions for 2 architectures; aimodel-host missing", "the ledger begins"]
    )
    table = [line for line in text.splitlines() if re.match(r"MODEL|Sam3", line)][:3]
    ends = {[found.end() for found in re.finditer(r"\S+", line)][2] for line in table}
    checks.equal((len(table), len(ends)), (3, 1), f"numbers stand below each other\n{text}")
    one = commands.succeed("stats", MODEL, "--since", "1h", says=[f"{MODEL} in the last hour"]).output
    checks.that("1.1.0" in one, f"of one model\n{one}")
    none = commands.succeed("stats", "sam3", "--json", errors=f"note: something was recorded of {MODEL}").json
    checks.equal([none[name] for name in ("downloads", "adoption", "reports")], [[], [], []], "of a model that is none")
    commands.succeed("stats", "sam3", says=["nothing of sam3 was recorded in the last 7 days"], errors="note:")


def missing(commands, *arguments):
    """`missing` with its findings, which are no failure here."""
    done = commands.run("missing", *arguments)
    commands.checks.equal(done.errors, "", f"standard error\n{done}")
    return done


def check_missing(commands, scratch):
    """Most asked first, with a line for a shell; what is published by now is not missing any more."""
    checks = commands.checks
    done = missing(commands, "--json")
    found = [(row["architecture"], row["asked"], row["missing"], row["compileIn"]) for row in done.json["variants"]]
    checks.equal(
        (done.status, found), (1, [("h17p", 4, True, "1.2.0"), ("h19p", 1, True, "1.2.0")]), f"missing\n{done}"
    )
    row = done.json["variants"][0]
    versions = [(each["version"], each["asked"], each["devices"], each["answeredPortable"]) for each in row["versions"]]
    checks.equal(versions, [("1.1.0", 3, 2, 3), ("1.0.0", 1, 1, 0)], "by version")
    words = shlex.split(row["compile"])
    checks.equal(words[:4], ["xcrun", "coreai-build", "compile", f"{MODEL}.aimodel"], "the line")
    checks.equal(words[words.index("--architecture") + 1], "h17p", "the line's architecture")
    told = missing(commands)
    lines = told.output.splitlines()
    checks.that(f"  {row['compile']}" in lines, f"the line stands alone, to be copied\n{told}")
    order = [told.output.find(name) for name in ("h17p.aimodelc, of", "h19p.aimodelc, of")]
    checks.that(0 < order[0] < order[1], f"most asked first\n{told}")
    checks.equal((told.status, told.output.count("xcrun")), (1, 2), f"a line for each\n{told}")
    checks.equal(missing(commands, "--since", "1ms").status, 0, "nothing was asked for in this moment")
    commands.fail(1, "missing", "Sam2", says=["no model Sam2 is published; did you mean Sam3?"])

    commands.succeed("publish", release(scratch, "1.3.0", ("h17p", "h18p")).folder)
    done = missing(commands)
    checks.that("not missing any more, 1.3.0 has it" in done.output, f"published by now\n{done}")
    checks.equal((done.status, done.output.count("xcrun")), (1, 1), f"the other is still missing\n{done}")
    checks.that(
        done.output.find("h19p.aimodelc") < done.output.find("h17p.aimodelc"), f"what is missing comes first\n{done}"
    )
    commands.succeed("publish", release(scratch, "1.4.0", ("h17p", "h18p", "h19p")).folder)
    done = missing(commands)
    checks.equal((done.status, done.output.count("xcrun")), (0, 0), f"none is missing\n{done}")
    checks.that("nothing is missing any more" in done.output, f"and it says so\n{done}")
    # What is withdrawn does not count: its devices are given the portable form again.
    commands.succeed("withdraw", MODEL, "1.4.0", "--reason", "a test", "--arch", "h19p")
    checks.equal(missing(commands).status, 1, "withdrawn is missing")
    commands.succeed("withdraw", MODEL, "1.4.0", "--reason", "a test")
    found = {row["architecture"]: row["publishedIn"] for row in missing(commands, "--json").json["variants"]}
    checks.equal(found, {"h17p": "1.3.0", "h19p": None}, "the version before")


def check_guard(commands):
    """What devices ask for stays, and is named; nothing else does."""
    checks, root = commands.checks, commands.store.root
    begins = "note: the ledger begins at "
    before = commands.store.entries()
    plan = commands.succeed(*PRUNE, "--dry-run", "--json", errors=begins).json
    kept = {row["version"]: row for row in plan["kept"]}
    checks.equal((plan["removed"], plan["ledgerRead"]), (["1.2.0", "0.9.0"], True), f"removed: {plan}")
    checks.equal(list(kept), ["1.4.0", "1.3.0", "1.1.0", "1.0.0"], f"kept: {plan}")
    answers = 4 * len(files_of(commands.store, "1.0.0")) + 2
    checks.equal(kept["1.0.0"]["asked"], answers + 1, "how often 1.0.0 was asked for: its files, and a resolution")
    checks.that(kept["1.3.0"]["reason"] == "one of the newest", f"of several reasons the other: {plan}")
    rehearsed = commands.succeed(*PRUNE, "--dry-run", errors=begins).output
    line = f"keep    1.0.0  devices still ask for it: {answers + 1} times, last {kept['1.0.0']['lastAsked']}\n"
    checks.that(line in rehearsed, f"{line!r} in\n{rehearsed}")
    forced = commands.succeed(*PRUNE, "--dry-run", "--force", "--json", errors=begins).json
    checks.equal(forced["removed"], ["1.2.0", "1.1.0", "1.0.0", "0.9.0"], "--force --dry-run")
    checks.equal([row["version"] for row in forced["removedThoughAsked"]], ["1.1.0", "1.0.0"], "--force says which")
    after = {path: facts for path, facts in commands.store.entries().items() if not path.startswith("var")}
    before = {path: facts for path, facts in before.items() if not path.startswith("var")}
    store_commands.check_same(checks, after, before, "rehearsals")
    done = commands.succeed(*PRUNE, "--json", errors=begins).json
    checks.equal({**done, "dryRun": True}, plan, "prune does what it said")
    commands.succeed(*PRUNE, says=["nothing to remove", line], errors=begins)
    checks.that((root / f"manifests/{MODEL}/1.0.0.json").exists(), "what devices ask for is there")


class Copies:
    """Copies of a ledger that is not written any more, each to be changed by SQLite's own hands."""

    def __init__(self, ledger, folder):
        self.ledger, self.folder, self.count = ledger, folder, 0
        folder.mkdir()

    def make(self, *statements):
        self.count += 1
        path = self.folder / f"{self.count}.sqlite"
        for suffix in ("", "-wal"):
            shutil.copy(f"{self.ledger}{suffix}", f"{path}{suffix}")
        connection = sqlite3.connect(path, isolation_level=None)
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return path


def age(days):
    """Statements that make all older."""
    columns = {
        "download": "started_ms",
        "version_check": "at_ms",
        "variant_miss": "at_ms",
        "device_report": "at_ms",
        "dropped": "at_ms",
    }
    moved = [f"UPDATE {table} SET {column} = {column} - {days * DAY}" for table, column in columns.items()]
    return moved + [
        f"UPDATE transfer SET first_ms = first_ms - {days * DAY}, last_ms = last_ms - {days * DAY}, "
        f"completed_ms = completed_ms - {days * DAY}",
        f"UPDATE daily SET day = date(day, '-{days} days')",
    ]


def check_times(commands, copies):
    """What is older than asked for does not count; of days whose rows are gone the sums are left."""
    checks = commands.checks
    old = copies.make(*age(31))
    done = commands.succeed(
        "stats", "--database", old, says=["nothing was recorded in the last 7 days", "the ledger ends at"]
    )
    checks.that("Downloads" not in done.output, f"no empty tables\n{done}")
    commands.succeed("stats", "--database", old, "--since", "40d", says=["Downloads\n", "1.0.0"])
    checks.equal(missing(commands, "--database", old).status, 0, "nothing was asked for lately")
    plan = commands.succeed(*PRUNE, "--database", old, "--dry-run", "--json", errors="note: the ledger ends at").json
    checks.equal(plan["removed"], ["1.1.0", "1.0.0"], "nobody asks any more")
    recent = copies.make(*age(29))
    plan = commands.succeed(*PRUNE, "--database", recent, "--dry-run", "--json", errors="the ledger begins at").json
    checks.equal(plan["removed"], [], "29 days ago somebody did")

    sums = copies.make(*age(29), "DELETE FROM download", "DELETE FROM transfer", "DELETE FROM version_check")
    commands.succeed(
        "stats", "--database", sums, "--since", "30d", says=["not in the table: 6 downloads begun, 5 completed"]
    )
    done = commands.succeed(
        *PRUNE, "--database", sums, "--dry-run", says=["devices still ask for it: last on "], errors="note:"
    )
    checks.that("nothing to remove" in done.output, f"the roll-up counts\n{done}")
    empty = copies.make(
        *(f"DELETE FROM {table}" for table in ("download", "transfer", "version_check", "variant_miss", "daily"))
    )
    commands.succeed("stats", "--database", empty, says=["nothing was recorded", "the ledger holds nothing yet"])
    commands.succeed(
        *PRUNE,
        "--database",
        empty,
        "--dry-run",
        says=["would remove  1.0.0"],
        errors="note: the ledger holds nothing yet",
    )


def check_losses(commands, copies):
    """What could not be recorded is said, where it matters."""
    checks = commands.checks
    now = int(time.time() * 1000)

    def lost(kind, reason, count):
        return f"INSERT INTO dropped (at_ms, kind, reason, count) VALUES ({now}, '{kind}', '{reason}', {count})"

    ledger = copies.make(
        lost("download", "queue-full", 12),
        lost("download", "size-limit", 34),
        lost("variant_miss", "locked", 5),
        lost("device_report", "disk-full", 6),
        lost("version_check", "queue-full", 7),
    )
    commands.succeed(
        "stats",
        "--database",
        ledger,
        says=[
            "not recorded: 12 requests for files (queue-full)",
            "made room for others: 34 requests for files (size-limit)",
            "not recorded: 5 questions for missing variants (locked)",
            "not recorded: 6 reports of devices (disk-full)",
        ],
    )
    dropped = commands.succeed("stats", "--database", ledger, "--json").json["dropped"]
    checks.equal([row["count"] for row in dropped], [34, 12, 7, 6, 5], "losses as JSON, most first")
    done = missing(commands, "--database", ledger)
    checks.that("not recorded: 5 questions" in done.output and "12 requests" not in done.output, f"missing\n{done}")
    done = commands.succeed(*PRUNE, "--database", ledger, "--dry-run", errors="12 requests for files")
    checks.equal(
        done.errors.count("a version may have been asked for in them"), 2, f"requests and version checks\n{done}"
    )
    checks.that("size-limit" not in done.errors, f"what made room is in the roll-up\n{done}")

    hostile = copies.make(
        f"INSERT INTO variant_miss (at_ms, model, version, base, architecture, answered_with, client) "
        f"VALUES ({now}, 'Sam3' || char(10), '1.0.0', 'a' || char(27) || '[31m', 'h17p' || char(8238), 'problem', 1)"
    )
    done = missing(commands, "--database", hostile)  # `run` looks for escape codes
    checks.that("\\u{1B}[31m" in done.output and "\\u{202E}" in done.output, f"what steers a terminal is shown\n{done}")


def check_useless(commands, copies):
    """A ledger that should be there and tells nothing: each command says why, and prune removes nothing."""
    checks = commands.checks
    foreign = copies.folder / "foreign.sqlite"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    garbage = copies.folder / "garbage.sqlite"
    garbage.write_bytes(served_host.noise(64 << 10))
    locked = copies.make()
    holder = sqlite3.connect(locked, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    broken = copies.make()
    with open(broken, "r+b") as file:
        file.seek(4096)
        file.write(bytes(broken.stat().st_size - 4096))
    useless = {
        copies.make("PRAGMA user_version = 9999"): "run the newer version",
        foreign: "not this program's",
        garbage: "it is damaged",
        broken: "it is damaged",
        locked: "database is locked",
        copies.folder: "it is no file",
    }
    for ledger, words in useless.items():
        for arguments in (["stats"], ["missing"], PRUNE):
            done = commands.fail(1, *arguments, "--database", ledger, says=[f"cannot read the ledger {ledger}", words])
            checks.that("Fatal" not in done.errors, f"no crash\n{done}")
        done = commands.fail(1, *PRUNE, "--database", ledger, says=["--force removes without"])
        commands.succeed(
            *PRUNE,
            "--database",
            ledger,
            "--force",
            "--dry-run",
            says=["would remove  1.0.0"],
            errors="note: nothing is known of who still asks",
        )
    holder.close()


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def is_nobody_able(binary):
    """Whether another user can run it."""
    if os.geteuid() != 0:
        return False
    folders = pathlib.Path(binary).resolve().parents
    return all(folder.stat().st_mode & 0o001 for folder in folders)


def check_only_read(commands, copies, when):
    """Another user, who may only read; and nothing is changed or made beside the ledger."""
    checks, folder = commands.checks, commands.store.root / "var"
    names = sorted(os.listdir(folder))
    stamp = (folder / "telemetry.sqlite").stat()
    for arguments in (["stats"], ["missing", "--json"], [*PRUNE, "--dry-run"]):
        own = commands.run(*arguments)
        if not is_nobody_able(served_host.find_host()):
            print("not checked as another user: that takes root, and a server's binary that others may run")
            continue
        done = commands.store.run(*arguments, before=become_nobody)
        checks.equal(done.status, own.status, f"{when}: another user\n{done}")
        checks.that(done.output != "" and "cannot read" not in done.errors, f"{when}: another user is told\n{done}")
    checks.equal(sorted(os.listdir(folder)), names, f"{when}: nothing is made beside the ledger")
    after = (folder / "telemetry.sqlite").stat()
    if when == "stopped":
        checks.equal(
            (after.st_mtime_ns, after.st_size, after.st_ino), (stamp.st_mtime_ns, stamp.st_size, stamp.st_ino), when
        )
    if copies:
        lonely = copies.folder / "lonely"
        lonely.mkdir()
        shutil.copy(copies.make(), lonely / "copy.sqlite")
        commands.succeed("stats", "--database", lonely / "copy.sqlite", says=["Downloads\n"])
        checks.equal(os.listdir(lonely), ["copy.sqlite"], "nothing is made beside a copy")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        os.chmod(scratch, 0o755)
        commands = Commands(checks, scratch / "store")
        for version in ("0.9.0", "1.0.0", "1.1.0", "1.2.0"):
            commands.succeed("publish", release(scratch, version).folder)
        check_no_ledger(commands)
        with served_host.Host(commands.store.root) as host:
            check_traffic(commands, Devices(checks, host, commands.store), host)
            check_missing(commands, scratch)
            check_guard(commands)
            check_only_read(commands, None, "running")
        copies = Copies(commands.store.root / "var/telemetry.sqlite", scratch / "copies")
        check_only_read(commands, copies, "stopped")
        commands.succeed("stats", says=["Downloads\n", "1.0.0"])
        check_times(commands, copies)
        check_losses(commands, copies)
        check_useless(commands, copies)
        forced = commands.succeed(*PRUNE, "--force", "--json", errors="the ledger begins").json
        checks.equal(forced["removed"], ["1.1.0", "1.0.0"], "--force")
        commands.succeed("verify", MODEL, says=["all is well"])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
