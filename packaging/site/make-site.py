# SPDX-License-Identifier: MIT
"""make-site.py FOLDER: makes the site of the manual pages, documents and examples in FOLDER, from sources for Sphinx in
FOLDER.sources. Requires mandoc, go, and Sphinx with MyST and Furo; its command is $SPHINXBUILD or sphinx-build."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(HERE))
import chapters
import go_reference

# Languages of Pygments by suffix or name; other files are plain text.
LANGUAGES = {".c": "c", ".h": "c", ".go": "go", ".py": "python", ".yaml": "yaml", "Makefile": "make", ".sh": "sh"}
PICTURES = (".png", ".svg")
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2 *$", re.M | re.DOTALL)
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")


def documents():
    """Returns the Markdown files of the site; files that they link to are added later."""
    found = sorted(SOURCE.glob("*.md"))
    return found + sorted(path for folder in ("bindings", "examples") for path in (SOURCE / folder).rglob("README.md"))


def example_files():
    """The files of examples, folder by folder."""
    folders = [SOURCE / "examples", SOURCE / "bindings/go/examples", SOURCE / "bindings/python/examples"]
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in files if path.suffix not in (".md", ".sum") and path.parent not in folders[:1]]


def place(path):
    """The document of a file, relative to the sources of the site: a README is the index of its folder."""
    name = path.relative_to(SOURCE)
    return name.parent / "index.md" if name.name == "README.md" else name


class Sources:
    """Writes the sources for Sphinx. A file of the tree that a document links to becomes a page, too."""

    def __init__(self, folder):
        self.folder, self.written, self.waiting = folder, set(), []

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy(self, path):
        (self.folder / place(path)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, self.folder / place(path))

    def take(self, path):
        """A page of a file: Markdown is rendered, anything else is shown."""
        if path in self.written:
            return
        self.written.add(path)
        if path.suffix == ".md":
            self.write(place(path), self.with_links(path.read_text(encoding="utf-8"), path) + chapters.below(path))
        elif path.suffix in PICTURES:
            self.copy(path)
            self.write(f"{place(path)}.rst", f":orphan:\n\n{heading(path.name)}.. image:: {path.name}\n")
        elif path.suffix == ".ipynb":
            self.write(f"{place(path)}.md", notebook(path))
        else:
            self.write(f"{place(path)}.rst", listing(path))

    def with_links(self, text, owner):
        """Replaces links to files by links to their pages, except in fences."""
        def link(found):
            if re.match(r"\w+:", found[2]):
                return found[0]
            target = (owner.parent / found[2]).resolve()
            if SOURCE not in target.parents:
                sys.exit(f"{owner.relative_to(SOURCE)}: {found[2]} is outside of the tree")
            if target.is_dir():
                target = target / "README.md"
            elif not target.is_file():
                sys.exit(f"{owner.relative_to(SOURCE)}: {found[2]} does not exist")
            if target.suffix in PICTURES:
                self.copy(target)
                return found[0]
            if target.is_file():
                self.waiting.append(target)
            name = place(target).as_posix() + {".md": "", ".ipynb": ".md"}.get(target.suffix, ".rst")
            return f"{found[1]}{os.path.relpath(self.folder / name, self.folder / place(owner).parent)}{found[3]}"

        made, at = [], 0
        for fence in FENCE.finditer(text):
            made += [LINK.sub(link, text[at:fence.start()]), fence[0]]
            at = fence.end()
        return "".join(made + [LINK.sub(link, text[at:])])


def heading(title, line="="):
    title = title.replace("\\", "\\\\").replace("*", "\\*").replace("_", "\\_").replace("`", "\\`")
    return f"{title}\n{line * len(title)}\n\n"


def listing(path):
    """A file as it is, in the colours of its language."""
    language = LANGUAGES.get(path.suffix) or LANGUAGES.get(path.name, "none")
    text = path.read_text(encoding="utf-8").expandtabs(8)
    name = path.relative_to(SOURCE).as_posix()
    lines = "".join(f"   {line}\n" if line else "\n" for line in text.rstrip("\n").split("\n"))
    return f":orphan:\n\n{heading(name)}.. code-block:: {language}\n   :force:\n\n{lines}"


def notebook(path):
    """Returns the cells of a notebook as Markdown."""
    made = ["---\norphan: true\n---\n"]
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        made.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join(made) + "\n"


def write_sources(folder):
    sources = Sources(folder)
    for path in documents() + example_files():
        sources.take(path)
    while sources.waiting:
        sources.take(sources.waiting.pop())
    for path in sorted((SOURCE / "man").glob("*.[1-9]")):
        sources.write(f"man/{path.name}", path.read_text(encoding="utf-8"))
    for name, text in {**chapters.made(SOURCE), **go_reference.made(SOURCE / "bindings/go")}.items():
        sources.write(name, text)
    return sources


def make(sources, folder):
    """Runs Sphinx, whose warnings are printed."""
    command = os.environ.get("SPHINXBUILD") or "sphinx-build"
    if not shutil.which(command) or not shutil.which("mandoc"):
        sys.exit(f"make-site.py: {command if shutil.which('mandoc') else 'mandoc'} not found\n"
                 "install mandoc and Go, and with pip furo, myst-parser and sphinx")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8",
                   "SOURCE_DATE_EPOCH": "0", "TZ": "UTC"}
    done = subprocess.run([command, "-q", "-E", "-b", "html", "-c", HERE, "-d", f"{folder}.sources.read", sources,
                           folder], env=environment, check=False)
    return done.returncode


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make-site.py FOLDER")
    folder = pathlib.Path(sys.argv[1]).resolve()
    sources = pathlib.Path(f"{folder}.sources")
    for path in (folder, sources, pathlib.Path(f"{folder}.sources.read")):
        shutil.rmtree(path, ignore_errors=True)
    write_sources(sources)
    code = make(sources, folder)
    for path in ("objects.inv", ".buildinfo"):
        (folder / path).unlink(missing_ok=True)
    if code == 0:
        print(f"{len(list(folder.rglob('*.html')))} pages in {folder}")
    return code


if __name__ == "__main__":
    sys.exit(main())
