/* SPDX-License-Identifier: MIT */
/* lib/failover/application.h - one pass of the failover of applications over a binding. */
#ifndef REBALI_FAILOVER_APPLICATION_H
#define REBALI_FAILOVER_APPLICATION_H

#include "failover/failover.h"

/* Visits get the address of the first member, which is also that of the struct. */
struct rebali_application {
  struct rebali_failover_call call;
  uint32_t binding;
  const uint32_t *items; /* rows of STATUS_ITEM */
  size_t n_items;
  const uint32_t *memory; /* rows of UNHEALTHY */
  size_t n_memory;
  int64_t toleration;                /* seconds */
  int64_t wait;                      /* seconds until the next check; INT32_MAX: none */
  struct rebali_eviction *evictions; /* as many as items, in the scratch of the context */
  size_t n_evictions;
};

/*
 * application_task.c: sets all members of each eviction except its cluster. On failure the call's message has the
 * reason.
 */
void rebali_application_fill(struct rebali_application *pass);

#endif
