/* SPDX-License-Identifier: MIT */
/* Every counterfactual is tried in a world that is built with the change; so are changes that are not answers. */
#include "laws.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CLUSTERS = 5, TEXT = 160 };

struct small {
  size_t n;
  struct test_cluster clusters[MOST_CLUSTERS];
  char texts[MOST_CLUSTERS][3][TEXT]; /* allocatable, labels, taints */
  struct test_affinity affinity;
  struct test_placement placement;
  char spreads[TEXT], weights[TEXT], tolerations[TEXT];
  struct test_binding binding;
  int32_t fits[MOST_CLUSTERS]; /* of the caller's estimator */
  int has_fits;
  char targets[TEXT]; /* of another binding, with which this one may not be; "": there is none */
  size_t goal;        /* number of a cluster; n: the binding is to fit */
};

static const char *const names[] = {"m1", "m2", "m3", "m4", "m5"};

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void draw_small_cluster(struct dice *dice, struct small *small, size_t i) {
  static const char *const amounts[] = {"cpu=1 pods=2", "cpu=3 pods=10", "cpu=2500m pods=9", "cpu=8 pods=3 memory=4Gi",
                                        "pods=4 memory=2Gi"};
  static const char *const labels[] = {"", "tier=a", "tier=b old=1", "old=2"};
  static const char *const taints[] = {"", "", "k=v:NoSchedule", "k:NoExecute p:PreferNoSchedule",
                                       "k=v:NoSchedule x=y:NoExecute"};
  static const char *const regions[] = {"eu", "us", "ap", NULL};

  (void)snprintf(small->texts[i][0], TEXT, "%s", PICK(dice, amounts));
  (void)snprintf(small->texts[i][1], TEXT, "%s", PICK(dice, labels));
  (void)snprintf(small->texts[i][2], TEXT, "%s", PICK(dice, taints));
  small->clusters[i] =
      (struct test_cluster){.name = names[i], .labels = small->texts[i][1], .taints = small->texts[i][2]};
  small->clusters[i].allocatable = chance(dice, 85) ? small->texts[i][0] : NULL;
  small->clusters[i].region = PICK(dice, regions);
  small->clusters[i].deleting = chance(dice, 5);
}

static void draw_extras(struct dice *dice, struct small *small) {
  small->has_fits = chance(dice, 25);
  for (size_t i = 0; i < MOST_CLUSTERS; i++) {
    small->fits[i] = (int32_t)roll(dice, 6) - 1; /* REBAL_FITS_NO_OPINION among them */
  }
  if (chance(dice, 25)) {
    (void)snprintf(small->targets, TEXT, "%s=1", names[roll(dice, (uint32_t)small->n)]);
    small->binding.foes = "g";
  }
}

static void draw_small(struct dice *dice, struct small *small) {
  static const char *const ways[] = {"Duplicated", "Divided/Weighted", "Divided/Weighted/AvailableReplicas",
                                     "Divided/Aggregated"};
  static const char *const spreads[] = {
      "", "", "cluster:2:3", "cluster:1:1", "region:2:2", "region:2:2 cluster:3:4", "cluster:5:6"};
  static const char *const weights[] = {"m1=3 m2=2", "m1+m3=2", "m4=50 m1=1"};
  static const char *const tolerations[] = {"", "", "k:Equal:v:NoSchedule"};
  static const char *const requests[] = {"cpu=1", "cpu=500m memory=1Gi", "", NULL};
  static const char *const targets[] = {NULL, NULL, "m1=2 m2=1"};
  static const struct test_affinity affinities[] = {
      {.exclude = "other"}, {.labels = "tier=a"}, {.expressions = "old:DoesNotExist"}, {.expressions = "old:In:1,3"}};
  const char *way = PICK(dice, ways);

  memset(small, 0, sizeof *small);
  small->n = 1 + roll(dice, MOST_CLUSTERS);
  for (size_t i = 0; i < small->n; i++) {
    draw_small_cluster(dice, small, i);
  }
  small->affinity = affinities[roll(dice, 4)];
  (void)snprintf(small->spreads, TEXT, "%s", PICK(dice, spreads));
  (void)snprintf(small->weights, TEXT, "%s", PICK(dice, weights));
  (void)snprintf(small->tolerations, TEXT, "%s", PICK(dice, tolerations));
  small->placement = (struct test_placement){.affinity = &small->affinity, .scheduling = way};
  small->placement.weights = strcmp(way, ways[1]) == 0 ? small->weights : NULL;
  small->binding = (struct test_binding){.replicas = roll(dice, 9)};
  small->binding.request = PICK(dice, requests);
  small->binding.targets = PICK(dice, targets);
  draw_extras(dice, small);
  small->goal = roll(dice, (uint32_t)small->n + 1);
}

/* ---- changes of texts: lists of words ---------------------------------------------------------------------------- */

/* Removes the words with this prefix, or this whole word, and appends another; NULL: none. */
static void edit(char *text, const char *begin, int is_whole, const char *other) {
  char old[TEXT];
  size_t len = 0;

  memcpy(old, text, TEXT);
  text[0] = '\0';
  for (char *word = strtok(old, " "); word != NULL; word = strtok(NULL, " ")) {
    if (is_whole ? strcmp(word, begin) != 0 : strncmp(word, begin, strlen(begin)) != 0) {
      len += (size_t)snprintf(text + len, TEXT - len, "%s%s", len == 0 ? "" : " ", word);
    }
  }
  if (other != NULL) {
    (void)snprintf(text + len, TEXT - len, "%s%s", len == 0 ? "" : " ", other);
  }
}

/* What to change, as a row of the result has it. */
struct change {
  int64_t kind;
  size_t cluster; /* number */
  char name[TEXT];
  int64_t after;
};

static void edit_label(char *labels, const char *name) {
  char begin[TEXT];
  const size_t key = strcspn(name, "=-");

  memcpy(begin, name, key);
  memcpy(begin + key, "=", 2);
  edit(labels, begin, 0, name[key] == '=' ? name : NULL);
}

static void edit_tolerations(char *tolerations, const char *name) {
  const size_t before = strlen(tolerations), key = strcspn(name, "=:");
  const char *effect = strchr(name, ':') + 1;
  const int value = name[key] == '=' ? (int)(effect - name) - (int)key - 2 : 0;

  (void)snprintf(tolerations + before, TEXT - before, "%s%.*s:Equal:%.*s:%s", before == 0 ? "" : ";", (int)key, name,
                 value, name + key + 1, effect);
}

static void edit_spreads(char *spreads, const struct change *change) {
  char begin[TEXT + 1], other[TEXT];
  int least, most;

  (void)snprintf(begin, sizeof begin, "%s:", change->name);
  (void)sscanf(strstr(spreads, begin) + strlen(begin), "%d:%d", &least, &most);
  least = change->kind == REBAL_SINGLE_CHANGE_MIN_GROUPS ? (int)change->after : least;
  most = change->kind == REBAL_SINGLE_CHANGE_MAX_GROUPS ? (int)change->after : most;
  (void)snprintf(other, sizeof other, "%.32s%d:%d", begin, least, most);
  edit(spreads, begin, 0, other);
}

static void apply(struct small *small, const struct change *change) {
  char(*texts)[TEXT] = small->texts[change->cluster];
  char begin[TEXT], other[TEXT];

  switch (change->kind) {
    case REBAL_SINGLE_CHANGE_TOLERATION:
      edit_tolerations(small->tolerations, change->name);
      break;
    case REBAL_SINGLE_CHANGE_MIN_GROUPS:
    case REBAL_SINGLE_CHANGE_MAX_GROUPS:
      edit_spreads(small->spreads, change);
      break;
    case REBAL_SINGLE_CHANGE_WEIGHT:
      (void)snprintf(other, sizeof other, "%s=%lld", names[change->cluster], (long long)change->after);
      edit(small->weights, "", 1, other);
      break;
    case REBAL_SINGLE_CHANGE_LABEL:
      edit_label(texts[1], change->name);
      break;
    case REBAL_SINGLE_CHANGE_TAINT:
      edit(texts[2], change->name, 1, NULL);
      break;
    default:
      (void)snprintf(begin, sizeof begin, "%.32s=", change->name);
      (void)snprintf(other, sizeof other, "%.40s%lld%s", begin, (long long)change->after,
                     strcmp(change->name, "cpu") == 0 ? "m" : "");
      edit(texts[0], begin, 0, other);
  }
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

static void build(struct test_world *world, struct small *small) {
  for (size_t i = 0; i < small->n; i++) {
    struct test_cluster *cluster = &small->clusters[i];

    cluster->allocatable = cluster->allocatable == NULL ? NULL : small->texts[i][0];
    cluster->labels = small->texts[i][1][0] == '\0' ? NULL : small->texts[i][1];
    cluster->taints = small->texts[i][2][0] == '\0' ? NULL : small->texts[i][2];
  }
  small->placement.affinity = &small->affinity;
  small->placement.spreads = small->spreads[0] == '\0' ? NULL : small->spreads;
  small->placement.weights = small->placement.weights == NULL ? NULL : small->weights;
  small->placement.tolerations = small->tolerations[0] == '\0' ? NULL : small->tolerations;
  small->binding.placement = &small->placement;
  test_world_open(world, NULL);
  test_world_fill(world, small->clusters, small->n, &small->binding);
}

/* How the binding is decided in a world, but for the change. */
struct how {
  rebal_compat *compat;
  rebal_bindings *known;
  rebal_estimator estimator;
  const rebal_estimator *list[1];
  rebal_schedule_opts opts;
};

static void open_how(struct how *how, struct test_world *world, const struct small *small) {
  const struct test_binding other = {.key = "default/other", .foes = "g", .targets = small->targets};

  *how = (struct how){.compat = test_compat(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, 1), .list = {&how->estimator}};
  how->estimator = (rebal_estimator){.struct_size = (uint32_t)sizeof how->estimator, .fits = small->fits};
  how->estimator.clusters = small->n;
  how->known = test_new_bindings(world);
  if (small->targets[0] != '\0') {
    (void)test_add_binding(world, how->known, &other);
  }
  (void)rebal_bindings_freeze(how->known, NULL);
  how->opts = (rebal_schedule_opts){.struct_size = (uint32_t)sizeof how->opts,
                                    .compat = how->compat,
                                    .known = how->known,
                                    .estimators = how->list,
                                    .n_estimators = small->has_fits ? 1 : 0};
}

static void close_how(struct how *how) {
  rebal_bindings_free(how->known);
  rebal_compat_free(how->compat);
}

/* Is the goal met with a change (NULL: none)? -1: the call failed. */
static int decide(const struct small *small, const struct change *change, int64_t *replicas) {
  struct small other = *small;
  struct test_world world;
  struct how how;
  int is_met = -1;

  if (change != NULL) {
    apply(&other, change);
  }
  build(&world, &other);
  open_how(&how, &world, small);
  *replicas = 0;
  if (rebal_schedule(world.ctx, world.snapshot, world.bindings, &how.opts, world.result, &world.err) == REBAL_OK) {
    const int is_scheduled = rebal_result_i64(world.result, REBAL_DECISION_OUTCOME, NULL)[0] == REBAL_OUTCOME_SCHEDULED;

    is_met = is_scheduled && small->goal == small->n;
    for (size_t i = 0; is_scheduled && i < rebal_result_count(world.result, REBAL_TABLE_PLACED); i++) {
      const char *name =
          test_cluster_name(world.snapshot, (uint32_t)rebal_result_i64(world.result, REBAL_PLACED_CLUSTER, NULL)[i]);
      const int64_t placed = rebal_result_i64(world.result, REBAL_PLACED_REPLICAS, NULL)[i];

      if (small->goal == small->n || strcmp(name, names[small->goal]) == 0) {
        is_met |= placed > 0 || small->binding.replicas == 0;
        *replicas += placed;
      }
    }
  }
  close_how(&how);
  test_world_close(&world);
  return is_met;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static const char *check_number(const struct small *small, const struct change *answer, int64_t number) {
  struct change change = *answer;
  int64_t replicas;

  change.after = number;
  return decide(small, &change, &replicas) == 0
             ? NULL
             : fault("kind %d %s of %s: %lld does, not only %lld", (int)answer->kind, answer->name,
                     names[answer->cluster], (long long)number, (long long)answer->after);
}

/* One less, or every nearer bound, must not suffice. */
static const char *check_least(const struct small *small, const struct change *answer, int64_t before) {
  const int64_t step = answer->after > before ? 1 : -1;
  const char *wrong = NULL;

  if (answer->kind == REBAL_SINGLE_CHANGE_WEIGHT || answer->kind == REBAL_SINGLE_CHANGE_CAPACITY) {
    return answer->after < 1 ? NULL : check_number(small, answer, answer->after - 1);
  }
  for (int64_t number = before; answer->after != REBAL_ABSENT && number != answer->after && wrong == NULL;
       number += step) {
    wrong = check_number(small, answer, number);
  }
  return wrong;
}

static struct change read_answer(const struct test_world *world, size_t row) {
  const int64_t cluster = rebal_result_i64(world->result, REBAL_COUNTERFACTUAL_CLUSTER, NULL)[row];
  struct change answer = {.kind = rebal_result_i64(world->result, REBAL_COUNTERFACTUAL_KIND, NULL)[row],
                          .after = rebal_result_i64(world->result, REBAL_COUNTERFACTUAL_AFTER, NULL)[row]};

  answer.cluster =
      cluster == REBAL_ABSENT ? 0 : (size_t)(test_cluster_name(world->snapshot, (uint32_t)cluster)[1] - '1');
  (void)snprintf(answer.name, sizeof answer.name, "%s",
                 rebal_result_text(world->result, REBAL_COUNTERFACTUAL_NAME, row, NULL));
  return answer;
}

static const char *check_answers(const struct small *small, const struct test_world *world) {
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_COUNTERFACTUAL);
  const int64_t *costs = rebal_result_i64(world->result, REBAL_COUNTERFACTUAL_COST, NULL);
  int64_t replicas;
  const int is_met = decide(small, NULL, &replicas);
  const char *wrong = NULL;

  if (is_met || (n > 0 && read_answer(world, 0).kind == REBAL_SINGLE_CHANGE_NOTHING)) {
    return n == 1 && is_met == 1 && read_answer(world, 0).kind == REBAL_SINGLE_CHANGE_NOTHING &&
                   rebal_result_i64(world->result, REBAL_COUNTERFACTUAL_REPLICAS, NULL)[0] == replicas
               ? NULL
               : fault("it is as wanted: %d, with %u answers", is_met, (unsigned)n);
  }
  for (size_t row = 0; row < n && wrong == NULL; row++) {
    const struct change answer = read_answer(world, row);

    if (row > 0 && costs[row - 1] > costs[row]) {
      wrong = fault("answer %u is cheaper than the one before", (unsigned)row);
    } else if (decide(small, &answer, &replicas) != 1 ||
               rebal_result_i64(world->result, REBAL_COUNTERFACTUAL_REPLICAS, NULL)[row] != replicas) {
      wrong = fault("answer %u, kind %d %s of %s to %lld, gives %lld replicas", (unsigned)row, (int)answer.kind,
                    answer.name, names[answer.cluster], (long long)answer.after, (long long)replicas);
    } else {
      wrong = check_least(small, &answer, rebal_result_i64(world->result, REBAL_COUNTERFACTUAL_BEFORE, NULL)[row]);
    }
  }
  return wrong;
}

/* ---- changes that are not answers -------------------------------------------------------------------------------- */

static int is_answer(const struct test_world *world, const struct change *change) {
  for (size_t row = 0; row < rebal_result_count(world->result, REBAL_TABLE_COUNTERFACTUAL); row++) {
    const struct change answer = read_answer(world, row);

    if (answer.kind == change->kind && strcmp(answer.name, change->name) == 0 &&
        (change->kind == REBAL_SINGLE_CHANGE_TOLERATION || answer.cluster == change->cluster)) {
      return 1;
    }
  }
  return 0;
}

/* A change that suffices must be an answer, with this number or another. */
static const char *check_change(const struct small *small, const struct test_world *world, int64_t kind, size_t cluster,
                                const char *name, int64_t after) {
  struct change change = {.kind = kind, .cluster = cluster, .after = after};
  int64_t replicas;

  (void)snprintf(change.name, sizeof change.name, "%s", name);
  return is_answer(world, &change) || decide(small, &change, &replicas) == 0
             ? NULL
             : fault("kind %d %s of %s to %lld is not an answer", (int)kind, name, names[cluster], (long long)after);
}

static const char *check_taints(const struct small *small, const struct test_world *world, size_t cluster) {
  static const char *const taints[] = {"k=v:NoSchedule", "k:NoExecute", "x=y:NoExecute"};
  const char *wrong = NULL;

  for (size_t i = 0; i < 3 && wrong == NULL; i++) {
    if (strstr(small->texts[cluster][2], taints[i]) != NULL) {
      wrong = check_change(small, world, REBAL_SINGLE_CHANGE_TAINT, cluster, taints[i], 0);
      wrong = wrong == NULL ? check_change(small, world, REBAL_SINGLE_CHANGE_TOLERATION, 0, taints[i], 0) : wrong;
    }
  }
  return wrong;
}

static const char *check_labels(const struct small *small, const struct test_world *world, size_t cluster) {
  const char *labels = small->texts[cluster][1], *expressions = small->affinity.expressions;
  const char *const key = small->affinity.labels != NULL ? "tier=" : "old=";
  const char *wrong = NULL;

  if (small->affinity.labels == NULL && expressions == NULL) {
    return NULL;
  }
  if (strstr(labels, key) != NULL) {
    wrong = check_change(small, world, REBAL_SINGLE_CHANGE_LABEL, cluster, key[0] == 't' ? "tier-" : "old-", 0);
  }
  if (wrong == NULL && key[0] == 't') {
    wrong = check_change(small, world, REBAL_SINGLE_CHANGE_LABEL, cluster, "tier=a", 0);
  } else if (wrong == NULL && strchr(expressions, ',') != NULL) {
    wrong = check_change(small, world, REBAL_SINGLE_CHANGE_LABEL, cluster, "old=3", 0);
  } else if (wrong == NULL && strstr(labels, key) == NULL) {
    wrong = check_change(small, world, REBAL_SINGLE_CHANGE_LABEL, cluster, "old=", 0);
  }
  return wrong;
}

/* Whether more is never worse. Otherwise a number that was not tried may suffice. */
static int is_monotone(const struct small *small, size_t cluster) {
  return small->spreads[0] == '\0' && (small->goal == cluster || small->goal == small->n);
}

static const char *check_numbers(const struct small *small, const struct test_world *world, size_t cluster) {
  static const char *const fields[] = {"cluster", "region"};
  const int has_amounts = small->clusters[cluster].allocatable != NULL && is_monotone(small, cluster);
  const char *wrong = NULL;

  if (small->placement.weights != NULL && is_monotone(small, cluster)) {
    wrong = check_change(small, world, REBAL_SINGLE_CHANGE_WEIGHT, cluster, "", 1000000);
  }
  if (wrong == NULL && has_amounts) {
    wrong = check_change(small, world, REBAL_SINGLE_CHANGE_CAPACITY, cluster, "pods", 1000000000);
  }
  if (wrong == NULL && has_amounts && small->binding.request != NULL && small->binding.request[0] != '\0') {
    wrong = check_change(small, world, REBAL_SINGLE_CHANGE_CAPACITY, cluster, "cpu", 1000000000);
  }
  for (size_t i = 0; i < 2 && wrong == NULL; i++) {
    const char *spread = strstr(small->spreads, fields[i]);
    const int most = spread == NULL ? 0 : spread[strlen(fields[i]) + 3] - '0';

    for (int number = 1; spread != NULL && number <= most && wrong == NULL; number++) {
      wrong = check_change(small, world, REBAL_SINGLE_CHANGE_MIN_GROUPS, 0, fields[i], number);
    }
    for (int number = most; spread != NULL && number <= most + 4 && wrong == NULL; number++) {
      wrong = check_change(small, world, REBAL_SINGLE_CHANGE_MAX_GROUPS, 0, fields[i], number);
    }
  }
  return wrong;
}

const char *law_counterfactual(struct dice *dice) {
  static struct small small;
  struct test_world world;
  struct how how;
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &how.opts};
  const char *wrong;

  draw_small(dice, &small);
  build(&world, &small);
  open_how(&how, &world, &small);
  if (rebal_counterfactual(world.ctx, world.fleet, world.bindings, 0,
                           small.goal == small.n ? REBAL_NONE : test_cluster_id(&world, names[small.goal]), &opts,
                           world.result, &world.err) != REBAL_OK) {
    wrong = fault("rebal_counterfactual: %s", world.err.message);
  } else {
    wrong = check_answers(&small, &world);
  }
  if (wrong == NULL && decide(&small, NULL, &(int64_t){0}) == 0) {
    for (size_t i = 0; i < small.n && wrong == NULL; i++) {
      wrong = check_taints(&small, &world, i);
      wrong = wrong == NULL ? check_labels(&small, &world, i) : wrong;
      wrong = wrong == NULL ? check_numbers(&small, &world, i) : wrong;
    }
  }
  close_how(&how);
  test_world_close(&world);
  return wrong;
}
