"""Chromium without a window, driven by the WebDriver protocol over HTTP."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

DEADLINE = 180  # seconds; only a machine that hangs needs so many
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name for a reference to an element
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014",
        "Down": "\ue015", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011"}


class Browser:
    def __init__(self, width: int = 1280, height: int = 900):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not chromium:
            raise unittest.SkipTest("no chromium here; tools/setup test installs it")
        self.folder = tempfile.mkdtemp(prefix="gs-browser-")
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self.session = ""
        try:
            self.base = f"http://127.0.0.1:{self._port()}"
            options = {"binary": chromium, "args": [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                "--no-first-run", "--disable-background-networking", f"--user-data-dir={self.folder}",
                f"--window-size={width},{height}"]}
            always = {"browserName": "chrome", "goog:chromeOptions": options,
                      "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            self.session = self._start({"capabilities": {"alwaysMatch": always}})
            self._send("POST", self.session + "/timeouts", {"script": DEADLINE * 1000})
        except BaseException:
            self.close()
            raise

    def _port(self) -> int:
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found[1])
        raise AssertionError("chromedriver did not start")

    def _start(self, wish: dict) -> str:
        """Chromedriver gives up on a Chromium that takes a minute to start, as on a machine with much else to do."""
        for is_last in (False, False, True):
            try:
                return "/session/" + self._send("POST", "/session", wish)["sessionId"]
            except AssertionError:
                if is_last:
                    raise
        raise AssertionError("unreachable")

    def _send(self, method: str, path: str, body: dict | None = None):
        request = urllib.request.Request(self.base + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()[:2000]}") from error

    def close(self) -> None:
        if self.session:
            self._send("DELETE", self.session)
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        # The browser's last processes may still write while it is removed.
        end = time.monotonic() + 10
        while Path(self.folder).exists() and time.monotonic() < end:
            shutil.rmtree(self.folder, ignore_errors=True)
            time.sleep(0.05)

    def open(self, url: str) -> None:
        self._send("POST", self.session + "/url", {"url": url})

    def run(self, script: str, *arguments):
        """What `script`, the body of a function, returns."""
        return self._send("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script: str, *arguments):
        """What `script` hands to the function that is its last argument."""
        return self._send("POST", self.session + "/execute/async", {"script": script, "args": list(arguments)})

    def wait(self, what: str, script: str, *arguments):
        """What the expression `script` gives, once it is true."""
        end = time.monotonic() + DEADLINE
        while True:
            found = self.run(f"return {script}", *arguments)
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(f"not so after {DEADLINE} s: {what}")
            time.sleep(0.05)

    def find(self, selector: str) -> str:
        return self._send("POST", self.session + "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector: str) -> None:
        self._send("POST", f"{self.session}/element/{self.find(selector)}/click", {})

    def type(self, selector: str, text: str) -> None:
        self._send("POST", f"{self.session}/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys: str) -> None:
        """On whatever has the focus."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._send("POST", self.session + "/actions", {"actions": [keyboard]})

    def role_and_name(self, selector: str) -> tuple[str, str]:
        """As a screen reader is told."""
        element = f"{self.session}/element/{self.find(selector)}"
        return self._send("GET", element + "/computedrole"), self._send("GET", element + "/computedlabel")

    def focused(self) -> str:
        return self.run("const at = document.activeElement;"
                        "return at.getAttribute('aria-label') || at.id || at.textContent")

    def resize(self, width: int, height: int) -> None:
        self._send("POST", self.session + "/window/rect", {"width": width, "height": height})

    def command(self, name: str, **parameters):
        """A command of Chromium's own protocol."""
        return self._send("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._send("GET", self.session + "/screenshot")))

    def complaints(self) -> list[str]:
        """What the console has said since the last call."""
        return [entry["message"] for entry in self._send("POST", self.session + "/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call, without those of the browser's own first page."""
        entries = self._send("POST", self.session + "/se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        urls = [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith("chrome:")]
