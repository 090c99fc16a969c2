#!/usr/bin/env python3
"""What `fetch` is in the server's ledger: one download is one transfer, however often it was killed, and complete.

The devices here bear no id and one address, and the server is started anew while downloads are under way, so that only
`AIModel-Download` can join what belongs together and part what does not: a download that was killed three times, and
one that stopped while another device fetched the same version. Another version than the one that was begun, and the same
one fetched once more after it was removed, are transfers of their own. The ledger is read when the server has ended.
"""

import pathlib
import re
import shutil
import sqlite3
import sys
import tempfile

import delivery
from delivery import release_folder, served_host, store_commands

MODEL = "Ledger"
ASSET = f"{MODEL}.{delivery.ARCHITECTURE}.aimodelc"
FIRST, SECOND = "1.0.0", "2.0.0"
RATE = 24 << 20
KILLS = 3
IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def make_release(folder, version):
    """Two files that are fetched one by one, the biggest first, and small ones after them. The weights differ from
    version to version; some of the small ones do not."""
    return release_folder.make(
        folder, base=MODEL, version=version, seed=version, portable=4096, weights=10_000_000, specialized=6_000_001
    )


class Ledger:
    """What a server has written of its transfers; read when it has ended."""

    def __init__(self, root):
        self.path = root / "var/telemetry.sqlite"

    def transfers(self, version):
        """The rows of the asset, the oldest first."""
        connection = sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)
        connection.row_factory = sqlite3.Row
        try:
            query = "SELECT * FROM transfer WHERE model = ? AND version = ? AND asset = ? ORDER BY first_ms"
            return [dict(row) for row in connection.execute(query, (MODEL, version, ASSET))]
        finally:
            connection.close()


def kill_under_way(checks, library, port, version, share, size):
    """Starts a download and kills it when so much of the rest has passed."""
    proxy = delivery.Proxy(port, RATE)
    process = library.start(proxy.port, "--version", version)
    checks.that(proxy.await_passed(share * size, process), f"the kill meets {version} under way")
    process.kill()
    store_commands.finish(process)
    checks.that(library.unfinished() > 0, "the kill left something to go on from")
    checks.that(not library.tree(version).exists(), f"the kill left no {version}")


def identifier(library):
    """The UUID that is kept beside what is under way; None where nothing is."""
    record = library.staging / "download.json"
    found = IDENTIFIER.search(record.read_text()) if record.exists() else None
    return found and found[0]


def fetch(checks, library, port, version, release, what):
    done = library.fetch(port, "--version", version)
    delivery.check_succeeded(checks, library, version, done, what)
    delivery.check_installed(checks, library, version, delivery.for_device(release), what)
    checks.equal(identifier(library), None, f"{what}: the UUID is forgotten")


def check_whole(checks, rows, count, release, what):
    """So many transfers of the asset, each complete."""
    size = sum(octets for path, (octets, _) in release.files.items() if path.startswith(f"{ASSET}/"))
    checks.equal(len(rows), count, f"{what}: transfers\n{rows}")
    for row in rows:
        covered = (row["bytes_covered"], row["bytes_total"])
        checks.equal(covered, (size, size), f"{what}: octets covered, and of the asset")
        checks.that(row["completed_ms"] is not None, f"{what}: is complete")
        checks.that(row["device"] is None, f"{what}: no device is named")


def main():
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        store = store_commands.Store(scratch / "store")
        first, second = (make_release(scratch / version, version) for version in (FIRST, SECOND))
        for release in (first, second):
            published = store.publish(release.folder)
            checks.equal(published.status, 0, f"publish\n{published}")
        size = delivery.to_transfer(delivery.for_device(first))
        ledger = Ledger(store.root)
        names = ("killed", "stopped", "other", "replaced")
        killed, stopped, other, replaced = (delivery.Library(scratch / name, MODEL) for name in names)

        # Each time another server, which does not know who an address was before.
        met = set()
        for _ in range(KILLS):
            with served_host.Host(store.root) as host:
                kill_under_way(checks, killed, host.port, FIRST, 0.2, size)
                met.add(identifier(killed))
        checks.that(len(met) == 1 and None not in met, f"one UUID over {KILLS} kills: {met}")
        with served_host.Host(store.root) as host:
            fetch(checks, killed, host.port, FIRST, first, f"after {KILLS} kills")
        rows = ledger.transfers(FIRST)
        check_whole(checks, rows, 1, first, f"a download that was killed {KILLS} times")
        if rows:
            print(f"killed {KILLS} times: {rows[0]['requests']} requests, {rows[0]['bytes_sent']} octets sent for {size}")

        # Two devices behind one address: the second fetches all while the first stands still.
        with served_host.Host(store.root) as host:
            kill_under_way(checks, stopped, host.port, FIRST, 0.5, size)
            fetch(checks, other, host.port, FIRST, first, "meanwhile")
            fetch(checks, stopped, host.port, FIRST, first, "after it stood still")
        check_whole(checks, ledger.transfers(FIRST), 3, first, "two devices at once")

        # Nothing is in the first part of it that the other version needs, so that one is transferred as a whole.
        with served_host.Host(store.root) as host:
            kill_under_way(checks, replaced, host.port, FIRST, 0.2, size)
            fetch(checks, replaced, host.port, SECOND, second, "the next version")
            shutil.rmtree(other.folder)
            fetch(checks, other, host.port, FIRST, first, "once more")
        check_whole(checks, ledger.transfers(SECOND), 1, second, "the next version")
        rows = ledger.transfers(FIRST)
        checks.equal(len(rows), 5, f"transfers of the version that was begun, and of all before\n{rows}")
        complete = [row for row in rows if row["completed_ms"] is not None]
        check_whole(checks, complete, 4, first, "the same version once more")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
