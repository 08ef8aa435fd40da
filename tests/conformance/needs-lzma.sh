# SPDX-License-Identifier: MIT
# Stands for the recorded cases where liblzma was not found.
exec sh "$top_srcdir/tests/skip.sh" "recorded cases need liblzma >= 5.2"
