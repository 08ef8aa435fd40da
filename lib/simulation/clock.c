/* SPDX-License-Identifier: MIT */
/* Virtual time: durations, and moments. */
#include "simulation.h"

#include <inttypes.h>
#include <string.h>

#define LONGEST (INT64_C(100) * 366 * 86400 * REBALI_SECOND_NS) /* below INT64_MAX */

static const struct {
  const char *name;
  int64_t ns;
} units[] = {{"h", 3600 * REBALI_SECOND_NS},
             {"m", 60 * REBALI_SECOND_NS},
             {"s", REBALI_SECOND_NS},
             {"ms", REBALI_SECOND_NS / 1000}};

#define UNITS (sizeof units / sizeof units[0])

/* The unit at the start of text; the longest name wins. UNITS when there is none. */
static size_t find_unit(const char *text, size_t len) {
  if (len >= 2 && memcmp(text, "ms", 2) == 0) {
    return 3;
  }
  for (size_t i = 0; i < UNITS; i++) {
    if (len >= 1 && units[i].name[0] == text[0] && units[i].name[1] == '\0') {
      return i;
    }
  }
  return UNITS;
}

/* The number whose digits start at *at, which moves behind them; LONGEST + 1 stands for all beyond. */
static int64_t read_number(struct rebali_slice text, size_t *at) {
  int64_t number = 0;
  for (; *at < text.len && text.bytes[*at] >= '0' && text.bytes[*at] <= '9'; (*at)++) {
    number = number > LONGEST / 10 ? LONGEST + 1 : number * 10 + (text.bytes[*at] - '0');
  }
  return number;
}

int32_t rebali_duration_parse(struct rebali_slice text, int64_t *ns) {
  int64_t sum = 0;
  int is_long = 0;
  for (size_t at = 0; at < text.len;) {
    const size_t start = at;
    const int64_t number = read_number(text, &at);
    const size_t unit = find_unit(text.bytes + at, text.len - at);
    if (at == start || unit == UNITS) {
      return REBAL_EPARSE;
    }
    is_long = is_long || number > (LONGEST - sum) / units[unit].ns;
    sum += is_long ? 0 : number * units[unit].ns;
    at += strlen(units[unit].name);
  }
  if (text.len == 0 || is_long) {
    return is_long ? REBAL_ERANGE : REBAL_EPARSE;
  }
  *ns = sum;
  return REBAL_OK;
}

int32_t rebali_duration_print(int64_t ns, rebal_text *out, rebal_error *err) {
  int32_t code = ns < REBALI_SECOND_NS / 1000 ? rebali_print(out, err, "0s") : REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < UNITS; i++) {
    if (ns >= units[i].ns) {
      code = rebali_print(out, err, "%" PRId64 "%s", ns / units[i].ns, units[i].name);
    }
    ns %= units[i].ns;
  }
  return code;
}

int32_t rebali_time_print(const rebal_time *time, rebal_text *out, rebal_error *err) {
  char buffer[64];
  size_t len;
  const int32_t code = rebali_time_format(time, buffer, sizeof buffer, &len, err);
  return code == REBAL_OK ? rebal_text_append(out, buffer, len, err) : code;
}

void rebali_time_lower(rebal_time *earliest, const rebal_time *time) {
  if (time->is_set && (!earliest->is_set || rebali_time_compare(time, earliest) < 0)) {
    *earliest = *time;
  }
}

int rebali_time_is_due(const rebal_time *time, const rebal_time *now) {
  return time->is_set && rebali_time_compare(time, now) <= 0;
}
