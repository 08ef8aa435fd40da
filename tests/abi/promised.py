# SPDX-License-Identifier: MIT
"""The list of promises, tests/abi/interface.txt: a part for each version, which holds what it added."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

LIST = common.SOURCE / "tests/abi/interface.txt"
Part = collections.namedtuple("Part", "version is_released lines")
ABOUT = """\
What programs that were compiled against a version rely on, a line for each promise. VERSIONING.md lists what may change
when. tests/abi/check-interface.py --write adds lines.
"""


def read():
    parts = []
    for line in LIST.read_text().splitlines() if LIST.exists() else ():
        heading = re.fullmatch(r"== (\S+), (released|not released) ==", line)
        if heading:
            parts.append(Part(heading[1], heading[2] == "released", []))
        elif parts and line:
            parts[-1].lines.append(line)
    return parts


def write(parts):
    texts = [ABOUT] + [f"== {part.version}, {'released' if part.is_released else 'not released'} ==\n" +
                       "".join(f"{line}\n" for line in part.lines) for part in parts]
    LIST.write_text("\n".join(texts))


def order(version):
    """The numbers of a version, to compare versions."""
    return [int(number) for number in version.split(".")]
