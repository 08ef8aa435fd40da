# SPDX-License-Identifier: MIT
# Stands for the scripts among the tests where no Python was found.
exec sh "$top_srcdir/tests/skip.sh" "test scripts need Python >= 3.9"
