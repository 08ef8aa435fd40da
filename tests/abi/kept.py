# SPDX-License-Identifier: MIT
"""Versions that were kept, tests/abi/kept/VERSION.tar.xz: the headers, and a client with its input and its output.
Their libraries are made from the headers: a linker and abidiff only need the declarations of a library."""
import contextlib
import io
import pathlib
import re
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface

FOLDER = common.SOURCE / "tests/abi/kept"
EXAMPLES = common.SOURCE / "examples"
CLIENT = {"client.c": EXAMPLES / "five-tasks/five-tasks.c", "client.txt": EXAMPLES / "five-tasks/five-tasks.txt",
          "1.yaml": EXAMPLES / "tutorial/clusters.yaml", "2.yaml": EXAMPLES / "tutorial/binding.yaml",
          "3.yaml": EXAMPLES / "scenarios/tutorial.yaml"}


def archives():
    return sorted(FOLDER.glob("*.tar.xz"))


def keep(version):
    """The tree as it is, as this version; the same bytes from the same files."""
    headers = sorted((common.INCLUDE / "rebalance").iterdir())
    files = {f"include/rebalance/{path.name}": path for path in headers if path.suffix in (".h", ".def")}
    FOLDER.mkdir(exist_ok=True)
    with tarfile.open(FOLDER / f"{version}.tar.xz", "w:xz", format=tarfile.USTAR_FORMAT) as archive:
        for name, path in sorted({**files, **CLIENT}.items()):
            content = path.read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


@contextlib.contextmanager
def unpacked(path):
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(path) as archive:
            archive.extractall(name)
        yield pathlib.Path(name)


@contextlib.contextmanager
def headers_of(folder):
    """Declarations are read from these headers."""
    today, common.INCLUDE = common.INCLUDE, folder / "include"
    try:
        yield sorted(f"rebalance/{path.name}" for path in (common.INCLUDE / "rebalance").glob("*.h"))
    finally:
        common.INCLUDE = today


def body_of(function):
    return "{ }" if function.returns == "void" else "{ return 0; }"


def hollow(folder, version_map, library, before):
    """
    The shared library of a map, all of whose functions do nothing, as the headers below the folder declare them; its
    soname is the one that programs load.
    """
    names = set(interface.map_names(version_map))
    with headers_of(folder) as headers:
        functions = [one for one in interface.read(headers)[0] if one.name in names]
    source = "".join(f"#include <{header}>\n" for header in headers) + "".join(
        f"{one.returns} {one.name}({', '.join(one.parameters)}) {body_of(one)}\n" for one in functions)
    path = folder / f"{library}.so"
    common.output([*common.CC, "-std=c11", "-g", "-O0", "-w", "-shared", "-fPIC", f"-I{folder / 'include'}",
                   f"-Wl,-soname,{library}.so.0", f"-Wl,--version-script={version_map}", "-x", "c", "-", "-x", "none",
                   *before, "-o", path], source)
    return path


def hollow_libraries(folder, maps):
    """{library: path} of all libraries; maps: {library: text}."""
    found = {}
    for library, text in maps.items():
        path = folder / f"{library}.map"
        path.write_text(text)
        found[library] = hollow(folder, path, library, list(found.values()))
    return found


def maps_of(promised):
    """{library: map} of the functions that a list of promises has."""
    nodes = {library: {} for _, library in interface.LIBRARIES}
    for line in promised:
        found = re.match(r"function (\w+) = .* of ([\w-]+), (\S+)$", line)
        if found:
            nodes[found[2]].setdefault(found[3], []).append(found[1])
    return {library: interface.map_text(listed) for library, listed in nodes.items() if listed}
