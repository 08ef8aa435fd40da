/* SPDX-License-Identifier: MIT */
#include "workloadspread/united.h"

#define PERCENT_MAX 100

/* Reads an optional sign and digits only, from 0 to 100. Returns 0 for larger numbers, whatever their size. */
static int read_percent(struct rebali_text text, int64_t *percent) {
  const int is_signed = text.len != 0 && (text.bytes[0] == '+' || text.bytes[0] == '-');
  size_t i = is_signed ? 1 : 0;

  *percent = 0;
  if (i == text.len) {
    return 0;
  }
  for (; i < text.len; i++) {
    if (text.bytes[i] < '0' || text.bytes[i] > '9') {
      return 0;
    }
    *percent = *percent > PERCENT_MAX ? *percent : *percent * 10 + (text.bytes[i] - '0');
  }
  return *percent <= PERCENT_MAX && (*percent == 0 || text.bytes[0] != '-');
}

int rebali_united_number(const struct rebali_united *united, uint32_t node, int64_t total, int64_t *number) {
  const struct rebali_text text = rebali_record_field_text(united->record, node, REBAL_INT_OR_TEXT_TEXT);
  int64_t percent;

  *number = rebal_record_i64(united->record, rebali_record_get(united->record, node, REBAL_INT_OR_TEXT_NUMBER));
  if (rebali_record_get(united->record, node, REBAL_INT_OR_TEXT_TEXT) == REBAL_NONE) {
    const int is_amount = *number >= 0;

    *number = is_amount ? *number : 0;
    return is_amount;
  }
  *number = 0;
  if (total < 0 || text.len == 0 || text.bytes[text.len - 1] != '%' ||
      !read_percent(rebali_text(text.bytes, text.len - 1), &percent)) {
    return 0;
  }
  *number = (total * percent + 50) / 100; /* rounded half up */
  return 1;
}

static int64_t read_limit(const struct rebali_united *united, size_t subset, uint32_t field, int64_t absent) {
  const uint32_t node = rebali_record_get(united->record, united->subsets[subset].node, field);
  int64_t limit = absent;

  if (node != REBAL_NONE) {
    (void)rebali_united_number(united, node, united->replicas == REBAL_ABSENT ? 0 : united->replicas, &limit);
  }
  return limit;
}

void rebali_united_read_limits(struct rebali_united *united) {
  for (size_t i = 0; i < united->n && united->reason == REBAL_UNITED_REASON_ALLOCATED; i++) {
    struct rebali_united_subset *subset = &united->subsets[i];

    subset->minimum = read_limit(united, i, REBAL_UNITED_SUBSET_MIN_REPLICAS, 0);
    subset->maximum = read_limit(united, i, REBAL_UNITED_SUBSET_MAX_REPLICAS, INT32_MAX);
    if (subset->minimum > subset->maximum) {
      united->reason = REBAL_UNITED_REASON_LIMITS_CROSS;
      rebali_buffer_format(&united->message,
                           "subset[%lu].maxReplicas(%ld) must be more than or equal to minReplicas(%ld)",
                           (unsigned long)i, (long)subset->maximum, (long)subset->minimum);
    }
  }
}

void rebali_united_narrow_limits(struct rebali_united *united) {
  for (size_t i = 0; i < united->n; i++) {
    struct rebali_united_subset *subset = &united->subsets[i];
    const int64_t capped = subset->ready < subset->maximum ? subset->ready : subset->maximum;

    if ((subset->state & REBAL_UNITED_STATE_UNSCHEDULABLE) != 0) {
      subset->minimum = subset->ready > subset->minimum ? subset->ready : subset->minimum;
      subset->maximum = capped; /* if that is below the minimum, the minimum is used */
    } else if (subset->ready > subset->minimum) {
      subset->minimum = capped;
    }
  }
}

static int64_t clamp(int64_t value, int64_t most) {
  value = value < most ? value : most;
  return value < 0 ? 0 : value;
}

void rebali_united_fill(struct rebali_united *united) {
  int64_t rest = united->replicas == REBAL_ABSENT ? 0 : united->replicas;

  for (size_t i = 0; i < united->n; i++) {
    united->subsets[i].allocated = clamp(united->subsets[i].minimum, rest);
    rest -= united->subsets[i].allocated;
  }
  for (size_t i = 0; i < united->n; i++) {
    const int64_t more = clamp(united->subsets[i].maximum - united->subsets[i].minimum, rest);

    united->subsets[i].allocated += more;
    rest -= more;
  }
}
