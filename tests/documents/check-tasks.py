# SPDX-License-Identifier: MIT
"""The README of examples/five-tasks shows each task as its three programs have it. With --write: makes it."""
import pathlib
import re
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

FOLDER = common.SOURCE / "examples/five-tasks"
# Language, its name in Markdown, suffix, and a task: number, title and code.
LANGUAGES = (("C", "c", ".c", r"/\* Task (\d): ([^\n]*) \*/\n(.*?\n}\n)"),
             ("Python", "python", ".py", r" *# Task (\d): ([^\n]*)\n(.*?\n)(?=\n)"),
             ("Go", "go", ".go", r"\t*// Task (\d): ([^\n]*)\n(.*?\n)(?=\n|}\n\Z)"))
HEAD = """# Five tasks in C, Python and Go

Three programs do the same and print the same, `five-tasks.txt`. Arguments are the clusters, a binding and a scenario:

```sh
arguments="../tutorial/clusters.yaml ../tutorial/binding.yaml ../scenarios/tutorial.yaml"

cc five-tasks.c -o five-tasks-in-c $(pkg-config --cflags --libs librebalance-simulation)
./five-tasks-in-c $arguments

pip install ../../bindings/python
python3 five-tasks.py $arguments

go build -C ../../bindings/go -o $PWD/five-tasks-in-go $PWD/five-tasks.go
./five-tasks-in-go $arguments
```

C and Go need the installed library. At the top of the tree, after `./quickstart`, these commands install it in your own
directory:

```sh
make -C build install prefix=$HOME/rebalance
export PKG_CONFIG_PATH=$HOME/rebalance/lib/pkgconfig     # for cc and go
export LD_LIBRARY_PATH=$HOME/rebalance/lib               # for the programs
```

A program in Go in another directory names the package in its `go.mod`:

```
require example.org/librebalance v0.0.0
replace example.org/librebalance => ../librebalance/bindings/go
```

Objects are those of the API. In C they go through a store into a fleet and bindings (`open_plane()` in
`five-tasks.c`), which are frozen and passed to a call (`schedule()` there); in Python and Go the packages do this.
"""


def tasks():
    """{number: [title, a block for each language]}"""
    found = {}
    for language, name, suffix, pattern in LANGUAGES:
        for number, title, code in re.findall(pattern, (FOLDER / f"five-tasks{suffix}").read_text(), re.S):
            code = textwrap.dedent(code).strip("\n")
            found.setdefault(number, [title]).append(f"{language}:\n\n```{name}\n{code}\n```\n")
    assert sorted(found) == list("12345") and all(len(blocks) == 4 for blocks in found.values()), found
    return found


def page():
    return "\n".join([HEAD, *(f"## {number}. {title[0].upper()}{title[1:]}\n\n" + "\n".join(blocks)
                              for number, (title, *blocks) in sorted(tasks().items()))])


def main():
    readme = FOLDER / "README.md"
    if "--write" in sys.argv[1:]:
        readme.write_text(page())
    is_made = readme.read_text() == page()
    common.finish([] if is_made else [f"{readme}: not made from the programs; run with --write"], 5)


main()
