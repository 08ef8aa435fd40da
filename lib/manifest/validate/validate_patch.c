/* SPDX-License-Identifier: MIT */
/* Tries the patch of a subset on the workload's pods as admission does (rebalance-workloadspread(7) 8.2 B6). */
#include "manifest/patch/strategic.h"
#include "manifest/schema/pod_types.h"
#include "manifest/validate/validate.h"

#include <string.h>

#define INVALID REBAL_CAUSE_INVALID
#define REQUIRED REBAL_CAUSE_REQUIRED

/* ---- pods of the workload ---- */

/* Adds a volume for a claim to the pod of a template. */
static int32_t add_volume(json_t *pod, const json_t *claim) {
  const char *name = rebali_member_text(rebali_member(claim, "metadata"), "name");
  json_t *spec = rebali_map_at(pod, "spec"), *volumes = rebali_member(spec, "volumes");
  json_t *volume = json_pack("{s:s, s:{s:s}}", "name", name, "persistentVolumeClaim", "claimName", name);
  if (spec != NULL && !json_is_array(volumes)) {
    volumes = json_array();
    if (rebali_put(spec, "volumes", volumes, NULL) != REBAL_OK) {
      volumes = NULL;
    }
  }
  return json_array_append_new(volumes, volume) == 0 ? REBAL_OK : REBAL_ENOMEM; /* also fails without a list */
}

/* Builds the pod that a workload makes; without workload, a pod with one container. A tree of its own. */
static int32_t open_pod(const json_t *workload, json_t **out) {
  const json_t *spec = rebali_member(workload, "spec"), *template = rebali_member(spec, "template");
  const json_t *claims = rebali_member(spec, "volumeClaimTemplates");
  json_t *pod = workload == NULL ? json_pack("{s:{}, s:{s:[{s:s}]}}", "metadata", "spec", "containers", "name", "main")
                : rebali_is_map(template) ? json_deep_copy(template)
                                          : json_object();
  int32_t result = pod != NULL && rebali_map_at(pod, "metadata") != NULL ? REBAL_OK : REBAL_ENOMEM;
  if (rebali_is_listed(rebali_member_text(workload, "kind"), "CloneSet StatefulSet")) {
    for (size_t i = 0; result == REBAL_OK && i < json_array_size(claims); i++) {
      result = add_volume(pod, json_array_get(claims, i));
    }
  }
  if (result != REBAL_OK) {
    json_decref(pod);
    return result;
  }
  *out = pod;
  return REBAL_OK;
}

static int32_t merge(json_t *pod, const json_t *patch, json_t **out, rebal_error *err) {
  if (!rebali_is_map(patch)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "invalid JSON document");
  }
  return rebali_strategic_merge(pod, 0, patch, &rebali_shapes[REBALI_SHAPE_POD], NULL, out, err);
}

int32_t rebali_try_patch(const json_t *workload, const json_t *patch, rebal_error *err) {
  json_t *pod = NULL, *merged = NULL;
  int32_t result = open_pod(workload, &pod);
  result = result == REBAL_OK ? merge(pod, patch, &merged, err) : result;
  json_decref(merged);
  json_decref(pod);
  return result;
}

/* Names a pod of a template, if metadata can have a name. */
static int32_t name_pod(json_t *pod, rebal_error *err) {
  const json_t *metadata = rebali_member(pod, "metadata");
  json_t *named;
  int32_t result;
  if (metadata == NULL || !rebali_is_map(metadata)) {
    return REBAL_OK;
  }
  named = rebali_copy(metadata);
  result = rebali_put(pod, "metadata", named, err);
  return result == REBAL_OK ? rebali_put_text(named, "name", "pod", err) : result;
}

/* Checks that a template can be decoded as a Pod. */
static int32_t read_pod(const json_t *template, rebal_error *err) {
  json_t *pod = rebali_copy(template);
  int32_t result = pod != NULL ? rebali_put_text(pod, "apiVersion", "v1", err) : rebali_fail_memory(err);
  result = result == REBAL_OK ? rebali_put_text(pod, "kind", "Pod", err) : result;
  result = result == REBAL_OK ? name_pod(pod, err) : result;
  result = result == REBAL_OK ? rebali_object_check(pod, NULL, err) : result;
  json_decref(pod);
  return result;
}

int32_t rebali_try_pod(const json_t *patch, rebal_error *err) {
  json_t *pod = NULL, *merged = NULL;
  int32_t result = open_pod(NULL, &pod);
  result = result == REBAL_OK ? merge(pod, patch, &merged, NULL) : result;
  if (result == REBAL_OK) {
    result = read_pod(merged, err);
  } else if (result != REBAL_ENOMEM) {
    result = REBAL_OK;
  }
  json_decref(merged);
  json_decref(pod);
  return result;
}

/* ---- faults ---- */

/* A patch being checked. */
struct trial {
  const struct rebali_spread_check *spread;
  const json_t *patch;
  const struct rebali_path *path; /* of the patch */
  int is_unreadable;              /* the result is not a Pod */
};

static void fault(struct trial *trial, uint32_t code, const char *before, const char *message) {
  rebali_fault(trial->spread->check, code, INVALID, trial->patch, trial->path, "%s%s", before, message);
}

static void fault_type(struct trial *trial, const char *message) {
  trial->is_unreadable = 1;
  fault(trial, REBAL_FINDING_PATCH_REFUSED, "failed to unmarshal: ", message);
}

/* Admission has no message for a missing value. */
static void require(const struct trial *trial, const struct rebali_path *path) {
  rebali_fault(trial->spread->check, REBAL_FINDING_PATCH_REFUSED, REQUIRED, NULL, path, "%s",
               trial->spread->beside->is_whole ? "" : "pods with the patch lack it");
}

/* ---- types ---- */

/* By the type of jansson, as decoding names the value's type. */
static const char *const type_names[] = {"object", "array", "string", "number", "number", "bool", "bool"};

/* The steps to a value, as named by decoding. */
struct steps {
  const struct steps *before;
  const char *name;
};

static void print_steps(const struct steps *steps, struct rebali_buffer *out) {
  if (steps != NULL) {
    print_steps(steps->before, out);
    rebali_buffer_text(out, ".");
    rebali_buffer_text(out, steps->name);
  }
}

static void find_type(struct trial *trial, const struct rebali_pod_type *type, const struct rebali_pod_member *member,
                      const struct steps *steps, const json_t *value) {
  struct rebali_buffer text = REBALI_BUFFER;
  rebali_buffer_format(&text, "json: cannot unmarshal %s into Go struct field %s", type_names[json_typeof(value)],
                       type->name);
  print_steps(steps, &text);
  rebali_buffer_format(&text, " of type %sv1.%s", member->is_list ? "[]" : "", member->type->name);
  if (text.failed) {
    trial->spread->check->result = REBAL_ENOMEM;
  } else {
    fault_type(trial, text.bytes);
  }
  rebali_buffer_dispose(&text);
}

static int is_any(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Returns 1 if a member is an invalid quantity, or a map with one. */
static int is_bad_quantity(const char *key, const json_t *value) {
  static const char *const one[] = {"sizeLimit", "divisor"}, *const map[] = {"limits", "requests", "overhead"};
  json_t *walked = (json_t *)(uintptr_t)value, *member; /* jansson's iterators take no const */
  rebal_quantity quantity;
  const char *name;
  if (is_any(key, one, REBALI_COUNT(one))) {
    return rebali_read_quantity(value, NULL, &quantity, NULL) != REBAL_OK;
  }
  if (is_any(key, map, REBALI_COUNT(map))) {
    json_object_foreach(walked, name, member) {
      if (rebali_read_quantity(member, NULL, &quantity, NULL) != REBAL_OK) {
        return 1;
      }
    }
  }
  return 0;
}

static int has_bad_quantity(const json_t *value, const struct rebali_pod_type *type);

static int has_bad_member(const char *key, const json_t *value, const struct rebali_pod_type *type) {
  struct rebali_pod_member member;
  if (json_is_null(value) || !rebali_pod_type_member(type, key, &member)) {
    return 0;
  }
  return member.type != NULL ? has_bad_quantity(value, member.type) : is_bad_quantity(key, value);
}

static int has_bad_quantity(const json_t *value, const struct rebali_pod_type *type) {
  json_t *walked = (json_t *)(uintptr_t)value, *member;
  const char *key;
  for (size_t i = 0; i < json_array_size(value); i++) {
    if (has_bad_quantity(json_array_get(value, i), type)) {
      return 1;
    }
  }
  json_object_foreach(walked, key, member) {
    if (has_bad_member(key, member, type)) {
      return 1;
    }
  }
  return 0;
}

static void check_types(struct trial *trial, const json_t *value, const struct rebali_pod_type *type,
                        const struct steps *steps);

static void check_member(struct trial *trial, const struct rebali_pod_type *type, const struct steps *steps,
                         const json_t *value) {
  struct rebali_pod_member member;
  if (json_is_null(value) || !rebali_pod_type_member(type, steps->name, &member) || member.type == NULL) {
    return;
  }
  if (member.is_list ? !json_is_array(value) : !json_is_object(value)) {
    find_type(trial, type, &member, steps, value);
    return;
  }
  for (size_t i = 0; i < json_array_size(value); i++) {
    check_types(trial, json_array_get(value, i), member.type, steps);
  }
  check_types(trial, value, member.type, steps);
}

/* Checks the members of a map; other values have none. */
static void check_types(struct trial *trial, const json_t *value, const struct rebali_pod_type *type,
                        const struct steps *steps) {
  json_t *walked = (json_t *)(uintptr_t)value, *member;
  const char *key;
  json_object_foreach(walked, key, member) {
    const struct steps at = {steps, key};
    check_member(trial, type, &at, member);
  }
}

#define BAD_QUANTITY "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

/* Checks by decoding as a Pod the members whose types the list lacks. */
static void check_rest(struct trial *trial, const json_t *pod) {
  rebal_error err = REBAL_ERROR_INIT;
  struct rebali_buffer text = REBALI_BUFFER;
  const int32_t result = read_pod(pod, &err);
  rebali_buffer_format(&text, "%s%s%s", err.field, err.field[0] != '\0' ? ": " : "", err.message);
  if (result == REBAL_ENOMEM || text.failed) {
    trial->spread->check->result = REBAL_ENOMEM;
  } else if (result != REBAL_OK) {
    fault_type(trial, text.bytes);
  }
  rebali_buffer_dispose(&text);
}

static void check_pod(struct trial *trial, const json_t *pod) {
  check_types(trial, pod, rebali_pod_type, NULL);
  if (has_bad_quantity(pod, rebali_pod_type)) {
    fault_type(trial, BAD_QUANTITY);
  }
  if (!trial->is_unreadable) {
    check_rest(trial, pod);
  }
}

/* ---- required members of a pod ---- */

static const json_t *containers_of(const json_t *pod, const char *list) {
  return rebali_member(rebali_member(pod, "spec"), list);
}

/* Reports missing members of a container; report NULL: only returns whether one is missing. */
static int lacks_member(const json_t *container, const char *name, const struct trial *report,
                        const struct rebali_path *item) {
  const struct rebali_path at = rebali_path_key(item, name);
  const int is_missing = *rebali_member_text(container, name) == '\0';
  if (is_missing && report != NULL) {
    require(report, &at);
  }
  return is_missing;
}

static int lacks_any(const json_t *pod, const struct trial *report, const struct rebali_path *path) {
  static const char *const lists[] = {"containers", "initContainers"}, *const names[] = {"name", "image"};
  int lacks = 0;
  for (size_t i = 0; i < REBALI_COUNT(lists); i++) {
    const struct rebali_path list = rebali_path_key(path, lists[i]);
    const json_t *containers = containers_of(pod, lists[i]);
    for (size_t k = 0; k < json_array_size(containers); k++) {
      const struct rebali_path item = rebali_path_index(&list, k);
      for (size_t name = 0; name < REBALI_COUNT(names); name++) {
        lacks |= lacks_member(json_array_get(containers, k), names[name], report, &item);
      }
    }
  }
  return lacks;
}

/* If the workload's own pods lack a member, they were not admitted either: the patch is not at fault. */
static void check_needs(const struct trial *trial, const json_t *template, const json_t *pod) {
  const struct rebali_path list = rebali_path_key(trial->path, "containers");
  if (json_array_size(containers_of(pod, "containers")) == 0) {
    if (json_array_size(containers_of(template, "containers")) > 0) {
      require(trial, &list);
    }
  } else if (!trial->is_unreadable && !lacks_any(template, NULL, trial->path)) {
    (void)lacks_any(pod, trial, trial->path);
  }
}

/* After a failed merge, admission continues with an empty pod. */
static void fault_merge(struct trial *trial, const char *message) {
  const struct rebali_path list = rebali_path_key(trial->path, "containers");
  fault(trial, REBAL_FINDING_PATCH_UNMERGEABLE, "failed to merge patch: ", message);
  if (trial->spread->beside->is_whole) {
    fault_type(trial, "unexpected end of JSON input");
    require(trial, &list);
  }
}

void rebali_check_patch(const struct rebali_spread_check *spread, const json_t *patch, const struct rebali_path *path) {
  rebal_error err = REBAL_ERROR_INIT;
  struct trial trial = {spread, patch, path, 0};
  json_t *template = NULL, *pod = NULL;
  int32_t result = open_pod(spread->workload, &template);
  result = result == REBAL_OK ? merge(template, patch, &pod, &err) : result;
  if (result == REBAL_ENOMEM) {
    spread->check->result = REBAL_ENOMEM;
  } else if (result != REBAL_OK) {
    fault_merge(&trial, err.message);
  } else {
    result = read_pod(template, NULL);
    if (result == REBAL_OK) {
      check_pod(&trial, pod);
      check_needs(&trial, template, pod);
    } else if (result == REBAL_ENOMEM) {
      spread->check->result = REBAL_ENOMEM;
    }
  }
  json_decref(pod);
  json_decref(template);
}

/* ---- unknown members of pods ---- */

static void find_lacking(struct rebali_check *check, uint32_t code, const struct rebali_pod_type *type, const char *key,
                         const struct rebali_path *path) {
  const struct rebali_text near = rebali_pod_type_near(type, key);
  const char *drops = code == REBAL_FINDING_PATCH_DROPPED ? ", and the API server drops it" : "";
  if (near.len > 0) {
    rebali_find(check, code, path, "%s has no such member%s; did you mean \"%.*s\"?", type->name, drops, (int)near.len,
                near.bytes);
  } else {
    rebali_find(check, code, path, "%s has no such member%s", type->name, drops);
  }
}

void rebali_check_pod_members(struct rebali_check *check, uint32_t code, const json_t *value,
                              const struct rebali_pod_type *type, const struct rebali_path *path) {
  json_t *walked = (json_t *)(uintptr_t)value, *item;
  struct rebali_pod_member member;
  const char *key;
  for (size_t i = 0; i < json_array_size(value); i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    rebali_check_pod_members(check, code, json_array_get(value, i), type, &at);
  }
  json_object_foreach(walked, key, item) {
    const struct rebali_path at = rebali_path_key(path, key);
    if (*key == '$') {
      continue;
    }
    if (!rebali_pod_type_member(type, key, &member)) {
      find_lacking(check, code, type, key, &at);
    } else if (member.type != NULL) {
      rebali_check_pod_members(check, code, item, member.type, &at);
    }
  }
}
