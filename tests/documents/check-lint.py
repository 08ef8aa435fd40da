# SPDX-License-Identifier: MIT
"""Manual pages are clean under mandoc's lint, and every page of ours that they point to is there."""
import re

import manual

import common

OURS = re.compile(r"^\.Xr (rebal\w*(?:-\w+)*|rebalancectl) (\d)", re.M)


def known_pages():
    """(name, section) of every page and of every name a page of section 3 carries."""
    names = set()
    for page in manual.pages():
        names.add((page.stem, page.suffix[1:]))
        if page.suffix == ".3":
            names |= {(name, "3") for name in manual.function_names(page.read_text())}
    return names


def main():
    pages, known, faults = manual.pages(), known_pages(), []
    for page in pages:
        code, text = common.run(["mandoc", "-T", "lint", "-W", "warning", page])
        faults += [line for line in text.splitlines() if line] if code else []
        faults += [f"man/{page.name}: there is no {name}({section})"
                   for name, section in sorted(set(OURS.findall(page.read_text())) - known)]
    common.finish(faults, len(pages))


main()
