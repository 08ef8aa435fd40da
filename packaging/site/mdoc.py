# SPDX-License-Identifier: MIT
"""Extension of Sphinx: manual pages as sources, which mandoc renders, and links wherever their names occur."""
import html
import pathlib
import re
import subprocess

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.parsers import Parser

from chapters import names_of

SECTIONS = "13578"
# Sections and subsections, as mandoc 1.14 writes them: they nest, and hold everything else.
BORDER = re.compile(r'<section class="S[hs]">\s*<h\d class="S[hs]" id="([^"]*)"><a [^>]*>(.*?)</a></h\d>|</section>',
                    re.DOTALL)
HEADER = re.compile(r'<a class="In">([^<]*)</a>')
REFERENCE = re.compile(r'<a class="Xr"[^>]*>([^<(]+)\((\d)\)</a>')
MENTION = re.compile(r"(?<![\w-])(?:([a-z][\w-]*)\(([1-8])\)|(rebal_\w+)(?:\(\))?)")
# Constants that a page explains; errors of calls are those of rebal_error(3).
CONSTANT = re.compile(r'<dt id="(REBAL_[A-Z0-9_]+)">')


def collect(app):
    """Fills env.manual: {(name, section): (document, anchor)}."""
    app.env.manual = {}
    for path in sorted((pathlib.Path(app.srcdir) / "man").glob("*.[1-9]")):
        section = path.suffix[1:]
        for name in names_of(path)[0]:
            app.env.manual[name, section] = (f"man/{path.stem}", "" if name == path.stem else name)


class ManualParser(Parser):
    """Makes a document of a manual page: its sections are sections of the site, with the anchors of mandoc."""
    supported = ("mandoc",)

    def parse(self, inputstring, document):
        env = document.settings.env
        try:
            done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment"], input=inputstring, encoding="utf-8",
                                  stdout=subprocess.PIPE, check=True)
        except (OSError, subprocess.CalledProcessError) as failure:
            raise ExtensionError(f"{env.docname}: {failure}") from failure
        text = done.stdout
        begin = text.index('<div class="manual-text">') + len('<div class="manual-text">')
        body = text[begin:text.rindex("</div>")]
        path = pathlib.Path(env.doc2path(env.docname))
        names, description, _ = names_of(path)
        body = self.with_names(self.with_links(env, body), names)
        title = f"{path.stem}({path.suffix[1:]})"
        page = nodes.section("", nodes.title("", f"{title}: {description}"), ids=[nodes.make_id(path.stem)],
                             names=[title], classes=["manual-page"])
        document += page
        document.note_source(str(path), 0)
        fill(page, body)
        note_objects(env, names if path.suffix == ".3" else [], body)

    @staticmethod
    def with_links(env, body):
        """References to pages of the site lead there, those to other pages are text."""
        def link(found):
            place = env.manual.get((found[1], found[2]))
            text = f"{found[1]}({found[2]})"
            if not place:
                return text
            anchor = f"#{place[1]}" if place[1] else ""
            return f'<a class="Xr" href="{pathlib.Path(place[0]).name}.html{anchor}">{text}</a>'
        return REFERENCE.sub(link, HEADER.sub(r"\1", body))

    @staticmethod
    def with_names(body, names):
        """Each name of the page is an anchor: its name in section NAME where no description has it."""
        for name in names[1:]:
            if f'id="{name}"' not in body:
                body = body.replace(f'<code class="Nm">{name}</code>', f'<code class="Nm" id="{name}">{name}</code>', 1)
        return body


def note_objects(env, names, body):
    """Registers functions, types and constants for the search."""
    domain, document = env.get_domain("std"), env.docname
    for name in names:
        kind = "function" if f'<code class="Fn">{name}</code>(' in body else "type"
        anchor = name if f'id="{name}"' in body else nodes.make_id(name)
        domain.note_object(f"c-{kind}", name, anchor, location=document)
    errors = re.search(r'<h\d class="Sh" id="ERRORS">.*?</section>', body, re.DOTALL)
    if errors and "rebal_error" not in names:
        body = body.replace(errors[0], "")
    for name in CONSTANT.findall(body):
        if ("c-constant", name) not in domain.objects:
            domain.note_object("c-constant", name, name, location=document)


def anchors_of(anchor):
    """The anchors of a section. The search uses the first one as a CSS selector, so it must be an identifier."""
    if re.fullmatch(r"[A-Za-z][\w-]*", anchor):
        return [anchor]
    return ["section-" + re.sub(r"[^\w]+", "-", anchor).strip("-"), anchor]


def fill(page, body):
    """Puts the sections of a rendered page below its node."""
    owners, at = [page], 0

    def add(piece):
        if piece.strip():
            owners[-1] += nodes.raw("", piece.strip(), format="html")

    for border in BORDER.finditer(body):
        add(body[at:border.start()])
        at = border.end()
        if border[1] is None:
            owners.pop()
            continue
        words = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", border[2])))
        section = nodes.section("", nodes.title("", words), ids=anchors_of(html.unescape(border[1])), names=[])
        owners[-1] += section
        owners.append(section)
    add(body[at:])


def place_of(app, found):
    """Returns the target of a mention of a name: (document, anchor), or None."""
    if found[3]:
        return app.env.manual.get((found[3], "3"))
    return app.env.manual.get((found[1], found[2]))


def link_mentions(app, doctree, docname):
    """Names of pages and functions in text and literals lead to their pages."""
    for text in list(doctree.findall(nodes.Text)):
        parent = text.parent
        ancestors, node = [], parent
        while node is not None:
            ancestors.append(node)
            node = node.parent
        if any(isinstance(node, (nodes.reference, nodes.literal_block, nodes.raw, nodes.title, nodes.FixedTextElement,
                                 nodes.comment)) for node in ancestors):
            continue
        made, at = [], 0
        for found in MENTION.finditer(text.astext()):
            place = place_of(app, found)
            if not place or place[0] == docname:
                continue
            made.append(nodes.Text(text.astext()[at:found.start()]))
            uri = app.builder.get_relative_uri(docname, place[0]) + (f"#{place[1]}" if place[1] else "")
            made.append(nodes.reference("", found[0], refuri=uri, internal=True))
            at = found.end()
        if made:
            made.append(nodes.Text(text.astext()[at:]))
            parent.replace(text, [node for node in made if node.astext()])


def setup(app):
    for section in SECTIONS:
        app.add_source_suffix(f".{section}", "mandoc")
    app.add_source_parser(ManualParser)
    for kind in ("function", "type", "constant"):
        app.add_object_type(f"c-{kind}", f"c-{kind}", objname=f"C {kind}")
    app.connect("builder-inited", collect)
    app.connect("doctree-resolved", link_mentions)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
