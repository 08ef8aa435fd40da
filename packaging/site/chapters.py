# SPDX-License-Identifier: MIT
"""Pages of the site that are not files of the tree: the reference of C and Python, lists of examples; and the order of
pages in the sidebar."""
import ast
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
# Guides in the order of reading; others follow by name. Lists belong to the reference of C.
GUIDES = ("librebalance", "rebalance-tutorial", "rebalance-from-karmada", "rebalance-embedding")
LISTS = ("rebalance-columns", "rebalance-fields")
LIBRARIES = (("librebalance", None), ("librebalance-manifest", ("detector", "document", "manifest", "watch")),
             ("librebalance-simulation", ("simulation",)))
SUBMODULES = ("columns", "plot", "shards")  # those of the Python package that are imported by name
PAGES_OF_MODULES = {"_call": "library", "lists": "enumerations", "lists.errors": "errors"}


def names_of(path):
    """(names, description, headers) of a page, as its source has them."""
    text = path.read_text(encoding="utf-8")
    head = text[text.index(".Sh NAME"):]
    names = re.findall(r"^\.Nm ([\w-]+)", head[:head.index("\n.Nd ")], re.M)
    return names, re.search(r"^\.Nd (.*)", head, re.M)[1], re.findall(r"^\.In (\S+)", text, re.M)


def pages(sections):
    """Manual pages of some sections, sorted by name."""
    return sorted(path for section in sections for path in (SOURCE / "man").glob(f"*.{section}"))


def entry(path):
    """A manual page in a list of documents."""
    return f"{path.stem}({path.suffix[1:]}) </man/{path.stem}>"


def order(path):
    return (GUIDES.index(path.stem) if path.stem in GUIDES else len(GUIDES), path.name)


def toctree(entries, caption="", fenced=False):
    """Returns a list of documents for the sidebar alone, as reStructuredText or, fenced, for Markdown."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    lines = [*options, "", *entries]
    if fenced:
        return "\n".join(["", "```{toctree}", *lines, "```", ""])
    return "\n".join(["", ".. toctree::", *(f"   {line}".rstrip() for line in lines), "", ""])


def sidebar():
    """Returns the lists of chapters, which README.md, the first page, gets."""
    guides = [path for path in pages("7") if path.stem not in LISTS]
    lists = [path for path in pages("7") if path.stem in LISTS]
    parts = [("Guides", [entry(path) for path in sorted(guides, key=order)]),
             ("Command line", [entry(path) for path in pages("158")]),
             ("Reference", ["C </c/index>", *map(entry, lists), "Python </python/index>", "Go </go/index>"]),
             ("Languages", ["Bindings </bindings/index>", "Python </bindings/python/index>",
                            "Go </bindings/go/index>"]),
             ("Examples", ["/examples/index", *folder_entries("examples")]),
             ("Project", [f"/{path.stem}" for path in sorted(SOURCE.glob("*.md")) if path.name != "README.md"])]
    return "".join(toctree(entries, caption, fenced=True) for caption, entries in parts)


def below(path):
    """Returns what is appended to a document of the tree."""
    name = path.relative_to(SOURCE).as_posix()
    if name == "README.md":
        return sidebar()
    if name == "bindings/python/README.md":
        return "\n" + links("Files of `examples`", SOURCE / "bindings/python/examples")
    if name == "bindings/go/README.md":
        return "\n" + links("Files of `examples`", SOURCE / "bindings/go/examples/rebalancer")
    if name == "examples/README.md":
        return "\n## Folders\n\n" + "".join(f"- [{path.name}](/{path.relative_to(SOURCE).as_posix()}/index.md)\n"
                                           for path in example_folders("examples"))
    if name.startswith("examples/") and path.parent != SOURCE / "examples":
        return "\n" + links("Files", path.parent)
    return ""


# ---- examples -------------------------------------------------------------------------------------------------------

def example_folders(top):
    """Folders below examples that hold files."""
    return sorted(path for path in (SOURCE / top).rglob("*") if path.is_dir() and files_of(path))


def files_of(folder):
    return sorted(path for path in folder.iterdir() if path.is_file() and path.suffix not in (".md", ".sum"))


def folder_entries(top):
    return [f"{path.relative_to(SOURCE / top).as_posix()} </{path.relative_to(SOURCE).as_posix()}/index>"
            for path in example_folders(top)]


def remark(path):
    """The first sentence of the comment at the head of a file, after the line of the licence."""
    text = path.read_text(encoding="utf-8").partition("\n")[2]
    found = re.match(r'/\*(.*?)\*/|"""(.*?)"""|((?:(?:#|//) .*\n)+)', text, re.DOTALL)
    if not found or path.suffix == ".txt":
        return ""
    text = re.sub(r"^\s*(?:\*|#|//)?\s?", "", found[1] or found[2] or found[3], flags=re.M)
    return re.split(r"(?<=\.) (?=[A-Z])", " ".join(text.split()))[0]


def links(title, folder):
    """The files of a folder, in Markdown."""
    rows = []
    for path in files_of(folder):
        end = ".md" if path.suffix == ".ipynb" else ".rst"
        text = remark(path).replace("|", "\\|").replace("<", "\\<").replace("*", "\\*").replace("_", "\\_")
        rows.append(f"| [{path.name}](/{path.relative_to(SOURCE).as_posix()}{end}) | {text} |\n")
    return f"## {title}\n\n| file | what |\n| --- | --- |\n{''.join(rows)}"


def example_pages():
    """An index for each folder that has no README."""
    return {f"{path.relative_to(SOURCE).as_posix()}/index.md":
            f"# {path.relative_to(SOURCE).as_posix()}\n\n{links('Files', path)}"
            for path in example_folders("examples") if not (path / "README.md").exists()}


# ---- C --------------------------------------------------------------------------------------------------------------

def c_reference():
    """Pages of section 3 by library and header, with their functions and types."""
    by_header = {}
    for path in pages("3"):
        names, description, headers = names_of(path)
        by_header.setdefault(headers[0] if headers else "", []).append((path, names, description))
    made = ["# C reference\n\nEach page of section 3 by the header that declares it. The calling sequence, and the "
            "rules for every function, are in librebalance(7); columns and fields are listed in "
            "rebalance-columns(7) and rebalance-fields(7).\n\n"]
    named = {header for _, headers in LIBRARIES for header in headers or ()}
    for library, headers in LIBRARIES:
        made.append(f"## {library}\n\n")
        for header in sorted(by_header):
            stem = pathlib.Path(header).stem
            if stem in (headers or ()) or (headers is None and stem not in named):
                made.append(f"### <{header}>\n\n".replace("<", "\\<") + header_list(by_header[header]))
    made.append(toctree([entry(path) for path in pages("3")], fenced=True))
    return "".join(made)


def header_list(rows):
    made = []
    for path, names, description in rows:
        others = " ".join(f"`{name}`" for name in names if name != path.stem)
        made.append(f"- [{path.stem}(3)](/man/{path.stem}.3): {description}" + (f"\\\n  {others}\n" if others else "\n"))
    return "".join(made) + "\n"


# ---- Python ---------------------------------------------------------------------------------------------------------

def python_modules():
    """[(module, its docstring, public names)]: those of the package by the module that has them, then submodules."""
    folder = SOURCE / "bindings/python/src/librebalance"
    package = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    public, found = public_names(package), []
    for node in package.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            names = [name.asname or name.name for name in node.names if (name.asname or name.name) in public]
            found.append((node.module, names))
    found = [(module, docstring(folder, module), names) for module, names in found if names]
    for name in SUBMODULES:
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        found.append((name, docstring(folder, name), [f"{name}.{public}" for public in public_names(tree)]))
    return found


def docstring(folder, module):
    path = folder / (module.replace(".", "/") + ".py")
    path = path if path.exists() else folder / module / "__init__.py"
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def public_names(tree):
    """The value of __all__."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def python_reference():
    """A page for each module, whose members sphinx.ext.autodoc describes."""
    made, rows = {}, []
    for module, text, names in python_modules():
        stem = PAGES_OF_MODULES.get(module, module)
        title = f"Python: {'librebalance.' * (module in SUBMODULES)}{stem}"
        made[f"python/{stem}.rst"] = python_page(title, text, names)
        shown = " ".join(f":py:obj:`{name} <librebalance.{name}>`" for name in names)
        rows.append((stem, f"- :doc:`{stem} </python/{stem}>`: {shown}\n"))
    made["python/index.rst"] = (
        "Python reference\n================\n\nThe names of the package ``librebalance`` by subject; "
        ":doc:`librebalance for Python </bindings/python/index>` shows how it is used. The last three are modules of "
        "their own, which are imported by name.\n\n" + "".join(row for _, row in rows)
        + toctree([f"{stem} </python/{stem}>" for stem, _ in rows]))
    return made


def python_page(title, text, names):
    made = [f"{title}\n{'=' * len(title)}\n\n{text}\n\n"]
    for name in names:
        last = name.rpartition(".")[2]
        kind = "data" if last.isupper() else "class" if last[0].isupper() else "function"
        options = "   :members:\n   :undoc-members:\n   :inherited-members: int, BaseException\n" * (kind == "class")
        made.append(f".. auto{kind}:: librebalance.{name}\n{options}\n")
    return "".join(made)


def made(source):
    assert source == SOURCE
    return {"c/index.md": c_reference(), **python_reference(), **example_pages()}
