#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-reproducible.sh TARBALL FOLDER MADE: rebuilt packages have the same bytes as those in the folder MADE. Folder,
# time, time zone, language and umask of the build differ; a compiler cache would hide that.
set -euo pipefail

here=$(dirname "$0")
tarball=$(realpath "$1")
folder=$2
made=$(realpath "$3")

mkdir -p "$folder/locales"
localedef -i tr_TR -f UTF-8 "$folder/locales/tr_TR.UTF-8"
PATH=$(sed 's|[^:]*/ccache[^:]*:||g' <<<"$PATH")
export CCACHE_DISABLE=1 TZ=Pacific/Kiritimati LOCPATH=$folder/locales LC_ALL=tr_TR.UTF-8 DEB_BUILD_OPTIONS=nocheck
umask 027
"$here/../../packaging/build-debian.sh" "$tarball" "$folder/in-another-place" -b

compared=0
for package in "$folder"/in-another-place/*.deb; do
  cmp "$package" "$made/${package##*/}"
  compared=$((compared + 1))
done
[ "$compared" = "$(find "$made" -maxdepth 1 -name '*.deb' | wc -l)" ] && [ "$compared" -gt 8 ]
echo "$compared packages have the same bytes"
