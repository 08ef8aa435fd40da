/* SPDX-License-Identifier: MIT */
/* Shared by the tasks: objects of the libraries, their creation, and the comparison of results. */
#ifndef MEMORY_PARTS_H
#define MEMORY_PARTS_H

#include "memory.h"

#include <rebalance/detector.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIRST(code, call) ((code) == REBAL_OK ? (call) : (code))

static const rebal_time now = {1773478800, 0, 1};

/* The objects that a task may use; free_parts() frees those that exist. */
struct parts {
  rebal_store *store;
  rebal_text *text;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_builder *builder;
  rebal_observations *observations;
  rebal_findings *findings;
  rebal_document *documents[3];
  rebal_feed *followed;
  rebal_spread_feed *feed;
  rebal_scheduler_feed *scheduler;
  rebal_simulation *simulation;
  rebal_watch *watch;
  rebal_detector *detector;
  rebal_ledger *ledger;
  rebal_compat *compat;
};

void free_parts(struct parts *parts);
int32_t open_text(struct parts *parts, rebal_error *err);
int32_t open_core(struct parts *parts, rebal_error *err);
int32_t load(struct parts *parts, const char *file, rebal_error *err);
/* Clusters and bindings of the store, frozen. */
int32_t feed(struct parts *parts, rebal_error *err);
int32_t apply(struct parts *parts, const char *text, rebal_error *err);
/* Reports all objects of the store. */
int32_t report_store(const struct parts *parts, struct answer *answer, rebal_error *err);
int32_t answer_text(struct parts *parts, struct answer *answer, int32_t code);
/* Reports the outcome of a pass of a detector, if it succeeded. */
void report_outcome(struct answer *answer, int32_t code, const rebal_detector_row *row);

/* ---- detector_tasks.c: as those of tasks.c ---- */

int32_t do_interpret(struct parts *parts, struct answer *answer, rebal_error *err);
int32_t do_detect(struct parts *parts, struct answer *answer, rebal_error *err);
int32_t do_follow(struct parts *parts, struct answer *answer, rebal_error *err);
int32_t do_attach(struct parts *parts, struct answer *answer, rebal_error *err);

/* ---- plan_tasks.c: the same ---- */

int32_t do_plan(struct parts *parts, struct answer *answer, rebal_error *err);
int32_t do_surge(struct parts *parts, struct answer *answer, rebal_error *err);
int32_t do_drain(struct parts *parts, struct answer *answer, rebal_error *err);
int32_t do_levels(struct parts *parts, struct answer *answer, rebal_error *err);

#endif
