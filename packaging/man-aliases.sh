# SPDX-License-Identifier: MIT
# sh man-aliases.sh install|uninstall MANDIR PAGE...: a page is found under each name of its NAME section.
set -e
export LC_ALL=C # A range of letters is not the same everywhere: Turkish has no i between a and z.
action=$1
folder=$2
shift 2
for page in "$@"; do
  file=${page##*/}
  section=${file##*.}
  for name in $(sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([A-Za-z0-9_-]*\).*/\1/p' "$page"); do
    alias=$folder/man$section/$name.$section
    [ "$name.$section" != "$file" ] || continue
    case $action in
      install) printf '.so man%s/%s\n' "$section" "$file" >"$alias" ;;
      uninstall) rm -f "$alias" ;;
    esac
  done
done
