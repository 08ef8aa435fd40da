# SPDX-License-Identifier: MIT
"""The picture of README.md is the chart that rebalancectl simulate --html draws of its scenario, as an SVG file that
needs no page around it. With --write: draws it."""
import html
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

SCENARIO = common.SOURCE / "examples/scenarios/region-evacuation.yaml"
PICTURE = common.SOURCE / "examples/pictures/region-evacuation.svg"
TITLE = "Replicas of a Deployment by cluster, while a region is evacuated"
WIDTH, HEIGHT = 880, 340
# The chart inside the picture.
LEFT, TOP, RIGHT, BOTTOM = 44, 76, 868, 256
TIME_Y, NAME_Y, ROW = 272, 300, 20

# Its own background, so that it can be read on a light and on a dark page.
STYLE = """\
.page { fill: #ffffff; stroke: #d0d7de; }
text { fill: #1f2328; font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.title { font-weight: 600; font-size: 15px; }
.tick { stroke: #8b949e; }
.chart { fill: #f3f4f6; }
.chart-bars rect { shape-rendering: crispEdges; }
.starting { opacity: .4; }
.step, .wanted, .grid { fill: none; vector-effect: non-scaling-stroke; }
.step { stroke: #59636e; stroke-dasharray: 3 3; }
.wanted { stroke: #1f2328; stroke-width: 2; }
.grid { stroke: #8b949e; stroke-opacity: .35; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #3d444d; }
text { fill: #f0f6fc; }
.chart { fill: #1a2029; }
.step { stroke: #9198a1; }
.wanted { stroke: #f0f6fc; }
}
"""


def page():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "page.html")
        common.output([common.BUILD / "rebalancectl", "simulate", "--html", path, SCENARIO])
        return path.read_text()


def part(text, pattern):
    """The one match of a pattern."""
    found = re.findall(pattern, text, re.S)
    assert len(found) == 1, f"{len(found)} matches of {pattern}"
    return found[0]


def colours(text):
    return "".join(f".{name} {{ fill: {colour}; }}\n" for name, colour in
                   re.findall(r"\.(c\d) \{ background: (#[0-9a-f]{6});", text))


def labels(text, group):
    """[(side, percent, row, words)] of a group of labels around the chart."""
    block = part(text, rf'<div class="{group}"[^>]*>(.*?)</div>')
    found = []
    for style, words in re.findall(r'<span[^>]*style="([^"]*)"[^>]*>(.*?)</span>', block, re.S):
        side, percent = re.search(r"(left|right|bottom):([0-9.]+)%", style).groups()
        top = re.search(r"top:([0-9.]+)em", style)
        found.append((side, float(percent), round(float(top[1]) / 1.4) if top else 0, words.partition("<br>")[0]))
    return found


def put_text(x, y, words, anchor="start", style=""):
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:g}" y="{y:g}"{place}{style}>{words}</text>\n'


def put_label(label, y):
    """A label of a moment, after its mark, or before it at the right end."""
    side, percent, row, words = label
    across = percent if side == "left" else 100 - percent
    x = round(LEFT + (RIGHT - LEFT) * across / 100, 1)
    y += row * ROW
    return f'<path class="tick" d="M{x:g} {y - 12} V{y + 3}"/>\n' + (
        put_text(x + 5, y, words) if side == "left" else put_text(x - 5, y, words, "end"))


def legend(text):
    """Keys of clusters, of replicas that are not ready, and of the line."""
    x, y, drawn = LEFT, 52, ""
    keys = re.findall(r'<span class="key (c\d)"></span>([^<]*)', part(text, r'<p id="clusters">(.*?)</p>'))
    for name, words in [*keys, ("c0 starting", "not ready yet")]:
        drawn += f'<rect class="{name}" x="{x}" y="{y - 11}" width="12" height="12" rx="2"/>\n'
        drawn += put_text(x + 18, y, words)
        x += 36 + 8 * len(html.unescape(words))
    drawn += f'<path class="wanted" d="M{x} {y - 5} H{x + 18}"/>\n' + put_text(x + 24, y, "requested replicas")
    return drawn


def draw(text):
    bars = part(text, r'<svg viewBox="0 0 10000 2000"[^>]*>\n(.*?)</svg>\n<div class="times">')
    numbers = "".join(put_text(LEFT - 8, round(BOTTOM - (BOTTOM - TOP) * percent / 100 + 4, 1), words, "end")
                      for _, percent, _, words in labels(text, "numbers"))
    times = "".join(put_label(label, TIME_Y) for label in labels(text, "times"))
    names = "".join(put_label(label, NAME_Y) for label in labels(text, "names"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{TITLE}">\n'
            "<!-- SPDX-License-Identifier: MIT. Drawn by tests/documents/check-picture.py. -->\n"
            f"<style>\n{STYLE}{colours(text)}</style>\n"
            f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="6"/>\n'
            + put_text(LEFT, 28, TITLE, style=' class="title"') + legend(text) + numbers +
            f'<rect class="chart" x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BOTTOM - TOP}"/>\n'
            f'<svg class="chart-bars" x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BOTTOM - TOP}" '
            f'viewBox="0 0 10000 2000" preserveAspectRatio="none">\n{bars}</svg>\n' + times + names + "</svg>\n")


def is_alone(picture):
    """No script, nothing from elsewhere."""
    tags = {element.tag.rpartition("}")[2] for element in xml.etree.ElementTree.fromstring(picture).iter()}
    return tags <= {"svg", "style", "rect", "path", "text", "title"} and not re.search(r"href|url\(|@import", picture)


def main():
    if not (common.BUILD / "rebalancectl").exists():
        common.skip("rebalancectl is not built")
    drawn, faults = draw(page()), []
    if "--write" in sys.argv[1:]:
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(drawn)
    if PICTURE.read_text() != drawn:
        faults.append(f"{PICTURE.name} is not what the tool draws; run with --write")
    if not is_alone(drawn):
        faults.append(f"{PICTURE.name} cannot be shown on its own")
    if f"]({PICTURE.relative_to(common.SOURCE)})" not in (common.SOURCE / "README.md").read_text():
        faults.append(f"README.md does not show {PICTURE.name}")
    common.finish(faults, 3)


main()
