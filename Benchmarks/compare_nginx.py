#!/usr/bin/env python3
"""Requests per second of server CPU, beside nginx, for the same published files.

    compare_nginx.py [--pairs 5] [--seconds 3] [--connections 32] [--at-least 1.2]

Both servers run with two threads or workers and serve the same bytes over loopback to wrk, in turn: A B, B A, A B...
What is compared is requests per second of CPU time that the server itself used (all its processes, from
/proc/PID/stat): wrk and the servers share the machine's cores, so requests per second of wall time would measure wrk too.
Figures are medians. The script fails when the ratio for the smallest file is below --at-least.

nginx is tuned as a static host: sendfile, tcp_nopush, an open-file cache, a buffered access log, reuseport. It gets the
same Cache-Control header to send. Needs nginx and wrk (Debian: apt-get install nginx-light wrk).
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "Support"))
import served_host
import stage_release

SIZES = [("1 KiB", 1 << 10), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20)]
THREADS = 2
TICKS = os.sysconf("SC_CLK_TCK")
FOLDER = "/models/Bench/1.0.0/Bench.aimodel"

NGINX_CONFIGURATION = """
daemon off;
{user}
pid {scratch}/nginx.pid;
error_log {scratch}/nginx.error warn;
worker_processes {threads};
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    access_log {scratch}/nginx.access combined buffer=64k flush=5s;
    client_body_temp_path {scratch}/body;
    proxy_temp_path {scratch}/proxy;
    fastcgi_temp_path {scratch}/fastcgi;
    uwsgi_temp_path {scratch}/uwsgi;
    scgi_temp_path {scratch}/scgi;
    sendfile on;
    sendfile_max_chunk 2m;
    tcp_nopush on;
    tcp_nodelay on;
    keepalive_requests 100000000;
    keepalive_timeout 60s;
    open_file_cache max=1000 inactive=60s;
    open_file_cache_valid 60s;
    server_tokens off;
    types {{ }}
    default_type application/octet-stream;
    server {{
        listen 127.0.0.1:{port} reuseport backlog=1024;
        root {root}/Public;
        add_header Cache-Control "public, max-age=31536000, immutable";
    }}
}}
"""


def process_and_children(pid):
    """A process and all below it."""
    found, waiting = [], [pid]
    while waiting:
        each = waiting.pop()
        found.append(each)
        for task in os.listdir(f"/proc/{each}/task"):
            children = pathlib.Path(f"/proc/{each}/task/{task}/children").read_text()
            waiting += [int(child) for child in children.split()]
    return found


def cpu_seconds(pid):
    """User and system time of a server so far, all threads and processes."""
    total = 0
    for each in process_and_children(pid):
        after_name = pathlib.Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        total += int(after_name[11]) + int(after_name[12])
    return total / TICKS


def resident_mib(pid):
    total = 0
    for each in process_and_children(pid):
        status = pathlib.Path(f"/proc/{each}/status").read_text()
        total += int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])
    return total / 1024


@contextlib.contextmanager
def nginx(root, scratch):
    """A running nginx: its port and the id of its master process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = scratch / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""
    configuration.write_text(
        NGINX_CONFIGURATION.format(user=user, scratch=scratch, threads=THREADS, port=port, root=root)
    )
    process = subprocess.Popen(["nginx", "-c", str(configuration), "-p", str(scratch)], stderr=subprocess.DEVNULL)
    try:
        if not served_host.wait_until(lambda: answers(port) or process.poll() is not None, 10) or process.poll():
            sys.exit(f"error: nginx did not come up\n{(scratch / 'nginx.error').read_text()}")
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def run_wrk(port, pid, path, seconds, connections):
    """One run: requests for each second of server CPU, and for each second of wall time."""
    before, begun = cpu_seconds(pid), time.monotonic()
    output = subprocess.run(
        ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", f"http://127.0.0.1:{port}{path}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    used, took = cpu_seconds(pid) - before, time.monotonic() - begun
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"error: a run with failures is no measurement\n{output}")
    requests = int(re.search(r"(\d+) requests in", output)[1])
    return requests / used, requests / took


def main():
    parser = argparse.ArgumentParser(description="Requests per second of server CPU, beside nginx.")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--at-least", type=float, default=1.2, metavar="RATIO")
    given = parser.parse_args()
    for tool in ("nginx", "wrk"):
        if shutil.which(tool) is None:
            served_host.skip(f"no {tool} here")

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        asset = scratch / "release" / "Bench.aimodel"
        asset.mkdir(parents=True)
        for name, size in SIZES:
            (asset / f"{size}.bin").write_bytes(served_host.noise(size))
        root = scratch / "root"
        stage_release.stage(scratch / "release", root, model="Bench", version="1.0.0")
        ratios = []
        with served_host.Host(root, ["--threads", str(THREADS)]) as host, nginx(root, scratch) as (port, pid):
            servers = [("aimodel-host", host.port, host.pid), ("nginx", port, pid)]
            print(f"{'file':>7}  {'server':<13} {'requests/CPU s':>14} {'requests/s':>11}   spread")
            for name, size in SIZES:
                path = f"{FOLDER}/{size}.bin"
                runs = {server[0]: [] for server in servers}
                for each in servers:  # warm: the files cached, the buffers made
                    run_wrk(each[1], each[2], path, 1, given.connections)
                for pair in range(given.pairs):
                    for server, at, process in servers if pair % 2 == 0 else reversed(servers):
                        runs[server].append(run_wrk(at, process, path, given.seconds, given.connections))
                medians = {}
                for server, figures in runs.items():
                    by_cpu = sorted(figure[0] for figure in figures)
                    medians[server] = statistics.median(by_cpu)
                    wall = statistics.median(figure[1] for figure in figures)
                    spread = f"{by_cpu[0]:,.0f} to {by_cpu[-1]:,.0f}"
                    print(f"{name:>7}  {server:<13} {medians[server]:>14,.0f} {wall:>11,.0f}   {spread}")
                ratios.append(medians["aimodel-host"] / medians["nginx"])
                print(f"{name:>7}  {'ratio':<13} {ratios[-1]:>14.2f}")
            for server, _, process in servers:
                print(f"resident memory of {server}: {resident_mib(process):.1f} MiB")
    if ratios[0] < given.at_least:
        print(f"FAILED: {ratios[0]:.2f} times nginx for the smallest file; {given.at_least} was asked for")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
