# SPDX-License-Identifier: MIT
# Every recorded case, with each size of the cache: the answers must not depend on it.
for cache in none one unlimited; do
  echo "cache $cache"
  tests/conformance/conformance --cache "$cache" --rules "$top_srcdir/tests/vectors/rules.txt" \
    "$top_srcdir/tests/vectors" || exit 1
done
