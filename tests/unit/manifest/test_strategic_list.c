/* SPDX-License-Identifier: MIT */
#include "patching.h"

#include "manifest/patch/strategic.h"

static const struct patching rows[] = {
    {"spec: {containers: [{name: a}, {name: b}, {name: a, image: x}]}",
     "spec: {containers: [{name: a, $patch: delete}]}", "spec: {containers: [{name: b}]}", NULL, NULL},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{name: z, $patch: delete}]}",
     "spec: {containers: [{name: a}]}", NULL, NULL},
    {"spec: {containers: [{name: a}]}",
     "spec: {containers: [{name: b, image: x}, {name: b, image: z, tty: true}, {name: b, stdin: true}]}",
     "spec: {containers: [{name: b, image: z, tty: true, stdin: true}, {name: a}]}", NULL, NULL},
    {"spec: {containers: [{name: a}, {name: a, image: x}]}", "spec: {containers: [{name: a, image: z}]}",
     "spec: {containers: [{name: a, image: z}, {name: a, image: x}]}", NULL, NULL},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{name: b, $retainKeys: [name]}]}",
     "spec: {containers: [{name: b, $retainKeys: [name]}, {name: a}]}", NULL, NULL},
    {"spec: {containers: [{image: x}]}",
     "spec: {containers: [{$patch: replace}, {name: a}, {name: b, $patch: delete}]}", "spec: {containers: [{name: a}]}",
     NULL, NULL},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{$patch: replace}, {name: c}, {name: b}, {name: c}]}",
     "spec: {containers: [{name: c}, {name: c}, {name: b}]}", NULL, NULL},
    {"spec: {containers: [{name: null}]}", "spec: {containers: [{name: a}]}",
     "spec: {containers: [{name: a}, {name: null}]}", NULL, NULL},
    {"spec: {containers: [{name: null}]}", "spec: {containers: [{name: null}]}", NULL,
     "map: map[name:<nil>] does not contain declared merge key: name", "spec.containers[0]"},
    {"spec: {containers: [{name: {}}]}", "spec: {containers: [{name: {}}]}", NULL, "the merge key name is not a scalar",
     "spec.containers[0]"},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{name: [a]}]}", NULL, "the merge key name is not a scalar",
     "spec.containers[0]"},
    {"spec: {containers: [{name: a}, null]}", "spec: {containers: [{name: a}]}", NULL,
     "list element types are not identical: [[map[name:a] <nil>] [map[name:a]]]", "spec.containers"},
    {"spec: {containers: [null]}", "spec: {containers: [null]}", NULL,
     "list element types are not identical: [[<nil>] [<nil>]]", "spec.containers"},
    {"spec: {containers: [a]}", "spec: {containers: [b]}", NULL,
     "expected a map[string]interface {}, but received a string", "spec.containers[0]"},
    {"spec: {containers: [1.5]}", "spec: {containers: []}", NULL,
     "expected a map[string]interface {}, but received a float64", "spec.containers"},
    {"metadata: {finalizers: [a, a, b]}", "metadata: {finalizers: [b, c, b]}", "metadata: {finalizers: [a, b, c]}",
     NULL, NULL},
    {"metadata: {finalizers: [1, 2]}", "metadata: {finalizers: [2, 3]}", "metadata: {finalizers: [1, 2, 3]}", NULL,
     NULL},
    {"metadata: {finalizers: [1.5]}", "metadata: {finalizers: [1.5, 2.5]}", "metadata: {finalizers: [1.5, 2.5]}", NULL,
     NULL},
    {"metadata: {finalizers: [1]}", "metadata: {finalizers: [1.0]}", NULL,
     "list element types are not identical: [[1] [1.0]]", "metadata.finalizers"},
    {"metadata: {finalizers: [a]}", "metadata: {$deleteFromPrimitiveList/finalizers: [1]}", NULL,
     "list element types are not identical: [[a] [1]]", "metadata.finalizers"},
    {"metadata: {finalizers: [{a: 1}]}", "metadata: {$deleteFromPrimitiveList/finalizers: [{a: 1}]}", NULL,
     "cannot merge lists without merge key for string", "metadata.finalizers[0]"},
    {"metadata: {finalizers: []}", "metadata: {finalizers: []}", "metadata: {finalizers: []}", NULL, NULL},
};

START_TEST(test_lists) {
  assert_patch(&rows[_i], REBAL_PATCH_STRATEGIC, REBAL_EINVAL);
}
END_TEST

/* What the reference's slots hold after deletions: the order of elements goes by it. */
START_TEST(test_storage) {
  static const struct {
    const char *before, *patch, *storage;
  } rows_of_storage[] = {
      {"[{name: a}, {name: b}, {name: c}]", "[{name: d}]", "[{name: a}, {name: b}, {name: c}]"},
      {"[{name: a}, {name: b}, {name: c}]", "[{name: a, $patch: delete}]", "[{name: b}, {name: c}, {name: c}]"},
      {"[{name: a}, {name: b}, {name: c}]", "[{name: c, $patch: delete}]", "[{name: a}, {name: b}, {name: c}]"},
      {"[{name: a}, {name: b}, {name: a}, {name: c}]", "[{name: a, $patch: delete}]",
       "[{name: b}, {name: c}, {name: c}, {name: c}]"},
      {"[{name: a}, {name: b}, {name: c}]", "[{name: b, $patch: delete}, {name: d}, {name: e}]",
       "[{name: a}, {name: c}, {name: d}]"},
      {"[{name: a}, {name: b}]", "[{name: a, $patch: delete}, {$patch: replace}, {name: d}]", "[{name: b}, {name: b}]"},
  };
  static const struct rebali_object_member member = {.name = "containers", .flags = REBALI_MERGED, .key = "name"};
  for (size_t i = 0; i < COUNT(rows_of_storage); i++) {
    rebal_document *before = document_of(rows_of_storage[i].before), *patch = document_of(rows_of_storage[i].patch);
    rebal_document slots;
    json_t *out;
    ck_assert_int_eq(rebali_strategic_lists(before->tree, 0, patch->tree, &member, NULL, &out, &slots.tree, NULL),
                     REBAL_OK);
    assert_document(&slots, rows_of_storage[i].storage, rows_of_storage[i].patch);
    json_decref(slots.tree);
    json_decref(out);
    rebal_document_free(before);
    rebal_document_free(patch);
  }
}
END_TEST

/* ---- lists of any length, against what one deletion after another leaves ---- */

static const struct rebali_object_member containers = {.name = "containers", .flags = REBALI_MERGED, .key = "name"};

/* Elements of which some share a name. */
static json_t *make_elements(int n) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) {
    json_array_append_new(list, json_pack("{s:i, s:i}", "name", i * i % 37, "place", i));
  }
  return list;
}

/* Every third name goes; of the rest every second one is given a member, and some are new. */
static json_t *make_patch(void) {
  json_t *patch = json_array();
  for (int i = 40; i >= 0; i--) {
    if (i % 3 == 0) {
      json_array_append_new(patch, json_pack("{s:i, s:s}", "name", i, "$patch", "delete"));
    } else if (i % 2 == 0) {
      json_array_append_new(patch, json_pack("{s:i, s:b}", "name", i, "patched", 1));
    }
  }
  return patch;
}

static int64_t name_of(const json_t *element) {
  return json_integer_value(json_object_get(element, "name"));
}

/* The slots as slices leave them: elements move up, the last one stays where it was too. */
static size_t delete_plainly(json_t *slots, size_t n, int64_t name) {
  for (size_t i = 0; i < n;) {
    if (name_of(json_array_get(slots, i)) == name) {
      n--;
      for (size_t k = i; k < n; k++) {
        json_array_set(slots, k, json_array_get(slots, k + 1));
      }
    } else {
      i++;
    }
  }
  return n;
}

static int has_name(const json_t *list, size_t n, int64_t name) {
  for (size_t i = 0; i < n; i++) {
    if (name_of(json_array_get(list, i)) == name) {
      return 1;
    }
  }
  return 0;
}

START_TEST(test_any_length) {
  json_t *list = make_elements(_i), *patch = make_patch(), *slots = json_copy(list), *out, *storage;
  size_t left = (size_t)_i, at, n_new = 0;
  for (int i = 39; i >= 0; i -= 3) {
    left = delete_plainly(slots, left, i);
  }
  ck_assert_int_eq(rebali_strategic_lists(list, 0, patch, &containers, NULL, &out, &storage, NULL), REBAL_OK);
  at = left;
  for (int i = 40; i >= 0; i--) {
    if (i % 3 != 0 && i % 2 == 0 && !has_name(slots, left, i)) {
      json_t *element = json_pack("{s:i, s:b}", "name", i, "patched", 1);
      if (at < (size_t)_i) {
        json_array_set(slots, at++, element);
      }
      json_decref(element);
      n_new++;
    }
  }
  ck_assert(json_equal(storage, slots));
  ck_assert_uint_eq(json_array_size(out), left + n_new);
  for (size_t i = 0; i < json_array_size(out); i++) {
    const json_t *element = json_array_get(out, i);
    const int is_first = !has_name(out, i, name_of(element));
    ck_assert_int_eq(json_is_true(json_object_get(element, "patched")), is_first && name_of(element) % 2 == 0);
  }
  json_decref(list);
  json_decref(patch);
  json_decref(slots);
  json_decref(out);
  json_decref(storage);
}
END_TEST

UNIT_CASE(strategic_list) {
  TCase *cases = tcase_create("strategic_list");
  tcase_add_loop_test(cases, test_lists, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_storage);
  tcase_add_loop_test(cases, test_any_length, 0, 60);
  return cases;
}
