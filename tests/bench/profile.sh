#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/bench/profile.sh BENCH-SCHEDULE [ROW...]: the functions that take the instructions of a row, by callgrind, with
# and without what they call, of all counted calls together. Without rows: one of each way, warm, at 5,000 clusters.
# make profile ROWS='...' runs it.
command -v valgrind >/dev/null || exec sh "${top_srcdir:-.}/tests/skip.sh" "valgrind not found"
program=$1
shift
[ $# -gt 0 ] || set -- 'duplicated/5000/fresh/warm-1' 'static-100/5000/first/warm-1' 'dynamic-100/5000/first/warm-1' \
  'dynamic-10000/5000/fresh/warm-1' 'aggregated-100/5000/first/warm-1'
execute=
[ ! -x ./libtool ] || execute="./libtool --mode=execute"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for row in "$@"; do
  rm -f "$folder"/*
  $execute valgrind --tool=callgrind --quiet --callgrind-out-file="$folder/counts" \
    --toggle-collect=bench_counted_run --dump-after=bench_counted_row "$program" --count "$row" || exit 1
  for inclusive in no yes; do
    echo "-- $row, $([ $inclusive = yes ] && echo with || echo without) what is called"
    callgrind_annotate --threshold=100 --auto=no --inclusive=$inclusive "$folder/counts.1" |
      sed -n 's|^ *\([0-9,]*\) *(\([^)]*\)) *\([^ ]*/\)*\([^ :]*:[A-Za-z_][^ ]*\).*|\2 \1 \4|p' |
      grep -vE ':(__libc_start|main$|bench_counted|bench_measure|count_row)' | awk '!seen[$3]++' | head -n "${TOP:-16}"
  done
done
