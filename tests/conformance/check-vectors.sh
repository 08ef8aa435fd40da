# SPDX-License-Identifier: MIT
# Runs every recorded case with each size of the cache. The numbers below pass, fail and differ by a rule, so that no
# rule hides a new fault, and the answers are equal to the byte. Answers that differ by a rule are those of by-rule.txt:
# after an intended change, copy tests/conformance/answers.by-rule of the build to it.
expected="18520 passed, 0 failed, 14 by rule, 0 skipped"
answers=tests/conformance/answers
for cache in none one unlimited; do
  echo "cache $cache"
  tests/conformance/conformance --cache "$cache" --rules "$top_srcdir/tests/vectors/rules.txt" \
    --answers "$answers.$cache" --by-rule "$answers.by-rule" \
    "$top_srcdir/tests/vectors" >"$answers.log" || { cat "$answers.log"; exit 1; }
  cat "$answers.log"
  if [ "$(tail -n 1 "$answers.log")" != "$expected" ]; then
    echo "expected: $expected"
    exit 1
  fi
  diff "$top_srcdir/tests/vectors/by-rule.txt" "$answers.by-rule" || exit 1
  cmp "$answers.none" "$answers.$cache" || exit 1
done
rm -f "$answers".*
