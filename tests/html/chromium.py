# SPDX-License-Identifier: MIT
"""Drives Chromium through pipes: opens pages, evaluates expressions in them, takes pictures."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

import common


def command():
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return found or common.skip("chromium not found")


class Browser:
    """One page of a browser. events: its messages since the last open()."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        ours, theirs = os.pipe(), os.pipe()  # what it reads, what it writes

        def take_pipes():
            os.dup2(os.dup(ours[0]), 3)
            os.dup2(os.dup(theirs[1]), 4)

        # Its descriptors 3 and 4 may be among ours: both are moved out of the way first.
        low = [os.dup(ours[0]) for _ in range(4)]
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [command(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=take_pipes)
        for one in (*low, ours[0], theirs[1]):
            os.close(one)
        self.out, self.into = os.fdopen(ours[1], "wb"), os.fdopen(theirs[0], "rb")
        self.last, self.session, self.events, self.rest = 0, "", [], b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.into.fileno(), 1 << 20)
            if not piece:
                raise EOFError("the browser has ended")
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def open(self, uri):
        """Loads a page, with everything that belongs to it."""
        self.events = []
        loader = self.call("Page.navigate", url=uri)["loaderId"]
        while not any(event.get("method") == "Page.lifecycleEvent" and event["params"]["name"] == "load" and
                      event["params"]["loaderId"] == loader for event in self.events):
            self.events.append(self.receive())

    def value(self, expression):
        """The value of an expression, or what its promise comes to."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self, root):
        """Returns errors and warnings of the page, and its requests outside of a root."""
        found = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = what["exceptionDetails"]
                found.append(f"{details['text']} {details.get('exception', {}).get('description', '')}")
            elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                found.append(f"{what['type']}: {[one.get('value') for one in what['args']]}")
            elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")
            elif method == "Network.requestWillBeSent" and \
                    not what["request"]["url"].startswith((root, "data:", "about:")):
                found.append(f"requests {what['request']['url']}")
        return found

    def close(self):
        self.session = ""
        self.call("Browser.close")
        self.process.wait()
        self.profile.cleanup()
