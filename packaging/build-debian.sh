#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packaging/build-debian.sh TARBALL FOLDER [OPTION]...: Debian packages, from the archive of make dist, in a new folder;
# options are for dpkg-buildpackage: -b leaves the source package out
set -euo pipefail

tarball=$(realpath "$1")
folder=$2
shift 2
name=$(basename "$tarball" .tar.xz)

mkdir "$folder"
cd "$folder"
cp "$tarball" "${name/-/_}.orig.tar.xz"
tar xf "$tarball"
cp -r "$name/packaging/debian" "$name/debian"
cd "$name"
exec dpkg-buildpackage --no-sign "$@"
