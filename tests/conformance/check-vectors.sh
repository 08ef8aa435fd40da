# SPDX-License-Identifier: MIT
# Every recorded case, with each size of the cache: all pass, and the answers are equal to the byte.
answers=tests/conformance/answers
for cache in none one unlimited; do
  echo "cache $cache"
  tests/conformance/conformance --cache "$cache" --rules "$top_srcdir/tests/vectors/rules.txt" \
    --answers "$answers.$cache" "$top_srcdir/tests/vectors" || exit 1
  cmp "$answers.none" "$answers.$cache" || exit 1
done
rm -f "$answers".*
