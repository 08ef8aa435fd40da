# SPDX-License-Identifier: MIT
"""Draws one-line mutants of lib and tools and lists those that no test detects.

    tests/mutants/draw.py --work FOLDER [--seed N] [--count N]     draws, and tries each
    tests/mutants/draw.py --work FOLDER --retry LIST               tries again what survived by such a list

The committed tree is copied into FOLDER and built there: all of lib in one shared library, so that a mutant costs the
compilation of one file and a link. Its tests run one after the other, those of its own folder first, until one fails.
FOLDER/list.txt has a line for each mutant: "killed by TEST", "same code" (the compiler writes the same bytes) or
"SURVIVED". A run continues where an earlier one was stopped."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

import sites

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
FLAGS = ["-std=c11", "-ffp-contract=off", "-O1", "-w", "-fPIC", "-fno-semantic-interposition", "-pipe"]
CC = (os.environ.get("CC") or "cc").split()
ROOMS = ("foundation", "record", "fleet", "estimator", "scheduler", "rebalancer", "descheduler", "failover",
         "workloadspread")
UNITS = (*ROOMS, "manifest", "detector", "simulation")
REPLAYS = ("columns", "divide", "quantity", "selector", "json", "member", "patch", "replay", "scenario", "spread",
           "watch", "yaml")
SCRIPTS = {"tool": "tests/tools/check-tool.py", "completions": "tests/tools/check-completions.py",
           "watch": "tests/tools/check-watch.py", "page": "tests/html/check-page.py"}


class Failed(Exception):
    pass


def run(command, folder, limit=None, **environment):
    """Whether a command succeeds in time; its output is kept in folder/last.log."""
    with open(folder / "last.log", "w", encoding="utf-8") as log:
        try:
            done = subprocess.run([str(word) for word in command], cwd=folder, timeout=limit, stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=subprocess.STDOUT, check=False,
                                  env={**os.environ, **environment})
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


class Build:
    """A copy of the tree in one shared library and programs that use it."""

    def __init__(self, work):
        self.work, self.tree, self.out = work, work / "tree", work / "build"
        self.out.mkdir(parents=True, exist_ok=True)
        packages = subprocess.check_output(["pkg-config", "--cflags", "--libs", "jansson", "yaml-0.1", "check",
                                            "liblzma"], text=True).split()
        self.include = [word for word in packages if not word.startswith("-l")]
        self.libraries = [word for word in packages if word.startswith("-l")]
        version = re.findall(r"#define REBAL_VERSION_[A-Z]+ (\d+)", (SOURCE / "include/rebalance/base.h").read_text())
        self.include.append('-DPACKAGE_VERSION="' + ".".join(version) + '"')

    def copy(self):
        self.tree.mkdir(exist_ok=True)
        archive = subprocess.run(["git", "-C", SOURCE, "archive", "HEAD"], stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "-x", "-C", self.tree], input=archive.stdout, check=True)

    def object_of(self, path):
        return self.out / (path.replace("/", "-")[:-2] + ".o")

    def flags_of(self, path):
        room = ["-Itools"] if path.startswith("tools/") else ["-Ilib"]
        return [*FLAGS, "-I.", "-Iinclude", *room, *self.include]

    def compile(self, path, to=None):
        to = to or self.object_of(path)
        return run([*CC, *self.flags_of(path), "-c", "-o", to, path], self.tree)

    def objects(self, *patterns):
        """Objects of the sources that match; recompiles those that are older than their source."""
        found = sorted(path.relative_to(self.tree).as_posix() for pattern in patterns
                       for path in self.tree.glob(pattern))
        for path in found:
            made = self.object_of(path)
            if not made.exists() or made.stat().st_mtime < (self.tree / path).stat().st_mtime:
                if not self.compile(path):
                    raise Failed(f"{path} does not compile: {(self.tree / 'last.log').read_text()}")
        return [self.object_of(path) for path in found]

    def link(self, name, objects, *more):
        command = [*CC, "-o", self.out / name, *objects, *more, *self.libraries]
        if not run(command, self.tree):
            raise Failed(f"{name} cannot be linked: {(self.tree / 'last.log').read_text()}")

    def link_library(self):
        self.link("libmutant.so", self.objects("lib/**/*.c"), "-shared", "-Wl,-Bsymbolic")

    def link_program(self, name, *patterns):
        self.link(name, self.objects(*patterns), f"-L{self.out}", f"-Wl,-rpath,{self.out}", "-lmutant", "-lm")

    def link_tool(self):
        self.link_program("rebalancectl", "tools/**/*.c")

    def link_all(self):
        self.link_library()
        self.link_tool()
        for room in UNITS:
            self.link_program(f"unit-{room}", f"tests/unit/{room}/*.c", "tests/support/*.c")
        for name in ("conformance", "laws", "histories"):
            self.link_program(name, f"tests/{name}/*.c", "tests/support/*.c")
        self.link_program("edges", "tests/edges/edges.c", "tests/support/*.c")
        self.link_program("memory", "tests/memory/*.c")
        self.link_program("null", "tests/abi/check-null.c")
        for name in REPLAYS:
            self.link_program(f"replay-{name}", f"tests/fuzz/fuzz_{name}.c", "tests/fuzz/standalone.c")


class Tests:
    """Named commands, with the seconds that each takes without a mutant."""

    def __init__(self, build):
        self.build = build
        out, tree = build.out, build.tree
        self.commands = {f"unit-{room}": [out / f"unit-{room}"] for room in UNITS}
        self.commands |= {name: [out / name] for name in ("edges", "memory", "null", "laws", "histories")}
        self.commands |= {f"replay-{name}": [out / f"replay-{name}",
                                             *sorted((tree / "tests/fuzz/corpus" / name).iterdir())]
                          for name in REPLAYS}
        self.commands |= {name: [sys.executable, tree / script] for name, script in SCRIPTS.items()}
        vectors = tree / "tests/vectors"
        expected = re.search(r'expected="(.*)"', (tree / "tests/conformance/check-vectors.sh").read_text()).group(1)
        self.commands["conformance"] = ["sh", "-c", f"'{out}/conformance' --rules '{vectors}/rules.txt' '{vectors}' | "
                                                    f"tail -n 1 | grep -Fx '{expected}'"]
        self.seconds = {}

    def passes(self, name, limit):
        return run(self.commands[name], self.build.tree, limit, top_srcdir=str(self.build.tree), WITH_MANIFEST="yes",
                   top_builddir=str(self.build.out), PYTHONDONTWRITEBYTECODE="1", CK_FORK="no", LAWS_CASES="20000",
                   CI="false")

    def measure(self):
        """Leaves out, and prints, tests that fail without a mutant."""
        for name in self.commands:
            start = time.monotonic()
            if self.passes(name, 900):
                self.seconds[name] = time.monotonic() - start
                print(f"{name}: {self.seconds[name]:.1f} s", flush=True)
            else:
                print(f"{name}: fails without a mutant, left out", flush=True)

    def of(self, path):
        """Tests that a change of this file can fail: those of its folder first, then the quick ones."""
        parts = path.split("/")
        if parts[0] == "tools":
            names = [*SCRIPTS]
        elif parts[1] == "simulation":
            names = ["unit-simulation", "histories", "memory", "replay-scenario", *SCRIPTS]
        elif parts[1] in ("manifest", "detector"):
            names = [name for name in self.commands
                     if name not in ("laws", "edges", "null") and name[5:] not in ROOMS]
        else:
            names = [name for name in self.commands if name not in ("completions", "watch", "page")]
        own = f"unit-{parts[1]}"
        return sorted((name for name in names if name in self.seconds),
                      key=lambda name: (name != own, self.seconds[name]))

    def killer(self, path):
        for name in self.of(path):
            if not self.passes(name, 20 + 10 * self.seconds[name]):
                return name
        return None


def try_mutant(build, tests, mutant):
    """The outcome of a mutant; None if it does not compile."""
    path, made = build.tree / mutant.path, build.object_of(mutant.path)
    text, object_bytes = path.read_text(), made.read_bytes()
    lines = text.splitlines()
    lines[mutant.line - 1] = mutant.new
    path.write_text("\n".join(lines) + "\n")
    try:
        if not build.compile(mutant.path):
            return None
        if made.read_bytes() == object_bytes:
            return "same code"
        if mutant.path.startswith("tools/"):
            build.link_tool()
        else:
            build.link_library()
        killer = tests.killer(mutant.path)
        return f"killed by {killer}" if killer else "SURVIVED"
    finally:
        path.write_text(text)
        made.write_bytes(object_bytes)


def restore(build):
    build.link_library()
    build.link_tool()


def try_folder(build, tests, quota, mutants, done):
    """Lines for a quota of these mutants; those that do not compile do not count."""
    tried = 0
    for mutant in mutants:
        if tried == quota:
            return
        outcome = done.get(str(mutant)) or try_mutant(build, tests, mutant)
        tried += outcome is not None
        if outcome is not None and str(mutant) not in done:
            yield f"{outcome}: {mutant}"


def again(path, root):
    """The survivors of a list, where their lines are today."""
    for text in path.read_text().splitlines():
        found = re.fullmatch(r"SURVIVED: (.+?):(\d+): (.*)  ->  (.*)", text)
        if not found:
            continue
        name, number, old, new = found.group(1), int(found.group(2)), found.group(3), found.group(4)
        lines = (root / name).read_text().splitlines()
        places = [i for i, line in enumerate(lines) if line.strip() == old]
        if not places:
            print(f"gone: {text}", flush=True)
            continue
        at = min(places, key=lambda i: abs(i + 1 - number))
        indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
        yield sites.Mutant(name, at + 1, lines[at], "" if new == "(removed)" else indent + new)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--retry", type=pathlib.Path)
    arguments = parser.parse_args()
    build = Build(arguments.work.resolve())
    if arguments.retry or not build.tree.exists():
        build.copy()
    build.link_all()
    tests = Tests(build)
    tests.measure()
    drawn = {"": (1 << 30, list(again(arguments.retry, build.tree)))} if arguments.retry else \
        sites.draw(build.tree, ("lib", "tools"), arguments.count, arguments.seed)
    kept = arguments.work / ("retry.txt" if arguments.retry else "list.txt")
    lines = kept.read_text().splitlines() if kept.exists() and not arguments.retry else []
    done = {line.partition(": ")[2]: line.partition(": ")[0] for line in lines}
    with open(kept, "w" if arguments.retry else "a", encoding="utf-8") as listing:
        for quota, mutants in drawn.values():
            for line in try_folder(build, tests, quota, mutants, done):
                print(line, flush=True)
                listing.write(line + "\n")
                listing.flush()
    restore(build)


main()
