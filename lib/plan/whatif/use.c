/* SPDX-License-Identifier: MIT */
/* How full clusters are: what summaries and a ledger hold, and the changes by bindings. */
#include "plan/whatif/whatif.h"

/* ---- prices ------------------------------------------------------------------------------------------------------ */

/* Adds count replicas of a demand to amounts by resource. */
static void add_demand(const struct rebali_use *use, const struct rebali_demand *demand, int64_t count,
                       int64_t *amounts) {
  if (use->pods != REBAL_NONE) {
    amounts[use->pods] = rebali_add_saturating(amounts[use->pods], count);
  }
  for (size_t i = 0; i < demand->n_requests; i++) {
    const struct rebali_request *request = &demand->requests[i];

    if (request->resource != REBAL_NONE && request->resource != use->pods) {
      const int64_t one = request->is_cpu ? request->milli : request->value;

      amounts[request->resource] =
          rebali_add_saturating(amounts[request->resource], rebali_multiply_saturating(one, count));
    }
  }
}

static int32_t add_requirements(struct rebali_use *use, uint32_t handle, int64_t count, int64_t *amounts) {
  struct rebali_demand demand;

  if (rebali_demand_read(use->arena, rebali_snapshot_record(use->snapshot, REBAL_OBJECT_REQUIREMENTS, handle),
                         &demand) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  rebali_demand_resolve(&demand, use->snapshot);
  add_demand(use, &demand, count, amounts);
  return REBAL_OK;
}

static struct rebali_price_of *make_price(struct rebali_use *use, const int64_t *amounts) {
  struct rebali_price_of *price = rebali_arena_allocate_zero(use->arena, 1, sizeof *price);

  if (price != NULL) {
    price->takes = rebali_arena_allocate(use->arena, use->n_resources, sizeof *price->takes);
  }
  if (price == NULL || price->takes == NULL) {
    return NULL;
  }
  for (uint32_t i = 0; i < use->n_resources; i++) {
    if (amounts[i] != 0) {
      price->takes[price->n++] = (struct rebali_take_of){i, amounts[i]};
    }
  }
  return price;
}

static struct rebali_price_of *price_replica(struct rebali_use *use, uint32_t binding) {
  const uint32_t handle = (uint32_t)rebali_bindings_i64(use->bindings, REBAL_BINDING_REQUIREMENTS, binding);
  const size_t place = (size_t)(uint32_t)(handle + 1); /* REBAL_NONE is the first */
  int64_t *amounts;

  if (place >= use->n_prices) {
    const size_t n = 2 * place + 16;
    struct rebali_price_of **prices = rebali_arena_allocate_zero(use->arena, n, sizeof *prices);

    if (prices == NULL) {
      return NULL;
    }
    if (use->n_prices > 0) {
      memcpy(prices, use->prices, use->n_prices * sizeof *prices);
    }
    use->prices = prices;
    use->n_prices = n;
  }
  if (use->prices[place] == NULL) {
    amounts = rebali_arena_allocate_zero(use->arena, use->n_resources + 1, sizeof *amounts);
    if (amounts == NULL || add_requirements(use, handle, 1, amounts) != REBAL_OK) {
      return NULL;
    }
    use->prices[place] = make_price(use, amounts);
  }
  return use->prices[place];
}

static struct rebali_price_of *price_set(struct rebali_use *use, uint32_t binding) {
  size_t n;
  const uint32_t *rows = rebali_bindings_children(use->bindings, REBAL_TABLE_COMPONENT, binding, &n);
  int64_t *amounts = rebali_arena_allocate_zero(use->arena, use->n_resources + 1, sizeof *amounts);

  for (size_t i = 0; amounts != NULL && i < n; i++) {
    if (add_requirements(use, (uint32_t)rebali_bindings_i64(use->bindings, REBAL_COMPONENT_REQUIREMENTS, rows[i]),
                         rebali_bindings_i64(use->bindings, REBAL_COMPONENT_REPLICAS, rows[i]), amounts) != REBAL_OK) {
      return NULL;
    }
  }
  return amounts == NULL ? NULL : make_price(use, amounts);
}

const struct rebali_price_of *rebali_use_price(struct rebali_use *use, uint32_t binding, int is_set) {
  return is_set ? price_set(use, binding) : price_replica(use, binding);
}

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

static int64_t amount_of(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                         int is_cpu) {
  rebal_quantity quantity;

  if (!rebali_snapshot_capacity(snapshot, part, cluster, resource, &quantity)) {
    return 0;
  }
  return is_cpu ? rebali_quantity_milli(&quantity) : rebali_quantity_value(&quantity);
}

static void read_resource(struct rebali_use *use, uint32_t resource, const rebal_ledger *ledger) {
  const struct rebali_text name = rebali_snapshot_resource_name(use->snapshot, resource);
  const int is_cpu = rebali_text_equal(name, REBALI_TEXT("cpu"));
  const uint32_t charged = ledger == NULL ? REBAL_NONE : rebali_ledger_find_name(ledger, name);
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(use->snapshot, &n);

  for (uint32_t i = 0; i < n; i++) {
    const size_t cell = (size_t)clusters[i] * use->n_resources + resource;

    if (!rebali_snapshot_i64(use->snapshot, REBAL_CLUSTER_HAS_SUMMARY, clusters[i])) {
      continue;
    }
    use->allocatable[cell] = amount_of(use->snapshot, REBAL_CAPACITY_ALLOCATABLE, clusters[i], resource, is_cpu);
    use->used[cell] =
        rebali_add_saturating(amount_of(use->snapshot, REBAL_CAPACITY_ALLOCATED, clusters[i], resource, is_cpu),
                              amount_of(use->snapshot, REBAL_CAPACITY_ALLOCATING, clusters[i], resource, is_cpu));
    if (ledger != NULL) {
      const struct rebali_spent *spent = rebali_ledger_spent(ledger);

      use->used[cell] = rebali_add_saturating(use->used[cell], resource == use->pods
                                                                   ? rebali_spent_pods(spent, clusters[i])
                                                                   : rebali_spent_amount(spent, clusters[i], charged));
    }
  }
}

void rebali_use_resources(struct rebali_use *use) {
  uint32_t n;

  use->by_name = rebali_snapshot_resources_by_name(use->snapshot, &n);
  use->n_resources = n;
  use->pods = rebali_snapshot_resource(use->snapshot, REBALI_TEXT("pods"));
}

int32_t rebali_use_init(struct rebali_use *use, const rebal_ledger *ledger) {
  const size_t rows = rebali_snapshot_rows(use->snapshot);
  size_t n;

  rebali_use_resources(use);
  n = use->n_resources;
  use->used = rebali_arena_allocate_zero(use->arena, rows * n + 1, sizeof *use->used);
  use->allocatable = rebali_arena_allocate_zero(use->arena, rows * n + 1, sizeof *use->allocatable);
  use->order = rebali_arena_allocate(use->arena, rows + 1, sizeof *use->order);
  use->touched = rebali_arena_allocate_zero(use->arena, REBALI_BITSET_WORDS(rows) + 1, sizeof *use->touched);
  use->touched_list = rebali_arena_allocate(use->arena, rows + 1, sizeof *use->touched_list);
  if (use->used == NULL || use->allocatable == NULL || use->order == NULL || use->touched == NULL ||
      use->touched_list == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t resource = 0; resource < n; resource++) {
    read_resource(use, resource, ledger);
  }
  return REBAL_OK;
}

int32_t rebali_use_add(struct rebali_use *use, const struct rebali_use_change *change) {
  const struct rebali_price_of *price = rebali_use_price(use, change->binding, change->is_set);
  int64_t *used = use->used + (size_t)change->cluster * use->n_resources;

  for (size_t i = 0; price != NULL && i < price->n; i++) {
    used[price->takes[i].resource] = rebali_add_saturating(
        used[price->takes[i].resource], rebali_multiply_saturating(price->takes[i].amount, change->amount));
  }
  return price == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* ---- the fullest clusters ---------------------------------------------------------------------------------------- */

/* permille is below 0 if nothing is allocatable. */
static struct rebali_fullest fullness(const struct rebali_use *use, uint32_t cluster) {
  const size_t first = (size_t)cluster * use->n_resources;
  struct rebali_fullest full = {cluster, REBAL_NONE, -1};

  for (size_t i = 0; i < use->n_resources; i++) {
    const size_t cell = first + use->by_name[i];
    const int64_t used = use->used[cell] > 0 ? use->used[cell] : 0;
    int64_t permille;

    if (use->allocatable[cell] <= 0) {
      continue;
    }
    permille = rebali_wide_divide_away(rebali_wide_multiply(used, 1000), use->allocatable[cell]);
    if (permille > full.permille) {
      full = (struct rebali_fullest){cluster, use->by_name[i], permille};
    }
  }
  return full;
}

static int is_fuller(const struct rebali_use *use, const struct rebali_fullest *left,
                     const struct rebali_fullest *right) {
  if (right->cluster == REBAL_NONE || left->permille != right->permille) {
    return right->cluster == REBAL_NONE || left->permille > right->permille;
  }
  return rebali_snapshot_rank(use->snapshot, left->cluster) < rebali_snapshot_rank(use->snapshot, right->cluster);
}

static int compare_fullness(const void *left, const void *right, const void *context) {
  const int64_t a = ((const struct rebali_fullest *)left)->permille;
  const int64_t b = ((const struct rebali_fullest *)right)->permille;

  (void)context;
  return (a < b) - (a > b);
}

/* Equally full clusters stay in the order of their names. */
int32_t rebali_use_rank(struct rebali_use *use) {
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(use->snapshot, &n);
  struct rebali_fullest *ranked = rebali_arena_allocate(use->arena, n, 2 * sizeof *ranked); /* half is for sorting */

  if (ranked == NULL) {
    return REBAL_ENOMEM;
  }
  use->n_order = 0;
  for (uint32_t i = 0; i < n; i++) {
    ranked[use->n_order] = fullness(use, clusters[i]);
    use->n_order += ranked[use->n_order].permille >= 0;
  }
  rebali_sort(ranked, use->n_order, sizeof *ranked, ranked + use->n_order, compare_fullness, NULL);
  for (size_t i = 0; i < use->n_order; i++) {
    use->order[i] = ranked[i].cluster;
  }
  return REBAL_OK;
}

/* Saves what is used in a cluster, to be restored later. */
static int32_t touch(struct rebali_use *use, uint32_t cluster) {
  const size_t width = use->n_resources;

  if (rebali_bit_get(use->touched, cluster)) {
    return REBAL_OK;
  }
  if (rebali_reserve(use->allocator, &use->saved, &use->saved_capacity, (use->n_touched + 1) * width,
                     sizeof *use->saved) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (width > 0) {
    memcpy(use->saved + use->n_touched * width, use->used + cluster * width, width * sizeof *use->saved);
  }
  rebali_bit_set(use->touched, cluster, 1);
  use->touched_list[use->n_touched++] = cluster;
  return REBAL_OK;
}

static void put_back(struct rebali_use *use) {
  const size_t width = use->n_resources;

  for (size_t i = 0; i < use->n_touched; i++) {
    if (width > 0) {
      memcpy(use->used + use->touched_list[i] * width, use->saved + i * width, width * sizeof *use->saved);
    }
    rebali_bit_set(use->touched, use->touched_list[i], 0);
  }
  use->n_touched = 0;
}

int32_t rebali_use_fullest(struct rebali_use *use, const struct rebali_use_change *changes, size_t n,
                           const uint64_t *lost, struct rebali_fullest *out) {
  int32_t code = REBAL_OK;
  size_t i = 0;

  *out = (struct rebali_fullest){REBAL_NONE, REBAL_NONE, REBAL_ABSENT};
  for (size_t k = 0; k < n && code == REBAL_OK; k++) {
    code = touch(use, changes[k].cluster);
    code = code == REBAL_OK ? rebali_use_add(use, &changes[k]) : code;
  }
  while (i < use->n_order && (rebali_bit_get(use->touched, use->order[i]) || rebali_bit_get(lost, use->order[i]))) {
    i++;
  }
  if (i < use->n_order) {
    *out = fullness(use, use->order[i]);
  }
  for (i = 0; i < use->n_touched; i++) {
    const struct rebali_fullest full = fullness(use, use->touched_list[i]);

    if (full.permille >= 0 && is_fuller(use, &full, out)) { /* nothing changes in a lost cluster */
      *out = full;
    }
  }
  put_back(use);
  return code;
}

void rebali_use_dispose(struct rebali_use *use) {
  rebali_release(use->allocator, use->saved);
}
