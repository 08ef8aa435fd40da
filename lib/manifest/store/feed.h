/* SPDX-License-Identifier: MIT */
/* lib/manifest/store/feed.h - a fleet, or what is below one of its clusters, kept in step with a store. */
#ifndef REBALI_FEED_H
#define REBALI_FEED_H

#include "manifest/manifest.h"

/* What a feed keeps beside an object of the store. */
struct rebali_fed_object {
  uint32_t row;    /* the cluster's id, or the id of the row below the feed's cluster; REBAL_NONE: there is none */
  uint64_t zone;   /* of a Node: a hash of the labels that name its zone */
  uint8_t kind;    /* of the row: its place in the table of kinds (member.c) */
  uint8_t refused; /* 1: its last state was refused, so that the row holds an older one */
};

struct rebal_feed {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_builder *builder;
  uint32_t cluster;                  /* REBAL_NONE: the clusters themselves are fed */
  uint64_t seen;                     /* changes of the store that are in the fleet */
  struct rebali_fed_object *objects; /* by id in the store */
  size_t n_objects;
  uint32_t *refused; /* ids in the store, in the order of their refusals */
  size_t n_refused, refused_capacity;
  int is_open;          /* all of the store was read once */
  int are_quotas_stale; /* a ResourceQuota changed */
  uint32_t unsorted;    /* the first Node by name that came or moved to another zone; REBAL_NONE: none */
  int is_sorting;       /* Nodes come again in the order of their names */
};

/* Clusters (cluster.c): takes those away that the store does not have; brings one up to date. */
int32_t rebali_feed_remove_others(const rebal_feed *feed, rebal_error *err);
int32_t rebali_feed_cluster(rebal_feed *feed, uint32_t object, rebal_error *err);

/* Below a cluster (member.c): empties it; brings the row of an object up to date; and what depends on all objects. */
int32_t rebali_feed_empty(rebal_feed *feed, rebal_error *err);
int32_t rebali_feed_member(rebal_feed *feed, uint32_t object, rebal_error *err);
int32_t rebali_feed_settle_member(rebal_feed *feed, rebal_error *err);
/* The next kind below a cluster in the order in which they are read first; NULL at the end. */
const char *rebali_feed_member_kind(size_t i);
/* Brings the row of a Node, if *row is not REBAL_NONE, up to date, else adds it; a new node that fails is removed. */
int32_t rebali_node_follow(const struct rebali_sink *cluster, uint32_t *row, const json_t *tree, rebal_error *err);

#endif
