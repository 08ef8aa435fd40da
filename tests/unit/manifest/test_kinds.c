/* SPDX-License-Identifier: MIT */
/*
 * Objects made from the table of kinds, every known member and some unknown ones at every depth: what is loaded is
 * written again, in whatever notation.
 */
#include "manifest/validate/checks.h"
#include "stores.h"

#include <stdio.h>

struct maker {
  uint64_t state; /* of the draw */
  int unknown;    /* how many unknown members were put in */
};

static uint64_t draw(struct maker *maker, uint64_t n) {
  maker->state = maker->state * 6364136223846793005u + 1442695040888963407u;
  return (maker->state >> 33) % n;
}

static json_t *make_shape(struct maker *maker, const struct rebali_shape *shape, size_t depth);

/* The first of the listed texts, or a name. */
static json_t *make_text(struct maker *maker, const struct rebali_object_member *member) {
  char text[32];
  if (member->values != NULL) {
    return json_stringn(member->values, strcspn(member->values, " "));
  }
  (void)snprintf(text, sizeof text, "t%u", (unsigned)draw(maker, 1000));
  return json_string(text);
}

static json_t *make_quantity(struct maker *maker) {
  static const char *const texts[] = {"500m", "1.50", "2Gi", "1e3", "0"};
  return draw(maker, 3) == 0 ? rebali_number_new("1.50", 4) : json_string(texts[draw(maker, COUNT(texts))]);
}

static json_t *make_any(struct maker *maker) {
  maker->unknown++;
  return json_pack("{s:[i,n,b], s:{s:s}, s:o}", "list", (int)draw(maker, 9), 1, "map", "#", "- a: |\n  b ", "real",
                   rebali_number_new("12345678901234567890.10", 23));
}

static json_t *make_value(struct maker *maker, const struct rebali_object_member *member, size_t depth) {
  switch (member->type) {
    case REBAL_TYPE_TEXT:
      return make_text(maker, member);
    case REBAL_TYPE_QUANTITY:
      return make_quantity(maker);
    case REBAL_TYPE_TIME:
      return json_string("2026-03-14T09:00:00Z");
    case REBAL_TYPE_BOOLEAN:
      return json_boolean(draw(maker, 2));
    case REBAL_TYPE_OBJECT:
      return make_shape(maker, member->child, depth + 1);
    case REBALI_TYPE_INT_OR_TEXT:
      return draw(maker, 2) == 0 ? json_string("50%") : json_integer((json_int_t)draw(maker, 100));
    case REBALI_TYPE_ANY:
      return make_any(maker);
    default:
      return json_integer((json_int_t)draw(maker, 100) + 1);
  }
}

static json_t *make_member(struct maker *maker, const struct rebali_object_member *member, size_t depth) {
  json_t *value;
  const int n = 1 + (int)draw(maker, 2);
  char key[32];
  if (member->cardinality == REBAL_CARDINALITY_ONE) {
    return make_value(maker, member, depth);
  }
  value = member->cardinality == REBAL_CARDINALITY_LIST ? json_array() : json_object();
  for (int i = 0; i < n; i++) {
    (void)snprintf(key, sizeof key, "k.io/%d", i);
    if (json_is_array(value)) {
      ck_assert_int_eq(json_array_append_new(value, make_value(maker, member, depth)), 0);
    } else {
      ck_assert_int_eq(json_object_set_new(value, key, make_value(maker, member, depth)), 0);
    }
  }
  return value;
}

/* Members backwards, so that no order is right by chance. */
static json_t *make_shape(struct maker *maker, const struct rebali_shape *shape, size_t depth) {
  json_t *tree = json_object();
  for (size_t i = shape->n; i > 0; i--) {
    const struct rebali_object_member *member = &shape->members[i - 1];
    ck_assert_int_eq(json_object_set_new(tree, member->name, make_member(maker, member, depth)), 0);
  }
  if (depth < 3 && draw(maker, 2) == 0) {
    ck_assert_int_eq(json_object_set_new(tree, "notInTheApi", make_any(maker)), 0);
  }
  return tree;
}

static json_t *make_object(struct maker *maker, const struct rebali_kind *kind) {
  json_t *tree = make_shape(maker, kind->shape, 0);
  ck_assert_int_eq(json_object_set_new(tree, "apiVersion", json_string(kind->api_version)), 0);
  ck_assert_int_eq(json_object_set_new(tree, "kind", json_string(kind->kind)), 0);
  return tree;
}

static json_t *read_back(const rebal_text *text) {
  json_t **documents = NULL, *tree;
  size_t n = 0, len;
  const char *bytes = rebal_text_bytes(text, &len);
  ck_assert_int_eq(rebali_text_read(bytes, len, NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 1);
  tree = json_incref(documents[0]);
  rebali_documents_free(documents, n);
  return tree;
}

static void assert_survives(json_t *tree, uint32_t format) {
  rebal_store *store = store_new();
  rebal_text *text = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  json_t *again;
  size_t len;
  const char *bytes;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_tree_write(tree, format, text, NULL), REBAL_OK);
  bytes = rebal_text_bytes(text, &len);
  ck_assert_msg(rebal_store_load(store, bytes, len, &err) == REBAL_OK, "%s: %s", err.field, err.message);
  rebal_text_reset(text);
  ck_assert_int_eq(rebal_store_write(store, rebal_store_next(store, "", 0, REBAL_NONE), format, text, NULL), REBAL_OK);
  again = read_back(text);
  ck_assert(json_equal(tree, again));
  json_decref(again);
  rebal_text_free(text);
  rebal_store_free(store);
}

/* The canonical form holds the same, with known members in the order of the table. */
static void assert_canonical(json_t *tree, const struct rebali_kind *kind) {
  json_t *canonical = rebali_canonical(tree);
  void *member = json_object_iter(canonical);
  ck_assert(json_equal(tree, canonical));
  for (size_t i = 0; i < kind->shape->n; i++, member = json_object_iter_next(canonical, member)) {
    ck_assert_str_eq(json_object_iter_key(member), kind->shape->members[i].name);
  }
  json_decref(canonical);
}

START_TEST(test_made_objects_survive) {
  size_t n;
  const struct rebali_kind *kind = &rebali_kinds(&n)[_i];
  struct maker maker = {(uint64_t)_i + 1, 0};
  for (int turn = 0; turn < 20; turn++) {
    json_t *tree = make_object(&maker, kind);
    assert_canonical(tree, kind);
    for (uint32_t format = REBAL_TEXT_FORMAT_JSON; format <= REBAL_TEXT_FORMAT_YAML; format++) {
      assert_survives(tree, format);
    }
    json_decref(tree);
  }
  ck_assert_int_gt(maker.unknown, 20);
}
END_TEST

/* No shape names a member twice, and each kind is found by its own name. */
START_TEST(test_the_table) {
  size_t n;
  const struct rebali_kind *kind = &rebali_kinds(&n)[_i];
  json_t *tree = json_pack("{s:s, s:s}", "apiVersion", kind->api_version, "kind", kind->kind);
  ck_assert_ptr_eq(rebali_kind_of(tree), kind);
  ck_assert_int_eq(rebali_kind_is_other_version(tree), 0);
  for (size_t i = 0; i < kind->shape->n; i++) {
    ck_assert_ptr_eq(rebali_shape_member(kind->shape, kind->shape->members[i].name), &kind->shape->members[i]);
  }
  ck_assert_ptr_null(rebali_shape_member(kind->shape, "notInTheApi"));
  json_decref(tree);
}
END_TEST

UNIT_CASE(kinds) {
  TCase *cases = tcase_create("kinds");
  size_t n;
  (void)rebali_kinds(&n);
  tcase_add_loop_test(cases, test_made_objects_survive, 0, (int)n);
  tcase_add_loop_test(cases, test_the_table, 0, (int)n);
  return cases;
}
