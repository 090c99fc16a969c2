#!/usr/bin/env python3
"""100 transfers of a ten-file asset, each cut and resumed three times, with a restart of the server in the middle: in the
ledger they are exactly 100, all completed, each octet covered once, and sent is what the clients took.

A third of the clients name their download (AIModel-Download), a third their device (AIModel-Device), a third neither. A
fifth fetch the archive instead of the files, a quarter in eight segments at once. A match by client ends at a restart, as
the contract says, so those of the last third are done before it or begin after it; two of them share an address and
differ by user agent only.

At a cut the client's kernel has acknowledged what its program will never read: at most a receive buffer, by which sent
may exceed what was counted. Or it has not yet acknowledged what its program has read, which the next request tells. Each client's is small, so that this proves something, and each cut leaves more than that to
come, so that no transfer can be complete before its last request.

It is done twice: the server ends in order (SIGTERM), with answers under way that their clients cut while it drains; and
it is killed (SIGKILL) once the ledger has what was done. What a kill meets under way is lost to the ledger.

Beside them, clients that fetch nothing whole: HEAD, 304, 416, 404, and aborts at 1 %, of files that the server's own
socket buffer takes as a whole too. They complete nothing, and their octets are bounded in the same way.
"""

import collections
import concurrent.futures
import contextlib
import os
import pathlib
import random
import signal
import socket
import sys
import tempfile
import uuid

import ledger_host
from ledger_host import served_host

TRANSFERS = 100
CUTS = 3
SEGMENTS = 8
WORKERS = 12
BUFFER = 8 << 10  # the kernel makes it twice that
ROOM = 4 * BUFFER  # more than a client's kernel takes: what a cut leaves to come
# One is empty, some fit a client's buffer, and all fit the server's, so that each answer is handed over at once.
SIZES = {
    "empty.bin": 0,
    "main.hash": 1,
    "metadata.json": 901,
    "stats.json": 4096,
    "main-h18p.mlirb": 30_000,
    "graphs/manifest.plist": 100_003,
    "graphs/original.mpsgraph": 150_000,
    "graphs/specialized.mpsgraph": 262_144,
    "graphs/constants.bin": 400_000,
    "graphs/resources.bin": 600_001,
}
LARGE = [path for path, size in SIZES.items() if size >= 100_000]


class Transfer:
    """One client's plan: rounds of requests, those of one round at the same time; and what it counted."""

    def __init__(self, number, asset, seed):
        self.number, self.asset = number, asset
        self.random = random.Random(f"{seed} {number}")
        self.kind = ("download", "device", "client")[number % 3]
        self.takes_archive, self.is_segmented = number % 5 == 4, number % 4 == 3
        # Two each of those that are known by their client alone come from one address, on the same side of the restart.
        self.source = f"127.40.{number}.1"
        if self.kind == "client":
            self.source = f"127.40.{number // 12}.{2 + number % 2}"
        self.fields = [("User-Agent", f"transfers/{number}")]
        if self.kind == "download":
            self.fields.append(("AIModel-Download", str(uuid.UUID(int=self.random.getrandbits(128), version=4))))
        if self.kind == "device":
            self.fields.append(("AIModel-Device", f"device {number}"))
        self.requests = self.counted = self.cuts = self.allowance = self.wrong = 0
        self.rounds = self.plan()
        # Those that a restart would tear apart are on one side of it.
        self.middle = self.random.randrange(1, len(self.rounds))
        if self.kind == "client":
            self.middle = len(self.rounds) if number % 2 == 0 else 0

    def plan(self):
        """[(target, first, last, octets to take, or all)] by rounds."""
        if self.takes_archive:
            wholes, victims = [], [(self.asset.archive_target, self.asset.archive_size)]
        else:
            files = [(self.asset.target_of(path), len(data)) for path, data in self.asset.contents.items()]
            # What is cut has to leave more to come than the client's kernel takes, in each of eight segments too.
            least = SEGMENTS * 3 * BUFFER if self.is_segmented else (CUTS + 1) * ROOM
            large = [file for file in files if file[1] > least]
            victims = self.random.sample(large, 1 if self.is_segmented else self.random.randint(1, CUTS))
            wholes = [file for file in files if file not in victims]
        cuts = collections.Counter(self.random.choices(victims, k=CUTS))
        parts = [self.cut_up(*victim, cuts[victim]) for victim in victims]
        parts += [[[(target, 0, size - 1, None)]] for target, size in wholes]
        self.random.shuffle(parts)
        return [each for part in parts for each in part]

    def cut_up(self, target, size, cuts):
        if not self.is_segmented:
            return self.cut_range(target, 0, size, cuts)
        size_of_one = size // SEGMENTS
        firsts = [number * size_of_one for number in range(SEGMENTS)]
        ends = firsts[1:] + [size]
        cut, resumed = [], []
        for number in self.random.sample(range(SEGMENTS), SEGMENTS):
            first, end = firsts[number], ends[number]
            if len(resumed) == cuts:
                cut.append((target, first, end - 1, None))
                continue
            taken = self.random.randrange(1, end - first - 2 * BUFFER)
            cut.append((target, first, end - 1, taken))
            resumed.append((target, first + taken, end - 1, None))
        return [cut, resumed]

    def cut_range(self, target, first, end, cuts):
        """The whole of a file in `cuts` + 1 requests, one after the other."""
        rounds = []
        # Further apart than what a peer may leave unacknowledged: which cut an answer goes on behind is plain.
        stops = sorted(self.random.sample(range(1, end - (cuts + 1) * ROOM), cuts))
        stops = [stop + number * ROOM for number, stop in enumerate(stops)]
        for at, stop in zip([first, *stops], [*stops, None]):
            rounds.append([(target, at, end - 1, None if stop is None else stop - at)])
        return rounds

    def begin(self, host, request):
        """Asks, and takes what is to be taken."""
        target, first, last, taken = request
        client = ledger_host.Client(host.address, self.source, BUFFER)
        is_whole = first == 0 and last == self.size_of(target) - 1
        answer = client.ask(target, self.fields + ([] if is_whole else [("Range", f"bytes={first}-{last}")]))
        expected = 200 if is_whole else 206
        body = client.take(answer.length if taken is None else taken)
        if answer.status != expected or not self.is_right(target, first, body):
            self.wrong += 1
        return client, len(body), taken is not None

    def end(self, client, counted, is_cut):
        self.requests += 1
        self.counted += counted
        if not is_cut:
            return client.close()
        # What was read with the head's last octets was taken too.
        self.counted += len(client.rest)
        self.cuts += 1
        self.allowance += client.buffer
        if self.random.random() < 0.5:
            client.reset()
        else:
            client.close()  # over octets that nobody has read: a reset as well, or an end that octets run into

    def run(self, host, rounds):
        for requests in rounds:
            begun = [self.begin(host, request) for request in requests]
            for each in begun:
                self.end(*each)

    def run_to_the_middle(self, host):
        """Up to the restart; the requests that are under way then."""
        done = self.rounds[: self.middle]
        held = []
        if self.kind != "client" and any(request[3] is not None for request in done[-1]):
            held = done.pop()
        self.run(host, done)
        return held

    def size_of(self, target):
        if target == self.asset.archive_target:
            return self.asset.archive_size
        return len(self.asset.contents[target.removeprefix(self.asset.target + "/")])

    def is_right(self, target, first, body):
        if target == self.asset.archive_target:
            return True  # its octets are another script's concern
        return self.asset.contents[target.removeprefix(self.asset.target + "/")][first : first + len(body)] == body


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
        return list(workers.map(work, items))


def fetch_nothing_whole(checks, host, asset):
    """Everything that completes nothing. (Octets that were taken, and what may be added to them, by user agent.)"""
    name = "graphs/resources.bin"
    target, size = asset.target_of(name), SIZES[name]
    tag = f'"{asset.digest_of(name)}"'

    def ask(agent, status, path, fields=(), method="GET"):
        answer, body = served_host.get(host.address, path, [("User-Agent", agent), *fields], method)
        checks.equal((answer.status, method == "HEAD" and len(body)), (status, method == "HEAD" and 0), agent)

    for path in [asset.target_of(path) for path in SIZES] + [asset.archive_target]:
        ask("nothing/head", 200, path, method="HEAD")
        ask("nothing/head", 200, path, [("Range", "bytes=0-")], method="HEAD")
    ask("nothing/304", 304, target, [("If-None-Match", tag)])
    ask("nothing/304", 304, target, [("If-None-Match", "*")])
    ask("nothing/412", 412, target, [("If-Match", '"other"')])
    ask("nothing/416", 416, target, [("Range", f"bytes={size}-")])
    ask("nothing/404", 404, target + ".not")
    ask("nothing/404", 404, target.replace("h18p", "h99p"))

    bounds = {}
    # Reset; ended where nothing is left unread; the last answer of its connection; and each with one side ended before.
    for number, how in enumerate(("reset", "end", "last", "half, reset", "half, end", "half, last")):
        agent, counted, allowance = f"nothing/{how}", 0, 0
        for path in LARGE:  # smaller ones are in the client's buffer before its program can say anything
            client = ledger_host.Client(host.address, f"127.41.{number}.1", BUFFER)
            client.send(asset.target_of(path), [("User-Agent", agent)] + [("Connection", "close")] * ("last" in how))
            if "half" in how:
                client.socket.shutdown(socket.SHUT_WR)
            answer, client.rest = served_host.read_head(client.socket)
            counted += len(client.take(SIZES[path] // 100)) + len(client.rest)
            allowance += client.buffer
            if "end" in how:
                client.socket.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    counted += len(client.socket.recv(ROOM))
                client.close()
            else:
                client.reset()
        bounds[agent] = (counted, allowance)
    return bounds


def check_nothing_whole(checks, ledger, bounds):
    for agent, (counted, allowance) in bounds.items():
        rows = ledger.rows(
            "SELECT coalesce(sum(requests), 0), coalesce(sum(completed), 0), coalesce(sum(bytes_sent), 0)"
            " FROM download WHERE user_agent = ?",
            agent,
        )
        requests, completed, sent = rows[0]
        checks.equal((requests, completed), (len(LARGE), 0), f"{agent}: aborts at 1 %: requests, completed")
        checks.that(
            counted <= sent <= counted + allowance,
            f"{agent}: the client took {counted}, and its buffers at most {allowance}; the ledger says {sent}",
        )
    agents = "SELECT count(*) FROM download WHERE user_agent = ?"
    checks.equal(ledger.value(agents, "nothing/head"), 0, "rows of HEAD")
    for agent, status in (("nothing/304", 304), ("nothing/412", 412), ("nothing/416", 416)):
        found = ledger.rows(
            "SELECT status, sum(requests), sum(completed), sum(bytes_sent * (status < 400))"
            " FROM download WHERE user_agent = ? GROUP BY status",
            agent,
        )
        asked = 2 if status == 304 else 1
        checks.that(found in ([], [(status, asked, 0, 0)]), f"{agent}: {found}")


def check_transfers(checks, ledger, transfers, asset):
    by_client = collections.defaultdict(list)
    for transfer in transfers:
        checks.equal(transfer.wrong, 0, f"transfer {transfer.number}: answers that were wrong")
        checks.equal(transfer.cuts, CUTS, f"transfer {transfer.number}: cuts")
        by_client[transfer.source].append(transfer)
    rows = collections.defaultdict(list)
    # A client has another number after the restart; that of a transfer is the first.
    clients = {}
    for agent, client in ledger.rows("SELECT user_agent, client FROM download WHERE asset NOT NULL ORDER BY id"):
        clients.setdefault(agent, client)
    for row in ledger.rows(
        "SELECT client, device, requests, bytes_sent, bytes_covered, bytes_total, completed_ms, first_ms, last_ms,"
        " asset, architecture FROM transfer WHERE bytes_covered > 0 AND client IN"
        " (SELECT client FROM download WHERE user_agent LIKE 'transfers/%')"
    ):
        rows[row[0]].append(row)
    found = [row for each in rows.values() for row in each]
    checks.equal(len(found), TRANSFERS, "transfers")
    checks.equal(sum(row[6] is not None for row in found), TRANSFERS, "completed transfers")
    excess = []
    for source, group in by_client.items():
        what = f"transfer {', '.join(str(transfer.number) for transfer in group)} ({group[0].kind})"
        mine = rows.get(clients.get(f"transfers/{group[0].number}"), [])
        if len(mine) != len(group):
            checks.that(False, f"{what}: {len(mine)} rows instead of {len(group)}: {mine}")
            continue
        # Of two transfers of one client the rows cannot be told apart, so they are held to their sums.
        size = sum(asset.archive_size if transfer.takes_archive else asset.size for transfer in group)
        checks.equal(sum(row[4] for row in mine), size, f"{what}: bytes_covered")
        checks.equal(sum(row[5] for row in mine), size, f"{what}: bytes_total")
        checks.equal(sum(row[2] for row in mine), sum(each.requests for each in group), f"{what}: requests")
        sent, counted = sum(row[3] for row in mine), sum(each.counted for each in group)
        allowance = sum(each.allowance for each in group)
        excess.append((sent - counted) / (CUTS * len(group)))
        checks.that(
            counted <= sent <= counted + allowance,
            f"{what}: the client counted {counted}, with {CUTS} cuts of {allowance} in all; the ledger says {sent}",
        )
        for row in mine:
            checks.that(row[6] and row[7] <= row[6] <= row[8], f"{what}: begun, completed, last seen: {row[6:9]}")
            checks.equal(row[9:], (asset.name, "h18p"), f"{what}: the asset")
            checks.equal(row[1] is not None, group[0].kind == "device", f"{what}: whether a device is known")
    return max(excess, default=0)


def check_sums(checks, ledger):
    """What the tables say of each other."""
    checks.equal(
        ledger.value("SELECT sum(completed) FROM daily"),
        ledger.value("SELECT count(*) FROM transfer WHERE completed_ms IS NOT NULL"),
        "completed, by daily and by transfer",
    )
    checks.equal(
        ledger.value("SELECT sum(bytes_sent) FROM daily"),
        ledger.value("SELECT sum(bytes_sent) FROM download"),
        "bytes_sent, by daily and by download",
    )
    checks.equal(ledger.value("SELECT count(*) FROM dropped"), 0, "rows of dropped")
    for view in ledger_host.VIEWS:
        checks.that(ledger.rows(f"SELECT * FROM {view} LIMIT 10") is not None, view)
    checks.equal(ledger.value("PRAGMA integrity_check"), "ok", "integrity_check")


def restart(checks, host, transfers, how):
    """Ends the server in the middle; None where its end was as it should be."""
    held = in_parallel(lambda transfer: (transfer, transfer.run_to_the_middle(host)), transfers)
    under_way = []
    if how == signal.SIGTERM:
        for transfer, requests in held:
            under_way += [(transfer, transfer.begin(host, request)) for request in requests]
        host.process.send_signal(signal.SIGTERM)
        served_host.wait_until(lambda: not listens(host), ledger_host.PATIENCE)
        for transfer, begun in under_way:
            transfer.end(*begun)
        # A second SIGTERM would end it at once.
        host.process.wait(timeout=60)
        checks.equal(host.stop(), 0, f"exit status\n{host.error_text()}")
    else:
        for transfer, requests in held:
            transfer.run(host, [requests] if requests else [])
        made = sum(transfer.requests for transfer in transfers)
        wanted = "SELECT coalesce(sum(requests), 0) FROM download WHERE user_agent LIKE 'transfers/%'"
        checks.that(host.ledger.told(wanted, made), f"{made} answers are in the ledger before the kill")
        host.process.kill()
        host.stop()
    return len(under_way)


def listens(host):
    try:
        ledger_host.Client(host.address).close()
        return True
    except OSError:
        return False


def run(checks, how, seed):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        root = scratch / "root"
        asset = ledger_host.Asset(scratch, root, SIZES)
        transfers = [Transfer(number, asset, f"{seed} {how.name}") for number in range(TRANSFERS)]
        with ledger_host.Host(root) as host:
            bounds = fetch_nothing_whole(checks, host, asset)
            under_way = restart(checks, host, transfers, how)
        with ledger_host.Host(root) as host:
            in_parallel(lambda transfer: transfer.run(host, transfer.rounds[transfer.middle :]), transfers)
            made = sum(transfer.requests for transfer in transfers)
            wanted = "SELECT sum(requests) FROM download WHERE user_agent LIKE 'transfers/%'"
            checks.that(host.ledger.told(wanted, made), f"{made} answers are in the ledger in the end")
            checks.equal(host.stop(), 0, f"exit status\n{host.error_text()}")
        excess = check_transfers(checks, host.ledger, transfers, asset)
        check_nothing_whole(checks, host.ledger, bounds)
        check_sums(checks, host.ledger)
        counted, sent = sum(each.counted for each in transfers), sum(bound[0] for bound in bounds.values())
        whole = host.ledger.value("SELECT count(*) FROM transfer WHERE completed_ms IS NOT NULL")
        checks.equal(whole, TRANSFERS, "completed in all")
        resumed = host.ledger.value("SELECT sum(resumed) FROM download")
        cuts = sum(each.cuts for each in transfers)
        # A cut that the server comes to know seconds after the answer that went on is not told as resumed.
        checks.that(cuts * 9 // 10 <= resumed <= cuts, f"{resumed} resumptions of {cuts} cuts")
        print(
            f"{how.name}: {made} answers, {counted + sent} octets taken by clients; {under_way} under way at the restart; "
            f"{whole} of {TRANSFERS} completed; sent exceeds taken by at most {excess:.0f} octets a cut; "
            f"{resumed} of {cuts} seen as resumed"
        )


def main():
    seed = os.environ.get("SEED", "1")
    checks = served_host.Checks()
    for how in (signal.SIGTERM, signal.SIGKILL):
        run(checks, how, seed)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
