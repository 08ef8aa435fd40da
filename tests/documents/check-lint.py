# SPDX-License-Identifier: MIT
"""Manual pages are clean under mandoc's lint, fit a terminal of 80 columns, and every page of ours that they refer to
exists."""
import re
import shlex

import manual

import common

OURS = re.compile(r"\bXr (rebal\w*(?:-\w+)*|rebalancectl) (\d)")
WIDTH = 80


def known_pages():
    """(name, section) of every page and of every name a page carries."""
    pages = manual.pages()
    return {(name, page.suffix[1:]) for page in pages for name in (page.stem, *manual.names_of(page.read_text()))}


def wide_lines(page, text):
    """Lines that a terminal would break, except programs and their output."""
    prose = re.sub(r"^\.Bd -literal.*\n(?:(?!\.Ed).*\n)*\.Ed$", ".Pp", text, flags=re.M)
    for line in common.output(["mandoc", "-T", "ascii", "-O", f"width={WIDTH}"], prose).splitlines():
        line = re.sub(".\x08", "", line)
        if len(line) > WIDTH:
            yield f"man/{page.name}: wider than {WIDTH} columns: {line.strip()}"


def wide_cells(page, text):
    """Cells that run into the next one; the last of a row has the rest of the line."""
    for head, body in re.findall(r"^\.Bl -column (.*)\n((?:(?!\.El).*\n)*)\.El$", text, re.M):
        widths = [len(word) for word in shlex.split(head.replace("\\-", "-"))]
        gap = 4 if len(widths) < 5 else 3 if len(widths) == 5 else 1  # mandoc's own between columns
        for row in re.findall(r"^\.It (.*)", body, re.M):
            cells = [re.sub(r"^(?:Dv|Sy|Li) ", "", cell).replace("\\-", "-") for cell in row.split(" Ta ")]
            yield from (f"man/{page.name}: wider than its column: {cell}"
                        for cell, width in zip(cells[:-1], widths) if len(cell) >= width + gap)


def main():
    pages, known, faults = manual.pages(), known_pages(), []
    for page in pages:
        page_text = page.read_text()
        code, text = common.run(["mandoc", "-T", "lint", "-W", "warning", page])
        faults += [line for line in text.splitlines() if line] if code else []
        faults += [f"man/{page.name}: there is no {name}({section})"
                   for name, section in sorted(set(OURS.findall(page_text)) - known)]
        faults += [*wide_lines(page, page_text), *wide_cells(page, page_text)]
    common.finish(faults, len(pages))


main()
