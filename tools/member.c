/* SPDX-License-Identifier: MIT */
/* The objects of member clusters: the files given by --member, each with its own store. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

const char *apply_member(struct options *options, const char *value) {
  const size_t len = strcspn(value, "=");
  if (len == 0 || value[len] == '\0' || value[len + 1] == '\0' || strcmp(value + len + 1, "-") == 0) {
    return "expected NAME=FILE, the name of a cluster and that of a file";
  }
  for (size_t i = 0; i < options->n_members; i++) {
    if (strncmp(options->members[i], value, len + 1) == 0) {
      return "the cluster already has a file";
    }
  }
  options->members[options->n_members++] = value;
  return NULL;
}

static enum status open_one(const char *member, const struct options *options, rebal_store **store) {
  const rebal_manifest_limits limits = input_limits(options->max_input);
  rebal_error err = REBAL_ERROR_INIT;
  struct file file = {0};
  enum status status = rebal_store_new(&limits, store, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
  if (status != STATUS_DONE) {
    return status;
  }
  status = file_read(strchr(member, '=') + 1, options->max_input, &file);
  if (status == STATUS_DONE && rebal_store_load(*store, file.bytes, file.len, &err) != REBAL_OK) {
    status = complain_of_file(file.name, &err);
  }
  file_dispose(&file);
  return status;
}

enum status members_open(struct members *members, const struct options *options) {
  enum status status = STATUS_DONE;
  members->stores = calloc(options->n_members + 1, sizeof *members->stores);
  members->n = 0;
  if (members->stores == NULL) {
    return complain_of_memory();
  }
  while (status == STATUS_DONE && members->n < options->n_members) {
    status = open_one(options->members[members->n], options, &members->stores[members->n]);
    members->n++;
  }
  return status;
}

static enum status feed_one(rebal_store *member, const char *option, const rebal_store *store, rebal_fleet *fleet) {
  const size_t len = strcspn(option, "=");
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t cluster;
  if (rebal_store_find(store, "Cluster", 7, "", 0, option, len) == REBAL_NONE) {
    complain("--member %s: the files contain no Cluster of this name", option);
    return STATUS_INPUT;
  }
  if (rebal_fleet_cluster_id(fleet, option, len, &cluster, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  return rebal_store_feed_member(member, fleet, cluster, NULL, &err) == REBAL_OK
             ? STATUS_DONE
             : complain_of_file(option + len + 1, &err);
}

enum status members_feed(const struct members *members, const struct options *options, const rebal_store *store,
                         rebal_fleet *fleet) {
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < members->n; i++) {
    status = feed_one(members->stores[i], options->members[i], store, fleet);
  }
  return status;
}

void members_close(struct members *members) {
  for (size_t i = 0; i < members->n; i++) {
    rebal_store_free(members->stores[i]);
  }
  free(members->stores);
}
