# SPDX-License-Identifier: MIT
"""The public interface as the compiler sees it: functions and structures of include/rebalance, after the preprocessor,
so that declarations made from .def lists count too."""
import collections
import re

import common

EXPORTED = '__attribute__((visibility("default")))'

Function = collections.namedtuple("Function", "name returns parameters header")
Struct = collections.namedtuple("Struct", "name members header")
Member = collections.namedtuple("Member", "name type")


# (part, library), each built on the ones before it; part names the lists of lib/sources.am and man/pages.am.
LIBRARIES = (("core", "librebalance"), ("manifest", "librebalance-manifest"), ("simulation", "librebalance-simulation"))


def library_headers(part):
    return [path.removeprefix("include/") for path in common.make_list(f"{part}_headers") if path.endswith(".h")]


def all_headers():
    return [header for part, _ in LIBRARIES for header in library_headers(part)]


def library_of(headers):
    """The last library that one of the headers belongs to."""
    return [library for part, library in LIBRARIES if set(library_headers(part)).intersection(headers)][-1]


def preprocessed(headers):
    """[(header, text)]: the lines that come from our own headers, in order."""
    source = "".join(f"#include <{header}>\n" for header in headers)
    text = common.output([*common.CC, "-std=c11", "-E", f"-I{common.INCLUDE}", "-x", "c", "-"], source)
    stack, pieces = [], []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"((?: \d)*)', line)
        if marker:
            path, flags = marker.group(1), marker.group(2).split()
            if "1" in flags:
                stack.append(path)
            elif "2" in flags and stack:
                stack.pop()
            continue
        ours = [path for path in stack if "/rebalance/" in path and path.endswith(".h")]
        if ours and "/rebalance/" in stack[-1]:
            pieces.append((ours[-1].rpartition("/include/")[2], line))
    return pieces


def statements(pieces):
    """(header, text) for each declaration at the outer level."""
    depth, text, header = 0, "", ""
    for header, line in pieces:
        for character in line + "\n":
            text += character
            depth += (character == "{") - (character == "}")
            function_body = character == "}" and re.match(r"\s*(static|inline)\b[^{]*\)\s*\{", text)
            if depth == 0 and (character == ";" or function_body):
                yield header, " ".join(text.strip(" ;\n").split())
                text = ""


def split_parameters(text):
    depth, part, parts = 0, "", []
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()]


def parse_function(text, header=""):
    """A declaration without attribute; None when it declares data."""
    found = re.fullmatch(r"(?:extern )?(.*?)(\w+) ?\((.*)\)", text)
    if not found:
        return None
    return Function(found.group(2), found.group(1).strip(), split_parameters(found.group(3)), header)


def parse_member(text):
    function = re.fullmatch(r"(.*)\(\*(\w+)\) ?\((.*)\)", text)
    if function:
        return Member(function.group(2), f"{function.group(1)}(*)({function.group(3)})")
    found = re.fullmatch(r"(.*?)(\w+) ?((?:\[[^]]*\])*)( ?: ?\d+)?", text)
    return Member(found.group(2), (found.group(1) + found.group(3) + (found.group(4) or "")).strip())


def parse_struct(text, header=""):
    found = re.fullmatch(r"(?:typedef )?(struct|union)(?: (\w+))? ?\{(.*)\} ?(\w*)", text)
    if not found:
        return None
    members = [parse_member(member.strip()) for member in found.group(3).split(";") if member.strip()]
    return Struct(found.group(4) or found.group(2), members, header)


def read(headers):
    """(functions, structs, exported data) of the headers."""
    functions, structs, data = [], [], []
    for header, text in statements(preprocessed(headers)):
        if EXPORTED in text:
            text = " ".join(text.replace(EXPORTED, " ").split())
            function = parse_function(text, header)
            (functions if function else data).append(function or text)
        else:
            struct = parse_struct(text, header)
            if struct:
                structs.append(struct)
    return functions, structs, data


def version():
    """MAJOR.MINOR of the headers."""
    text = (common.INCLUDE / "rebalance/base.h").read_text()
    return ".".join(re.findall(r"^#define REBAL_VERSION_(?:MAJOR|MINOR) (\d+)", text, re.M))


def map_nodes(path):
    """{version node: names that a symbol map exports with it}, in its order."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    nodes = re.findall(r"(\w[\w.]*) \{(.*?)\}", text, re.S)
    return {node: [name for part in re.findall(r"global:(.*?)(?:local:|$)", body, re.S)
                   for name in re.findall(r"[^\s;]+", part)] for node, body in nodes}


def map_names(path):
    """Names a symbol map exports."""
    return [name for names in map_nodes(path).values() for name in names]


def map_text(nodes):
    """The map of version nodes: each inherits from the one before, and the first hides all other names."""
    text, before = "/* SPDX-License-Identifier: MIT */\n", ""
    for node, names in nodes.items():
        shown = "  global:\n" + "".join(f"    {name};\n" for name in names) if names else ""
        hidden = "" if before else "  local:\n    *;\n"
        text += f"{node} {{\n{shown}{hidden}}}{before};\n"
        before = f" {node}"
    return text


def map_path(library):
    return common.SOURCE / "lib" / f"{library}.map"


def libraries():
    """(part, library, its headers) for what is built."""
    return [(part, library, library_headers(part)) for part, library in LIBRARIES
            if part == "core" or common.WITH_MANIFEST]
