/* SPDX-License-Identifier: MIT */
/*
 * The mark of a plan on a binding: its owner, the phase, the time, and a digest of the state that the write left, so
 * that a later reader detects writes by others. "1 <fingerprint> <phase> <digest> <time>".
 */
#include "plan/step/karmada.h"

#define FINGERPRINT_DIGITS 32u
#define DIGEST_DIGITS 16u

static const struct rebali_text phases[] = {[REBALI_PHASE_SUSPENDED] = {"suspended", 9},
                                            [REBALI_PHASE_MOVING] = {"moving", 6},
                                            [REBALI_PHASE_DIRECT] = {"direct", 6},
                                            [REBALI_PHASE_DRAIN] = {"drain", 5}};

/* Cuts off and returns the next word of a text. */
static struct rebali_text cut(struct rebali_text *rest) {
  const char *space = rest->len == 0 ? NULL : memchr(rest->bytes, ' ', rest->len);
  const size_t len = space == NULL ? rest->len : (size_t)(space - rest->bytes);
  const struct rebali_text word = rebali_text(rest->bytes, len);

  *rest = space == NULL ? rebali_text("", 0) : rebali_text(space + 1, rest->len - len - 1);
  return word;
}

static int read_hex(struct rebali_text text, uint64_t *out) {
  static const char digits[] = "0123456789abcdef";

  *out = 0;
  for (size_t i = 0; i < text.len; i++) {
    const char *digit = memchr(digits, text.bytes[i], sizeof digits - 1);

    if (digit == NULL) {
      return 0;
    }
    *out = *out << 4 | (uint64_t)(digit - digits);
  }
  return text.len == DIGEST_DIGITS;
}

static uint32_t find_phase(struct rebali_text word) {
  for (uint32_t i = REBALI_PHASE_SUSPENDED; i < REBALI_COUNT(phases); i++) {
    if (rebali_text_equal(word, phases[i])) {
      return i;
    }
  }
  return REBALI_PHASE_NONE;
}

/* Any text that is not a mark of this library is read as the mark of another writer, without a phase. */
void rebali_mark_read(struct rebali_text text, struct rebali_mark *mark) {
  struct rebali_text rest = text, fingerprint, digest, phase;
  const struct rebali_text version = cut(&rest);

  *mark = (struct rebali_mark){.is_present = text.len != 0};
  fingerprint = cut(&rest);
  phase = cut(&rest);
  digest = cut(&rest);
  if (rebali_text_equal(version, REBALI_TEXT("1")) && fingerprint.len == FINGERPRINT_DIGITS &&
      read_hex(rebali_text(fingerprint.bytes, DIGEST_DIGITS), &mark->plan.high) &&
      read_hex(rebali_text(fingerprint.bytes + DIGEST_DIGITS, DIGEST_DIGITS), &mark->plan.low) &&
      read_hex(digest, &mark->digest) && rebali_time_parse(rest.bytes, rest.len, &mark->time, NULL) == REBAL_OK) {
    mark->phase = find_phase(phase);
  }
}

void rebali_mark_write(const struct rebali_mark *mark, struct rebali_buffer *out) {
  char time[64];
  size_t len = 0;

  (void)rebali_time_format(&mark->time, time, sizeof time, &len, NULL);
  rebali_buffer_format(out, "1 %016llx%016llx ", (unsigned long long)mark->plan.high,
                       (unsigned long long)mark->plan.low);
  rebali_buffer_append(out, phases[mark->phase].bytes, phases[mark->phase].len);
  rebali_buffer_format(out, " %016llx ", (unsigned long long)mark->digest);
  rebali_buffer_append(out, time, len);
}

/* ---- the digest -------------------------------------------------------------------------------------------------- */

static void digest_task(const struct rebali_wave_call *call, struct rebali_digest *digest, uint32_t cluster,
                        struct rebali_text producer, int64_t replicas) {
  rebali_digest_text(digest, rebali_snapshot_name(call->every.snapshot, cluster));
  rebali_digest_text(digest, producer);
  rebali_digest_u64(digest, (uint64_t)replicas);
}

/* After a write that leaves a mark, the binding has no tasks or keeps them. */
static void digest_tasks(const struct rebali_wave_call *call, const struct rebali_wave_row *row,
                         const struct rebali_patch *patch, struct rebali_digest *digest) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n;
  const uint32_t *tasks = rebali_bindings_children(bindings, REBAL_TABLE_TASK, row->binding, &n);

  for (size_t i = 0; i < n; i++) {
    digest_task(call, digest, (uint32_t)rebali_bindings_i64(bindings, REBAL_TASK_FROM_CLUSTER, tasks[i]),
                rebali_bindings_text(bindings, REBAL_TASK_PRODUCER, tasks[i]),
                rebali_bindings_i64(bindings, REBAL_TASK_REPLICAS, tasks[i]));
  }
  for (size_t i = 0; patch != NULL && patch->adds_tasks && i < row->n_cells; i++) {
    if (row->cells[i].next < row->cells[i].present) {
      digest_task(call, digest, row->cells[i].cluster, REBALI_PLAN_PRODUCER, row->cells[i].present);
    }
  }
}

uint64_t rebali_mark_digest(const struct rebali_wave_call *call, const struct rebali_wave_row *row,
                            const struct rebali_patch *patch) {
  const rebal_bindings *bindings = call->every.bindings;
  const rebal_time trigger = rebali_bindings_time(bindings, REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, row->binding);
  const int64_t placement = rebali_bindings_i64(bindings, REBAL_BINDING_PLACEMENT, row->binding);
  const int64_t was_suspended = rebali_bindings_i64(bindings, REBAL_BINDING_SCHEDULING_SUSPENDED, row->binding);
  struct rebali_digest digest;

  rebali_digest_begin(&digest, 0, 0);
  rebali_digest_text(&digest, rebali_bindings_text(bindings, REBAL_BINDING_UID, row->binding));
  rebali_digest_u64(&digest, (uint64_t)rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, row->binding));
  rebali_digest_time(&digest, &trigger);
  rebali_digest_record(&digest,
                       rebali_snapshot_record(call->every.snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)placement));
  rebali_digest_u64(&digest, (uint64_t)(patch != NULL && patch->suspends ? 1 : was_suspended));
  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];
    const int is_left = patch != NULL && patch->writes_clusters ? cell->next > 0 : cell->is_listed && cell->raw > 0;

    if (is_left) {
      rebali_digest_text(&digest, rebali_snapshot_name(call->every.snapshot, cell->cluster));
      rebali_digest_u64(&digest, (uint64_t)(patch != NULL && patch->writes_clusters ? cell->next : cell->raw));
    }
  }
  digest_tasks(call, row, patch, &digest);
  return rebali_digest_end(&digest).low;
}
