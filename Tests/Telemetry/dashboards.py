#!/usr/bin/env python3
"""What docs/telemetry.md and deploy/dashboards/ say about the ledger holds for the ledger of a server under load.

Tables and views have the columns that the text tells. Its ten queries, the panels of the Grafana dashboard, and each table,
view and query in Datasette give rows and no error while the server writes; promtool finds the rules sound, and each metric
that they name is served. Another user reads the ledger with the rights that the text names, and fails without.

Datasette is $DATASETTE, else the one on the path; promtool is $PROMTOOL, likewise. What needs one that is not there is
left out, and the script says so.
"""

import contextlib
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host

DOCUMENT = served_host.REPOSITORY / "docs/telemetry.md"
DASHBOARDS = served_host.REPOSITORY / "deploy/dashboards"
RULES = DASHBOARDS / "prometheus-rules.yaml"
TABLES = {"download", "transfer", "version_check", "variant_miss", "device_report", "daily", "dropped"}
VIEWS = {
    "v_downloads_by_day",
    "v_version_adoption",
    "v_missing_variants",
    "v_variant_health",
    "v_bandwidth_by_hour",
    "v_resume_rate",
    "v_stuck_downloads",
}
BASE = "/models/Sam3/1.4.0"
ASSET = f"{BASE}/Sam3.h18p.aimodelc"


# What the text says.


def told_columns(text):
    """The names and types of the columns that the text tells of each table and view."""
    told = {}
    for name, body in re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", text, re.M | re.S):
        told[name] = re.findall(r"^\| `(\w+)` \| (\w+) \|", body, re.M)
    return told


def told_queries(text):
    """The text's queries by name, in its order."""
    return dict(re.findall(r"^### \d+\. `(\w+)`: [^\n]*\n\n```sql\n(.*?)\n```$", text, re.M | re.S))


def metadata_queries(text):
    """The queries of metadata.yaml: each a literal block below its name."""
    section = text[text.index("    queries:\n") :]
    found = re.findall(r"^      (\w+):\n        title: [^\n]*\n        sql: \|-\n((?:          [^\n]*\n|\n)*)", section, re.M)
    return {name: re.sub(r"^ {10}", "", sql, flags=re.M).rstrip("\n") for name, sql in found}


# The server's load.


class Load(served_host.Workers):
    """Devices that ask, download, are cut, ask in vain and report, over and over, until it is stopped."""

    def __init__(self, address):
        super().__init__(3)
        self.address, self.errors, self.rounds = address, [], 0

    def run(self, number):
        count = 0
        while not self.over.is_set():
            try:
                self.visit(f"device-{number}-{count % 50}", count)
            except (OSError, http.client.HTTPException) as error:
                self.errors.append(f"{type(error).__name__}: {error}")
                time.sleep(0.1)
            count += 1
            self.rounds += 1
            # Steady, and not all that two cores can do: the readers are what is tested here.
            self.over.wait(0.01)

    def visit(self, device, count):
        connection = http.client.HTTPConnection(*self.address, timeout=30)
        fields = {"AIModel-Device": device, "User-Agent": f"dashboards/{count % 3}", "AIModel-Download": str(uuid.uuid4())}

        def ask(path, method="GET", body=None, **more):
            connection.request(method, path, body, {**fields, **more})
            answer = connection.getresponse()
            return answer.status, answer.read()

        architecture = ("h18p", "h17p", "h13g")[count % 3]
        ask(f"/models/Sam3/latest/resolve?arch={architecture}&installed=1.3.{count % 2}&os=27.1&platform=iOS")
        ask(f"{BASE}/Sam3.{architecture}.aimodelc/metadata.json")
        status, body = ask(ASSET)
        if status == 200:
            for file in json.loads(body)["files"][: 3 if count % 4 else None]:
                ask(f"{ASSET}/{file['path']}")
        ask(f"{ASSET}.tar", Range="bytes=100-199")
        ask(f"{ASSET}/main.hash", Range="bytes=999999-")
        ask(f"{BASE}/tokenizer/tokenizer.json")
        outcome = ("loaded", "loaded", "load-failed", "specialization-failed", "fallback-used")[count % 5]
        report = {"model": "Sam3", "version": "1.4.0", "asset": "Sam3.h18p.aimodelc", "architecture": "h18p"}
        report |= {"outcome": outcome, "coldLoadMilliseconds": 900 + count % 100, "errorDomain": "CoreAI", "errorCode": -7}
        ask("/reports", "POST", json.dumps(report), **{"Content-Type": "application/json"})
        connection.close()
        # One that goes away within its answer.
        with contextlib.suppress(OSError):
            with served_host.socket.create_connection(self.address, timeout=30) as cut:
                cut.sendall(served_host.request_bytes(f"{ASSET}.tar", fields=[("AIModel-Device", device)]))
                cut.recv(1000)


# Reading the ledger.


def open_ledger(path):
    """As docs/telemetry.md tells to."""
    return sqlite3.connect(f"file:{urllib.parse.quote(str(path))}?mode=ro", uri=True, timeout=1)


def rows(path, sql, parameters=()):
    """All rows of a question, over a connection of its own."""
    with contextlib.closing(open_ledger(path)) as ledger:
        return ledger.execute(sql, parameters).fetchall()


def count(path, table):
    return rows(path, f"SELECT count(*) FROM {table}")[0][0]


def check_schema(checks, ledger, text):
    told = told_columns(text)
    checks.equal(set(told), TABLES | VIEWS, "the tables and views that docs/telemetry.md tells")
    kinds = dict(rows(ledger, "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"))
    public = {name for name in kinds if not name.startswith(("internal_", "sqlite_"))}
    checks.equal(public, TABLES | VIEWS, "the tables and views of the ledger")
    for name, columns in told.items():
        found = rows(ledger, "SELECT name, type FROM pragma_table_info(?)", (name,))
        if kinds.get(name) == "table":
            checks.equal(columns, found, f"the columns of {name}")
            continue
        checks.equal([column for column, _ in columns], [column for column, _ in found], f"the columns of {name}")
        for column, kind in columns:
            expected = {"INTEGER": {"integer", "null"}, "REAL": {"real", "null"}, "TEXT": {"text", "null"}}[kind]
            there = {row[0] for row in rows(ledger, f"SELECT DISTINCT typeof({column}) FROM {name}")}
            checks.that(there <= expected, f"{name}.{column} is told as {kind}, and holds {there}")
    version, application = rows(ledger, "SELECT * FROM pragma_user_version, pragma_application_id")[0]
    checks.that(version >= 1 and str(application) in text, f"application_id {application} stands in the text")


def check_queries(checks, ledger, text):
    queries = told_queries(text)
    checks.equal(len(queries), 10, "the queries of docs/telemetry.md")
    checks.equal(queries, metadata_queries((DASHBOARDS / "metadata.yaml").read_text()), "the queries of metadata.yaml")
    for name, sql in queries.items():
        found = {}
        for case, model, days in (("null", None, None), ("empty", "", ""), ("named", "Sam3", "3"), ("absent", "none", 1)):
            try:
                found[case] = rows(ledger, sql, {"model": model, "days": days})
            except sqlite3.Error as error:
                checks.that(False, f"query {name} with parameters {case}: {error}")
        # Nothing is lost and nothing has been stuck for an hour in a ledger this young.
        if name not in ("losses", "stuck"):
            for case in ("null", "empty", "named"):
                checks.that(found.get(case), f"query {name} with parameters {case} gives rows")
            checks.that(not found.get("absent"), f"query {name} gives no row of a model that is not there")
    return queries


def check_grafana(checks, ledger):
    dashboard = json.loads((DASHBOARDS / "grafana.json").read_text())
    variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
    checks.equal(list(variables), ["datasource", "model", "since"], "the dashboard's variables")
    checks.equal(rows(ledger, variables["model"]["query"]), [("Sam3",)], "the values of its variable model")
    now = int(time.time() * 1000)
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    identifiers = [panel["id"] for panel in dashboard["panels"]]
    checks.equal(len(set(identifiers)), len(identifiers), "each panel has an id of its own")
    asked = set()
    for panel in panels:
        title = panel["title"]
        box = panel["gridPos"]
        checks.that(box["w"] > 0 and box["h"] > 0 and box["x"] + box["w"] <= 24, f"panel {title} lies in the grid")
        checks.equal(panel["datasource"], {"type": "frser-sqlite-datasource", "uid": "${datasource}"}, f"source of {title}")
        for other in panels:
            apart = (
                other is panel
                or other["gridPos"]["x"] >= box["x"] + box["w"]
                or box["x"] >= other["gridPos"]["x"] + other["gridPos"]["w"]
                or other["gridPos"]["y"] >= box["y"] + box["h"]
                or box["y"] >= other["gridPos"]["y"] + other["gridPos"]["h"]
            )
            checks.that(apart, f"panels {title} and {other['title']} do not cover each other")
        for target in panel["targets"]:
            checks.equal(target["rawQueryText"], target["queryText"], f"{title}: what is edited is what is asked")
            asked |= set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", target["queryText"]))
            for model in ("''", "'Sam3'"):
                values = {"${model:sqlstring}": model, "$since": "604800", "$__from": str(now - 604_800_000)}
                sql = target["queryText"]
                for variable, value in {**values, "$__to": str(now)}.items():
                    sql = sql.replace(variable, value)
                checks.that("$" not in sql, f"{title}: no other variable\n{sql}")
                try:
                    with contextlib.closing(open_ledger(ledger)) as connection:
                        cursor = connection.execute(sql)
                        names, found = [column[0] for column in cursor.description], cursor.fetchall()
                except sqlite3.Error as error:
                    checks.that(False, f"{title}: {error}\n{sql}")
                    continue
                if panel["type"] == "stat":
                    checks.equal((len(found), len(names)), (1, 1), f"{title} is one number")
                if target["queryType"] == "time series":
                    times = [row[names.index("time")] for row in found]
                    checks.that(all(isinstance(time, int) for time in times), f"{title}: seconds in the column time: {times}")
                    checks.that(times == sorted(times), f"{title}: in the order of time")
                    checks.that(all(now / 1000 - 700_000 < time <= now / 1000 for time in times), f"{title}: of these days")
                if "Lost" not in title and "Stuck" not in title:
                    checks.that(found, f"{title} shows something")
                for override in panel["fieldConfig"]["overrides"]:
                    checks.that(override["matcher"]["options"] in names, f"{title}: {override['matcher']} is a column")
    checks.equal(asked & (VIEWS | {"dropped"}), VIEWS | {"dropped"}, "the views that panels show")


# Datasette.


@contextlib.contextmanager
def datasette(program, ledger, log):
    with served_host.socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    command = [program, "serve", ledger, "--metadata", DASHBOARDS / "metadata.yaml", "--host", "127.0.0.1"]
    command += ["--port", port, "--setting", "sql_time_limit_ms", "10000"]
    process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log)
    try:
        yield process, ("127.0.0.1", port)
    finally:
        process.terminate()
        process.wait(timeout=30)


def check_datasette(checks, program, ledger, queries):
    def fetch(path):
        connection = http.client.HTTPConnection(*address, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def ask(path):
        status, body = fetch(path)
        try:
            return status, json.loads(body)
        except ValueError:
            return status, {"error": body[:300]}

    def comes_up():
        if process.poll() is not None:
            return True
        with contextlib.suppress(OSError):
            return ask("/-/versions.json")[0] == 200

    with tempfile.TemporaryFile() as log, datasette(program, ledger, log) as (process, address):
        if not served_host.wait_until(comes_up, 60) or process.poll() is not None:
            log.seek(0)
            checks.that(False, f"Datasette comes up\n{log.read().decode()}")
            return
        _, found = ask("/-/databases.json")
        telemetry = [database for database in found if database["name"] == "telemetry"]
        checks.equal([database["is_mutable"] for database in telemetry], [True], "Datasette knows that the file changes")
        before = count(ledger, "download")
        for name in sorted(TABLES | VIEWS):
            status, found = ask(f"/telemetry/{name}.json?_shape=objects&_size=20")
            checks.that(status == 200 and not found.get("error"), f"Datasette serves {name}: {status} {found.get('error')}")
            if name not in ("dropped", "v_stuck_downloads"):
                checks.that(found.get("rows"), f"Datasette shows rows of {name}")
            checks.equal(fetch(f"/telemetry/{name}")[0], 200, f"Datasette's page of {name}")
        for name in queries:
            for parameters in ("model=&days=", "model=Sam3&days=3"):
                status, found = ask(f"/telemetry/{name}.json?_shape=objects&{parameters}")
                error = found.get("error")
                checks.that(status == 200 and not error, f"Datasette answers {name}?{parameters}: {status} {error}")
                if name not in ("losses", "stuck"):
                    checks.that(found.get("rows"), f"Datasette's {name}?{parameters} has rows")
        status, found = ask("/telemetry.json?" + urllib.parse.urlencode({"sql": "DELETE FROM download"}))
        checks.equal(status, 400, "Datasette writes nothing")
        _, found = ask("/telemetry.json")
        hidden = {table["name"] for table in found["tables"] if table["hidden"]}
        checks.that({"internal_transfer", "internal_daily_device"} <= hidden, f"internal tables are hidden: {hidden}")
        checks.that(count(ledger, "download") > before, "the server wrote while Datasette read")


# Prometheus.


def check_rules(checks, program, host, health):
    """health: what variant_health.sql gave."""
    text = RULES.read_text()
    alerts = re.findall(r"^ *- alert: (\w+)$", text, re.M)
    tested = (DASHBOARDS / "prometheus-rules.test.yaml").read_text()
    for alert in alerts:
        checks.that(re.search(alert.replace("Ledger", "(Ledger)?") + r"\b", tested) or alert in tested, f"{alert} is tested")
    for label in ("for", "severity", "summary", "description"):
        checks.equal(len(re.findall(rf"^ +{label}:", text, re.M)), len(alerts), f"each alert has its {label}")

    answer, body = served_host.get(("127.0.0.1", host.admin_port), "/metrics")
    checks.equal(answer.status, 200, "/metrics")
    served = set(re.findall(r"^# TYPE (\w+) ", body.decode() + health, re.M)) | {"up"}
    expressions = re.findall(r"^ +expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)", text, re.M)
    checks.equal(len(expressions), len(alerts), "each alert has an expression")
    named = set()
    for expression in ("".join(found) for found in expressions):
        named |= set(re.findall(r"\b(up|(?:aimodel_host|process)_\w+)\b", expression))
    checks.that(len(named) >= 12, f"the metrics that rules name: {named}")
    checks.equal(named - served, set(), "metrics that rules name and nobody serves")

    if not program:
        return

    def promtool(*arguments, input=None):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, input=input, timeout=120)
        return done.returncode, done.stdout + done.stderr

    checks.equal(promtool("check", "rules", RULES)[0], 0, f"promtool check rules: {promtool('check', 'rules', RULES)[1]}")
    status, said = promtool("test", "rules", DASHBOARDS / "prometheus-rules.test.yaml")
    checks.equal(status, 0, f"promtool test rules: {said}")
    status, said = promtool("check", "metrics", input=health)
    checks.equal((status, said), (0, ""), "promtool check metrics on variant_health.sql")
    # Each alert's part of the test can fail: without the alert it does.
    with tempfile.TemporaryDirectory() as scratch:
        test = pathlib.Path(scratch) / "prometheus-rules.test.yaml"
        test.write_text(tested)
        for alert in alerts:
            (test.parent / RULES.name).write_text(text.replace(f"alert: {alert}\n", "alert: Nothing\n"))
            checks.that(promtool("test", "rules", test)[0] != 0, f"the test misses {alert}")


def variant_health(checks, ledger):
    if not shutil.which("sqlite3"):
        print("left out: variant_health.sql: no sqlite3 here")
        return None
    with open(DASHBOARDS / "variant_health.sql") as script:
        done = subprocess.run(
            ["sqlite3", "-readonly", ledger], stdin=script, capture_output=True, text=True, timeout=60
        )
    checks.equal((done.returncode, done.stderr), (0, ""), "variant_health.sql runs")
    checks.that(re.search(r'\{model="Sam3",.*,outcome="failed"\} [1-9]', done.stdout), f"it shows failures: {done.stdout}")
    return done.stdout


# Another user.

READER = """
import sqlite3, sys, time
path, seconds = sys.argv[1], float(sys.argv[2])
end, polls, counts = time.monotonic() + seconds, 0, set()
while time.monotonic() < end or polls < 2:
    ledger = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1)
    counts.add(ledger.execute("SELECT count(*), max(id) FROM download").fetchone())
    ledger.close()
    polls += 1
    time.sleep(0.01)
print(polls, len(counts))
"""


def run_as_nobody(*arguments):
    nobody = pwd.getpwnam("nobody")
    identity = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return subprocess.run([str(word) for word in arguments], **identity, cwd="/", capture_output=True, text=True, timeout=120)


def find_python_for_nobody():
    """A Python that nobody may run, for this one may lie below a folder that only root enters; None if there is none."""
    for path in (sys.executable, "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            if run_as_nobody(path, "-S", "-B", "-c", "import sqlite3").returncode == 0:
                return path
    return None


def read_as_nobody(python, ledger, seconds=0.0):
    """Polls the ledger as nobody: the exit status, how often it read, how many states it saw, and what it said."""
    done = run_as_nobody(python, "-S", "-B", "-c", READER, ledger, seconds)
    polls, states = [int(word) for word in done.stdout.split()] if done.returncode == 0 else (0, 0)
    return done.returncode, polls, states, done.stderr


def check_other_user(checks, python, folder, ledger):
    group = pwd.getpwnam("nobody").pw_gid
    for path in sorted(folder.iterdir()):
        checks.equal((path.stat().st_gid, path.stat().st_mode & 0o777), (group, 0o640), f"group and mode of {path.name}")
    status, polls, states, said = read_as_nobody(python, ledger, 4)
    checks.equal(status, 0, f"nobody reads with the group's right\n{said}")
    checks.that(polls >= 20 and states >= 2, f"{polls} reads as nobody saw {states} states")
    failure = "unable to open database file"
    for name in (ledger.name, f"{ledger.name}-wal", f"{ledger.name}-shm"):
        (folder / name).chmod(0o600)
        status, *_, said = read_as_nobody(python, ledger)
        checks.that(status != 0 and failure in said, f"nobody reads without the right to {name}\n{said}")
        (folder / name).chmod(0o640)
    folder.chmod(0o700)
    checks.that(read_as_nobody(python, ledger)[0] != 0, "nobody reads without the right to enter the folder")
    folder.chmod(0o2750)
    checks.equal(read_as_nobody(python, ledger)[0], 0, "nobody reads again")


def check_after_stop(checks, python, ledger, how):
    """The files that are left can be read by a user that may not make any."""
    there = [ledger.with_name(ledger.name + suffix).exists() for suffix in ("", "-wal", "-shm")]
    checks.equal(there, [True] * 3, f"the three files are there after {how}")
    status, *_, said = read_as_nobody(python, ledger)
    checks.equal(status, 0, f"nobody reads after {how}\n{said}")


def check_copies(checks, ledger, scratch):
    """A copy as the text tells to make it holds all, and needs no log."""
    copy = scratch / "copy.sqlite"
    with contextlib.closing(open_ledger(ledger)) as connection:
        connection.execute("VACUUM INTO ?", (str(copy),))
    with contextlib.closing(sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)) as connection:
        checks.equal(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)], "the copy is whole")
        checks.that(connection.execute("SELECT count(*) FROM download").fetchone()[0] > 0, "the copy holds rows")


def main():
    checks = served_host.Checks()
    text = DOCUMENT.read_text()
    programs = {"datasette": None, "promtool": None}
    for name in programs:
        programs[name] = os.environ.get(name.upper()) or shutil.which(name)
    missing = [f"no {name} here" for name, path in programs.items() if not path]
    python = find_python_for_nobody() if os.geteuid() == 0 else None
    if not python:
        missing.append("another user: this is not root, or nobody may run no Python here")

    for page in (DOCUMENT, DASHBOARDS / "README.md"):
        for target in re.findall(r"\]\(((?!https?:)[^)#]+)", page.read_text()):
            checks.that((page.parent / target).exists(), f"{page.name} leads to {target}")
    headings = {re.sub(r"[^a-z0-9 _-]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)}
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        checks.that(anchor in headings, f"docs/telemetry.md leads to #{anchor}")

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        scratch.chmod(0o755)
        folder = scratch / "var"
        folder.mkdir()
        ledger = folder / "telemetry.sqlite"
        if python:
            # As the text tells: the folder hands its group on, and the umask keeps everybody else out.
            os.chown(folder, 0, pwd.getpwnam("nobody").pw_gid)
            folder.chmod(0o2750)
        previous = os.umask(0o027)
        host = served_host.Host(served_host.REPOSITORY, ["--database", str(ledger)])
        os.umask(previous)
        with host, Load(host.address) as load:
            filled = served_host.wait_until(
                lambda: ledger.exists() and load.rounds >= 60 and all(count(ledger, name) for name in TABLES - {"dropped"}), 60
            )
            checks.that(filled, f"the ledger fills: {load.rounds} rounds, {load.errors[:3]}")
            check_schema(checks, ledger, text)
            queries = check_queries(checks, ledger, text)
            check_grafana(checks, ledger)
            health = variant_health(checks, ledger)
            if programs["datasette"]:
                check_datasette(checks, programs["datasette"], ledger, queries)
            check_rules(checks, programs["promtool"], host, health or "")
            if python:
                check_other_user(checks, python, folder, ledger)
            check_copies(checks, ledger, scratch)
        checks.equal(load.errors, [], "errors of the devices")
        checks.equal(host.process.returncode, 0, "the server ends well")
        checks.equal(rows(ledger, "SELECT * FROM dropped"), [], "nothing was lost")
        if python:
            check_after_stop(checks, python, ledger, "a stop")
            os.umask(0o027)
            with served_host.Host(served_host.REPOSITORY, ["--database", str(ledger)]) as host, Load(host.address) as load:
                before = count(ledger, "download")
                checks.that(served_host.wait_until(lambda: count(ledger, "download") > before, 30), "it goes on after a stop")
                host.process.kill()
                host.process.wait()
            os.umask(previous)
            check_after_stop(checks, python, ledger, "kill -9")
        print(f"{load.rounds} visits, {count(ledger, 'download')} rows of download")

    status = checks.finish()
    for reason in missing:
        print(f"left out: {reason}")
    return status or (served_host.SKIPPED if missing else 0)


if __name__ == "__main__":
    sys.exit(main())
