# SPDX-License-Identifier: MIT
# Replaces the recorded cases if liblzma was not found.
exec sh "$top_srcdir/tests/skip.sh" "recorded cases need liblzma >= 5.2"
