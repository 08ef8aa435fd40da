/* SPDX-License-Identifier: MIT */
/* The findings of a check: a list that grows, is sorted once, and is read. */
#include "manifest/validate/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct code {
  uint32_t number, severity;
} codes[] = {
#define REBAL_FINDING(name, number, severity, text, meaning) {number, REBAL_SEVERITY_##severity},
#include <rebalance/findings.def>
#undef REBAL_FINDING
};

struct finding {
  const struct code *code;
  struct rebali_location at;
  char *path; /* of location as well; one block with the texts below */
  const char *message;
  const char *value; /* as JSON */
  uint32_t cause;
  size_t order; /* in which it was found */
};

struct rebal_findings {
  struct finding *items;
  size_t n, capacity;
  size_t n_errors;
};

rebal_findings *rebali_findings_new(void) {
  return calloc(1, sizeof(rebal_findings));
}

void rebal_findings_free(rebal_findings *findings) {
  if (findings == NULL) {
    return;
  }
  for (size_t i = 0; i < findings->n; i++) {
    free(findings->items[i].path);
  }
  free(findings->items);
  free(findings);
}

/* ---- adding ---- */

static struct finding *append(rebal_findings *findings) {
  return rebali_reserve(NULL, &findings->items, &findings->capacity, findings->n + 1, sizeof *findings->items) ==
                 REBAL_OK
             ? &findings->items[findings->n]
             : NULL;
}

static const struct code *code_of(uint32_t number) {
  size_t i = 0;
  while (codes[i].number != number) {
    i++;
  }
  return &codes[i];
}

/* The parts of a finding, terminated texts. */
struct draft {
  uint32_t code, cause;
  const char *message, *value;
};

static void add(struct rebali_check *check, const struct draft *draft, const struct rebali_path *path) {
  const struct code *code = code_of(draft->code);
  const size_t path_size = rebali_path_print(path, NULL, 0) + 1, message_size = strlen(draft->message) + 1;
  const size_t value_size = strlen(draft->value) + 1;
  struct finding *finding = check->result == REBAL_OK ? append(check->findings) : NULL;
  char *block = finding != NULL ? malloc(path_size + message_size + value_size) : NULL;
  char *message, *value;
  if (block == NULL) {
    check->result = REBAL_ENOMEM;
    return;
  }
  message = block + path_size;
  value = message + message_size;
  (void)rebali_path_print(path, block, path_size);
  memcpy(message, draft->message, message_size);
  memcpy(value, draft->value, value_size);
  *finding =
      (struct finding){code, {check->document, block, 0, 0}, block, message, value, draft->cause, check->findings->n};
  check->findings->n++;
  check->findings->n_errors += code->severity == REBAL_SEVERITY_ERROR;
}

void rebali_find(struct rebali_check *check, uint32_t code, const struct rebali_path *path, const char *format, ...) {
  char message[400]; /* longer texts of the input are truncated */
  const struct draft draft = {code, REBAL_CAUSE_NONE, message, ""};
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  message[rebali_utf8_check(message, strlen(message))] = '\0';
  add(check, &draft, path);
}

/* Returns the whole text, from malloc. */
static char *print_message(const char *format, va_list arguments) {
  va_list again;
  int len;
  char *message;
  va_copy(again, arguments);
  len = vsnprintf(NULL, 0, format, again);
  va_end(again);
  message = len >= 0 ? malloc((size_t)len + 1) : NULL;
  if (message != NULL) {
    (void)vsnprintf(message, (size_t)len + 1, format, arguments);
  }
  return message;
}

void rebali_fault(struct rebali_check *check, uint32_t code, uint32_t cause, const json_t *value,
                  const struct rebali_path *path, const char *format, ...) {
  struct rebali_buffer text = REBALI_BUFFER;
  va_list arguments;
  char *message;
  va_start(arguments, format);
  message = print_message(format, arguments);
  va_end(arguments);
  rebali_buffer_text(&text, "");
  if (message == NULL || (value != NULL && rebali_json_write(value, 0, &text) != REBAL_OK) || text.failed) {
    check->result = REBAL_ENOMEM;
  } else {
    const struct draft draft = {code, cause, message, text.bytes != NULL ? text.bytes : ""};
    add(check, &draft, path);
  }
  free(message);
  rebali_buffer_dispose(&text);
}

/* ---- order ---- */

static int compare(const void *left, const void *right) {
  const struct finding *a = left, *b = right;
  if (a->at.document != b->at.document) {
    return a->at.document < b->at.document ? -1 : 1;
  }
  if (a->at.line != b->at.line) {
    return a->at.line < b->at.line ? -1 : 1;
  }
  if (a->at.column != b->at.column) {
    return a->at.column < b->at.column ? -1 : 1;
  }
  return a->order < b->order ? -1 : a->order > b->order;
}

int32_t rebali_findings_locate(rebal_findings *findings, const char *text, size_t len) {
  struct rebali_location *places;
  int32_t result;
  if (findings->n == 0) {
    return REBAL_OK;
  }
  places = malloc(findings->n * sizeof *places);
  if (places == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < findings->n; i++) {
    places[i] = findings->items[i].at;
  }
  result = rebali_locate_all(text, len, places, findings->n);
  for (size_t i = 0; i < findings->n; i++) {
    findings->items[i].at = places[i];
  }
  free(places);
  return result;
}

void rebali_findings_sort(rebal_findings *findings) {
  if (findings->n > 0) {
    qsort(findings->items, findings->n, sizeof *findings->items, compare); /* no two are equal */
  }
}

/* ---- reading ---- */

size_t rebal_findings_count(const rebal_findings *findings, uint32_t severity) {
  if (findings == NULL || severity > REBAL_SEVERITY_WARNING) {
    return 0;
  }
  return severity == 0                      ? findings->n
         : severity == REBAL_SEVERITY_ERROR ? findings->n_errors
                                            : findings->n - findings->n_errors;
}

int32_t rebal_findings_read(const rebal_findings *findings, size_t i, rebal_finding_row *out, rebal_error *err) {
  const struct finding *finding;
  rebal_finding_row row;
  int32_t code;
  if (findings == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "findings and out are needed");
  }
  code = rebali_structure_check(out, sizeof *out, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (i >= findings->n) {
    return rebali_fail(err, REBAL_ERANGE, -1, "there are %zu findings, no finding %zu", findings->n, i);
  }
  finding = &findings->items[i];
  row = (rebal_finding_row){.code = finding->code->number,
                            .severity = finding->code->severity,
                            .cause = finding->cause,
                            .document = (uint32_t)finding->at.document,
                            .line = finding->at.line,
                            .column = finding->at.column,
                            .path = finding->path,
                            .path_len = strlen(finding->path),
                            .message = finding->message,
                            .message_len = strlen(finding->message),
                            .value = finding->value,
                            .value_len = strlen(finding->value)};
  rebali_structure_fill(out, &row, sizeof row);
  return REBAL_OK;
}
