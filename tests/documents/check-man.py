# SPDX-License-Identifier: MIT
"""Every exported function and every public structure has a manual page (a name line of man/*.[37]), and no page names
one that is gone. Pages are installed under each name they carry, and librebalance(7) leads to each of them."""
import re

import manual

import common
import interface


def pages_not_led_to():
    """The pages that SEE ALSO of librebalance(7) leaves out."""
    see_also = (common.SOURCE / "man/librebalance.7").read_text().split(".Sh SEE ALSO\n")[1]
    told = {f"{name}.{section}" for name, section in re.findall(r"^\.Xr (\S+) (\d)", see_also, re.M)}
    return sorted({page.name for page in manual.pages()} - told - {"librebalance.7"})


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
    common.finish(faults, len(exported) + len(structures))


main()
