#!/usr/bin/env python3
"""No client's address is in the ledger: not in the file, its log or its shared memory, in any form.

Clients come from loopback addresses that nothing else looks like, of IPv4 and of IPv6, and bring others in Forwarded and
X-Forwarded-For. They download, resume, give up, check versions, ask in vain and report. Then every octet of the ledger's
files is searched, while the server runs, after a kill and after an orderly end: addresses as texts, in binary in both
orders of octets, in hex and as numbers.

The search finds each of these forms in a copy of the file that has them, and in the file itself what is to be there; and
clients are told apart all the same: by numbers, which are others after a restart.

It adds an address to the loopback interface of a network namespace of its own; where that is not allowed the script says
so and is skipped.
"""

import ipaddress
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

import ledger_host
from ledger_host import served_host

CLIENTS = ["127.83.197.41", "127.211.94.173", "fd5a:83c5:2942:77aa:9b1e:c6d3:58f0:a417"]
FORWARDED = ["198.51.100.77", "203.0.113.229", "2001:db8:83c5:2942:61f7:93ab:5e2d:c814"]
SIZES = {"main.hash": 32, "metadata.json": 900, "resources.bin": 500_000}
AGENT = "privacy-probe/7.31"
DEVICE = "device-4be1c9"


def forms(address):
    """What an address may look like in a file: octets by the form's name."""
    address = ipaddress.ip_address(address)
    octets, number = address.packed, int(address)
    found = {
        "text": str(address).encode(),
        "exploded": address.exploded.encode(),
        "network order": octets,
        "host order": octets[::-1],
        "hex": octets.hex().encode(),
        "hex, host order": octets[::-1].hex().encode(),
        "number": str(number).encode(),
        "number, host order": str(int.from_bytes(octets, "little")).encode(),
    }
    if address.version == 4:
        found["network"] = str(address).rpartition(".")[0].encode() + b"."
    else:
        found["network"] = octets[:8]
        found["network, as text"] = ":".join(address.exploded.split(":")[:4]).encode()
        found["interface"] = octets[8:]
    return found


def search(data):
    """What is found of the addresses, letters of either case."""
    folded = data.lower()
    return [
        f"{address} ({name})"
        for address in CLIENTS + FORWARDED
        for name, octets in forms(address).items()
        if (octets.lower() in folded if octets.isascii() and octets.decode().isprintable() else octets in data)
    ]


def files_of(ledger):
    """The ledger's files, by name."""
    return {path.name: path.read_bytes() for path in ledger.path.parent.iterdir()}


def add_address():
    for command in (["ip", "link", "set", "lo", "up"], ["ip", "-6", "addr", "add", f"{CLIENTS[2]}/128", "dev", "lo"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            served_host.skip(f"{' '.join(command)}: {done.stderr.strip()}")


def free_port():
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listener:
        return listener.getsockname()[1]


def visit(address, source, asset):
    """All that a client does that leaves a trace."""
    fields = [
        ("User-Agent", AGENT),
        ("AIModel-Device", f"{DEVICE} {CLIENTS.index(source)}"),
        ("X-Forwarded-For", ", ".join(FORWARDED)),
        ("X-Real-IP", FORWARDED[0]),
        ("Forwarded", f'for={FORWARDED[0]};by={FORWARDED[1]}, for="[{FORWARDED[2]}]:4711"'),
    ]
    statuses = []

    def ask(path, *more, method="GET", body=b""):
        with ledger_host.Client(address, source) as client:
            answer = client.ask(path, [*fields, *more], method, body)
            if method != "HEAD":
                client.take(answer.length)
            statuses.append(answer.status)

    model = f"/models/{asset.model}"
    for path in SIZES:
        ask(asset.target_of(path))
        ask(asset.target_of(path), method="HEAD")
    ask(asset.archive_target, ("Range", "bytes=10-5000"))
    ask(asset.target_of("resources.bin"), ("Range", "bytes=0-9,1000-1009"))
    ask(asset.target_of("main.hash"), ("If-None-Match", "*"))
    ask(asset.target_of("main.hash"), ("Range", "bytes=32-"))
    ask(f"{model}/{ledger_host.VERSION}/manifest.json")
    ask(f"{model}/latest/resolve?arch=h18p&os=27.1&platform=iOS&installed=0.9.0&device=query")
    ask(f"{model}/latest/resolve?arch=h99q&fallback=none")
    ask(asset.target.replace("h18p", "h99p") + "/main.hash")
    report = {
        "model": asset.model,
        "version": ledger_host.VERSION,
        "asset": asset.name,
        "architecture": "h18p",
        "outcome": "load-failed",
        "errorDomain": "privacy.probe",
        "errorCode": 7,
    }
    body = json.dumps(report).encode()
    # A server that has just begun asks for a little time until its ledger is open.
    for _ in range(20):
        ask("/reports", ("Content-Type", "application/json"), ("Content-Length", len(body)), method="POST", body=body)
        if statuses[-1] != 503:
            break
        statuses.pop()
        time.sleep(0.5)
    with ledger_host.Client(address, source, 8 << 10) as client:
        client.ask(asset.target_of("resources.bin"), fields)
        client.take(1000)
        client.reset()
    return statuses


def check_search(checks, data):
    """The search can fail: every form is found where it is put."""
    for address in CLIENTS + FORWARDED:
        for name, octets in forms(address).items():
            middle = len(data) // 2 + 1
            planted = data[:middle] + octets + data[middle:]
            checks.that(search(planted), f"{address} ({name}) would be found")
    checks.equal(search(data), [], "it is found only there")


def check_files(checks, ledger, when):
    files = files_of(ledger)
    checks.that("telemetry.sqlite" in files, f"{when}: the files {sorted(files)}")
    for name, data in files.items():
        checks.equal(search(data), [], f"{when}: addresses in {name}, {len(data)} octets")
    everything = b"".join(files.values())
    for text in (AGENT, DEVICE, "privacy.probe", "h99q"):
        checks.that(text.encode() in everything, f"{when}: {text!r} is in the files, so they are the right ones")
    return files


def clients_of(ledger):
    """The number of each client, by the device that it said it is."""
    sql = "SELECT device, client FROM download WHERE device LIKE ? GROUP BY device, client ORDER BY min(id)"
    return dict(ledger.rows(sql, f"{DEVICE}%"))


def all_there(ledger, times):
    """Each client's report, and its download that it gave up, which is the last that the server learns of."""
    expected = times * len(CLIENTS)
    given_up = "SELECT sum(requests - completed) FROM download WHERE status = 200"
    return ledger.told("SELECT count(*) FROM device_report", expected) and ledger.told(given_up, expected)


def main():
    ledger_host.enter_namespace(__file__, "--net")
    add_address()
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        root = scratch / "root"
        asset = ledger_host.Asset(scratch, root, SIZES)
        numbers, octets = [], 0
        for times, how in enumerate(("killed", "ended in order"), 1):
            port = free_port()
            with ledger_host.Host(root, "--listen", f"[::1]:{port}", "--listen", f"[{CLIENTS[2]}]:{port}") as host:
                for source in CLIENTS:
                    address = (CLIENTS[2], port) if ":" in source else host.address
                    statuses = visit(address, source, asset)
                    expected = [200] * 6 + [206, 206, 304, 416, 200, 200, 404, 404, 202]
                    checks.equal(statuses, expected, f"{source}: answers")
                checks.that(all_there(host.ledger, times), "all that was asked is in the ledger")
                files = check_files(checks, host.ledger, f"run {times}, while it runs")
                checks.that("telemetry.sqlite-wal" in files, "there is a log")
                if how == "killed":
                    host.process.kill()
                host.stop()
            files = check_files(checks, host.ledger, f"run {times}, {how}")
            octets += sum(len(data) for data in files.values())
            numbers.append(clients_of(host.ledger))
        check_search(checks, b"".join(files.values()))
        checks.equal(search(host.error_text().encode()), [], "addresses on standard error")
        for found in numbers:
            checks.equal(len(found), len(CLIENTS), f"devices: {found}")
            checks.equal(len(set(found.values())), len(CLIENTS), f"clients told apart: {found}")
        checks.that(not set(numbers[0].values()) & set(numbers[1].values()), f"other numbers after a restart: {numbers}")
    looked_for = sum(len(forms(address)) for address in CLIENTS + FORWARDED)
    print(f"{looked_for} forms of {len(CLIENTS + FORWARDED)} addresses in {octets} octets: none found, each would be")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
