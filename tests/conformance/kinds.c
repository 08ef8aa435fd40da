/* SPDX-License-Identifier: MIT */
#include "conformance.h"

#include "cases.h"

#include <string.h>

static const struct kind kinds[] = {
#define KIND(name, function, blur) {name, function, blur},
#include "kinds.def"
#undef KIND
};

const struct kind *kind_find(const char *name, size_t len) {
  size_t i;

  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strlen(kinds[i].name) == len && memcmp(kinds[i].name, name, len) == 0) {
      return &kinds[i];
    }
  }
  return NULL;
}
