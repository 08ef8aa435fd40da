# SPDX-License-Identifier: MIT
"""Every exported function has a manual page (a name line of man/*.3), and no page names a function that is gone.
Pages are installed under each name they carry."""
import manual

import common
import interface


def main():
    pages = {}
    for page in sorted((common.SOURCE / "man").glob("*.3")):
        for name in manual.function_names(page.read_text()):
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
