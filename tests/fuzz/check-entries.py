# SPDX-License-Identifier: MIT
"""Each public function that takes bytes with their length is called by a fuzz target, or named here with the reason."""
import re
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parent.parent))
import common

# A pointer to bytes and their length, or a number of texts.
BYTES = r"const (?:char|void) \*\w+,\s+(?:const uint32_t \*offsets,\s+)?size_t \w*(?:len|n)\b"
# Functions that compare, copy or look up the bytes and never parse them.
NAMES = {
    "rebal_binding_name": "joins two names",
    "rebal_compat_set_level": "looks up a name",
    "rebal_enum_find": "looks up a name",
    "rebal_document_inject": "copies an id into a document; the unit tests of admission try it",
    "rebal_ledger_release": "looks up a key",
    "rebal_snapshot_find_cluster": "looks up a name",
    "rebal_snapshot_node_label": "looks up a key",
    "rebal_store_add_resource": "copies names of a kind",
    "rebal_store_find": "looks up a name",
}


def entries():
    """Functions with a pointer to bytes that is followed by a length."""
    for header in sorted(common.INCLUDE.glob("rebalance/*.h")):
        for name, parameters in re.findall(r"^REBAL_API [^(;]*?\b(rebal_\w+)\(([^;]*?)\);", header.read_text(), re.M):
            if re.search(BYTES, parameters):
                yield name


def main():
    targets = "\n".join(path.read_text() for path in sorted((common.SOURCE / "tests/fuzz").glob("*.[ch]")))
    found = list(entries())
    called = {name for name in found if re.search(rf"\b{name}\(", targets)}
    faults = [f"no target calls {name}" for name in found if name not in called and name not in NAMES]
    faults += [f"{name} is named, and " + ("a target calls it" if name in called else "takes no bytes")
               for name in NAMES if name in called or name not in found]
    common.finish(faults, len(found))


if __name__ == "__main__":
    main()
