# SPDX-License-Identifier: MIT
# sh tests/fuzz/run.sh SECONDS: libFuzzer over each target, from its corpus; new inputs stay in the build folder.
failed=0
for program in $FUZZ_PROGRAMS; do
  name=${program#tests/fuzz/replay-}
  target=tests/fuzz/fuzz-$name
  dictionary=$top_srcdir/tests/fuzz/$name.dict
  mkdir -p "$target.found"
  # shellcheck disable=SC2086
  $CC -std=c11 $CFLAGS -fsanitize=fuzzer $CPPFLAGS "$top_srcdir/tests/fuzz/fuzz_$name.c" -o "$target" \
    .libs/librebalance-simulation.a .libs/librebalance-manifest.a .libs/librebalance.a $LIBS || exit 1
  echo "== $name, $1 s"
  if [ -f "$dictionary" ]; then set -- "$1" "-dict=$dictionary"; else set -- "$1"; fi
  "$target" -max_total_time="$1" -timeout=10 -rss_limit_mb=1024 -print_final_stats=0 -verbosity=0 ${2:+"$2"} \
    -artifact_prefix="$target." "$target.found" "$top_srcdir/tests/fuzz/corpus/$name" || failed=1
done
exit $failed
