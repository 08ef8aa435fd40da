# SPDX-License-Identifier: MIT
"""reference.py FOLDER: the reference of both packages, made from their docstrings: FOLDER/python/librebalance.html by
pdoc, which this Python has beside the package, and FOLDER/go.txt by go doc."""
import pathlib
import re
import subprocess
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
SUBMODULES = ("columns", "plot", "shards")  # those that are imported by name


def python_reference(folder):
    """Returns how many things the page of the package describes. Aliases of types that name a class before it is made
    are shown as they are written: pdoc warns of each."""
    import importlib.util  # pylint: disable=import-outside-toplevel
    import pdoc  # pylint: disable=import-outside-toplevel
    names = [f"librebalance.{name}" for name in SUBMODULES if importlib.util.find_spec(f"librebalance.{name}")]
    pdoc.render.configure(docformat="restructuredtext", search=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Error parsing type annotation")
        pdoc.pdoc("librebalance", *names, output_directory=folder)
    page = (folder / "librebalance.html").read_text(encoding="utf-8")
    return len(re.findall(r'<section id="', page))


def go_reference(path):
    """The output of go doc for the package, which is not built for it."""
    done = subprocess.run(["go", "doc", "-all", "."], cwd=HERE / "go", stdout=subprocess.PIPE, text=True, check=True)
    path.write_text(done.stdout, encoding="utf-8")
    return len(re.findall(r"^(?:func|type) ", done.stdout, re.M))


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "python").mkdir(parents=True, exist_ok=True)
    print(f"{python_reference(folder / 'python')} sections of Python, {go_reference(folder / 'go.txt')} of Go")


main()
