/* SPDX-License-Identifier: MIT */
/* Aggregates the status of Jobs and CronJobs from the reports of members (rebalance-karmada(7) 15.7). */
#include "detector/interpret/aggregate.h"

#include <string.h>

static int is_true(const json_t *condition, const char *type) {
  return strcmp(rebali_member_text(condition, "type"), type) == 0 &&
         strcmp(rebali_member_text(condition, "status"), "True") == 0;
}

/* Returns the first condition that ends a Job, or NULL if it runs. */
static const json_t *end_of(const json_t *status) {
  const json_t *conditions = rebali_member(status, "conditions");
  for (size_t i = 0; i < json_array_size(conditions); i++) {
    const json_t *condition = json_array_get(conditions, i);
    if (is_true(condition, "Complete") || is_true(condition, "Failed")) {
      return condition;
    }
  }
  return NULL;
}

static int meets_criteria(const json_t *status) {
  const json_t *conditions = rebali_member(status, "conditions");
  for (size_t i = 0; i < json_array_size(conditions); i++) {
    if (is_true(json_array_get(conditions, i), "SuccessCriteriaMet")) {
      return 1;
    }
  }
  return 0;
}

static json_t *condition(struct rebali_interpreting *in, const char *type, const char *reason, const char *message) {
  json_t *map = rebali_new_map(in);
  const rebal_time *now = &in->options->now;
  char text[64];
  size_t len;
  rebali_set(in, map, "type", rebali_new_text(in, type));
  rebali_set(in, map, "status", rebali_new_text(in, "True"));
  if (now->is_set && rebal_time_format(now, text, sizeof text, &len, NULL) == REBAL_OK) {
    rebali_set(in, map, "lastProbeTime", rebali_new_text(in, text));
    rebali_set(in, map, "lastTransitionTime", rebali_new_text(in, text));
  }
  rebali_set(in, map, "reason", rebali_new_text(in, reason));
  rebali_set(in, map, "message", rebali_new_text(in, message));
  return rebali_finished(in, map);
}

/* Appends which clusters failed, in the words of the reference's condition; nothing if none did. */
static void append_failed(struct rebali_interpreting *in, const json_t *statuses, struct rebali_buffer *message) {
  for (size_t i = 0; i < json_array_size(statuses); i++) {
    const json_t *end = end_of(json_array_get(statuses, i));
    if (end != NULL && is_true(end, "Failed")) {
      rebali_buffer_text(message, message->len == 0 ? "Job executed failed in member clusters " : ",");
      rebali_buffer_text(message, rebali_member_text(json_array_get(in->options->items, i), "clusterName"));
    }
  }
  if (message->failed) {
    rebali_made(in, NULL);
  }
}

static json_t *conditions_of(struct rebali_interpreting *in, const json_t *statuses) {
  json_t *list = rebali_new_list(in);
  struct rebali_buffer message = REBALI_BUFFER;
  const size_t n = json_array_size(statuses);
  size_t successful = 0, met = 0;
  append_failed(in, statuses, &message);
  for (size_t i = 0; i < n; i++) {
    const json_t *end = end_of(json_array_get(statuses, i));
    successful += end != NULL && is_true(end, "Complete");
    met += (size_t)meets_criteria(json_array_get(statuses, i));
  }
  if (message.len > 0 && in->result == REBAL_OK) {
    rebali_append(in, list, condition(in, "Failed", "JobFailed", message.bytes));
  }
  if (n > 0 && successful == n) {
    rebali_append(in, list, condition(in, "Complete", "Completed", "Job completed"));
    if (met == n) {
      rebali_append(
          in, list,
          condition(in, "SuccessCriteriaMet", "CompletionsReached", "All member clusters have met success criteria"));
    }
  }
  rebali_buffer_dispose(&message);
  return rebali_finished(in, list);
}

/* Returns the earliest (sign -1) or latest (1) time of a member; *all is set if there are statuses and all have one. */
static const json_t *extreme(const json_t *statuses, const char *key, int sign, int *all) {
  const json_t *found = NULL;
  *all = json_array_size(statuses) > 0;
  for (size_t i = 0; i < json_array_size(statuses); i++) {
    const json_t *time = rebali_member(json_array_get(statuses, i), key);
    if (time == NULL) {
      *all = 0;
    } else if (found == NULL || sign * strcmp(json_string_value(time), json_string_value(found)) > 0) {
      found = time;
    }
  }
  return found;
}

static json_t *job_status(struct rebali_interpreting *in, const json_t *old, const json_t *statuses) {
  static const char *const sums[] = {"active", "succeeded", "failed"};
  json_t *status = rebali_new_map(in), *conditions = conditions_of(in, statuses);
  const json_t *started = rebali_member(old, "startTime"), *earliest, *latest;
  int all_started, all_completed;
  earliest = extreme(statuses, "startTime", -1, &all_started);
  latest = extreme(statuses, "completionTime", 1, &all_completed);
  rebali_set_sums(in, status, statuses, sums, sizeof sums / sizeof sums[0]);
  if (json_array_size(conditions) > 0) {
    rebali_set(in, status, "conditions", conditions);
  } else {
    json_decref(conditions);
  }
  if (started != NULL || all_started) {
    rebali_set(in, status, "startTime", rebali_share(started != NULL ? started : earliest));
  }
  if (all_completed) {
    rebali_set(in, status, "completionTime", rebali_share(latest));
  }
  return rebali_finished(in, status);
}

json_t *rebali_job_aggregate(struct rebali_interpreting *in, const json_t *object) {
  json_t *old = rebali_old_status(in, object), *statuses, *status;
  if (end_of(old) != NULL) {
    json_decref(old);
    return rebali_share(object);
  }
  statuses = rebali_item_statuses(in, in->kind->status_type);
  status = job_status(in, old, statuses);
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}

json_t *rebali_cron_job_aggregate(struct rebali_interpreting *in, const json_t *object) {
  static const char *const times[] = {"lastScheduleTime", "lastSuccessfulTime"};
  json_t *old = rebali_old_status(in, object), *statuses = rebali_item_statuses(in, in->kind->status_type);
  json_t *status = rebali_new_map(in), *active = rebali_new_list(in);
  int all;
  for (size_t i = 0; i < json_array_size(statuses); i++) {
    const json_t *some = rebali_member(json_array_get(statuses, i), "active");
    for (size_t at = 0; at < json_array_size(some); at++) {
      rebali_append(in, active, json_incref(json_array_get(some, at)));
    }
  }
  if (json_array_size(active) > 0) {
    rebali_set(in, status, "active", active);
  } else {
    json_decref(active);
  }
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    rebali_set(in, status, times[i], rebali_share(extreme(statuses, times[i], 1, &all)));
  }
  json_decref(statuses);
  return rebali_settled(in, object, old, status);
}
