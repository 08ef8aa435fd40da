#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-installed.sh FOLDER: packaging/debian/tests pass with the packages of packaging/build-debian.sh installed, in a
# fresh root with the apt sources of this machine. Root only.
set -euo pipefail

packages=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

list_sources() { find /etc/apt/sources.list /etc/apt/sources.list.d -name '*.list' -o -name '*.sources'; }

# The tests need neither archive nor build: they use what is installed.
make_tree() {
  mkdir "$work/tree"
  tar xf "$packages"/*.debian.tar.xz -C "$work/tree"
}

make_root() {
  local codename sources
  codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
  mapfile -t sources < <(list_sources 2>/dev/null)
  mmdebstrap --quiet --mode=root --variant=apt --dpkgopt=force-unsafe-io --skip=cleanup/apt \
    --aptopt='Acquire::Languages "none"' "$codename" "$work/root" "${sources[@]}"
  cp -L /etc/resolv.conf /etc/hosts "$work/root/etc"
  for configured in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do
    [ ! -e "$configured" ] || cp "$configured" "$work/root${configured%/*}"
  done
}

# The distribution's Go comes as a package where it is new enough.
bring_go() {
  local candidate
  candidate=$(apt-cache policy golang-any | sed -n 's/^ *Candidate: //p')
  dpkg --compare-versions "${candidate:-0}" ge 2:1.24~ || cp -r "$(go env GOROOT)" "$work/root/usr/local/go"
}

# The mounts are private to these tests and end with them.
run_tests() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --mount-proc="$work/root/proc" sh -eu -c '
    mount --rbind /dev "$1/root/dev"
    exec autopkgtest --no-built-binaries --output-dir "$1/log" "$2"/*.deb "$1/tree" -- chroot "$1/root"
  ' sh "$work" "$packages"
}

make_tree
make_root
bring_go
run_tests
tests=$(sed -n 's/^Tests: //p' "$work/tree/debian/tests/control" | wc -l)
[ "$(grep -c ' PASS$' "$work/log/summary")" = "$tests" ] || { echo "fewer than $tests tests passed"; exit 1; }
