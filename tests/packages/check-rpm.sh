#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-rpm.sh TARBALL FOLDER: RPM packages, made in the folder; rpmlint reports nothing, and programs compile and run
# with their files. On a machine without RPM packages, BuildRequires are not checked, and the packages are unpacked
# instead of installed.
set -euo pipefail

here=$(realpath "$(dirname "$0")")
tarball=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
version=$(basename "$tarball" .tar.xz)
version=${version#librebalance-}
unsatisfied=()
rpm --query rpm >/dev/null 2>&1 || unsatisfied=(--nodeps)

mkdir -p "$folder/SOURCES" "$folder/SPECS" "$folder/root"
cp "$tarball" "$folder/SOURCES"
tar xOf "$tarball" "librebalance-$version/packaging/librebalance.spec.in" |
  sed "s|@PACKAGE_VERSION@|$version|" >"$folder/SPECS/librebalance.spec"
rpmbuild --quiet --define "_topdir $folder" --define '_build_id_links none' "${unsatisfied[@]}" -ba \
  "$folder/SPECS/librebalance.spec"

mapfile -t packages < <(find "$folder/RPMS" "$folder/SRPMS" -name '*.rpm')
[ "${#packages[@]}" = 9 ] || { printf 'expected 9 packages: %s\n' "${packages[*]}"; exit 1; }
reported=$(rpmlint --config "$here/rpmlint.toml" "$folder/SPECS/librebalance.spec" "${packages[@]}") ||
  { printf '%s\n' "$reported"; exit 1; }
grep -q ' 0 errors, 0 warnings' <<<"$reported" || { printf '%s\n' "$reported"; exit 1; }

cd "$folder/root"
for package in "${packages[@]}"; do
  [[ $package == *.src.rpm ]] || rpm2cpio "$package" | cpio --quiet -idmu
done
libdir=$(rpm --eval %_libdir)
export LD_LIBRARY_PATH=$folder/root$libdir PKG_CONFIG_SYSROOT_DIR=$folder/root
PKG_CONFIG_PATH=$folder/root$libdir/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror "$here/cmake/program.c" -o program $(pkg-config --cflags --libs librebalance-simulation)
./program
usr/bin/rebalancectl simulate usr/share/doc/librebalance-doc/examples/scenarios/tutorial.yaml >/dev/null
PYTHONPATH=$(find "$PWD/usr" -type d -name site-packages) python3 -c 'import librebalance as r; print(r.__file__)'
