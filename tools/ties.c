/* SPDX-License-Identifier: MIT */
/* Workloads without a uid whose placement depends on it: it breaks ties between clusters. */
#include "findings.h"

#include <string.h>

#define MAX_NAMES 5

#define MAX_BINDINGS 10000 /* more are not decided twice */

/* A uid that reverses the order of names. */
static const char other_uid[] = "uid-1";

static int is_same(const struct targets *left, const struct targets *right) {
  return left->n == right->n && (left->n == 0 || memcmp(left->items, right->items, left->n * sizeof *left->items) == 0);
}

static void report(const struct world *world, const struct decision *decisions, const struct decision *others,
                   size_t n_rows) {
  struct output names;
  size_t n = 0;
  if (output_open(&names) != STATUS_DONE) {
    return;
  }
  for (size_t i = 0; i < n_rows; i++) {
    if (!is_same(&decisions[i].after, &others[i].after) && n++ < MAX_NAMES) {
      put(&names, n > 1 ? ", " : " ");
      put_object(&names, world, decisions[i].object);
    }
  }
  if (n > MAX_NAMES) {
    put(&names, " and ");
    put_integer(&names, (int64_t)(n - MAX_NAMES));
    put(&names, " more");
  }
  if (n > 0) {
    complain("rebalancectl: %zu %s no uid of the workload; with one, replicas may be divided differently:%s", n,
             n == 1 ? "binding has" : "bindings have", rebal_text_bytes(names.text, NULL));
  }
  output_close(&names);
}

int32_t set_absent_uids(rebal_bindings *bindings, size_t *n, rebal_error *err) {
  rebal_cells *cells = rebal_bindings_cells(bindings);
  const size_t n_rows = rebal_cells_count(cells, REBAL_TABLE_BINDING, REBAL_NONE);
  int32_t code = REBAL_OK;
  for (uint32_t row = 0; code == REBAL_OK && row < n_rows; row++) {
    if (*rebal_cells_get_text(cells, REBAL_BINDING_RESOURCE_UID, REBAL_NONE, row, NULL) == '\0') {
      ++*n;
      code = rebal_cells_set_text(cells, REBAL_BINDING_RESOURCE_UID, REBAL_NONE, row, other_uid, sizeof other_uid - 1,
                                  err);
    }
  }
  return code;
}

enum status ties_decide(struct world *world, const uint32_t *objects, size_t n, struct decision **others) {
  struct options options = *world->options;
  const struct options *own = world->options;
  size_t n_absent = 0;
  enum status status;
  *others = NULL;
  if (n > MAX_BINDINGS) {
    return STATUS_DONE;
  }
  options.record = NULL;
  world->options = &options;
  world->n_absent_uids = &n_absent;
  status = world_feed(world, objects, n);
  if (status == STATUS_DONE && n_absent > 0) {
    status = decide_fed(world, objects, n, options.is_all, 0, others);
  }
  world->n_absent_uids = NULL;
  world->options = own;
  return status;
}

void ties_report(const struct world *world, const struct decision *decisions, const struct decision *others, size_t n) {
  if (others != NULL) {
    report(world, decisions, others, n);
  }
}
