/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) UNIT(quirks)

UNIT_MAIN("workloadspread", UNIT_CASES)
