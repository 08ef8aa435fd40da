/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX 64
#define WORD "%63s"

struct rule {
  char kind[64];
  char tag[64];
  char member[64];
};

struct rules {
  struct rule items[RULES_MAX];
  size_t n;
};

struct rules *rules_load(const char *path) {
  struct rules *rules = calloc(1, sizeof *rules);
  FILE *file = fopen(path, "r");
  char line[512];
  int malformed = 0;

  while (rules != NULL && file != NULL && fgets(line, sizeof line, file) != NULL) {
    struct rule *rule = &rules->items[rules->n];

    if (line[0] == '#' || line[0] == '\n') {
      continue;
    }
    malformed |= rules->n + 1 == RULES_MAX || sscanf(line, WORD WORD WORD, rule->kind, rule->tag, rule->member) != 3;
    rules->n += malformed ? 0 : 1;
  }
  if (file == NULL || malformed) {
    (void)fprintf(stderr, "conformance: %s cannot be read\n", path);
    free(rules);
    rules = NULL;
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return rules;
}

int rules_allow(const struct rules *rules, const char *kind, const json_t *test, const json_t *outcome) {
  size_t i;

  for (i = 0; rules != NULL && i < rules->n; i++) {
    const struct rule *rule = &rules->items[i];

    if (strcmp(rule->kind, kind) == 0 && array_has(json_object_get(test, "tags"), rule->tag) &&
        (strcmp(rule->member, "*") == 0 || json_equal(json_object_get(test, rule->member), outcome))) {
      return 1;
    }
  }
  return 0;
}

void rules_free(struct rules *rules) {
  free(rules);
}
