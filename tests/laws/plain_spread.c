/* SPDX-License-Identifier: MIT */
/* A controller of WorkloadSpreads that scans all pods for each value: rebalance-workloadspread(7) 4 and 5. */
#include "plain_spread.h"

#include <stdlib.h>
#include <string.h>

/* ---- pods found (1.4, 2.5, 2.6) ---------------------------------------------------------------------------------- */

static int is_kind(const struct plain_pass *pass, const char *kind) {
  return strcmp(pass->drawn->target.kind, kind) == 0;
}

int plain_option(const struct spread_case *drawn, uint32_t option) {
  int64_t value = 0;

  (void)rebal_compat_get(drawn->compat, option, &value, NULL);
  return value != 0;
}

const char *plain_version(const struct spread_case *drawn, const struct spread_pod *pod) {
  const int is_tracked =
      pod->owner == 0 || (pod->owner == 1 && plain_option(drawn, REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS));
  const char *dash;

  if (!is_tracked || pod->label == REBAL_VERSION_LABEL_NONE) {
    return "versionIgnored";
  }
  dash = pod->label == REBAL_VERSION_LABEL_REVISION_HASH ? strrchr(pod->version, '-') : NULL;
  return dash == NULL ? pod->version : dash + 1;
}

/* The subset in the pod's annotation; NULL: it has none. */
static const char *annotated(const struct spread_pod *pod) {
  return pod->matched == REBAL_ANNOTATION_PRESENT && strcmp(pod->spread, "ws") == 0 && pod->subset[0] != '\0'
             ? pod->subset
             : NULL;
}

static size_t subset_of(const struct plain_pass *pass, const char *name) {
  size_t i = 0;

  while (i < pass->drawn->n_subsets && strcmp(pass->drawn->subsets[i].name, name) != 0) {
    i++;
  }
  return i;
}

static void find_pods(struct plain_pass *pass) {
  struct spread_case *drawn = pass->drawn;
  const struct spread_target *target = &drawn->target;
  const int exists = target->state == REBAL_OWNER_STATE_EXISTS;
  const int has_pods = exists && (is_kind(pass, "Job") || (!target->workload_is_deleting && target->replicas != 0));

  pass->replicas = exists && target->has_paths ? target->path_replicas : has_pods ? target->replicas : 0;
  for (size_t i = 0; has_pods && i < drawn->n_pods; i++) {
    struct spread_pod *pod = drawn->list[i];

    if (target->has_filter && pod->app != 1) {
      continue;
    }
    pass->pods[pass->n++] = (struct plain_pod){.pod = pod,
                                               .version = plain_version(drawn, pod),
                                               .subset = drawn->n_subsets,
                                               .is_active = !pod->is_deleting && pod->phase != REBAL_POD_PHASE_FAILED &&
                                                            pod->phase != REBAL_POD_PHASE_SUCCEEDED,
                                               .score = REBAL_ABSENT,
                                               .cost = REBAL_ABSENT,
                                               .place = REBAL_ABSENT};
  }
}

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void find_versions(struct plain_pass *pass) {
  for (size_t i = 0; i < pass->n; i++) {
    size_t same = 0;

    while (same < pass->n_versions && strcmp(pass->versions[same], pass->pods[i].version) != 0) {
      same++;
    }
    if (same == pass->n_versions) {
      pass->versions[pass->n_versions++] = pass->pods[i].version;
    }
  }
  qsort(pass->versions, pass->n_versions, sizeof pass->versions[0], compare_texts);
}

/* ---- subsets (4.1) ----------------------------------------------------------------------------------------------- */

static void adopt(const struct plain_pass *pass, struct plain_pod *pod, int64_t *capacity) {
  const struct spread_case *drawn = pass->drawn;

  if (pod->pod->node >= drawn->n_nodes) {
    return;
  }
  for (size_t i = 0; i < drawn->n_subsets; i++) {
    const struct spread_subset *subset = &drawn->subsets[i];
    const int64_t preference = plain_preference(drawn, pod->pod, subset);
    const int64_t score =
        100 * preference + (subset->has_patch && (pod->pod->unchanged >> i & 1) != 0 ? 10 : 0) + (capacity[i] > 0);

    if (preference >= 0 && (pod->score == REBAL_ABSENT || score > pod->score)) {
      pod->score = score;
      pod->subset = i;
    }
  }
  if (pod->score != REBAL_ABSENT) {
    pod->by = REBAL_GROUPED_BY_NODE;
    pod->changes |= REBAL_CHANGES_SUBSET;
    capacity[pod->subset]--;
  }
}

/* The capacity that annotated pods of a version leave; version NULL: of all versions. */
static void open_capacities(const struct plain_pass *pass, const char *version, int64_t *capacity) {
  const struct spread_case *drawn = pass->drawn;

  for (size_t i = 0; i < drawn->n_subsets; i++) {
    const struct spread_limit *limit = &drawn->subsets[i].limit;

    capacity[i] = INT32_MAX;
    if (limit->is_present && !plain_scaled(limit, pass->replicas, &capacity[i])) {
      capacity[i] = 0;
    }
  }
  for (size_t i = 0; i < pass->n; i++) {
    const char *name = annotated(pass->pods[i].pod);

    if (name != NULL && (version == NULL || strcmp(pass->pods[i].version, version) == 0)) {
      capacity[subset_of(pass, name)]--;
    }
  }
}

static void group_version(struct plain_pass *pass, const char *version, int64_t *capacity) {
  for (size_t i = 0; i < pass->n; i++) {
    struct plain_pod *pod = &pass->pods[i];
    const char *name = annotated(pod->pod);

    if (strcmp(pod->version, version) != 0) {
      continue;
    }
    if (name == NULL) {
      adopt(pass, pod, capacity);
      continue;
    }
    pod->subset = subset_of(pass, name);
    pod->by = pod->subset < pass->drawn->n_subsets ? REBAL_GROUPED_BY_ANNOTATION : REBAL_GROUPED_BY_FORMER_SUBSET;
  }
}

static void group(struct plain_pass *pass) {
  const int is_shared = plain_option(pass->drawn, REBAL_OPTION_SPREAD_ALL_VERSIONS);
  int64_t capacity[SPREAD_SUBSETS + 1] = {0}; /* the last is of subsets that do not exist */

  for (size_t i = 0; i < pass->n_versions; i++) {
    if (i == 0 || !is_shared) {
      open_capacities(pass, is_shared ? NULL : pass->versions[i], capacity);
    }
    group_version(pass, pass->versions[i], capacity);
  }
}

/* ---- costs (5) --------------------------------------------------------------------------------------------------- */

static int64_t sign(int64_t value) {
  return (value > 0) - (value < 0);
}

/* An unset time is first, then the newer one. */
static int64_t compare_ages(int64_t left, int64_t right) {
  return left == 0 || right == 0 ? sign(left) - sign(right) : sign(right - left);
}

static int64_t rank_of(int64_t phase) {
  return phase == REBAL_POD_PHASE_RUNNING ? 2 : phase == REBAL_POD_PHASE_UNKNOWN ? 1 : 0;
}

/* Below 0: left is deleted before right (5.1). */
static int64_t compare_pods(const struct spread_pod *left, const struct spread_pod *right) {
  const int64_t rules[] = {
      (left->node <= SPREAD_NODES) - (right->node <= SPREAD_NODES),
      rank_of(left->phase) - rank_of(right->phase),
      left->is_ready - right->is_ready,
      left->is_ready ? compare_ages(left->ready_since, right->ready_since) : 0,
      right->restarts - left->restarts,
      right->sidecar_restarts - left->sidecar_restarts,
      compare_ages(left->created, right->created),
  };

  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    if (rules[i] != 0) {
      return rules[i];
    }
  }
  return 0;
}

/* How many of the pods that are priced together are deleted before this one. */
static int64_t place_of(const struct plain_pass *pass, const struct plain_pod *pod) {
  int64_t place = 0;

  for (const struct plain_pod *other = pass->pods; other < pass->pods + pass->n; other++) {
    if (other->is_active && other->subset == pod->subset && strcmp(other->version, pod->version) == 0) {
      const int64_t order = compare_pods(other->pod, pod->pod);

      place += order < 0 || (order == 0 && other < pod);
    }
  }
  return place;
}

static void set_cost(struct plain_pod *pod, int64_t cost, int64_t why) {
  pod->cost = cost;
  pod->why = why;
  if (strtoll(pod->pod->cost, NULL, 10) != cost || pod->pod->cost[0] == '+' || pod->pod->cost[0] == '\0') {
    pod->changes |= REBAL_CHANGES_COST;
  }
}

/* Active pods of a subset and a version. */
static int64_t count_active(const struct plain_pass *pass, size_t subset, const char *version) {
  int64_t n = 0;

  for (size_t i = 0; i < pass->n; i++) {
    n += pass->pods[i].is_active && pass->pods[i].subset == subset && strcmp(pass->pods[i].version, version) == 0;
  }
  return n;
}

/* The limit that determines costs. Returns 0 if there is one that cannot be read. */
static int read_limit(const struct plain_pass *pass, size_t subset, int64_t *wanted) {
  const struct spread_limit *limit = &pass->drawn->subsets[subset].limit;

  *wanted = INT64_MAX;
  return !limit->is_present || plain_legacy(limit, pass->replicas, wanted);
}

/* Option SPREAD_EVEN_SCALE_IN: the most pods that a subset of the version keeps. */
static int64_t longest_of(const struct plain_pass *pass, const char *version) {
  int64_t longest = 0;

  for (size_t i = 0; i < pass->drawn->n_subsets; i++) {
    const int64_t active = count_active(pass, i, version);
    int64_t wanted;

    if (read_limit(pass, i, &wanted)) {
      longest = active <= wanted && active > longest ? active : active > wanted && wanted > longest ? wanted : longest;
    }
  }
  return longest;
}

static int is_versionless(const char *version) {
  return version[0] == '\0' || strcmp(version, "versionIgnored") == 0;
}

/* Revisions of a CloneSet are not versions. */
static int64_t latest_state(const struct plain_pass *pass) {
  const int has_versions =
      !is_kind(pass, "CloneSet") || plain_option(pass->drawn, REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS);

  return has_versions ? pass->drawn->target.latest_state : REBAL_LATEST_STATE_NOT_TRACKED;
}

static int is_latest(const struct plain_pass *pass, const char *version) {
  const struct spread_target *target = &pass->drawn->target;
  const char *latest = target->state != REBAL_OWNER_STATE_EXISTS        ? ""
                       : latest_state(pass) == REBAL_LATEST_STATE_KNOWN ? target->latest
                                                                        : "versionIgnored";

  return strcmp(version, latest) == 0 || (plain_option(pass->drawn, REBAL_OPTION_SPREAD_REPLICA_SET_ORDER) &&
                                          is_versionless(version) && is_versionless(latest));
}

/* Option SPREAD_ALL_VERSIONS: the surplus of all versions is taken from the older ones first. */
static int64_t surplus_of(const struct plain_pass *pass, const struct plain_pod *pod, int64_t wanted) {
  const int is_shared = plain_option(pass->drawn, REBAL_OPTION_SPREAD_ALL_VERSIONS);
  int64_t over = is_shared ? 0 : count_active(pass, pod->subset, pod->version);

  for (size_t i = 0; is_shared && i < pass->n_versions; i++) {
    over += count_active(pass, pod->subset, pass->versions[i]);
  }
  over = over > wanted ? over - wanted : 0;
  for (size_t i = 0; is_shared && i < 2 * pass->n_versions; i++) {
    const char *version = pass->versions[i % pass->n_versions];
    const int64_t active = count_active(pass, pod->subset, version);

    if (is_latest(pass, version) != (i >= pass->n_versions)) {
      continue;
    }
    if (strcmp(version, pod->version) == 0) {
      return active < over ? active : over;
    }
    over -= active < over ? active : over;
  }
  return over;
}

/* Option SPREAD_MIN_REPLICAS: how many of the kept pods are deleted last. */
static int64_t minimum_of(const struct plain_pass *pass, size_t subset, int64_t kept) {
  const struct spread_limit *minimum = &pass->drawn->subsets[subset].minimum;
  int64_t wanted;

  if (!plain_option(pass->drawn, REBAL_OPTION_SPREAD_MIN_REPLICAS) || !minimum->is_present ||
      !plain_scaled(minimum, pass->replicas, &wanted) || wanted < 0) {
    return 0;
  }
  return wanted < kept ? wanted : kept;
}

static void price(const struct plain_pass *pass, struct plain_pod *pod) {
  const struct spread_case *drawn = pass->drawn;
  const int is_even = plain_option(drawn, REBAL_OPTION_SPREAD_EVEN_SCALE_IN);
  const int64_t n = (int64_t)drawn->n_subsets, i = (int64_t)pod->subset;
  const int64_t x = is_latest(pass, pod->version) ? i : n - 1 - i;
  const int64_t total = count_active(pass, pod->subset, pod->version), place = place_of(pass, pod);
  const int64_t longest = is_even ? longest_of(pass, pod->version) : 0;
  int64_t wanted, surplus, kept, minimum;

  if (i == n) {
    set_cost(pod, -100 * (n + 1), REBAL_COST_REASON_NO_SUBSET);
    return;
  }
  if (!read_limit(pass, pod->subset, &wanted) || wanted < 0) {
    return;
  }
  surplus = surplus_of(pass, pod, wanted);
  kept = total - surplus;
  minimum = minimum_of(pass, pod->subset, kept);
  if ((surplus != 0 && kept != 0) || (minimum != 0 && minimum != kept) || (is_even && kept > 1)) {
    pod->place = place;
  }
  if (place < surplus) {
    set_cost(pod, -100 * (x + 1), REBAL_COST_REASON_SURPLUS);
  } else if (place >= total - minimum) {
    set_cost(pod, n * (longest >= 200 ? longest + 1 : 200) + n - x, REBAL_COST_REASON_MINIMUM);
  } else {
    set_cost(pod, is_even ? n * (longest - (total - 1 - place)) + n - x : 100 * (n - x), REBAL_COST_REASON_KEPT);
  }
}

/* 0: the latest version is not known. */
static int set_costs(struct plain_pass *pass) {
  const struct spread_case *drawn = pass->drawn;

  if (!is_kind(pass, "Deployment") && !is_kind(pass, "ReplicaSet") && !is_kind(pass, "CloneSet") &&
      !plain_option(drawn, REBAL_OPTION_SPREAD_COST_ANY_KIND)) {
    return 1;
  }
  if (drawn->target.state == REBAL_OWNER_STATE_EXISTS && latest_state(pass) == REBAL_LATEST_STATE_MISSING) {
    return 0;
  }
  for (size_t i = 0; i < pass->n; i++) {
    if (pass->pods[i].is_active) {
      price(pass, &pass->pods[i]);
    }
  }
  return 1;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void report_pod(const struct plain_pass *pass, const struct plain_pod *pod, struct spread_printed *printed) {
  const struct spread_case *drawn = pass->drawn;

  spread_print(printed,
               "%s version=%s subset=%s by=%lld score=%lld cost=%lld why=%lld changes=%lld stuck=%d place=%lld\n",
               pod->pod->name, pass->is_counted ? pod->version : "",
               pod->subset < drawn->n_subsets ? drawn->subsets[pod->subset].name : "-", (long long)pod->by,
               (long long)pod->score, (long long)pod->cost, (long long)pod->why, (long long)pod->changes, pod->is_stuck,
               (long long)pod->place);
}

/* By version, then by subset, pods in none last; what: 0 for rows, 1 for writes to pods. */
static void report_pod_rows(const struct plain_pass *pass, int what, struct spread_printed *printed) {
  const struct spread_case *drawn = pass->drawn;

  for (size_t version = 0; version < pass->n_versions; version++) {
    for (size_t subset = 0; subset <= drawn->n_subsets; subset++) {
      for (size_t i = 0; i < pass->n; i++) {
        const struct plain_pod *pod = &pass->pods[i];

        if (pod->subset != subset || strcmp(pod->version, pass->versions[version]) != 0) {
          continue;
        }
        if (what == 0) {
          report_pod(pass, pod, printed);
        } else if (pod->changes != 0) {
          spread_print(printed, "patch %s\n", pod->pod->name);
        }
      }
    }
  }
}

static void end(struct spread_printed *printed, int64_t state, int64_t reason, int64_t after) {
  spread_print(printed, "state=%lld reason=%lld after=%lld\n", (long long)state, (long long)reason, (long long)after);
}

void plain_spread_step(struct spread_case *drawn, struct spread_printed *printed) {
  const struct spread_target *target = &drawn->target;
  static struct plain_pass pass;

  memset(&pass, 0, sizeof pass);
  pass.drawn = drawn;
  pass.soonest = INT64_MAX;
  spread_start(printed);
  if (target->kind == NULL || target->is_deleting) {
    end(printed, REBAL_STEP_STATE_SKIPPED,
        target->kind == NULL ? REBAL_SPREAD_REASON_NO_TARGET : REBAL_SPREAD_REASON_DELETING, REBAL_ABSENT);
    return;
  }
  if (target->state == REBAL_OWNER_STATE_EXISTS && target->has_paths && target->path_error[0] != '\0') {
    end(printed, REBAL_STEP_STATE_RETRY, REBAL_SPREAD_REASON_NO_REPLICAS, REBAL_ABSENT);
    return;
  }
  find_pods(&pass);
  find_versions(&pass);
  group(&pass);
  if (!set_costs(&pass)) {
    report_pod_rows(&pass, 0, printed);
    report_pod_rows(&pass, 1, printed);
    end(printed, REBAL_STEP_STATE_RETRY, REBAL_SPREAD_REASON_NO_LATEST, REBAL_ABSENT);
    return;
  }
  pass.is_counted = 1;
  plain_count(&pass);
  report_pod_rows(&pass, 0, printed);
  plain_report_counts(&pass, printed);
  report_pod_rows(&pass, 1, printed);
  plain_keep_status(&pass, printed);
  end(printed, REBAL_STEP_STATE_DONE, REBAL_SPREAD_REASON_DONE,
      pass.soonest == INT64_MAX ? REBAL_ABSENT : pass.soonest);
}
