# SPDX-License-Identifier: MIT
# REBAL_WARNINGS: puts into REBAL_CFLAGS what every file of the tree is compiled with. Arithmetic must not depend on
# the machine, so products and sums are never fused, and doubles are kept in doubles: on 32-bit x86 that needs SSE.
AC_DEFUN([REBAL_CFLAG], [
  AS_VAR_PUSHDEF([known], [rebal_cv_cflag_$1])
  AC_CACHE_CHECK([whether $CC takes $1], [known],
    [rebal_saved_cflags=$CFLAGS
     CFLAGS="$CFLAGS -Werror $1"
     AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([known], [yes])], [AS_VAR_SET([known], [no])])
     CFLAGS=$rebal_saved_cflags])
  AS_VAR_IF([known], [yes], [AS_VAR_APPEND([REBAL_CFLAGS], [" $1"])], [$2])
  AS_VAR_POPDEF([known])
])

AC_DEFUN([REBAL_WARNINGS], [
  REBAL_CFLAGS=
  REBAL_CFLAG([-std=c11], [AC_MSG_ERROR([a C11 compiler is needed])])
  REBAL_CFLAG([-ffp-contract=off])
  AC_CACHE_CHECK([whether $CC evaluates double as double], [rebal_cv_plain_double],
    [AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include <float.h>
      typedef char plain_double[FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1 ? 1 : -1];]])],
      [rebal_cv_plain_double=yes], [rebal_cv_plain_double=no])])
  AS_IF([test "x$rebal_cv_plain_double" = xno],
    [REBAL_CFLAG([-msse2 -mfpmath=sse], [AC_MSG_ERROR([double arithmetic needs SSE2])])])
  # Windows has no visibility; what a DLL exports is in its list.
  AS_CASE([$host_os], [mingw* | cygwin*], [], [REBAL_CFLAG([-fvisibility=hidden])])
  m4_foreach_w([flag], [-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes
      -Wmissing-prototypes -Wcast-qual -Wwrite-strings -Wvla -Wundef], [REBAL_CFLAG(flag)])
  AS_IF([test "x$enable_werror" = xyes], [AS_VAR_APPEND([REBAL_CFLAGS], [" -Werror"])])
  AC_SUBST([REBAL_CFLAGS])
])
