/* SPDX-License-Identifier: MIT */
/*
 * Affinity and anti-affinity between workloads: the members of a group and what they allow (rebalance-karmada(7) 3.7,
 * 3.8).
 */
#include "scheduler/scheduler.h"

static struct rebali_text text_of(const rebal_bindings *bindings, uint32_t column, uint32_t row) {
  return rebali_bindings_text(bindings, column, row);
}

static int same_object(const rebal_bindings *left, uint32_t left_row, const rebal_bindings *right, uint32_t right_row) {
  return rebali_text_equal(text_of(left, REBAL_BINDING_NAMESPACE, left_row),
                           text_of(right, REBAL_BINDING_NAMESPACE, right_row)) &&
         rebali_text_equal(text_of(left, REBAL_BINDING_NAME, left_row), text_of(right, REBAL_BINDING_NAME, right_row));
}

/* Returns whether a text is a resource version: a decimal number without leading zeros. */
static int is_version(struct rebali_text text) {
  if (text.len == 0 || text.bytes[0] == '0') {
    return 0;
  }
  for (size_t i = 0; i < text.len; i++) {
    if (text.bytes[i] < '0' || text.bytes[i] > '9') {
      return 0;
    }
  }
  return 1;
}

/* Returns whether left is newer: more digits, or as many and later in byte order. */
static int is_newer(struct rebali_text left, struct rebali_text right) {
  return left.len != right.len ? left.len > right.len : rebali_text_compare(left, right) > 0;
}

/* Returns the newest copy: the one being assigned, if it is newer than the known one. */
static struct rebali_peer newest_copy(const struct rebali_pass *pass, uint32_t known_row) {
  const rebal_bindings *known = pass->opts->known;
  const rebal_bindings *assigning = pass->opts->assigning;
  struct rebali_peer peer = {known, known_row, 0};
  const size_t n = rebali_bindings_size(assigning);

  for (uint32_t row = 0; row < n; row++) {
    const struct rebali_text mine = text_of(assigning, REBAL_BINDING_RESOURCE_VERSION, row);
    const struct rebali_text theirs = text_of(known, REBAL_BINDING_RESOURCE_VERSION, known_row);

    if (!same_object(assigning, row, known, known_row)) {
      continue;
    }
    if (!is_version(mine) || !is_version(theirs)) {
      peer.is_broken = 1;
    } else if (is_newer(mine, theirs)) {
      peer = (struct rebali_peer){assigning, row, 0};
    }
    break;
  }
  return peer;
}

static int32_t collect(struct rebali_pass *pass, uint32_t column, struct rebali_peer **peers, size_t *n) {
  const uint32_t *members =
      rebali_bindings_group(pass->opts->known, column, text_of(pass->bindings, column, pass->row), n);

  *peers = NULL;
  if (*n == 0) {
    return REBAL_OK;
  }
  *peers = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), *n, sizeof **peers);
  if (*peers == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < *n; i++) {
    (*peers)[i] = newest_copy(pass, members[i]);
  }
  return REBAL_OK;
}

int32_t rebali_peers_collect(struct rebali_pass *pass) {
  int32_t code;

  pass->n_friends = 0;
  pass->n_foes = 0;
  if (!rebali_compat_value(pass->opts->compat, REBAL_OPTION_GATE_WORKLOAD_AFFINITY)) {
    return REBAL_OK;
  }
  code = collect(pass, REBAL_BINDING_AFFINITY_GROUP, &pass->friends, &pass->n_friends);
  if (code == REBAL_OK) {
    code = collect(pass, REBAL_BINDING_ANTI_AFFINITY_GROUP, &pass->foes, &pass->n_foes);
  }
  return code;
}

static int targets(const struct rebali_peer *peer, uint32_t cluster, size_t *n_targets) {
  const uint32_t *rows = rebali_bindings_children(peer->bindings, REBAL_TABLE_TARGET, peer->row, n_targets);

  for (size_t i = 0; i < *n_targets; i++) {
    if (rebali_bindings_i64(peer->bindings, REBAL_TARGET_CLUSTER, rows[i]) == (int64_t)cluster) {
      return 1;
    }
  }
  return 0;
}

/* Returns whether the peer is in the namespace of this binding's resource, still in its group, and not this binding. */
static int concerns(const struct rebali_pass *pass, const struct rebali_peer *peer, uint32_t column) {
  return rebali_text_equal(text_of(peer->bindings, REBAL_BINDING_NAMESPACE, peer->row),
                           text_of(pass->bindings, REBAL_BINDING_RESOURCE_NAMESPACE, pass->row)) &&
         rebali_text_equal(text_of(peer->bindings, column, peer->row), text_of(pass->bindings, column, pass->row)) &&
         !rebali_text_equal(text_of(peer->bindings, REBAL_BINDING_NAME, peer->row),
                            text_of(pass->bindings, REBAL_BINDING_NAME, pass->row));
}

/*
 * Returns the first member of the group that rejects the cluster, or NULL. A member of friends rejects clusters where
 * it is not placed, one of foes clusters where it is.
 */
static const struct rebali_peer *find_rejecting(const struct rebali_pass *pass, uint32_t cluster, uint32_t column,
                                                const struct rebali_peer *peers, size_t n) {
  const int are_friends = column == REBAL_BINDING_AFFINITY_GROUP;

  for (size_t i = 0; i < n && !rebali_bit_get(pass->targets, cluster); i++) {
    size_t n_targets;
    int is_present;

    if (peers[i].is_broken) {
      return &peers[i];
    }
    if (!concerns(pass, &peers[i], column)) {
      continue;
    }
    is_present = targets(&peers[i], cluster, &n_targets);
    if (are_friends ? !is_present && n_targets > 0 : is_present) {
      return &peers[i];
    }
  }
  return NULL;
}

const struct rebali_peer *rebali_rejecting_friend(const struct rebali_pass *pass, uint32_t cluster) {
  return find_rejecting(pass, cluster, REBAL_BINDING_AFFINITY_GROUP, pass->friends, pass->n_friends);
}

const struct rebali_peer *rebali_rejecting_foe(const struct rebali_pass *pass, uint32_t cluster) {
  return find_rejecting(pass, cluster, REBAL_BINDING_ANTI_AFFINITY_GROUP, pass->foes, pass->n_foes);
}

int rebali_friends_reject(const struct rebali_pass *pass, uint32_t cluster, int *is_broken) {
  const struct rebali_peer *peer = rebali_rejecting_friend(pass, cluster);

  *is_broken = peer != NULL && peer->is_broken;
  return peer != NULL;
}

int rebali_foes_reject(const struct rebali_pass *pass, uint32_t cluster, int *is_broken) {
  const struct rebali_peer *peer = rebali_rejecting_foe(pass, cluster);

  *is_broken = peer != NULL && peer->is_broken;
  return peer != NULL;
}

/* ---- all clusters at once ---------------------------------------------------------------------------------------- */

/* Sets the bits of the peer's clusters. They are rows of the snapshot: bindings that name newer ones are refused. */
static size_t set_clusters(const struct rebali_peer *peer, uint64_t *bits, int value) {
  size_t n;
  const uint32_t *rows = rebali_bindings_children(peer->bindings, REBAL_TABLE_TARGET, peer->row, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(peer->bindings, REBAL_TARGET_CLUSTER, rows[i]);

    if (cluster != REBAL_NONE) {
      rebali_bit_set(bits, (size_t)cluster, value);
    }
  }
  return n;
}

static void keep(uint64_t *bits, const uint64_t *others, size_t words) {
  for (size_t i = 0; i < words; i++) {
    bits[i] &= others[i];
  }
}

/* scratch has the length of bits. */
static void keep_with(const struct rebali_pass *pass, uint32_t column, const struct rebali_peer *peers, size_t n,
                      uint64_t *bits, uint64_t *scratch) {
  const int are_friends = column == REBAL_BINDING_AFFINITY_GROUP;

  for (size_t i = 0; i < n; i++) {
    if (peers[i].is_broken) {
      memset(bits, 0, pass->words * sizeof *bits);
      return;
    }
    if (!concerns(pass, &peers[i], column)) {
      continue;
    }
    if (!are_friends) {
      (void)set_clusters(&peers[i], bits, 0);
      continue;
    }
    memset(scratch, 0, pass->words * sizeof *scratch);
    if (set_clusters(&peers[i], scratch, 1) > 0) {
      keep(bits, scratch, pass->words);
    }
  }
}

int32_t rebali_peers_keep(const struct rebali_pass *pass, uint64_t *bits) {
  uint64_t *scratch;

  if (pass->n_friends == 0 && pass->n_foes == 0) {
    return REBAL_OK;
  }
  scratch = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->words, 2 * sizeof *scratch);
  if (scratch == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(scratch, bits, pass->words * sizeof *bits);
  keep_with(pass, REBAL_BINDING_AFFINITY_GROUP, pass->friends, pass->n_friends, bits, scratch + pass->words);
  keep_with(pass, REBAL_BINDING_ANTI_AFFINITY_GROUP, pass->foes, pass->n_foes, bits, scratch + pass->words);
  for (size_t i = 0; i < pass->words; i++) {
    bits[i] |= scratch[i] & pass->targets[i]; /* members do not reject targets */
  }
  return REBAL_OK;
}
