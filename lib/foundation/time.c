/* SPDX-License-Identifier: MIT */
/* RFC 3339 times in the form of Kubernetes: capital T and Z, seconds 00 to 59. */
#include "foundation/foundation.h"

#define SECONDS_PER_MINUTE 60
#define SECONDS_PER_HOUR 3600
#define SECONDS_PER_DAY 86400
#define NANO_DIGITS 9
#define DAYS_PER_ERA INT64_C(146097)     /* 400 years of the Gregorian calendar */
#define DAYS_BEFORE_1970 INT64_C(719468) /* since 0000-03-01 */

struct civil {
  int64_t year;
  int64_t month;
  int64_t day;
};

struct reader {
  struct rebali_text text;
  size_t at;
  int failed; /* at is then the position of the error */
};

static int is_leap(int64_t year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_in_month(int64_t year, int64_t month) {
  static const unsigned char DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  return month == 2 && is_leap(year) ? 29 : DAYS[month - 1];
}

/* Years start in March here, so the leap day is the last day; 153 days are the five months from March. */
static int64_t days_from_civil(struct civil date) {
  const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const int64_t month = date.month <= 2 ? date.month + 9 : date.month - 3;
  const int64_t era = year / 400; /* year >= 0 */
  const int64_t year_of_era = year % 400;
  const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;

  return era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - DAYS_BEFORE_1970;
}

static struct civil civil_from_days(int64_t days) {
  const int64_t shifted = days + DAYS_BEFORE_1970; /* positive from year 1 on */
  const int64_t era = shifted / DAYS_PER_ERA;
  const int64_t day_of_era = shifted % DAYS_PER_ERA;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;
  struct civil date = {era * 400 + year_of_era, month + 3, day_of_year - (153 * month + 2) / 5 + 1};

  if (date.month > 12) {
    date.month -= 12;
    date.year++;
  }
  return date;
}

static int peek(const struct reader *reader) {
  return reader->at < reader->text.len ? (unsigned char)reader->text.bytes[reader->at] : -1;
}

static int is_digit(int c) {
  return c >= '0' && c <= '9';
}

static void expect(struct reader *reader, char wanted) {
  if (reader->failed || peek(reader) != wanted) {
    reader->failed = 1;
    return;
  }
  reader->at++;
}

/* Reads exactly width digits, a number within [least, most]. */
static int64_t read_number(struct reader *reader, size_t width, int64_t least, int64_t most) {
  const size_t start = reader->at;
  int64_t value = 0;

  while (!reader->failed && reader->at < start + width) {
    if (!is_digit(peek(reader))) {
      reader->failed = 1;
      return least;
    }
    value = value * 10 + (peek(reader) - '0');
    reader->at++;
  }
  if (!reader->failed && (value < least || value > most)) {
    reader->failed = 1;
    reader->at = start;
  }
  return reader->failed ? least : value;
}

/* Digits below a nanosecond are dropped, as in the peer. */
static int32_t read_fraction(struct reader *reader) {
  int32_t nanos = 0;
  int places = 0;

  if (reader->failed || peek(reader) != '.') {
    return 0;
  }
  reader->at++;
  if (!is_digit(peek(reader))) {
    reader->failed = 1;
  }
  for (; is_digit(peek(reader)); reader->at++) {
    if (places < NANO_DIGITS) {
      nanos = nanos * 10 + (peek(reader) - '0');
      places++;
    }
  }
  for (; places < NANO_DIGITS; places++) {
    nanos *= 10;
  }
  return nanos;
}

/* Returns seconds east of UTC. */
static int64_t read_offset(struct reader *reader) {
  const int sign = reader->failed ? -1 : peek(reader);
  int64_t offset;

  if (sign != '+' && sign != '-') {
    expect(reader, 'Z');
    return 0;
  }
  reader->at++;
  offset = read_number(reader, 2, 0, 23) * SECONDS_PER_HOUR;
  expect(reader, ':');
  offset += read_number(reader, 2, 0, 59) * SECONDS_PER_MINUTE;
  return sign == '-' ? -offset : offset;
}

static int64_t read_days(struct reader *reader) {
  struct civil date;

  date.year = read_number(reader, 4, 0, 9999);
  expect(reader, '-');
  date.month = read_number(reader, 2, 1, 12);
  expect(reader, '-');
  date.day = read_number(reader, 2, 1, days_in_month(date.year, date.month));
  return reader->failed ? 0 : days_from_civil(date);
}

static int64_t read_clock(struct reader *reader) {
  int64_t seconds = read_number(reader, 2, 0, 23) * SECONDS_PER_HOUR;

  expect(reader, ':');
  seconds += read_number(reader, 2, 0, 59) * SECONDS_PER_MINUTE;
  expect(reader, ':');
  return seconds + read_number(reader, 2, 0, 59);
}

int32_t rebali_time_parse(const char *text, size_t len, rebal_time *out, rebal_error *err) {
  struct reader reader = {{NULL, 0}, 0, 0};
  rebal_time time = {0, 0, 1};
  const int32_t code = rebali_text_take(text, len, "text", &reader.text, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is missing");
  }
  time.seconds = read_days(&reader) * SECONDS_PER_DAY;
  expect(&reader, 'T');
  time.seconds += read_clock(&reader);
  time.nanos = read_fraction(&reader);
  time.seconds -= read_offset(&reader);
  if (reader.failed || reader.at != reader.text.len) {
    return rebali_fail(err, REBAL_EPARSE, (int64_t)reader.at, "not an RFC 3339 time");
  }
  if (time.seconds < REBALI_FIRST_SECOND || time.seconds > REBALI_LAST_SECOND) {
    return rebali_fail(err, REBAL_EPARSE, 0, "the time is not within the years 1 to 9999");
  }
  *out = time;
  return REBAL_OK;
}

static size_t put_number(char *bytes, size_t at, int64_t value, size_t width) {
  size_t i;

  for (i = width; i > 0; i--) {
    bytes[at + i - 1] = (char)('0' + value % 10);
    value /= 10;
  }
  return at + width;
}

/* Writes the fraction without trailing zeros. */
static size_t put_fraction(char *bytes, size_t at, int32_t nanos) {
  size_t places = NANO_DIGITS;

  if (nanos == 0) {
    return at;
  }
  for (; nanos % 10 == 0; nanos /= 10) {
    places--;
  }
  bytes[at] = '.';
  return put_number(bytes, at + 1, nanos, places);
}

int32_t rebali_time_format(const rebal_time *time, char *buffer, size_t capacity, size_t *len, rebal_error *err) {
  char bytes[] = "YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ";
  int64_t days;
  int64_t clock;
  struct civil date;
  size_t at;

  if (time == NULL || !time->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the time is absent");
  }
  if (rebali_time_check(time, -1, NULL) != REBAL_OK) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the time is not within the years 1 to 9999");
  }
  /* Counted from the first second, so the dividend is never negative. */
  days = (time->seconds - REBALI_FIRST_SECOND) / SECONDS_PER_DAY + REBALI_FIRST_SECOND / SECONDS_PER_DAY;
  clock = (time->seconds - REBALI_FIRST_SECOND) % SECONDS_PER_DAY;
  date = civil_from_days(days);
  (void)put_number(bytes, 0, date.year, 4);
  (void)put_number(bytes, 5, date.month, 2);
  (void)put_number(bytes, 8, date.day, 2);
  (void)put_number(bytes, 11, clock / SECONDS_PER_HOUR, 2);
  (void)put_number(bytes, 14, clock % SECONDS_PER_HOUR / SECONDS_PER_MINUTE, 2);
  at = put_number(bytes, 17, clock % SECONDS_PER_MINUTE, 2);
  at = put_fraction(bytes, at, time->nanos);
  bytes[at] = 'Z';
  return rebali_text_give(rebali_text(bytes, at + 1), buffer, capacity, len, err);
}

int32_t rebali_time_compare(const rebal_time *left, const rebal_time *right) {
  const int left_set = left != NULL && left->is_set;
  const int right_set = right != NULL && right->is_set;

  if (!left_set || !right_set) {
    return (int32_t)(left_set - right_set);
  }
  if (left->seconds != right->seconds) {
    return left->seconds < right->seconds ? -1 : 1;
  }
  return (int32_t)((left->nanos > right->nanos) - (left->nanos < right->nanos));
}
