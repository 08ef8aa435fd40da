/* SPDX-License-Identifier: MIT */
/* Merges the load balancer entries of all members into one status (rebalance-karmada(7) 15.7). */
#include "detector/interpret/aggregate.h"

#include <string.h>

static int compare_members(const json_t *left, const json_t *right, const char *key) {
  return strcmp(rebali_member_text(left, key), rebali_member_text(right, key));
}

/* Compares port, protocol, error; no error comes first. */
static int compare_ports(const json_t *left, const json_t *right) {
  const int64_t one = rebali_integer_of(left, "port"), other = rebali_integer_of(right, "port");
  const int is_failed = rebali_member(left, "error") != NULL, other_is_failed = rebali_member(right, "error") != NULL;
  int order = one < other ? -1 : one > other;
  if (order == 0) {
    order = compare_members(left, right, "protocol");
  }
  if (order == 0) {
    order = is_failed - other_is_failed;
  }
  return order != 0 ? order : compare_members(left, right, "error");
}

/* Compares texts in byte order; an absent or empty one comes last. */
static int compare_last(const json_t *left, const json_t *right, const char *key) {
  const int is_empty = *rebali_member_text(left, key) == '\0', other_is_empty = *rebali_member_text(right, key) == '\0';
  return is_empty != other_is_empty ? is_empty - other_is_empty : compare_members(left, right, key);
}

static int compare_entries(const json_t *left, const json_t *right) {
  int order = compare_last(left, right, "hostname");
  if (order == 0) {
    order = compare_members(left, right, "ip");
  }
  return order != 0 ? order : compare_last(left, right, "ipMode");
}

/* Returns the index of an equal item, or that at which to insert it; *is_found is set if it is equal. */
static size_t place_of(const json_t *list, const json_t *item, int (*compare)(const json_t *, const json_t *),
                       int *is_found) {
  size_t low = 0, high = json_array_size(list);
  *is_found = 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = compare(json_array_get(list, middle), item);
    if (order == 0) {
      *is_found = 1;
      return middle;
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Inserts the item, which is taken over. */
static void insert(struct rebali_interpreting *in, json_t *list, size_t place, json_t *item) {
  if (in->result == REBAL_OK && json_array_insert(list, place, item) != 0) {
    rebali_made(in, NULL);
  }
  json_decref(item);
}

static void merge_ports(struct rebali_interpreting *in, json_t *entry, const json_t *ports) {
  json_t *merged = rebali_member(entry, "ports");
  if (json_array_size(ports) == 0) {
    return;
  }
  if (merged == NULL) {
    rebali_set(in, entry, "ports", rebali_new_list(in));
    merged = rebali_member(entry, "ports");
  }
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(ports); i++) {
    json_t *port = json_array_get(ports, i);
    int is_found;
    const size_t place = place_of(merged, port, compare_ports, &is_found);
    if (!is_found) {
      insert(in, merged, place, json_incref(port));
    }
  }
}

static void merge_entry(struct rebali_interpreting *in, json_t *list, const json_t *entry) {
  int is_found;
  const size_t place = place_of(list, entry, compare_entries, &is_found);
  if (!is_found) {
    json_t *own = rebali_new_copy(in, entry);
    if (own != NULL) {
      (void)json_object_del(own, "ports");
      insert(in, list, place, own);
    }
  }
  if (in->result == REBAL_OK) {
    merge_ports(in, json_array_get(list, place), rebali_member(entry, "ports"));
  }
}

json_t *rebali_balancer_aggregate(struct rebali_interpreting *in, const json_t *object) {
  json_t *old = rebali_old_status(in, object), *statuses = rebali_item_statuses(in, in->kind->status_type);
  json_t *status = rebali_new_map(in), *balancer = rebali_new_map(in), *list = rebali_new_list(in);
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(statuses); i++) {
    const json_t *entries = rebali_value_at(json_array_get(statuses, i), "loadBalancer.ingress");
    for (size_t at = 0; in->result == REBAL_OK && at < json_array_size(entries); at++) {
      merge_entry(in, list, json_array_get(entries, at));
    }
  }
  rebali_set(in, balancer, "ingress", list);
  rebali_set(in, status, "loadBalancer", balancer);
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}

json_t *rebali_service_aggregate(struct rebali_interpreting *in, const json_t *object) {
  json_t *decoded = rebali_decoded(in, in->kind->type, object);
  const int is_balanced = strcmp(rebali_member_text(rebali_member(decoded, "spec"), "type"), "LoadBalancer") == 0;
  json_decref(decoded);
  if (in->result != REBAL_OK) {
    return NULL;
  }
  return is_balanced ? rebali_balancer_aggregate(in, object) : rebali_share(object);
}
