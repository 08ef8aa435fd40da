/* SPDX-License-Identifier: MIT */
/*
 * With overcommit protection, replicas that the scheduler assigned and members do not report yet: an account for each
 * binding, closed in a cluster when its part becomes healthy, and in all clusters when the binding is deleted
 * (rebalance-karmada(7) 6.6).
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

#define EXPIRY_SECONDS 300

/* The account of a binding. */
struct account {
  char *key;
  char *healthy; /* its healthy clusters so far, each with a newline */
};

static int is_healthy_in(const char *healthy, const char *cluster) {
  const size_t len = strlen(cluster);
  for (const char *at = healthy; at != NULL && *at != '\0'; at = strchr(at, '\n') + 1) {
    if (strncmp(at, cluster, len) == 0 && at[len] == '\n') {
      return 1;
    }
  }
  return 0;
}

static int32_t release(struct rebali_scheduler *scheduler, const char *key, uint32_t cluster, rebal_error *err) {
  return rebal_ledger_release(scheduler->ledger, key, strlen(key), cluster, err);
}

static int32_t release_cluster(struct rebali_scheduler *scheduler, const char *key, const char *name,
                               rebal_error *err) {
  uint32_t cluster;
  const int32_t code = rebal_fleet_cluster_id(scheduler->core->fleet, name, strlen(name), &cluster, err);
  return code == REBAL_OK ? release(scheduler, key, cluster, err) : code;
}

static char *key_of(struct rebali_server *server, uint32_t binding) {
  struct rebali_buffer key = REBALI_BUFFER;
  rebali_buffer_format(&key, "%s/%s", rebali_namespace_of(server, binding), rebali_name_of(server, binding));
  if (key.failed) {
    rebali_buffer_dispose(&key);
    return NULL;
  }
  return key.bytes; /* from malloc */
}

/* Closes the clusters that became healthy since the account was last examined. */
static int32_t examine_object(struct rebali_scheduler *scheduler, uint32_t binding, struct account *account,
                              rebal_error *err) {
  struct rebali_server *server = scheduler->core->server;
  const rebal_value *items = rebali_field(server, binding, "status.aggregatedStatus");
  struct rebali_buffer healthy = REBALI_BUFFER;
  int32_t code = REBAL_OK;
  rebali_buffer_text(&healthy, "");
  account->key = account->key != NULL ? account->key : key_of(server, binding);
  if (account->key == NULL) {
    code = rebali_fail_memory(err);
  }
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(items); i++) {
    const rebal_value *item = rebal_value_item(items, i);
    const char *cluster = rebali_find_text(item, "clusterName");
    if (!rebali_reads(rebali_find(item, "health"), "Healthy")) {
      continue;
    }
    rebali_buffer_format(&healthy, "%s\n", cluster);
    code = is_healthy_in(account->healthy, cluster) ? REBAL_OK : release_cluster(scheduler, account->key, cluster, err);
  }
  if (code == REBAL_OK && healthy.failed) {
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK) {
    rebali_buffer_dispose(&healthy);
    return code;
  }
  free(account->healthy);
  account->healthy = healthy.bytes; /* from malloc */
  return REBAL_OK;
}

static void clear(struct account *account) {
  free(account->key);
  free(account->healthy);
  *account = (struct account){NULL, NULL};
}

static int32_t close_account(struct rebali_scheduler *scheduler, struct account *account, rebal_error *err) {
  const int32_t code = account->key != NULL ? release(scheduler, account->key, REBAL_NONE, err) : REBAL_OK;
  clear(account);
  return code;
}

int32_t rebali_assumed_observe(struct rebali_scheduler *scheduler, rebal_error *err) {
  struct rebali_server *server = scheduler->core->server;
  struct rebali_ids changed = {NULL, 0, 0};
  int32_t code = REBAL_OK;
  if (!scheduler->options->has_overcommit_protection) {
    return REBAL_OK;
  }
  if (scheduler->ledger == NULL) {
    code = rebal_ledger_new(scheduler->core->fleet, NULL, &scheduler->ledger, err);
  }
  if (code == REBAL_OK) {
    code = rebal_ledger_expire(scheduler->ledger, &server->now, err);
  }
  if (code == REBAL_OK) {
    code = rebali_changes_take(server, &scheduler->assumed_seen, &changed, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    const int is_binding = rebali_object_is_binding(server, changed.list[i]);
    struct account *account = is_binding ? rebali_row(&scheduler->assumed, changed.list[i], err)
                                         : rebali_row_find(&scheduler->assumed, changed.list[i]);
    if (is_binding) {
      code = account != NULL ? examine_object(scheduler, changed.list[i], account, err) : REBAL_ENOMEM;
    } else if (account != NULL) {
      code = close_account(scheduler, account, err);
    }
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&changed);
  return code;
}

rebal_time rebali_assumed_expiry(const struct rebali_scheduler *scheduler) {
  rebal_time expiry = scheduler->core->server->now;
  expiry.seconds += EXPIRY_SECONDS;
  return expiry;
}

void rebali_assumed_open(struct rebali_scheduler *scheduler) {
  scheduler->assumed.size = sizeof(struct account);
}

void rebali_assumed_dispose(struct rebali_scheduler *scheduler) {
  for (uint32_t i = 0; i < scheduler->assumed.n; i++) {
    clear(rebali_row_find(&scheduler->assumed, i));
  }
  free(scheduler->assumed.bytes);
  rebal_ledger_free(scheduler->ledger);
}
