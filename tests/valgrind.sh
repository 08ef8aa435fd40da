# SPDX-License-Identifier: MIT
# sh tests/valgrind.sh PROGRAM...: runs each under valgrind; any error or leak fails. The log is read too, since the
# exit code alone has missed leaks in others' projects.
command -v valgrind >/dev/null || exec sh "$top_srcdir/tests/skip.sh" "valgrind not found"

CK_FORK=no
CK_TIMEOUT_MULTIPLIER=50
export CK_FORK CK_TIMEOUT_MULTIPLIER
leaks=definite,indirect,possible
failed=0
for program in "$@"; do
  log=$program.valgrind
  echo "valgrind $program"
  ./libtool --mode=execute valgrind --quiet --error-exitcode=9 --log-file="$log" --leak-check=full \
    --show-leak-kinds=$leaks --errors-for-leak-kinds=$leaks "./$program" >"$program.output" 2>&1
  if [ $? -ne 0 ] || [ -s "$log" ]; then
    cat "$program.output" "$log"
    failed=1
  fi
done
exit $failed
