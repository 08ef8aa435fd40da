/* SPDX-License-Identifier: MIT */
/* API servers of member clusters, which come and go with the Clusters. */
#include "client.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 10000 /* until it is looked again whether there is a context */

/* A later Cluster of the same name is another object, and so another member. */
struct member {
  uint32_t object;       /* the Cluster */
  uint32_t cluster;      /* its id in the fleet */
  struct client *client; /* NULL: there is no context */
  int64_t tried_at;      /* it was opened or not; milliseconds of the monotonic clock */
  rebal_feed *feed;      /* of its store into the fleet; NULL: nothing of it is in the fleet */
};

static const char *name_of(const struct members *members, uint32_t object) {
  return rebal_store_identity(client_store(members->client), object, REBAL_IDENTITY_NAME, NULL);
}

static void open_member(const struct members *members, struct member *member) {
  const char *name = name_of(members, member->object);
  bool is_open = kubeconfig_has(members->kubeconfig, name) &&
                 client_open_member(members->client, members->kubeconfig, name, &member->client);
  member->tried_at = now_in_milliseconds();
  for (size_t i = 0; is_open && i < members->n_kinds; i++) {
    const struct member_kind *kind = &members->kinds[i];
    is_open = client_follow_some(member->client, kind->api_version, kind->kind, kind->field_selector);
  }
  if (!is_open && member->client != NULL) {
    client_close_member(member->client);
    member->client = NULL;
  }
}

static void close_member(struct member *member) {
  rebal_feed_free(member->feed);
  if (member->client != NULL) {
    client_close_member(member->client);
  }
}

static void add_member(struct members *members, uint32_t object) {
  struct member *longer = realloc(members->list, (members->n + 1) * sizeof *longer);
  if (longer == NULL) {
    return;
  }
  members->list = longer;
  longer[members->n] = (struct member){.object = object};
  open_member(members, &longer[members->n]);
  if (longer[members->n].client == NULL) {
    say("cluster %s: nothing is known of what it holds, since %s has no context of this name", name_of(members, object),
        members->kubeconfig);
  }
  members->n++;
}

static bool is_member(const struct members *members, uint32_t object) {
  size_t i = 0;
  while (i < members->n && members->list[i].object != object) {
    i++;
  }
  return i < members->n;
}

void members_follow(struct members *members) {
  static const char kind[] = "Cluster.cluster.karmada.io";
  const rebal_store *store = client_store(members->client);
  size_t kept = 0;
  for (size_t i = 0; i < members->n; i++) {
    if (name_of(members, members->list[i].object)[0] != '\0') {
      members->list[kept++] = members->list[i];
    } else {
      close_member(&members->list[i]);
    }
  }
  members->n = kept;
  for (uint32_t object = rebal_store_next(store, kind, sizeof kind - 1, REBAL_NONE); object != REBAL_NONE;
       object = rebal_store_next(store, kind, sizeof kind - 1, object)) {
    if (!is_member(members, object)) {
      add_member(members, object);
    }
  }
}

bool members_are_tried(const struct members *members) {
  size_t i = 0;
  while (i < members->n && (members->list[i].client == NULL || client_is_tried(members->list[i].client))) {
    i++;
  }
  return i == members->n;
}

/* What it held is not in the fleet any more. */
static int32_t forget(struct member *member, rebal_fleet *fleet, rebal_error *err) {
  if (member->feed == NULL) {
    return REBAL_OK;
  }
  rebal_feed_free(member->feed);
  member->feed = NULL;
  return rebal_fleet_clear_nodes(fleet, member->cluster, err);
}

static int32_t feed_member(const struct members *members, struct member *member, rebal_fleet *fleet, rebal_error *err) {
  const char *name = name_of(members, member->object);
  int32_t code;
  if (member->client == NULL && now_in_milliseconds() - member->tried_at > AGAIN_MS) {
    open_member(members, member); /* its context may have come */
  }
  if (member->client == NULL || !client_is_answered(member->client)) {
    return forget(member, fleet, err);
  }
  code = rebal_fleet_cluster_id(fleet, name, strlen(name), &member->cluster, err);
  if (code == REBAL_OK) {
    code = rebal_store_feed_member(client_store(member->client), fleet, member->cluster, &member->feed, err);
  }
  if (code == REBAL_ERANGE) { /* a pod is refused, all else was read */
    say("cluster %s: %s", name, err->message);
    code = REBAL_OK;
  }
  return code;
}

int32_t members_feed(struct members *members, rebal_fleet *fleet, rebal_error *err) {
  int32_t code = REBAL_OK;
  members_follow(members);
  for (size_t i = 0; code == REBAL_OK && i < members->n; i++) {
    code = feed_member(members, &members->list[i], fleet, err);
  }
  return code;
}

void members_close(struct members *members) {
  for (size_t i = 0; i < members->n; i++) {
    close_member(&members->list[i]);
  }
  free(members->list);
}
