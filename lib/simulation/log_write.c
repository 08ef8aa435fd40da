/* SPDX-License-Identifier: MIT */
/* The log for people and for programs. */
#include "simulation.h"

#include <inttypes.h>
#include <string.h>

static const char *const column_names[REBALI_LOG_COLUMNS] = {"time",   "step",   "controller",
                                                             "object", "change", "reason"};
static const char *const kind_names[] = {"", "step", "change", "event", "note", "held", "failed"};

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

static const char *cell(const rebal_simulation *simulation, size_t row, size_t column) {
  return rebal_simulation_log_text(simulation, row, (uint32_t)column + 1, NULL);
}

static int32_t write_member(const struct notation *notation, const char *name, const char *value, int is_first,
                            rebal_text *out, rebal_error *err) {
  const int32_t code = rebali_print(out, err, "%s%s%s%s%s", is_first ? "" : notation->member, notation->quote, name,
                                    notation->quote, notation->key_end);
  return code == REBAL_OK ? rebali_quote(rebali_slice(value), out, err) : code;
}

static int32_t write_row(const rebal_simulation *simulation, const struct notation *notation, size_t row,
                         rebal_text *out, rebal_error *err) {
  int32_t code = rebali_print(out, err, "%s%s", row > 0 ? notation->between : "", notation->row_start);
  if (code == REBAL_OK) {
    code = write_member(notation, "kind", kind_names[simulation->log.rows[row].kind], 1, out, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < REBALI_LOG_COLUMNS; i++) {
    code = write_member(notation, column_names[i], cell(simulation, row, i), 0, out, err);
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

/* Widest controller and object among the rows, so that columns stand below each other. */
static void measure(const rebal_simulation *simulation, int *controller, int *object) {
  *controller = *object = 0;
  for (size_t i = 0; i < simulation->log.n; i++) {
    const size_t first = strlen(cell(simulation, i, REBAL_LOG_CONTROLLER - 1));
    const size_t second = strlen(cell(simulation, i, REBAL_LOG_OBJECT - 1));
    if (simulation->log.rows[i].kind == REBAL_LOG_KIND_STEP) {
      continue;
    }
    *controller = first > (size_t)*controller && first < 40 ? (int)first : *controller;
    *object = second > (size_t)*object && second < 60 ? (int)second : *object;
  }
}

/* People need an event once: it stands on the workload, the row of the binding in front of it says the same. */
static int is_repeated(const rebal_simulation *simulation, size_t row) {
  const struct rebali_log_row *rows = simulation->log.rows;
  return row + 1 < simulation->log.n && rows[row].kind == REBAL_LOG_KIND_EVENT &&
         rows[row + 1].kind == REBAL_LOG_KIND_EVENT &&
         strcmp(cell(simulation, row, REBAL_LOG_CHANGE - 1), cell(simulation, row + 1, REBAL_LOG_CHANGE - 1)) == 0;
}

/* The time of day; a step's line has the date. */
static const char *short_time(const rebal_simulation *simulation, size_t row) {
  const char *time = cell(simulation, row, REBAL_LOG_TIME - 1), *start = strchr(time, 'T');
  return start != NULL ? start + 1 : time;
}

static int32_t write_line(const rebal_simulation *simulation, size_t row, int controller, int object, rebal_text *out,
                          rebal_error *err) {
  const char *reason = cell(simulation, row, REBAL_LOG_REASON - 1);
  if (simulation->log.rows[row].kind == REBAL_LOG_KIND_STEP) {
    return rebali_print(out, err, "%s== %s  %s\n", row > 0 ? "\n" : "", cell(simulation, row, REBAL_LOG_TIME - 1),
                        cell(simulation, row, REBAL_LOG_CHANGE - 1));
  }
  return rebali_print(out, err, "%s  %-*s  %-*s  %s%s%s\n", short_time(simulation, row), controller,
                      cell(simulation, row, REBAL_LOG_CONTROLLER - 1), object,
                      cell(simulation, row, REBAL_LOG_OBJECT - 1), cell(simulation, row, REBAL_LOG_CHANGE - 1),
                      reason[0] != '\0' ? "  <- " : "", reason);
}

static int32_t write_table(const rebal_simulation *simulation, rebal_text *out, rebal_error *err) {
  int controller, object;
  int32_t code = REBAL_OK;
  measure(simulation, &controller, &object);
  for (size_t i = 0; code == REBAL_OK && i < simulation->log.n; i++) {
    if (!is_repeated(simulation, i)) {
      code = write_line(simulation, i, controller, object, out, err);
    }
  }
  return code == REBAL_OK ? rebali_print(out, err, "\nexpectations: %" PRIu64 " held, %" PRIu64 " failed\n",
                                         simulation->held, simulation->failed)
                          : code;
}

int32_t rebal_simulation_write(const rebal_simulation *simulation, uint32_t format, rebal_text *out, rebal_error *err) {
  if (simulation == NULL || out == NULL) {
    return rebali_report(err, REBAL_EINVAL, "simulation and out are needed");
  }
  switch (format) {
    case REBAL_LOG_TABLE:
      return write_table(simulation, out, err);
    case REBAL_TEXT_JSON:
      return write_rows(simulation, &json, out, err);
    case REBAL_TEXT_JSON_PRETTY:
      return write_rows(simulation, &pretty, out, err);
    case REBAL_TEXT_YAML:
      return write_rows(simulation, &yaml, out, err);
    default:
      return rebali_report(err, REBAL_EINVAL, "unknown format of a log");
  }
}
