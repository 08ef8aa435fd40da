# SPDX-License-Identifier: MIT
"""What a target needs and this machine does not have: compilers for other machines, which Debian does not install
beside gcc-multilib, unpacked in a folder of their own; jansson, libyaml and liblzma, built for the target from Debian's
sources. Needs apt-get, dpkg-dev, mmdebstrap and the autotools; the results stay in the folder."""
import pathlib
import re
import shutil
import subprocess
import tempfile

LIBRARIES = {
    "jansson": [],
    "libyaml": [],
    "xz-utils": ["--disable-xz", "--disable-xzdec", "--disable-lzmadec", "--disable-lzmainfo", "--disable-scripts",
                 "--disable-doc", "--disable-nls", "--disable-encoders", "--disable-threads"],
}


class Failure(Exception):
    """A target did not build, or a test of it failed."""


def run(command, folder, environment=None, limit=3600):
    """Output of a command as bytes; Failure with its last lines when it fails, or takes longer than limit seconds."""
    with tempfile.TemporaryFile() as output:  # WASI under Node loses what a full pipe does not take
        try:
            done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, timeout=limit,
                                  stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, check=False)
        except FileNotFoundError as error:
            raise Failure(f"{command[0]} is not installed") from error
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{command[0]}: still running after {limit} seconds") from error
        output.seek(0)
        printed = output.read()
    if done.returncode:
        text = (printed[-20000:] + done.stderr[-20000:]).decode(errors="replace")
        raise Failure("\n".join([f"{command[0]}: exit {done.returncode}", *text.splitlines()[-40:]]))
    return printed


def make_once(folder, make):
    """Calls make() for a folder unless the folder is complete already."""
    if not (folder / "whole").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make()
        (folder / "whole").touch()
    return folder


def suite():
    """The name of this machine's distribution: compilers that are unpacked run with the C library that is here."""
    return re.search(r"^VERSION_CODENAME=(\w+)$", pathlib.Path("/etc/os-release").read_text(), re.M).group(1)


def tools_folder(root):
    return root / "tools"


def unpack_compiler(host, packages, root):
    """The compiler and the C library of another machine. Each tool is started with the libraries beside it."""
    def make():
        run(["mmdebstrap", "--quiet", "--variant=extract", f"--include={','.join(packages)}", suite(), root / "root"],
            root)
        tools_folder(root).mkdir()
        libraries = next((root / "root/usr/lib").glob("*/libmpc.so.3")).parent
        for tool in (root / "root/usr/bin").glob(f"{host}-*"):
            place = tools_folder(root) / tool.name
            options = f" --sysroot={root / 'root'}" if tool.name == f"{host}-gcc" else ""
            place.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {tool}{options} "$@"\n')
            place.chmod(0o755)

    return make_once(root, make)


def source_lists(folder):
    """Debian's packages as this machine finds them, with their sources."""
    parts = folder / "parts"
    parts.mkdir()
    listed = [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]
    for path in listed:
        if path.exists() and path.suffix in (".list", ".sources"):
            text = re.sub(r"^Types:.*$", "Types: deb-src", path.read_text(), flags=re.M)
            (parts / path.name).write_text(re.sub(r"^deb\s", "deb-src ", text, flags=re.M))
    return ["-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={parts}", "-o",
            f"Dir::State::Lists={folder / 'lists'}", "-o", f"Dir::Cache={folder / 'cache'}", "-o",
            "APT::Sandbox::User=root"]


def fetch_sources(folder):
    """A folder that has the sources of each library in the folder of its name, with a configure script."""
    def make():
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True)
        options = source_lists(folder)
        run(["apt-get", *options, "-q", "update"], folder)
        run(["apt-get", *options, "-q", "source", *LIBRARIES], folder)
        for name in LIBRARIES:
            unpacked = next(path for path in folder.glob(f"{name}-*") if path.is_dir())
            unpacked.rename(folder / name)
            if not (folder / name / "configure").exists():
                run(["autoreconf", "-fi"], folder / name)

    return make_once(folder, make)


def build_libraries(compiler, host, is_shared, sources, folder, environment, jobs):
    """The libraries below a folder, for PKG_CONFIG_LIBDIR."""
    def make():
        for name, options in LIBRARIES.items():
            place = folder / "build" / name
            place.mkdir(parents=True)
            run([sources / name / "configure", "--quiet", *options, f"--prefix={folder}", f"CC={compiler}",
                 "CFLAGS=-O2", "--disable-static" if is_shared else "--disable-shared",
                 *([f"--host={host}"] if host else [])], place, environment)
            run(["make", "--quiet", f"-j{jobs}"], place, environment)
            run(["make", "--quiet", "install"], place, environment)

    return make_once(folder, make)
