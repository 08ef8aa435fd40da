# SPDX-License-Identifier: MIT
"""The reference of the Go package: the output of go doc, in one page for each file with declarations. As an extension
of Sphinx: registers the names for the search."""
import re
import subprocess
import sys

SECTION = re.compile(r"^(CONSTANTS|VARIABLES|FUNCTIONS|TYPES)$")
LISTS = "enumerations"  # the page of declarations in lists_*.go


def printed(package):
    try:
        done = subprocess.run(["go", "doc", "-all", "."], cwd=package, stdout=subprocess.PIPE, encoding="utf-8",
                              check=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"make-site.py: go doc: {failure}")
    return done.stdout.rstrip("\n").split("\n")


def declarations(lines):
    """Returns (comment of the package, [(section, declaration, comment)]). Declarations begin at the margin, are
    indented by tabs, and may hold empty lines between parentheses; comments are indented by four spaces."""
    package, found, section = [], [], ""
    for line in lines[1:]:
        if SECTION.match(line):
            section = line
        elif not section:
            package.append(line)
        elif line.startswith("    ") or not line and not is_open(found):
            if found:
                found[-1][2].append(line[4:])
        elif line and line[0] not in "\t)}" and not is_open(found):
            found.append((section, [line], []))
        else:
            found[-1][1].append(line)
    return package, found


def is_open(found):
    """Returns whether the last declaration is unfinished: a group or structure ends at the margin."""
    if not found or found[-1][2]:
        return False
    lines = found[-1][1]
    return lines[0][-1] in "({" and not (len(lines) > 1 and lines[-1][:1] in (")", "}"))


def title(declaration):
    """The heading of a declaration, or None: constants and variables have none."""
    line = declaration[0]
    method = re.match(r"func \(\w+ (\*?\w+)(?:\[\w+\])?\) (\w+)", line)
    if method:
        return f"func ({method[1]}) {method[2]}"
    found = re.match(r"(func|type) (\w+)", line)
    return found and found[0]


def paragraphs(comment):
    """Returns a comment as reStructuredText; indented lines are code."""
    made, text = [], "\n".join(comment).strip("\n")
    for part in re.split(r"\n{2,}", text):
        lines = part.split("\n")
        if all(line.startswith((" ", "\t")) for line in lines):
            made.append("::\n\n" + "\n".join(f"   {line.strip()}" for line in lines))
        elif part:
            made.append(re.sub(r"([*`|\\]|_\b)", r"\\\1", part))
    return "\n\n".join(made) + "\n\n" if text else ""


def block(declaration):
    lines = "\n".join(f"   {line}".rstrip() for line in "\n".join(declaration).expandtabs(4).split("\n"))
    return f".. code-block:: go\n\n{lines}\n\n"


def underlined(text, line):
    shown = text.replace("*", "\\*")
    return f"{shown}\n{line * len(shown)}\n\n"


def files_of_types(package):
    """{type: the file that declares it}"""
    found = {}
    for path in sorted(package.glob("*.go")):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"^type (\w+)", text, re.M)
        for group in re.findall(r"^type \(\n(.*?)^\)", text, re.M | re.DOTALL):
            names += re.findall(r"^\t(\w+) ", group, re.M)
        for name in names:
            found.setdefault(name, LISTS if path.stem.startswith("lists_") else path.stem)
    return found


def made(package):
    comment, found = declarations(printed(package))
    files, pages, types, page = files_of_types(package), {}, {}, "index"
    first = [paragraphs(comment)]
    for section, declaration, words in found:
        name = title(declaration)
        if section == "TYPES" and name and name.startswith("type "):
            page = files[name[5:]]
            types.setdefault(page, []).append(name[5:])
        target = pages.setdefault(page, []) if section == "TYPES" else first
        if name:
            target.append(underlined(name, "-" if section != "TYPES" or name.startswith("type ") else "~"))
        target.append(block(declaration) + paragraphs(words))
    links = {stem: " ".join(f"`{name} <{stem}.html#type-{name.lower()}>`__" for name in sorted(types[stem]))
             for stem in pages}
    rows = "".join(f"- :doc:`{stem} </go/{stem}>`: {links[stem]}\n" for stem in sorted(pages))
    entries = "".join(f"   {stem} </go/{stem}>\n" for stem in sorted(pages))
    index = (underlined("Go reference", "=") + first[0]
             + "Types are listed by subject, with their functions, methods and constants. "
             ":doc:`/bindings/go/index` shows how the package is used.\n\n" + rows
             + "\n.. toctree::\n   :hidden:\n\n" + entries + "\n" + "".join(first[1:]))
    return {"go/index.rst": index,
            **{f"go/{stem}.rst": underlined(f"Go: {stem}", "=") + "".join(parts) for stem, parts in pages.items()}}


def note_names(app, doctree):
    """Registers types, functions and methods for the search."""
    from docutils import nodes  # pylint: disable=import-outside-toplevel
    domain, docname = app.env.get_domain("std"), app.env.docname
    if not docname.startswith("go/"):
        return
    for section in doctree.findall(nodes.section):
        found = re.fullmatch(r"(type|func) (?:\(\*?(\w+)\) )?(\w+)", section[0].astext())
        if found:
            name = f"{found[2]}.{found[3]}" if found[2] else found[3]
            domain.note_object(f"go-{found[1]}", name, section["ids"][0], location=docname)


def setup(app):
    for kind, name in (("func", "function"), ("type", "type")):
        app.add_object_type(f"go-{kind}", f"go-{kind}", objname=f"Go {name}")
    app.connect("doctree-read", note_names)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
