/* SPDX-License-Identifier: MIT */
/* The log for people and for programs. */
#include "simulation.h"

#include <inttypes.h>
#include <string.h>

struct notation {
  const char *start;     /* of the text */
  const char *row_start; /* of a row; the first one alone has no comma before it */
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

static int32_t write_member(const struct notation *notation, const char *name, const char *value, int is_first,
                            rebal_text *out, rebal_error *err) {
  const int32_t code = rebali_print(out, err, "%s%s%s%s%s", is_first ? "" : notation->member, notation->quote, name,
                                    notation->quote, notation->key_end);
  return code == REBAL_OK ? rebali_quote(rebali_slice(value), out, err) : code;
}

static int32_t write_row(const rebal_simulation *simulation, const struct notation *notation, size_t row,
                         rebal_text *out, rebal_error *err) {
  static const char *const names[REBALI_LOG_COLUMNS] = {"time", "step", "controller", "object", "change", "reason"};
  int32_t code = rebali_print(out, err, "%s%s", row > 0 ? notation->between : "", notation->row_start);
  if (code == REBAL_OK) {
    code = write_member(notation, "kind", rebal_enum_name(REBAL_ENUM_LOG_KIND, simulation->log.rows[row].kind, NULL), 1,
                        out, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < REBALI_LOG_COLUMNS; i++) {
    code = write_member(notation, names[i], rebali_log_text(simulation, row, i), 0, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "%s", notation->row_end) : code;
}

static int32_t write_summary(const rebal_simulation *simulation, const struct notation *notation, rebal_text *out,
                             rebal_error *err) {
  const char *member = notation == &json ? "," : notation == &pretty ? ",\n  " : "\n";
  const char *quote = notation->quote, *key_end = notation->key_end;
  return rebali_print(out, err, "%s%sheld%s%s%" PRIu64 "%s%sfailed%s%s%" PRIu64 "%s", notation->rows_end, quote, quote,
                      key_end, simulation->held, member, quote, quote, key_end, simulation->failed, notation->end);
}

static int32_t write_rows(const rebal_simulation *simulation, const struct notation *notation, rebal_text *out,
                          rebal_error *err) {
  int32_t code = rebali_print(out, err, "%s", notation->start);
  for (size_t i = 0; code == REBAL_OK && i < simulation->log.n; i++) {
    code = write_row(simulation, notation, i, out, err);
  }
  return code == REBAL_OK ? write_summary(simulation, notation, out, err) : code;
}

/*
 * Bytes of the character at text when it is one that moves the cursor of a terminal, 0 when it is none: control
 * characters of ASCII, and U+0080 to U+009F.
 */
static size_t control_len(const char *text) {
  const unsigned char first = (unsigned char)text[0], second = first != 0 ? (unsigned char)text[1] : 0;
  if ((first > 0 && first < 0x20) || first == 0x7F) {
    return 1;
  }
  return first == 0xC2 && second >= 0x80 && second < 0xA0 ? 2 : 0;
}

/* Bytes of a cell of the table. */
static size_t shown_len(const char *text) {
  size_t len = 0;
  while (*text != '\0') {
    const size_t control = control_len(text);
    len += control > 0 ? 4 * control : 1;
    text += control > 0 ? control : 1;
  }
  return len;
}

/* Appends a cell: control characters as \x and two digits, then spaces up to the width. */
static int32_t show(const char *text, size_t width, rebal_text *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  size_t shown = shown_len(text);
  while (code == REBAL_OK && *text != '\0') {
    const char *start = text;
    size_t control = 0;
    while (*text != '\0' && (control = control_len(text)) == 0) {
      text++;
    }
    code = rebal_text_append(out, start, (size_t)(text - start), err);
    for (; code == REBAL_OK && control > 0; control--) {
      code = rebali_print(out, err, "\\x%02x", (unsigned)(unsigned char)*text++);
    }
  }
  for (; code == REBAL_OK && shown < width; shown++) {
    code = rebal_text_append(out, " ", 1, err);
  }
  return code;
}

/* How the rows of a table are set: widths of the columns, and the day of the row above. */
struct layout {
  size_t controller, object;
  const char *day; /* a time that begins with it; NULL: none yet */
};

/* Widest controller and object among the rows, so that columns stand below each other. */
static void measure(const rebal_simulation *simulation, struct layout *layout) {
  for (size_t i = 0; i < simulation->log.n; i++) {
    const size_t controller = shown_len(rebali_log_text(simulation, i, REBALI_LOG_CONTROLLER));
    const size_t object = shown_len(rebali_log_text(simulation, i, REBALI_LOG_OBJECT));
    if (simulation->log.rows[i].kind == REBAL_LOG_KIND_STEP) {
      continue;
    }
    layout->controller = controller > layout->controller && controller < 40 ? controller : layout->controller;
    layout->object = object > layout->object && object < 60 ? object : layout->object;
  }
}

/* People need an event once: it stands on the workload, the row of the binding in front of it says the same. */
static int is_repeated(const rebal_simulation *simulation, size_t row) {
  const struct rebali_log_row *rows = simulation->log.rows;
  return row + 1 < simulation->log.n && rows[row].kind == REBAL_LOG_KIND_EVENT &&
         rows[row + 1].kind == REBAL_LOG_KIND_EVENT &&
         strcmp(rebali_log_text(simulation, row, REBALI_LOG_CHANGE),
                rebali_log_text(simulation, row + 1, REBALI_LOG_CHANGE)) == 0;
}

/* Length of the date at the start of a time. */
static size_t day_len(const char *time) {
  const char *end = strchr(time, 'T');
  return end != NULL ? (size_t)(end - time) : 0;
}

static int32_t write_step(const rebal_simulation *simulation, size_t row, rebal_text *out, rebal_error *err) {
  int32_t code =
      rebali_print(out, err, "%s== %s  ", row > 0 ? "\n" : "", rebali_log_text(simulation, row, REBALI_LOG_TIME));
  if (code == REBAL_OK) {
    code = show(rebali_log_text(simulation, row, REBALI_LOG_CHANGE), 0, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "\n") : code;
}

/* A row has the time of day; a step's line has the date, and a line of its own tells where a new day begins. */
static int32_t write_time(const char *time, const struct layout *layout, rebal_text *out, rebal_error *err) {
  const size_t len = day_len(time);
  int32_t code = REBAL_OK;
  if (len > 0 && (layout->day == NULL || len != day_len(layout->day) || memcmp(layout->day, time, len) != 0)) {
    code = rebali_print(out, err, "-- %.*s\n", (int)len, time);
  }
  return code == REBAL_OK ? rebali_print(out, err, "%s  ", len > 0 ? time + len + 1 : time) : code;
}

static int32_t write_change(const rebal_simulation *simulation, size_t row, const struct layout *layout,
                            rebal_text *out, rebal_error *err) {
  const char *reason = rebali_log_text(simulation, row, REBALI_LOG_REASON);
  const struct {
    const char *text;
    size_t width;
    const char *behind;
  } parts[] = {
      {rebali_log_text(simulation, row, REBALI_LOG_CONTROLLER), layout->controller, "  "},
      {rebali_log_text(simulation, row, REBALI_LOG_OBJECT), layout->object, "  "},
      {rebali_log_text(simulation, row, REBALI_LOG_CHANGE), 0, reason[0] != '\0' ? "  <- " : ""},
      {reason, 0, "\n"},
  };
  int32_t code = write_time(rebali_log_text(simulation, row, REBALI_LOG_TIME), layout, out, err);
  for (size_t i = 0; code == REBAL_OK && i < sizeof parts / sizeof parts[0]; i++) {
    code = show(parts[i].text, parts[i].width, out, err);
    if (code == REBAL_OK) {
      code = rebali_print(out, err, "%s", parts[i].behind);
    }
  }
  return code;
}

static int32_t write_line(const rebal_simulation *simulation, size_t row, struct layout *layout, rebal_text *out,
                          rebal_error *err) {
  const int is_step = simulation->log.rows[row].kind == REBAL_LOG_KIND_STEP;
  const int32_t code =
      is_step ? write_step(simulation, row, out, err) : write_change(simulation, row, layout, out, err);
  layout->day = rebali_log_text(simulation, row, REBALI_LOG_TIME);
  return code;
}

static int32_t write_table(const rebal_simulation *simulation, rebal_text *out, rebal_error *err) {
  struct layout layout = {0, 0, NULL};
  int32_t code = REBAL_OK;
  measure(simulation, &layout);
  for (size_t i = 0; code == REBAL_OK && i < simulation->log.n; i++) {
    if (!is_repeated(simulation, i)) {
      code = write_line(simulation, i, &layout, out, err);
    }
  }
  return code == REBAL_OK ? rebali_print(out, err, "\nexpectations: %" PRIu64 " held, %" PRIu64 " failed\n",
                                         simulation->held, simulation->failed)
                          : code;
}

int32_t rebal_simulation_write(const rebal_simulation *simulation, uint32_t format, rebal_text *out, rebal_error *err) {
  if (simulation == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulation and out are needed");
  }
  switch (format) {
    case REBAL_LOG_FORMAT_TABLE:
      return write_table(simulation, out, err);
    case REBAL_TEXT_FORMAT_JSON:
      return write_rows(simulation, &json, out, err);
    case REBAL_TEXT_FORMAT_JSON_PRETTY:
      return write_rows(simulation, &pretty, out, err);
    case REBAL_TEXT_FORMAT_YAML:
      return write_rows(simulation, &yaml, out, err);
    default:
      return rebali_fail(err, REBAL_EINVAL, -1, "unknown format of a log");
  }
}
