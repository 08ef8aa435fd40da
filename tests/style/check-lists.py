# SPDX-License-Identifier: MIT
"""Every source, example and manual page is in a list of Makefile.am or what it includes, every list is sorted, and
unit tests mirror the rooms. With --write: puts what is in no list into its own."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

SOURCES = {".c", ".h", ".def"}
GO_FILES = {".go", ".md", ".mod", ".sum"}
E2E_FILES = {".c", ".go", ".md", ".mod", ".py", ".sum", ".yaml"}
FOLDERS = {".ci", "bindings", "build-aux", "examples", "include", "lib", "m4", "man", "packaging", "tests", "tools"}
ROOMS_OF_MANIFEST = {"detector", "manifest", "simulation"}
# (pattern of a path, its list)
PLACES = ((r"lib/detector/.*", "manifest_sources"), (r"lib/(\w+)/.*", r"\1_sources"),
          (r"tests/unit/(\w+)/.*", r"\1_tests"), (r"tools/.*", "tool_sources"),
          (r"include/rebalance/simulation\.h", "simulation_headers"),
          (r"include/rebalance/(detector|document|manifest|watch)\.h", "manifest_headers"),
          (r"include/.*", "core_headers"),
          (r"examples/controllers/client/.*", "client_examples"),
          (r"examples/controllers/deploy/.*", "deploy_examples"), (r"examples/controllers/.*", "controller_examples"),
          (r"examples/embedding/.*", "core_examples"), (r"examples/own-scheduler/.*", "scheduler_examples"),
          (r"examples/policies/.*", "policy_examples"), (r"examples/scenarios/.*", "scenario_examples"),
          (r"examples/five-tasks/.*", "task_examples"), (r"examples/pages/.*", "page_examples"),
          (r"examples/pictures/.*", "picture_examples"),
          (r"examples/fleet/.*", "fleet_examples"),
          (r"examples/spread/.*", "spread_examples"),
          (r"examples/tutorial/.*", "tutorial_examples"),
          (r"tests/support/.*", "support_sources"), (r"tests/conformance/.*", "conformance_sources"),
          (r"tests/laws/.*", "laws_sources"), (r"tests/histories/.*", "histories_sources"),
          (r"tests/e2e/.*", "e2e_files"), (r"bindings/go/.*", "go_files"),
          (r"man/rebal_simulation\.3", "simulation_pages"),
          (r"man/rebal_(detector|document|interpret|manifest|store|text|spread_feed|watch)(_\w*)?\.3",
           "manifest_pages"),
          (r"man/.*\.[37]", "core_pages"), (r"man/.*", "tool_pages"))


def lists():
    """{name: [files]} of the lists that end with $(end)."""
    names = [name for path in common.MAKEFILES
             for name in re.findall(r"^(\w+) = \\\n(?:  [^\n]* \\\n)*  \$\(end\)$", path.read_text(), re.M)]
    return {name: common.make_list(name) for name in names}


def sources():
    folders = ("lib", "include", "tools") + tuple(
        f"tests/{name}" for name in ("unit", "support", "conformance", "laws", "histories"))
    paths = [path for folder in folders for path in (common.SOURCE / folder).rglob("*") if path.suffix in SOURCES]
    names = sorted(path.relative_to(common.SOURCE).as_posix() for path in paths)
    names += sorted(path.relative_to(common.SOURCE).as_posix()
                    for path in (common.SOURCE / "examples").rglob("*/*") if path.is_file())
    names += sorted(path.relative_to(common.SOURCE).as_posix() for path in (common.SOURCE / "tests/e2e").rglob("*")
                    if path.is_file() and path.suffix in E2E_FILES)
    names += sorted(path.relative_to(common.SOURCE).as_posix() for path in (common.SOURCE / "bindings/go").rglob("*")
                    if path.is_file() and path.suffix in GO_FILES)
    pages = sorted(page.relative_to(common.SOURCE).as_posix() for page in (common.SOURCE / "man").glob("*.[1-9]"))
    return [name for name in names if name != "tests/unit/unit.h"] + pages


def strays():
    """Folders of builds that were committed; none without a repository."""
    if not (common.SOURCE / ".git").exists():
        return []
    code, names = common.run(["git", "-C", common.SOURCE, "ls-files"])
    return sorted({name.partition("/")[0] for name in names.splitlines() if "/" in name} - FOLDERS) if code == 0 else []


def place(name):
    return next(re.sub(pattern, target, name) for pattern, target in PLACES if re.fullmatch(pattern, name))


def with_additions(text, found, additions):
    """The text of a makefile with the additions to the lists it holds."""
    for target in sorted({target for target, _ in additions}):
        files = sorted(set(found[target]) | {name for owner, name in additions if owner == target})
        block = "".join(f"  {name} \\\n" for name in files)
        text = re.sub(rf"^{target} = \\\n(?:  [^\n]* \\\n)*  \$\(end\)$",
                      lambda _, head=f"{target} = \\\n", block=block: f"{head}{block}  $(end)", text, flags=re.M)
    return text


def write():
    found = lists()
    listed = {path for files in found.values() for path in files}
    additions = [(place(name), name) for name in sources() if name not in listed]
    for _, name in list(additions):
        main = re.fullmatch(r"tests/unit/(\w+)/main\.c", name)
        if main:
            owner = "manifest" if main[1] in ROOMS_OF_MANIFEST else "core"
            additions.append((f"{owner}_unit_programs", f"tests/unit/unit-{main[1]}"))
    for path in common.MAKEFILES:
        path.write_text(with_additions(path.read_text(), found, additions))
    print("\n".join(f"{target} += {name}" for target, name in additions))


def main():
    if "--write" in sys.argv[1:]:
        write()
        return
    found, names = lists(), sources()
    listed = {path for files in found.values() for path in files}
    faults = [f"{name} is not sorted" for name, files in found.items() if files != sorted(files)]
    faults += [f"{name} names a file twice" for name, files in found.items() if len(files) != len(set(files))]
    faults += [f"{name}/ is committed, but is not a folder of the tree" for name in strays()]
    for name in names:
        if name not in listed:
            faults.append(f"{name} is in no list of Makefile.am (--write adds it)")
        mirror = re.fullmatch(r"tests/unit/(\w+)/test_(\w+)\.c", name)
        # tests of what is mirrored from the reference go by its sections, those of reports by symptoms, not by files
        if mirror and not mirror[2].startswith(("compat", "reports")) and \
                not any((common.SOURCE / "lib" / mirror[1]).rglob(f"{mirror[2]}.c")):
            faults.append(f"{name} mirrors no file of lib/{mirror[1]}")
    common.finish(faults, len(names))


main()
