/* SPDX-License-Identifier: MIT */
/* Prints decisions as tables, and as JSON or YAML. */
#include "rebalancectl.h"

/* {member1:2, member2:1}, as in the events of the scheduler. */
static void put_targets(struct output *out, const struct world *world, const struct targets *targets) {
  put(out, "{");
  for (size_t i = 0; i < targets->n; i++) {
    put(out, i > 0 ? ", " : "");
    put(out, cluster_name(world, targets->items[i].cluster));
    put(out, ":");
    put_integer(out, targets->items[i].replicas);
  }
  put(out, "}");
}

/* Writes "5 missing: " before the reason. */
static void put_message(struct output *out, const struct decision *decision) {
  if (decision->missing > 0) {
    put_integer(out, decision->missing);
    put(out, " missing: ");
  }
  put(out, decision->message);
}

enum status decisions_write(const struct world *world, const struct decision *decisions, size_t n, struct output *out) {
  static const char *const headings[] = {"BINDING", "OUTCOME", "WHY", "CLUSTERS", "MESSAGE"};
  struct table table;
  struct output cell;
  const enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < n; i++) {
    const struct decision *decision = &decisions[i];
    put_object(&cell, world, decision->object);
    table_cell_of(&table, &cell);
    table_cell(&table, enum_text(REBAL_ENUM_OUTCOME, decision->outcome));
    table_cell(&table, enum_text(REBAL_ENUM_REASON, decision->reason));
    put_targets(&cell, world, &decision->after);
    table_cell_of(&table, &cell);
    put_message(&cell, decision);
    table_cell_of(&table, &cell);
  }
  table_write(&table, out);
  table_close(&table);
  output_close(&cell);
  return STATUS_DONE;
}

static void write_targets(struct report *report, const char *key, const struct world *world,
                          const struct targets *targets) {
  report_list(report, key);
  for (size_t i = 0; i < targets->n; i++) {
    report_map(report, NULL);
    report_text(report, "name", cluster_name(world, targets->items[i].cluster));
    report_integer(report, "replicas", targets->items[i].replicas);
    report_map_end(report);
  }
  report_list_end(report);
}

static void write_resource(struct report *report, const struct world *world, uint32_t object) {
  static const char *const members[][2] = {{"apiVersion", "spec.resource.apiVersion"},
                                           {"kind", "spec.resource.kind"},
                                           {"namespace", "spec.resource.namespace"},
                                           {"name", "spec.resource.name"}};
  report_map(report, "resource");
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    report_text(report, members[i][0], world_text(world, object, members[i][1]));
  }
  report_map_end(report);
}

void report_binding(struct report *report, const struct world *world, uint32_t object) {
  report_text(report, "kind", world_text(world, object, "kind"));
  report_text(report, "namespace", world_text(world, object, "metadata.namespace"));
  report_text(report, "name", world_text(world, object, "metadata.name"));
  write_resource(report, world, object);
}

void report_decision(struct report *report, const char *key, const struct world *world,
                     const struct decision *decision) {
  report_map(report, key);
  report_binding(report, world, decision->object);
  report_text(report, "outcome", enum_text(REBAL_ENUM_OUTCOME, decision->outcome));
  report_text(report, "reason", enum_text(REBAL_ENUM_REASON, decision->reason));
  report_boolean(report, "fresh", decision->is_fresh);
  report_text(report, "affinityName", decision->affinity);
  write_targets(report, "before", world, &decision->before);
  write_targets(report, "clusters", world, &decision->after);
  if (decision->missing > 0) {
    report_integer(report, "missing", decision->missing);
  }
  report_text(report, "message", decision->message);
  report_map_end(report);
}
