# SPDX-License-Identifier: MIT
# REBAL_TEST_TOOLS: what only `make check` needs. Nothing here stops a build; a test whose tool is absent says so.
AC_DEFUN([REBAL_TEST_TOOLS], [
  PKG_CHECK_MODULES([CHECK], [check >= 0.15], [rebal_have_check=yes],
    [rebal_have_check="no (Check >= 0.15 not found)"])
  AM_CONDITIONAL([HAVE_CHECK], [test "x$rebal_have_check" = xyes])
  PKG_CHECK_MODULES([LZMA], [liblzma >= 5.2], [rebal_have_lzma=yes], [rebal_have_lzma=no])
  AM_CONDITIONAL([HAVE_LZMA], [test "x$rebal_have_lzma" = xyes])
  # /usr/bin comes second: packages of the system (cffi) are only seen by the system's own interpreter.
  AC_CACHE_CHECK([for a python3, with cffi if there is one], [rebal_cv_python],
    [rebal_cv_python=:
     for rebal_python in "$PYTHON" python3 /usr/bin/python3; do
       AS_IF(["$rebal_python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1],
         [AS_IF([test "x$rebal_cv_python" = x:], [rebal_cv_python=$rebal_python])
          AS_IF(["$rebal_python" -c 'import cffi' 2>/dev/null], [rebal_cv_python=$rebal_python; break])])
     done])
  AC_SUBST([PYTHON], [$rebal_cv_python])
  AM_CONDITIONAL([HAVE_PYTHON], [test "x$rebal_cv_python" != x:])
  AC_CHECK_TOOL([READELF], [readelf], [readelf])
])
