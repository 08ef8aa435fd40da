/* SPDX-License-Identifier: MIT */
/* Laws of whole passes (rebalance-karmada(7) 12.4). */
#include "laws.h"

#include <stdio.h>
#include <string.h>

const char *law_permutation(struct dice *dice) {
  static struct drawing drawing;
  static struct answers straight, permuted;
  struct test_world world;
  size_t clusters[LAW_CLUSTERS], bindings[LAW_BINDINGS];
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = answer_all(&world, world.ctx, NULL, &straight);
  test_world_close(&world);
  if (wrong != NULL) {
    return wrong;
  }
  shuffle(dice, clusters, drawing.n_clusters);
  shuffle(dice, bindings, drawing.n_bindings);
  open_drawing(&world, &drawing, clusters, bindings);
  wrong = answer_all(&world, world.ctx, NULL, &permuted);
  test_world_close(&world);
  for (size_t i = 0; wrong == NULL && i < drawing.n_bindings; i++) {
    if (strcmp(permuted.text[i], straight.text[bindings[i]]) != 0) {
      wrong = fault("\"%s\", not \"%s\"", permuted.text[i], straight.text[bindings[i]]);
    }
  }
  return wrong;
}

/* The answer of one binding in numbers. */
struct placed {
  int64_t outcome;
  size_t n;
  const int64_t *clusters;
  const int64_t *replicas;
  int64_t sum;
};

static struct placed placed_of(const struct test_world *world, size_t row) {
  struct placed placed;
  size_t n;
  const int64_t first = rebal_result_i64(world->result, REBAL_DECISION_FIRST_PLACED, &n)[row];

  placed.outcome = rebal_result_i64(world->result, REBAL_DECISION_OUTCOME, &n)[row];
  placed.n = (size_t)rebal_result_i64(world->result, REBAL_DECISION_PLACED, &n)[row];
  placed.clusters = rebal_result_i64(world->result, REBAL_PLACED_CLUSTER, &n);
  placed.replicas = rebal_result_i64(world->result, REBAL_PLACED_REPLICAS, &n);
  placed.sum = 0;
  for (size_t i = 0; i < placed.n; i++) {
    placed.clusters += i == 0 ? first : 0;
    placed.replicas += i == 0 ? first : 0;
    placed.sum += placed.replicas[i];
  }
  return placed;
}

static const char *check_sum(const struct test_binding *binding, const struct placed *placed) {
  const char *scheduling = binding->placement->scheduling;
  const int is_duplicated = scheduling == NULL || strcmp(scheduling, "Duplicated") == 0;
  const int is_assigned = binding->replicas > 0 || binding->request != NULL;
  const int64_t wanted = !is_assigned ? 0 : binding->replicas * (is_duplicated ? (int64_t)placed->n : 1);

  if (is_duplicated && binding->placement->n_terms > 0) {
    return NULL; /* tiers get what they hold, also of copies (7.8); admission allows no such placement */
  }
  if (placed->sum != wanted) {
    return fault("%lld replicas, not %lld", (long long)placed->sum, (long long)wanted);
  }
  for (size_t i = 0; i < placed->n; i++) {
    if (is_assigned && placed->replicas[i] <= 0) {
      return fault("%lld replicas in one cluster", (long long)placed->replicas[i]);
    }
    if (is_assigned && is_duplicated && placed->replicas[i] != binding->replicas) {
      return fault("%lld replicas of a copy", (long long)placed->replicas[i]);
    }
    for (size_t k = 0; k < i; k++) {
      if (placed->clusters[k] == placed->clusters[i]) {
        return fault("a cluster is named twice");
      }
    }
  }
  return NULL;
}

const char *law_conservation(struct dice *dice) {
  static struct drawing drawing;
  static struct answers answers;
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = answer_all(&world, world.ctx, NULL, &answers);
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    const struct placed placed = placed_of(&world, row);

    if (placed.outcome == REBAL_OUTCOME_SCHEDULED) {
      wrong = check_sum(&drawing.bindings[row].binding, &placed);
    } else if (placed.n != 0) {
      wrong = fault("clusters in the answer of a binding that was refused");
    }
  }
  test_world_close(&world);
  return wrong;
}

/* Bits of rejection by binding and cluster id, from a call of its own; a deleting cluster is rejected too. */
static const char *read_verdicts(struct test_world *world, const struct drawing *drawing,
                                 uint8_t rejected[LAW_BINDINGS][LAW_CLUSTERS + 2]) {
  size_t n;
  const int64_t *rows, *clusters, *bits;

  memset(rejected, 1, LAW_BINDINGS * (LAW_CLUSTERS + 2));
  if (rebal_filter(world->ctx, world->snapshot, world->bindings, NULL, world->result, &world->err) != REBAL_OK) {
    return fault("rebal_filter: %s", world->err.message);
  }
  rows = rebal_result_i64(world->result, REBAL_VERDICT_BINDING, &n);
  clusters = rebal_result_i64(world->result, REBAL_VERDICT_CLUSTER, &n);
  bits = rebal_result_i64(world->result, REBAL_VERDICT_REJECTED_BY, &n);
  for (size_t i = 0; i < n; i++) {
    rejected[rows[i]][clusters[i]] = bits[i] != 0 || drawing->clusters[clusters[i]].cluster.deleting;
  }
  return NULL;
}

const char *law_filtered(struct dice *dice) {
  static struct drawing drawing;
  static struct answers answers;
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP};
  uint8_t rejected[LAW_BINDINGS][LAW_CLUSTERS + 2];
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = read_verdicts(&world, &drawing, rejected);
  wrong = wrong == NULL ? answer_all(&world, world.ctx, &opts, &answers) : wrong;
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    const struct test_placement *placement = drawing.bindings[row].binding.placement;
    const struct placed placed = placed_of(&world, row);
    size_t passed = 0;

    for (size_t i = 0; i < drawing.n_clusters; i++) {
      passed += !rejected[row][i];
    }
    for (size_t i = 0; wrong == NULL && i < placed.n; i++) {
      wrong =
          rejected[row][placed.clusters[i]] ? fault("cluster %lld was filtered", (long long)placed.clusters[i]) : NULL;
    }
    if ((placed.outcome == REBAL_OUTCOME_NO_CLUSTER_FIT) != (passed == 0)) {
      wrong = fault("%u clusters pass, outcome %lld", (unsigned)passed, (long long)placed.outcome);
    }
    if (placed.outcome == REBAL_OUTCOME_SCHEDULED && placement->spreads == NULL && placement->scheduling == NULL &&
        drawing.bindings[row].binding.replicas > 0 && placed.n != passed && placement->n_terms == 0) {
      wrong = fault("%u copies in %u clusters", (unsigned)placed.n, (unsigned)passed);
    }
  }
  test_world_close(&world);
  return wrong;
}

const char *law_singles(struct dice *dice) {
  static struct drawing drawing;
  static struct answers whole, single;
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = answer_all(&world, world.ctx, NULL, &whole);
  test_world_close(&world);
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    open_again(&world, &drawing, row);
    wrong = answer_all(&world, world.ctx, NULL, &single);
    if (wrong == NULL && strcmp(single.text[0], whole.text[row]) != 0) {
      wrong = fault("binding %u alone: \"%s\", not \"%s\"", (unsigned)row, single.text[0], whole.text[row]);
    }
    test_world_close(&world);
  }
  return wrong;
}

/* All rows in pieces of random length, every piece with the same ledger. */
static const char *answer_in_pieces(struct dice *dice, struct test_world *world, const rebal_schedule_opts *whole,
                                    size_t n, struct answers *answers) {
  static struct answers piece;
  rebal_schedule_opts opts = *whole;

  answers->n = 0;
  while (answers->n < n) {
    const char *wrong;

    opts.first_row = answers->n;
    opts.max_work = 1 + roll(dice, 3);
    wrong = answer_all(world, world->ctx, &opts, &piece);
    if (wrong != NULL || piece.n == 0) {
      return wrong == NULL ? fault("no progress") : wrong;
    }
    memcpy(answers->text[answers->n], piece.text[0], piece.n * sizeof piece.text[0]);
    answers->n += piece.n;
  }
  return NULL;
}

const char *law_cuts(struct dice *dice) {
  static struct drawing drawing;
  static struct answers whole, pieces;
  struct test_world world;
  rebal_ledger *ledgers[2] = {NULL, NULL};
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, chance(dice, 70));
  const uint32_t pods_only = REBAL_NONE;
  int32_t replicas;
  const char *wrong;

  draw(dice, &drawing, 1);
  opts.compat = compat;
  open_drawing(&world, &drawing, NULL, NULL);
  replicas = 1 + (int32_t)roll(dice, 9);
  if (rebal_ledger_new(world.fleet, NULL, &ledgers[0], NULL) != REBAL_OK ||
      test_charge_set(ledgers[0], "other/one", roll(dice, (uint32_t)drawing.n_clusters), &pods_only, &replicas, 1,
                      NULL) != REBAL_OK ||
      rebal_ledger_fork(ledgers[0], &ledgers[1], NULL) != REBAL_OK) {
    return "no ledger";
  }
  opts.ledger = ledgers[0];
  wrong = answer_all(&world, world.ctx, &opts, &whole);
  opts.ledger = ledgers[1];
  wrong = wrong == NULL ? answer_in_pieces(dice, &world, &opts, drawing.n_bindings, &pieces) : wrong;
  wrong = wrong == NULL ? compare_answers(&whole, &pieces) : wrong;
  /* Both ledgers hold the same: the next answers with them are equal. */
  wrong = wrong == NULL ? answer_all(&world, world.ctx, &opts, &pieces) : wrong;
  opts.ledger = ledgers[0];
  wrong = wrong == NULL ? answer_all(&world, world.ctx, &opts, &whole) : wrong;
  wrong = wrong == NULL ? compare_answers(&whole, &pieces) : wrong;
  rebal_ledger_free(ledgers[0]);
  rebal_ledger_free(ledgers[1]);
  rebal_compat_free(compat);
  test_world_close(&world);
  return wrong;
}

/* A text such as "m1:2 m2:0" as targets of the next pass. */
static void use_as_targets(struct drawn_binding *binding, const char *answer) {
  (void)snprintf(binding->targets, sizeof binding->targets, "%s", answer);
  for (char *at = binding->targets; *at != '\0'; at++) {
    *at = *at == ':' ? '=' : *at;
  }
  binding->binding.targets = binding->targets;
  binding->binding.triggered_at = 0;
}

/* Words of a text in order: Duplicated lists its copies by score, which the first pass changes. */
static void sort_words(char *text) {
  char *words[128]; /* a refusal has more words than there are clusters */
  char sorted[1024] = "";
  size_t n = 0;

  for (char *word = strtok(text, " "); word != NULL && n < 128; word = strtok(NULL, " ")) {
    size_t at = n++;

    for (; at > 0 && strcmp(words[at - 1], word) > 0; at--) {
      words[at] = words[at - 1];
    }
    words[at] = word;
  }
  for (size_t i = 0; i < n; i++) {
    strcat(strcat(sorted, i == 0 ? "" : " "), words[i]);
  }
  strcpy(text, sorted);
}

const char *law_fixed_point(struct dice *dice) {
  static struct drawing drawing;
  static struct answers first, second;
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = answer_all(&world, world.ctx, NULL, &first);
  test_world_close(&world);
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    const char *scheduling = drawing.bindings[row].binding.placement->scheduling;

    if (strchr(first.text[row], ' ') != NULL && first.text[row][0] != 'm') {
      continue; /* refused */
    }
    if (first.text[row][0] == '\0') {
      continue; /* without targets nothing is exempt from the filters any more */
    }
    /* With constraints a cluster that was left out may score better once others hold the replicas; the reference
       does not settle there either. */
    if (drawing.bindings[row].binding.placement->spreads != NULL ||
        drawing.bindings[row].binding.placement->n_terms > 0) {
      continue;
    }
    use_as_targets(&drawing.bindings[row], first.text[row]);
    open_again(&world, &drawing, row);
    wrong = answer_all(&world, world.ctx, NULL, &second);
    test_world_close(&world);
    sort_words(first.text[row]);
    sort_words(second.text[0]);
    if (wrong == NULL && strcmp(first.text[row], second.text[0]) != 0) {
      wrong = fault("%s: \"%s\" became \"%s\"", scheduling == NULL ? "-" : scheduling, first.text[row], second.text[0]);
    }
  }
  return wrong;
}

const char *law_fresh_is_steady(struct dice *dice) {
  static struct drawing drawing;
  static struct answers fresh, steady;
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  for (size_t i = 0; i < drawing.n_bindings; i++) {
    struct test_binding *binding = &drawing.bindings[i].binding;

    binding->targets = NULL;
    binding->observed = NULL; /* a fresh placement begins with the first group */
    binding->triggered_at = 11;
  }
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = answer_all(&world, world.ctx, NULL, &fresh);
  test_world_close(&world);
  for (size_t i = 0; i < drawing.n_bindings; i++) {
    drawing.bindings[i].binding.triggered_at = 0;
  }
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = wrong == NULL ? answer_all(&world, world.ctx, NULL, &steady) : wrong;
  test_world_close(&world);
  for (size_t i = 0; wrong == NULL && i < fresh.n; i++) {
    if (fresh.text[i][0] == 'm' || steady.text[i][0] == 'm') { /* the texts of refusals name the mode */
      wrong = strcmp(fresh.text[i], steady.text[i]) == 0 ? NULL
                                                         : fault("\"%s\", not \"%s\"", fresh.text[i], steady.text[i]);
    }
  }
  return wrong;
}
