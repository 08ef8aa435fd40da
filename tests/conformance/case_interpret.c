/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <rebalance/detector.h>
#include <rebalance/document.h>

#include <stdlib.h>
#include <string.h>

/* The time of a run, which the recorded answers call "now". */
static const rebal_time now = {1800000000, 0, 1};
static const char now_text[] = "2027-01-15T08:00:00Z";

static rebal_document *document_of(struct conformance *run, const json_t *value) {
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
  rebal_document *document = NULL;

  if (text == NULL || failed(run, rebal_document_read(text, strlen(text), NULL, &document, &run->err))) {
    document = NULL;
  }
  free(text);
  return document;
}

static json_t *json_of(struct conformance *run, const rebal_document *document) {
  rebal_text *text = NULL;
  json_t *value = NULL;
  size_t len;

  if (!failed(run, rebal_text_new(&text, &run->err)) &&
      !failed(run, rebal_document_write(document, REBAL_TEXT_FORMAT_JSON, text, &run->err))) {
    const char *bytes = rebal_text_bytes(text, &len);

    value = json_loadb(bytes, len, JSON_DECODE_ANY, NULL);
  }
  rebal_text_free(text);
  return value;
}

/* The answer of one operation, an error as the cases write it; NULL: nothing. */
static json_t *query(struct conformance *run, const rebal_document *object, uint32_t operation,
                     const rebal_interpret_opts *opts) {
  rebal_document *answer = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code = rebal_interpret(object, operation, opts, &answer, &err);
  json_t *value = NULL;

  if (code == REBAL_EPARSE || code == REBAL_ERANGE) {
    return json_pack("{s:{s:s}}", "error", "kind", "Error");
  }
  if (failed(run, code)) {
    run->err = err;
  } else if (answer != NULL) {
    value = json_of(run, answer);
  }
  rebal_document_free(answer);
  return value;
}

static uint32_t gates_of(const json_t *input) {
  return boolean_at(input, "featureGates.ResourceQuotaEstimate")
             ? UINT32_C(1) << REBAL_DETECTOR_GATE_RESOURCE_QUOTA_ESTIMATE
             : 0;
}

static int by_text(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static json_t *hooks_of(uint32_t operations) {
  const char *names[32];
  json_t *list = json_array();
  size_t n = 0;

  for (uint32_t i = 0; i < 32; i++) {
    if ((operations >> i & 1) != 0) {
      names[n++] = rebal_enum_name(REBAL_ENUM_INTERPRET, i, NULL);
    }
  }
  qsort(names, n, sizeof *names, by_text);
  for (size_t i = 0; i < n; i++) {
    json_array_append_new(list, json_string(names[i]));
  }
  return list;
}

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* A list in the order of its items' JSON texts. */
static void sort_list(json_t *list) {
  const size_t n = json_array_size(list);
  char **texts = calloc(n + 1, sizeof *texts);

  for (size_t i = 0; i < n; i++) {
    texts[i] = json_dumps(json_array_get(list, i), JSON_SORT_KEYS | JSON_COMPACT);
  }
  qsort(texts, n, sizeof *texts, compare_texts);
  for (size_t i = 0; i < n; i++) {
    json_array_set_new(list, i, json_loads(texts[i], 0, NULL));
    free(texts[i]);
  }
  free(texts);
}

static void put(json_t *outcome, const char *name, json_t *value) {
  if (value != NULL) {
    json_object_set_new(outcome, name, value);
  }
}

static void query_all(struct conformance *run, const rebal_document *object, uint32_t operations,
                      const rebal_interpret_opts *opts, const json_t *input, json_t *outcome) {
  static const struct {
    uint32_t operation;
    const char *name, *wanted; /* NULL: always */
  } questions[] = {{REBAL_INTERPRET_REPLICAS, "replicas", NULL},
                   {REBAL_INTERPRET_COMPONENTS, "components", NULL},
                   {REBAL_INTERPRET_HEALTH, "health", NULL},
                   {REBAL_INTERPRET_REVISE, "revised", "reviseTo"},
                   {REBAL_INTERPRET_STATUS, "status", "wantStatus"},
                   {REBAL_INTERPRET_DEPENDENCIES, "dependencies", "wantDependencies"}};

  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    json_t *value;

    if ((operations >> questions[i].operation & 1) == 0 ||
        (questions[i].wanted != NULL && json_object_get(input, questions[i].wanted) == NULL)) {
      continue;
    }
    value = query(run, object, questions[i].operation, opts);
    if (questions[i].operation == REBAL_INTERPRET_REVISE && json_object_get(value, "error") == NULL) {
      json_t *spec = json_incref(json_object_get(value, "spec"));

      json_decref(value);
      value = spec;
    }
    if (questions[i].operation == REBAL_INTERPRET_DEPENDENCIES) {
      sort_list(value);
    }
    put(outcome, questions[i].name, value);
  }
}

json_t *case_interpret(struct conformance *run, const json_t *input) {
  rebal_interpret_opts opts = {sizeof opts, 0, 0, 0, {0, 0, 0}, NULL, NULL, 0};
  rebal_document *object = document_of(run, json_object_get(input, "object"));
  const uint32_t operations = rebal_interpret_operations(object);
  json_t *outcome = json_pack("{s:o}", "hooks", hooks_of(operations));

  opts.gates = gates_of(input);
  opts.revise_to = (int32_t)integer_at(input, "reviseTo", 0);
  query_all(run, object, operations, &opts, input, outcome);
  rebal_document_free(object);
  if (run->err.code != REBAL_OK) {
    json_decref(outcome);
    return NULL;
  }
  return outcome;
}

json_t *case_aggregate_status(struct conformance *run, const json_t *input) {
  rebal_interpret_opts opts = {sizeof opts, 0, 0, 0, {0, 0, 0}, NULL, NULL, 0};
  rebal_document *object = document_of(run, json_object_get(input, "object"));
  const json_t *list = json_object_get(input, "items");
  rebal_document *items = list != NULL ? document_of(run, list) : NULL;
  json_t *answer, *outcome = NULL;

  opts.now = now;
  opts.items = items;
  answer = query(run, object, REBAL_INTERPRET_AGGREGATE, &opts);
  if (json_object_get(answer, "error") != NULL) {
    outcome = json_incref(answer);
  } else if (answer != NULL) {
    outcome = json_object();
    put(outcome, "status", json_incref(json_object_get(answer, "status")));
  }
  json_decref(answer);
  rebal_document_free(object);
  rebal_document_free(items);
  return outcome;
}

/* ---- what recorded answers leave open: texts of errors, notations of quantities, the time of the run ---- */

static void blur_amounts(json_t *request) {
  const char *name;
  json_t *value;

  json_object_foreach(request, name, value) {
    rebal_quantity quantity;
    char text[64];
    size_t len;

    if (rebal_quantity_parse(json_string_value(value), json_string_length(value), &quantity, NULL) == REBAL_OK) {
      quantity.format = REBAL_QUANTITY_FORMAT_DECIMAL_SI;
      if (rebal_quantity_format(&quantity, text, sizeof text, &len, NULL) == REBAL_OK) {
        json_object_set_new(request, name, json_string(text));
      }
    }
  }
}

static void blur_value(json_t *value) {
  const char *key;
  json_t *member;
  size_t i;

  json_object_foreach(value, key, member) {
    if (strcmp(key, "error") == 0 && json_object_get(member, "kind") != NULL) {
      json_object_set_new(value, key, json_true());
    } else if (strcmp(key, "resourceRequest") == 0) {
      blur_amounts(member);
    } else if (json_is_string(member) && strcmp(json_string_value(member), now_text) == 0) {
      json_object_set_new(value, key, json_string("now"));
    } else {
      blur_value(member);
    }
  }
  json_array_foreach(value, i, member) {
    blur_value(member);
  }
}

void blur_interpret(json_t *outcome, const json_t *test) {
  (void)test;
  blur_value(outcome);
}
