# SPDX-License-Identifier: MIT
# sh tests/valgrind.sh PROGRAM...: runs each under valgrind, VALGRIND_JOBS (1) at a time; any error or leak fails. The
# log is read too, since the exit code alone has missed leaks in others' projects.
command -v valgrind >/dev/null || exec sh "$top_srcdir/tests/skip.sh" "valgrind not found"

CK_FORK=no
CK_TIMEOUT_MULTIPLIER=50
export CK_FORK CK_TIMEOUT_MULTIPLIER

# shellcheck disable=SC2016 # expanded by the shell that xargs starts
printf '%s\n' "$@" | xargs -P "${VALGRIND_JOBS:-1}" -I PROGRAM sh -c '
  program=$1 log=$1.valgrind leaks=definite,indirect,possible
  ./libtool --mode=execute valgrind --quiet --error-exitcode=9 --log-file="$log" --leak-check=full \
    --show-leak-kinds=$leaks --errors-for-leak-kinds=$leaks "./$program" >"$program.output" 2>&1 && [ ! -s "$log" ] &&
    echo "valgrind $program" && exit
  echo "valgrind $program: failed"
  cat "$program.output" "$log"
  exit 1
' sh PROGRAM
