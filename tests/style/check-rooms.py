# SPDX-License-Identifier: MIT
"""Which files may include which headers: a room includes lower rooms of librebalance, never a sibling or a higher one;
code built on the library includes installed headers, its own folder and, in lib, the foundation only."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

LEVEL = {"foundation": 0, "record": 1, "fleet": 2, "estimator": 3, "scheduler": 4, "rebalancer": 5, "descheduler": 5,
         "failover": 5, "workloadspread": 5, "plan": 6}
# folders of lib/simulation, the lower first; shared files are beside them
FLOORS = ("", "deletion", "cluster", "controllers", "scenario")
USERS = ("lib/detector", "lib/manifest",
         "lib/simulation", "tools", "examples", "bindings", "tests/conformance", "tests/ffi")
# both rooms are in librebalance-manifest: the lower one uses the other's description of pod templates
BESIDE = {"manifest": "detector/detector.h"}
SHARED = {"base.h"}  # public headers of values, which belong to no room


def core_fault(room, path):
    """Why a file of a room of librebalance may not include path, or None."""
    folder, _, name = path.rpartition("/")
    folder = folder.partition("/")[0]
    if folder == "rebalance" and (name.endswith(".def") or name in SHARED):
        return None
    other = name[:-2] if folder == "rebalance" else folder
    if other == room or (folder == "" and (common.SOURCE / "lib" / room / name).exists()):
        return None
    if other not in LEVEL:
        return "is no room of librebalance"
    return None if LEVEL[other] < LEVEL[room] else "is not a lower room"


def user_fault(source, path):
    """Why a file built on the installed library may not include a quoted path, or None."""
    own = next(folder.resolve() for user in USERS if source.is_relative_to(folder := common.SOURCE / user))
    if path.startswith("foundation/") and own.parent.name == "lib":
        return None
    if (own.name, path.partition("/")[0]) == ("detector", "manifest") or path == BESIDE.get(own.name):
        return None
    for base in (own, own.parent, source.parent):
        if (target := (base / path).resolve()).is_file() and target.is_relative_to(own):
            return None
    return "is not an installed header or one of its own folder"


def floor_fault(source, path):
    """Why a file of lib/simulation may not include a header of a floor above its own, or None."""
    own, room = common.SOURCE / "lib" / "simulation", "simulation/"
    if not source.is_relative_to(own) or not path.startswith(room):
        return None
    mine, other = (FLOORS.index(name.rpartition("/")[0]) for name in
                   (source.relative_to(own).as_posix(), path.removeprefix(room)))
    return "is on a higher floor" if other > mine else None


def includes(source):
    """(line number, path, quoted) of each include; the system's own are left out."""
    for number, line in enumerate(source.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found and (found.group(1) == '"' or found.group(2).startswith("rebalance/")):
            yield number, found.group(2), found.group(1) == '"'


def sources(folder):
    """C files below a folder."""
    return sorted(path for path in (common.SOURCE / folder).rglob("*") if path.suffix in (".c", ".h"))


def sample_faults():
    samples = ((core_fault("record", "fleet/fleet.h"), True), (core_fault("failover", "rebalancer/rebalancer.h"), True),
               (core_fault("scheduler", "rebalance/plan.h"), True), (core_fault("fleet", "manifest/manifest.h"), True),
               (core_fault("fleet", "rebalance/rebalance.h"), True), (core_fault("scheduler", "fleet/fleet.h"), False),
               (core_fault("plan", "failover/failover.h"), False),
               (core_fault("fleet", "rebalance/columns.def"), False),
               (user_fault(common.SOURCE / "tools/main.c", "../lib/record/record.h"), True),
               (user_fault(common.SOURCE / "lib/manifest/x.c", "record/record.h"), True),
               (user_fault(common.SOURCE / "lib/manifest/x.c", "foundation/foundation.h"), False),
               (user_fault(common.SOURCE / "lib/manifest/text/x.c", "manifest/manifest.h"), False),
               (user_fault(common.SOURCE / "lib/simulation/x.c", "manifest/manifest.h"), True),
               (user_fault(common.SOURCE / "lib/detector/x.c", "manifest/manifest.h"), False),
               (user_fault(common.SOURCE / "lib/manifest/x.c", "detector/detector.h"), False),
               (user_fault(common.SOURCE / "lib/manifest/x.c", "detector/interpret/interpret.h"), True),
               (user_fault(common.SOURCE / "tools/verbs/x.c", "rebalancectl.h"), False),
               (user_fault(common.SOURCE / "tools/main.c", "foundation/foundation.h"), True),
               (floor_fault(common.SOURCE / "lib/simulation/x.c", "simulation/cluster/own.h"), True),
               (floor_fault(common.SOURCE / "lib/simulation/scenario/x.c", "simulation/cluster/own.h"), False))
    return [f"sample {index} was judged wrongly: {fault}" for index, (fault, wanted) in enumerate(samples)
            if bool(fault) != wanted]


def main():
    faults, checked = sample_faults(), 0
    rooms = [path for path in sorted((common.SOURCE / "lib").iterdir()) if path.is_dir()]
    for room in rooms:
        if f"lib/{room.name}" not in USERS and room.name not in LEVEL:
            faults.append(f"lib/{room.name} is not a room")
    jobs = [(source, lambda path, quoted, room=room: core_fault(room.name, path))
            for room in rooms if room.name in LEVEL for source in sources(f"lib/{room.name}")]
    jobs += [(source, lambda path, quoted, source=source:
              (user_fault(source, path) or floor_fault(source, path)) if quoted else None)
             for folder in USERS for source in sources(folder)]
    for source, judge in jobs:
        checked += 1
        for number, path, quoted in includes(source):
            fault = judge(path, quoted)
            if fault:
                faults.append(f"{source.relative_to(common.SOURCE)}:{number}: {path} {fault}")
    common.finish(faults, checked)


main()
