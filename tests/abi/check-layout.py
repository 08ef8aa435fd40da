# SPDX-License-Identifier: MIT
"""tests/abi/layout.c states size and offset of every member of every public structure, without gaps, and holds.
With --print: writes the lines for the structures as they are now."""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface

LAYOUT = common.SOURCE / "tests/abi/layout.c"


def compile_layout(*flags):
    return common.run([*common.CC, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                       f"-I{common.INCLUDE}", *flags, LAYOUT])


def stated():
    """{struct: (size, [(member, offset, size)])} as layout.c says."""
    layout = {}
    for kind, arguments in re.findall(r"^(SIZE|MEMBER)\((.*)\)$", LAYOUT.read_text(), re.M):
        words = [word.strip() for word in arguments.split(",")]
        if kind == "SIZE":
            layout[words[0]] = (int(words[1]), [])
        else:
            layout[words[0]][1].append((words[1], int(words[2]), int(words[3])))
    return layout


def struct_faults(struct, size, members):
    faults = []
    if [name for name, _, _ in members] != [member.name for member in struct.members]:
        faults.append(f"{struct.name}: layout.c does not list the members of the header in order "
                      "(tests/abi/check-layout.py --print writes the lines)")
    at = 0
    for name, offset, width in members:
        if offset != at:
            faults.append(f"{struct.name}.{name}: gap before it, from {at} to {offset}")
        at = offset + width
    if at != size:
        faults.append(f"{struct.name}: gap at its end, from {at} to {size}")
    return faults


def print_layout(structs):
    """Asks the compiler, by a program."""
    lines = [f"#include <{header}>" for header in interface.all_headers()]
    lines += ["#include <stdio.h>", "#define N(x) ((unsigned long)(x))", "int main(void) {"]
    for struct in structs:
        lines.append(f'printf("\\nSIZE({struct.name}, %lu)\\n", N(sizeof({struct.name})));')
        for member in struct.members:
            lines.append(f'printf("MEMBER({struct.name}, {member.name}, %lu, %lu)\\n", '
                         f"N(offsetof({struct.name}, {member.name})), N(sizeof((({struct.name} *)0)->{member.name})));")
    lines += ["return 0; }", ""]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "layout"
        common.output([*common.CC, f"-I{common.INCLUDE}", "-x", "c", "-", "-o", program], "\n".join(lines))
        print(common.output([program]), end="")


def main():
    _, structs, _ = interface.read(interface.all_headers())
    if "--print" in sys.argv[1:]:
        print_layout(structs)
        return
    layout = stated()
    faults = [f"{name}: in layout.c, not in a header" for name in layout if name not in {s.name for s in structs}]
    for struct in structs:
        faults += struct_faults(struct, *layout[struct.name]) if struct.name in layout else [
            f"{struct.name}: not in layout.c (tests/abi/check-layout.py --print writes the lines)"]
    code, text = compile_layout()
    if code:
        faults.append(f"layout.c does not hold:\n{text}")
    if compile_layout("-DLAYOUT_WRONG=1")[0] == 0:
        faults.append("layout.c compiles with wrong numbers too")
    common.finish(faults, len(structs))


main()
