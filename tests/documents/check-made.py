# SPDX-License-Identifier: MIT
"""Enumerations of the headers are those of enums.def; prototypes, structures, enumerations and tables of the manual
pages are those of the headers and lists. With --write: brings headers and pages up to date."""
import re
import sys

import enums
import manual

import common


def faults_of(api, page):
    text = page.read_text()
    faults = []
    if len(re.findall(r'^\.\\" made from', text, re.M)) != len(manual.MARKS.findall(text)):
        faults.append(f"man/{page.name}: a made part has no end")
    if page.suffix == ".3" and '.\\" made from prototypes' not in text:
        faults.append(f"man/{page.name}: its prototypes are not made from the headers")
    if manual.updated(api, text) != text:
        faults.append(f"man/{page.name}: not up to date; run python3 tests/documents/check-made.py --write")
    return faults


def header_faults(write):
    listed = enums.read(enums.whole())
    faults = []
    for path in sorted(manual.HEADERS.glob("*.h")):
        text = path.read_text()
        made = enums.updated(text, listed)
        if write:
            path.write_text(made)
        elif made != text:
            faults.append(f"{path.name}: not up to date; run python3 tests/documents/check-made.py --write")
    return faults


def main():
    faults, made = header_faults("--write" in sys.argv[1:]), 0
    api = manual.Interface()
    for page in manual.pages():
        if "--write" in sys.argv[1:]:
            page.write_text(manual.updated(api, page.read_text()))
        faults += faults_of(api, page)
        made += len(manual.MARKS.findall(page.read_text()))
    common.finish(faults, made)


main()
