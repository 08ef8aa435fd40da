/* SPDX-License-Identifier: MIT */
/*
 * Which objects the detector considers: all except Karmada's own, and those that options skip (rebalance-karmada(7)
 * 14.1).
 */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

/* Compiles an expression between ^ and $, without parentheses. */
static int32_t compile(const char *expression, struct rebali_expression *out, rebal_error *err) {
  const size_t len = strlen(expression);
  char *whole = malloc(len + 3);
  int32_t result;
  if (whole == NULL) {
    return rebali_fail_memory(err);
  }
  whole[0] = '^';
  memcpy(whole + 1, expression, len);
  memcpy(whole + 1 + len, "$", 2);
  result = rebali_expression_open(out, whole, err);
  free(whole);
  return result;
}

/* ---- APIs ---- */

struct token {
  const char *text;
  size_t len;
};

static int is_text(const char *bytes, size_t len, const char *text) {
  return strlen(text) == len && memcmp(bytes, text, len) == 0;
}

static int lists_kind(const char *kinds, size_t len, const char *kind) {
  for (const char *at = kinds, *end = kinds + len; at <= end;) {
    const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
    const char *stop = comma != NULL ? comma : end;
    if (is_text(at, (size_t)(stop - at), kind)) {
      return 1;
    }
    at = stop + 1;
  }
  return 0;
}

static size_t count_slashes(struct token token) {
  size_t n = 0;
  for (size_t i = 0; i < token.len; i++) {
    n += token.text[i] == '/';
  }
  return n;
}

/* Tests whether a token names an object's API. */
static int names_api(struct token token, const char *api_version, const char *kind) {
  const char *end = token.text + token.len, *slash = memchr(token.text, '/', token.len);
  const size_t slashes = count_slashes(token), group = rebali_group_len(api_version);
  if (slashes == 0) {
    return group == token.len && memcmp(api_version, token.text, group) == 0;
  }
  if (slashes == 1 && !(token.len >= 2 && memcmp(token.text, "v1", 2) == 0)) {
    return is_text(token.text, token.len, api_version);
  }
  if (slashes == 2) {
    slash = memchr(slash + 1, '/', (size_t)(end - slash - 1));
  }
  return is_text(token.text, (size_t)(slash - token.text), api_version) &&
         lists_kind(slash + 1, (size_t)(end - slash - 1), kind);
}

/* Returns the next token of a text; its text is NULL at the end. */
static struct token next_token(const char **at) {
  struct token token = {*at, *at != NULL ? strcspn(*at, ";") : 0};
  if (*at != NULL) {
    *at = (*at)[token.len] == ';' ? *at + token.len + 1 : NULL;
  }
  return token;
}

static int is_api_skipped(const struct rebali_skipped *skipped, const char *api_version, const char *kind) {
  const char *at = skipped->apis;
  if (rebali_is_never_propagated(api_version, kind)) {
    return 1;
  }
  while (at != NULL) {
    const struct token token = next_token(&at);
    if (names_api(token, api_version, kind)) {
      return 1;
    }
  }
  return 0;
}

static int is_namespace_skipped(const struct rebali_skipped *skipped, const char *namespace_) {
  if (strcmp(namespace_, "karmada-system") == 0 || strcmp(namespace_, "karmada-cluster") == 0 ||
      strncmp(namespace_, "karmada-es-", strlen("karmada-es-")) == 0) {
    return 1;
  }
  for (size_t i = 0; i < skipped->n_namespaces; i++) {
    if (rebali_expression_matches(&skipped->namespaces[i], namespace_)) {
      return 1;
    }
  }
  return 0;
}

static int is_authentication(const struct rebali_object *object) {
  return strcmp(object->namespace_, "kube-system") == 0 && strcmp(object->kind, "ConfigMap") == 0 &&
         strcmp(object->api_version, "v1") == 0 && strcmp(object->name, "extension-apiserver-authentication") == 0;
}

static uint32_t why(const struct rebali_skipped *skipped, const struct rebali_object *object) {
  if (is_api_skipped(skipped, object->api_version, object->kind)) {
    return REBAL_DETECTOR_OUTCOME_API;
  }
  return is_namespace_skipped(skipped, object->namespace_) || is_authentication(object)
             ? REBAL_DETECTOR_OUTCOME_NAMESPACE
             : 0;
}

uint32_t rebali_skipped_why(const struct rebali_skipped *skipped, const json_t *object) {
  const struct rebali_object names = {.kind = (char *)(uintptr_t)rebali_member_text(object, "kind"),
                                      .namespace_ = rebali_metadata_text(object, "namespace"),
                                      .name = rebali_metadata_text(object, "name"),
                                      .api_version = rebali_member_text(object, "apiVersion")};
  return why(skipped, &names);
}

int rebali_names_skipped(const struct rebali_skipped *skipped, const struct rebali_object *object) {
  return why(skipped, object) != 0;
}

/* ---- opening ---- */

static int32_t open_apis(struct rebali_skipped *skipped, const char *apis, size_t len, rebal_error *err) {
  const char *at;
  if (len == 0) {
    return REBAL_OK;
  }
  if (memchr(apis, '\0', len) != NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "skipped_apis hold a NUL");
  }
  skipped->apis = malloc(len + 1);
  if (skipped->apis == NULL) {
    return rebali_fail_memory(err);
  }
  memcpy(skipped->apis, apis, len);
  skipped->apis[len] = '\0';
  for (at = skipped->apis; at != NULL;) {
    if (count_slashes(next_token(&at)) > 2) {
      return rebali_fail(err, REBAL_EINVAL, -1, "skipped_apis: expected GROUP;GROUP/VERSION;GROUP/VERSION/KIND,KIND");
    }
  }
  return REBAL_OK;
}

int32_t rebali_skipped_open(struct rebali_skipped *skipped, const char *const *namespaces, size_t n, const char *apis,
                            size_t apis_len, rebal_error *err) {
  static const char *const defaults[] = {"kube-.*"};
  int32_t result = open_apis(skipped, apis, apis_len, err);
  if (namespaces == NULL) {
    namespaces = defaults;
    n = 1;
  }
  if (result == REBAL_OK && n > 0) {
    skipped->namespaces = calloc(n, sizeof *skipped->namespaces);
    result = skipped->namespaces != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = namespaces[i] != NULL ? compile(namespaces[i], &skipped->namespaces[i], err)
                                   : rebali_fail(err, REBAL_EINVAL, -1, "skipped_namespaces: an entry is NULL");
    skipped->n_namespaces += result == REBAL_OK;
  }
  return result;
}

void rebali_skipped_close(struct rebali_skipped *skipped) {
  for (size_t i = 0; i < skipped->n_namespaces; i++) {
    rebali_expression_close(&skipped->namespaces[i]);
  }
  free(skipped->namespaces);
  free(skipped->apis);
}
