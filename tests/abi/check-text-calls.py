# SPDX-License-Identifier: MIT
"""text-calls.def has a call for each text that a public function or option structure takes, and no other."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface

OPTIONS = re.compile(r"_opts$|^rebal_(limit|recorded_call|parties|observation|pod_request)$")


def texts_of_function(function):
    """How many texts the caller gives: pointer and length, one after the other."""
    pairs = zip(function.parameters, function.parameters[1:])
    return sum(re.match(r"const char \*\w+$", text) is not None and re.match(r"size_t (\w+_)?len$", length) is not None
               for text, length in pairs)


def texts_of_struct(struct):
    pairs = zip(struct.members, struct.members[1:])
    return [f"{struct.name}.{text.name}" for text, length in pairs
            if OPTIONS.search(struct.name) and text.type == "const char *" and
            length.name == f"{text.name.rstrip('_')}_len"]


def compare(wanted, found):
    for name in sorted(wanted.keys() | found.keys()):
        if wanted[name] != found[name]:
            yield f"{name} takes {wanted[name]} texts, tests/abi/text-calls.def has {found[name]} lines for it"


def sample_faults():
    two = interface.parse_function("int32_t rebal_x(const char *text, size_t len, const char *id, size_t id_len, "
                                   "const char *bytes, const uint32_t *offsets, char *buffer, size_t capacity)")
    options = interface.parse_struct("typedef struct rebal_x_opts { const char *id; uint64_t id_len; const char *y; "
                                     "uint64_t n; } rebal_x_opts")
    if texts_of_function(two) != 2 or texts_of_struct(options) != ["rebal_x_opts.id"]:
        yield "samples are counted wrongly"
    if len(list(compare(collections.Counter(a=1, b=2), collections.Counter(b=1, c=1)))) != 3:
        yield "samples are compared wrongly"


def main():
    functions, structs, _ = interface.read(interface.all_headers())
    wanted = collections.Counter()
    for function in functions:
        wanted[function.name] += texts_of_function(function)
    wanted.update(name for struct in structs for name in texts_of_struct(struct))
    text = (common.SOURCE / "tests/abi/text-calls.def").read_text()
    found = collections.Counter(re.findall(r"^(?:TEXT|FIND)\(([\w.]+)", text, re.M))
    common.finish([*sample_faults(), *compare(wanted, found)], sum(wanted.values()))


main()
