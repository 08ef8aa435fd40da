/* SPDX-License-Identifier: MIT */
/* Admission of a Cluster beyond the types of its members. */
#include "manifest/validate/checks.h"

#include <stdlib.h>
#include <string.h>

/* Names become part of namespace names, which have a prefix. */
#define CLUSTER_NAME_MAX 48

void rebali_rule_cluster_name(struct rebali_check *check, const json_t *value, const struct rebali_path *path) {
  const char *name = json_string_value(value);
  if (name != NULL && name[0] != '\0' && !rebali_is_dns_label(name, CLUSTER_NAME_MAX)) {
    rebali_find(check, REBAL_FINDING_BAD_NAME, path,
                "a cluster's name has up to %d small letters, digits and -, and letters or digits at both ends",
                CLUSTER_NAME_MAX);
  }
}

/* ---- addresses ---- */

static int has_scheme(const char *url, const char *schemes) {
  const char *end = strstr(url, "://");
  char scheme[16];
  const size_t len = end != NULL ? (size_t)(end - url) : sizeof scheme;
  if (len == 0 || len >= sizeof scheme) {
    return 0;
  }
  memcpy(scheme, url, len);
  scheme[len] = '\0';
  return rebali_is_listed(scheme, schemes);
}

static const char *endpoint_fault(const char *url) {
  const char *host = strstr(url, "://");
  if (host == NULL || host[3] == '\0' || host[3] == '/' || host[3] == '?' || host[3] == '#') {
    return "expected a URL with a host";
  }
  if (strchr(url, '?') != NULL || strchr(url, '#') != NULL || strchr(url, '@') != NULL) {
    return "expected a URL without user, query or fragment";
  }
  return NULL;
}

static void check_addresses(struct rebali_check *check, const json_t *spec, const struct rebali_path *path) {
  const struct rebali_path endpoint = rebali_path_key(path, "apiEndpoint"), proxy = rebali_path_key(path, "proxyURL");
  const char *url = rebali_member_text(spec, "apiEndpoint");
  const char *fault = url[0] != '\0' ? endpoint_fault(url) : NULL;
  if (fault != NULL) {
    rebali_find(check, REBAL_FINDING_BAD_ENDPOINT, &endpoint, "%s", fault);
  }
  url = rebali_member_text(spec, "proxyURL");
  if (url[0] != '\0' && !has_scheme(url, "http https socks5")) {
    rebali_find(check, REBAL_FINDING_BAD_ENDPOINT, &proxy, "expected a URL of http, https or socks5");
  }
}

void rebali_rule_cluster_spec(struct rebali_check *check, const json_t *spec, const struct rebali_path *path) {
  static const char *const fields[] = {"provider", "region"};
  const struct rebali_path zone = rebali_path_key(path, "zone");
  check_addresses(check, spec, path);
  if (*rebali_member_text(spec, "zone") != '\0') {
    rebali_find(check, REBAL_FINDING_ZONE_UNREAD, &zone, "only spec.zones is read");
  }
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    const struct rebali_path at = rebali_path_key(path, fields[i]);
    if (!rebali_is_value_form(rebali_member_text(spec, fields[i]))) {
      rebali_find(check, REBAL_FINDING_FIELD_UNMATCHED, &at,
                  "no field selector matches this value: it is not a valid label value");
    }
  }
}

/* ---- taints ---- */

static int is_same_taint(const json_t *left, const json_t *right) {
  return strcmp(rebali_member_text(left, "key"), rebali_member_text(right, "key")) == 0 &&
         strcmp(rebali_member_text(left, "effect"), rebali_member_text(right, "effect")) == 0;
}

/* Returns 1 if an earlier taint is the same; lists are short. */
static int has_before(const json_t *taints, size_t i) {
  for (size_t j = 0; j < i; j++) {
    if (is_same_taint(json_array_get(taints, i), json_array_get(taints, j))) {
      return 1;
    }
  }
  return 0;
}

#define TAINTS_MAX 1000u /* longer lists are not checked for duplicates */

void rebali_rule_taints(struct rebali_check *check, const json_t *taints, const struct rebali_path *path) {
  for (size_t i = 0; i < json_array_size(taints); i++) {
    const struct rebali_path item = rebali_path_index(path, i);
    const struct rebali_path key_at = rebali_path_key(&item, "key"), value_at = rebali_path_key(&item, "value");
    const json_t *taint = json_array_get(taints, i);
    const char *key = rebali_member_text(taint, "key");
    if (key[0] != '\0' && !rebali_is_key_form(key)) {
      rebali_find(check, REBAL_FINDING_BAD_LABEL, &key_at, "no taint has this key");
    }
    if (!rebali_is_value_form(rebali_member_text(taint, "value"))) {
      rebali_find(check, REBAL_FINDING_BAD_LABEL, &value_at, "no taint has this value");
    }
    if (key[0] != '\0' && i < TAINTS_MAX && has_before(taints, i)) {
      rebali_find(check, REBAL_FINDING_DUPLICATE_TAINT, &item, "a taint before it has this key and effect");
    }
  }
}

/* ---- resource models: admission sorts them, starts the first at 0 and leaves the last without end ---- */

struct model {
  const json_t *tree;
  size_t place; /* in the list */
  int64_t grade;
};

static int compare_models(const void *left, const void *right) {
  const struct model *a = left, *b = right;
  if (a->grade != b->grade) {
    return a->grade < b->grade ? -1 : 1;
  }
  return a->place < b->place ? -1 : a->place > b->place;
}

/* Returns the range of a resource; NULL if the model has none. */
static const json_t *range_of(const struct model *model, const char *name) {
  const json_t *ranges = rebali_member(model->tree, "ranges");
  for (size_t i = 0; i < json_array_size(ranges); i++) {
    if (strcmp(rebali_member_text(json_array_get(ranges, i), "name"), name) == 0) {
      return json_array_get(ranges, i);
    }
  }
  return NULL;
}

#define NO_ORDER 2

/* Compares two quantities; NO_ORDER if one is invalid, which is reported elsewhere. */
static int compare_quantities(const json_t *left, const json_t *right) {
  rebal_quantity a, b;
  if (left == NULL || right == NULL || rebali_read_quantity(left, NULL, &a, NULL) != REBAL_OK ||
      rebali_read_quantity(right, NULL, &b, NULL) != REBAL_OK) {
    return NO_ORDER;
  }
  if (a.units != b.units) {
    return a.units < b.units ? -1 : 1;
  }
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos;
}

static void check_range(struct rebali_check *check, const json_t *range, const struct model *before, int is_last,
                        const struct rebali_path *path) {
  const struct rebali_path min = rebali_path_key(path, "min"), max = rebali_path_key(path, "max");
  const json_t *other;
  if (before == NULL) {
    return;
  }
  if (!is_last && compare_quantities(rebali_member(range, "max"), rebali_member(range, "min")) <= 0) {
    rebali_find(check, REBAL_FINDING_RESOURCE_MODELS, &max, "max is not above min");
  }
  other = range_of(before, rebali_member_text(range, "name"));
  if (other == NULL) {
    rebali_find(check, REBAL_FINDING_RESOURCE_MODELS, path, "the model before it lacks this resource");
  } else if (compare_quantities(rebali_member(other, "max"), rebali_member(range, "min")) % NO_ORDER != 0) {
    rebali_find(check, REBAL_FINDING_RESOURCE_MODELS, &min, "min is not the max of the model before it");
  }
}

static void check_model(struct rebali_check *check, const struct model *model, const struct model *before, int is_last,
                        const struct rebali_path *path) {
  const struct rebali_path grade = rebali_path_key(path, "grade"), list = rebali_path_key(path, "ranges");
  const json_t *ranges = rebali_member(model->tree, "ranges");
  if (before != NULL && before->grade == model->grade) {
    rebali_find(check, REBAL_FINDING_RESOURCE_MODELS, &grade, "a model before it has this grade");
  }
  if (before != NULL && json_array_size(rebali_member(before->tree, "ranges")) != json_array_size(ranges)) {
    rebali_find(check, REBAL_FINDING_RESOURCE_MODELS, &list, "the model before it has another number of resources");
  }
  for (size_t i = 0; i < json_array_size(ranges); i++) {
    const struct rebali_path at = rebali_path_index(&list, i);
    check_range(check, json_array_get(ranges, i), before, is_last, &at);
  }
}

void rebali_rule_models(struct rebali_check *check, const json_t *list, const struct rebali_path *path) {
  const size_t n = json_array_size(list);
  struct model *models = n > 0 ? malloc(n * sizeof *models) : NULL;
  if (models == NULL) {
    check->result = n > 0 ? REBAL_ENOMEM : check->result;
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const json_t *tree = json_array_get(list, i);
    models[i] = (struct model){tree, i, (int64_t)json_integer_value(rebali_member(tree, "grade"))};
  }
  qsort(models, n, sizeof *models, compare_models);
  for (size_t i = 0; i < n; i++) {
    const struct rebali_path at = rebali_path_index(path, models[i].place);
    check_model(check, &models[i], i > 0 ? &models[i - 1] : NULL, i + 1 == n, &at);
  }
  free(models);
}
