/* SPDX-License-Identifier: MIT */
/* What the library owns to beside what the checker found: one warning for each breach, and none without. */
#include "histories.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names end with a space, a colon or the text. */
static int is_one_cluster(const char *left, const char *right) {
  const size_t len = strcspn(left, " :");
  return len == strcspn(right, " :") && strncmp(left, right, len) == 0;
}

static int owns_to(const struct fact *fact, const struct breach *breach) {
  const size_t len = strlen(breach->cause);
  return fact->kind == FACT_WARNING && fact->second == breach->second && strcmp(fact->binding, breach->binding) == 0 &&
         strncmp(fact->text, breach->cause, len) == 0 && fact->text[len] == ':' &&
         is_one_cluster(fact->lost_by, breach->cluster);
}

static int is_same(const struct breach *left, const struct breach *right) {
  return left->second == right->second && strcmp(left->binding, right->binding) == 0 &&
         strcmp(left->cause, right->cause) == 0 && is_one_cluster(left->cluster, right->cluster);
}

static size_t count_breaches(const struct breaches *breaches, const struct breach *breach) {
  size_t n = 0;
  for (size_t i = 0; i < breaches->n; i++) {
    n += (size_t)is_same(&breaches->list[i], breach);
  }
  return n;
}

static void say(struct fault *fault, const char *what, int64_t second, const char *binding, const char *row, size_t n) {
  (void)snprintf(fault->kind, sizeof fault->kind, "%s, %.*s", what, (int)strcspn(row, ":"), row);
  (void)snprintf(fault->text, sizeof fault->text, "%s at second %" PRId64 ": %s, %zu times: %s", binding, second, row,
                 n, what);
}

void check_warnings(const struct facts *facts, const struct breaches *breaches, struct fault *fault) {
  for (size_t i = 0; i < breaches->n; i++) {
    const struct breach *breach = &breaches->list[i];
    const size_t wanted = count_breaches(breaches, breach);
    size_t found = 0;
    for (size_t j = 0; j < facts->n; j++) {
      found += (size_t)owns_to(&facts->list[j], breach);
    }
    if (found != wanted) {
      say(fault, "breaches, and another number of warnings", breach->second, breach->binding, breach->cause, wanted);
      return;
    }
  }
  for (size_t j = 0; j < facts->n; j++) {
    const struct fact *fact = &facts->list[j];
    size_t i = 0;
    while (fact->kind == FACT_WARNING && i < breaches->n && !owns_to(fact, &breaches->list[i])) {
      i++;
    }
    if (i == breaches->n && fact->kind == FACT_WARNING) {
      say(fault, "a warning without a breach", fact->second, fact->binding, fact->text, 1);
      return;
    }
  }
}
