/* SPDX-License-Identifier: MIT */
/* Attaches bindings of what a workload depends on to the workload's binding (rebalance-karmada(7) 14.8). */
#include "detector/policy/policy.h"
#include "manifest/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINALIZER "karmada.io/binding-dependencies-distributor"
#define DEPENDENCIES "resourcebinding.karmada.io/dependencies"
#define DEPENDED_BY "resourcebinding.karmada.io/depended-by-"
#define PERMANENT_ID "resourcebinding.karmada.io/permanent-id"

/* A binding that propagates its dependencies, or did so. */
struct distribution {
  rebal_detector *detector;
  const json_t *binding; /* as it is, or was before it was deleted */
  char key[64];          /* of the label on attached bindings */
  rebal_error *err;
};

/* Builds the label's key: FNV-1a of namespace/name in decimal, each digit in the alphabet of Kubernetes' hashes. */
static int32_t name_key(struct distribution *in) {
  struct rebali_buffer text = REBALI_BUFFER;
  char digits[16];
  size_t at = sizeof DEPENDED_BY - 1;
  rebali_buffer_format(&text, "%s/%s", rebali_metadata_text(in->binding, "namespace"),
                       rebali_metadata_text(in->binding, "name"));
  if (text.failed) {
    rebali_buffer_dispose(&text);
    return rebali_fail_memory(in->err);
  }
  (void)snprintf(digits, sizeof digits, "%u", (unsigned)rebali_fnv1a32(text.bytes, text.len));
  rebali_buffer_dispose(&text);
  memcpy(in->key, DEPENDED_BY, at);
  for (const char *digit = digits; *digit != '\0'; digit++) {
    in->key[at++] = rebali_hash_letter((unsigned char)*digit);
  }
  in->key[at] = '\0';
  return REBAL_OK;
}

static const char *id_of(const struct distribution *in) {
  const char *id = rebali_text_of(rebali_label(in->binding, PERMANENT_ID));
  return id[0] != '\0' || (in->detector->flags & REBAL_DETECTOR_FLAG_ADMISSION) == 0
             ? id
             : rebali_metadata_text(in->binding, "uid");
}

static int has_finalizer(const json_t *binding) {
  return rebali_finalizer_find(binding, FINALIZER) != SIZE_MAX;
}

/* Sets *noted to the list in the annotation, a new reference, or to NULL if it is missing or malformed. */
static int32_t read_noted(const struct distribution *in, json_t **noted) {
  const char *text = rebali_text_of(rebali_annotation(in->binding, DEPENDENCIES));
  rebal_error local = {.struct_size = sizeof local};
  *noted = NULL;
  if (text[0] != '\0' && rebali_json_text(text, strlen(text), noted, &local) == REBAL_ENOMEM) {
    return rebali_fail_memory(in->err);
  }
  return REBAL_OK;
}

/* ---- one attached binding ---------------------------------------------------------------------------------------- */

/* Returns the index of the binding's entry in spec.requiredBy, or its length. */
static size_t find_entry(const struct distribution *in, const json_t *required) {
  size_t i = 0;
  while (i < json_array_size(required) && (strcmp(rebali_member_text(json_array_get(required, i), "namespace"),
                                                  rebali_metadata_text(in->binding, "namespace")) != 0 ||
                                           strcmp(rebali_member_text(json_array_get(required, i), "name"),
                                                  rebali_metadata_text(in->binding, "name")) != 0)) {
    i++;
  }
  return i;
}

/* Tests whether one of the bindings that require it overwrites, and whether one preserves. */
static int32_t read_strategies(const struct distribution *in, const json_t *required, int *overwrites, int *preserves) {
  rebal_store *store = in->detector->store;
  int32_t result = REBAL_OK;
  *overwrites = *preserves = 0;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(required); i++) {
    const json_t *entry = json_array_get(required, i), *spec;
    const uint32_t found =
        rebali_store_find_text(store, REBALI_WORK_API, "ResourceBinding", rebali_member_text(entry, "namespace"),
                               rebali_member_text(entry, "name"));
    json_t *tree = NULL;
    if (found != REBAL_NONE) {
      result = rebali_store_visit(store, found, &tree, in->err);
    }
    spec = rebali_member(tree, "spec");
    *overwrites |= strcmp(rebali_member_text(spec, "conflictResolution"), "Overwrite") == 0;
    *preserves |= json_is_true(rebali_member(spec, "preserveResourcesOnDeletion"));
    json_decref(tree);
  }
  return result;
}

/* A binding without its own policy uses the strictest strategies of those that require it. */
static int32_t put_strategies(const struct distribution *in, json_t *spec) {
  const json_t *required = rebali_member(spec, "requiredBy");
  int overwrites, preserves;
  int32_t result;
  if (rebali_member(spec, "placement") != NULL) {
    return REBAL_OK;
  }
  (void)json_object_del(spec, "conflictResolution");
  (void)json_object_del(spec, "preserveResourcesOnDeletion");
  if (json_array_size(required) == 0) {
    return REBAL_OK;
  }
  result = read_strategies(in, required, &overwrites, &preserves);
  if (result == REBAL_OK) {
    result = rebali_put_text(spec, "conflictResolution", overwrites ? "Overwrite" : "Abort", in->err);
  }
  return result == REBAL_OK && preserves ? rebali_put(spec, "preserveResourcesOnDeletion", json_true(), in->err)
                                         : result;
}

/* Puts the binding's entry into a new list; if is_present is 0, builds the list without it. */
static int32_t put_entry(const struct distribution *in, json_t *spec, int is_present) {
  const json_t *old = rebali_member(spec, "requiredBy");
  json_t *list = old != NULL ? rebali_copy(old) : json_array(), *entry;
  json_t *clusters = rebali_member(rebali_member(in->binding, "spec"), "clusters");
  const size_t at = find_entry(in, list);
  int32_t result = REBAL_OK;
  if (list == NULL) {
    return rebali_fail_memory(in->err);
  }
  (void)json_array_remove(list, at);
  if (is_present) {
    entry = json_pack("{s:s, s:s}", "namespace", rebali_metadata_text(in->binding, "namespace"), "name",
                      rebali_metadata_text(in->binding, "name"));
    if (entry == NULL || json_array_insert_new(list, at, entry) != 0) {
      result = rebali_fail_memory(in->err);
    } else if (json_array_size(clusters) > 0) {
      result = rebali_put(entry, "clusters", json_incref(clusters), in->err);
    }
  }
  if (result == REBAL_OK && json_array_size(list) > 0) {
    return rebali_put(spec, "requiredBy", list, in->err);
  }
  json_decref(list);
  (void)json_object_del(spec, "requiredBy");
  return result;
}

/* Removes the binding's label and entry from an attached binding. */
static int32_t detach(const struct distribution *in, uint32_t attached) {
  json_t *before = NULL, *tree = NULL, *spec;
  int32_t result = rebali_store_share(in->detector->store, attached, &before, in->err);
  if (result != REBAL_OK || rebali_label(before, in->key) == NULL) {
    json_decref(before);
    return result;
  }
  tree = rebali_editable(before);
  spec = tree != NULL ? rebali_copy(rebali_member(tree, "spec")) : NULL;
  result = tree != NULL ? rebali_put(tree, "spec", spec, in->err) : rebali_fail_memory(in->err);
  if (result == REBAL_OK) {
    rebali_key_remove(tree, "labels", in->key);
    result = put_entry(in, spec, 0);
  }
  if (result == REBAL_OK) {
    result = put_strategies(in, spec);
  }
  if (result == REBAL_OK) {
    result = rebali_detector_write(in->detector, attached, tree, before, in->err);
  }
  json_decref(tree);
  json_decref(before);
  return result;
}

/* tree is an editable binding, or a new map that becomes one. */
static int32_t fill(const struct distribution *in, json_t *tree, const json_t *object, const char *name) {
  const json_t *old = rebali_member(tree, "spec");
  const int is_new = rebali_member(tree, "metadata") == NULL;
  json_t *metadata = NULL, *spec = NULL;
  int32_t result = is_new ? rebali_put_identity(tree, object, name, in->err) : REBAL_OK;
  if (result == REBAL_OK) {
    metadata = rebali_map_at(tree, "metadata");
    spec = old != NULL ? rebali_copy(old) : json_object();
    result = rebali_put(tree, "spec", spec, in->err);
  }
  if (result == REBAL_OK && is_new) {
    result = rebali_put_owner(metadata, object, in->err);
    result = result == REBAL_OK ? rebali_finalizer_put(tree, REBALI_BINDING_FINALIZER, in->err) : result;
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(rebali_map_at(metadata, "labels"), in->key, id_of(in), in->err);
  }
  if (result == REBAL_OK) {
    (void)json_object_del(spec, "resource");
    result = rebali_put_resource(spec, object, 0, in->err);
  }
  if (result == REBAL_OK) {
    result = put_entry(in, spec, 1);
  }
  return result == REBAL_OK ? put_strategies(in, spec) : result;
}

static int32_t attach(const struct distribution *in, uint32_t dependency) {
  rebal_store *store = in->detector->store;
  json_t *object = NULL, *before = NULL, *tree = NULL;
  char *name = NULL;
  uint32_t found = REBAL_NONE;
  int32_t result = rebali_store_share(store, dependency, &object, in->err);
  if (result == REBAL_OK) {
    result = rebali_find_binding(in->detector, object, &found, &name, in->err);
  }
  if (result == REBAL_OK && found != REBAL_NONE) {
    result = rebali_store_share(store, found, &before, in->err);
  }
  if (result == REBAL_OK) {
    tree = before != NULL ? rebali_editable(before) : json_object();
    result = tree != NULL ? fill(in, tree, object, name) : rebali_fail_memory(in->err);
  }
  if (result == REBAL_OK && before != NULL) {
    result = rebali_detector_write(in->detector, found, tree, before, in->err);
  } else if (result == REBAL_OK) {
    result = rebali_metadata_create(tree, &in->detector->now, in->err);
    result = result == REBAL_OK ? rebali_store_put(store, tree, &found, in->err) : result;
  }
  json_decref(tree);
  json_decref(before);
  json_decref(object);
  free(name);
  return result;
}

/* ---- all references of a list ------------------------------------------------------------------------------------ */

/* Calls visit with each object that the reference names or selects by labels. */
static int32_t visit_objects(const struct distribution *in, const json_t *reference,
                             int32_t (*visit)(const struct distribution *in, uint32_t object)) {
  rebal_store *store = in->detector->store;
  const char *kind = rebali_member_text(reference, "kind");
  const uint32_t named =
      rebali_store_find_text(store, rebali_member_text(reference, "apiVersion"), kind,
                             rebali_member_text(reference, "namespace"), rebali_member_text(reference, "name"));
  int32_t result = REBAL_OK;
  if (rebali_member_text(reference, "name")[0] != '\0') {
    return named != REBAL_NONE ? visit(in, named) : REBAL_OK;
  }
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    json_t *tree;
    int is_selected;
    result = rebali_store_visit(store, id, &tree, in->err);
    is_selected = result == REBAL_OK && rebali_selector_precision(reference, tree) != REBAL_PRECISION_NONE;
    json_decref(tree);
    if (is_selected) {
      result = visit(in, id);
    }
  }
  return result;
}

/* Tests whether a list contains a reference. */
static int is_listed(const json_t *list, const json_t *reference) {
  size_t i = 0;
  while (i < json_array_size(list) && !json_equal(json_array_get(list, i), reference)) {
    i++;
  }
  return i < json_array_size(list);
}

/* Detaches all by the label, because objects that labels selected may be deleted. */
static int32_t detach_by_label(const struct distribution *in) {
  rebal_store *store = in->detector->store;
  int32_t result = REBAL_OK;
  for (uint32_t id = rebal_store_next(store, "ResourceBinding", 15, REBAL_NONE); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, "ResourceBinding", 15, id)) {
    if (strcmp(store->objects[id].namespace_, rebali_metadata_text(in->binding, "namespace")) == 0) {
      result = detach(in, id);
    }
  }
  return result;
}

/* Detaches what the old list contains and the new one does not. */
static int32_t detach_dropped(const struct distribution *in, const json_t *old, const json_t *now) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(old); i++) {
    const json_t *reference = json_array_get(old, i);
    const char *name_of = rebali_member_text(reference, "name");
    char *name;
    uint32_t found;
    if (is_listed(now, reference)) {
      continue;
    }
    if (name_of[0] == '\0') {
      return detach_by_label(in); /* wanted ones are attached again later */
    }
    result = rebali_name_binding(name_of, rebali_member_text(reference, "kind"), &name, in->err);
    found = result == REBAL_OK ? rebali_store_find_text(in->detector->store, REBALI_WORK_API, "ResourceBinding",
                                                        rebali_metadata_text(in->binding, "namespace"), name)
                               : REBAL_NONE;
    free(name);
    if (found != REBAL_NONE) {
      result = detach(in, found);
    }
  }
  return result;
}

static int32_t attach_all(const struct distribution *in, const json_t *references) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(references); i++) {
    result = visit_objects(in, json_array_get(references, i), attach);
  }
  return result;
}

/* ---- a binding that distributes ---------------------------------------------------------------------------------- */

/*
 * Sets *references to a new list, or to NULL if the workload was deleted, its kind has no dependencies, or they are
 * malformed.
 */
static int32_t interpret(const struct distribution *in, json_t **references) {
  const json_t *resource = rebali_member(rebali_member(in->binding, "spec"), "resource");
  const uint32_t object = rebali_store_find_text(
      in->detector->store, rebali_member_text(resource, "apiVersion"), rebali_member_text(resource, "kind"),
      rebali_member_text(resource, "namespace"), rebali_member_text(resource, "name"));
  rebal_error local = {.struct_size = sizeof local};
  json_t *tree;
  int32_t result;
  *references = NULL;
  if (object == REBAL_NONE) {
    return REBAL_OK;
  }
  result = rebali_store_share(in->detector->store, object, &tree, in->err);
  if (result != REBAL_OK) {
    return result;
  }
  if ((rebali_interpret_operations(tree, NULL) & UINT32_C(1) << REBAL_INTERPRET_DEPENDENCIES) != 0) {
    result = rebali_interpret(tree, REBAL_INTERPRET_DEPENDENCIES, NULL, references, &local);
    if (result == REBAL_OK && *references == NULL) {
      *references = json_array();
    }
    result =
        result == REBAL_ENOMEM || (result == REBAL_OK && *references == NULL) ? rebali_fail_memory(in->err) : REBAL_OK;
  }
  json_decref(tree);
  return result;
}

static int32_t note_references(json_t *tree, const json_t *references, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t result = rebali_finalizer_put(tree, FINALIZER, err);
  if (result == REBAL_OK && rebali_json_write(references, 0, &text) != REBAL_OK) {
    result = rebali_fail_memory(err);
  }
  if (result == REBAL_OK) {
    result =
        rebali_put_text(rebali_map_at(rebali_map_at(tree, "metadata"), "annotations"), DEPENDENCIES, text.bytes, err);
  }
  rebali_buffer_dispose(&text);
  return result;
}

/* Sets finalizer and annotation of the binding itself; if references is NULL, removes them. */
static int32_t note(const struct distribution *in, uint32_t object, const json_t *references) {
  json_t *tree = rebali_editable(in->binding);
  int32_t result;
  if (tree == NULL) {
    return rebali_fail_memory(in->err);
  }
  if (references != NULL) {
    result = note_references(tree, references, in->err);
  } else {
    rebali_key_remove(tree, "annotations", DEPENDENCIES);
    result = rebali_finalizer_remove(tree, FINALIZER, in->err);
  }
  if (result == REBAL_OK) {
    result = rebali_detector_write(in->detector, object, tree, in->binding, in->err);
  }
  json_decref(tree);
  return result;
}

static int32_t distribute(const struct distribution *in, uint32_t object) {
  json_t *references, *old;
  int32_t result = interpret(in, &references);
  if (result != REBAL_OK || references == NULL) {
    return result;
  }
  result = read_noted(in, &old);
  if (result == REBAL_OK) {
    result = detach_dropped(in, old, references);
  }
  if (result == REBAL_OK) {
    result = note(in, object, references);
  }
  if (result == REBAL_OK) {
    result = attach_all(in, references);
  }
  json_decref(old);
  json_decref(references);
  return result;
}

static int32_t withdraw(const struct distribution *in, uint32_t object) {
  json_t *old;
  int32_t result = read_noted(in, &old);
  if (result == REBAL_OK) {
    result = detach_dropped(in, old, NULL);
  }
  json_decref(old);
  return result == REBAL_OK && object != REBAL_NONE ? note(in, object, NULL) : result;
}

int rebali_is_distributing(const json_t *binding) {
  return has_finalizer(binding) || json_is_true(rebali_member(rebali_member(binding, "spec"), "propagateDeps"));
}

int32_t rebali_distribute(rebal_detector *detector, uint32_t object, const json_t *binding, rebal_error *err) {
  struct distribution in = {.detector = detector, .binding = binding, .err = err};
  const json_t *spec = rebali_member(binding, "spec");
  const int is_wanted =
      object != REBAL_NONE && !rebali_is_deleting(binding) && json_is_true(rebali_member(spec, "propagateDeps"));
  int32_t result;
  if (!rebali_gate_is_on(detector, REBAL_DETECTOR_GATE_PROPAGATE_DEPS) ||
      (!has_finalizer(binding) && (!is_wanted || json_array_size(rebali_member(spec, "clusters")) == 0))) {
    return REBAL_OK;
  }
  result = name_key(&in);
  if (result != REBAL_OK) {
    return result;
  }
  return is_wanted ? distribute(&in, object) : withdraw(&in, object);
}
