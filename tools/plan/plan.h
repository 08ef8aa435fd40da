/* SPDX-License-Identifier: MIT */
/* tools/plan/plan.h - a plan of the bindings of the files, and its output. */
#ifndef PLAN_VIEW_H
#define PLAN_VIEW_H

#include "view.h"

#include <rebalance/simulation.h>

/* One cluster of one write of a wave. */
struct wave_write {
  size_t wave; /* from 0 */
  size_t binding;
  uint32_t cluster;
  int32_t from, to;
};
/* A binding that does not reach its planned state. */
struct wave_end {
  size_t binding;
  int64_t state, reason;
  uint32_t cluster; /* REBAL_NONE: none */
};
/* All waves, if each is sent once all replicas of the one before are ready. */
struct waves {
  struct wave_write *writes; /* by wave, binding, then name of the cluster */
  size_t n_writes, writes_capacity;
  size_t n;
  struct wave_end *ends;
  size_t n_ends;
};

/* The use of a limit in one cluster: a row of LIMIT_USE. */
struct limit_use {
  size_t limit, row;
};

/* A replica that leaves or enters a member; pod and spread are objects of its store. */
struct member_replica {
  size_t binding, order;
  size_t member; /* of world->members */
  uint32_t cluster, state, pod, rule, spread, subset;
};

struct planned {
  struct world *world;
  uint32_t *objects; /* bindings, by row */
  size_t n;
  rebal_plan *plan;
  struct budgets budgets;
  uint32_t *drained, *lost; /* ids */
  rebal_ledger *ledger;     /* NULL: decisions are independent */
  int64_t gap;              /* of --verify */
  struct limit_use *uses;   /* by limit, then by row; without those of all clusters together */
  size_t n_uses;
  struct waves waves;              /* of --waves */
  struct member_replica *replicas; /* of --member, by binding, then in the order of the members */
  size_t n_replicas;
};

/* The tables of the plan are in world->result. */
static inline int64_t plan_cell(const struct planned *planned, uint32_t column, size_t row) {
  return result_integer(planned->world, column, row);
}
static inline size_t plan_rows(const struct planned *planned, uint32_t table) {
  return rebal_result_count(planned->world->result, table);
}
static inline const char *plan_cluster(const struct planned *planned, uint32_t column, size_t row) {
  return cluster_name(planned->world, id_of(plan_cell(planned, column, row)));
}
/* Does the binding have a move, was it not scheduled, or did limits withhold a move? */
int plan_is_shown(const struct planned *planned, size_t binding);
/* The sum of a column over all bindings; saturating. */
int64_t plan_sum(const struct planned *planned, uint32_t column);
/* The name of a limit: "total", "each source", "budget default/web". */
void plan_put_limit(const struct planned *planned, size_t limit, struct output *out);
/* The replicas it allows: "5", per cluster "5 each", and "5 or more" for the cluster where a budget allows least. */
void plan_put_allowed(const struct planned *planned, size_t limit, struct output *out);

/* plan_waves.c: simulates the waves of the plan and changes the fleet of the world. Call waves_free() in any case. */
enum status waves_play(const struct planned *planned, struct waves *waves);
void waves_free(struct waves *waves);

/* plan_members.c: effects of the plan in members. Texts are "" if absent. */
enum status plan_read_members(struct planned *planned);
const char *replica_pod(const struct planned *planned, const struct member_replica *replica);
const char *replica_spread(const struct planned *planned, const struct member_replica *replica);
const char *replica_subset(const struct planned *planned, const struct member_replica *replica);

/* plan_table.c, plan_report.c, plan_page.c */
enum status plan_write_table(const struct planned *planned, struct output *out);
enum status plan_write_report(const struct planned *planned, struct output *out);
enum status plan_write_page(const struct planned *planned, struct output *out);
/* Appends a length in tenths of pixels; integers are the same on every machine. */
#define PLAN_PICTURE_WIDTH 1000
void plan_put_length(struct output *out, int64_t tenths);
/* plan_page_waves.c: appends nothing without waves. cell must be empty and is empty after. */
enum status plan_write_wave_picture(const struct planned *planned, struct output *out, struct output *cell);

#endif
