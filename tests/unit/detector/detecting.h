/* SPDX-License-Identifier: MIT */
/* tests/unit/detector/detecting.h - a store of YAML with a detector beside it. */
#ifndef DETECTING_H
#define DETECTING_H

#include "detector/policy/policy.h"

#include "../manifest/stores.h"

#include <stdlib.h>

#define PP_ID "propagationpolicy.karmada.io/permanent-id"
#define PP_NAMESPACE "propagationpolicy.karmada.io/namespace"
#define PP_NAME "propagationpolicy.karmada.io/name"
#define CPP_ID "clusterpropagationpolicy.karmada.io/permanent-id"
#define CPP_NAME "clusterpropagationpolicy.karmada.io/name"

#define OBJECT(version, kind, metadata, rest) \
  "---\n{apiVersion: " version ", kind: " kind ", metadata: {" metadata "}" rest "}\n"
/* A policy whose id is id-NAME. */
#define PP(name, metadata, spec)                            \
  OBJECT("policy.karmada.io/v1alpha1", "PropagationPolicy", \
         "name: " name ", namespace: default, labels: {" PP_ID ": id-" name "}" metadata, ", spec: {" spec "}")
#define CPP(name, metadata, spec)                                  \
  OBJECT("policy.karmada.io/v1alpha1", "ClusterPropagationPolicy", \
         "name: " name ", labels: {" CPP_ID ": id-" name "}" metadata, ", spec: {" spec "}")
#define DEPLOYMENTS "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]"
#define WEB_ONLY "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: default, name: web}]"
#define WEB(metadata)                                                                                           \
  OBJECT("apps/v1", "Deployment", "name: web, namespace: default, uid: web-uid, resourceVersion: '7'" metadata, \
         ", spec: {replicas: 2}")
/* The claim of a PropagationPolicy of namespace default, of a ClusterPropagationPolicy. */
#define PP_CLAIM(name) \
  ", labels: {" PP_ID ": id-" name "}, annotations: {" PP_NAMESPACE ": default, " PP_NAME ": " name "}"
#define CPP_CLAIM(name) ", labels: {" CPP_ID ": id-" name "}, annotations: {" CPP_NAME ": " name "}"
#define BINDING(metadata, spec)                                                                              \
  OBJECT("work.karmada.io/v1alpha2", "ResourceBinding", "name: web-deployment, namespace: default" metadata, \
         ", spec: {resource: {apiVersion: apps/v1, kind: Deployment, namespace: default, name: web}" spec "}")

struct detecting {
  rebal_store *store;
  rebal_detector *detector;
  rebal_time now;
  rebal_detector_row row;
};

static inline void detecting_open(struct detecting *in, const char *text, uint32_t flags, uint32_t gates) {
  const rebal_detector_opts opts = {.struct_size = sizeof opts, .flags = flags, .gates = gates};
  rebal_error err = REBAL_ERROR_INIT;
  *in = (struct detecting){.store = store_of(text), .now = time_of(NOW), .row = {.struct_size = sizeof in->row}};
  ck_assert_msg(rebal_detector_new(in->store, &opts, &in->detector, &err) == REBAL_OK, "%s", err.message);
}

static inline void detecting_close(struct detecting *in) {
  rebal_detector_free(in->detector);
  rebal_store_free(in->store);
}

static inline void assert_outcome(const struct detecting *in, uint32_t outcome) {
  ck_assert_msg(in->row.outcome == outcome, "%s instead of %s: %s",
                rebal_enum_name(REBAL_ENUM_DETECTOR_OUTCOME, in->row.outcome, NULL),
                rebal_enum_name(REBAL_ENUM_DETECTOR_OUTCOME, outcome, NULL), in->row.message);
}

static inline void pass_over(struct detecting *in, uint32_t object, uint32_t flags, uint32_t outcome) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_detector_template(in->detector, object, flags, &in->now, &in->row, &err) == REBAL_OK, "%s",
                err.message);
  assert_outcome(in, outcome);
}

static inline uint32_t web_of(const struct detecting *in) {
  return find(in->store, "Deployment", "default", "web");
}

static inline uint32_t binding_of(const struct detecting *in) {
  return find(in->store, "ResourceBinding", "default", "web-deployment");
}

static inline void pass_over_web(struct detecting *in, uint32_t flags, uint32_t outcome) {
  pass_over(in, web_of(in), flags, outcome);
}

static inline void policy_event(struct detecting *in, const char *kind, const char *name, const char *old,
                                uint32_t outcome) {
  const uint32_t policy = find(in->store, kind, strcmp(kind, "PropagationPolicy") == 0 ? "default" : "", name);
  rebal_document *before = NULL;
  if (old != NULL) {
    ck_assert_int_eq(rebal_document_read(old, REBAL_TERMINATED, NULL, &before, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_detector_policy(in->detector, policy, before, &in->now, &in->row, NULL), REBAL_OK);
  rebal_document_free(before);
  assert_outcome(in, outcome);
}

/* A member of metadata, by its key with dots; "": absent. */
static inline void assert_key(const struct detecting *in, uint32_t object, const char *map, const char *key,
                              const char *wanted) {
  json_t *tree;
  ck_assert_int_eq(rebali_store_share(in->store, object, &tree, NULL), REBAL_OK);
  ck_assert_str_eq(rebali_member_text(rebali_member(rebali_member(tree, "metadata"), map), key), wanted);
  json_decref(tree);
}

/* The keys of a list, each followed by a space; those that Karmada changed with an exclamation mark. */
static inline void assert_list(const struct detecting *in, uint32_t list, const char *wanted) {
  struct rebali_buffer found = REBALI_BUFFER;
  rebali_buffer_text(&found, "");
  for (size_t i = 0; i < rebal_detector_count(in->detector, list); i++) {
    rebal_detector_entry entry = {.struct_size = sizeof entry};
    ck_assert_int_eq(rebal_detector_read(in->detector, list, i, &entry, NULL), REBAL_OK);
    ck_assert_uint_eq(entry.key_len, strlen(entry.key));
    rebali_buffer_text(&found, entry.key);
    rebali_buffer_text(&found, (entry.flags & REBAL_DETECTOR_PASS_BY_KARMADA) != 0 ? "! " : " ");
  }
  ck_assert_str_eq(found.bytes != NULL ? found.bytes : "", wanted);
  rebali_buffer_dispose(&found);
}

#endif
