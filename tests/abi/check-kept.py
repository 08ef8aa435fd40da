# SPDX-License-Identifier: MIT
"""Programs of earlier versions run with the libraries of the tree: abidiff finds nothing taken away from the versions
of tests/abi/kept, and a client that was compiled against their headers, and linked with their libraries, prints with
the tree's what it printed then. With --keep: keeps the tree's headers as its version."""
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface
import kept
import promised

# Members may be added at the end of a structure; check-interface.py requires that it has struct_size.
GROWTH = "[suppress_type]\n  type_kind = struct\n  has_data_member_inserted_at = end\n"


def abidiff(folder, library, before, now, *flags):
    code, text = common.run(["abidiff", *flags, "--drop-private-types", "--headers-dir1", folder / "include",
                             "--headers-dir2", common.INCLUDE, before, now])
    return [f"{library}: abidiff: exit {code}\n{text}"] if code else []


def promised_part(printed):
    """Sentences for people may change in any version (VERSIONING.md), but not how many there are."""
    return re.sub(r"^why: .+$", "why:", printed, flags=re.M)


def client_faults(folder, libraries):
    """The client is linked with the kept libraries, and runs with the tree's."""
    program = folder / "client"
    common.output([*common.CC, "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{folder / 'include'}", "-o", program,
                   folder / "client.c", *reversed(libraries.values())])
    code, printed = common.run(["env", f"LD_LIBRARY_PATH={common.BUILD / '.libs'}", program,
                                *sorted(folder.glob("*.yaml"))])
    wanted = (folder / "client.txt").read_text()
    if not code and promised_part(printed) == promised_part(wanted):
        return []
    return [f"client: exit {code}, printed\n{printed}instead of\n{wanted}"]


def check(path, parts, today):
    version = path.name.removesuffix(".tar.xz")
    lines = [line for part in parts if promised.order(part.version) <= promised.order(version) for line in part.lines]
    with kept.unpacked(path) as folder:
        before = kept.hollow_libraries(folder, kept.maps_of(lines))
        (folder / "growth.ini").write_text(GROWTH)
        faults = client_faults(folder, before) if common.WITH_MANIFEST else []
        for library, hollow in before.items():
            faults += abidiff(folder, library, hollow, today[library], "--no-added-syms", "--suppressions",
                              folder / "growth.ini")
    return [f"{version}: {fault}" for fault in faults]


def check_all(archives):
    """abidiff 2.2 crashes if it suppresses growth in a library with its internals: these are compared separately."""
    parts = promised.read()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(common.INCLUDE, folder / "include")
        today = kept.hollow_libraries(folder, {library: interface.map_path(library).read_text()
                                               for _, library in interface.LIBRARIES})
        faults = [fault for path in archives for fault in check(path, parts, today)]
        for _, library, _ in interface.libraries():
            faults += abidiff(folder, library, today[library], common.shared_library(library))
    return faults


def main():
    if "--keep" in sys.argv[1:]:
        kept.keep(interface.version())
        return
    if shutil.which("abidiff") is None:
        common.skip("abidiff not found")
    archives = kept.archives()
    common.finish(check_all(archives), len(archives))


main()
