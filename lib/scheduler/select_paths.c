/* SPDX-License-Identifier: MIT */
/*
 * Which groups to spread over (spec karmada 5.7): every feasible subset, in the reference's order of discovery, by a
 * depth-first search whose cost doubles with each group; hence the limit.
 */
#include "scheduler/scheduler.h"

struct path {
  uint32_t members; /* a bit for each group of the search order */
  uint32_t length;
  int64_t weight;
  int64_t value;
};

struct search {
  const struct rebali_group *groups; /* value ascending, weight descending, name ascending */
  size_t n;
  int64_t min_groups;
  int64_t max_groups;
  int64_t goal;
  struct rebali_arena *arena;
  struct path *found;
  size_t n_found;
  size_t capacity;
};

static int compare_for_search(const void *left, const void *right, const void *context) {
  const struct rebali_group *a = left;
  const struct rebali_group *b = right;

  (void)context;
  if (a->value != b->value) {
    return a->value < b->value ? -1 : 1;
  }
  if (a->weight != b->weight) {
    return a->weight > b->weight ? -1 : 1;
  }
  return rebali_text_compare(a->name, b->name);
}

static int compare_by_weight(const void *left, const void *right, const void *context) {
  const struct rebali_group *a = left;
  const struct rebali_group *b = right;

  (void)context;
  if (a->weight != b->weight) {
    return a->weight > b->weight ? -1 : 1;
  }
  return rebali_text_compare(a->name, b->name);
}

/* Of paths that are alike the one found first is better. */
static int is_better(const struct path *left, const struct path *right) {
  if (left->weight != right->weight) {
    return left->weight > right->weight;
  }
  return left->value > right->value;
}

static int32_t record(struct search *search, const struct path *path) {
  if (search->n_found == search->capacity) { /* the arena cannot grow a block: the old one stays until the call ends */
    const size_t capacity = search->capacity == 0 ? 64 : search->capacity * 2;
    struct path *found = rebali_arena_allocate(search->arena, capacity, sizeof *found);

    if (found == NULL) {
      return REBAL_ENOMEM;
    }
    if (search->n_found > 0) {
      memcpy(found, search->found, search->n_found * sizeof *found);
    }
    search->found = found;
    search->capacity = capacity;
  }
  search->found[search->n_found++] = *path;
  return REBAL_OK;
}

/* Depth at most REBALI_MAX_GROUPS. */
static int32_t descend(struct search *search, const struct path *path, size_t begin) {
  int32_t code = REBAL_OK;

  if (path->value >= search->goal && (int64_t)path->length >= search->min_groups &&
      (int64_t)path->length <= search->max_groups) {
    return record(search, path);
  }
  if ((int64_t)path->length >= search->max_groups) {
    return REBAL_OK;
  }
  for (size_t i = begin; i < search->n && code == REBAL_OK; i++) {
    const struct rebali_group *group = &search->groups[i];
    const struct path longer = {path->members | UINT32_C(1) << i, path->length + 1,
                                rebali_add_saturating(path->weight, group->weight), path->value + group->value};

    code = descend(search, &longer, i + 1);
  }
  return code;
}

/* Places of the groups of a path in the search order, best first. Returns how many. */
static size_t list_members(const struct search *search, const struct path *path, size_t *out) {
  size_t n = 0;

  for (size_t i = 0; i < search->n; i++) {
    size_t place = n;

    if ((path->members >> i & 1u) == 0) {
      continue;
    }
    for (; place > 0 && compare_by_weight(&search->groups[i], &search->groups[out[place - 1]], NULL) < 0; place--) {
      out[place] = out[place - 1];
    }
    out[place] = i;
    n++;
  }
  return n;
}

static int is_found(const struct search *search, uint32_t members) {
  for (size_t i = 0; i < search->n_found; i++) {
    if (search->found[i].members == members) {
      return 1;
    }
  }
  return 0;
}

/* The best path, or the shortest of the others that is a beginning of it. */
static void pick(const struct search *search, size_t *chosen, size_t *n_chosen) {
  const struct path *best = search->found;
  size_t members[REBALI_MAX_GROUPS];
  uint32_t beginning = 0;
  size_t n;

  for (size_t i = 1; i < search->n_found; i++) {
    best = is_better(&search->found[i], best) ? &search->found[i] : best;
  }
  n = list_members(search, best, members);
  *n_chosen = 0;
  while (*n_chosen < n && !is_found(search, beginning)) {
    chosen[*n_chosen] = search->groups[members[*n_chosen]].index;
    beginning |= UINT32_C(1) << members[(*n_chosen)++];
  }
}

/* All groups are needed: one path, feasible or not. */
static void take_all(struct rebali_group *groups, size_t n, int64_t max_groups, int64_t goal,
                     struct rebali_group *scratch, size_t *chosen, size_t *n_chosen) {
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    sum += groups[i].value;
  }
  *n_chosen = sum >= goal && (int64_t)n <= max_groups ? n : 0;
  rebali_sort(groups, n, sizeof *groups, scratch, compare_by_weight, NULL);
  for (size_t i = 0; i < *n_chosen; i++) {
    chosen[i] = groups[i].index;
  }
}

int32_t rebali_select_groups(struct rebali_arena *arena, struct rebali_group *groups, size_t n, int64_t min_groups,
                             int64_t max_groups, int64_t goal, size_t *chosen, size_t *n_chosen) {
  struct search search = {groups, n, min_groups, max_groups, goal, arena, NULL, 0, 0};
  static const struct path none;
  struct rebali_group *scratch;
  int32_t code;

  *n_chosen = 0;
  if (n == 0 || max_groups <= 0) {
    return REBAL_OK;
  }
  scratch = rebali_arena_allocate(arena, n, sizeof *scratch);
  if (scratch == NULL) {
    return REBAL_ENOMEM;
  }
  if ((int64_t)n == min_groups) {
    take_all(groups, n, max_groups, goal, scratch, chosen, n_chosen);
    return REBAL_OK;
  }
  if (n > REBALI_MAX_GROUPS) {
    return REBAL_ELIMIT;
  }
  rebali_sort(groups, n, sizeof *groups, scratch, compare_for_search, NULL);
  code = descend(&search, &none, 0);
  if (code == REBAL_OK && search.n_found > 0) {
    pick(&search, chosen, n_chosen);
  }
  return code;
}
