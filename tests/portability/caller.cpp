// SPDX-License-Identifier: MIT
// The headers in C++17, and the program beside this one, called from C++.
#include "tutorial.c"

static_assert(__cplusplus >= 201703L, "C++17 is meant");
