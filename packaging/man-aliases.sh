# SPDX-License-Identifier: MIT
# sh man-aliases.sh install|uninstall FOLDER PAGE...: a page of section 3 is found under each name of its NAME section.
set -e
action=$1
folder=$2
shift 2
for page in "$@"; do
  file=${page##*/}
  for name in $(sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([A-Za-z0-9_]*\).*/\1/p' "$page"); do
    alias=$folder/$name.3
    [ "$name.3" != "$file" ] || continue
    case $action in
      install) printf '.so man3/%s\n' "$file" >"$alias" ;;
      uninstall) rm -f "$alias" ;;
    esac
  done
done
