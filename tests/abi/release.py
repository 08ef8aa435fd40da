# SPDX-License-Identifier: MIT
"""Releases the current version (RELEASING.md): its part of interface.txt never changes again, and its headers are kept
with a client."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import interface
import kept
import promised


def main():
    parts = promised.read()
    last = parts[-1]
    if last.is_released and last.version == interface.version():
        print(f"{last.version} is released already: a patch release promises nothing new")
        return
    if last.is_released:
        last = promised.Part(interface.version(), False, [])
        parts.append(last)
    if last.version != interface.version():
        sys.exit(f"the last part is of {last.version}, the tree of {interface.version()}: check-interface.py --write")
    parts[-1] = last._replace(is_released=True)
    promised.write(parts)
    kept.keep(last.version)


main()
