# SPDX-License-Identifier: MIT
"""Builds librebalance._native, the compiled part of the package.

By default the C sources of the library are compiled in, and jansson and libyaml are found by pkg-config. With
LIBREBALANCE_SYSTEM=1 in the environment the libraries of the system are linked, with the headers that pkg-config finds.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import native

# A source distribution carries a copy of the C sources; in the repository they are where they are written.
SOURCES = HERE / "csrc" if (HERE / "csrc").is_dir() else HERE.parent.parent
SYSTEM = os.environ.get("LIBREBALANCE_SYSTEM", "") not in ("", "0")
LIBRARIES = ("librebalance-simulation", "librebalance-manifest", "librebalance") if SYSTEM else ("jansson", "yaml-0.1")
# The limited interface does not exist for builds without the GIL.
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")


def pkg_config(*arguments):
    tool = shlex.split(os.environ.get("PKG_CONFIG", "pkg-config"))
    return shlex.split(subprocess.run([*tool, *arguments, *LIBRARIES], text=True, stdout=subprocess.PIPE,
                                      check=True).stdout)


class Build(build_ext):
    """One extension, whose sources are compiled side by side."""

    def build_extension(self, ext):
        folder = pathlib.Path(self.build_temp).absolute() / "declarations"
        folder.mkdir(parents=True, exist_ok=True)
        flags = [flag for flag in pkg_config("--cflags") if flag.startswith(("-I", "-D"))]
        ext.include_dirs = [flag[2:] for flag in flags if flag.startswith("-I")]
        if not SYSTEM:
            ext.include_dirs += [str(SOURCES / "include"), str(SOURCES / "lib")]
        compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
        made = native.write_source(folder, compiler, ext.include_dirs)
        ext.sources = [str(made), *([] if SYSTEM else map(str, sorted((SOURCES / "lib").rglob("*.c"))))]
        ext.extra_link_args = pkg_config("--libs")
        self.compile_side_by_side()
        super().build_extension(ext)

    def compile_side_by_side(self):
        compiler = self.compiler
        one_after_another = compiler.compile

        def compile_one(source, arguments):
            folder = pathlib.Path(self.build_temp).absolute() / "objects"
            return one_after_another([source], output_dir=str(folder), **arguments)[0]

        def compile_all(sources, output_dir=None, macros=None, include_dirs=None, debug=0, extra_preargs=None,
                        extra_postargs=None, depends=None):
            arguments = {"macros": macros, "include_dirs": include_dirs, "debug": debug,
                         "extra_preargs": extra_preargs, "extra_postargs": extra_postargs, "depends": depends}
            with ThreadPoolExecutor(int(os.environ.get("MAX_JOBS") or os.cpu_count() or 1)) as pool:
                return list(pool.map(lambda source: compile_one(source, arguments), sources))

        compiler.compile = compile_all


class Sources(sdist):
    """A source distribution holds the C sources as they are now."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        wanted = shutil.ignore_patterns("*.am", "*.map", "*.lo", "*.o", ".libs", ".deps", ".dirstamp")
        for name in ("include", "lib"):
            shutil.copytree(SOURCES / name, pathlib.Path(base_dir) / "csrc" / name, ignore=wanted, dirs_exist_ok=True)


setup(
    ext_modules=[Extension("librebalance._native", sources=[], py_limited_api=LIMITED,
                           define_macros=[("REBAL_NO_EXPORT", None)] + native.LIMITED_MACROS * LIMITED,
                           extra_compile_args=["-std=c11", "-O2", "-g0", "-w", "-fvisibility=hidden",
                                               "-ffp-contract=off"])],
    cmdclass={"build_ext": Build, "sdist": Sources},
    options={"bdist_wheel": {"py_limited_api": "cp39"}} if LIMITED else {},
)
