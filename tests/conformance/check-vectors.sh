# SPDX-License-Identifier: MIT
# Every recorded case, with each size of the cache: as many as stand here pass, fail, and differ by a rule, so that no
# rule hides a new fault; and the answers are equal to the byte. What differs by a rule is answered as in by-rule.txt:
# after a change that is meant, copy tests/conformance/answers.by-rule of the build there.
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
