/* SPDX-License-Identifier: MIT */
/* lib/manifest/store/feed.h - keeps a fleet, or the tables below one of its clusters, up to date with a store. */
#ifndef REBALI_FEED_H
#define REBALI_FEED_H

#include "manifest/manifest.h"

/* State that a feed keeps for an object of the store. */
struct rebali_fed_object {
  uint32_t row;    /* the cluster's id, or the id of the row below the feed's cluster; REBAL_NONE: none */
  uint64_t zone;   /* of a Node: a hash of the labels that name its zone */
  uint8_t kind;    /* of the row: its index in the table of kinds (member.c) */
  uint8_t refused; /* 1: its last state was refused, so the row holds an older one */
};

struct rebal_feed {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_builder *builder;
  uint32_t cluster;                  /* REBAL_NONE: the clusters themselves are fed */
  uint64_t seen;                     /* change of the store up to which the fleet is current */
  struct rebali_fed_object *objects; /* by id in the store */
  size_t n_objects;
  uint32_t *refused; /* ids in the store, in the order of their refusals */
  size_t n_refused, refused_capacity;
  int is_open;          /* the whole store was read once */
  int are_quotas_stale; /* a ResourceQuota changed */
  uint32_t unsorted;    /* the first Node by name that is new or moved to another zone; REBAL_NONE: none */
  int is_sorting;       /* Nodes are being read again in the order of their names */
};

/* Clusters (cluster.c): removes those that the store lacks; updates one. */
int32_t rebali_feed_remove_others(const rebal_feed *feed, rebal_error *err);
int32_t rebali_feed_cluster(rebal_feed *feed, uint32_t object, rebal_error *err);

/* Below a cluster (member.c): removes everything; updates the row of an object; and what depends on all objects. */
int32_t rebali_feed_empty(rebal_feed *feed, rebal_error *err);
int32_t rebali_feed_member(rebal_feed *feed, uint32_t object, rebal_error *err);
int32_t rebali_feed_settle_member(rebal_feed *feed, rebal_error *err);
/* Returns the next kind below a cluster in the order of the first read; NULL at the end. */
const char *rebali_feed_member_kind(size_t i);
/* Updates the row of a Node, or adds it if *row is REBAL_NONE; a new node that fails is removed. */
int32_t rebali_node_follow(const struct rebali_sink *cluster, uint32_t *row, const json_t *tree, rebal_error *err);

#endif
