# SPDX-License-Identifier: MIT
"""Headers, symbol map and shared library name the same functions; no data is exported; nothing runs at load time; no
two libraries define the same hidden name, since a program that is linked statically would have both.
With --write: makes the maps from the headers, leaving out what the built objects do not define yet."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface


def dynamic_symbols(path):
    """(name, kind) of what a shared library defines, version nodes left out."""
    lines = common.output([*common.NM, "-D", "--defined-only", path]).splitlines()
    return [(line.split()[2].split("@")[0], line.split()[1]) for line in lines if line.split()[1] != "A"]


def load_time_functions(path):
    """How many functions the loader calls; one belongs to the compiler's own start files."""
    size = re.search(r"\(INIT_ARRAYSZ\)\s+(\d+)", common.output([*common.READELF, "-dW", path]))
    pointer = 8 if "ELF64" in common.output([*common.READELF, "-hW", path]) else 4
    return int(size.group(1)) // pointer if size else 0


def differences(library, left_name, left, right_name, right):
    only_left = [f"{library}: {name} is in the {left_name}, not in the {right_name}" for name in sorted(left - right)]
    only_right = [f"{library}: {name} is in the {right_name}, not in the {left_name}" for name in sorted(right - left)]
    return only_left + only_right


def check(_, library, headers):
    path, map_path = common.shared_library(library), interface.map_path(library)
    functions, _, data = interface.read(headers)
    declared = {function.name for function in functions if function.header in headers}
    mapped = interface.map_names(map_path)
    exported = dynamic_symbols(path)
    faults = [f"{library}: exported data in a header: {text}" for text in data]
    faults += [f"{library}: exports {name} of kind {kind}, not a function" for name, kind in exported if kind != "T"]
    faults += [f"{map_path.name}: {name} is not a full name" for name in mapped if not re.fullmatch(r"rebal_\w+", name)]
    if any(names != sorted(names) for names in interface.map_nodes(map_path).values()):
        faults.append(f"{map_path.name}: names are not sorted")
    faults += differences(library, "headers", declared, "map", set(mapped))
    faults += differences(library, "map", set(mapped), "library", {name for name, _ in exported})
    sanitized = re.search(r" __(asan|ubsan|tsan)_", common.output([*common.NM, "-D", "--undefined-only", path]))
    if not sanitized and load_time_functions(path) > 1:
        faults.append(f"{library}: has constructors")
    if f"[{library}.so.0]" not in common.output([*common.READELF, "-dW", path]):
        faults.append(f"{library}: soname is not {library}.so.0")
    return faults, len(declared) + len(exported)


def defined_in(archive):
    """The names with external linkage that the objects of an archive define."""
    lines = common.output([*common.NM, "-g", "--defined-only", archive]).splitlines()
    return {line.split()[-1] for line in lines if len(line.split()) == 3}


def archive_of(part):
    return common.BUILD / ".libs" / f"librebalance-static-{part}.a"


def defined_twice():
    """Each library carries the foundation, which is the same in all; of the rest none may share a name."""
    foundation = defined_in(common.BUILD / ".libs/librebalance-foundation.a")
    first, faults = {}, []
    for part, _, _ in interface.libraries():
        for name in sorted(defined_in(archive_of(part)) - foundation):
            if first.setdefault(name, part) != part:
                faults.append(f"{name} is defined in {first[name]} and in {part}")
    return faults, len(first)


def write(part, library, headers):
    """A name keeps its version node; a new one gets the day's."""
    defined = defined_in(archive_of(part))
    functions, _, _ = interface.read(headers)
    names = sorted(function.name for function in functions if function.header in headers and function.name in defined)
    map_path = interface.map_path(library)
    today = f"{library.upper().replace('-', '_')}_{interface.version()}"
    nodes = {node: [name for name in listed if name in names]
             for node, listed in interface.map_nodes(map_path).items() if node != today}
    earlier = {name for listed in nodes.values() for name in listed}
    nodes[today] = [name for name in names if name not in earlier]
    map_path.write_text(interface.map_text(nodes))


def main():
    if "--write" in sys.argv[1:]:
        for library in interface.libraries():
            write(*library)
        return
    results = [check(*library) for library in interface.libraries()] + [defined_twice()]
    common.finish(sum((faults for faults, _ in results), []), sum(count for _, count in results))


main()
