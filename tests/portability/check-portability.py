# SPDX-License-Identifier: MIT
"""Builds the core for each target of a table, runs its tests there, and compares its answers byte for byte with those
of this build. Arguments: names of targets (all without); --record writes into CONTRIBUTING.md when each passed."""
import argparse
import datetime
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

FOLDER = common.BUILD / "portability"
JOBS = os.environ.get("PORTABILITY_JOBS") or str(os.cpu_count())
RUN_WASM = common.SOURCE.resolve() / "tests/portability/run-wasm.mjs"
WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"


class Target(typing.NamedTuple):
    """cc: the compiler with the flags that are part of it. runner: what starts its programs."""
    cc: str
    cflags: str
    host: str = ""
    runner: tuple = ()
    ldflags: str = ""
    tests: tuple = ("answers", "units", "programs")
    is_shared: bool = False


UNITS = tuple(name.split("-", 1)[1] for name in common.make_list("core_unit_programs"))
TARGETS = {
    "gcc-O0": Target("gcc", "-O0 -g", tests=("answers", "units", "programs", "c++")),
    "gcc-O3": Target("gcc", "-O3 -g"),
    "gcc-lto": Target("gcc", "-O2 -flto=auto", ldflags="-O2 -flto=auto"),
    "clang-O0": Target("clang", "-O0 -g", tests=("answers", "units", "programs", "c++")),
    "clang-O3": Target("clang", "-O3 -g"),
    "clang-lto": Target("clang", "-O2 -flto", ldflags="-O2 -flto -fuse-ld=lld"),
    "i386": Target("gcc -m32", "-O2 -g"),
    "musl": Target("musl-gcc", "-O2 -g"),
    "arm64": Target("aarch64-linux-gnu-gcc", "-O2 -g", "aarch64-linux-gnu",
                    ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")),
    "s390x": Target("s390x-linux-gnu-gcc", "-O2 -g", "s390x-linux-gnu", ("qemu-s390x", "-L", "/usr/s390x-linux-gnu")),
    "windows": Target("x86_64-w64-mingw32-gcc", "-O2 -g", "x86_64-w64-mingw32", (WINE,),
                      tests=("answers", "units", "programs", "exports"), is_shared=True),
    "wasm": Target("clang --target=wasm32-wasi", "-O2", runner=("node", "--no-warnings", RUN_WASM),
                   tests=("answers", "tutorial")),
    "threads": Target("gcc", "-O1 -g -fsanitize=thread", tests=("answers", "threads")),
}
PROGRAMS = {"programs": ("tests/abi/check-null", "tests/edges/edges"), "answers": ("tests/portability/answers",),
            "units": tuple(f"tests/unit/unit-{room}" for room in UNITS), "c++": ("tests/portability/caller",),
            "tutorial": ("tests/portability/tutorial",),
            "threads": ("tests/portability/threads",), "exports": ("librebalance.la",)}


class Failure(Exception):
    """A target did not build, or a test of it failed."""


def run(command, folder, environment=None, show=False):
    """Output of a command as bytes; Failure with its last lines when it fails."""
    with tempfile.TemporaryFile() as output:  # WASI under Node loses what a full pipe does not take
        done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=output, stderr=subprocess.PIPE, check=False)
        output.seek(0)
        printed = output.read()
    if done.returncode:
        text = (printed[-20000:] + done.stderr[-20000:]).decode(errors="replace")
        raise Failure("\n".join([f"{command[0]}: exit {done.returncode}", *text.splitlines()[-40:]]))
    if show:
        print("   ", (printed.decode(errors="replace").splitlines() or [""])[-1], flush=True)
    return printed


def build(target, folder):
    """The programs of a target's tests. Where Check would be foreign, tests/portability/check stands in for it."""
    stand_in = common.SOURCE / "tests/portability/check"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    compiler = [*(["ccache"] if shutil.which("ccache") else []), *target.cc.split()]
    run([*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *target.cflags.split(), "-c", stand_in / "check.c", "-o",
         folder / "check.o"], folder)
    environment = dict(os.environ, PKG_CONFIG_LIBDIR=str(folder / "none"))
    environment.pop("MAKEFLAGS", None)
    cxx = target.cc.split()[0].replace("gcc", "g++").replace("clang", "clang++")
    run([common.SOURCE.resolve() / "configure", "--quiet", "--enable-werror", "--disable-manifest", "--disable-tools",
         "--disable-static" if target.is_shared else "--disable-shared",
         *([f"--host={target.host}"] if target.host else []), f"CC={' '.join(compiler)}", f"CXX={cxx}",
         f"CFLAGS={target.cflags}", f"CXXFLAGS={target.cflags}", f"LDFLAGS={target.ldflags}",
         f"CHECK_CFLAGS=-I{stand_in.resolve()}", f"CHECK_LIBS={folder / 'check.o'} -lpthread"], folder, environment)
    suffix = ".exe" if target.host.endswith("mingw32") else ""
    wanted = [name if name.endswith(".la") else name + suffix for test in target.tests for name in PROGRAMS[test]]
    run(["make", "--quiet", f"-j{JOBS}", *wanted], folder, environment)


def build_wasm(target, folder):
    """The programs of a target without libtool: the core in one file, and what they have of the tests."""
    sources = {"answers": ["tests/portability/answers.c", "tests/laws/draw.c", "tests/laws/plan_draw.c",
                           *(name for name in common.make_list("support_sources") if name.endswith(".c"))],
               "tutorial": ["tests/portability/tutorial.c"]}
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tests/portability").mkdir(parents=True)
    run([sys.executable, common.SOURCE.resolve() / "packaging/amalgamate.py", folder], folder)
    command = [*target.cc.split(), *target.cflags.split(), f"-I{common.INCLUDE.resolve()}"]
    run([*command, "-c", "librebalance.c"], folder)
    for name in target.tests:
        program = folder / f"tests/portability/{name}"
        run([*command, *(common.SOURCE.resolve() / source for source in sources[name]), "librebalance.o", "-o", program,
             "-Wl,--gc-sections,--strip-all,-z,stack-size=1048576"], folder)
        print(f"    {name}: {program.stat().st_size} bytes of wasm")


def start(target, folder, program):
    """The command of a program; a program that needs a DLL lies beside it."""
    if target.host.endswith("mingw32"):
        path = folder / (program + ".exe")
        inner = path.parent / ".libs" / path.name
        return [*target.runner, inner if inner.exists() else path]
    return [*target.runner, folder / program]


def surroundings(target, folder):
    """The environment of a target's programs."""
    environment = dict(os.environ, top_srcdir=str(common.SOURCE), TSAN_OPTIONS="halt_on_error=1")
    if target.host.endswith("mingw32"):
        threads = common.output([target.cc, "-print-file-name=libwinpthread-1.dll"]).strip()
        environment.update(WINEPREFIX=str(FOLDER / "wine"), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=",
                           WINEPATH=f"{folder / '.libs'};{pathlib.Path(threads).resolve().parent}")
        environment.pop("DISPLAY", None)
    return environment


def plain_lines(answers):
    return answers.replace(b"\r\n", b"\n")


def check_exports(target, folder):
    """A DLL exports the names of the map and no other."""
    objdump = target.host + "-objdump"
    listing = run([objdump, "-p", next((folder / ".libs").glob("librebalance-*.dll"))], folder).decode()
    table = listing[listing.index("[Ordinal/Name Pointer] Table"):]
    exported = set(re.findall(r"^\s*\[\s*\d+\]\s.*?(\w+)$", table, re.M))
    mapped = set(re.findall(r"^\s+(rebal_\w+);$", (common.SOURCE / "lib/librebalance.map").read_text(), re.M))
    if exported != mapped:
        raise Failure(f"exported and not in the map: {sorted(exported - mapped)[:9]}; "
                      f"in the map and not exported: {sorted(mapped - exported)[:9]}")
    print(f"    {len(exported)} names exported, those of the map")


def check(name, target, reference):
    """Builds one target and runs its tests."""
    folder = FOLDER / name
    (build_wasm if "wasm" in name else build)(target, folder)
    environment = surroundings(target, folder)
    for test in target.tests:
        if test == "exports":
            check_exports(target, folder)
            continue
        for program in PROGRAMS[test]:
            printed = run(start(target, folder, program), folder, environment, show=test != "answers")
            if test in reference and plain_lines(printed) != reference[test]:
                (folder / f"{test}.txt").write_bytes(plain_lines(printed))
                raise Failure(f"{program}: other answers than this build's: {folder / test}.txt")
    digest = hashlib.sha256(reference["answers"]).hexdigest()[:16]
    print(f"    answers {digest}, {len(reference['answers'])} bytes")


def record(passed):
    """Writes the targets that passed into the table of CONTRIBUTING.md; the others keep their rows."""
    path = common.SOURCE / "CONTRIBUTING.md"
    text = path.read_text()
    before, rest = text.split("<!-- made by check-portability --record -->\n")
    old, after = rest.split("<!-- end of what is made -->\n")
    rows = {found.group(1): found.group(0) for found in re.finditer(r"^\| (\S+) \|.*\|$", old, re.M)}
    for name in passed:
        target = TARGETS[name]
        version = common.output([*target.cc.split()[:1], "--version"]).splitlines()[0]
        number = next(filter(None, re.search(r"\) (\S+)|version (\S+)", version).groups()))
        today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        rows[name] = f"| {name} | {target.cc} {number}, {target.cflags} | {', '.join(target.tests)} | {today} |"
    table = "".join(f"{rows[name]}\n" for name in TARGETS if name in rows)
    head = "| target | compiler | tests | last passed |\n| --- | --- | --- | --- |\n"
    path.write_text(f"{before}<!-- made by check-portability --record -->\n{head}{table}"
                    f"<!-- end of what is made -->\n{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="target", help=" ".join(TARGETS))
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    unknown = set(arguments.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no such target: {' '.join(sorted(unknown))}")
    reference = {"answers": run([common.BUILD / "tests/portability/answers"], common.BUILD),
                 "threads": run([common.BUILD / "tests/portability/threads"], common.BUILD),
                 "tutorial": run([common.BUILD / "tests/portability/tutorial"], common.BUILD),
                 "c++": run([common.BUILD / "tests/portability/tutorial"], common.BUILD)}
    passed, faults = [], []
    for name in arguments.targets or TARGETS:
        print(name, flush=True)
        try:
            check(name, TARGETS[name], reference)
            passed.append(name)
        except Failure as failure:
            faults.append(f"{name}: {failure}")
    if arguments.record:
        record(passed)
    common.finish(faults, len(passed) + len(faults))


main()
