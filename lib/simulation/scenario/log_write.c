/* SPDX-License-Identifier: MIT */
/* Writes the log as a table or for programs. */
#include "simulation/scenario/simulation.h"

#include <inttypes.h>
#include <string.h>

struct notation {
  const char *start;     /* of the text */
  const char *row_start; /* of a row; only the first has no comma before it */
  const char *between;   /* rows */
  const char *key_end;   /* between a key and its value */
  const char *member;    /* between the members of a row */
  const char *row_end;
  const char *rows_end;
  const char *end;
  const char *quote; /* around keys */
};

static const struct notation json = {
    "{\"kind\":\"SimulationLog\",\"rows\":[", "{", ",", ":", ",", "}", "],", "}\n", "\""};
static const struct notation pretty = {"{\n  \"kind\": \"SimulationLog\",\n  \"rows\": [\n",
                                       "    {\n      ",
                                       ",\n",
                                       ": ",
                                       ",\n      ",
                                       "\n    }",
                                       "\n  ],\n  ",
                                       "\n}\n",
                                       "\""};
static const struct notation yaml = {"kind: SimulationLog\nrows:\n", "  - ", "", ": ", "\n    ", "\n", "", "\n", ""};

static void print_member(struct rebali_buffer *out, const struct notation *notation, const char *name,
                         const char *value) {
  rebali_buffer_text(out, notation->quote);
  rebali_buffer_text(out, name);
  rebali_buffer_text(out, notation->quote);
  rebali_buffer_text(out, notation->key_end);
  rebali_print_text(out, value);
}

static void print_row(struct rebali_buffer *out, const struct rebali_change_rows *log, const struct notation *notation,
                      size_t row) {
  static const char *const names[REBALI_LOG_COLUMNS] = {"time", "step", "controller", "object", "change", "reason"};
  rebali_buffer_format(out, "%s%s", row > 0 ? notation->between : "", notation->row_start);
  print_member(out, notation, "kind", rebal_enum_name(REBAL_ENUM_LOG_KIND, log->rows[row].kind, NULL));
  for (size_t i = 0; i < REBALI_LOG_COLUMNS; i++) {
    rebali_buffer_text(out, notation->member);
    print_member(out, notation, names[i], rebali_log_text(log, row, i));
  }
  rebali_buffer_text(out, notation->row_end);
}

static void print_rows(struct rebali_buffer *out, const struct rebali_change_rows *log, const struct notation *notation,
                       const struct rebali_log_end *end) {
  const char *member = notation == &json ? "," : notation == &pretty ? ",\n  " : "\n";
  const char *quote = notation->quote, *key_end = notation->key_end;
  rebali_buffer_text(out, notation->start);
  for (size_t i = 0; i < log->n; i++) {
    print_row(out, log, notation, i);
  }
  rebali_buffer_format(out, "%s%sheld%s%s%" PRIu64, notation->rows_end, quote, quote, key_end, end->held);
  rebali_buffer_format(out, "%s%sfailed%s%s%" PRIu64, member, quote, quote, key_end, end->failed);
  rebali_buffer_format(out, "%s%soverused%s%s%" PRIu64 "%s", member, quote, quote, key_end, end->overused,
                       notation->end);
}

/*
 * Returns the length of the character at text if it moves the cursor of a terminal, otherwise 0: control characters of
 * ASCII, and U+0080 to U+009F.
 */
static size_t control_len(const char *text) {
  const unsigned char first = (unsigned char)text[0], second = first != 0 ? (unsigned char)text[1] : 0;
  if ((first > 0 && first < 0x20) || first == 0x7F) {
    return 1;
  }
  return first == 0xC2 && second >= 0x80 && second < 0xA0 ? 2 : 0;
}

/* Returns the length of a cell of the table. */
static size_t shown_len(const char *text) {
  size_t len = 0;
  while (*text != '\0') {
    const size_t control = control_len(text);
    len += control > 0 ? 4 * control : 1;
    text += control > 0 ? control : 1;
  }
  return len;
}

/* Appends a cell: control characters as \x and two digits, padded to the width. */
static void show(struct rebali_buffer *out, const char *text, size_t width) {
  size_t shown = shown_len(text);
  while (*text != '\0') {
    const char *start = text;
    size_t control = 0;
    while (*text != '\0' && (control = control_len(text)) == 0) {
      text++;
    }
    rebali_buffer_append(out, start, (size_t)(text - start));
    for (; control > 0; control--) {
      rebali_buffer_format(out, "\\x%02x", (unsigned)(unsigned char)*text++);
    }
  }
  for (; shown < width; shown++) {
    rebali_buffer_append(out, " ", 1);
  }
}

/* Layout of a table: widths of the columns, and the day of the previous row. */
struct layout {
  size_t controller, object;
  const char *day; /* a time that begins with it; NULL: none yet */
};

/* Measures the widest controller and object, so that columns are aligned. */
static void measure(const struct rebali_change_rows *log, struct layout *layout) {
  for (size_t i = 0; i < log->n; i++) {
    const size_t controller = shown_len(rebali_log_text(log, i, REBALI_LOG_CONTROLLER));
    const size_t object = shown_len(rebali_log_text(log, i, REBALI_LOG_OBJECT));
    if (log->rows[i].kind == REBAL_LOG_KIND_STEP) {
      continue;
    }
    layout->controller = controller > layout->controller && controller < 40 ? controller : layout->controller;
    layout->object = object > layout->object && object < 60 ? object : layout->object;
  }
}

/* The table shows an event once, on the workload; the previous row, of the binding, is the same event. */
static int is_repeated(const struct rebali_change_rows *log, size_t row) {
  const struct rebali_log_row *rows = log->rows;
  return row + 1 < log->n && rows[row].kind == REBAL_LOG_KIND_EVENT && rows[row + 1].kind == REBAL_LOG_KIND_EVENT &&
         strcmp(rebali_log_text(log, row, REBALI_LOG_CHANGE), rebali_log_text(log, row + 1, REBALI_LOG_CHANGE)) == 0;
}

/* Returns the length of the date at the start of a time. */
static size_t day_len(const char *time) {
  const char *end = strchr(time, 'T');
  return end != NULL ? (size_t)(end - time) : 0;
}

static void print_step(struct rebali_buffer *out, const struct rebali_change_rows *log, size_t row) {
  rebali_buffer_format(out, "%s== %s  ", row > 0 ? "\n" : "", rebali_log_text(log, row, REBALI_LOG_TIME));
  show(out, rebali_log_text(log, row, REBALI_LOG_CHANGE), 0);
  rebali_buffer_text(out, "\n");
}

/* Prints the time of day in a row and the date in the line of a step. A line of its own begins a new day. */
static void print_time(struct rebali_buffer *out, const char *time, const struct layout *layout) {
  const size_t len = day_len(time);
  if (len > 0 && (layout->day == NULL || len != day_len(layout->day) || memcmp(layout->day, time, len) != 0)) {
    rebali_buffer_format(out, "-- %.*s\n", (int)len, time);
  }
  rebali_buffer_format(out, "%s  ", len > 0 ? time + len + 1 : time);
}

static void print_change(struct rebali_buffer *out, const struct rebali_change_rows *log, size_t row,
                         const struct layout *layout) {
  const char *reason = rebali_log_text(log, row, REBALI_LOG_REASON);
  print_time(out, rebali_log_text(log, row, REBALI_LOG_TIME), layout);
  show(out, rebali_log_text(log, row, REBALI_LOG_CONTROLLER), layout->controller);
  rebali_buffer_text(out, "  ");
  show(out, rebali_log_text(log, row, REBALI_LOG_OBJECT), layout->object);
  rebali_buffer_text(out, "  ");
  show(out, rebali_log_text(log, row, REBALI_LOG_CHANGE), 0);
  rebali_buffer_text(out, reason[0] != '\0' ? "  <- " : "");
  show(out, reason, 0);
  rebali_buffer_text(out, "\n");
}

static void print_end(struct rebali_buffer *out, const struct rebali_log_end *end) {
  rebali_buffer_format(out, "\nexpectations: %" PRIu64 " held, %" PRIu64 " failed\n", end->held, end->failed);
  if (end->overused > 0) {
    rebali_buffer_text(out, "used beyond capacity: ");
    show(out, end->overuse, 0);
    rebali_buffer_text(out, "\n");
  }
}

static void print_table(struct rebali_buffer *out, const struct rebali_change_rows *log,
                        const struct rebali_log_end *end) {
  struct layout layout = {0, 0, NULL};
  measure(log, &layout);
  for (size_t i = 0; i < log->n; i++) {
    if (is_repeated(log, i)) {
      continue;
    }
    if (log->rows[i].kind == REBAL_LOG_KIND_STEP) {
      print_step(out, log, i);
    } else {
      print_change(out, log, i, &layout);
    }
    layout.day = rebali_log_text(log, i, REBALI_LOG_TIME);
  }
  print_end(out, end);
}

int32_t rebali_log_write(const struct rebali_change_rows *log, const struct rebali_log_end *end, uint32_t format,
                         rebal_text *out, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t code;
  switch (format) {
    case REBAL_LOG_FORMAT_TABLE:
      print_table(&text, log, end);
      break;
    case REBAL_TEXT_FORMAT_JSON:
      print_rows(&text, log, &json, end);
      break;
    case REBAL_TEXT_FORMAT_JSON_PRETTY:
      print_rows(&text, log, &pretty, end);
      break;
    case REBAL_TEXT_FORMAT_YAML:
      print_rows(&text, log, &yaml, end);
      break;
    default:
      return rebali_fail(err, REBAL_EINVAL, -1, "unknown format of a log");
  }
  code = text.failed ? rebali_fail_memory(err) : rebal_text_append(out, text.bytes, text.len, err);
  rebali_buffer_dispose(&text);
  return code;
}
