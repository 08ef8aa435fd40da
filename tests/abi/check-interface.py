# SPDX-License-Identifier: MIT
"""The tree keeps every promise of tests/abi/interface.txt, and the list names every promise of the tree. Parts of the
list belong to versions; promises of a released one stay. With --write: adds new promises to the last part. With
--change: also removes from that part what the tree does not promise; refused once its version is released."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface
import promised
import promises



def checked(line, widths):
    """Can this compiler check the line?"""
    found = re.search(r" with (\d+)-bit pointers: ", line)
    return found is None or int(found[1]) in widths


def names(lines):
    return {re.split(r" = |: ", line)[0]: line for line in lines}


def grown(kept, now):
    """Does a structure with struct_size have more members now?"""
    form = r"(struct \S+ with \d+-bit pointers: at least )(\d+) bytes"
    one, other = re.fullmatch(form, kept), re.fullmatch(form, now)
    return bool(one and other and one[1] == other[1] and int(one[2]) < int(other[2]))


def faults_of(parts, tree, widths):
    """What is not kept, and what is not listed."""
    now = names(tree)
    kept = {}
    faults = []
    for part in parts:
        for line in part.lines:
            name = next(iter(names([line])))
            if name in kept:
                faults.append(f"{name} is promised twice")
            kept[name] = line
            found = now.get(name)
            if checked(line, widths) and found != line and not (found and grown(line, found)):
                faults.append(f"{line}: promised by {part.version}, and now " + (found or "gone"))
    return faults + [f"{line}: not listed" for name, line in now.items() if name not in kept]


def gaps(tree):
    """A new member must not lie where older programs may have written: structures have no padding."""
    size, end, faults = {}, {}, []
    for line in tree:
        found = re.fullmatch(r"struct (\w+) with 64-bit pointers: (?:at least )?(\d+) bytes", line)
        if found:
            size[found[1]] = int(found[2])
    form = re.compile(r"member (\w+)\.(\w+) with 64-bit pointers: at (\d+), (\d+) bytes")
    members = [form.fullmatch(line) for line in tree]
    for one in sorted(filter(None, members), key=lambda found: int(found[3])):
        if int(one[3]) != end.get(one[1], 0):
            faults.append(f"{one[1]}.{one[2]}: there is a gap before it")
        end[one[1]] = int(one[3]) + int(one[4])
    return faults + [f"{name}: there is a gap at its end" for name, end in end.items() if size[name] != end]


def last_part(parts):
    """The part that new promises belong to."""
    if not parts or (parts[-1].is_released and parts[-1].version != interface.version()):
        parts.append(promised.Part(interface.version(), False, []))
    if parts[-1].is_released:
        sys.exit(f"{interface.version()} is released: the interface grows in a later REBAL_VERSION_MINOR")
    return parts[-1]


def write(parts, tree, changes):
    known = names(line for part in parts for line in part.lines)
    part = last_part(parts) if changes or any(name not in known for name in names(tree)) else None
    if part is None:
        return
    if changes:
        earlier = names(line for one in parts[:-1] for line in one.lines)
        part.lines[:] = [line for name, line in names(tree).items() if name not in earlier]
    else:
        part.lines[:] = sorted([*part.lines, *(line for name, line in names(tree).items() if name not in known)])
    promised.write(parts)


def main():
    parts = promised.read()
    tree = promises.of_tree()
    widths = promises.widths()
    if {"--write", "--change"}.intersection(sys.argv[1:]):
        if widths != list(promises.WIDTHS):
            sys.exit("the list is written with a compiler that has 64-bit and 32-bit pointers")
        write(parts, tree, "--change" in sys.argv[1:])
        parts = promised.read()
    if widths != list(promises.WIDTHS):
        print("not checked: layouts that this compiler does not have")
    common.finish(faults_of(parts, tree, widths) + gaps(tree), len(tree))


main()
