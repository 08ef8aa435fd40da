# SPDX-License-Identifier: MIT
# REBAL_LINKER_FLAGS: symbol maps where the linker knows them. Two of the flags are refused by sanitizer builds
# (-z defs) or by some linkers, hence the trials.
AC_DEFUN([REBAL_LDFLAG], [
  AC_MSG_CHECKING([whether the linker takes $2])
  rebal_saved_ldflags=$LDFLAGS
  rebal_saved_libs=$LIBS
  LDFLAGS="$LDFLAGS -shared -fPIC $2"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[int rebal_probe(char *text);
    int rebal_probe(char *text) { return text[0] / text[1]; }]])],
    [AC_MSG_RESULT([yes]); AS_VAR_APPEND([$1], [" $2"]); $3=yes], [AC_MSG_RESULT([no]); $3=no])
  LDFLAGS=$rebal_saved_ldflags
  LIBS=$rebal_saved_libs
])

AC_DEFUN([REBAL_LINKER_FLAGS], [
  REBAL_LDFLAGS=
  printf '%s\n' 'REBAL_PROBE_0 { global: rebal_probe; local: *; };' >conftest.map
  rebal_ignored=
  REBAL_LDFLAG([rebal_ignored], [-Wl,--version-script=conftest.map], [rebal_have_version_script])
  REBAL_LDFLAG([REBAL_LDFLAGS], [-Wl,-z,defs], [rebal_have_z_defs])
  REBAL_LDFLAG([REBAL_LDFLAGS], [-Wl,--no-undefined-version], [rebal_have_no_undefined_version])
  rm -f conftest.map
  # The linker for Windows takes a map and exports everything none the less.
  AS_CASE([$host_os], [mingw* | cygwin*], [rebal_have_version_script=no])
  AC_SUBST([REBAL_LDFLAGS])
  AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test "x$rebal_have_version_script" = xyes])
])
