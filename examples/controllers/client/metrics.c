/* SPDX-License-Identifier: MIT */
/* Numbers in Prometheus's text format. */
#include "serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABELS 2

struct series {
  const struct family *family;
  char values[LABELS][128];
  double value;
  struct series *next;
};

static double no_memory;

/* The number, which is made where it is new. */
static double *find(struct metrics *metrics, const struct family *family, const char *first, const char *second) {
  const char *const values[LABELS] = {first != NULL ? first : "", second != NULL ? second : ""};
  struct series **at = &metrics->first;
  while (*at != NULL && ((*at)->family != family || strncmp((*at)->values[0], values[0], sizeof(*at)->values[0] - 1) ||
                         strncmp((*at)->values[1], values[1], sizeof(*at)->values[1] - 1))) {
    at = &(*at)->next;
  }
  if (*at == NULL) {
    *at = calloc(1, sizeof **at);
    if (*at == NULL) {
      return &no_memory;
    }
    (*at)->family = family;
    for (size_t i = 0; i < LABELS; i++) {
      (void)snprintf((*at)->values[i], sizeof(*at)->values[i], "%s", values[i]);
    }
  }
  return &(*at)->value;
}

void metrics_add(struct metrics *metrics, const struct family *family, const char *first, const char *second,
                 double amount) {
  *find(metrics, family, first, second) += amount;
}

void metrics_set(struct metrics *metrics, const struct family *family, const char *first, const char *second,
                 double value) {
  *find(metrics, family, first, second) = value;
}

static int32_t append(rebal_text *out, const char *text) {
  return rebal_text_append(out, text, strlen(text), NULL);
}

static int32_t append_escaped(rebal_text *out, const char *value) {
  int32_t code = REBAL_OK;
  for (; *value != '\0' && code == REBAL_OK; value++) {
    const char one[] = {*value, '\0'};
    code = append(out, *value == '\n' ? "\\n" : *value == '"' ? "\\\"" : *value == '\\' ? "\\\\" : one);
  }
  return code;
}

static int32_t append_series(const struct series *series, rebal_text *out) {
  const struct family *family = series->family;
  char number[40];
  int32_t code = append(out, family->name);
  for (size_t i = 0; i < LABELS && family->labels[i] != NULL && code == REBAL_OK; i++) {
    code = append(out, i == 0 ? "{" : "\",");
    code = code == REBAL_OK ? append(out, family->labels[i]) : code;
    code = code == REBAL_OK ? append(out, "=\"") : code;
    code = code == REBAL_OK ? append_escaped(out, series->values[i]) : code;
  }
  (void)snprintf(number, sizeof number, "%s %.15g\n", family->labels[0] != NULL ? "\"}" : "", series->value);
  return code == REBAL_OK ? append(out, number) : code;
}

static int32_t append_family(const struct series *first, rebal_text *out) {
  const struct family *family = first->family;
  char lines[512];
  int32_t code;
  (void)snprintf(lines, sizeof lines, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name,
                 family->type);
  code = append(out, lines);
  for (const struct series *at = first; at != NULL && code == REBAL_OK; at = at->next) {
    code = at->family == family ? append_series(at, out) : code;
  }
  return code;
}

int32_t metrics_write(const struct metrics *metrics, rebal_text *out) {
  int32_t code = REBAL_OK;
  for (const struct series *at = metrics->first; at != NULL && code == REBAL_OK; at = at->next) {
    const struct series *before = metrics->first;
    while (before->family != at->family) {
      before = before->next;
    }
    code = before == at ? append_family(at, out) : code; /* with the others of its family */
  }
  return code;
}

void metrics_close(struct metrics *metrics) {
  while (metrics->first != NULL) {
    struct series *series = metrics->first;
    metrics->first = series->next;
    free(series);
  }
}
