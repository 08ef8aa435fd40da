/* SPDX-License-Identifier: MIT */
/*
 * Selects the groups to spread over (rebalance-karmada(7) 5.7): the best of all paths. A path is a subset that is
 * feasible while no prefix of it in the search order is. The reference lists all paths, depth first; here branches that
 * cannot hold the best one are pruned. Pruning helps in most cases but not in all: hence the limit.
 */
#include "scheduler/scheduler.h"

struct path {
  uint32_t members; /* a bit for each group of the search order */
  int64_t length;
  int64_t weight;
  int64_t value;
  int64_t last; /* the value of its last group, the largest; 0: no group */
};

struct search {
  const struct rebali_group *groups;                          /* value ascending, weight descending, name ascending */
  int64_t heaviest[REBALI_MAX_GROUPS][REBALI_MAX_GROUPS + 1]; /* sums of weights: [i][k] of k groups from i on */
  int64_t largest[REBALI_MAX_GROUPS + 1];                     /* sums of values: [k] of the last k groups */
  uint8_t alike[REBALI_MAX_GROUPS];                           /* the first group of that value */
  size_t n;
  int64_t min_groups;
  int64_t max_groups; /* no path is longer, and at most n */
  int64_t goal;
  struct path best;
  int is_found;
};

/* Returns whether a precedes b: the heavier one first, then by name. */
static int weighs_before(const struct rebali_group *a, const struct rebali_group *b) {
  return a->weight != b->weight ? a->weight > b->weight : a->index < b->index;
}

static int compare_by_weight(const void *left, const void *right, const void *context) {
  (void)context;
  return weighs_before(left, right) ? -1 : 1;
}

/* No path that is tried is longer than max_groups. */
static int is_feasible(const struct search *search, const struct path *path) {
  return path->value >= search->goal && path->length >= search->min_groups;
}

/*
 * Returns whether the search reaches the path. It stops at a feasible prefix, and the longest prefix has the largest
 * value. An empty path is not tried if it is feasible: then no other is tried.
 */
static int is_path(const struct search *search, const struct path *path) {
  const struct path shorter = {.length = path->length - 1, .value = path->value - path->last};

  return is_feasible(search, path) && !is_feasible(search, &shorter);
}

static struct path longer_by(const struct search *search, const struct path *path, size_t place) {
  return (struct path){path->members | UINT32_C(1) << place, path->length + 1,
                       rebali_add_saturating(path->weight, search->groups[place].weight),
                       path->value + search->groups[place].value, search->groups[place].value};
}

/*
 * Returns whether a path is at least as good as the best one so far. Of equal paths the one that the reference finds
 * first is better, which is the last one here.
 */
static int is_as_good(const struct search *search, int64_t weight, int64_t value) {
  return !search->is_found ||
         (weight != search->best.weight ? weight > search->best.weight : value >= search->best.value);
}

static void keep(struct search *search, const struct path *path) {
  if (is_as_good(search, path->weight, path->value)) {
    search->best = *path;
    search->is_found = 1;
  }
}

/*
 * Returns whether the path, with some of the groups from begin on, can be as good as the best one so far. It never gets
 * longer than it takes to be feasible with the smallest of them.
 */
static int is_promising(const struct search *search, const struct path *path, size_t begin) {
  struct path longest = *path;
  size_t more = 0;

  while (!is_feasible(search, &longest) && begin + more < search->n && longest.length < search->max_groups) {
    longest.length++;
    longest.value += search->groups[begin].value;
    more++;
  }
  return is_as_good(search,
                    more == 0 ? path->weight : rebali_add_saturating(path->weight, search->heaviest[begin][more]),
                    path->value + search->largest[more]);
}

/*
 * Tries the last groups first, which have the most clusters: the reverse of the reference's order. Of groups with the
 * same number of clusters, the search takes one only after those that precede it, which weigh as much or more and are
 * found earlier. Depth at most REBALI_MAX_GROUPS.
 */
static void descend(struct search *search, const struct path *path, size_t begin) {
  const int64_t missing = search->min_groups - path->length;
  const int64_t more = search->max_groups - path->length - 1;

  if (is_feasible(search, path)) {
    keep(search, path);
    return;
  }
  for (int64_t i = (int64_t)search->n - (missing > 1 ? missing : 1); more >= 0 && i >= (int64_t)begin; i--) {
    struct path longer;

    if (path->value + search->groups[i].value + search->largest[more] < search->goal) {
      return;
    }
    i = search->alike[i] > begin ? search->alike[i] : (int64_t)begin;
    longer = longer_by(search, path, (size_t)i);
    if (is_promising(search, &longer, (size_t)i + 1)) {
      descend(search, &longer, (size_t)i + 1);
    }
  }
}

/* Lists the places of the groups of a path in the search order, best first. Returns their number. */
static size_t list_members(const struct search *search, const struct path *path, size_t *out) {
  size_t n = 0;

  for (size_t i = 0; i < search->n; i++) {
    size_t place = n;

    if ((path->members >> i & 1u) == 0) {
      continue;
    }
    for (; place > 0 && weighs_before(&search->groups[i], &search->groups[out[place - 1]]); place--) {
      out[place] = out[place - 1];
    }
    out[place] = i;
    n++;
  }
  return n;
}

/* Builds the path with these members. Returns 0 if it is not a path. */
static int follow(const struct search *search, uint32_t members, struct path *path) {
  *path = (struct path){0, 0, 0, 0, 0};
  for (; members != 0; members &= members - 1) {
    *path = longer_by(search, path, rebali_bit_lowest(members));
  }
  return is_path(search, path);
}

/* Picks the best path, or the shortest path that is a prefix of its members, best first. */
static void pick(const struct search *search, size_t *chosen, size_t *n_chosen) {
  size_t members[REBALI_MAX_GROUPS];
  const size_t n = list_members(search, &search->best, members);
  uint32_t beginning = 0;
  struct path path;

  while (*n_chosen < n && !follow(search, beginning, &path)) {
    chosen[*n_chosen] = search->groups[members[*n_chosen]].index;
    beginning |= UINT32_C(1) << members[(*n_chosen)++];
  }
}

/*
 * Computes the bounds of the search. by_weight receives the places of the heaviest groups, as many as a path can have.
 */
static void prepare(struct search *search, size_t *by_weight) {
  const size_t most = (size_t)search->max_groups;

  search->largest[0] = 0;
  for (size_t i = search->n, n = 0; i-- > 0; n++) {
    int64_t *heaviest = search->heaviest[i];
    size_t place = n < most ? n : most;

    for (; place > 0 && search->groups[by_weight[place - 1]].weight < search->groups[i].weight; place--) {
      by_weight[place] = by_weight[place - 1];
    }
    by_weight[place] = i;
    search->largest[n + 1] = search->largest[n] + search->groups[i].value;
    heaviest[0] = 0;
    for (size_t k = 0; k <= n && k < most; k++) {
      const int64_t weight = search->groups[by_weight[k]].weight;

      heaviest[k + 1] = rebali_add_saturating(heaviest[k], weight > 0 ? weight : 0);
    }
  }
}

/* Finds the best path. The heaviest few groups are tried first, as a bound for the others. */
static void find_best(struct search *search) {
  struct path path;
  size_t by_weight[REBALI_MAX_GROUPS + 1];
  uint32_t members = 0;

  prepare(search, by_weight);
  for (size_t i = 0; (int64_t)i < search->max_groups; i++) {
    members |= UINT32_C(1) << by_weight[i];
    if (follow(search, members, &path)) {
      keep(search, &path);
    }
  }
  descend(search, &(struct path){0, 0, 0, 0, 0}, 0);
}

/* Groups are given by name, which remains the order of equal ones. */
static void sort_for_search(struct rebali_group *groups, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const struct rebali_group group = groups[i];
    size_t place = i;

    for (; place > 0 && (group.value != groups[place - 1].value ? group.value < groups[place - 1].value
                                                                : group.weight > groups[place - 1].weight);
         place--) {
      groups[place] = groups[place - 1];
    }
    groups[place] = group;
  }
}

static void find_alike(struct search *search) {
  search->alike[0] = 0;
  for (size_t i = 1; i < search->n; i++) {
    search->alike[i] = search->groups[i].value == search->groups[i - 1].value ? search->alike[i - 1] : (uint8_t)i;
  }
}

/* Returns the number of groups that is feasible whichever they are: the search needs no longer path. */
static int64_t longest_path(const struct search *search, int64_t max_groups) {
  struct path path = {.length = 0};

  while (path.length < max_groups && path.length < (int64_t)search->n &&
         !(path.length >= search->min_groups && path.value >= search->goal)) {
    path.value += search->groups[path.length++].value; /* the smallest ones */
  }
  return path.length;
}

/* Handles the case that all groups are needed: one path, feasible or not. */
static int32_t take_all(struct rebali_arena *arena, struct rebali_group *groups, size_t n, int64_t max_groups,
                        int64_t goal, size_t *chosen, size_t *n_chosen) {
  struct rebali_group *scratch = rebali_arena_allocate(arena, n, sizeof *scratch);
  int64_t sum = 0;

  if (scratch == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    sum += groups[i].value;
  }
  *n_chosen = sum >= goal && (int64_t)n <= max_groups ? n : 0;
  rebali_sort(groups, n, sizeof *groups, scratch, compare_by_weight, NULL);
  for (size_t i = 0; i < *n_chosen; i++) {
    chosen[i] = groups[i].index;
  }
  return REBAL_OK;
}

int32_t rebali_select_groups(struct rebali_arena *arena, struct rebali_group *groups, size_t n, int64_t min_groups,
                             int64_t max_groups, int64_t goal, size_t *chosen, size_t *n_chosen) {
  struct search search;

  *n_chosen = 0;
  if (n == 0 || max_groups <= 0) {
    return REBAL_OK;
  }
  if ((int64_t)n == min_groups) {
    return take_all(arena, groups, n, max_groups, goal, chosen, n_chosen);
  }
  if (n > REBALI_MAX_GROUPS) {
    return REBAL_ELIMIT;
  }
  sort_for_search(groups, n);
  search.groups = groups;
  search.n = n;
  search.min_groups = min_groups;
  search.goal = goal;
  search.max_groups = longest_path(&search, max_groups);
  search.is_found = 0;
  find_alike(&search);
  find_best(&search);
  if (search.is_found) {
    pick(&search, chosen, n_chosen);
  }
  return REBAL_OK;
}
