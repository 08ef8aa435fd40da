#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-lintian.sh FOLDER: lintian has nothing to say about the packages that packaging/build-debian.sh made
set -euo pipefail

told=$(lintian --allow-root --pedantic --display-info "$1"/*_*.changes)
printf '%s' "$told"
[ -z "$told" ]
