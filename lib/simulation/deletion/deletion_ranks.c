/* SPDX-License-Identifier: MIT */
/* Ranks of pods: of two otherwise equal pods, the one whose node or domain has more of them is deleted first. */
#include "simulation/deletion/deletion.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- ReplicaSets ------------------------------------------------------------------------------------------------- */

/* A ReplicaSet that has the controller of this one. */
struct related {
  const char *namespace_;
  const rebal_value *selector;
};

/* Must be disposed of. */
struct crowd {
  struct related *sets;
  size_t n_sets, sets_capacity;
  const char **nodes; /* one for each active pod, sorted */
  size_t n_nodes, nodes_capacity;
};

static const char *controller_uid(struct rebali_server *reader, uint32_t object) {
  return rebali_find_text(rebali_reference_of(reader, object), "uid");
}

static int32_t find_related(struct rebali_deletion *pass, struct crowd *crowd, rebal_error *err) {
  struct rebali_server *reader = pass->reader;
  const char *uid = controller_uid(reader, pass->workload);
  int32_t code = REBAL_OK;
  for (uint32_t set = rebali_next_of(reader, "ReplicaSet", REBAL_NONE);
       uid[0] != '\0' && code == REBAL_OK && set != REBAL_NONE; set = rebali_next_of(reader, "ReplicaSet", set)) {
    if (strcmp(controller_uid(reader, set), uid) != 0) {
      continue;
    }
    code = rebali_reserve_malloc(&crowd->sets, &crowd->sets_capacity, crowd->n_sets + 1, sizeof *crowd->sets, err);
    if (code == REBAL_OK) {
      crowd->sets[crowd->n_sets++] =
          (struct related){rebali_namespace_of(reader, set), rebali_field(reader, set, "spec.selector")};
    }
  }
  return code;
}

static int is_related(const struct crowd *crowd, const char *namespace_, const struct rebali_leaver *pod) {
  for (size_t i = 0; i < crowd->n_sets; i++) {
    if (strcmp(crowd->sets[i].namespace_, namespace_) == 0 &&
        rebali_selector_has(crowd->sets[i].selector, pod->labels)) {
      return 1;
    }
  }
  return 0;
}

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int32_t find_nodes(struct rebali_deletion *pass, struct crowd *crowd, rebal_error *err) {
  struct rebali_server *reader = pass->reader;
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_of(reader, "Pod", REBAL_NONE);
       crowd->n_sets > 0 && code == REBAL_OK && object != REBAL_NONE; object = rebali_next_of(reader, "Pod", object)) {
    const struct rebali_leaver pod = rebali_leaver_read(reader, object);
    if (!rebali_is_active(&pod) || !is_related(crowd, rebali_namespace_of(reader, object), &pod)) {
      continue;
    }
    code = rebali_reserve_malloc(&crowd->nodes, &crowd->nodes_capacity, crowd->n_nodes + 1, sizeof *crowd->nodes, err);
    if (code == REBAL_OK) {
      crowd->nodes[crowd->n_nodes++] = pod.node;
    }
  }
  if (code == REBAL_OK && crowd->n_nodes > 1) {
    qsort(crowd->nodes, crowd->n_nodes, sizeof *crowd->nodes, compare_texts);
  }
  return code;
}

int32_t rebali_ranks_of_replicas(struct rebali_deletion *pass, rebal_error *err) {
  struct crowd crowd = {NULL, 0, 0, NULL, 0, 0};
  int32_t code = find_related(pass, &crowd, err);
  if (code == REBAL_OK) {
    code = find_nodes(pass, &crowd, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < pass->pods.n; i++) {
    const char *node = pass->pods.list[i].node;
    size_t first, end;
    REBALI_BISECT(first, crowd.n_nodes, strcmp(crowd.nodes[first], node) < 0);
    REBALI_BISECT(end, crowd.n_nodes, strcmp(crowd.nodes[end], node) <= 0);
    pass->pods.list[i].rank = (double)(end - first);
  }
  free(crowd.sets);
  free((void *)crowd.nodes);
  return code;
}

/* ---- CloneSets --------------------------------------------------------------------------------------------------- */

_Static_assert(DBL_MANT_DIG == 53, "ranks are compared exactly, as sums of binary64 numbers");

/*
 * Computes the natural logarithm of an integer above 1: 2^k times a number near 1, whose series is approximated by a
 * polynomial of s = f / (2 + f), as in mathematical libraries. The system's function is not used, because the last bit
 * decides between sums.
 */
static double logarithm(size_t number) {
  static const double terms[] = {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                 2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                 1.479819860511658591e-01};
  double fraction = (double)number, k = 0, f, s, s2, s4, odd, even, half;
  while (fraction >= 1) {
    fraction /= 2;
    k++;
  }
  if (fraction < 7.07106781186547524401e-01) {
    fraction *= 2;
    k--;
  }
  f = fraction - 1;
  s = f / (2 + f);
  s2 = s * s;
  s4 = s2 * s2;
  odd = s2 * (terms[0] + s4 * (terms[2] + s4 * (terms[4] + s4 * terms[6])));
  even = s4 * (terms[1] + s4 * (terms[3] + s4 * terms[5]));
  half = 0.5 * f * f;
  return k * 6.93147180369123816490e-01 - ((half - (s * (half + (odd + even)) + k * 1.90821492927058770002e-10)) - f);
}

/* Pods of one list with the text that groups them. These are copies; place is their index in the list. */
struct member {
  struct rebali_leaver pod;
  const char *group;
  size_t place;
};

struct grouping {
  const uint32_t *steps;
  const rebal_time *now;
};

static int compare_members(const void *left, const void *right, const void *context) {
  const struct grouping *grouping = context;
  const struct member *one = left, *other = right;
  const int order = strcmp(one->group, other->group);
  return order != 0 ? order : rebali_leaver_compare(&one->pod, &other->pod, grouping->steps, grouping->now, NULL);
}

static size_t end_of_group(const struct member *members, size_t n, size_t first) {
  size_t end = first + 1;
  while (end < n && strcmp(members[end].group, members[first].group) == 0) {
    end++;
  }
  return end;
}

static size_t count_groups(const struct member *members, size_t n) {
  size_t groups = 0;
  for (size_t i = 0; i < n; i = end_of_group(members, n, i)) {
    groups++;
  }
  return groups;
}

/* Ranks by node: the best pod of each node is kept longest. */
static void rank_nodes(struct rebali_leaver *list, const struct member *members, size_t n) {
  for (size_t first = 0, end; first < n; first = end) {
    end = end_of_group(members, n, first);
    for (size_t i = first; i < end; i++) {
      list[members[i].place].rank = (double)(end - 1 - i);
    }
  }
}

static void rank_groups(struct rebali_leaver *list, const struct member *members, size_t n) {
  const double weight = logarithm(count_groups(members, n) + 2);
  for (size_t first = 0, end; first < n; first = end) {
    end = end_of_group(members, n, first);
    for (size_t i = first; i < end; i++) {
      list[members[i].place].rank += (double)(end - i) * weight;
    }
  }
}

/* Returns the value of a label of the node, or NULL if the node or label does not exist. */
static const char *group_of(struct rebali_server *reader, const struct rebali_leaver *pod, const char *key) {
  const uint32_t node = rebali_find_object(reader, "Node", "", pod->node);
  const rebal_value *label =
      node != REBAL_NONE ? rebali_find(rebali_field(reader, node, "metadata.labels"), key) : NULL;
  return label != NULL ? rebal_value_text(label, NULL) : NULL;
}

/* key is a label of nodes; NULL: their names. members must have space for 2 * n. */
static size_t gather(struct rebali_deletion *pass, const struct rebali_leaver *list, size_t n, const char *key,
                     const double *ranks, struct member *members) {
  static const char hosts[] = "kubernetes.io/hostname";
  const struct grouping grouping = {
      key == NULL || strcmp(key, hosts) == 0 ? rebali_steps_of_nodes : rebali_steps_of_groups, &pass->now};
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    const char *group = list[i].node[0] == '\0' ? NULL : list[i].node;
    group = key != NULL && group != NULL ? group_of(pass->reader, &list[i], key) : group;
    if (group != NULL) {
      members[found] = (struct member){list[i], group, i};
      members[found++].pod.rank = ranks != NULL ? ranks[i] : 0;
    }
  }
  rebali_sort(members, found, sizeof *members, members + n, compare_members, &grouping);
  return found;
}

/* With constraints, ranks by node only sort the groups. */
int32_t rebali_ranks_of_clones(struct rebali_deletion *pass, struct rebali_leaver *list, size_t n, rebal_error *err) {
  const rebal_value *constraints =
      rebali_field(pass->reader, pass->workload, "spec.template.spec.topologySpreadConstraints");
  struct member *members = malloc((2 * n + 1) * sizeof *members);
  double *ranks = malloc((n + 1) * sizeof *ranks);
  const int has_memory = members != NULL && ranks != NULL;
  if (has_memory) {
    rank_nodes(list, members, gather(pass, list, n, NULL, NULL, members));
  }
  for (size_t i = 0; has_memory && i < n; i++) {
    ranks[i] = list[i].rank;
    list[i].rank = rebal_value_count(constraints) > 0 ? 0 : ranks[i];
  }
  for (size_t i = 0; has_memory && i < rebal_value_count(constraints); i++) {
    const char *key = rebali_find_text(rebal_value_item(constraints, i), "topologyKey");
    rank_groups(list, members, gather(pass, list, n, key, ranks, members));
  }
  free(members);
  free(ranks);
  return has_memory ? REBAL_OK : rebali_fail_memory(err);
}
