# SPDX-License-Identifier: MIT
"""size-calls.def has a call for each structure with struct_size that a public function takes or fills; the shortest
size that check-sizes prints is the one that interface.txt promises."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface
import promised

LIST = common.SOURCE / "tests/abi/size-calls.def"
# Every function takes these two: unit tests of the foundation try their sizes.
OTHERS = {"rebal_allocator", "rebal_error"}


def wanted(functions, structs):
    """{(SIZE or FILL, function or member, structure)}"""
    sized = {one.name for one in structs if any(member.name == "struct_size" for member in one.members)} - OTHERS
    found = set()
    for function in functions:
        for parameter in function.parameters:
            kind = re.match(r"(const )?(rebal_\w+) \*\w+$", parameter)
            if kind and kind[2] in sized:
                found.add(("SIZE" if kind[1] else "FILL", function.name, kind[2]))
    return found


def first_sizes(lines):
    """{structure: bytes with pointers as wide as those of the build}"""
    program = common.BUILD / ".libs/librebalance.so.0"
    width = 32 if program.exists() and "ELF32" in common.output([*common.READELF, "-hW", program]) else 64
    found = [re.fullmatch(rf"struct (\w+) with {width}-bit pointers: at least (\d+) bytes", line) for line in lines]
    return {one[1]: int(one[2]) for one in filter(None, found)}


def size_faults():
    promises = first_sizes([line for part in promised.read() for line in part.lines])
    code, text = common.run([common.BUILD / "tests/abi/check-sizes"])
    if code:
        return [f"check-sizes: exit {code}\n{text}"]
    taken = re.findall(r"^(\S+) (\w+) (\d+)$", text, re.M)
    return [f"{call} takes {kind} from {size} bytes on, promised are {promises[kind]}"
            for call, kind, size in taken if int(size) != promises[kind]]


def main():
    functions, structs, _ = interface.read(interface.all_headers())
    there = set(re.findall(r"^(SIZE|FILL)\(([\w.]+), (\w+)", LIST.read_text(), re.M))
    functions = wanted(functions, structs)
    faults = [f"size-calls.def: no {kind} for {name} and {struct}" for kind, name, struct in sorted(functions - there)]
    faults += [f"size-calls.def: {name} takes no {struct}" for _, name, struct in sorted(there - functions)
               if "." not in name]
    common.finish(faults + size_faults(), len(functions))


main()
