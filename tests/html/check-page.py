# SPDX-License-Identifier: MIT
"""
The pages of rebalancectl simulate, spread, plan and sweep with --html need no other files and are the same each time.
Chromium shows the values of the same run's JSON in them.
"""
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
SPREAD = common.SOURCE / "examples/spread"
SWEEP = common.SOURCE / "tests/data/tool/sweep/world.yaml"
PLAN = common.SOURCE / "tests/data/tool/plan/world.yaml"
COLOURS = ((0x3b, 0x7d, 0xd8), (0xe0, 0x84, 0x3a))
# Names that would be markup, or do harm on a terminal; and the largest number of replicas in each of two clusters.
WORKLOAD, CLUSTERS = """<b>web</b> & "it's\"""", ("""<i>m1</i> & "it's\"""", "m2<")
ODD = "\n---\n".join([
    "{apiVersion: simulation.rebalance/v1, kind: Scenario}",
    json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": WORKLOAD},
                "spec": {"replicas": 2147483647}}),
    "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: {placement: {},"
    " resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}}",
    *(json.dumps({"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": name},
                  "spec": {"syncMode": "Push"}, "status": {"apiEnablements": [
                      {"groupVersion": "apps/v1", "resources": [{"name": "deployments", "kind": "Deployment"}]}]}})
      for name in CLUSTERS),
    """{kind: Step, advance: 1m, metadata: {name: "<script>alert('a & b')</script>\\u001b[2J"}}"""])
WIDTH, HEIGHT = 10000, 2000


class Page(html.parser.HTMLParser):
    """Rows of the tables as [(binding, id or class of the table, [cells])], rectangles as [(binding, attributes,
    title)], and the words of headings, keys and steps."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.bars, self.tags, self.words = [], [], set(), []
        self.labels, self.group, self.owner = [], "", 0  # (picture, group, style, words)
        self.table, self.binding, self.inside, self.rectangle = "", "", [], {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.inside.append(tag)
        if tag == "h2":
            self.binding = ""
        if tag == "div":
            self.group = dict(attrs).get("class", "")
            self.owner += self.group == "numbers"
        if tag == "span" and self.group in ("numbers", "times", "names"):
            self.labels.append([self.owner, self.group, dict(attrs)["style"], ""])
        if tag == "rect":
            self.rectangle = dict(attrs)
        if tag == "table":
            self.table = dict(attrs).get("id") or dict(attrs).get("class")
        if tag == "tr":
            self.rows.append((self.binding, self.table, []))
        if tag in ("td", "th"):
            self.rows[-1][2].append("")

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        self.words.append(data.strip())
        if self.group in ("numbers", "times", "names") and "span" in self.inside[-2:]:
            self.labels[-1][3] += data
        if "td" in self.inside or "th" in self.inside:
            self.rows[-1][2][-1] += data
        if self.inside[-1:] == ["h2"]:
            self.binding += data
        if self.inside[-2:] == ["rect", "title"]:
            self.bars.append((self.binding, self.rectangle, data))

    def of(self, table):
        return [(binding, cells) for binding, name, cells in self.rows if name == table and cells[0] != "time"]


class Nesting(html.parser.HTMLParser):
    """Tags that close nothing, or are not closed."""

    def __init__(self, text):
        super().__init__()
        self.inside, self.faults = [], []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.inside]

    def handle_starttag(self, tag, attrs):
        if tag not in ("br", "input", "meta"):
            self.inside.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.inside or self.inside.pop() != tag:
            self.faults.append(f"</{tag}> in line {self.getpos()[0]} closes nothing")


def browser():
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return found or common.skip("chromium not found")


def show(page, *words):
    """Returns the output of the browser for a page."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", *words,
                   page.as_uri()]
        code, printed = common.run(["sh", "-c", '"$@" 2>/dev/null', "sh", *command])
    return printed if code == 0 else sys.exit(f"{command[0]}: exit {code}")


def pixels(path):
    """Returns the colours of a picture with 8 bits per channel."""
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


def logged(rows):
    """Returns {binding: {time: {cluster: (ready, running)}}}: the last status of each moment in the log."""
    found = {}
    for row in rows:
        status = re.fullmatch(r"status\.aggregatedStatus: (?:.* -> )?(\{.*\}|none)", row["change"])
        if status or row["change"] == "deleted":
            found.setdefault(row["object"], {})[row["time"]] = {
                name: (int(ready), int(running)) for name, ready, running
                in re.findall(r"([\w-]+):(\d+)/(\d+) ready", status[1] if status else "")}
    return found


def shown(page):
    """Returns the same from the numbers of the page, after each moment."""
    now, found = {}, {}
    for binding, (time, cluster, _, ready, running) in page.of("shares"):
        if cluster != "wanted, and total":
            now[binding, cluster] = (int(ready), int(running))
        found.setdefault(binding, {})[time] = {name: pair for (owner, name), pair in now.items()
                                               if owner == binding and pair[1]}
    return found


def wanted_bars(statuses, last):
    """
    Returns the bars and titles of a binding: {(class, title without its time)}. Bars that begin at the end have no
    width.
    """
    return {(kind, f"{name}: {ready} of {running} ready") for time, status in statuses.items() if time < last
            for name, (ready, running) in status.items()
            for kind, pods in (("ready", ready), ("starting", running - ready)) if pods}


def number(bar, name):
    return int(bar[1][name])


def check_geometry(page, binding):
    """Bars stay in the picture, their heights are their replicas, and they are stacked without gaps."""
    bars = [bar for bar in page.bars if bar[0] == binding]
    faults, edges = [], sorted({number(bar, "x") for bar in bars})
    tops = [max(int(cells[2]), int(cells[4])) for owner, cells in page.of("shares")
            if owner == binding and cells[1] == "wanted, and total"]
    for bar in bars:
        x, y, width, height = (number(bar, name) for name in ("x", "y", "width", "height"))
        ready, running = (int(word) for word in re.search(r": (\d+) of (\d+) ready", bar[2]).groups())
        pods = ready if bar[1]["class"].startswith("ready") else running - ready
        if min(x, y, width - 1, height) < 0 or x + width > WIDTH or y + height > HEIGHT:
            faults.append(f"{bar[2]}: {x},{y} {width}x{height} is not in the picture")
        if abs(height - pods * HEIGHT / max(tops)) > 1:
            faults.append(f"{bar[2]}: {height} high for {pods} of {max(tops)}")
    for x in edges:
        pile = sorted((bar for bar in bars if number(bar, "x") <= x < number(bar, "x") + number(bar, "width")),
                      key=lambda bar: -number(bar, "y"))
        ground = HEIGHT
        for bar in pile:
            if number(bar, "y") + number(bar, "height") != ground:
                faults.append(f"{bar[2]} does not stand on what is below, at {x}")
            ground = number(bar, "y")
    begins = sorted({(bar[2].rsplit(" from ", 1)[1], number(bar, "x")) for bar in bars})
    if [x for _, x in begins] != edges:
        faults.append("bars do not begin in the order of their times")
    return [f"{binding}: {fault}" for fault in faults] if bars else [f"{binding}: no bars"]


def check_axes(page, rows):
    """
    The numbers go from 0 to near the highest one, at their heights; times and steps are those of the log, each at its
    moment.
    """
    faults, steps = [], [row for row in rows if row["kind"] == "step"]
    for picture in range(1, page.owner + 1):
        labels = {group: [(float(re.search(r"(?:left|bottom|right):([0-9.]+)%", style)[1]), style, words)
                          for owner, name, style, words in page.labels if (owner, name) == (picture, group)]
                  for group in ("numbers", "times", "names")}
        numbers = [(place, int(words)) for place, _, words in labels["numbers"]]
        top = tops(page)[picture - 1]
        if numbers[0] != (0, 0) or numbers[-1][1] * 2 <= top or \
                any(abs(place - 100 * number / top) > 0.02 for place, number in numbers):
            faults.append(f"numbers {numbers} below {top}")
        places = [100 - place if "right" in style else place for place, style, _ in labels["times"]]
        if places != sorted(places) or (places[0], places[-1]) != (0, 100 if len(places) > 1 else 0):
            faults.append(f"times at {places}")
        times = [words[:8] for _, _, words in labels["times"]]
        if times != sorted(set(times)) or times[0] != rows[0]["time"][11:19]:
            faults.append(f"times {times}")
        if [words for _, _, words in labels["names"]] != [row["change"] for row in steps]:
            faults.append(f"steps {[words for _, _, words in labels['names']]}")
    return faults


def tops(page):
    """Returns the highest pile or line of each picture, in order."""
    found = {}
    for binding, (_, cluster, assigned, _, running) in page.of("shares"):
        if cluster == "wanted, and total":
            found[binding] = max(found.get(binding, 1), int(assigned), int(running))
    return list(found.values())


def check_binding(page, binding, by_log, last):
    """At each moment the page has the status of the log: of this moment, or of the one before."""
    faults, by_page = [], shown(page).get(binding, {})
    if not set(by_log) <= set(by_page):
        faults.append(f"nothing of {sorted(set(by_log) - set(by_page))}")
    for time, status in by_page.items():
        before = max((moment for moment in by_log if moment <= time), default=None)
        if status != by_log.get(before, {}):
            faults.append(f"{time}: the page has {status}, the log {by_log.get(before)}")
    found = {(bar["class"].split()[0], re.sub(r" from [^ ]*$", "", title))
             for owner, bar, title in page.bars if owner == binding}
    if found != wanted_bars(by_log, last):
        faults.append(f"bars that are wrong or missing: {sorted(found ^ wanted_bars(by_log, last))}")
    return [f"{binding}: {fault}" for fault in faults] + check_geometry(page, binding)


def check_log(page, rows):
    """Every number, move and event of the page is one of the log, and vice versa."""
    bindings = {name: statuses for name, statuses in logged(rows).items() if name in shown(page)}
    faults = [] if bindings and set(shown(page)) == set(bindings) else [f"bindings {sorted(shown(page))}"]
    for binding, statuses in bindings.items():
        faults += check_binding(page, binding, statuses, rows[-1]["time"])
    for table, wanted in (("moves", [row for row in rows if row["change"].startswith("spec.clusters: ")]),
                          ("events", [row for row in rows if row["kind"] == "event" or
                                      row["change"].startswith("breach: ")]),
                          ("expectations", [row for row in rows if row["kind"] in ("held", "failed")])):
        if [cells[0] for _, cells in page.of(table)] != [row["time"] for row in wanted]:
            faults.append(f"{table}: {len(page.of(table))} instead of {len(wanted)}, or at other times")
    return faults


def check_scenario(scenario, folder):
    page = make(scenario, folder, "page.html")
    faults = [] if page.read_bytes() == make(scenario, folder, "again.html").read_bytes() else ["another page"]
    seen, rows = Page(show(page, "--dump-dom")), log_of(scenario)
    faults += check_alone(page) + check_log(seen, rows) + check_axes(seen, rows)
    return [f"{scenario.name}: {fault}" for fault in faults]


def check_alone(page):
    """The page runs no scripts, loads nothing, and is well-formed."""
    text = page.read_text()
    faults = [f"{word} in the page" for word in ("src=", "href=", "url(", "@import", "//", "<script") if word in text]
    if "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';" not in text:
        faults.append("the page could load something")
    return faults + Nesting(text).faults


def check_odd(folder):
    """Names are shown as they are, and never become markup."""
    scenario = folder / "odd.yaml"
    scenario.write_text(ODD)
    page = make(scenario, folder, "odd.html")
    seen = Page(show(page, "--dump-dom"))
    binding = f"ResourceBinding default/{WORKLOAD}-deployment"
    faults = [f"<{tag}> in the page" for tag in ("script", "b", "i") if tag in seen.tags]
    faults += [f"{word} is not in the page" for word in (binding, *CLUSTERS, "<script>alert('a & b')</script>\\x1b[2J")
               if word not in seen.words]
    names = {cells[1] for _, cells in seen.of("shares")}
    if names != {*CLUSTERS, "wanted, and total"}:
        faults.append(f"the numbers are of {sorted(names)}")
    titles = {title for _, _, title in seen.bars}
    for name in CLUSTERS:
        for ready in (0, 2147483647):
            if not any(title.startswith(f"{name}: {ready} of 2147483647 ready from ") for title in titles):
                faults.append(f"no bar of {name} with {ready} ready among {sorted(titles)}")
    return faults + check_alone(page) + check_geometry(seen, binding)


def check_picture(folder):
    """Both clusters of the tutorial are visible in their colours."""
    page, picture = make(SCENARIOS / "tutorial.yaml", folder, "tutorial.html"), folder / "page.png"
    show(page, f"--screenshot={picture}", "--window-size=500,700", "--hide-scrollbars")
    colours = pixels(picture)
    return [f"no pixel of {colour}" for colour in COLOURS if colour not in colours]


def check_choice(folder):
    """The chosen one of two bindings is visible: payments is in one cluster only."""
    page, picture = make(SCENARIOS / "preempted-low-priority-respread.yaml", folder, "two.html"), folder / "two.png"
    text, faults = page.read_text(), []
    names = re.findall(r'<input type="radio" name="binding" id="b\d+">([^<]*)', text)
    if names != ["ResourceBinding default/batch-deployment", "ResourceBinding default/payments-deployment"]:
        faults.append(f"the choice is among {names}")
    text = re.sub(r'<p id="clusters">.*?</p>', "", text, flags=re.DOTALL).replace(" checked", "")
    for chosen, both in (("b0", True), ("b1", False)):
        page.write_text(text.replace(f'id="{chosen}">', f'id="{chosen}" checked>'))
        show(page, f"--screenshot={picture}", "--window-size=900,1400", "--hide-scrollbars")
        if [colour in pixels(picture) for colour in COLOURS] != [True, both]:
            faults.append(f"with {chosen} chosen the wrong colours are seen")
    return faults


def check_spread(folder):
    """Pods, subsets and bars of each step are those of the JSON; both subsets are visible in their colours."""
    page, picture = folder / "spread.html", folder / "spread.png"
    objects = sorted(SPREAD.glob("*.yaml"))
    answer = json.loads(common.run([TOOL, "spread", "--scale", "3", "-o", "json", "--html", page, *objects])[1])
    seen, steps, faults = Page(show(page, "--dump-dom")), answer["steps"], check_alone(page)
    for table, member in (("pods", "pods"), ("subsets", "subsets"), ("admitted", "admitted")):
        names = [cells[0] for _, cells in seen.of(table) if cells[0] not in ("pod", "subset")]
        wanted = [row["name"] for step in steps for row in step.get(member, ())]
        faults += [] if names == wanted and names else [f"{table}: {names} instead of {wanted}"]
    subsets = [row for step in steps for row in step.get("subsets", ())]
    most = max(row["active"] for row in subsets)
    bars = [(title, int(bar["width"])) for _, bar, title in seen.bars]
    if bars != [(f"{row['name']}: {row['active']}", row["active"] * 1000 // most) for row in subsets]:
        faults.append(f"bars of spread: {bars}")
    show(page, f"--screenshot={picture}", "--window-size=900,700", "--hide-scrollbars")
    colours = pixels(picture)
    return faults + [f"no pixel of {colour} for spread" for colour in COLOURS if colour not in colours]


def sums(pairs):
    """{pair: sum} of [(pair, replicas)]."""
    found = {}
    for pair, replicas in pairs:
        found[pair] = found.get(pair, 0) + replicas
    return found


def check_plan(folder):
    """Flows, moves, limits and waves are those of the JSON; a flow is as thick as its replicas."""
    page, picture = folder / "plan.html", folder / "plan.png"
    answer = json.loads(common.run([TOOL, "plan", "--drain", "m1", "--max-moves", "8", "--max-per-target", "7",
                                    "--max-surge", "2", "--waves", "-o", "json", "--html", page, PLAN])[1])
    seen, faults = Page(show(page, "--dump-dom")), check_alone(page)
    moves = [(one["name"], move["from"], move["to"], move["replicas"])
             for one in answer["bindings"] for move in one["moves"]]
    rows = [tuple(cells) for _, cells in seen.of("moves") if cells[0] != "binding"]
    if rows != [(f"ResourceBinding default/{name}", source, target, str(n)) for name, source, target, n in moves]:
        faults.append(f"moves: {rows} instead of {moves}")
    text = page.read_text()
    flows = {(source, target): int(n) for source, target, n in
             re.findall(r"<title>(\S+) to (\S+): (\d+)</title></path>", text)}
    if flows != sums(((source, target), n) for _, source, target, n in moves) or not flows:
        faults.append(f"flows: {flows}")
    thick = {round((float(low) - float(high)) / n, 1) for high, low, n in
             ((high, low, int(n)) for high, low, n in re.findall(
                 r'd="M212 ([\d.]+)C.*?C.*? 212 ([\d.]+)Z"><title>\S+ to \S+: (\d+)<', text))}
    if len(thick) != 1 or len(re.findall('class="flow ', text)) != len(flows):
        faults.append(f"a replica is {thick} thick")
    limits = [cells for _, cells in seen.of("limits") if cells[0] != "limit"]
    if limits != [[one["name"], f"{one['allows']} each" if one["name"].startswith("each") else str(one["allows"]),
                   *(str(one[key]) for key in ("used", "withheld", "shadow"))] for one in answer["limits"]]:
        faults.append(f"limits: {limits}")
    marks = [f"wave {wave}: {writes}" for wave, writes in
             re.findall(r'class="wave c\d".*?<title>wave (\d+): (.*?)</title>', text)]
    wanted = {}
    for write in answer["waves"]:
        wanted.setdefault((write["wave"], write["name"]), []).append(
            f"{write['cluster']} {write['from']} to {write['to']}")
    if marks != [f"wave {wave}: {', '.join(writes)}" for (wave, _), writes in wanted.items()] or not marks:
        faults.append(f"waves: {marks} instead of {wanted}")
    show(page, f"--screenshot={picture}", "--window-size=1100,900", "--hide-scrollbars")
    colours = pixels(picture)
    return faults + [f"no pixel of {colour} for a plan" for colour in COLOURS if colour not in colours]


def check_sweep(folder):
    """The rows of the map are those of the JSON, and the heat of a cell is its part of the largest one."""
    page = folder / "sweep.html"
    answer = json.loads(common.run([TOOL, "sweep", "-o", "json", "--html", page, SWEEP])[1])["losses"]
    seen, faults = Page(show(page, "--dump-dom")), check_alone(page)
    rows = [cells for _, cells in seen.of("losses") if cells[0] != "lost"]
    keys = ("lost", "name", "clusters", "notPlaced", "missing", "moved", "full", "fullest", "resource")
    for one in answer:
        one["full"] = f"{one['permille'] // 10}.{one['permille'] % 10}%"
    if rows != [[str(one[key]) for key in keys] for one in answer] or len(rows) < 4:
        faults.append(f"losses: {rows}")
    heats = [int(heat) for heat in re.findall(r"--heat: (\d+)%", page.read_text())]
    most = [max([least, *(one[key] for one in answer)])
            for key, least in (("notPlaced", 1), ("missing", 1), ("moved", 1), ("permille", 1000))]
    wanted = [max(one[key] * 100 // largest, one[key] > 0) for one in answer
              for key, largest in zip(("notPlaced", "missing", "moved", "permille"), most)]
    return faults + ([] if heats == wanted and max(heats) == 100 else [f"heats: {heats} instead of {wanted}"])


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    scenarios = sorted(SCENARIOS.glob("tutorial*.yaml")) + [
        SCENARIOS / f"{name}.yaml" for name in ("disaster-recovery-migrate-back", "failover-with-nodes",
                                                "preempted-low-priority-respread")]
    os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faults = check_picture(folder) + check_odd(folder) + check_choice(folder) + check_spread(folder) + \
            check_plan(folder) + check_sweep(folder)
        for scenario in scenarios:
            faults += check_scenario(scenario, folder)
    common.finish(faults, len(scenarios) + 6)


main()
