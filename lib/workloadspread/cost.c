/* SPDX-License-Identifier: MIT */
/* Deletion costs of pods: rebalance-workloadspread(7) 5. */
#include "workloadspread/pass.h"

#define STEP 100 /* difference between adjacent costs */
#define DIGITS 24

/* Pods of one version and one subset of spec, whose costs are set together. */
struct priced {
  uint32_t version;
  uint32_t subset;  /* REBAL_NONE: pods in no subset */
  int64_t x;        /* place of the subset: the last is scaled in first */
  uint32_t *places; /* active members, in the order of the list or of 5.1 */
  size_t n;
  size_t surplus; /* the first ones */
  size_t minimum; /* the last ones, option SPREAD_MIN_REPLICAS */
};
struct pricing {
  struct rebali_spread_pass *pass;
  int64_t n;       /* number of subsets */
  int64_t longest; /* option SPREAD_EVEN_SCALE_IN: kept pods of the longest subset of the version, otherwise 0 */
  int64_t *over;   /* by subset, option SPREAD_ALL_VERSIONS: surplus not yet assigned to a version; otherwise NULL */
};

/* ---- which versions and kinds ------------------------------------------------------------------------------------ */

int rebali_pass_has_costs(const struct rebali_spread_pass *pass) {
  static const char *const KINDS[] = {"ReplicaSet", "Deployment", "CloneSet"};
  const struct rebali_text kind = pass->spread->spec.target_kind;

  for (size_t i = 0; i < REBALI_COUNT(KINDS); i++) {
    if (rebali_text_equal(kind, rebali_text(KINDS[i], strlen(KINDS[i])))) {
      return 1;
    }
  }
  return rebali_pass_option(pass, REBAL_OPTION_SPREAD_COST_ANY_KIND);
}

static int is_versionless(struct rebali_text version) {
  return version.len == 0 || rebali_text_equal(version, REBALI_VERSION_IGNORED);
}

int64_t rebali_pass_latest_state(const struct rebali_spread_pass *pass) {
  return rebali_text_equal(pass->spread->spec.target_kind, REBALI_TEXT("CloneSet")) &&
                 !rebali_pass_option(pass, REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS)
             ? REBAL_LATEST_STATE_NOT_TRACKED
             : rebali_fact(pass->spread, REBAL_SPREAD_WORKLOAD_LATEST_STATE);
}

static struct rebali_text latest_of(const struct rebali_spread_pass *pass) {
  const rebal_spread *spread = pass->spread;

  if (rebali_fact(spread, REBAL_SPREAD_WORKLOAD_STATE) != REBAL_OWNER_STATE_EXISTS) {
    return REBALI_TEXT("");
  }
  return rebali_pass_latest_state(pass) == REBAL_LATEST_STATE_KNOWN
             ? rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST)
             : REBALI_VERSION_IGNORED;
}

static int is_latest(const struct rebali_spread_pass *pass, uint32_t version) {
  const struct rebali_text latest = latest_of(pass);
  const struct rebali_text text = pass->versions.texts[version];

  return rebali_text_equal(text, latest) || (rebali_pass_option(pass, REBAL_OPTION_SPREAD_REPLICA_SET_ORDER) &&
                                             is_versionless(text) && is_versionless(latest));
}

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

struct rebali_text rebali_cost_text(int64_t cost, char *digits) {
  char *const end = digits + DIGITS;
  char *at = end;
  uint64_t rest = cost < 0 ? 0 - (uint64_t)cost : (uint64_t)cost; /* correct also for the minimum, REBAL_ABSENT */

  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (cost < 0) {
    *--at = '-';
  }
  return rebali_text(at, (size_t)(end - at));
}

static void set_cost(struct rebali_grouped *member, int64_t cost, uint8_t why) {
  member->cost = cost;
  member->why = why;
  member->changes = (uint8_t)(member->changes & ~REBAL_CHANGES_COST);
  if (member->written != cost) {
    member->changes |= REBAL_CHANGES_COST;
  }
}

/*
 * Fewer than 2^31 subsets and 2^32 pods, so each product is below 2^63. place counts the kept pods, up to n - 1 for the
 * last to be deleted.
 */
static int64_t kept_cost(const struct pricing *pricing, const struct priced *priced, size_t place) {
  const int64_t rank = pricing->n - priced->x;
  const int64_t from_end = (int64_t)(priced->n - 1 - place);

  return pricing->longest == 0 ? STEP * rank : pricing->n * (pricing->longest - from_end) + rank;
}

static int64_t minimum_cost(const struct pricing *pricing, const struct priced *priced) {
  const int64_t above = pricing->longest + 1 > 2 * STEP ? pricing->longest + 1 : 2 * STEP;

  return pricing->n * above + pricing->n - priced->x;
}

/* ---- one subset -------------------------------------------------------------------------------------------------- */

static void collect(const struct rebali_spread_pass *pass, struct priced *priced) {
  const uint32_t subset = priced->subset == REBAL_NONE ? REBAL_NONE : pass->spread->spec.subsets[priced->subset].bucket;
  const size_t bucket = rebali_pass_bucket(pass, priced->version, subset);

  priced->n = 0;
  for (size_t i = pass->first[bucket]; i < pass->first[bucket + 1]; i++) {
    priced->places[priced->n] = (uint32_t)i;
    priced->n += pass->members[i].is_active;
  }
}

/* Computes the number of surplus pods. Returns 0 if the limit cannot be read. */
static int find_surplus(const struct pricing *pricing, struct priced *priced) {
  const struct rebali_spread_pass *pass = pricing->pass;
  int64_t limit;

  priced->surplus = 0;
  if (priced->subset == REBAL_NONE) {
    priced->surplus = priced->n;
    return 1;
  }
  if (!pass->spread->spec.subsets[priced->subset].maximum.is_present) {
    return 1;
  }
  if (!rebali_limit_legacy(&pass->spread->spec.subsets[priced->subset].maximum, pass->replicas, &limit) || limit < 0) {
    return 0;
  }
  if (pricing->over != NULL) {
    int64_t *over = &pricing->over[priced->subset];

    priced->surplus = (uint64_t)*over < priced->n ? (size_t)*over : priced->n;
    *over -= (int64_t)priced->surplus;
  } else if (priced->n > (uint64_t)limit) {
    priced->surplus = priced->n - (size_t)limit;
  }
  return 1;
}

static size_t find_minimum(const struct rebali_spread_pass *pass, const struct priced *priced) {
  const size_t kept = priced->n - priced->surplus;
  int64_t minimum;

  if (priced->subset == REBAL_NONE || !rebali_pass_option(pass, REBAL_OPTION_SPREAD_MIN_REPLICAS) ||
      !pass->spread->spec.subsets[priced->subset].minimum.is_present ||
      !rebali_limit_scaled(&pass->spread->spec.subsets[priced->subset].minimum, pass->replicas, &minimum) ||
      minimum < 0) {
    return 0;
  }
  return (uint64_t)minimum < kept ? (size_t)minimum : kept;
}

/* Returns whether the pods get different costs. */
static int is_split(const struct pricing *pricing, const struct priced *priced) {
  const size_t kept = priced->n - priced->surplus;

  return (priced->surplus != 0 && kept != 0) || (priced->minimum != 0 && priced->minimum != kept) ||
         (pricing->longest != 0 && kept > 1);
}

static int32_t price(struct pricing *pricing, struct priced *priced) {
  struct rebali_spread_pass *pass = pricing->pass;

  collect(pass, priced);
  if (priced->n == 0 || !find_surplus(pricing, priced)) {
    return REBAL_OK;
  }
  priced->minimum = find_minimum(pass, priced);
  if (is_split(pricing, priced)) {
    if (rebali_deletion_sort(pass->pods, pass->members, priced->places, priced->n, pass->arena) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    for (size_t i = 0; i < priced->n; i++) {
      pass->members[priced->places[i]].place = (uint32_t)i;
    }
  }
  for (size_t i = 0; i < priced->n; i++) {
    struct rebali_grouped *member = &pass->members[priced->places[i]];

    if (i < priced->surplus) {
      set_cost(member, -STEP * (priced->x + 1),
               priced->subset == REBAL_NONE ? REBAL_COST_REASON_NO_SUBSET : REBAL_COST_REASON_SURPLUS);
    } else if (i < priced->n - priced->minimum) {
      set_cost(member, kept_cost(pricing, priced, i), REBAL_COST_REASON_KEPT);
    } else {
      set_cost(member, minimum_cost(pricing, priced), REBAL_COST_REASON_MINIMUM);
    }
  }
  return REBAL_OK;
}

/* ---- a version --------------------------------------------------------------------------------------------------- */

static int64_t longest_of(const struct pricing *pricing, uint32_t version) {
  const struct rebali_spread_pass *pass = pricing->pass;
  int64_t longest = 0;

  for (uint32_t i = 0; i < rebali_pass_subsets(pass); i++) {
    const struct rebali_subset *subset = &pass->spread->spec.subsets[i];
    int64_t active = (int64_t)pass->tallies[rebali_pass_bucket(pass, version, subset->bucket)].active;
    int64_t limit = INT64_MAX;

    if (subset->maximum.is_present && !rebali_limit_legacy(&subset->maximum, pass->replicas, &limit)) {
      continue;
    }
    active = active < limit ? active : limit;
    longest = active > longest ? active : longest;
  }
  return longest;
}

static int32_t price_version(struct pricing *pricing, uint32_t version, uint32_t *places) {
  const struct rebali_spread_pass *pass = pricing->pass;
  struct priced priced = {.version = version, .places = places};
  const int reverse = !is_latest(pass, version);

  pricing->longest = rebali_pass_option(pass, REBAL_OPTION_SPREAD_EVEN_SCALE_IN) ? longest_of(pricing, version) : 0;
  for (uint32_t i = 0; i < rebali_pass_subsets(pass); i++) {
    priced.subset = i;
    priced.x = reverse ? pricing->n - 1 - i : i;
    if (price(pricing, &priced) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  priced.subset = REBAL_NONE;
  priced.x = pricing->n;
  return price(pricing, &priced);
}

/* Computes the surplus of all versions over the limits, which older versions lose first. */
static int32_t open_surplus(struct pricing *pricing) {
  const struct rebali_spread_pass *pass = pricing->pass;

  if (!rebali_pass_option(pass, REBAL_OPTION_SPREAD_ALL_VERSIONS)) {
    return REBAL_OK;
  }
  pricing->over = rebali_arena_allocate(pass->arena, rebali_pass_subsets(pass), sizeof *pricing->over);
  for (uint32_t i = 0; pricing->over != NULL && i < rebali_pass_subsets(pass); i++) {
    const struct rebali_subset *subset = &pass->spread->spec.subsets[i];
    const int64_t active = (int64_t)pass->totals[subset->bucket].active;
    int64_t limit = INT64_MAX;

    if (subset->maximum.is_present) {
      (void)rebali_limit_legacy(&subset->maximum, pass->replicas, &limit);
    }
    pricing->over[i] = active > limit ? active - limit : 0;
  }
  return pricing->over == NULL ? REBAL_ENOMEM : REBAL_OK;
}

int32_t rebali_pass_cost(struct rebali_spread_pass *pass) {
  struct pricing pricing = {.pass = pass, .n = (int64_t)rebali_pass_subsets(pass)};
  uint32_t *places = rebali_arena_allocate(pass->arena, pass->n, sizeof *places);

  if (places == NULL || open_surplus(&pricing) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  for (int latest = 0; latest < 2; latest++) {
    for (uint32_t version = 0; version < pass->versions.n; version++) {
      if (is_latest(pass, version) == latest && pass->is_seen[version] &&
          price_version(&pricing, version, places) != REBAL_OK) {
        return rebali_fail_memory(pass->err);
      }
    }
  }
  return REBAL_OK;
}
