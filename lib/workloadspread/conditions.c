/* SPDX-License-Identifier: MIT */
/* Pods that wait too long for a node, and the condition Schedulable of subsets: rebalance-workloadspread(7) 6. */
#include "workloadspread/pass.h"

#define HOLD 300     /* seconds until an unschedulable subset is tried again */
#define FULL_ROUND 5 /* seconds in addition to those needed to try every subset once */

struct rebali_text rebali_pass_join(struct rebali_arena *arena, const struct rebali_text *parts, size_t n) {
  size_t len = 0;
  char *bytes;

  for (size_t i = 0; i < n; i++) {
    len += parts[i].len;
  }
  bytes = rebali_arena_allocate(arena, len, 1);
  len = 0;
  for (size_t i = 0; bytes != NULL && i < n; i++) {
    if (parts[i].len != 0) {
      memcpy(bytes + len, parts[i].bytes, parts[i].len);
    }
    len += parts[i].len;
  }
  return rebali_text(bytes, len);
}

int32_t rebali_pass_event(struct rebali_spread_pass *pass, int is_warning, struct rebali_text reason,
                          const struct rebali_text *parts, size_t n) {
  struct rebali_spread_event *event = rebali_arena_allocate(pass->arena, 1, sizeof *event);
  const struct rebali_text message = rebali_pass_join(pass->arena, parts, n);

  if (event == NULL || message.bytes == NULL) {
    return REBAL_ENOMEM;
  }
  *event = (struct rebali_spread_event){is_warning, reason, message, NULL};
  *pass->last_event = event;
  pass->last_event = &event->next;
  return REBAL_OK;
}

/* ---- stuck pods -------------------------------------------------------------------------------------------------- */

/* Returns the time left to wait. It is over for pods without a creation time. */
static int64_t left_for(const struct rebali_spread_pass *pass, uint32_t row) {
  rebal_time created = rebali_pods_time(pass->pods, REBAL_SPREAD_POD_CREATED, row);

  if (!created.is_set) {
    created = (rebal_time){REBALI_FIRST_SECOND, 0, 1};
  }
  return rebali_time_left_ns(&pass->now, &created, pass->spread->spec.critical_seconds);
}

void rebali_pass_find_stuck(struct rebali_spread_pass *pass) {
  const uint32_t n = rebali_pass_subsets(pass);

  for (size_t i = 0; pass->spread->spec.critical_seconds > 0 && i < pass->n; i++) {
    struct rebali_grouped *member = &pass->members[i];
    int64_t left;

    /* The last subset is never unschedulable, and an unreadable limit ends the check at its subset. */
    if (!member->waits || member->subset == REBAL_NONE || member->subset >= pass->n_readable ||
        member->subset + 1 == n) {
      continue;
    }
    left = left_for(pass, member->row);
    if (left < 0) {
      member->is_stuck = pass->n_readable == n;
      pass->tallies[rebali_pass_bucket(pass, member->version, member->subset)].stuck++;
      pass->totals[member->subset].stuck++;
    } else {
      rebali_pass_timer(pass, left);
    }
  }
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

uint32_t rebali_schedulable(const struct rebali_spread_pass *pass, const struct rebali_entry_status *entry) {
  const rebal_record *record = pass->spread->status.record;
  uint32_t node = REBAL_NONE;

  if (entry == NULL || entry->node == REBAL_NONE) {
    return REBAL_NONE;
  }
  while ((node = rebali_record_next(record, entry->node, REBAL_SUBSET_STATUS_CONDITIONS, node)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(record, node, REBAL_CONDITION_TYPE), REBALI_TEXT("Schedulable"))) {
      break;
    }
  }
  return node;
}

/* Sets the condition. The old one is kept as far as it is equal. */
static uint32_t set_condition(const struct rebali_spread_pass *pass, uint32_t old, int is_true) {
  const rebal_record *record = pass->spread->status.record;
  const struct rebali_text status = is_true ? REBALI_TEXT("True") : REBALI_TEXT("False");
  const struct rebali_text reason = is_true ? REBALI_TEXT("Sufficient") : REBALI_TEXT("PodUnschedulable");

  if (old == REBAL_NONE || !rebali_text_equal(rebali_record_field_text(record, old, REBAL_CONDITION_STATUS), status)) {
    return is_true ? REBALI_CONDITION_TRUE : REBALI_CONDITION_FALSE;
  }
  return rebali_text_equal(rebali_record_field_text(record, old, REBAL_CONDITION_REASON), reason)
             ? REBALI_CONDITION_OLD
             : REBALI_CONDITION_OLD_REASON;
}

static int64_t hold_of(const struct rebali_spread_pass *pass) {
  const int64_t tries = (int64_t)rebali_pass_subsets(pass) - 1;
  const int64_t round =
      rebali_add_saturating(rebali_multiply_saturating(pass->spread->spec.critical_seconds, tries), FULL_ROUND);

  return rebali_pass_option(pass, REBAL_OPTION_SPREAD_LONG_WAIT) && round > HOLD ? round : HOLD;
}

static int32_t report_recovery(struct rebali_spread_pass *pass, uint32_t subset) {
  const struct rebali_spread_spec *spec = &pass->spread->spec;
  const struct rebali_text parts[] = {REBALI_TEXT("Subset "),
                                      spec->subsets[subset].name,
                                      REBALI_TEXT(" of WorkloadSpread "),
                                      spec->namespace_,
                                      REBALI_TEXT("/"),
                                      spec->name,
                                      REBALI_TEXT(" is recovered from unschedulable to schedulable")};

  return rebali_pass_event(pass, 0, REBALI_TEXT("RecoverSchedulable"), parts, REBALI_COUNT(parts));
}

/* Handles an unschedulable subset without stuck pods: checks whether to try it again. */
static int32_t hold(struct rebali_spread_pass *pass, uint32_t subset, uint32_t old, struct rebali_new_entry *entry) {
  rebal_time since;
  int64_t left;

  rebal_record_time(pass->spread->status.record,
                    rebali_record_get(pass->spread->status.record, old, REBAL_CONDITION_LAST_TRANSITION_TIME), &since);
  if (!since.is_set) {
    since = (rebal_time){REBALI_FIRST_SECOND, 0, 1};
  }
  left = rebali_time_left_ns(&pass->now, &since, hold_of(pass));
  if (left < 0) {
    entry->condition = set_condition(pass, old, 1);
    return report_recovery(pass, subset);
  }
  entry->condition = REBALI_CONDITION_OLD;
  rebali_pass_timer(pass, left);
  return REBAL_OK;
}

int32_t rebali_pass_condition(struct rebali_spread_pass *pass, uint32_t subset, struct rebali_new_entry *entry) {
  const uint32_t old = rebali_schedulable(pass, entry->old);

  if (pass->spread->spec.critical_seconds <= 0) {
    entry->condition = REBALI_CONDITION_NONE;
  } else if (subset + 1 == rebali_pass_subsets(pass)) {
    entry->condition = set_condition(pass, old, 1);
  } else if (entry->stuck != 0) {
    entry->condition = set_condition(pass, old, 0);
  } else if (old == REBAL_NONE) {
    entry->condition = REBALI_CONDITION_TRUE;
  } else if (rebali_text_equal(rebali_record_field_text(pass->spread->status.record, old, REBAL_CONDITION_STATUS),
                               REBALI_TEXT("False"))) {
    return hold(pass, subset, old, entry);
  } else {
    entry->condition = REBALI_CONDITION_OLD;
  }
  return REBAL_OK;
}
