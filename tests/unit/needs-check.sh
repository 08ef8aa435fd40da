# SPDX-License-Identifier: MIT
# Stands for the unit tests where Check was not found.
exec sh "$top_srcdir/tests/skip.sh" "unit tests need Check >= 0.15"
