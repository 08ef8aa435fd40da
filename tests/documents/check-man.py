# SPDX-License-Identifier: MIT
"""Every exported function and every public structure has a manual page (a name line of man/*.[37]), and no page names
one that is gone. Pages are installed under each name they carry, and librebalance(7) leads to each of them. Every word
rebal_... and REBAL_... of a page is in the headers. A page of section 3 leads to each page of section 7 that the
comments of its functions and structures cite. Items Go and Python of a page list names of these bindings."""
import ast
import re

import manual

import common
import interface


def pages_not_led_to():
    """The pages that SEE ALSO of librebalance(7) leaves out."""
    see_also = (common.SOURCE / "man/librebalance.7").read_text().split(".Sh SEE ALSO\n")[1]
    listed = {f"{name}.{section}" for name, section in re.findall(r"^\.Xr (\S+) (\d)", see_also, re.M)}
    return sorted({page.name for page in manual.pages()} - listed - {"librebalance.7"})


def pages_not_cited():
    """What the headers cite and SEE ALSO of the page leaves out."""
    cited = manual.citations()
    for page in manual.pages():
        text = page.read_text()
        see_also = set(re.findall(r"^\.Xr (\S+) (\d)", text.partition(".Sh SEE ALSO\n")[2], re.M))
        names = manual.names_of(text) if page.suffix == ".3" else []
        wanted = {one for name in names for one in cited.get(name, ())}
        yield from (f"man/{page.name}: a comment of a header cites {name}({section}), SEE ALSO does not"
                    for name, section in sorted(wanted - see_also))


def header_words():
    """Words of the headers after the preprocessor, which makes names from lists, and macros."""
    headers = interface.all_headers()
    sources = "\n".join((common.INCLUDE / name).read_text() for name in headers)
    pieces = [text for _, text in interface.preprocessed(headers)]
    pieces += re.findall(r"^#\s*(?:define|if).*?\b(REBAL_\w+)", sources, re.M)
    return set(re.findall(r"\b(?:rebal|REBAL)_\w+", "\n".join(pieces)))


def unknown_words(page_text, known):
    """Words of a page that no header has; one that ends in _ is the beginning of several. Names of pages are left out:
    check-lint.py checks them."""
    page_text = re.sub(r"^\.(?:Dt|Nm) .*|\bXr \w+ \d|\b\w+\(\d\)", "", page_text, flags=re.M)
    for word in sorted(set(re.findall(r"\b(?:rebal|REBAL)_\w+", page_text)) - known):
        if not (word.endswith("_") and any(name.startswith(word) for name in known)):
            yield word


def go_names():
    """Functions and types, and methods as Type.Method, of bindings/go."""
    paths = (common.SOURCE / "bindings/go").glob("*.go")
    text = "\n".join(path.read_text() for path in paths if not path.name.endswith("_test.go"))
    found = re.findall(r"^func (?:\(\w+ \*?(\w+)\) )?(\w+)", text, re.M)
    return {f"{owner}.{name}".lstrip(".") for owner, name in found} | set(re.findall(r"^type (\w+)", text, re.M))


def python_names():
    """Names that the package exports, module.name for all modules, and methods as Class.method."""
    names, package = set(), common.SOURCE / "bindings/python/src/librebalance"
    for path in package.glob("*.py"):
        tree = ast.parse(path.read_text())
        if path.stem == "__init__":
            names |= {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                names.add(f"{path.stem}.{node.name}")
                names |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return names


def names_of_bindings(page_text, language):
    for item in re.findall(rf"^\.It {language}\n((?:(?!\.It |\.El).*\n)*)", page_text, re.M):
        yield from re.findall(r"^\.Li ([\w.]+)", item, re.M)


def word_faults():
    known, bindings = header_words(), {"Go": go_names(), "Python": python_names()}
    for page in manual.pages():
        text = page.read_text()
        yield from (f"man/{page.name}: no header has {word}" for word in unknown_words(text, known))
        yield from (f"man/{page.name}: the {language} package has no {name}" for language, names in bindings.items()
                    for name in sorted(set(names_of_bindings(text, language)) - names))


def main():
    pages = {}
    for page in manual.pages():
        if page.suffix in (".3", ".7"):
            for name in manual.names_of(page.read_text()):
                pages.setdefault(name, []).append(page)
    structures = manual.structure_names()
    exported = [name for _, library in interface.LIBRARIES for name in interface.map_names(interface.map_path(library))]
    faults = [f"{name} has no manual page" for name in sorted({*exported, *structures} - set(pages))]
    # A page may carry a family's own name, which is that of its file.
    faults += [f"{', '.join(page.name for page in files)} names {name}, which is not public"
               for name, files in sorted(pages.items())
               if name not in exported and name not in structures and [page.stem for page in files] != [name]]
    faults += [f"{name} is in several pages: {', '.join(page.name for page in files)}"
               for name, files in sorted(pages.items()) if len(files) > 1]
    faults += [f"librebalance(7) does not lead to {name}" for name in pages_not_led_to()]
    faults += pages_not_cited()
    faults += word_faults()
    common.finish(faults, len(exported) + len(structures))


main()
