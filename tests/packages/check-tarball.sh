#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-tarball.sh TARBALL FOLDER: the archive of make dist builds and installs without autotools, in the new folder;
# programs of users find it by pkg-config and CMake, shared and static
set -euo pipefail

here=$(realpath "$(dirname "$0")")
tarball=$(realpath "$1")
mkdir "$2"
cd "$2"
prefix=$PWD/prefix
# ccache looks for compilers in PATH, after its own directory.
cache=$(grep -o '[^:]*/ccache:' <<<"$PATH" | head -n 1) || :

# Programs of PATH without autotools, so that a call of one fails.
hide_autotools() {
  local -x IFS=:
  local folder
  mkdir programs
  for folder in ${PATH//"$cache"/}; do
    find "$folder" -maxdepth 1 ! -type d -print0 2>/dev/null
  done | grep -zvE '/(aclocal|auto(conf|header|make|m4te|reconf|scan|update)|ifnames|libtool|m4)[^/]*$' |
    xargs -0 ln -s --target-directory=programs 2>/dev/null || : # the first of a name stays
}

build() {
  local -x PATH=$cache$PWD/programs
  ! command -v autoconf automake aclocal autoreconf libtoolize m4 || return 1
  tar xf "$tarball"
  mkdir "$(basename "$tarball" .tar.xz)/build"
  cd "$(basename "$tarball" .tar.xz)/build"
  ../configure --quiet --enable-werror --prefix="$prefix" # as .ci/run: a cache then has what is compiled
  make --quiet -j"$(nproc)"
  make --quiet install
}

# A program without any shared library.
link_static() {
  local -x PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  # shellcheck disable=SC2046
  cc -static "$here/cmake/core.c" -o static-core $(pkg-config --static --cflags --libs librebalance)
  # shellcheck disable=SC2046
  cc -static "$here/cmake/program.c" -o static-program $(pkg-config --static --cflags --libs librebalance-simulation)
  ./static-core
  ./static-program
}

# use_cmake PREFIX SUFFIX NEEDED: the project builds with what is installed there; as many of our libraries are loaded
use_cmake() {
  local folder needed program
  folder=$(mktemp -d cmake-XXXXXX)
  cmake -S "$here/cmake" -B "$folder" -DCMAKE_PREFIX_PATH="$1" -DSUFFIX="$2" >"$folder.log"
  cmake --build "$folder" >>"$folder.log" || { cat "$folder.log"; return 1; }
  for program in core program; do
    "$folder/$program"
  done
  needed=$(readelf -dW "$folder/program" | grep -c 'NEEDED.*librebalance' || :)
  [ "$needed" = "$3" ] || { echo "$needed libraries are loaded, expected $3"; return 1; }
}

hide_autotools
(build)
link_static
use_cmake "$prefix" "" 3
use_cmake "$prefix" _static 0
mv prefix moved
use_cmake "$PWD/moved" "" 3
rm moved/lib/*.so*
use_cmake "$PWD/moved" "" 0
use_cmake "$PWD/moved" _static 0
echo "the archive builds without autotools, and is found by pkg-config and CMake"
