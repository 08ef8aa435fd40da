/* SPDX-License-Identifier: MIT */
/* Prints --help from the tables of verbs and options. */
#include "rebalancectl.h"

#include <stdio.h>
#include <string.h>

static const struct compat_option {
  const char *name, *summary;
  uint32_t number;
} compat_options[] = {
#define REBAL_OPTION(name, number, absent, text, meaning) {text, meaning, REBAL_OPTION_##name},
#include <rebalance/options.def>
#undef REBAL_OPTION
};

const char *compat_option_name(size_t index) {
  return index < sizeof compat_options / sizeof compat_options[0] ? compat_options[index].name : NULL;
}

const char *level_name(size_t index) {
  return rebal_enum_name(REBAL_ENUM_LEVEL, (int64_t)index + 1, NULL);
}

#define COLUMN 30

/* Writes left, then len bytes of right at a column, in the next line if left reaches that column. */
static void put_line(struct output *out, const char *left, const char *right, size_t len) {
  const size_t left_width = strlen(left);
  put(out, "  ");
  put(out, left);
  if (left_width >= COLUMN) {
    put(out, "\n  ");
  }
  for (size_t width = left_width < COLUMN ? left_width : 0; width < COLUMN; width++) {
    put(out, " ");
  }
  put_bytes(out, right, len);
  put(out, "\n");
}

static void put_options(struct output *out, uint32_t set) {
  put(out, "\nOptions:\n");
  for (size_t i = 0; i < n_options; i++) {
    const struct option *option = &option_table[i];
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    char left[80];
    if ((option->set & set) == 0) {
      continue;
    }
    (void)snprintf(left, sizeof left, "%s--%s%s%s", option->letter != '\0' ? letter : "", option->name,
                   option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
    put_line(out, left, option->summary, strlen(option->summary));
  }
}

static void put_levels(struct output *out) {
  put(out, "\nLevels:");
  for (size_t i = 0; level_name(i) != NULL; i++) {
    put(out, i > 0 ? ", " : " ");
    put(out, level_name(i));
  }
  put(out, "\n");
}

#define BIT(name) (UINT64_C(1) << REBAL_OPTION_##name)
#define OF_DECISIONS                                                                                      \
  (BIT(GATE_RESOURCE_MODELS) | BIT(GATE_WORKLOAD_AFFINITY) | BIT(GATE_MULTIPLE_POD_TEMPLATES) |           \
   BIT(GATE_OVERCOMMIT_PROTECTION) | BIT(GATE_RESOURCE_QUOTA) | BIT(STRICT_NIL_EMPTY) | BIT(INT32_WRAP) | \
   BIT(EMPTY_WORKLOAD_PROPAGATION) | BIT(CLUSTER_LOCALITY) | BIT(ESTIMATOR_ALL_OR_NOTHING) |              \
   BIT(STATIC_WEIGHT_CAPACITY) | BIT(PARTIAL_PLACEMENT) | BIT(STRICT_EVICTION))
#define OF_SPREADS                                                                                            \
  (BIT(SPREAD_SIMULATION) | BIT(SPREAD_LONG_WAIT) | BIT(SPREAD_MIN_REPLICAS) | BIT(SPREAD_EVEN_SCALE_IN) |    \
   BIT(SPREAD_REPLICA_SET_ORDER) | BIT(SPREAD_ALL_VERSIONS) | BIT(SPREAD_CAPPED_ROOM) | BIT(SPREAD_BY_SPEC) | \
   BIT(SPREAD_CLONE_SET_VERSIONS) | BIT(SPREAD_COST_ANY_KIND))

/* The compatibility options of a verb, as bits of their numbers; other verbs read all. */
static const struct {
  const char *verb;
  uint64_t options;
} readers[] = {
    {"schedule", OF_DECISIONS},
    {"explain", OF_DECISIONS},
    {"rebalance", OF_DECISIONS},
    {"deschedule", BIT(ESTIMATOR_ALL_OR_NOTHING)},
    {"failover",
     BIT(GATE_STATEFUL_FAILOVER) | BIT(GATE_GRACEFUL_EVICTION) | BIT(EMPTY_IS_HEALTHY) | BIT(STRICT_EVICTION)},
    {"spread", OF_SPREADS},
};

static int reads(const struct verb *verb, uint32_t option) {
  for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
    if (strcmp(readers[i].verb, verb->name) == 0) {
      return (readers[i].options >> option & 1) != 0;
    }
  }
  return 1;
}

static void put_compat_options(const struct verb *verb, struct output *out) {
  put(out, "\nCompatibility options:\n");
  for (size_t i = 0; compat_option_name(i) != NULL; i++) {
    const char *summary = compat_options[i].summary;
    if (!reads(verb, compat_options[i].number)) {
      continue;
    }
    put_line(out, compat_options[i].name, summary, strcspn(summary, "(") - 1); /* without sections */
  }
}

static void put_verbs(struct output *out) {
  put(out, "\nVerbs:\n");
  for (size_t i = 0; i < n_verbs; i++) {
    char left[80];
    (void)snprintf(left, sizeof left, "%s %s", verbs[i].name, verbs[i].operands);
    put_line(out, left, verbs[i].summary, strlen(verbs[i].summary));
  }
}

void help_write(const struct verb *verb, struct output *out) {
  put(out, "usage: rebalancectl ");
  put(out, verb != NULL ? verb->name : "VERB");
  put(out, " [OPTION]... ");
  put(out, verb != NULL ? verb->operands : "FILE...");
  put(out, "\n\n");
  put(out, verb != NULL ? verb->text
                        : "Shows where the replicas of Kubernetes workloads are placed in a fleet of clusters. "
                          "FILE - is standard input.\n");
  if (verb == NULL) {
    put_verbs(out);
  }
  put_options(out, OPTIONS_ANY | (verb != NULL ? verb->options : 0));
  if (verb != NULL && (verb->options & OPTIONS_COMPAT) != 0) {
    put_compat_options(verb, out);
    put_levels(out);
  }
  put(out, "\nExit status: 0 success, 1 something does not fit or a check failed, 2 usage error, 3 bad input.\n");
}

enum status help_run(const struct options *options, struct output *out) {
  help_write(options->explained, out);
  return STATUS_DONE;
}
