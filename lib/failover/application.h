/* SPDX-License-Identifier: MIT */
/* lib/failover/application.h - one pass of the failover of applications over a binding. */
#ifndef REBALI_FAILOVER_APPLICATION_H
#define REBALI_FAILOVER_APPLICATION_H

#include "failover/failover.h"

/* Visits get the address of its first member, and so its own. */
struct rebali_application {
  struct rebali_failover_call call;
  uint32_t binding;
  const uint32_t *items; /* rows of STATUS_ITEM */
  size_t n_items;
  const uint32_t *memory; /* rows of UNHEALTHY */
  size_t n_memory;
  int64_t toleration;                /* seconds */
  int64_t wait;                      /* seconds until the next look; INT32_MAX: nothing is waited for */
  struct rebali_eviction *evictions; /* as many as items, in the scratch of the context */
  size_t n_evictions;
};

/* application_task.c: all of each eviction but its cluster; the call's message tells why one cannot be. */
void rebali_application_fill(struct rebali_application *pass);

#endif
