# SPDX-License-Identifier: MIT
"""The page of rebalancectl simulate --html needs nothing else, is the same each time, and Chromium shows in it what the
log of the same run says."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

TOOL = common.BUILD / "rebalancectl"
SCENARIOS = common.SOURCE / "examples/scenarios"
# Names that would be markup, or do harm on a terminal.
ODD = """apiVersion: simulation.rebalance/v1
kind: Scenario
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2}}
---
kind: Step
metadata: {name: "<script>alert('a & b')</script>\\u001b[2J"}
"""


class Page(html.parser.HTMLParser):
    """Rows of the tables as [(id or class of the table, [cells])], and the titles of rectangles."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.titles, self.tags = [], [], set()
        self.table, self.inside = "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.inside.append(tag)
        if tag == "table":
            self.table = dict(attrs).get("id") or dict(attrs).get("class")
        if tag == "tr":
            self.rows.append((self.table, []))
        if tag in ("td", "th"):
            self.rows[-1][1].append("")

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if "td" in self.inside or "th" in self.inside:
            self.rows[-1][1][-1] += data
        if self.inside[-2:] == ["rect", "title"]:
            self.titles.append(data)

    def of(self, table):
        return [cells for name, cells in self.rows if name == table][1:]


def browser():
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return found or common.skip("chromium not found")


def show(page, *words):
    """What the browser prints of a page."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", *words,
                   page.as_uri()]
        code, printed = common.run(["sh", "-c", '"$@" 2>/dev/null', "sh", *command])
    return printed if code == 0 else sys.exit(f"{command[0]}: exit {code}")


def pixels(path):
    """The colours of a picture of 8 bits a channel."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, _, colours = struct.unpack(">IIBB", data[at + 8:at + 18])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    step, raw, before, found = {2: 3, 6: 4}[colours], zlib.decompress(packed), None, set()
    for y in range(height):
        start = y * (width * step + 1)
        line, above = bytearray(raw[start + 1:start + 1 + width * step]), before or bytes(width * step)
        for i in range(len(line)):
            left, corner = (line[i - step], above[i - step]) if i >= step else (0, 0)
            guess = left + above[i] - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]),
                          (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, above[i], (left + above[i]) // 2, nearest)[raw[start]]) & 255
        before = bytes(line)
        found |= {tuple(line[i:i + 3]) for i in range(0, len(line), step)}
    return found


def make(scenario, folder, name):
    page = folder / name
    common.run([TOOL, "simulate", "--html", page, scenario])
    return page


def log_of(scenario):
    return json.loads(common.run([TOOL, "simulate", "-o", "json", scenario])[1])["rows"]


def told(rows):
    """{(time, cluster): (ready, running)} of the last status of each moment, by the log."""
    found = {}
    for row in rows:
        status = re.fullmatch(r"status\.aggregatedStatus: (?:.* -> )?(\{.*\}|none)", row["change"])
        if status:
            found[row["time"]] = {name: (int(ready), int(running)) for name, ready, running
                                  in re.findall(r"([\w-]+):(\d+)/(\d+) ready", status[1])}
    return found


def check_scenario(scenario, folder):
    """Every number, move and event of the page is one of the log, and the other way round."""
    rows, page = log_of(scenario), make(scenario, folder, "page.html")
    faults = [] if page.read_bytes() == make(scenario, folder, "again.html").read_bytes() else ["another page"]
    seen = Page(show(page, "--dump-dom"))
    now, shown = {}, {}
    for time, cluster, _, ready, running in (cells for cells in seen.of("shares") if "wanted" not in cells[1]):
        now[cluster] = (int(ready), int(running))
        shown[time] = {name: pair for name, pair in now.items() if pair[1]}
    for time, status in told(rows).items():
        if shown.get(time) != status:
            faults.append(f"{time}: the page has {shown.get(time)}, the log {status}")
    titles = {re.sub(r" from .*", "", title) for title in seen.titles}
    pairs = {f"{name}: {ready} of {running} ready" for status in shown.values()
             for name, (ready, running) in status.items()}
    if not titles or not titles <= pairs:
        faults.append(f"bars of {sorted(titles - pairs)}")
    for table, wanted in (("moves", [row for row in rows if row["change"].startswith("spec.clusters: ")]),
                          ("events", [row for row in rows if row["kind"] == "event" or
                                      row["change"].startswith("breach: ")]),
                          ("expectations", [row for row in rows if row["kind"] in ("held", "failed")])):
        if [cells[0] for cells in seen.of(table)] != [row["time"] for row in wanted]:
            faults.append(f"{table}: {len(seen.of(table))} instead of {len(wanted)}, or at other times")
    return [f"{scenario.name}: {fault}" for fault in faults]


def check_alone(page):
    """Nothing is run, nothing comes from elsewhere."""
    text = page.read_text()
    faults = [f"{word} in the page" for word in ("src=", "href=", "url(", "@import", "//", "<script") if word in text]
    return faults + ([] if "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';" in text
                     else ["the page could load something"])


def check_odd(folder):
    scenario = folder / "odd.yaml"
    scenario.write_text(ODD)
    seen = Page(show(make(scenario, folder, "odd.html"), "--dump-dom"))
    return ["a name became markup"] if "script" in seen.tags else []


def check_picture(folder):
    """Both clusters of the tutorial are seen in their colours."""
    page, picture = make(SCENARIOS / "tutorial.yaml", folder, "tutorial.html"), folder / "page.png"
    show(page, f"--screenshot={picture}", "--window-size=500,700", "--hide-scrollbars")
    colours = pixels(picture)
    return check_alone(page) + [f"no pixel of {colour}" for colour in ((0x3b, 0x7d, 0xd8), (0xe0, 0x84, 0x3a))
                                if colour not in colours]


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    scenarios = sorted(SCENARIOS.glob("tutorial*.yaml")) + [SCENARIOS / "disaster-recovery-migrate-back.yaml"]
    os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faults = check_picture(folder) + check_odd(folder)
        for scenario in scenarios:
            faults += check_scenario(scenario, folder)
    common.finish(faults, len(scenarios) + 2)


main()
