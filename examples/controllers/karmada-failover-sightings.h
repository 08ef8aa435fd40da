/* SPDX-License-Identifier: MIT */
/*
 * karmada-failover-sightings.h - since when applications have been unhealthy in their clusters. Each step takes the
 * sightings of the step before and returns those for the next one. They are lost when the program ends, as in Karmada.
 */
#ifndef KARMADA_FAILOVER_SIGHTINGS_H
#define KARMADA_FAILOVER_SIGHTINGS_H

#include <rebalance/rebalance.h>

#include <stdbool.h>
#include <stddef.h>

struct sighting;

struct sightings {
  struct sighting *list;
  size_t n;
};

/* Those of n objects, which are the rows of bindings, into these. */
int32_t sightings_feed(const struct sightings *sightings, const uint32_t *objects, size_t n, rebal_bindings *bindings,
                       rebal_error *err);
/* The step's result replaces all sightings of the objects, except for those whose write failed. */
int32_t sightings_keep(struct sightings *sightings, const uint32_t *objects, size_t n, const bool *has_failed,
                       const rebal_result *result);
void sightings_forget(struct sightings *sightings, uint32_t object);
void sightings_free(struct sightings *sightings);

#endif
