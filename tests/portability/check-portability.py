# SPDX-License-Identifier: MIT
"""Builds the libraries for each target of a table, runs tests there, and compares their answers byte for byte with
this build. Arguments: names of targets, by default all; --record writes into CONTRIBUTING.md when each passed."""
import argparse
import datetime
import hashlib
import os
import pathlib
import re
import shutil
import sys
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import foreign
from foreign import Failure, run

FOLDER = common.BUILD.resolve() / "portability"
SOURCE = common.SOURCE.resolve()
JOBS = os.environ.get("PORTABILITY_JOBS") or str(os.cpu_count())
WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"
VECTORS = SOURCE / "tests/vectors"

LINKED = ("answers", "laws", "recorded", "units", "programs")  # the linker compiles each if it optimizes
NATIVE = (*LINKED, "corpus")


class Target(typing.NamedTuple):
    """cc: the compiler with the flags that are part of it. runner: what starts its programs. packages: of its compiler,
    where none is installed. has_libraries: jansson, libyaml and liblzma are those of this machine."""
    cc: str
    cflags: str
    host: str = ""
    runner: tuple = ()
    ldflags: str = ""
    tests: tuple = NATIVE
    is_shared: bool = False
    packages: tuple = ()
    has_libraries: bool = False


TARGETS = {
    "gcc-O0": Target("gcc", "-O0 -g", tests=(*NATIVE, "c++"), has_libraries=True),
    "gcc-O3": Target("gcc", "-O3 -g", has_libraries=True),
    # At link time gcc also warns of calls that it sees only in part: a value that is set unless the call fails, or the
    # end of a structure that is as long as its struct_size. The other rows make each warning an error.
    "gcc-lto": Target("gcc", "-O2 -flto=auto -Wno-error", ldflags="-O2 -flto=auto", tests=LINKED, has_libraries=True),
    "clang-O0": Target("clang", "-O0 -g", tests=(*NATIVE, "c++"), has_libraries=True),
    "clang-O3": Target("clang", "-O3 -g", has_libraries=True),
    "clang-lto": Target("clang", "-O2 -flto", ldflags="-O2 -flto -fuse-ld=lld", tests=LINKED, has_libraries=True),
    "i386": Target("gcc -m32", "-O2 -g"),
    "musl": Target("musl-gcc", "-O2 -g"),
    "arm64": Target("aarch64-linux-gnu-gcc", "-O2 -g", "aarch64-linux-gnu", ("qemu-aarch64",),
                    packages=("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross")),
    "s390x": Target("s390x-linux-gnu-gcc", "-O2 -g", "s390x-linux-gnu", ("qemu-s390x",),
                    packages=("gcc-s390x-linux-gnu", "libc6-dev-s390x-cross")),
    "windows": Target("x86_64-w64-mingw32-gcc", "-O2 -g", "x86_64-w64-mingw32", (WINE,), tests=(*NATIVE, "exports"),
                      is_shared=True),
    "wasm": Target("clang --target=wasm32-wasi", "-O2",
                   runner=("node", "--no-warnings", SOURCE / "tests/portability/run-wasm.mjs"),
                   tests=("answers", "tutorial")),
    "threads": Target("gcc", "-O1 -g -fsanitize=thread", tests=("answers", "threads"), has_libraries=True),
}
PROGRAMS = {
    "answers": ("tests/portability/answers",),
    "laws": ("tests/laws/laws", "tests/waves/waves", "tests/histories/histories"),
    "recorded": ("tests/conformance/conformance",),
    "units": tuple(common.make_list("core_unit_programs") + common.make_list("manifest_unit_programs")),
    "programs": ("tests/abi/check-null", "tests/abi/check-sizes", "tests/abi/check-texts", "tests/edges/edges"),
    "corpus": tuple(common.make_list("core_fuzz_programs") + common.make_list("manifest_fuzz_programs")),
    "c++": ("tests/portability/caller",),
    "tutorial": ("tests/portability/tutorial",),
    "threads": ("tests/portability/threads",),
    "exports": ("librebalance.la", "librebalance-manifest.la", "librebalance-simulation.la"),
}
# What these print is the same on every target; the program in C++ does what the tutorial does.
COMPARED = {program: program for test in ("answers", "laws", "tutorial", "threads") for program in PROGRAMS[test]}
COMPARED["tests/portability/caller"] = "tests/portability/tutorial"


def is_windows(target):
    return target.host.endswith("mingw32")


def compilers(name, target):
    """Where the compiler's tools are, and the folder of the C library that qemu starts programs with."""
    tool = target.cc.split()[0]
    installed = shutil.which(tool)
    if installed or not target.packages:
        return None, pathlib.Path("/usr") / target.host
    root = foreign.unpack_compiler(target.host, target.packages, FOLDER / "compilers" / name)
    return foreign.tools_folder(root), root / "root/usr" / target.host


def surroundings(name, target):
    """The environment that builds a target's programs and starts them."""
    environment = dict(os.environ, top_srcdir=str(SOURCE), TSAN_OPTIONS="halt_on_error=1")
    environment.pop("MAKEFLAGS", None)
    tools, libc = compilers(name, target)
    if tools:
        environment["PATH"] = f"{tools}:{environment['PATH']}"
    if target.runner and target.runner[0].startswith("qemu"):
        environment["QEMU_LD_PREFIX"] = str(libc)
    if is_windows(target):
        threads = pathlib.Path(common.output([target.cc, "-print-file-name=libwinpthread-1.dll"]).strip()).resolve()
        places = (FOLDER / name / ".libs", FOLDER / "libraries" / name / "bin", threads.parent)
        environment.update(WINEPREFIX=str(FOLDER / "wine"), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=",
                           WINEPATH=";".join(map(str, places)))
        environment.pop("DISPLAY", None)
    return environment


def compiler_of(target):
    return [*(["ccache"] if shutil.which("ccache") else []), *target.cc.split()]


def add_libraries(name, target, environment):
    sources = foreign.fetch_sources(FOLDER / "sources")
    folder = foreign.build_libraries(" ".join(compiler_of(target)), target.host, target.is_shared, sources,
                                     FOLDER / "libraries" / name, environment, JOBS)
    environment["PKG_CONFIG_LIBDIR"] = str(folder / "lib/pkgconfig")


def build(name, target, folder, environment):
    """The programs of a target's tests. tests/portability/check replaces Check, which other machines do not have."""
    substitute = SOURCE / "tests/portability/check"
    if not target.has_libraries:
        add_libraries(name, target, environment)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    compiler = compiler_of(target)
    run([*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *target.cflags.split(), "-c", substitute / "check.c",
         "-o", folder / "check.o"], folder, environment)
    # Where a C++ compiler is missing, libtool takes it for Microsoft's, and names DLLs as that does.
    cxx = target.cc.split()[0].replace("gcc", "g++").replace("clang", "clang++") if "c++" in target.tests else "no"
    run([SOURCE / "configure", "--quiet", "--enable-werror", "--disable-tools",
         "--disable-static" if target.is_shared else "--disable-shared",
         *([f"--host={target.host}"] if target.host else []), f"CC={' '.join(compiler)}", f"CXX={cxx}",
         f"CFLAGS={target.cflags}", f"CXXFLAGS={target.cflags}", f"LDFLAGS={target.ldflags}",
         f"CHECK_CFLAGS=-I{substitute}", f"CHECK_LIBS={folder / 'check.o'} -lpthread"], folder, environment)
    suffix = ".exe" if is_windows(target) else ""
    wanted = [program if program.endswith(".la") else program + suffix for test in target.tests
              for program in PROGRAMS[test]]
    run(["make", "--quiet", f"-j{JOBS}", *wanted], folder, environment)


def build_wasm(target, folder):
    """The programs of a target without libtool: the core in one file, and the tests that run there."""
    sources = {"answers": ["tests/portability/answers.c", "tests/laws/draw.c", "tests/laws/plan_draw.c",
                           *(name for name in common.make_list("support_sources") if name.endswith(".c"))],
               "tutorial": ["tests/portability/tutorial.c"]}
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tests/portability").mkdir(parents=True)
    run([sys.executable, SOURCE / "packaging/amalgamate.py", folder], folder)
    command = [*target.cc.split(), *target.cflags.split(), f"-I{common.INCLUDE.resolve()}"]
    run([*command, "-c", "librebalance.c"], folder)
    for name in target.tests:
        program = folder / f"tests/portability/{name}"
        run([*command, *(SOURCE / source for source in sources[name]), "librebalance.o", "-o", program,
             "-Wl,--gc-sections,--strip-all,-z,stack-size=1048576"], folder)
        print(f"    {name}: {program.stat().st_size} bytes of wasm", flush=True)


def start(target, folder, program, *arguments):
    """The command of a program. If it needs a DLL of the build, it is started from .libs by libtool's script."""
    path = folder / (program + ".exe" if is_windows(target) else program)
    inner = path.parent / ".libs" / path.name
    return [*target.runner, inner if is_windows(target) and inner.exists() else path, *arguments]


def plain_lines(answers):
    return answers.replace(b"\r\n", b"\n")


def check_exports(target, folder):
    """A DLL exports the names of its map and no other."""
    n_exported = 0
    for archive in PROGRAMS["exports"]:
        name = pathlib.Path(archive).stem
        dll = next((folder / ".libs").glob(f"{name}-[0-9]*.dll"))
        listing = run([target.host + "-objdump", "-p", dll], folder).decode()
        table = listing[listing.index("[Ordinal/Name Pointer] Table"):]
        exported = set(re.findall(r"^\s*\[\s*\d+\]\s.*?(\w+)$", table, re.M))
        mapped = set(re.findall(r"^\s+(rebal_\w+);$", (SOURCE / f"lib/{name}.map").read_text(), re.M))
        if exported != mapped:
            raise Failure(f"{dll.name}: exported and not in the map: {sorted(exported - mapped)[:9]}; "
                          f"in the map and not exported: {sorted(mapped - exported)[:9]}")
        n_exported += len(exported)
    return f"{n_exported} exports"


def run_recorded(command, folder, environment):
    """The answers to the recorded cases, and how many pass."""
    answers = folder / "recorded.txt"
    printed = run([*command, "--rules", VECTORS / "rules.txt", "--answers", answers, VECTORS], folder, environment)
    wanted = re.search(r'^expected="(.*)"$', (SOURCE / "tests/conformance/check-vectors.sh").read_text(), re.M).group(1)
    last = plain_lines(printed).decode().splitlines()[-1]
    if last != wanted:
        raise Failure(f"recorded cases: {last}, expected {wanted}")
    return plain_lines(answers.read_bytes()), f"{int(last.split()[0])} recorded cases"


def compare(program, folder, answered, wanted):
    if answered != wanted:
        place = folder / (pathlib.Path(program).name + ".answered")
        place.write_bytes(answered)
        raise Failure(f"{program}: other answers than this build's: {place}")


def counted(pattern, printed):
    return sum(int(found) for found in re.findall(pattern.encode(), printed, re.M))


def run_tests(test, target, folder, environment, reference):
    """Runs the programs of one test; returns what ran."""
    if test == "exports":
        return check_exports(target, folder)
    if test == "recorded":
        answered, passed = run_recorded(start(target, folder, *PROGRAMS[test]), folder, environment)
        compare(test, folder, answered, reference[test])
        return passed
    printed = b""
    for program in PROGRAMS[test]:
        corpus = [SOURCE / "tests/fuzz/corpus" / program.partition("replay-")[2]] if test == "corpus" else []
        answered = plain_lines(run(start(target, folder, program, *corpus), folder, environment))
        if program in COMPARED:
            compare(program, folder, answered, reference[COMPARED[program]])
        printed += answered
    return {"units": f"{counted(r': ([0-9]+) tests, 0 failed$', printed)} unit tests",
            "laws": f"{counted(r'^ok .*[(]([0-9]+) cases', printed)} cases of laws",
            "corpus": f"{counted(r'^([0-9]+) inputs replayed$', printed)} inputs",
            "answers": f"{len(printed)} bytes of answers"}.get(test, test)


def check(name, target, reference):
    """Builds one target and runs its tests; returns what ran."""
    folder = FOLDER / name
    environment = surroundings(name, target)
    if "wasm" in name:
        build_wasm(target, folder)
    else:
        build(name, target, folder, environment)
    ran = []
    for test in target.tests:
        ran.append(run_tests(test, target, folder, environment, reference))
        print("   ", ran[-1], flush=True)
    digest = hashlib.sha256(b"".join(reference[key] for key in sorted(reference))).hexdigest()[:16]
    print(f"    answers of every target: {digest}")
    return ", ".join(ran)


def refer(tests):
    """The answers of this build, by program."""
    wanted = {COMPARED[program] for test in tests for program in PROGRAMS[test] if program in COMPARED}
    reference = {program: run([common.BUILD.resolve() / program], common.BUILD) for program in sorted(wanted)}
    if "recorded" in tests:
        runner = common.BUILD.resolve() / PROGRAMS["recorded"][0]
        reference["recorded"], _ = run_recorded([runner], FOLDER, None)
    return reference


def version_of(name, target):
    line = run([*target.cc.split()[:1], "--version"], FOLDER, surroundings(name, target)).decode().splitlines()[0]
    return next(filter(None, re.search(r"\) (\S+)|version (\S+)", line).groups()))


def record(passed):
    """Writes the targets that passed into the table of CONTRIBUTING.md; the others keep their rows."""
    path = SOURCE / "CONTRIBUTING.md"
    text = path.read_text()
    before, rest = text.split("<!-- made by check-portability --record -->\n")
    old, after = rest.split("<!-- end of what is made -->\n")
    rows = {found.group(1): found.group(0) for found in re.finditer(r"^\| (\S+) \|.*\|$", old, re.M)}
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    for name, ran in passed.items():
        target = TARGETS[name]
        rows[name] = f"| {name} | {target.cc} {version_of(name, target)}, {target.cflags} | {ran} | {today} |"
    table = "".join(f"{rows[name]}\n" for name in TARGETS if name in rows)
    head = "| target | compiler | what ran there | last passed |\n| --- | --- | --- | --- |\n"
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
    names = arguments.targets or list(TARGETS)
    FOLDER.mkdir(parents=True, exist_ok=True)
    reference = refer({test for name in names for test in TARGETS[name].tests})
    passed, faults = {}, []
    for name in names:
        print(name, flush=True)
        try:
            passed[name] = check(name, TARGETS[name], reference)
        except Failure as failure:
            faults.append(f"{name}: {failure}")
            print(f"    failed: {failure}", flush=True)
    if arguments.record:
        record(passed)
    common.finish(faults, len(passed) + len(faults))


main()
