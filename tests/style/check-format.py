# SPDX-License-Identifier: MIT
"""C sources are formatted according to .clang-format, by the version of clang-format that it names, since others
differ. With --write: formats them. Public headers keep comments aligned as check-made.py writes them."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

FOLDERS = ("lib", "tools", "tests", "examples")


def main():
    wanted = re.search(r"clang-format (\d+)", (common.SOURCE / ".clang-format").read_text())[1]
    code, version = common.run(["clang-format", "--version"])
    if code or not re.search(rf"version {wanted}\.", version):
        common.skip(f"clang-format {wanted} not found")
    paths = sorted(path for folder in FOLDERS for path in (common.SOURCE / folder).rglob("*")
                   if path.suffix in (".c", ".h"))
    if "--write" in sys.argv[1:]:
        common.output(["clang-format", "-i", *paths])
        return
    _, printed = common.run(["clang-format", "--dry-run", *paths])
    places = re.findall(r"^(\S+?):(\d+):\d+: warning: code should be clang-formatted", printed, re.M)
    common.finish([f"{pathlib.Path(path).relative_to(common.SOURCE)}:{line} is not formatted (--write formats it)"
                   for path, line in places], len(paths))


main()
