/* SPDX-License-Identifier: MIT */
/* rebalancectl failover: which workloads are evicted, which stay, and until when. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

struct answer {
  struct world *world;
  struct turns turns;
  struct warnings warnings;
  rebal_text *records;
  struct output reasons; /* lines; open if there are no turns */
};

static enum status write_table(const struct answer *answer, const uint32_t *objects, size_t n, struct output *out) {
  static const char *const headings[] = {"BINDING", "CLUSTER", "CONTROLLER", "RESULT", "REPLICAS", "NEXT", "MESSAGE"};
  struct table table;
  struct output cell;
  enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < answer->turns.n; i++) {
    const struct turn *turn = &answer->turns.items[i];
    char next[TIME_CAPACITY];
    put_object(&cell, answer->world, turn->object);
    table_cell_of(&table, &cell);
    table_cell(&table, turn->cluster);
    table_cell(&table, turn->controller);
    table_cell(&table, turn->result);
    if (turn->replicas != REBAL_ABSENT) {
      put_integer(&cell, turn->replicas);
    }
    table_cell_of(&table, &cell);
    table_cell(&table, time_text(&turn->next, next));
    table_cell(&table, turn->message);
  }
  if (answer->turns.n > 0) {
    table_write(&table, out);
  } else {
    status = failover_write_nothing(answer->world, objects, n, out);
  }
  table_close(&table);
  output_close(&cell);
  return status;
}

/* Writes the reasons why there are no turns as a list. */
static void report_reasons(struct report *report, const struct output *reasons) {
  const char *line = rebal_text_bytes(reasons->text, NULL);
  report_list(report, "reasons");
  for (size_t len; *line != '\0'; line += len + (line[len] != '\0')) {
    char *text;
    len = strcspn(line, "\n");
    text = strndup(line, len);
    if (text == NULL) {
      report->text.failed = 1;
      break;
    }
    report_text(report, NULL, strncmp(text, "- ", 2) == 0 ? text + 2 : text);
    free(text);
  }
  report_list_end(report);
}

static void begin_report(struct report *report, const void *user, int is_first) {
  const struct answer *answer = user;
  report_map(report, NULL);
  if (is_first) {
    report_warnings(report, answer->world, &answer->warnings);
    if (answer->reasons.text != NULL) {
      report_reasons(report, &answer->reasons);
    }
  }
  report_list(report, "turns");
}

static enum status write_turn(struct report *report, const void *user, size_t i) {
  const struct answer *answer = user;
  const struct turn *turn = &answer->turns.items[i];
  char next[TIME_CAPACITY];
  report_map(report, NULL);
  report_binding(report, answer->world, turn->object);
  report_text(report, "cluster", turn->cluster);
  report_text(report, "controller", turn->controller);
  report_text(report, "result", turn->result);
  if (turn->replicas != REBAL_ABSENT) {
    report_integer(report, "replicas", turn->replicas);
  }
  if (turn->next.is_set) {
    report_text(report, "next", time_text(&turn->next, next));
  }
  report_text(report, "message", turn->message);
  report_map_end(report);
  return STATUS_DONE;
}

static enum status write_report(struct answer *answer, const uint32_t *objects, size_t n, struct output *out) {
  const struct long_report parts = {begin_report, write_turn, answer, answer->turns.n};
  enum status status = STATUS_DONE;
  if (answer->turns.n == 0) {
    status = output_open(&answer->reasons);
    if (status != STATUS_DONE) {
      return status;
    }
    status = failover_write_nothing(answer->world, objects, n, &answer->reasons);
  }
  if (answer->reasons.failed) {
    status = complain_of_memory();
  }
  status = status == STATUS_DONE ? report_long(&parts, answer->world->options->format, out) : status;
  if (answer->turns.n == 0) {
    output_close(&answer->reasons);
  }
  return status;
}

static enum status write_answer(struct answer *answer, const uint32_t *objects, size_t n, struct output *out) {
  const struct options *options = answer->world->options;
  enum status status;
  if (options->is_write) {
    status = world_write(answer->world, objects, n, out);
  } else if (options->format == FORMAT_TABLE) {
    status = write_table(answer, objects, n, out);
    status = status == STATUS_DONE ? warnings_write(answer->world, &answer->warnings, out) : status;
  } else {
    status = write_report(answer, objects, n, out);
  }
  for (size_t i = 0; status == STATUS_DONE && i < answer->turns.n; i++) {
    if (strcmp(answer->turns.items[i].result, "Failed") == 0) {
      return STATUS_CANNOT;
    }
  }
  return status;
}

static enum status run(struct answer *answer, struct output *out) {
  uint32_t *objects = NULL;
  size_t n;
  enum status status = some_bindings(answer->world, &objects, &n);
  if (status == STATUS_DONE) {
    status = world_feed(answer->world, objects, n);
  }
  if (status == STATUS_DONE) {
    status = records_open(answer->world->options, &answer->records);
  }
  if (status == STATUS_DONE) {
    status = failover_turns(answer->world, objects, n, &answer->turns, &answer->warnings, answer->records);
  }
  if (status == STATUS_DONE) {
    status = records_finish(answer->world->options, answer->records);
  }
  if (status == STATUS_DONE) {
    status = write_answer(answer, objects, n, out);
  }
  free(objects);
  return status;
}

enum status failover_run(const struct options *options, struct output *out) {
  struct world world;
  struct answer answer = {.world = &world, .turns = {NULL, 0, 0}, .warnings = {NULL, 0}, .records = NULL};
  enum status status = world_open(&world, options);
  if (status == STATUS_DONE) {
    status = run(&answer, out);
  }
  rebal_text_free(answer.records);
  warnings_free(&answer.warnings);
  turns_free(&answer.turns);
  world_close(&world);
  return status;
}
