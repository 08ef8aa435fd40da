/* SPDX-License-Identifier: MIT */
/* The detector on a store that holds the objects of a case (rebalance-karmada(7) 14). */
#include "cases.h"

#include <rebalance/detector.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *list;
  int is_binding;
} lists[] = {{"templates", 0},           {"waiting", 0},
             {"propagationPolicies", 0}, {"clusterPropagationPolicies", 0},
             {"overridePolicies", 0},    {"clusterOverridePolicies", 0},
             {"priorityClasses", 0},     {"bindings", 1}};
#define LISTS (sizeof lists / sizeof lists[0])

static const char *const policy_kinds[] = {"PropagationPolicy", "ClusterPropagationPolicy"};
static const char *const binding_kinds[] = {"ResourceBinding", "ClusterResourceBinding"};

/* One case. */
struct life {
  struct conformance *run;
  const json_t *input;
  rebal_store *store;
  rebal_detector *detector;
  rebal_time now;
  uint64_t seen; /* changes of the store that the case began with */
};

/* The kind with its API group. */
static void name_kind(const json_t *object, char *kind, size_t size) {
  const char *version = text_at(object, "apiVersion"), *slash = strchr(version, '/');

  (void)snprintf(kind, size, "%s.%.*s", text_at(object, "kind"), slash != NULL ? (int)(slash - version) : 0, version);
}

/* A recorded template without a namespace is cluster-scoped, whatever its kind. */
static int add_kind(struct life *life, const json_t *object) {
  char kind[256];

  if (text_at(json_object_get(object, "metadata"), "namespace")[0] != '\0') {
    return 0;
  }
  name_kind(object, kind, sizeof kind);
  return failed(life->run, rebal_store_add_resource(life->store, kind, strlen(kind), "objects", 7, 0, &life->run->err));
}

static int put(struct life *life, const json_t *object) {
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15));
  const int failure = text == NULL || add_kind(life, object) ||
                      failed(life->run, rebal_store_put(life->store, text, strlen(text), &life->run->err));

  free(text);
  return failure;
}

static uint32_t find(const struct life *life, const char *kind, const json_t *metadata) {
  const char *space = text_at(metadata, "namespace"), *name = text_at(metadata, "name");

  return rebal_store_find(life->store, kind, strlen(kind), space, strlen(space), name, strlen(name));
}

static uint32_t find_object(const struct life *life, const json_t *object) {
  char kind[256];

  name_kind(object, kind, sizeof kind);
  return find(life, kind, json_object_get(object, "metadata"));
}

static int is_present(const struct life *life, const json_t *object) {
  return find_object(life, object) != REBAL_NONE;
}

static int put_all(struct life *life) {
  const json_t *template_ = json_object_get(life->input, "template");
  int failure = template_ != NULL && put(life, template_);

  for (size_t i = 0; !failure && i < LISTS; i++) {
    const json_t *list = json_object_get(life->input, lists[i].list), *object;
    size_t k;

    json_array_foreach(list, k, object) {
      failure = failure || (!is_present(life, object) && put(life, object));
    }
  }
  return failure;
}

static uint32_t gates_of(const json_t *input) {
  static const int on[] = {[REBAL_DETECTOR_GATE_PRIORITY_SCHEDULING] = 1, [REBAL_DETECTOR_GATE_PROPAGATE_DEPS] = 1};
  const char *key;
  json_t *value;
  uint32_t bits = 0;

  json_object_foreach(json_object_get(input, "featureGates"), key, value) {
    int64_t gate;

    if (rebal_enum_find(REBAL_ENUM_DETECTOR_GATE, key, strlen(key), &gate, NULL) == REBAL_OK &&
        json_is_true(value) != (gate < (int64_t)(sizeof on / sizeof on[0]) && on[gate])) {
      bits |= UINT32_C(1) << gate;
    }
  }
  return bits;
}

static int open_detector(struct life *life) {
  const json_t *spaces = json_object_get(life->input, "skippedNamespaces"), *space;
  const char *apis = text_at(life->input, "skippedAPIs"), *texts[8];
  rebal_detector_opts opts = {.struct_size = sizeof opts,
                              .gates = gates_of(life->input),
                              .skipped_namespaces = spaces != NULL ? texts : NULL,
                              .n_skipped_namespaces = (uint32_t)json_array_size(spaces),
                              .skipped_apis = apis,
                              .skipped_apis_len = strlen(apis)};
  size_t i;

  json_array_foreach(spaces, i, space) {
    texts[i] = json_string_value(space);
  }
  return failed(life->run, rebal_detector_new(life->store, &opts, &life->detector, &life->run->err));
}

static int open_life(struct life *life, struct conformance *run, const json_t *input) {
  const char *now = "2026-03-01T00:00:00Z";

  *life = (struct life){.run = run, .input = input};
  if (failed(run, rebal_time_parse(now, strlen(now), &life->now, &run->err)) ||
      failed(run, rebal_store_new(NULL, &life->store, &run->err)) || put_all(life) || open_detector(life)) {
    return 1;
  }
  life->seen = rebal_store_change_count(life->store);
  return 0;
}

static void close_life(struct life *life) {
  rebal_detector_free(life->detector);
  rebal_store_free(life->store);
}

/* ---- outcome ---- */

static json_t *object_now(struct life *life, uint32_t object) {
  rebal_text *text;
  json_t *value = NULL;
  size_t len;

  if (failed(life->run, rebal_text_new(&text, &life->run->err))) {
    return NULL;
  }
  if (!failed(life->run, rebal_store_write(life->store, object, REBAL_TEXT_FORMAT_JSON, text, &life->run->err))) {
    const char *bytes = rebal_text_bytes(text, &len);

    value = json_loadb(bytes, len, 0, NULL);
  }
  rebal_text_free(text);
  return value;
}

/* The listed members of an object's metadata that are set. */
static json_t *metadata_part(const json_t *object, const char *const *names, size_t n) {
  const json_t *metadata = json_object_get(object, "metadata");
  json_t *part = json_object();

  for (size_t i = 0; i < n; i++) {
    json_t *value = json_object_get(metadata, names[i]);

    if (value != NULL && (!json_is_object(value) || json_object_size(value) > 0)) {
      json_object_set(part, names[i], value);
    }
  }
  return part;
}

static int is_one_of(const char *kind, const char *const kinds[2]) {
  return strcmp(kind, kinds[0]) == 0 || strcmp(kind, kinds[1]) == 0;
}

static json_t *whole_binding(json_t *object) {
  static const char *const hidden[] = {"resourceVersion", "uid", "creationTimestamp", "generation"};

  for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
    json_object_del(json_object_get(object, "metadata"), hidden[i]);
  }
  return json_incref(object);
}

/* Adds the bindings written to the outcome, and the template when it was. */
static void report_written(struct life *life, json_t *outcome) {
  static const char *const names[] = {"name", "labels", "annotations"};
  json_t *bindings = json_array();

  for (uint32_t id = rebal_store_next_changed(life->store, &life->seen); id != REBAL_NONE;
       id = rebal_store_next_changed(life->store, &life->seen)) {
    json_t *object = object_now(life, id);

    if (!is_one_of(text_at(object, "kind"), binding_kinds)) {
      json_object_set_new(outcome, "template", metadata_part(object, names + 1, 2));
    } else if (boolean_at(life->input, "wantBinding")) {
      json_array_append_new(bindings, whole_binding(object));
    } else {
      json_array_append_new(bindings, metadata_part(object, names, 3));
    }
    json_decref(object);
  }
  if (json_array_size(bindings) > 0) {
    json_object_set(outcome, "bindings", bindings);
  }
  json_decref(bindings);
}

static json_t *policy_name(const struct life *life, uint32_t policy) {
  size_t len;
  const char *space = rebal_store_identity(life->store, policy, REBAL_IDENTITY_NAMESPACE, &len);
  json_t *name = json_pack("{s:s, s:s}", "kind", rebal_store_identity(life->store, policy, REBAL_IDENTITY_KIND, NULL),
                           "name", rebal_store_identity(life->store, policy, REBAL_IDENTITY_NAME, NULL));

  if (len > 0) {
    json_object_set_new(name, "namespace", json_string(space));
  }
  return name;
}

static int report_matches(struct life *life, uint32_t template_, json_t *outcome) {
  json_t *matches = json_object();

  json_object_set_new(outcome, "matches", matches);
  for (size_t i = 0; i < 2; i++) {
    for (uint32_t id = rebal_store_next(life->store, policy_kinds[i], strlen(policy_kinds[i]), REBAL_NONE);
         id != REBAL_NONE; id = rebal_store_next(life->store, policy_kinds[i], strlen(policy_kinds[i]), id)) {
      uint32_t precision;
      char key[512];
      const char *space = rebal_store_identity(life->store, id, REBAL_IDENTITY_NAMESPACE, NULL);

      if (failed(life->run, rebal_detector_match(life->detector, id, template_, &precision, &life->run->err))) {
        return 1;
      }
      (void)snprintf(key, sizeof key, "%s%s%s", space, space[0] != '\0' ? "/" : "",
                     rebal_store_identity(life->store, id, REBAL_IDENTITY_NAME, NULL));
      if (precision != REBAL_PRECISION_NONE) {
        json_object_set_new(matches, key, json_string(rebal_enum_name(REBAL_ENUM_PRECISION, precision, NULL)));
      }
    }
  }
  return 0;
}

static json_t *report_pass(struct life *life, const rebal_detector_row *row) {
  const int is_skipped = row->outcome == REBAL_DETECTOR_OUTCOME_API || row->outcome == REBAL_DETECTOR_OUTCOME_NAMESPACE;
  const char *text = rebal_enum_name(REBAL_ENUM_DETECTOR_OUTCOME, row->outcome, NULL);
  json_t *outcome = json_pack("{s:b, s:s}", "considered", !is_skipped, is_skipped ? "reason" : "outcome", text);

  if (is_skipped) {
    return outcome;
  }
  if (row->message_len > 0) {
    json_object_set_new(outcome, "error", json_true());
  }
  if (row->policy != REBAL_NONE) {
    json_object_set_new(outcome, "policy", policy_name(life, row->policy));
  }
  if (rebal_detector_count(life->detector, REBAL_DETECTOR_LIST_WAITING) > 0) {
    json_object_set_new(outcome, "waiting", json_true());
  }
  report_written(life, outcome);
  return outcome;
}

static json_t *run_pass(struct life *life, const json_t *input) {
  const json_t *template_ = json_object_get(input, "template");
  const uint32_t object = find_object(life, template_);
  const uint32_t flags = boolean_at(input, "changedByKarmada") ? REBAL_DETECTOR_PASS_BY_KARMADA : 0;
  rebal_detector_row row = {.struct_size = sizeof row};
  json_t *matches = json_object(), *outcome = NULL;

  if ((boolean_at(input, "waiting") &&
       failed(life->run, rebal_detector_wait(life->detector, object, &life->run->err))) ||
      report_matches(life, object, matches) ||
      failed(life->run, rebal_detector_template(life->detector, object, flags, &life->now, &row, &life->run->err))) {
    json_decref(matches);
    return NULL;
  }
  outcome = report_pass(life, &row);
  if (!boolean_at(input, "wantBinding") && boolean_at(outcome, "considered")) {
    json_object_update(outcome, matches);
  }
  json_decref(matches);
  return outcome;
}

json_t *case_policy(struct conformance *run, const json_t *input) {
  struct life life;
  json_t *outcome = open_life(&life, run, input) ? NULL : run_pass(&life, input);

  close_life(&life);
  return outcome;
}

/* ---- events ---- */

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The entries of a list as compact texts, sorted unless their order counts. */
static json_t *list_of(struct life *life, uint32_t list, int is_sorted) {
  const size_t n = rebal_detector_count(life->detector, list);
  char **texts = calloc(n + 1, sizeof *texts);
  json_t *out = json_array();

  for (size_t i = 0; i < n; i++) {
    rebal_detector_entry entry = {.struct_size = sizeof entry};
    json_t *value;

    if (failed(life->run, rebal_detector_read(life->detector, list, i, &entry, &life->run->err))) {
      break;
    }
    value = list == REBAL_DETECTOR_LIST_QUEUE ? json_pack("{s:s}", "key", entry.key) : json_string(entry.key);
    if (list == REBAL_DETECTOR_LIST_QUEUE && (entry.flags & REBAL_DETECTOR_PASS_BY_KARMADA) != 0) {
      json_object_set_new(value, "changedByKarmada", json_true());
    }
    texts[i] = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    json_decref(value);
  }
  if (is_sorted) {
    qsort(texts, n, sizeof *texts, compare_texts);
  }
  for (size_t i = 0; i < n && texts[i] != NULL; i++) {
    json_array_append_new(out, json_loads(texts[i], JSON_DECODE_ANY, NULL));
    free(texts[i]);
  }
  free(texts);
  return out;
}

/* What changed in metadata, sorted by its text. */
static json_t *changed(struct life *life) {
  static const char *const names[] = {"namespace", "name", "labels", "annotations", "finalizers"};
  char *texts[256];
  size_t n = 0;
  json_t *out = json_array();

  for (uint32_t id = rebal_store_next_changed(life->store, &life->seen); id != REBAL_NONE && n < 256;
       id = rebal_store_next_changed(life->store, &life->seen)) {
    json_t *object = object_now(life, id), *part = metadata_part(object, names, 5);

    json_object_set_new(part, "kind", json_string(text_at(object, "kind")));
    texts[n++] = json_dumps(part, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(part);
    json_decref(object);
  }
  qsort(texts, n, sizeof *texts, compare_texts);
  for (size_t i = 0; i < n; i++) {
    json_array_append_new(out, json_loads(texts[i], 0, NULL));
    free(texts[i]);
  }
  return out;
}

static rebal_document *old_policy(struct life *life) {
  const json_t *old = json_at(life->input, "event.old");
  char *text = old != NULL ? json_dumps(old, JSON_COMPACT) : NULL;
  rebal_document *document = NULL;

  if (text != NULL) {
    (void)failed(life->run, rebal_document_read(text, strlen(text), NULL, &document, &life->run->err));
  }
  free(text);
  return document;
}

/* Policies are named namespace/name. */
static json_t *policy_queue(struct life *life) {
  json_t *out = json_array();

  for (size_t i = 0; i < rebal_detector_count(life->detector, REBAL_DETECTOR_LIST_POLICIES); i++) {
    rebal_detector_entry entry = {.struct_size = sizeof entry};
    char key[512];
    const char *space;

    if (failed(life->run,
               rebal_detector_read(life->detector, REBAL_DETECTOR_LIST_POLICIES, i, &entry, &life->run->err))) {
      break;
    }
    space = rebal_store_identity(life->store, entry.object, REBAL_IDENTITY_NAMESPACE, NULL);
    (void)snprintf(key, sizeof key, "%s%s%s", space, space[0] != '\0' ? "/" : "",
                   rebal_store_identity(life->store, entry.object, REBAL_IDENTITY_NAME, NULL));
    json_array_append_new(out, json_string(key));
  }
  return out;
}

static json_t *run_event(struct life *life) {
  const json_t *named = json_at(life->input, "event.policy");
  const uint32_t policy = find(life, policy_kinds[text_at(named, "namespace")[0] == '\0'], named);
  rebal_detector_row row = {.struct_size = sizeof row};
  rebal_document *old = old_policy(life);
  json_t *outcome = NULL;

  if (!failed(life->run, rebal_detector_policy(life->detector, policy, old, &life->now, &row, &life->run->err))) {
    outcome =
        json_pack("{s:o, s:o}", "changed", changed(life), "waiting", list_of(life, REBAL_DETECTOR_LIST_WAITING, 1));
    if (row.message_len > 0) {
      json_object_set_new(outcome, "error", json_true());
    }
    if (old != NULL) {
      json_object_set_new(outcome, "policyQueue", policy_queue(life));
    } else {
      json_object_set_new(outcome, "queue", list_of(life, REBAL_DETECTOR_LIST_QUEUE, 1));
    }
  }
  rebal_document_free(old);
  return outcome;
}

json_t *case_policy_event(struct conformance *run, const json_t *input) {
  struct life life;
  int failure = open_life(&life, run, input);
  const json_t *object;
  json_t *outcome = NULL;
  size_t i;

  json_array_foreach(json_object_get(input, "waiting"), i, object) {
    failure = failure || failed(run, rebal_detector_wait(life.detector, find_object(&life, object), &run->err));
  }
  if (!failure) {
    outcome = run_event(&life);
  }
  close_life(&life);
  return outcome;
}

/* ---- changes ---- */

static rebal_document *document_at(struct conformance *run, const json_t *input, const char *name) {
  char *text = json_dumps(json_object_get(input, name), JSON_COMPACT);
  rebal_document *document = NULL;

  (void)failed(run, rebal_document_read(text, strlen(text), NULL, &document, &run->err));
  free(text);
  return document;
}

json_t *case_change(struct conformance *run, const json_t *input) {
  rebal_document *old = document_at(run, input, "old"), *now = document_at(run, input, "new");
  int32_t is_changed, by_karmada;
  json_t *outcome = NULL;

  if (!failed(run, rebal_document_change(old, now, &is_changed, &by_karmada, &run->err))) {
    outcome = json_pack("{s:b, s:b}", "changed", is_changed, "byKarmada", by_karmada);
  }
  rebal_document_free(old);
  rebal_document_free(now);
  return outcome;
}

/* Texts of errors are the reference's: only the presence of an error is compared. */
void blur_detector(json_t *outcome, const json_t *test) {
  (void)test;
  if (json_object_get(outcome, "error") != NULL) {
    json_object_set_new(outcome, "error", json_true());
  }
}
