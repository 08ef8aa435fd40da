/* SPDX-License-Identifier: MIT */
/* Options of Karmada's controllers: gates, skipped APIs and namespaces, and replicas of unknown kinds. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the detector ---- */

/* Gates that the scheduler has too. */
static const struct {
  uint32_t gate, option;
} shared_gates[] = {{REBAL_DETECTOR_GATE_MULTIPLE_POD_TEMPLATES, REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES},
                    {REBAL_DETECTOR_GATE_WORKLOAD_AFFINITY, REBAL_OPTION_GATE_WORKLOAD_AFFINITY},
                    {REBAL_DETECTOR_GATE_RESOURCE_QUOTA_ESTIMATE, REBAL_OPTION_GATE_RESOURCE_QUOTA}};

/* Bits of gates that are not at their default. */
static uint32_t changed_gates(const struct options *options) {
  const struct detector_words *words = &options->detector;
  uint32_t open = REBAL_DETECTOR_GATES_ON;
  for (size_t i = 0; i < sizeof shared_gates / sizeof shared_gates[0]; i++) {
    int64_t value = 0;
    (void)rebal_compat_get(options->compat, shared_gates[i].option, &value, NULL);
    open |= (uint32_t)(value != 0) << shared_gates[i].gate;
  }
  open = (open & ~words->given_gates) | words->open_gates;
  return open ^ REBAL_DETECTOR_GATES_ON;
}

/* Splits a text at its commas in place. parts must have a capacity of the length of the text plus one. */
static uint32_t split(char *text, const char **parts) {
  uint32_t n = text[0] != '\0';
  parts[0] = text;
  while ((text = strchr(text, ',')) != NULL) {
    *text++ = '\0';
    parts[n++] = text;
  }
  return n;
}

static int32_t open_with(const struct options *options, rebal_detector_opts *opts, rebal_store *store,
                         rebal_detector **out, rebal_error *err) {
  const char *namespaces = options->detector.skipped_namespaces;
  char *cut = strdup(namespaces);
  const char **parts = calloc(strlen(namespaces) + 1, sizeof *parts);
  int32_t result = REBAL_ENOMEM;
  if (cut != NULL && parts != NULL) {
    opts->n_skipped_namespaces = split(cut, parts);
    opts->skipped_namespaces = parts;
    result = rebal_detector_new(store, opts, out, err);
  }
  free(cut);
  free(parts);
  return result;
}

int32_t detector_open(const struct options *options, rebal_store *store, rebal_detector **out, rebal_error *err) {
  const struct detector_words *words = &options->detector;
  rebal_detector_opts opts = {.struct_size = sizeof opts,
                              .flags = REBAL_DETECTOR_FLAG_ADMISSION,
                              .gates = changed_gates(options),
                              .skipped_apis = words->skipped_apis,
                              .skipped_apis_len = words->skipped_apis != NULL ? REBAL_TERMINATED : 0,
                              .replicas_paths = words->replicas_paths,
                              .replicas_paths_len = words->replicas_paths != NULL ? REBAL_TERMINATED : 0};
  return words->skipped_namespaces != NULL ? open_with(options, &opts, store, out, err)
                                           : rebal_detector_new(store, &opts, out, err);
}

void detector_words_dispose(struct detector_words *words) {
  free(words->replicas_paths);
  free(words->skipped_apis);
  free(words->skipped_namespaces);
}

/* ---- values ---- */

/* Returns the error of the library for the options so far; NULL: none. */
static const char *try_detector(struct options *options) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_store *store = NULL;
  rebal_detector *detector = NULL;
  int32_t result = rebal_store_new(NULL, &store, &err);
  if (result == REBAL_OK) {
    result = detector_open(options, store, &detector, &err);
  }
  rebal_detector_free(detector);
  rebal_store_free(store);
  if (result == REBAL_OK) {
    return NULL;
  }
  (void)snprintf(options->fault, sizeof options->fault, "%s", err.message);
  return options->fault;
}

/* Appends a value to the earlier ones. */
static const char *join(struct options *options, char **words, char separator, const char *value) {
  const size_t before = *words != NULL ? strlen(*words) + 1 : 0, len = strlen(value);
  char *joined = realloc(*words, before + len + 1);
  if (joined == NULL) {
    exit((int)complain_of_memory());
  }
  if (before > 0) {
    joined[before - 1] = separator;
  }
  memcpy(joined + before, value, len + 1);
  *words = joined;
  return try_detector(options);
}

const char *apply_replicas_path(struct options *options, const char *value) {
  return value[0] != '\0' ? join(options, &options->detector.replicas_paths, ',', value)
                          : "expected KIND=PATH or KIND.GROUP=PATH, such as Foo.example.com=spec.size";
}

const char *apply_skipped_apis(struct options *options, const char *value) {
  return join(options, &options->detector.skipped_apis, ';', value);
}

const char *apply_skipped_namespaces(struct options *options, const char *value) {
  return join(options, &options->detector.skipped_namespaces, ',', value);
}

static const char *gate_name(uint32_t gate) {
  return rebal_enum_name(REBAL_ENUM_DETECTOR_GATE, gate, NULL);
}

static const char *refuse_gate(struct options *options) {
  size_t used = (size_t)snprintf(options->fault, sizeof options->fault, "expected GATE=true or GATE=false; gates:");
  for (uint32_t gate = 0; gate_name(gate) != NULL; gate++) {
    used += (size_t)snprintf(options->fault + used, sizeof options->fault - used, "%s %s", gate > 0 ? "," : "",
                             gate_name(gate));
  }
  return options->fault;
}

const char *apply_feature_gates(struct options *options, const char *value) {
  struct detector_words *words = &options->detector;
  for (const char *at = value; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
    const size_t len = strcspn(at, "=,"), word = at[len] == '=' ? strcspn(at + len + 1, ",") : 0;
    const char *setting = at + len + 1;
    const int is_on = word == 4 && strncmp(setting, "true", 4) == 0;
    int64_t gate;
    if (rebal_enum_find(REBAL_ENUM_DETECTOR_GATE, at, len, &gate, NULL) != REBAL_OK ||
        (!is_on && (word != 5 || strncmp(setting, "false", 5) != 0))) {
      return refuse_gate(options);
    }
    words->given_gates |= UINT32_C(1) << gate;
    words->open_gates = (words->open_gates & ~(UINT32_C(1) << gate)) | (uint32_t)is_on << gate;
  }
  return NULL;
}
