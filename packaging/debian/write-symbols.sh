# SPDX-License-Identifier: MIT
# sh write-symbols.sh MAP LIBRARY: the symbols file of a library, from its map.
set -eu
export LC_ALL=C
cat <<END
$2.so.0 ${2}0 #MINVER#
* Build-Depends-Package: librebalance-dev
END
awk '
  /^LIBREBALANCE[A-Z_0-9.]* \{/ { node = $1; version = node; sub(/.*_/, "", version); print " " node "@" node " " version }
  /^ +rebal_[a-z0-9_]+;$/ { sub(/;/, "", $1); print " " $1 "@" node " " version }
' "$1"
