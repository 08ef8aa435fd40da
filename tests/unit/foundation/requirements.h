/* SPDX-License-Identifier: MIT */
/* Requirements of selectors as a user writes them. */
#ifndef UNIT_REQUIREMENTS_H
#define UNIT_REQUIREMENTS_H

#include "foundation/foundation.h"

#define MOST_VALUES 2

/* A requirement as a user writes it; values end at the first NULL. */
struct written {
  const char *key;
  const char *operation;
  const char *values[MOST_VALUES];
};

static inline struct rebali_text text_of(const char *text) {
  return rebali_text(text, text == NULL ? 0 : strlen(text));
}

static inline struct rebali_requirement requirement_of(const struct written *written, struct rebali_text *values) {
  struct rebali_requirement requirement = {text_of(written->key), rebali_operator_parse(text_of(written->operation)),
                                           values, 0, NULL};

  while (requirement.n_values < MOST_VALUES && written->values[requirement.n_values] != NULL) {
    values[requirement.n_values] = text_of(written->values[requirement.n_values]);
    requirement.n_values++;
  }
  return requirement;
}

#endif
