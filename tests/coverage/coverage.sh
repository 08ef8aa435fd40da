# SPDX-License-Identifier: MIT
# sh tests/coverage/coverage.sh [--write]: builds the core twice for gcov, runs its tests, and compares with the list.
#
# coverage/plain is the core as it is. In coverage/alone each block of an arena is a chunk of its own, so that each can
# fail: there laws and recorded cases run while calls are tried without memory (tests/memory/scarce.c), and unit tests,
# some of which make each request fail.
rooms="foundation record fleet estimator scheduler rebalancer descheduler failover workloadspread plan"
fuzzed="columns divide mark plan quantity saved selector spread"
units=
for room in $rooms; do units="$units tests/unit/unit-$room"; done
replays=
for name in $fuzzed; do replays="$replays tests/fuzz/replay-$name"; done
checks="tests/abi/check-null tests/edges/edges tests/waves/waves"
export CK_FORK=no CK_DEFAULT_TIMEOUT=600
# Objects contain the folder to which they write counts, so ccache must not reuse one of another folder.
unset CCACHE_BASEDIR CCACHE_NOHASHDIR

fail() {
  echo "$*"
  exit 1
}

# build FOLDER CPPFLAGS TARGET...
build() {
  folder=$1
  flags=$2
  shift 2
  mkdir -p "coverage/$folder" && find "coverage/$folder" -name '*.gcda' -delete || exit 1
  # Several threads of a test count: without atomic additions gcov loses counts, or has them below 0.
  [ -f "coverage/$folder/Makefile" ] ||
    (cd "coverage/$folder" && "$top_srcdir/configure" --quiet --disable-static CC="$CC" CPPFLAGS="$flags" \
      CFLAGS='-O0 --coverage -fprofile-update=atomic') || exit 1
  # Other tiers report warnings at other levels of optimization.
  $MAKE --quiet -C "coverage/$folder" -j2 "$@" >"coverage/$folder.log" 2>&1 ||
    { tail -n 40 "coverage/$folder.log"; fail "coverage/$folder cannot be built"; }
}

# try NAME COMMAND...: prints how long the command took, and its output if it fails
try() {
  name=$1
  shift
  begun=$(date +%s)
  "$@" >"coverage/$name.log" 2>&1 || { tail -n 40 "coverage/$name.log"; fail "$name failed"; }
  echo "$name: $(($(date +%s) - begun)) s"
}

run_plain() {
  cd coverage/plain || exit 1
  top_builddir=$PWD
  export top_builddir
  mkdir -p coverage
  for program in $units $checks; do try "$(basename "$program")" "$program"; done
  for name in $fuzzed; do try "fuzz-$name" "tests/fuzz/replay-$name" "$top_srcdir/tests/fuzz/corpus/$name"; done
  LAWS_CASES=500 try laws tests/laws/laws
  # One branch needs malloc() to fail; any task that calls rebali_reserve_malloc() takes it, and this one is short.
  try memory tests/memory/memory watch
}

# scarce NAME PROGRAM ARGUMENT...: runs the binary of libtool's script, since the script must not run out of memory
scarce() {
  name=$1
  program=$(dirname "$2")/.libs/$(basename "$2")
  shift 2
  LD_LIBRARY_PATH=$PWD/.libs LD_PRELOAD=$PWD/tests/memory/.libs/scarce.so SCARCE_REPORT=$PWD/coverage/$name.report \
    try "$name" "$program" "$@"
}

run_alone() {
  cd coverage/alone || exit 1
  top_builddir=$PWD
  export top_builddir
  mkdir -p coverage && rm -f coverage/*.report
  vectors=$top_srcdir/tests/vectors
  LAWS_CASES=1000 scarce scarce-laws tests/laws/laws
  scarce scarce-conformance tests/conformance/conformance --rules "$vectors/rules.txt" "$vectors"
  scarce scarce-columns tests/fuzz/replay-columns "$top_srcdir/tests/fuzz/corpus/columns"
  HISTORIES_CASES=30 scarce scarce-histories tests/histories/histories
  scarce scarce-simulation tests/unit/unit-simulation
  # Tests with failing allocators are left out: their allocator would also fail in the repeated call.
  CK_EXCLUDE_TAGS=allocator scarce scarce-manifest tests/unit/unit-manifest
  for program in $units; do try "$(basename "$program")-alone" "$program"; done
  # A name that is no longer exported would never be tried; so would a call that never runs out of memory.
  for call in $(sed -n 's/^SCARCE[A-Z_]*(\([a-z0-9_]*\),.*/\1/p' "$top_srcdir/tests/memory/scarce_calls.def"); do
    awk -v call="$call" '$1 == call { n += $2 } END { exit n == 0 }' coverage/*.report ||
      fail "$call never ran out of memory"
  done
}

# shellcheck disable=SC2086
build plain "" $units $checks $replays tests/laws/laws tests/memory/memory
build alone -DREBALI_BLOCKS_ALONE=1 tests/laws/laws tests/conformance/conformance tests/fuzz/replay-columns \
  tests/histories/histories tests/unit/unit-simulation tests/unit/unit-manifest $units tests/memory/scarce.la
(run_plain) &
plain=$!
(run_alone)
alone=$?
wait $plain && [ $alone = 0 ] || fail "a test failed"
$PYTHON "$top_srcdir/tests/coverage/check-coverage.py" "$@" coverage/plain coverage/alone
