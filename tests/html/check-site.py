# SPDX-License-Identifier: MIT
"""
The site that make html makes: it has every page of the lists and no dead link, the same sources give the same bytes,
and Chromium finds words in it and shows each page in the width of a phone without faults.
"""
import ast
import functools
import html.parser
import http.server
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chromium
import common

MAKE = common.SOURCE / "packaging/site/make-site.py"
SPHINX = os.environ.get("SPHINXBUILD") or "sphinx-build"
# What pages may link to outside of the site. They load nothing from there.
HOSTS = {"karmada.io", "openkruise.io"}
THEME = "https://github.com/pradyunsg/furo"  # the theme's address, which it adds at the foot of pages
# Words, and a page that they must find.
SEARCHES = (("spread constraint", "man/rebalance-karmada.html"),
            ("rebal_ctx_free", "man/rebal_ctx.html#rebal_ctx_free"),
            ("REBAL_CLUSTER_ZONES", "man/rebalance-columns.html#REBAL_CLUSTER_ZONES"),
            ("counterfactual", "python/whatif.html#librebalance.counterfactual"),
            ("fingerprint", "go/plan.html#func-plan-fingerprint"), ("own filter", "examples/index.html"))
PHONE = 390
# Elements of the text that reach beyond the window and that no element around them scrolls.
CUT_OFF = """(() => {
  const scrolls = (one) => one && one.tagName !== 'ARTICLE' &&
    (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  const found = [...document.querySelectorAll('article, article *')].filter((one) =>
    one.getBoundingClientRect().right > innerWidth + 1 && !scrolls(one)).map((one) => one.outerHTML.slice(0, 80));
  return (document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []).concat(found);
})()"""
RESULTS = """new Promise((resolve) => {
  const look = () => /^Search finished|did not match/.test(document.querySelector('.search-summary')?.innerText || '')
    ? resolve([...document.querySelectorAll('.search a')].map((one) => one.href)) : setTimeout(look, 50);
  look();
})"""


class Page(html.parser.HTMLParser):
    """Anchors of a page, the targets of its links, and the files that it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "link" and found.get("href"):
            self.loads.append(found["href"])
        if found.get("src"):
            self.loads.append(found["src"])
        if found.get("action"):
            self.links.append(found["action"])

    handle_startendtag = handle_starttag


def make(folder):
    """Makes the site; returns the warnings of Sphinx."""
    code, printed = common.run([sys.executable, MAKE, folder])
    if re.search("Could not import extension|no theme named", printed):
        common.skip("Sphinx has no MyST or no Furo")
    if code:
        sys.exit(f"make-site.py: exit {code}\n{printed}")
    return [line for line in printed.splitlines() if not re.match(r"\d+ pages in ", line)]


def check_again(site, again):
    """The same files with the same bytes, which hold no path of this machine."""
    files, others = ({path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
                     for folder in (site, again))
    faults = [f"{name} is in one of two sites" for name in sorted(set(files) ^ set(others))]
    for name in sorted(set(files) & set(others)):
        data = files[name].read_bytes()
        if data != others[name].read_bytes():
            faults.append(f"{name} differs in a second build")
        if str(site).encode() in data or str(common.SOURCE.resolve()).encode() in data:
            faults.append(f"{name} holds a path of this machine")
    return faults


def wanted():
    """Returns the pages that must exist: manual pages, documents, examples."""
    lists = [name for name in ("core_pages", "manifest_pages", "simulation_pages", "tool_pages")
             for name in common.make_list(name)]
    pages = {f"man/{pathlib.Path(name).stem}.html" for name in lists}
    tree = {path.relative_to(common.SOURCE) for folder in (".", "bindings/*", "bindings", "examples", "examples/*")
            for path in common.SOURCE.glob(f"{folder}/*.md")}
    pages |= {(name.parent / "index.html" if name.name == "README.md" else name.with_suffix(".html")).as_posix()
              for name in tree}
    makefile = (common.SOURCE / "examples/examples.am").read_text(encoding="utf-8")
    pages |= {f"{name}.html" for name in re.findall(r"^  (examples/\S+) \\$", makefile, re.M)
              if not name.endswith(".md")}
    return pages


def wanted_anchors(pages):
    """Returns the names that the references of Python and Go lack."""
    python = common.SOURCE / "bindings/python/src/librebalance/__init__.py"
    names = next(ast.literal_eval(node.value) for node in ast.parse(python.read_text(encoding="utf-8")).body
                 if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
    found = {anchor for name, page in pages.items() if name.startswith("python/") for anchor in page.anchors}
    faults = [f"the reference of Python lacks {name}" for name in names if f"librebalance.{name}" not in found]
    found = {anchor for name, page in pages.items() if name.startswith("go/") for anchor in page.anchors}
    for path in sorted((common.SOURCE / "bindings/go").glob("*.go")):
        if path.name.endswith("_test.go"):
            continue
        types = re.findall(r"^(?:type|func) ([A-Z]\w*)", path.read_text(encoding="utf-8"), re.M)
        faults += [f"the reference of Go lacks {name} of {path.name}" for name in types
                   if not {f"type-{name.lower()}", f"func-{name.lower()}"} & found]
    return faults


def check_links(site, pages):
    """Every link leads to a file and an anchor of the site, or to a known host; nothing else is loaded."""
    faults = []
    for name, page in pages.items():
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if link == THEME and link not in page.loads:
                continue
            if parts.scheme or parts.netloc:
                if parts.scheme not in ("https", "data") or link in page.loads and parts.scheme != "data" or \
                        parts.netloc and parts.netloc not in HOSTS:
                    faults.append(f"{name}: {link} is outside of the site")
                continue
            target = (site / name).parent / urllib.parse.unquote(parts.path) if parts.path else site / name
            target = pathlib.Path(os.path.normpath(target))
            owner = pages.get(target.relative_to(site).as_posix()) if target.is_relative_to(site) else None
            if not target.is_file() or not target.is_relative_to(site):
                faults.append(f"{name}: {link} leads to no file")
            elif owner and parts.fragment and urllib.parse.unquote(parts.fragment) not in owner.anchors:
                faults.append(f"{name}: {link} leads to no anchor")
    return faults


def check_phone(browser, site, pages):
    faults = []
    browser.size(PHONE, 844)
    for name in pages:
        browser.open((site / name).as_uri())
        faults += [f"{name}: cut off at {PHONE} pixels: {one}" for one in browser.value(CUT_OFF)[:3]]
        faults += [f"{name}: {complaint}" for complaint in browser.complaints("file:")]
    return faults


def check_search(browser, root):
    """Words find their pages, from files and from a server."""
    faults = []
    for words, page in SEARCHES:
        browser.open(f"{root}/search.html?{urllib.parse.urlencode({'q': words})}")
        found = {urllib.parse.urlsplit(link)._replace(query="").geturl()[len(root) + 1:]
                 for link in browser.value(RESULTS)}
        if page not in found:
            faults.append(f"{root.partition(':')[0]}: {words!r} does not find {page} among {sorted(found)[:20]}")
        faults += [f"{root.partition(':')[0]}: search for {words!r}: {complaint}"
                   for complaint in browser.complaints(root)]
    return faults


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # a page of results fetches all of them at once


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):  # pylint: disable=arguments-differ
        pass


def check_browser(site, pages):
    browser = chromium.Browser()
    server = Server(("127.0.0.1", 0), functools.partial(Silent, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        return check_phone(browser, site, pages) + check_search(browser, site.as_uri()) + \
            check_search(browser, f"http://127.0.0.1:{server.server_address[1]}")
    finally:
        server.shutdown()
        browser.close()


def main():
    for tool in (SPHINX, "mandoc", "go"):
        if not shutil.which(tool):
            common.skip(f"{tool} not found")
    chromium.command()
    with tempfile.TemporaryDirectory() as folder:
        site, again = pathlib.Path(folder) / "site", pathlib.Path(folder) / "again"
        faults = make(site)
        make(again)
        faults += check_again(site, again)
        pages = {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
                 for path in sorted(site.rglob("*.html"))}
        faults += [f"no page {name}" for name in sorted(wanted() - set(pages))] + wanted_anchors(pages)
        faults += check_links(site, pages) + check_browser(site, pages)
    common.finish(faults, len(pages))


main()
