/* SPDX-License-Identifier: MIT */
/* Lists the losses of a sweep in their order. */
#include "plan/whatif/whatif.h"

#define KINDS                                                                                           \
  (1u << REBAL_LOSS_NOTHING | 1u << REBAL_LOSS_CLUSTER | 1u << REBAL_LOSS_SET | 1u << REBAL_LOSS_ZONE | \
   1u << REBAL_LOSS_REGION | 1u << REBAL_LOSS_PROVIDER)

/* A cluster and its zone, region or provider. */
struct mention {
  struct rebali_text name;
  uint32_t cluster;
  uint32_t rank;
  int is_lost; /* with the name: a cluster of several zones survives the loss of one */
};

static int compare_mentions(const void *left, const void *right, const void *context) {
  const struct mention *a = left;
  const struct mention *b = right;
  const int order = rebali_text_compare(a->name, b->name);

  (void)context;
  return order != 0 ? order : (a->rank < b->rank ? -1 : a->rank > b->rank);
}

static struct rebali_loss *add(struct rebali_losses *losses, uint32_t kind, struct rebali_text name) {
  struct rebali_loss *loss = &losses->list[losses->n++];

  *loss = (struct rebali_loss){.kind = kind, .set = REBAL_NONE, .name = name};
  return loss;
}

/* ---- zones, regions, providers ----------------------------------------------------------------------------------- */

/* Lists the zones of a cluster. If out is NULL, only counts. */
static size_t mention_zones(const rebal_snapshot *snapshot, uint32_t cluster, struct mention *out) {
  const rebal_record *zones = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_ZONES, cluster);
  struct rebali_text first = REBALI_TEXT("");
  uint32_t node = REBAL_NONE;
  int is_lost = 1;
  size_t n = 0;

  while (zones != NULL && (node = rebal_record_next(zones, 0, REBAL_TEXTS_ITEM, node)) != REBAL_NONE) {
    const struct rebali_text name = rebali_record_text(zones, node);

    first = n == 0 ? name : first;
    is_lost &= rebali_text_equal(first, name);
    if (out != NULL) {
      out[n] = (struct mention){name, cluster, rebali_snapshot_rank(snapshot, cluster), 0};
    }
    n++;
  }
  for (size_t i = 0; out != NULL && i < n; i++) {
    out[i].is_lost = is_lost;
  }
  return n;
}

static size_t mention(const rebal_snapshot *snapshot, uint32_t kind, uint32_t cluster, struct mention *out) {
  const uint32_t column = kind == REBAL_LOSS_REGION ? REBAL_CLUSTER_REGION : REBAL_CLUSTER_PROVIDER;
  struct rebali_text name;

  if (kind == REBAL_LOSS_ZONE) {
    return mention_zones(snapshot, cluster, out);
  }
  name = rebali_snapshot_text(snapshot, column, cluster);
  if (name.len > 0 && out != NULL) {
    *out = (struct mention){name, cluster, rebali_snapshot_rank(snapshot, cluster), 1};
  }
  return name.len > 0;
}

/* Adds a loss for each name, with space for its clusters. */
static int32_t group(struct rebali_arena *arena, struct rebali_losses *losses, uint32_t kind,
                     const struct mention *mentions, size_t n) {
  uint32_t *clusters = rebali_arena_allocate(arena, n, sizeof *clusters);
  struct rebali_loss *loss = NULL;

  if (clusters == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    if (loss == NULL || !rebali_text_equal(loss->name, mentions[i].name)) {
      loss = add(losses, kind, mentions[i].name);
      loss->clusters = clusters;
    }
    /* If a cluster lists a zone twice, its two mentions are neighbours. */
    if (mentions[i].is_lost && (loss->n == 0 || clusters[-1] != mentions[i].cluster)) {
      *clusters++ = mentions[i].cluster;
      loss->n++;
    }
  }
  return REBAL_OK;
}

static int32_t list_named(struct rebali_arena *arena, const rebal_snapshot *snapshot, uint32_t kind,
                          struct rebali_losses *losses) {
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);
  struct mention *mentions;
  size_t n = 0;

  for (uint32_t i = 0; i < n_clusters; i++) {
    n += mention(snapshot, kind, clusters[i], NULL);
  }
  mentions = rebali_arena_allocate(arena, n, 2 * sizeof *mentions); /* the second half is for sorting */
  if (mentions == NULL || rebali_losses_reserve(arena, losses, n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  n = 0;
  for (uint32_t i = 0; i < n_clusters; i++) {
    n += mention(snapshot, kind, clusters[i], &mentions[n]);
  }
  rebali_sort(mentions, n, sizeof *mentions, mentions + n, compare_mentions, NULL);
  return group(arena, losses, kind, mentions, n);
}

/* ---- clusters and sets ------------------------------------------------------------------------------------------- */

int32_t rebali_losses_reserve(struct rebali_arena *arena, struct rebali_losses *losses, size_t more) {
  struct rebali_loss *list;

  if (losses->n + more <= losses->capacity) {
    return REBAL_OK;
  }
  list = rebali_arena_allocate(arena, losses->n + more, sizeof *list);
  if (list == NULL) {
    return REBAL_ENOMEM;
  }
  if (losses->n > 0) {
    memcpy(list, losses->list, losses->n * sizeof *list);
  }
  losses->list = list;
  losses->capacity = losses->n + more;
  return REBAL_OK;
}

static int32_t list_clusters(struct rebali_arena *arena, const rebal_snapshot *snapshot, struct rebali_losses *losses) {
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n);

  if (rebali_losses_reserve(arena, losses, n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < n; i++) {
    struct rebali_loss *loss = add(losses, REBAL_LOSS_CLUSTER, rebali_snapshot_name(snapshot, clusters[i]));

    loss->clusters = &clusters[i];
    loss->n = 1;
  }
  return REBAL_OK;
}

static int32_t list_set(struct rebali_arena *arena, const rebal_sweep_opts *opts, size_t set,
                        struct rebali_losses *losses) {
  const uint32_t *given = opts->set_clusters + opts->set_offsets[set];
  const size_t n = opts->set_offsets[set + 1] - opts->set_offsets[set];
  uint32_t *clusters = rebali_arena_allocate(arena, n, 2 * sizeof *clusters); /* the second half is for sorting */
  struct rebali_loss *loss = add(losses, REBAL_LOSS_SET, REBALI_TEXT(""));

  if (clusters == NULL) {
    return REBAL_ENOMEM;
  }
  if (n > 0) {
    memcpy(clusters, given, n * sizeof *clusters);
  }
  loss->set = (uint32_t)set;
  loss->clusters = clusters;
  loss->n = rebali_plan_sort_ids(clusters, n);
  return REBAL_OK;
}

static int32_t list_sets(struct rebali_arena *arena, const rebal_sweep_opts *opts, struct rebali_losses *losses) {
  int32_t code = rebali_losses_reserve(arena, losses, (size_t)opts->n_sets);

  for (size_t set = 0; set < opts->n_sets && code == REBAL_OK; set++) {
    code = list_set(arena, opts, set, losses);
  }
  return code;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int32_t check_sets(const rebal_snapshot *snapshot, const rebal_sweep_opts *opts, rebal_error *err) {
  const uint32_t rows = rebali_snapshot_rows(snapshot);

  if (opts->n_sets == 0) {
    return REBAL_OK;
  }
  if (opts->set_offsets == NULL || opts->set_clusters == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "set_clusters or set_offsets is NULL");
  }
  if (opts->n_sets >= UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many sets");
  }
  for (size_t set = 0; set < opts->n_sets; set++) {
    if (opts->set_offsets[set] > opts->set_offsets[set + 1]) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)set, "offsets go backward");
    }
    for (size_t i = opts->set_offsets[set]; i < opts->set_offsets[set + 1]; i++) {
      if (opts->set_clusters[i] >= rows) {
        return rebali_fail(err, REBAL_EINVAL, (int64_t)set, "the snapshot has no cluster id %lu",
                           (unsigned long)opts->set_clusters[i]);
      }
    }
  }
  return REBAL_OK;
}

int32_t rebali_losses_check(const rebal_snapshot *snapshot, const rebal_sweep_opts *given, rebal_sweep_opts *opts,
                            rebal_error *err) {
  const int32_t code = rebali_options_load(opts, sizeof *opts, sizeof *opts, given, err);

  if (code != REBAL_OK) {
    return code;
  }
  if ((opts->kinds & ~KINDS) != 0 || (opts->flags & ~(uint32_t)REBAL_SWEEP_FLAG_BINDINGS) != 0 ||
      opts->reserved0 != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  opts->kinds = opts->kinds == 0 ? 1u << REBAL_LOSS_CLUSTER : opts->kinds;
  return check_sets(snapshot, opts, err);
}

int32_t rebali_losses_list(struct rebali_arena *arena, const rebal_snapshot *snapshot, const rebal_sweep_opts *opts,
                           struct rebali_losses *out) {
  int32_t code = rebali_losses_reserve(arena, out, 1);

  for (uint32_t kind = REBAL_LOSS_NOTHING; kind <= REBAL_LOSS_PROVIDER && code == REBAL_OK; kind++) {
    if ((opts->kinds >> kind & 1u) == 0) {
      continue;
    }
    switch (kind) {
      case REBAL_LOSS_NOTHING:
        (void)add(out, kind, REBALI_TEXT(""));
        break;
      case REBAL_LOSS_CLUSTER:
        code = list_clusters(arena, snapshot, out);
        break;
      case REBAL_LOSS_SET:
        code = list_sets(arena, opts, out);
        break;
      default:
        code = list_named(arena, snapshot, kind, out);
    }
  }
  return code;
}
