# SPDX-License-Identifier: MIT
# Runs every fuzz target over its corpus, which includes past crashes, without a fuzzer.
failed=0
count=0
for program in $FUZZ_PROGRAMS; do
  name=${program#tests/fuzz/replay-}
  echo "$name"
  "$top_builddir/$program" "$top_srcdir/tests/fuzz/corpus/$name" || failed=1
  count=$((count + 1))
done
echo "$count targets"
[ $failed = 0 ] && [ $count -gt 0 ]
