# SPDX-License-Identifier: MIT
"""Every exported function has a manual page (a name line of man/*.3), and no page names a function that is gone.
Pages are installed under each name they carry."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "abi"))
import common
import interface


def named(page):
    """Functions in the .Nm lines of a page's NAME section."""
    section = re.search(r"^\.Sh NAME\n(.*?)^\.Nd", page.read_text(), re.M | re.S)
    return re.findall(r"^\.Nm (\w+)", section.group(1), re.M) if section else []


def main():
    pages = {}
    for page in sorted((common.SOURCE / "man").glob("*.3")):
        for name in named(page):
            pages.setdefault(name, []).append(page.name)
    lib = common.SOURCE / "lib"
    exported = interface.map_names(lib / "librebalance.map") + interface.map_names(lib / "librebalance-manifest.map")
    faults = [f"{name} has no manual page" for name in sorted(set(exported) - set(pages))]
    # A page may carry a family's own name, which is that of its file.
    faults += [f"{', '.join(files)} names {name}, which is not exported" for name, files in sorted(pages.items())
               if name not in exported and files != [f"{name}.3"]]
    faults += [f"{name} is in several pages: {', '.join(files)}" for name, files in sorted(pages.items())
               if len(files) > 1]
    common.finish(faults, len(exported))


main()
