# SPDX-License-Identifier: MIT
"""Extension of Sphinx: the sidebar of each page lists the chapters, and the pages of the current chapter. Without it
Sphinx copies the contents of every page for each page, which takes minutes."""
import html
import posixpath

from sphinx import addnodes


def entries_of(env, docname):
    """[(caption, [(title, document)])] of the lists of documents of one page."""
    return [(node.get("caption") or "", [(title or env.titles[ref].astext(), ref) for title, ref in node["entries"]])
            for node in env.get_doctree(docname).findall(addnodes.toctree)]


def collect(app, env):
    """Fills app.chapters and {document of a chapter: its pages}, app.chapter_pages."""
    app.chapters = entries_of(env, env.config.root_doc)
    app.chapter_pages = {ref: [entry for _, entries in entries_of(env, ref) for entry in entries]
                         for _, chapters in app.chapters for _, ref in chapters}


def is_current(app, ref, docname):
    """Returns whether ref is the document or its chapter. The chapter of an example file is its folder."""
    return ref == docname or docname in (page for _, page in app.chapter_pages.get(ref, ())) or \
        ref.startswith("examples/") and posixpath.dirname(ref) == posixpath.dirname(docname)


def listed(app, entries, docname, level):
    made = []
    for title, ref in entries:
        current = " current" if is_current(app, ref, docname) else ""
        inner = listed(app, app.chapter_pages[ref], docname, level + 1) \
            if current and level == 1 and app.chapter_pages.get(ref) else ""
        uri = app.builder.get_relative_uri(docname, ref) or "#"
        made.append(f'<li class="toctree-l{level}{current}"><a class="reference internal{current}" href="{uri}">'
                    f"{html.escape(title)}</a>{inner}</li>")
    return f"<ul>{''.join(made)}</ul>"


def replace_toctree(app, pagename, templatename, context, doctree):
    """Furo takes the list of documents from the context."""
    def toctree(**options):
        return "".join(f'<p class="caption" role="heading"><span class="caption-text">{html.escape(caption)}</span></p>'
                       + listed(app, entries, pagename, 1) for caption, entries in app.chapters)
    context["toctree"] = toctree


def setup(app):
    app.connect("env-updated", collect)
    app.connect("html-page-context", replace_toctree, priority=400)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
