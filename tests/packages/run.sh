#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh TARBALL FOLDER [STEP...]: the steps of README.md in the folder, all of them where none is named
set -euo pipefail

here=$(realpath "$(dirname "$0")")
tarball=$(realpath "$1")
folder=$(realpath "$2")
shift 2

# The flags of the calling make are not for those that the steps run.
unset MAKEFLAGS MFLAGS MAKELEVEL

# The steps from lintian to reproducible need the output of debian.
step_tarball() { "$here/check-tarball.sh" "$tarball" "$folder/tarball"; }
step_debian() { "$here/../../packaging/build-debian.sh" "$tarball" "$folder/debian"; }
step_lintian() { "$here/check-lintian.sh" "$folder/debian"; }
step_installed() { "$here/check-installed.sh" "$folder/debian"; }
step_reproducible() { "$here/check-reproducible.sh" "$tarball" "$folder/again" "$folder/debian"; }
step_rpm() { "$here/check-rpm.sh" "$tarball" "$folder/rpm"; }

failed=0
for step in ${*:-tarball debian lintian installed reproducible rpm}; do
  start=$SECONDS
  if "step_$step" >"$folder/$step.log" 2>&1; then
    printf 'passed: %s, %d s\n' "$step" "$((SECONDS - start))"
  else
    tail -n 60 "$folder/$step.log"
    printf 'failed: %s, %d s\n' "$step" "$((SECONDS - start))"
    failed=1
  fi
done
exit "$failed"
