#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-lintian.sh FOLDER: lintian reports nothing for the packages that packaging/build-debian.sh made
set -euo pipefail

reported=$(lintian --allow-root --pedantic --display-info "$1"/*_*.changes)
printf '%s' "$reported"
[ -z "$reported" ]
