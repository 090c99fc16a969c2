"""For test scripts: a headless Chromium that is driven over its DevTools protocol, by a pipe. Standard library only.

It reaches nothing but 127.0.0.1, keeps no profile, and ends with the block that it was started for.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_browser():
    """The path of Chromium, or None."""
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and (path := shutil.which(name)):
            return path
    return None


class BrowserError(Exception):
    pass


class Browser:
    """A running browser. Use as a context manager."""

    def __init__(self, path):
        self.profile = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        read_commands, self.write_end = os.pipe()
        self.read_end, write_answers = os.pipe()
        arguments = [
            path, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
            "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-sync", "--disable-extensions",
            "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank",
        ]
        if os.geteuid() == 0:  # Chromium's sandbox refuses root
            arguments.insert(1, "--no-sandbox")

        def place_pipe():  # the protocol's ends are descriptors 3 and 4
            commands, answers = os.dup(read_commands), os.dup(write_answers)
            high = max(commands, answers, 10) + 1
            os.dup2(commands, high)
            os.dup2(answers, high + 1)
            os.dup2(high, 3)
            os.dup2(high + 1, 4)

        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            close_fds=False,
            preexec_fn=place_pipe,
        )
        os.close(read_commands)
        os.close(write_answers)
        self.buffer, self.number, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (BrowserError, OSError):
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    def receive(self, seconds):
        """The next message, or None when none comes in time."""
        deadline = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                return None
            data = os.read(self.read_end, 1 << 20)
            if not data:
                self.errors.seek(0)
                raise BrowserError(f"the browser ended: {self.errors.read()[-2000:].decode(errors='replace')}")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None, session=None, seconds=60):
        """Calls a method and returns its result; events that come meanwhile are kept in order."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        deadline = time.monotonic() + seconds
        while (answer := self.receive(deadline - time.monotonic())) is not None:
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)
        raise BrowserError(f"{method}: no answer within {seconds} s")

    def gather(self, seconds):
        """Takes in events for some time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if (message := self.receive(left)) and "method" in message:
                self.events.append(message)


class Page:
    """One page of the browser."""

    def __init__(self, browser):
        self.browser = browser
        self.target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = browser.call("Target.attachToTarget", {"targetId": self.target, "flatten": True})
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, parameters=None, seconds=60):
        return self.browser.call(method, parameters, self.session, seconds)

    def events(self, method):
        """The parameters of all events of a name so far."""
        return [
            event["params"]
            for event in self.browser.events
            if event["method"] == method and event.get("sessionId") == self.session
        ]

    def size(self, width, height, mobile=False, scale=1):
        screen = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile}
        self.call("Emulation.setDeviceMetricsOverride", screen)

    def prefers(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", {"features": features})

    def load(self, url):
        self.call("Page.navigate", {"url": url})
        place = json.dumps(url.partition("#")[0])
        if not self.wait_for(f"location.href.split('#')[0] === {place} && document.readyState === 'complete'"):
            raise BrowserError(f"{url} does not load")

    def evaluate(self, expression):
        """The value of an expression; a promise is waited for."""
        parameters = {"expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        result = self.call("Runtime.evaluate", parameters)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait_for(self, expression, seconds=30):
        """Whether an expression becomes true."""
        deadline = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                return False
            self.browser.gather(0.1)
        return True

    def press(self, key, code, text=None):
        """Presses a key and lets it go; `text`: what it types."""
        event = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", {**event, "type": "rawKeyDown"})
        if text:
            self.call("Input.dispatchKeyEvent", {**event, "type": "char", "text": text})
        self.call("Input.dispatchKeyEvent", {**event, "type": "keyUp"})

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})

    def screenshot(self, path, whole=True):
        """Writes a PNG, of the whole page or of what is in view."""
        result = self.call("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        with open(path, "wb") as output:
            output.write(base64.b64decode(result["data"]))
