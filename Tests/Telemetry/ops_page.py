#!/usr/bin/env python3
"""The ops page in a headless Chromium, over a ledger that real traffic has filled.

Every section is there and shows what was done; nothing goes to the console, no policy is violated, no request leaves
the host. What devices call themselves is shown as text. The page can be used by keyboard, fits a phone's width, keeps
focus, selection and scrolling when it is refreshed, stops while it is paused or hidden, and says so when the host is
away. Without a ledger, and with nothing published, each section says what will stand there.

    ops_page.py [FOLDER]    writes screenshots (light, dark, phone) into FOLDER
"""

import json
import pathlib
import socket
import sqlite3
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Publishing"))
import browser
import release_folder
import served_host
import store_commands

DAY = 86_400_000
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"
SECTIONS = ("attention", "models", "matrix", "missing", "adoption", "bandwidth", "rates", "health", "stuck", "ledger")


def publish(root):
    """Sam3 with a withdrawn version and a withdrawn variant, channels, and a second model."""
    with tempfile.TemporaryDirectory() as folder:
        for base, version, architectures in (
            ("Sam3", "1.2.0", ("h16p",)),
            ("Sam3", "1.3.0", ("h16p", "h18p")),
            ("Sam3", "1.4.0", ("h18p",)),
            ("Sam3", "1.5.0-rc.1", ("h18p",)),
            ("Qwen3-0.6B", "0.9.0", ("h18p",)),
        ):
            source = f"{folder}/{base}-{version}"
            sizes = {"portable": 3 << 20, "weights": 5 << 20}
            release_folder.make(source, base=base, version=version, architectures=architectures, seed=version, **sizes)
            done = store_commands.run("publish", source, "--root", root, "--model", base)
            assert done.status == 0, done
    for arguments in (
        ("promote", "Sam3", "1.4.0", "--channel", "stable"),
        ("promote", "Sam3", "1.4.0", "--channel", "canary"),
        ("promote", "Sam3", "1.5.0-rc.1", "--channel", "canary", "--percent", "10"),
        ("withdraw", "Sam3", "1.2.0", "--reason", "wrong tokenizer", "--replacement", "1.3.0"),
        ("withdraw", "Sam3", "1.3.0", "--arch", "h16p", "--reason", "crashes at load"),
    ):
        done = store_commands.run(*arguments, "--root", root)
        assert done.status == 0, done


class Device:
    """A device that downloads as an app does."""

    def __init__(self, host, name, number):
        self.host, self.name = host, name
        self.fields = [("AIModel-Device", name), ("AIModel-Download", f"00000000-0000-4000-8000-{number:012}")]

    def resolve(self, version="1.4.0", architecture="h18p", **query):
        query = urllib.parse.urlencode({"arch": architecture, **query})
        _, body = served_host.get(self.host.address, f"/models/Sam3/{version}/resolve?{query}", self.fields)
        return json.loads(body)

    def fetch(self, path, *fields):
        answer, body = served_host.get(self.host.address, path, [*self.fields, *fields])
        assert answer.status in (200, 206), (path, answer.status)
        return body

    def fetch_all(self, version="1.4.0", asset="Sam3.h18p.aimodelc", cut=None, stop_after=None):
        """Every file of an asset. cut: gives up on the largest after so many octets, and resumes; stop_after: files."""
        _, body = served_host.get(self.host.address, f"/models/Sam3/{version}/{asset}")
        files = json.loads(body)["files"]
        for file in files[:stop_after]:
            if cut and file["size"] > 1 << 20:
                self.give_up(file["url"], cut)
                self.fetch(file["url"], ("Range", f"bytes={cut}-"))
            else:
                self.fetch(file["url"])

    def give_up(self, path, octets):
        """Takes some octets of an answer, and resets the connection."""
        with socket.create_connection(self.host.address, timeout=30) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.sendall(served_host.request_bytes(path, fields=self.fields))
            _, body = served_host.read_head(connection)
            taken = len(body)
            while taken < octets:
                taken += len(connection.recv(min(64 << 10, octets - taken)))


def fill(host):
    """Traffic of every kind that the page tells of."""
    names = [f"device-{number:02}" for number in range(8)]
    for number, name in enumerate(names):
        device = Device(host, name, number)
        device.resolve(installed="1.3.0" if number % 3 == 0 else "1.4.0")
        if number < 5:
            device.fetch_all(cut=2 << 20 if number % 2 else None)
    Device(host, "device-30", 30).fetch_all("1.3.0")
    Device(host, HOSTILE, 40).fetch_all(stop_after=2)
    for number, name in enumerate([*names[:3], HOSTILE]):
        for _ in range(number + 1):
            Device(host, name, 50).resolve(architecture="h17p", platform="iOS")
    Device(host, names[0], 51).resolve(architecture="h19p", fallback="none")
    Device(host, names[0], 52).resolve("1.3.0", "h17p")
    report = {"model": "Sam3", "version": "1.4.0", "asset": "Sam3.h18p.aimodelc", "architecture": "h18p"}
    reports = [
        {**report, "outcome": "loaded", "coldLoadMilliseconds": 900 + 37 * number, "device": name}
        for number, name in enumerate(names)
    ]
    reports += [
        {**report, "outcome": "load-failed", "errorDomain": "CoreAI", "errorCode": 3, "device": names[1]},
        {**report, "outcome": "specialization-failed", "device": HOSTILE, "osBuild": HOSTILE},
        {**report, "asset": "Sam3.aimodel", "architecture": "h17p", "outcome": "fallback-used", "device": names[2]},
    ]
    return post_reports(host, reports)


def post_reports(host, reports):
    body = json.dumps(reports).encode()
    head = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("Connection", "close")]
    with socket.create_connection(host.address, timeout=30) as connection:
        connection.sendall(served_host.request_bytes("/reports", "POST", head) + body)
        answer, _ = served_host.read_head(connection)
    return answer.status


def ledger(root):
    connection = sqlite3.connect(f"file:{root}/var/telemetry.sqlite?mode=rw", uri=True, timeout=30)
    connection.execute("PRAGMA busy_timeout = 30000")
    return connection


def count_of(root, table):
    connection = ledger(root)
    try:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    finally:
        connection.close()


def spread(root):
    """Gives the traffic of a moment a past of a week, every six hours some of its rows again, older ones for an older
    version; a transfer that is stuck for hours; and a loss. It is what a week would have left."""
    now = int(time.time() * 1000)
    times = {
        "download": ("started_ms",),
        "version_check": ("at_ms",),
        "transfer": ("first_ms", "last_ms", "completed_ms"),
        "device_report": ("at_ms",),
    }
    connection = ledger(root)
    with connection:
        for table, moved in times.items():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "id"]
            last = connection.execute(f"SELECT max(id) FROM {table}").fetchone()[0]
            for step in range(1, 26):
                values = dict.fromkeys(columns)
                values.update({name: name for name in columns})
                values.update({name: f"{name} - {step * DAY // 4 + step * 7919 % 37 * 60_000}" for name in moved})
                if "version" in values:
                    older = f"version = '1.4.0' AND id % 4 >= {max(0, 4 - step // 6)}"
                    values["version"] = f"CASE WHEN {older} THEN '1.3.0' ELSE version END"
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values.values())} FROM {table} "
                    f"WHERE id <= {last} AND (id * 31 + {step * 17}) % 5 <= {step * 5 % 4}"
                )
        hour = 3_600_000
        connection.execute(
            "UPDATE transfer SET first_ms = ?, last_ms = ? WHERE completed_ms IS NULL AND last_ms > ?",
            (now - 4 * hour, now - 3 * hour, now - hour),
        )
        connection.execute(
            "INSERT INTO dropped (at_ms, kind, reason, count) VALUES (?, 'download', 'queue-full', 41)",
            (now - 5 * hour,),
        )
    connection.close()


def text_of(page, section):
    return page.evaluate(f"document.getElementById('{section}').innerText")


def check_sections(checks, page):
    for section in SECTIONS:
        text = page.evaluate(f"document.getElementById('{section}')?.innerText ?? ''")
        checks.that("Waiting for" not in text and len(text) > 20, f"the section {section}: {text!r}")
        heading = page.evaluate(
            f"document.getElementById(document.getElementById('{section}').getAttribute('aria-labelledby')).innerText"
        )
        checks.that(bool(heading), f"the section {section} has a heading")
    checks.equal(page.evaluate("document.title"), "Sam3 · aimodel-host", "the title")
    matrix = text_of(page, "matrix")
    for part in ("1.5.0-rc.1", "canary 10 %", "stable", "latest", "✓ compiled", "○ portable only", "✕ withdrawn",
                 "h19p", "! missing", "10 asks from 4 devices", "wrong tokenizer", "crashes at load"):
        checks.that(part in matrix, f"the matrix shows {part}: {matrix!r}")
    missing = text_of(page, "missing")
    checks.that("xcrun coreai-build compile Sam3.aimodel" in missing, f"a line that compiles: {missing!r}")
    checks.that("--architecture h17p" in missing and "--architecture h19p" in missing, "a line for each architecture")
    for section, part in (("rates", "1.4.0"), ("health", "specialization"), ("stuck", "Sam3.h18p.aimodelc"),
                          ("ledger", "queue-full"), ("attention", "41 rows"), ("models", "Qwen3-0.6B"),
                          ("adoption", "Show the figures"), ("bandwidth", "Per hour")):
        text = text_of(page, section)
        checks.that(part in text, f"{section} shows {part}: {text!r}")
    for chart in ("adoption", "bandwidth"):
        name = page.evaluate(f"document.querySelector('#{chart} svg[role=img] title').textContent")
        description = page.evaluate(f"document.querySelector('#{chart} svg[role=img] desc').textContent")
        bars = page.evaluate(f"document.querySelectorAll('#{chart} svg rect.bar').length")
        rows = page.evaluate(f"document.querySelectorAll('#{chart} details tbody tr').length")
        checks.that(bool(name) and len(description) > 30, f"the chart of {chart} says what it shows")
        checks.that(bars > 3 and rows > 3, f"the chart of {chart} has bars and a table: {bars}, {rows}")
    columns = page.evaluate("[...document.querySelectorAll('th')].filter((th) => !th.scope).length")
    captions = page.evaluate("[...document.querySelectorAll('table')].filter((one) => !one.caption).length")
    checks.equal((columns, captions), (0, 0), "table heads without a scope, tables without a caption")


def check_hostile(checks, page):
    stuck = text_of(page, "stuck")
    checks.that(HOSTILE in stuck, f"what a device calls itself is shown as text: {stuck!r}")
    made = page.evaluate("document.querySelectorAll('main img, main script').length")
    checks.equal(made, 0, "elements that data made")


def check_silence(checks, page, host):
    """Nothing on the console, no violation, no request but to the listener itself."""
    entries = [entry["entry"]["text"] for entry in page.events("Log.entryAdded")]
    console = [event["type"] for event in page.events("Runtime.consoleAPICalled")]
    thrown = [event["exceptionDetails"]["text"] for event in page.events("Runtime.exceptionThrown")]
    checks.equal((entries, console, thrown), ([], [], []), "the console")
    asked = {event["request"]["url"] for event in page.events("Network.requestWillBeSent")}
    own = f"http://127.0.0.1:{host.admin_port}/"
    outside = [url for url in asked if not url.startswith((own, "data:"))]
    checks.equal(outside, [], "requests to anybody else")


def check_policy(checks, page, host):
    answer, body = served_host.get(("127.0.0.1", host.admin_port), "/")
    policy = answer.fields.get("content-security-policy", "")
    for part in ("default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'",
                 "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
        checks.that(part in policy, f"the policy has {part}: {policy}")
    checks.that("unsafe" not in policy, f"nothing unsafe in the policy: {policy}")
    checks.equal(answer.fields.get("referrer-policy"), "no-referrer", "Referrer-Policy")
    checks.equal(answer.fields.get("x-content-type-options"), "nosniff", "X-Content-Type-Options")
    again, _ = served_host.get(("127.0.0.1", host.admin_port), "/", [("If-None-Match", answer.fields["etag"])])
    checks.equal(again.status, 304, "the page is not sent twice")
    # The policy is enforced: a script that is put into the page does not run.
    ran = page.evaluate(
        "(() => { const one = document.createElement('script'); one.textContent = 'window.ran = true';"
        " document.body.append(one); one.remove(); return window.ran === true; })()"
    )
    checks.equal(ran, False, "a script that slipped in runs")


def check_keyboard(checks, page):
    """Tab goes through the page in order, each stop is visible, and the copy button is one."""
    page.evaluate("document.activeElement.blur()")
    stops = []
    for _ in range(60):
        page.press("Tab", 9)
        stop = page.evaluate(
            "(() => { const one = document.activeElement; const box = one.getBoundingClientRect();"
            " const style = getComputedStyle(one);"
            " const name = one.id || one.dataset.copy || one.localName;"
            " return [name, one.innerText || '', box.width > 0 && box.height > 0, style.outlineStyle !== 'none']; })()"
        )
        stops.append(stop)
        if stop[0] == "line-1":
            break
    names = [stop[0] for stop in stops]
    checks.equal(names[0], "a", "the first stop is the link past the head")
    checks.that("Skip" in stops[0][1], f"the first stop says what it does: {stops[0][1]!r}")
    checks.equal([name for name in names if name in ("period", "pause", "line-0", "line-1")],
                 ["period", "pause", "line-0", "line-1"], f"the order of the stops: {names}")
    checks.equal([stop[:2] for stop in stops if not (stop[2] and stop[3])], [], "stops that are not seen")


def check_copying(checks, page):
    """By keyboard, with the clipboard; then without one, which leaves the line selected at least."""
    button = "document.querySelector('[data-copy]')"
    line = page.evaluate("document.getElementById('line-0').textContent")
    page.browser.call("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.call("Page.bringToFront")
    page.evaluate(f"{button}.focus()")
    page.press("Enter", 13, text="\r")
    checks.that(page.wait_for(f"{button}.textContent === 'Copied'", 10), "the copy button says that it has copied")
    checks.equal(page.evaluate("navigator.clipboard.readText()"), line, "the clipboard")
    said = page.evaluate("document.getElementById('said').textContent")
    checks.equal(said, "The line is copied.", "what is announced")
    checks.that(page.wait_for(f"{button}.textContent === 'Copy'", 10), "the button becomes what it was")
    page.evaluate(
        "navigator.clipboard.writeText('other');"
        "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });"
        "getSelection().removeAllRanges(); true"
    )
    page.evaluate(f"{button}.click()")
    checks.that(page.wait_for(f"/Copied|Selected/.test({button}.textContent)", 10), "without a clipboard object")
    checks.equal(page.evaluate("getSelection().toString()"), line, "what is selected without one")
    page.evaluate("delete navigator.clipboard; getSelection().removeAllRanges(); true")


def check_refresh(checks, page):
    """A refresh leaves nodes, focus, selection and what is open as they are, and brings what is new."""
    page.evaluate(
        "document.querySelector('#bandwidth details').open = true;"
        "window.before = { node: document.querySelector('#matrix tbody tr'),"
        " answers: performance.getEntriesByType('resource').length };"
        "document.querySelector('[data-copy]').focus();"
        "getSelection().selectAllChildren(document.querySelector('#line-0')); scrollTo(0, 700); true"
    )
    answers = "performance.getEntriesByType('resource').length"
    checks.that(page.wait_for(f"{answers} >= window.before.answers + 2", 30), "it asks again by itself")
    kept = page.evaluate(
        "[window.before.node === document.querySelector('#matrix tbody tr'),"
        " document.querySelector('#bandwidth details').open, document.activeElement.dataset.copy === 'line-0',"
        " getSelection().toString().startsWith('xcrun'), scrollY === 700]"
    )
    checks.equal(kept, [True] * 5, "node, details, focus, selection and scrolling after a refresh")
    page.evaluate("document.getElementById('pause').click()")
    page.browser.gather(0.5)
    asked = page.evaluate(answers)
    page.browser.gather(7)
    checks.equal(page.evaluate(answers), asked, "requests while it is paused")
    checks.equal(page.evaluate("document.getElementById('state').textContent"), "Paused", "it says that it is paused")
    page.evaluate("document.getElementById('pause').click()")
    checks.that(page.wait_for(f"{answers} > {asked}", 20), "it goes on after the pause")
    hide = (
        "Object.defineProperty(document, 'hidden', { get: () => %s, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.evaluate(hide % "true")
    page.browser.gather(0.5)
    asked = page.evaluate(answers)
    page.browser.gather(7)
    checks.equal(page.evaluate(answers), asked, "requests of a hidden tab")
    page.evaluate(hide % "false")
    checks.that(page.wait_for(f"{answers} > {asked}", 20), "it asks at once when it is seen again")


def check_choosing(checks, page):
    """The model and the period are chosen by links and a list, and stand in the address."""
    page.evaluate("document.querySelector('#models a[href*=Qwen3]').click()")
    chosen = "document.getElementById('chosen').textContent"
    checks.that(page.wait_for(f"{chosen} === 'Qwen3-0.6B'"), "another model is chosen by its link")
    checks.equal(page.evaluate("location.hash"), "#model=Qwen3-0.6B&since=7d", "the address names it")
    current = page.evaluate("document.querySelector('#models [aria-current]').textContent")
    checks.equal(current, "Qwen3-0.6B", "the chosen model is marked")
    checks.that("No device has asked in vain" in text_of(page, "missing"), "nothing is missing of it")
    page.evaluate(
        "(() => { const list = document.getElementById('period'); list.value = '24h';"
        " list.dispatchEvent(new Event('change', { bubbles: true })); })()"
    )
    asked = "performance.getEntriesByType('resource').some((one) => one.name.includes('since=24h'))"
    checks.that(page.wait_for(asked), "another period is asked for")
    checks.equal(page.evaluate("location.hash"), "#model=Qwen3-0.6B&since=24h", "the address names it")
    page.evaluate("history.back()")
    checks.that(page.wait_for("document.getElementById('period').value === '7d'"), "the way back")
    page.evaluate("location.hash = '#model=Sam3&since=7d'; true")
    checks.that(page.wait_for(f"{chosen} === 'Sam3'"), "and the first model again")


def check_unknown_model(checks, chromium, host):
    """An address that names what is not published any more shows what is."""
    page = browser.Page(chromium)
    page.load(f"http://127.0.0.1:{host.admin_port}/#model=Nope&since=30d")
    checks.that(page.wait_for("document.getElementById('chosen').textContent === 'Qwen3-0.6B'"), "the first model")
    checks.equal(page.evaluate("location.hash"), "#since=30d", "the address without the model")
    page.close()


def check_widths(checks, page):
    for width in (320, 390, 768, 1280):
        page.size(width, 844, mobile=width < 500)
        page.browser.gather(0.5)
        needed = page.evaluate("document.documentElement.scrollWidth")
        checks.that(needed <= width, f"at a width of {width} the page needs {needed}")


CONTRAST = """
(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((one) => one / 255).map((one) =>
      one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const low = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.nodeValue.trim() || ["SCRIPT", "NOSCRIPT"].includes(node.tagName)) continue;
    if (node.closest("option, title, desc")) continue;
    const style = getComputedStyle(node);
    const one = luminance(parse(node instanceof SVGElement ? style.fill : style.color));
    const other = luminance(ground(node));
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) low.add(`${node.localName}.${node.className} ${ratio.toFixed(2)}`);
  }
  return [...low];
})()
"""


def check_looks(checks, page, folder):
    """Contrast in both schemes; screenshots where a folder is given."""
    for scheme in ("light", "dark"):
        page.prefers(scheme)
        for name, width, height, mobile, scale in (("desktop", 1280, 900, False, 1), ("phone", 390, 844, True, 2)):
            page.size(width, height, mobile, scale)
            page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
            page.browser.gather(1)
            checks.equal(page.evaluate(CONTRAST), [], f"text of too little contrast, {scheme} {name}")
            if folder:
                page.screenshot(folder / f"{scheme}-{name}.png")
    page.prefers("light")
    page.size(1280, 900)


def check_away(checks, page, host):
    host.stop()
    state = "document.getElementById('state').textContent"
    checks.that(page.wait_for(f"{state} === 'The host does not answer'", 40), "it says that the host is away")
    checks.that(page.wait_for("/figures are .* old/.test(document.getElementById('age').textContent)", 30),
                "it says how old the figures are")
    checks.that("✓ compiled" in text_of(page, "matrix"), "the figures stay")


def check_without_ledger(checks, chromium, root, folder):
    with served_host.Host(root, ("--database", "none")) as host:
        page = browser.Page(chromium)
        page.size(1280, 900)
        page.load(f"http://127.0.0.1:{host.admin_port}/")
        checks.that(page.wait_for("document.getElementById('matrix').innerText.includes('✓ compiled')"),
                    "the matrix without a ledger")
        for section in ("missing", "adoption", "bandwidth", "rates", "health", "stuck", "ledger"):
            checks.that("--database none" in text_of(page, section), f"{section} says that there is no ledger")
        if folder:
            page.browser.gather(0.5)
            page.screenshot(folder / "no-ledger.png")
        check_silence(checks, page, host)


def check_empty(checks, chromium, folder):
    """A host with nothing at all: each section says what will stand there."""
    with tempfile.TemporaryDirectory() as root:
        for name in ("Public", "manifests"):
            (pathlib.Path(root) / name).mkdir()
        with served_host.Host(root) as host:
            page = browser.Page(chromium)
            page.size(1280, 900)
            page.load(f"http://127.0.0.1:{host.admin_port}/")
            checks.that(page.wait_for("document.getElementById('models').innerText.includes('Nothing is published')"),
                        "an empty store is said to be one")
            for section in SECTIONS:
                checks.that(len(text_of(page, section)) > 40, f"{section} says what will stand there")
            if folder:
                page.browser.gather(0.5)
                page.screenshot(folder / "empty.png")
            check_silence(checks, page, host)


def main():
    chromium_path = browser.find_browser()
    if not chromium_path:
        served_host.skip("no chromium here")
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as root, browser.Browser(chromium_path) as chromium:
        publish(root)
        with served_host.Host(root) as host:
            checks.equal(fill(host), 202, "reports are taken")
            for table, rows in (("variant_miss", 12), ("device_report", 11)):
                written = served_host.wait_until(lambda: count_of(root, table) >= rows, 30)
                checks.that(written, f"{rows} rows of {table}")
            spread(root)
            page = browser.Page(chromium)
            page.size(1280, 900)
            page.load(f"http://127.0.0.1:{host.admin_port}/#model=Sam3&since=7d")
            loaded = "document.getElementById('matrix').innerText.includes('✓ compiled')"
            checks.that(page.wait_for(loaded), "it loads")
            check_sections(checks, page)
            check_hostile(checks, page)
            check_silence(checks, page, host)
            check_keyboard(checks, page)
            check_copying(checks, page)
            check_refresh(checks, page)
            check_choosing(checks, page)
            check_unknown_model(checks, chromium, host)
            check_widths(checks, page)
            check_looks(checks, page, folder)
            check_silence(checks, page, host)
            check_policy(checks, page, host)
            check_away(checks, page, host)
        check_without_ledger(checks, chromium, root, folder)
        check_empty(checks, chromium, folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
