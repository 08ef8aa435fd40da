/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "failing.h"
#include "patching.h"

#include "tests/support/dice.h"

#include <stdio.h>

static struct rebali_unchanged *unchanged_of(const char *subsets) {
  rebal_document *document = document_of(subsets);
  struct rebali_unchanged *unchanged = NULL;
  ck_assert_int_eq(rebali_unchanged_new(document->tree, &unchanged, NULL), REBAL_OK);
  rebal_document_free(document);
  return unchanged;
}

/* The first word of a pod in flow YAML. */
static uint64_t query(struct rebali_unchanged *unchanged, const char *pod) {
  rebal_document *document = document_of(pod);
  struct rebali_buffer scratch = REBALI_BUFFER;
  struct rebali_object object = {NULL, NULL, NULL, NULL, NULL, 0};
  const uint64_t *words = NULL;
  uint64_t word;
  ck_assert_int_eq(rebali_object_pack(document->tree, &scratch, &object, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_unchanged_pod(unchanged, &object, &words, NULL), REBAL_OK);
  word = words != NULL ? words[0] : 0;
  rebali_object_dispose(&object);
  rebali_buffer_dispose(&scratch);
  rebal_document_free(document);
  return word;
}

#define PATCHES                                                     \
  "[{name: none}, {name: empty, patch: {}}, {name: 'null', patch: " \
  "null}, {name: annotation, patch: {metadata: "                    \
  "{annotations: {a: b}}}}, {name: label, patch: {metadata: {labels: {zone: a}}}}, {name: text, patch: x}]"

START_TEST(test_a_bit_for_each_patch_that_changes_nothing) {
  struct rebali_unchanged *unchanged = unchanged_of(PATCHES);
  ck_assert_uint_eq(rebali_unchanged_stride(unchanged), 1);
  ck_assert_uint_eq(query(unchanged, "{metadata: {name: p}}"), 0xA);
  ck_assert_uint_eq(query(unchanged, "{metadata: {labels: {zone: a}}}"), 0x1A);
  ck_assert_uint_eq(query(unchanged, "{metadata: {labels: {zone: b}}}"), 0xA);
  rebali_unchanged_free(unchanged);
}
END_TEST

START_TEST(test_patch_of_many_labels) {
  struct rebali_buffer patch = REBALI_BUFFER, pod = REBALI_BUFFER, other = REBALI_BUFFER;
  struct rebali_unchanged *unchanged;
  rebali_buffer_text(&patch, "[{name: many, patch: {metadata: {labels: {");
  rebali_buffer_text(&pod, "{metadata: {labels: {");
  rebali_buffer_text(&other, "{metadata: {labels: {");
  for (int i = 0; i < 100; i++) {
    char member[24];
    (void)snprintf(member, sizeof member, "k%d: v%d, ", i, i);
    rebali_buffer_text(&patch, member);
    rebali_buffer_text(&pod, member);
    (void)snprintf(member, sizeof member, "k%d: v%d, ", i, i == 77 ? 0 : i);
    rebali_buffer_text(&other, member);
  }
  rebali_buffer_text(&patch, "}}}}]");
  rebali_buffer_text(&pod, "more: x}}}");
  rebali_buffer_text(&other, "more: x}}}");
  unchanged = unchanged_of(patch.bytes);
  ck_assert_uint_eq(query(unchanged, pod.bytes), 1);
  ck_assert_uint_eq(query(unchanged, other.bytes), 0);
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 2);
  pod.len -= 3 + 7;
  rebali_buffer_text(&pod, "less: x}}}");
  ck_assert_uint_eq(query(unchanged, pod.bytes), 1);
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 2); /* the patch does not depend on the label */
  rebali_unchanged_free(unchanged);
  rebali_buffer_dispose(&patch);
  rebali_buffer_dispose(&pod);
  rebali_buffer_dispose(&other);
}
END_TEST

START_TEST(test_without_patches_there_is_nothing) {
  struct rebali_unchanged *unchanged = unchanged_of("[{name: a}, {name: b, patch: null}]");
  ck_assert_uint_eq(rebali_unchanged_stride(unchanged), 0);
  ck_assert_uint_eq(query(unchanged, "{metadata: {name: p}}"), 0);
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 0);
  rebali_unchanged_free(unchanged);
  ck_assert_int_eq(rebali_unchanged_new(NULL, &unchanged, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_unchanged_stride(unchanged), 0);
  rebali_unchanged_free(unchanged);
  rebali_unchanged_free(NULL);
}
END_TEST

START_TEST(test_beyond_a_word) {
  struct rebali_buffer text = REBALI_BUFFER;
  struct rebali_unchanged *unchanged;
  rebal_document *pod = document_of("{metadata: {name: p}}");
  struct rebali_buffer scratch = REBALI_BUFFER;
  struct rebali_object object = {NULL, NULL, NULL, NULL, NULL, 0};
  const uint64_t *words = NULL;
  rebali_buffer_text(&text, "[{name: a, patch: {}}");
  for (int i = 1; i < 70; i++) {
    rebali_buffer_text(&text, i == 69 ? ", {name: a, patch: {}}" : ", {name: a}");
  }
  rebali_buffer_text(&text, "]");
  unchanged = unchanged_of(text.bytes);
  ck_assert_uint_eq(rebali_unchanged_stride(unchanged), 2);
  ck_assert_int_eq(rebali_object_pack(pod->tree, &scratch, &object, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_unchanged_pod(unchanged, &object, &words, NULL), REBAL_OK);
  ck_assert_uint_eq(words[0], 1);
  ck_assert_uint_eq(words[1], UINT64_C(1) << 5);
  rebali_object_dispose(&object);
  rebali_buffer_dispose(&scratch);
  rebali_buffer_dispose(&text);
  rebal_document_free(pod);
  rebali_unchanged_free(unchanged);
}
END_TEST

/* What the API server makes of a template: names, times and volumes of its own for each pod. */
static const char template[] =
    "{metadata: {name: p-%d, creationTimestamp: 't%d', uid: 'u%d', labels: {app: x, pod-template-hash: h},"
    " annotations: {at: 't%d'}}, spec: {nodeName: n-%d, containers: [{name: main, image: i, resources: {limits: "
    "{cpu: '1'}}, volumeMounts: [{mountPath: /x, name: token-%d}]}], volumes: [{name: token-%d}]}}";

static uint64_t query_template(struct rebali_unchanged *unchanged, int i) {
  char text[512];
  (void)snprintf(text, sizeof text, template, i, i, i, i, i, i, i);
  return query(unchanged, text);
}

START_TEST(test_equal_pods_cost_one_merge) {
  struct rebali_unchanged *unchanged = unchanged_of(
      "[{name: a, patch: {metadata: {labels: {app: x}, annotations: {at: never}}, spec: {containers: "
      "[{name: main, resources: {limits: {cpu: 1000m}}}]}}}, {name: b}]");
  for (int i = 0; i < 10000; i++) {
    ck_assert_uint_eq(query_template(unchanged, i), 1);
  }
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 1);
  rebali_unchanged_free(unchanged);
}
END_TEST

/* 4,096 answers are kept; then all are dropped and computed again. */
START_TEST(test_answers_are_bounded) {
  struct rebali_unchanged *unchanged = unchanged_of("[{name: a, patch: {spec: {nodeName: n-7}}}]");
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 4096; i++) {
      ck_assert_uint_eq(query_template(unchanged, i), i == 7);
    }
    ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 4096);
  }
  ck_assert_uint_eq(query_template(unchanged, 5000), 0);
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 4097);
  for (int i = 0; i < 10; i++) {
    ck_assert_uint_eq(query_template(unchanged, i), i == 7);
  }
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 4107);
  rebali_unchanged_free(unchanged);
}
END_TEST

/* At most four megabytes of members that patches touch are kept, however few the pods are. */
START_TEST(test_memory_is_bounded) {
  enum { LEN = 3 << 20 };
  struct rebali_unchanged *unchanged = unchanged_of("[{name: a, patch: {spec: {hostname: y}}}]");
  char *text = malloc(LEN + 100);
  ck_assert_ptr_nonnull(text);
  for (int i = 0; i < 4; i++) {
    const int len = snprintf(text, 100, "{spec: {hostname: '%d", i % 3);
    memset(text + len, 'x', LEN);
    memcpy(text + len + LEN, "'}}", sizeof "'}}");
    ck_assert_uint_eq(query(unchanged, text), 0);
  }
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 4);
  rebali_unchanged_free(unchanged);
  free(text);
}
END_TEST

/* Two pods, which differ in members that the patch touches or only in others. */
static const struct {
  const char *patch, *pod, *other;
  size_t merges;
} pairs[] = {
    {"{metadata: {annotations: {a: b}}}", "{metadata: {annotations: {a: c}}}", "{}", 2},
    {"{metadata: {annotations: {a: b}}}", "{metadata: {annotations: {a: c}}}", "{metadata: {name: x}}", 1},
    /* annotations that might make a merge fail */
    {"{metadata: {annotations: {a: {b: c}}}}", "{metadata: {annotations: {a: {}}}}", "{metadata: {}}", 2},
    {"{metadata: {annotations: {$retainKeys: [a]}}}", "{metadata: {annotations: {a: b}}}", "{metadata: {}}", 2},
    {"{metadata: {annotations: {a: [b]}}}", "{metadata: {annotations: {a: [b]}}}", "{metadata: {}}", 2},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: b, c: d}}}", "{metadata: {labels: {x: y, a: b}}}", 1},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: b}}}", "{metadata: {labels: {\"a\\\"\": b}}}", 2},
    {"{metadata: {labels: {a: b, c: b}}}", "{metadata: {labels: {a: b}}}", "{metadata: {labels: {c: b}}}", 2},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: x}}", "{metadata: {labels: {}}}", 2},
    {"{metadata: {labels: {a: b}}}", "{metadata: x, spec: {a: b}}", "{metadata: x}", 1},
    {"{metadata: {labels: {a: b}}}", "{metadata: x}", "{metadata: w}", 2},
    {"{spec: {nodeSelector: {'a\"<\\\\': b}}}", "{spec: {nodeSelector: {'a\"<\\\\': b}}}",
     "{spec: {nodeSelector: {'a\"<\\\\': b, c: '}'}}}", 1},
    {"{spec: {$retainKeys: [a], a: 1}}", "{spec: {a: 1, b: 2}}", "{spec: {a: 1}}", 2},
    {"{$patch: replace, spec: {a: 1}}", "{spec: {a: 1}, x: 1}", "{spec: {a: 1}}", 2},
    {"{spec: {a: 1}}", "{spec: {a: 1, b: [1, {c: ']'}, -2.5e3]}, status: {x: null}}", "{spec: {a: 1}, x: true}", 1},
    /* more members than are searched */
    {"{spec: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1, m: 1, n: 1, o: 1, p: 1, "
     "nodeSelector: {a: b}, q: 1}}",
     "{spec: {nodeSelector: {a: b, c: d}}}", "{spec: {nodeSelector: {a: b, c: e}}}", 1},
    /* items by their keys */
    {"{spec: {containers: [{name: a, image: i}]}}",
     "{spec: {containers: [{name: a, image: i, x: 1}, {name: b, x: 1}]}}",
     "{spec: {containers: [{x: 2, name: a, image: i}, {image: [], name: b}]}}", 1},
    {"{spec: {containers: [{name: a, image: i}]}}", "{spec: {containers: [{name: a, image: i}, {name: b}]}}",
     "{spec: {containers: [{name: b}, {name: a, image: i}]}}", 2},
    {"{spec: {containers: [{name: a, image: i}]}}", "{spec: {containers: [{name: a, image: i}, {x: 1}]}}",
     "{spec: {containers: [{name: a, image: i}]}}", 2},
    {"{spec: {containers: [{name: b}, {name: a}]}}",
     "{spec: {containers: [{name: a, x: 1}, {name: a, x: 2}, {name: b}]}}",
     "{spec: {containers: [{name: a, x: 1}, {name: a, x: 1}, {name: b}]}}", 2},
    {"{spec: {containers: [{name: a}]}}", "{spec: {containers: [{name: a}, b]}}",
     "{spec: {containers: [{name: a}, 1]}}", 2},
    {"{spec: {containers: [{name: a, $patch: delete}]}}", "{spec: {containers: [{name: a, x: 1}]}}",
     "{spec: {containers: [{name: a}]}}", 2},
    {"{spec: {containers: [{name: a, ports: [{containerPort: 80, name: p}]}]}}",
     "{spec: {containers: [{name: a, ports: [{containerPort: 80, name: p, x: 1}]}]}}",
     "{spec: {containers: [{name: a, ports: [{containerPort: 80, name: p, x: 2}]}]}}", 1},
    {"{spec: {containers: [{name: a, ports: [{containerPort: 80, name: p}]}]}}",
     "{spec: {containers: [{name: a, ports: [{containerPort: 80.0, name: p, x: 1}]}]}}",
     "{spec: {containers: [{name: a, ports: [{containerPort: 80.0, name: p, x: 2}]}]}}", 2},
    {"{spec: {tolerations: [{key: a}]}}", "{spec: {tolerations: [{key: a}, {key: b}]}}",
     "{spec: {tolerations: [{key: a}]}}", 2},
    {"{metadata: {finalizers: [a]}}", "{metadata: {finalizers: [a, b]}}", "{metadata: {finalizers: [a]}}", 2},
    /* a list in the patch, a map in the pods */
    {"{spec: {containers: [{name: a, image: [i]}]}}", "{spec: {containers: {a: 1}}}", "{spec: {containers: {}}}", 2},
    {"text", "{spec: {a: 1}}", "{spec: {a: 2}}", 1},
};

START_TEST(test_pods_are_alike_where_patches_look) {
  struct rebali_buffer text = REBALI_BUFFER;
  struct rebali_unchanged *unchanged;
  rebali_buffer_text(&text, "[{name: a, patch: ");
  rebali_buffer_text(&text, pairs[_i].patch);
  rebali_buffer_text(&text, "}]");
  unchanged = unchanged_of(text.bytes);
  (void)query(unchanged, pairs[_i].pod);
  (void)query(unchanged, pairs[_i].other);
  ck_assert_msg(rebali_unchanged_merges(unchanged) == pairs[_i].merges, "%s: %s and %s", pairs[_i].patch, pairs[_i].pod,
                pairs[_i].other);
  rebali_buffer_dispose(&text);
  rebali_unchanged_free(unchanged);
}
END_TEST

/* A member that one patch reads as a map and another as a list is compared as a whole. */
START_TEST(test_patches_that_see_a_member_differently) {
  struct rebali_unchanged *unchanged = unchanged_of(
      "[{name: a, patch: {spec: {containers: [{name: a, image: 1}]}}}, {name: b, patch: {spec: {containers: "
      "{image: 1}}}}, {name: c, patch: {spec: {containers: [{name: a, securityContext: {privileged: 1}}]}}}]");
  ck_assert_uint_eq(query(unchanged, "{spec: {containers: [{name: a, image: 1}]}}"), 1);
  ck_assert_uint_eq(query(unchanged, "{spec: {containers: [{name: a, image: 1, securityContext: {privileged: 1}}]}}"),
                    5);
  ck_assert_uint_eq(query(unchanged, "{spec: {containers: {image: 1, tty: 2}}}"), 2);
  ck_assert_uint_eq(query(unchanged, "{spec: {containers: {image: 1, tty: 3}}}"), 2);
  ck_assert_uint_eq(rebali_unchanged_merges(unchanged), 12);
  rebali_unchanged_free(unchanged);
}
END_TEST

/* ---- random pods and patches: a used memory gives the same answers as a new one ---- */

static const char *const scalars[] = {"a", "b", "1", "80", "1000m", "null", "'1'", "80.0"};

static void print_value(struct dice *dice, struct rebali_buffer *out, unsigned depth);

static void print_list(struct dice *dice, struct rebali_buffer *out, const char *key, unsigned depth) {
  const uint32_t n = roll(dice, 4);
  rebali_buffer_text(out, "[");
  for (uint32_t i = 0; i < n; i++) {
    rebali_buffer_text(out, i > 0 ? ", " : "");
    if (chance(dice, 5)) {
      print_value(dice, out, depth);
      continue;
    }
    rebali_buffer_text(out, "{");
    rebali_buffer_text(out, chance(dice, 97) ? key : "x");
    rebali_buffer_text(out, ": ");
    rebali_buffer_text(out, PICK(dice, scalars));
    rebali_buffer_text(out, ", image: ");
    print_value(dice, out, depth);
    rebali_buffer_text(out, chance(dice, 5) ? ", $patch: delete}" : "}");
  }
  rebali_buffer_text(out, "]");
}

static void print_map(struct dice *dice, struct rebali_buffer *out, const char *const *keys, unsigned depth) {
  const char *separator = "{";
  for (; *keys != NULL; keys++) {
    if (chance(dice, 50)) {
      continue;
    }
    rebali_buffer_text(out, separator);
    rebali_buffer_text(out, *keys);
    rebali_buffer_text(out, ": ");
    print_value(dice, out, depth);
    separator = ", ";
  }
  rebali_buffer_text(out, *separator == '{' ? "{}" : "}");
}

static void print_value(struct dice *dice, struct rebali_buffer *out, unsigned depth) {
  static const char *const keys[] = {"a", "b", "labels", NULL};
  if (depth == 0 || chance(dice, 60)) {
    rebali_buffer_text(out, PICK(dice, scalars));
  } else if (chance(dice, 70)) {
    print_map(dice, out, keys, depth - 1);
  } else {
    print_list(dice, out, "name", depth - 1);
  }
}

/* A pod, or a patch of one, each part of it in one of two ways. */
static void print_pod(struct dice *dice, struct rebali_buffer *out, const uint64_t *ways, uint32_t percent) {
  static const char *const maps[] = {", metadata: ", ", status: "};
  static const char *const keys[] = {"annotations", "labels", "name", NULL};
  static const char *const lists[][2] = {{"containers", "name"}, {"hostAliases", "ip"}, {"tolerations", "key"}};
  const char *separator = "";
  rebali_buffer_text(out, "{spec: {");
  for (size_t i = 0; i < COUNT(lists); i++) {
    struct dice part = {ways[roll(dice, 2)] + i};
    if (chance(dice, percent)) {
      rebali_buffer_text(out, separator);
      rebali_buffer_text(out, lists[i][0]);
      rebali_buffer_text(out, ": ");
      print_list(&part, out, lists[i][1], 2);
      separator = ", ";
    }
  }
  rebali_buffer_text(out, "}");
  for (size_t i = 0; i < COUNT(maps); i++) {
    struct dice part = {ways[roll(dice, 2)] + i};
    if (chance(dice, percent)) {
      rebali_buffer_text(out, maps[i]);
      print_map(&part, out, keys, 2);
    }
  }
  rebali_buffer_text(out, "}");
}

#define PODS 20
#define SUBSETS 3

/* Returns how many pods of a round some patch leaves unchanged; adds the merges to *merges. */
static size_t compare_answers(struct dice *dice, size_t *merges) {
  const uint64_t one_way = roll(dice, UINT32_MAX), other_way = roll(dice, UINT32_MAX);
  const uint64_t ways[] = {one_way, other_way};
  struct rebali_buffer text = REBALI_BUFFER;
  struct rebali_unchanged *unchanged, *fresh;
  size_t reported = 0;
  char *subsets;
  for (size_t i = 0; i < SUBSETS; i++) {
    rebali_buffer_text(&text, i == 0 ? "[{name: a, patch: " : "}, {name: a, patch: ");
    print_pod(dice, &text, ways, 25);
  }
  rebali_buffer_text(&text, "}]");
  subsets = text.bytes;
  text = (struct rebali_buffer)REBALI_BUFFER;
  unchanged = unchanged_of(subsets);
  for (int i = 0; i < PODS; i++) {
    uint64_t word;
    rebali_buffer_clear(&text);
    print_pod(dice, &text, ways, 95);
    fresh = unchanged_of(subsets);
    word = query(fresh, text.bytes);
    rebali_unchanged_free(fresh);
    ck_assert_msg(query(unchanged, text.bytes) == word, "%s with %s", text.bytes, subsets);
    reported += word != 0;
  }
  *merges += rebali_unchanged_merges(unchanged);
  rebali_unchanged_free(unchanged);
  rebali_buffer_dispose(&text);
  free(subsets);
  return reported;
}

START_TEST(test_what_is_remembered_is_so) {
  const size_t rounds = 100;
  struct dice dice = {7};
  size_t merges = 0, reported = 0;
  for (size_t i = 0; i < rounds; i++) {
    reported += compare_answers(&dice, &merges);
  }
  ck_assert_msg(merges < rounds * PODS * SUBSETS / 2, "%zu merges", merges);
  ck_assert_msg(reported > rounds * PODS / 4 && reported < rounds * PODS / 16 * 15, "%zu pods", reported);
}
END_TEST

/* ---- without memory ---------------------------------------------------------------------------------------------- */

/* Answers to a pod, of which one may fail at a request. 0: none did. */
static int survives(size_t place, const struct rebali_object *pod) {
  struct rebali_unchanged *unchanged = unchanged_of(PATCHES);
  const uint64_t *words = NULL;
  int32_t result;
  requests = 0;
  fail_at = place;
  result = rebali_unchanged_pod(unchanged, pod, &words, NULL);
  fail_at = 0;
  ck_assert_int_eq(result, requests >= place ? REBAL_ENOMEM : REBAL_OK);
  ck_assert_int_eq(rebali_unchanged_pod(unchanged, pod, &words, NULL), REBAL_OK);
  ck_assert_uint_eq(words[0], 0x1A);
  rebali_unchanged_free(unchanged);
  return result != REBAL_OK;
}

static int survives_patches(size_t place) {
  rebal_document *subsets = document_of(PATCHES);
  struct rebali_unchanged *unchanged = NULL;
  int32_t result;
  requests = 0;
  fail_at = place;
  result = rebali_unchanged_new(subsets->tree, &unchanged, NULL);
  fail_at = 0;
  ck_assert_int_eq(result, requests >= place ? REBAL_ENOMEM : REBAL_OK);
  rebali_unchanged_free(unchanged);
  rebal_document_free(subsets);
  return result != REBAL_OK;
}

START_TEST(test_without_memory) {
  rebal_document *pod = document_of("{metadata: {labels: {zone: a}, creationTimestamp: null}}");
  struct rebali_buffer scratch = REBALI_BUFFER;
  struct rebali_object object = {NULL, NULL, NULL, NULL, NULL, 0};
  size_t place = 1;
  ck_assert_int_eq(rebali_object_pack(pod->tree, &scratch, &object, NULL), REBAL_OK);
  json_set_alloc_funcs(allocate, free);
  while (survives(place, &object)) {
    place++;
  }
  ck_assert_uint_gt(place, 20);
  for (place = 1; survives_patches(place); place++) {
  }
  ck_assert_uint_gt(place, 5);
  json_set_alloc_funcs(malloc, free);
  rebali_object_dispose(&object);
  rebali_buffer_dispose(&scratch);
  rebal_document_free(pod);
}
END_TEST

UNIT_CASE(spread_unchanged) {
  TCase *cases = tcase_create("spread_unchanged");
  tcase_add_test(cases, test_a_bit_for_each_patch_that_changes_nothing);
  tcase_add_test(cases, test_patch_of_many_labels);
  tcase_add_test(cases, test_without_patches_there_is_nothing);
  tcase_add_test(cases, test_beyond_a_word);
  tcase_add_test(cases, test_equal_pods_cost_one_merge);
  tcase_add_test(cases, test_answers_are_bounded);
  tcase_add_test(cases, test_memory_is_bounded);
  tcase_add_loop_test(cases, test_pods_are_alike_where_patches_look, 0, COUNT(pairs));
  tcase_add_test(cases, test_patches_that_see_a_member_differently);
  tcase_add_test(cases, test_what_is_remembered_is_so);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
