/* SPDX-License-Identifier: MIT */
/* Keeps WorkloadSpreads of a store as handles, by namespace and name. */
#include "manifest/spread/spread_feed.h"
#include "manifest/validate/validate.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

/* Returns the place of an object, or where it would be inserted. */
static size_t place_of(const rebal_spread_feed *feed, uint32_t object) {
  size_t at;
  REBALI_BISECT(at, feed->n_spreads, rebali_feed_compare(feed, feed->spreads[at].object, object) < 0);
  return at;
}

struct rebali_fed_spread *rebali_feed_find(const rebal_spread_feed *feed, uint32_t object) {
  size_t place;
  if (object >= feed->n_fed) {
    return NULL;
  }
  place = place_of(feed, object);
  return place < feed->n_spreads && feed->spreads[place].object == object ? &feed->spreads[place] : NULL;
}

/* Deleted objects that are due stay listed until the next update. */
static int32_t reserve(rebal_spread_feed *feed, rebal_error *err) {
  const size_t wanted = feed->n_spreads + 1;
  int32_t result = rebali_reserve_malloc(&feed->spreads, &feed->spreads_capacity, wanted, sizeof *feed->spreads, err);
  if (result == REBAL_OK) {
    result =
        rebali_reserve_malloc(&feed->due.ids, &feed->due.capacity, feed->due.n + wanted, sizeof *feed->due.ids, err);
  }
  return result == REBAL_OK
             ? rebali_reserve_malloc(&feed->handles, &feed->handles_capacity, wanted, sizeof *feed->handles, err)
             : result;
}

static void insert(rebal_spread_feed *feed, uint32_t object, rebal_spread *spread) {
  const size_t place = place_of(feed, object), n_after = feed->n_spreads - place;
  memmove(feed->spreads + place + 1, feed->spreads + place, n_after * sizeof *feed->spreads);
  memmove(feed->handles + place + 1, feed->handles + place, n_after * sizeof *feed->handles);
  feed->spreads[place] = (struct rebali_fed_spread){.spread = spread, .object = object};
  feed->handles[place] = spread;
  feed->n_spreads++;
}

static void release(struct rebali_fed_spread *fed) {
  rebal_spread_free(fed->spread);
  json_decref(fed->subsets);
  rebali_unchanged_free(fed->unchanged);
  free(fed->rows);
  free(fed->words);
  free(fed->judged);
}

static void take_out(rebal_spread_feed *feed, struct rebali_fed_spread *fed) {
  const size_t place = (size_t)(fed - feed->spreads), n_after = feed->n_spreads - place - 1;
  rebali_listen_no_more(feed, fed->object);
  feed->n_patching -= (size_t)fed->has_patch;
  release(fed);
  memmove(feed->spreads + place, feed->spreads + place + 1, n_after * sizeof *feed->spreads);
  memmove(feed->handles + place, feed->handles + place + 1, n_after * sizeof *feed->handles);
  feed->n_spreads--;
}

void rebali_feed_spreads_free(rebal_spread_feed *feed) {
  for (size_t i = 0; i < feed->n_spreads; i++) {
    release(&feed->spreads[i]);
  }
  rebali_listeners_free(feed);
  free(feed->spreads);
  free(feed->handles);
  free(feed->due.ids);
  free(feed->due_united.ids);
  free(feed->fresh.ids);
  free(feed->fresh_united.ids);
}

/* ---- reading ---- */

static int32_t need_label(rebal_spread_feed *feed, const char *key, rebal_error *err) {
  if (json_object_get(feed->label_keys, key) != NULL) {
    return REBAL_OK;
  }
  feed->needs_more_labels = 1;
  return rebali_put(feed->label_keys, key, json_true(), err);
}

/* Adds the pod labels that the target filter uses. */
static int32_t need_labels(rebal_spread_feed *feed, const json_t *tree, rebal_error *err) {
  const json_t *selector = rebali_member(rebali_member(rebali_member(tree, "spec"), "targetFilter"), "selector");
  const json_t *expressions = rebali_member(selector, "matchExpressions");
  const char *key;
  json_t *value;
  int32_t result = REBAL_OK;
  json_object_foreach(rebali_member(selector, "matchLabels"), key, value) {
    if (result == REBAL_OK) {
      result = need_label(feed, key, err);
    }
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(expressions); i++) {
    result = need_label(feed, rebali_member_text(json_array_get(expressions, i), "key"), err);
  }
  return result;
}

static int has_patch(const json_t *subsets) {
  for (size_t i = 0; i < json_array_size(subsets); i++) {
    if (rebali_member(json_array_get(subsets, i), "patch") != NULL) {
      return 1;
    }
  }
  return 0;
}

/* Results for other subsets are no longer valid. */
static void set_subsets(rebal_spread_feed *feed, uint32_t object, const json_t *tree) {
  struct rebali_fed_spread *fed = rebali_feed_find(feed, object);
  json_t *subsets = rebali_member(rebali_member(tree, "spec"), "subsets");
  if (fed->unchanged != NULL && !json_equal(subsets, fed->subsets)) {
    rebali_unchanged_free(fed->unchanged);
    fed->unchanged = NULL;
  }
  json_incref(subsets);
  json_decref(fed->subsets);
  fed->subsets = subsets;
  feed->n_patching -= (size_t)fed->has_patch;
  fed->has_patch = has_patch(subsets);
  feed->n_patching += (size_t)fed->has_patch;
}

static int32_t load(rebal_spread_feed *feed, uint32_t object, const rebal_record *record, rebal_error *err) {
  struct rebali_fed_spread *fed = rebali_feed_find(feed, object);
  rebal_spread *spread;
  int32_t result;
  if (fed != NULL) {
    rebali_due(feed, object);
    return rebal_spread_load(fed->spread, record, err);
  }
  result = reserve(feed, err);
  if (result == REBAL_OK) {
    result = rebal_spread_new(NULL, record, &spread, err);
  }
  if (result == REBAL_OK) {
    insert(feed, object, spread);
    rebali_due(feed, object);
  }
  return result;
}

static int32_t read_spread(rebal_spread_feed *feed, uint32_t object, json_t *tree, rebal_error *err) {
  const rebal_record *record;
  json_t *stored;
  int32_t result = rebali_spread_stored(tree, &stored, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_read_record(feed->builder, REBAL_OBJECT_WORKLOAD_SPREAD, stored, NULL, &record, err);
  if (result == REBAL_OK) {
    result = need_labels(feed, stored, err);
  }
  if (result == REBAL_OK) {
    result = load(feed, object, record, err);
  }
  if (result == REBAL_OK) {
    set_subsets(feed, object, stored);
  }
  json_decref(stored);
  return result;
}

int32_t rebali_feed_spread(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  struct rebali_fed_spread *fed;
  json_t *tree;
  int32_t result;
  if (!rebali_store_has(feed->store, object)) {
    fed = rebali_feed_find(feed, object);
    if (fed != NULL) {
      take_out(feed, fed);
    }
    return REBAL_OK;
  }
  result = rebali_store_share(feed->store, object, &tree, err);
  if (result == REBAL_OK) {
    result = read_spread(feed, object, tree, err);
    json_decref(tree);
  }
  return result;
}

/* ---- dependencies on other objects ---- */

static uint32_t find_workload(const rebal_spread_feed *feed, uint32_t object, const json_t *target) {
  return rebali_store_find_text(feed->store, rebali_member_text(target, "apiVersion"),
                                rebali_member_text(target, "kind"), rebali_feed_object(feed, object)->namespace_,
                                rebali_member_text(target, "name"));
}

/* Listens to its workload, which need not exist; its owners are added with its rows. */
static int32_t listen(rebal_spread_feed *feed, uint32_t object, const json_t *target, rebal_error *err) {
  const char *namespace_ = rebali_feed_object(feed, object)->namespace_;
  rebali_listen_no_more(feed, object);
  return rebali_listen(
      feed, object,
      rebali_name_hash(rebali_member_text(target, "kind"), namespace_, rebali_member_text(target, "name")), err);
}

static int32_t refresh(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *spec, rebal_error *err) {
  const json_t *target = rebali_member(spec, "targetRef");
  struct rebali_fed_workload workload;
  int32_t result = rebali_workload_open(feed, find_workload(feed, fed->object, target), &workload, err);
  if (result == REBAL_OK) {
    result = listen(feed, fed->object, target, err);
  }
  if (result == REBAL_OK) {
    result = rebali_feed_facts(feed, fed, spec, &workload, err);
  }
  if (result == REBAL_OK) {
    result = rebali_spread_rows(feed, fed, spec, &workload, err);
  }
  rebali_workload_close(&workload);
  return result;
}

static int32_t settle(rebal_spread_feed *feed, struct rebali_fed_spread *fed, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  json_t *tree;
  int32_t result = rebali_store_share(feed->store, fed->object, &tree, &local);
  if (result == REBAL_OK) {
    result = refresh(feed, fed, rebali_member(tree, "spec"), &local);
    json_decref(tree);
  }
  if (result == REBAL_OK) {
    rebali_fresh_note(feed, &feed->fresh, fed->object);
  }
  return rebali_feed_refuse(feed, fed->object, result, &local, err);
}

int32_t rebali_feed_settle(rebal_spread_feed *feed, int is_whole, rebal_error *err) {
  const size_t n_due = rebali_due_places(feed), n = is_whole ? feed->n_spreads : n_due;
  int32_t result = rebali_fresh_reserve(&feed->fresh, n, err);
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = settle(feed, &feed->spreads[is_whole ? i : feed->due.ids[i]], err);
  }
  return result;
}
