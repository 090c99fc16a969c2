#!/usr/bin/env python3
"""The commands as scripts see them: exit status, what goes to standard output and what to standard error, JSON.

0: done, 1: it failed or findings stand, 2: the command line is wrong, 130: interrupted. Results alone go to standard
output; an error is one on standard error that says what to do. What fails, and what only rehearses, writes nothing.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import store_commands
from store_commands import Commands, served_host
import release_folder

MODEL = "Sam3"


def small(folder, **changes):
    return release_folder.make(folder, base=MODEL, **{"portable": 4096, "weights": 4096, "specialized": 4096, **changes})


def check_usage(commands, release):
    """Exit 2, before anything is looked at."""
    folder = release.folder
    known = [
        (["frobnicate"], "there is no command frobnicate"),
        (["help", "frobnicate"], "there is no command frobnicate"),
    ]
    for arguments, words in known:
        commands.fail(2, *arguments, says=[words], rooted=False)
    overview = commands.run(rooted=False)
    commands.checks.equal((overview.status, overview.output), (2, ""), f"no command at all\n{overview}")
    commands.checks.that("Usage:" in overview.errors, f"no command at all\n{overview}")
    wrong = [
        (["publish"], "takes one folder"),
        (["publish", folder, folder], "takes one folder"),
        (["publish", folder, "--nope"], "no option --nope"),
        (["publish", folder, "-x"], "no option -x"),
        (["publish", folder, "--json=yes"], "takes no value"),
        (["publish", folder, "--root", "elsewhere"], "more than once"),
        (["publish", folder, "--allow", "mising-portable"], "did you mean missing-portable"),
        (["publish", folder, "--allow", "unsafe-name"], "never allowed"),
        (["publish", folder, "--allow", "unsafe-entry"], "never allowed"),
        (["publish", folder, "--model", "a/b"], "a/b"),
        (["publish", folder, "--version", "v1"], "v1"),
        (["publish", folder, "--min-deployment-version", "soon"], "soon"),
        (["publish", folder, "--channel", "Stable"], "no channel's name"),
        (["publish", folder, "--channel", "latest"], "latest is reserved"),
        (["promote", MODEL, "1.0.0"], "needs --channel"),
        (["promote", MODEL, "--channel", "stable"], "takes a model and a version"),
        (["promote", MODEL, "1.0.0", "--channel", "latest"], "latest is reserved"),
        (["promote", MODEL, "1.0.0", "--channel", "stable", "--percent", "0"], "from 1 to 100"),
        (["promote", MODEL, "1.0.0", "--channel", "stable", "--percent", "101"], "from 1 to 100"),
        (["promote", MODEL, "1.0.0", "--channel", "stable", "--percent", "half"], "from 1 to 100"),
        (["rollback", MODEL], "needs --channel"),
        (["rollback", "--channel", "stable"], "takes a model"),
        (["withdraw", MODEL, "1.0.0"], "needs --reason"),
        (["withdraw", MODEL, "1.0.0", "--reason", " "], "the reason is"),
        (["withdraw", MODEL, "1.0.0", "--reason", "a", "--replacement", "1.0.0"], "cannot replace itself"),
        (["withdraw", MODEL, "1.0.0", "--reason", "a", "--arch", "H18P"], "no architecture"),
        (["prune", MODEL], "needs --keep"),
        (["prune", MODEL, "--keep", "0"], "from 1 to"),
        (["prune", "--keep", "1"], "takes a model"),
        (["verify", MODEL, "1.0.0", "more"], "at most"),
        (["verify", MODEL, "one"], "no version"),
        (["list", MODEL, "more"], "at most"),
        (["prune", MODEL, "--keep", "1", "--database", "none"], "nothing to read"),
        (["stats", MODEL, "more"], "at most"),
        (["stats", "a/b"], "no model's name"),
        (["stats", "--since", "soon"], "takes a time such as"),
        (["stats", "--since", "0d"], "no time at all"),
        (["stats", "--database", ""], "--database is empty"),
        (["stats", "--database", "none"], "nothing to read"),
        (["missing", MODEL, "more"], "at most"),
        (["missing", "--since", "1 week"], "takes a time such as"),
    ]
    for arguments, words in wrong:
        commands.fail(2, *arguments, says=[words])
    commands.fail(2, "publish", folder, "--root", says=["--root needs a value"], rooted=False)
    bare = folder.parent / "bare"
    shutil.copytree(folder, bare)
    (bare / "manifest.json").unlink()
    commands.fail(2, "publish", bare, says=["give --model", "manifest.json"])
    commands.fail(2, "publish", bare, "--model", MODEL, says=["give --version"])


def check_help(commands):
    for arguments in (["--help"], ["help"], ["-h"]):
        commands.succeed(*arguments, says=["Usage:", "publish", "Exit status"], rooted=False)
    version = commands.succeed("--version", rooted=False)
    commands.checks.that(re.fullmatch(r"aimodel-host \d+\.\d+\.\d+\n", version.output), f"the version\n{version}")
    for name in ("publish", "list", "verify", "promote", "rollback", "withdraw", "prune", "stats", "missing"):
        first = commands.succeed("help", name, says=[f"Usage: aimodel-host {name}", "--root", "--json"], rooted=False)
        second = commands.succeed(name, "--help", rooted=False)
        commands.checks.equal(second.output, first.output, f"{name} --help is help {name}")


def check_failures(commands, release, scratch):
    """Exit 1, and what may have been meant."""
    absent = scratch / "absent"
    commands.fail(1, "publish", absent, "--model", "M", "--version", "1", says=[f"{absent} is not there"])
    empty = scratch / "empty"
    empty.mkdir()
    commands.fail(1, "publish", empty, "--model", "M", "--version", "1", says=["holds no asset"])
    for arguments in (
        ["publish", release.folder],
        ["list"],
        ["verify"],
        ["promote", MODEL, "1.0.0", "--channel", "stable"],
        ["rollback", MODEL, "--channel", "stable"],
        ["withdraw", MODEL, "1.0.0", "--reason", "a"],
        ["prune", MODEL, "--keep", "1"],
        ["stats"],
        ["missing"],
    ):
        done = commands.fail(1, *arguments, "--root", absent, says=[str(absent)], rooted=False)
        commands.checks.that(not absent.exists(), f"a store that is not there is not made\n{done}")
    meant = f"no model {MODEL.lower()} is published; did you mean {MODEL}?"
    for arguments in (
        ["list", MODEL.lower()],
        ["verify", MODEL.lower()],
        ["promote", MODEL.lower(), "1.0.0", "--channel", "stable"],
        ["rollback", MODEL.lower(), "--channel", "stable"],
        ["withdraw", MODEL.lower(), "1.0.0", "--reason", "a"],
        ["prune", MODEL.lower(), "--keep", "1"],
    ):
        commands.fail(1, *arguments, says=[meant])
    for arguments in (
        ["verify", MODEL, "1.0.1"],
        ["promote", MODEL, "1.0.1", "--channel", "stable"],
        ["withdraw", MODEL, "1.0.1", "--reason", "a"],
    ):
        commands.fail(1, *arguments, says=[f"{MODEL} 1.0.1 is not published", "did you mean 1.0.0"])
    commands.fail(1, "rollback", MODEL, "--channel", "stable", says=["has no channel stable"])
    commands.fail(1, "withdraw", MODEL, "1.0.0", "--reason", "a", "--arch", "h14g", says=["has h16p, h18p"])


def check_publish(commands, release, scratch):
    """The walk of a release."""
    folder, checks = release.folder, commands.checks
    listed = commands.run("list", "--json")
    checks.equal((listed.status, listed.json), (1, {"models": []}), f"list where no store is yet\n{listed}")
    checks.that("manifests: is not there" in listed.errors, f"which may be the wrong folder\n{listed}")
    before = commands.store.entries()
    rehearsed = commands.succeed("publish", folder, "--dry-run", "--json").json
    commands.succeed("publish", folder, "--dry-run", says=[f"would publish {MODEL} 1.0.0"])
    store_commands.check_same(checks, commands.store.entries(), before, "a dry run in a store that is empty")

    published = commands.succeed("publish", folder, "--json").json
    checks.equal((rehearsed.pop("outcome"), published.pop("outcome")), ("dry-run", "published"), "outcomes")
    checks.equal(rehearsed, published, "a dry run says what a publication says")
    checks.equal(published["size"], release.size, "size")
    checks.equal(published["storedBytes"], release.distinct_size, "storedBytes")
    checks.equal((published["model"], published["version"], published["findings"]), (MODEL, "1.0.0", []), "identity")
    checks.that(release.size < 1_000_000, "the sizes below are in kB")
    texts = [f"{size / 1000:.1f} kB" for size in (release.size, commands.store.versions(MODEL)["1.0.0"]["storedSize"])]
    commands.succeed("list", MODEL, says=[MODEL, "1.0.0", "h16p h18p", "latest", *texts])

    before = commands.store.entries()
    commands.succeed("publish", folder, says=["is published already, with the same bytes"])
    again = commands.succeed("publish", folder, "--json").json
    checks.equal(again["outcome"], "already-published", "the same again")
    commands.succeed("publish", folder, "--dry-run", says=["is published already"])
    second = small(scratch / "second", version="1.1.0", seed="2")
    rehearsed = commands.succeed("publish", second.folder, "--dry-run", "--json").json
    store_commands.check_same(checks, commands.store.entries(), before, "the same again, and a dry run of another")
    published = commands.succeed("publish", second.folder, "--channel", "beta", "--json").json
    checks.equal(rehearsed["storedBytes"], published["storedBytes"], "a dry run knows what is there already")
    channels = [{"name": name, "share": 100} for name in ("beta", "latest")]
    checks.equal(commands.store.versions(MODEL)["1.1.0"]["channels"], channels, "--channel")
    lines = commands.succeed("publish", second.folder, "--channel", "beta").output.splitlines()
    checks.equal(len(lines), 2, f"the version, and the channel: {lines}")
    other = commands.succeed("publish", folder, "--model", "Other", "--version", "2", "--min-deployment-version", "26.1")
    checks.that("published Other 2:" in other.output, f"options go before manifest.json\n{other}")
    checks.equal(commands.store.manifest("Other", "2")["minDeploymentVersion"], "26.1", "--min-deployment-version")


def check_lost_results(commands, release):
    """A result that nobody gets is a failure; a reader that has enough is none."""
    binary, root = served_host.find_host(), commands.store.root
    for arguments in (["list"], ["list", "--json"], ["verify"], ["publish", release.folder]):
        with open("/dev/full", "wb") as full:
            command = [binary, *map(str, arguments), "--root", root]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=store_commands.PATIENCE)
        checks = commands.checks
        checks.equal(done.returncode, 1, f"{arguments} > /dev/full: {done.stderr!r}")
        checks.that(b"cannot write the result" in done.stderr, f"{arguments} > /dev/full says so: {done.stderr!r}")


def check_immutable(commands, release, scratch):
    """Other bytes under a published version: refused, with what differs."""
    other = scratch / "differs"
    shutil.copytree(release.folder, other)
    (other / "metadata.json").write_text('{"metadata_version": "0.2"}')
    (other / "README.md").write_text("new")
    (other / "tokenizer/tokenizer.json").unlink()
    (other / "tokenizer/vocabulary.json").write_text("{}")
    for arguments in ([], ["--dry-run"], ["--json"]):
        commands.fail(
            1,
            "publish",
            other,
            "--min-deployment-version",
            "28.0",
            *arguments,
            says=[
                f"{MODEL} 1.0.0 is published already with other content",
                "changed: metadata.json",
                "added: README.md",
                "added: tokenizer/vocabulary.json",
                "removed: tokenizer/tokenizer.json",
                "changed: minDeploymentVersion (27.0 published, 28.0 now)",
            ],
        )
    store_commands.check_clean(commands.checks, commands.store, "after refusals")


def check_findings(commands, scratch):
    """All at once, on standard error or as JSON, and --allow."""
    checks = commands.checks
    faulty = small(scratch / "faulty", version="3.0.0", architectures=("h16p", "h17p"))
    (faulty.folder / f"{MODEL}.h16p.aimodelc/main.hash").unlink()
    (faulty.folder / f"{MODEL}.aimodel/metadata.json").write_text('{"assetVersion": "1.0"}')
    (faulty.folder / ".DS_Store").write_text("junk")
    release_folder.describe(faulty, ("h16p", "h17p", "h18p"))
    errors = ["missing-hash", "unsupported-asset-version", "missing-architecture"]
    said = [f"error  {finding}  " for finding in errors] + ["warning  system-junk  ", "3 findings stand, 1 warning"]
    commands.fail(1, "publish", faulty.folder, says=said)
    before = commands.store.entries()
    refused = commands.run("publish", faulty.folder, "--json")
    checks.equal((refused.status, refused.errors), (1, ""), f"refused --json\n{refused}")
    checks.equal(refused.json["outcome"], "refused", "outcome")
    found = {finding["finding"]: finding["severity"] for finding in refused.json["findings"]}
    checks.equal(found, {**dict.fromkeys(errors, "error"), "system-junk": "warning"}, "findings as JSON")
    for finding in refused.json["findings"]:
        checks.that(finding["path"] and finding["message"], f"each names a path and says what to do: {finding}")
    allowed = [word for finding in errors for word in ("--allow", finding)]
    commands.fail(1, "publish", faulty.folder, *allowed[2:], says=["warning  missing-arch", "error  missing-hash"])
    rehearsed = commands.succeed("publish", faulty.folder, *allowed, "--dry-run", "--json").json
    checks.equal({finding["severity"] for finding in rehearsed["findings"]}, {"warning"}, "allowed findings")
    store_commands.check_same(checks, commands.store.entries(), before, "refusals and a dry run write nothing")
    commands.succeed("publish", faulty.folder, *allowed, errors="warning  missing-hash", says=["published Sam3 3.0.0"])
    check_hash_mismatch(commands, scratch)
    store_commands.check_clean(checks, commands.store, "after findings")


def check_hash_mismatch(commands, scratch):
    """The finding that only the copying pass makes."""
    wrong = small(scratch / "wrong", version="3.1.0", portable=3 << 20)
    program = wrong.folder / f"{MODEL}.aimodel/main.mlirb"
    with open(program, "r+b") as output:
        output.seek(2 << 20)
        output.write(b"one word")
    said = [f"error  hash-mismatch  {MODEL}.aimodel/main.mlirb", "1 finding stands; nothing was published"]
    commands.fail(1, "publish", wrong.folder, "--dry-run", says=said)
    commands.fail(1, "publish", wrong.folder, says=said)
    refused = commands.run("publish", wrong.folder, "--json")
    commands.checks.equal((refused.status, refused.errors), (1, ""), f"refused --json\n{refused}")
    kinds = [(finding["finding"], finding["severity"]) for finding in refused.json["findings"]]
    commands.checks.equal((refused.json["outcome"], kinds), ("refused", [("hash-mismatch", "error")]), "as JSON")
    commands.checks.that("3.1.0" not in commands.store.versions(MODEL), "nothing is published")
    store_commands.check_clean(commands.checks, commands.store, "after a wrong hash")
    allow = ["--allow", "hash-mismatch"]
    commands.succeed("publish", wrong.folder, *allow, errors="warning  hash-mismatch", says=["published Sam3 3.1.0"])


def check_record(commands):
    """Channels, withdrawals, pruning; and what `list` and `verify` then say."""
    checks = commands.checks
    commands.succeed("promote", MODEL, "1.0.0", "--channel", "stable", says=["stable now leads to 1.0.0"])
    before = commands.store.entries()
    commands.succeed("promote", MODEL, "1.0.0", "--channel", "stable", says=["leads to 1.0.0 already"])
    store_commands.check_same(checks, commands.store.entries(), before, "the same promotion again")
    arguments = ["promote", MODEL, "1.1.0", "--channel=stable", "--percent=20", "--json"]
    promoted = commands.succeed(*arguments).json
    for key, value in {"channel": "stable", "version": "1.1.0", "share": 20, "previous": "1.0.0", "changed": True}.items():
        checks.equal(promoted[key], value, f"promote --json: {key}")
    commands.succeed("list", says=["stable (20 %)"])
    rolled = commands.succeed("rollback", MODEL, "--channel", "stable", "--json").json
    checks.equal((rolled["version"], rolled["share"]), ("1.0.0", 100), "rollback --json")
    commands.fail(1, "rollback", MODEL, "--channel", "stable", says=["nothing to go back to"])
    one = commands.succeed("withdraw", MODEL, "1.0.0", "--arch", "h18p", "--reason", "slow", "--json", errors="").json
    checks.equal((one["architecture"], one["changed"]), ("h18p", True), "withdraw --arch --json")
    commands.succeed("withdraw", MODEL, "3.1.0", "--reason", "wrong", says=[f"{MODEL} 3.1.0 is withdrawn"])
    commands.succeed("withdraw", MODEL, "3.1.0", "--reason", "wrong", says=["withdrawn already"])
    commands.fail(1, "promote", MODEL, "3.1.0", "--channel", "stable", says=["is withdrawn"])
    checks.equal(commands.store.versions(MODEL)["3.1.0"]["withdrawn"], True, "withdrawn in list --json")

    commands.succeed("promote", MODEL, "3.0.0", "--channel", "beta")
    commands.succeed("promote", MODEL, "1.0.0", "--channel", "beta", errors="note: of 1.0.0, h18p is withdrawn")
    before = commands.store.entries()
    note = f"note: there is no ledger at {commands.store.root}/var/telemetry.sqlite"
    plan = commands.succeed("prune", MODEL, "--keep", "1", "--dry-run", "--json", errors=note).json
    commands.succeed("prune", MODEL, "--keep", "1", "--dry-run", says=["would remove  1.1.0"], errors=note)
    store_commands.check_same(checks, commands.store.entries(), before, "prune --dry-run")
    checks.equal((plan["dryRun"], plan["removed"]), (True, ["1.1.0"]), f"prune --dry-run --json: {plan}")
    pruned = commands.succeed("prune", MODEL, "--keep", "1", "--json", errors=note).json
    checks.equal({**pruned, "dryRun": True}, plan, "prune does what it said")
    commands.succeed("prune", MODEL, "--keep", "1", says=["nothing to remove"], errors=note)
    verified = commands.succeed("verify", "--json").json
    checks.equal((verified["findings"], verified["versions"]), ([], 4), f"verify --json: {verified}")
    commands.succeed("verify", MODEL, says=["all is well: 3 versions"])


def check_damage(commands):
    """verify names each fault; it changes nothing."""
    store, checks = commands.store, commands.checks
    tree = store.root / "Public/models" / MODEL / "3.0.0"
    faults = {
        "damaged": tree / f"{MODEL}.aimodel/main.mlirb",
        "missing": tree / f"{MODEL}.h17p.aimodelc/stats.json",
        "surplus": tree / "notes.txt",
    }
    for path in faults.values():
        os.chmod(path.parent, 0o755)
    damaged = bytearray(faults["damaged"].read_bytes())
    damaged[-1] ^= 1
    faults["damaged"].unlink()
    faults["damaged"].write_bytes(damaged)
    faults["missing"].unlink()
    faults["surplus"].write_text("mine")
    before = store.entries()
    told = commands.run("verify", MODEL, "3.0.0", "--json")
    checks.equal((told.status, told.errors), (1, ""), f"verify of damage\n{told}")
    kinds = {finding["path"]: finding["kind"] for finding in told.json["findings"]}
    expected = {str(path.relative_to(store.root)): kind for kind, path in faults.items()}
    checks.equal(kinds, expected, "what verify finds")
    text = commands.run("verify")
    checks.equal((text.status, text.errors), (1, ""), f"verify of the whole store\n{text}")
    for path, kind in expected.items():
        checks.that(f"{kind}  {path}\n" in text.output, f"names {path} as {kind}\n{text}")
    store_commands.check_same(checks, store.entries(), before, "verify changes nothing")


def check_together(commands, scratch):
    """Two publishers at once."""
    checks, store = commands.checks, commands.store
    one = small(scratch / "one", version="1.0.0", portable=8 << 20, weights=4 << 20)
    two = small(scratch / "two", version="1.0.0", portable=8 << 20, weights=4 << 20, seed="2", weights_seed="1")
    for number in range(5):
        same = [store.start_publish(one.folder, "--version", f"4.{number}.0", "--json") for _ in range(2)]
        for done in [store_commands.finish(process) for process in same]:
            checks.equal(done.status, 0, f"the same twice at once\n{done}")
        pair = [store.start_publish(each.folder, "--version", f"5.{number}.0") for each in (one, two)]
        ended = sorted((store_commands.finish(process) for process in pair), key=lambda done: done.status)
        checks.equal([done.status for done in ended], [0, 1], f"two contents at once\n{ended[0]}\n{ended[1]}")
        checks.that("published already with other content" in ended[1].errors, f"says why not\n{ended[1]}")
        checks.that(f"changed: {MODEL}.aimodel/main.mlirb" in ended[1].errors, f"and what differs\n{ended[1]}")
        pair = [store.start_publish(each.folder, "--version", f"{6 + at}.{number}.0") for at, each in enumerate((one, two))]
        for done in [store_commands.finish(process) for process in pair]:
            checks.equal(done.status, 0, f"two versions at once\n{done}")
        store_commands.check_clean(checks, store, "after two publishers at once")
    content = one.distinct_size + two.distinct_size
    checks.that(store.sizes()[0] < content, f"all of it is stored once: {store.sizes()[0]} of {content}")


def check_looks_meanwhile(commands, scratch):
    """What only looks finds nothing wrong while others publish and prune."""
    checks, store = commands.checks, commands.store
    one = small(scratch / "busy", version="1.0.0", portable=8 << 20, weights=4 << 20, seed="busy")
    checks.equal(store.publish(one.folder).status, 0, "publish")
    looked = 0
    for number in range(5):
        writers = [
            store.start_publish(one.folder, "--version", f"2.{number}.0", "--model", "Looked"),
            store.start_publish(one.folder, "--version", f"2.{number}.1", "--model", "Looked"),
            store_commands.start("prune", "Looked", "--keep", "1", "--root", store.root),
        ]
        while any(writer.poll() is None for writer in writers):
            commands.succeed("verify", MODEL, "1.0.0")
            commands.succeed("list")
            commands.succeed("verify", says=["all is well"])
            looked += 1
        for done in [store_commands.finish(writer) for writer in writers[:2]]:
            checks.equal(done.status, 0, f"publish while others look\n{done}")
        pruned = store_commands.finish(writers[2])
        unknown = number == 0 and "no model Looked is published" in pruned.errors
        checks.that(pruned.status == 0 or unknown, f"prune while others publish\n{pruned}")
    checks.that(looked >= 5, f"looked {looked} times")
    store_commands.check_clean(checks, store, "after looks")


def check_interrupted(commands, scratch):
    """Ctrl-C, and what a service manager sends."""
    checks, store = commands.checks, commands.store
    big = small(scratch / "big", version="9.0.0", portable=200 << 20)
    before = store.entries()
    for number in (signal.SIGINT, signal.SIGTERM):
        for _ in range(50):
            process = store.start_publish(big.folder)
            deadline = time.monotonic() + store_commands.PATIENCE
            while process.poll() is None and time.monotonic() < deadline:
                if any(path.stat().st_size > 1 << 20 for path in store.staging.glob("*/tree/*/main.mlirb")):
                    break
            process.send_signal(number)
            done = store_commands.finish(process)
            if done.status != 0:
                break
            store.run("prune", MODEL, "--keep", "1")  # it was faster
        checks.equal((done.status, done.output), (130, ""), f"interrupted by {number.name}\n{done}")
        checks.that(done.errors.startswith("error: interrupted"), f"says so\n{done}")
        checks.that("9.0.0" not in store.versions(MODEL), "not published")
        store_commands.check_clean(checks, store, f"after {number.name}")
        entries = {path: facts for path, facts in store.entries().items() if path in before}
        store_commands.check_same(checks, entries, before, f"nothing else is touched by {number.name}")
    commands.succeed("publish", big.folder, says=["published Sam3 9.0.0"])


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        release = small(scratch / "release")
        commands = Commands(checks, scratch / "store")
        check_help(commands)
        check_usage(commands, release)
        check_publish(commands, release, scratch)
        check_failures(commands, release, scratch)
        check_lost_results(commands, release)
        check_immutable(commands, release, scratch)
        check_findings(commands, scratch)
        check_record(commands)
        check_damage(commands)
        check_together(Commands(checks, scratch / "together"), scratch)
        check_looks_meanwhile(Commands(checks, scratch / "looks"), scratch)
        interrupted = Commands(checks, scratch / "interrupted")
        interrupted.succeed("publish", release.folder)
        check_interrupted(interrupted, scratch)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
