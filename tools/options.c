/* SPDX-License-Identifier: MIT */
/* The command line, read by a table. */
#include "rebalancectl.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_INPUT ((uint64_t)256 * 1024 * 1024)

/* ---- values ---- */

static const char *apply_format(struct options *options, const char *value) {
  static const char *const names[] = {[FORMAT_TABLE] = "table", [FORMAT_JSON] = "json", [FORMAT_YAML] = "yaml"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(value, names[i]) == 0) {
      options->format = (enum format)i;
      options->has_format = 1;
      return NULL;
    }
  }
  return "expected table, json or yaml";
}

static const char *apply_now(struct options *options, const char *value) {
  const int32_t result = rebal_time_parse(value, strlen(value), &options->now, NULL);
  return result == REBAL_OK ? NULL : "expected an RFC 3339 time such as 2026-03-14T09:00:00Z";
}

static const char *apply_max_input(struct options *options, const char *value) {
  rebal_quantity quantity;
  if (rebal_quantity_parse(value, strlen(value), &quantity, NULL) != REBAL_OK || quantity.units < 1) {
    return "expected a number of bytes such as 1000000 or 64Mi";
  }
  options->max_input = (uint64_t)quantity.units;
  return NULL;
}

/* Reports an unknown name and lists the known ones. */
static const char *refuse_name(struct options *options, const char *what, const char *(*name_at)(size_t i)) {
  const char *name;
  size_t used = (size_t)snprintf(options->fault, sizeof options->fault, "unknown %s, expected one of", what);
  for (size_t i = 0; used < sizeof options->fault && (name = name_at(i)) != NULL; i++) {
    used += (size_t)snprintf(options->fault + used, sizeof options->fault - used, "%s %s", i > 0 ? "," : "", name);
  }
  return options->fault;
}

/* A level must be given before single options, as it sets all of them. */
static const char *apply_level(struct options *options, const char *value) {
  if (options->has_compat_option) {
    return "must be given before --option";
  }
  return rebal_compat_set_level(options->compat, value, strlen(value), NULL) == REBAL_OK
             ? NULL
             : refuse_name(options, "level", level_name);
}

static const char *apply_option(struct options *options, const char *value) {
  const size_t len = strcspn(value, "=");
  rebal_error err = REBAL_ERROR_INIT;
  int64_t number;
  if (value[len] == '\0' || (value[len + 1] != '0' && value[len + 1] != '1') || value[len + 2] != '\0') {
    return "expected NAME=0 or NAME=1";
  }
  if (rebal_enum_find(REBAL_ENUM_OPTION, value, len, &number, &err) != REBAL_OK) {
    if (err.where >= 0) {
      (void)snprintf(options->fault, sizeof options->fault, "unknown option (did you mean %s?)",
                     rebal_enum_name(REBAL_ENUM_OPTION, err.where, NULL));
      return options->fault;
    }
    return refuse_name(options, "option", compat_option_name);
  }
  options->has_compat_option = 1;
  if (number == REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION) {
    options->has_ledger = value[len + 1] == '1';
  }
  return rebal_compat_set(options->compat, (uint32_t)number, value[len + 1] - '0', NULL) == REBAL_OK
             ? NULL
             : "not supported by this version of the library";
}

static const char *apply_record(struct options *options, const char *value) {
  options->record = value;
  return value[0] != '\0' && strcmp(value, "-") != 0 ? NULL : "expected the name of a file";
}

static const char *apply_html(struct options *options, const char *value) {
  options->html = value;
  return value[0] != '\0' && strcmp(value, "-") != 0 ? NULL : "expected the name of a file";
}

static const char *apply_states(struct options *options, const char *value) {
  options->states = value;
  return value[0] != '\0' ? NULL : "expected the name of a file, or -";
}

static const char *apply_filename(struct options *options, const char *value) {
  options->files[options->n_files++] = value;
  return NULL;
}

static const char *apply_namespace(struct options *options, const char *value) {
  options->namespace_ = value;
  return value[0] != '\0' ? NULL : "expected the name of a namespace";
}

static const char *apply_cluster(struct options *options, const char *value) {
  options->cluster = value;
  return value[0] != '\0' ? NULL : "expected the name of a cluster";
}

/* The output format of fmt, which has no table. */
static const char *apply_notation(struct options *options, const char *value) {
  return strcmp(value, "table") != 0 && apply_format(options, value) == NULL ? NULL : "expected yaml or json";
}

/* The effect of an option: its value is read, or a member is set to 1. */
#define READ(function) function, 0
#define SET(member) NULL, offsetof(struct options, member)

const struct option option_table[] = {
    {"all", '\0', OPTIONS_ALL, NULL, "schedule every binding, due or not", SET(is_all)},
    {"any-kind", '\0', OPTIONS_DESCHEDULE, NULL, "workloads of any kind with replicas", READ(apply_any_kind)},
    {"cluster", '\0', OPTIONS_BINDING, "NAME", "only explain this cluster [all]", READ(apply_cluster)},
    {"evict-by-taint", '\0', OPTIONS_FAILOVER, NULL, "NoExecute taints evict", READ(apply_evict_by_taint)},
    {"eviction-interval", '\0', OPTIONS_FAILOVER, "DURATION", "time between evictions by taints [0s]",
     READ(apply_eviction_interval)},
    {"eviction-timeout", '\0', OPTIONS_FAILOVER, "DURATION", "maximum age of an eviction task [10m]",
     READ(apply_eviction_timeout)},
    {"feature-gates", '\0', OPTIONS_DETECTOR, "GATE=BOOL", "gates of Karmada's controllers: GATE=true,GATE=false",
     READ(apply_feature_gates)},
    {"filename", 'f', OPTIONS_INPUT, "PATH", "a file, or a directory with .yaml, .yml and .json files",
     READ(apply_filename)},
    {"fresh", '\0', OPTIONS_BINDING, NULL, "as if a WorkloadRebalancer had named the workload now", SET(is_fresh)},
    {"from-status", '\0', OPTIONS_DESCHEDULE, NULL, "use the status where no estimator has a result",
     READ(apply_from_status)},
    {"interval", '\0', OPTIONS_DESCHEDULE, "DURATION", "time until the next run [2m]", READ(apply_interval)},
    {"level", '\0', OPTIONS_COMPAT, "NAME", "set every option to a level of rebalance-compat(7)", READ(apply_level)},
    {"max-by-cluster", '\0', OPTIONS_DESCHEDULE, "N", "maximum replicas removed from each cluster",
     READ(apply_max_by_cluster)},
    {"max-by-namespace", '\0', OPTIONS_DESCHEDULE, "N", "maximum replicas removed from each namespace",
     READ(apply_max_by_namespace)},
    {"max-by-workload", '\0', OPTIONS_DESCHEDULE, "N", "maximum replicas removed from each workload",
     READ(apply_max_by_workload)},
    {"max-input", '\0', OPTIONS_INPUT, "SIZE", "maximum size of a file [256Mi]", READ(apply_max_input)},
    {"max-total", '\0', OPTIONS_DESCHEDULE, "N", "maximum replicas removed in total", READ(apply_max_total)},
    {"member", '\0', OPTIONS_MEMBER, "NAME=FILE", "objects of a cluster: pods are placed on its nodes",
     READ(apply_member)},
    {"namespace", 'n', OPTIONS_NAMESPACE, "NAME", "only this namespace [all]", READ(apply_namespace)},
    {"now", '\0', OPTIONS_ANSWER, "TIME", "current time, RFC 3339 [system clock]", READ(apply_now)},
    {"output", 'o', OPTIONS_OUTPUT, "FORMAT", "table, json or yaml [table]", READ(apply_format)},
    {"purge-directly", '\0', OPTIONS_FAILOVER, NULL, "taints evict at once instead of gracefully",
     READ(apply_purge_directly)},
    {"option", '\0', OPTIONS_COMPAT, "NAME=0|1", "set an option of rebalance-compat(7)", READ(apply_option)},
    {"record", '\0', OPTIONS_RECORD, "FILE", "also write the calls of the library, for replay", READ(apply_record)},
    {"replicas-path", '\0', OPTIONS_DETECTOR, "KIND=PATH", "path to the replicas of a kind unknown to Karmada",
     READ(apply_replicas_path)},
    {"skipped-propagating-apis", '\0', OPTIONS_DETECTOR, "APIS", "APIs not propagated: group[/version[/Kind,Kind]]",
     READ(apply_skipped_apis)},
    {"skipped-propagating-namespaces", '\0', OPTIONS_DETECTOR, "LIST",
     "namespaces not propagated, as expressions [kube-.*]", READ(apply_skipped_namespaces)},
    {"threshold", '\0', OPTIONS_DESCHEDULE, "DURATION", "how long replicas may be unschedulable [5m]",
     READ(apply_threshold)},
    {"unhealthy-since", '\0', OPTIONS_FAILOVER, "TIME", "since when unhealthy applications are unhealthy",
     READ(apply_unhealthy_since)},
    {"write", '\0', OPTIONS_WRITE, NULL, "print the changed objects instead of the report", SET(is_write)},
    {"check", '\0', OPTIONS_FMT, NULL, "list files that would change, exit 1 if there are any", SET(is_check)},
    {"drop-comments", '\0', OPTIONS_FMT, NULL, "overwrite files with comments, which are lost", SET(drops_comments)},
    {"output", 'o', OPTIONS_FMT, "FORMAT", "yaml or json [as the file]", READ(apply_notation)},
    {"write", 'w', OPTIONS_FMT, NULL, "overwrite the file with the result", SET(is_write)},
    {"strict", '\0', OPTIONS_VALIDATE, NULL, "exit 1 for warnings too", SET(is_strict)},
    {"drain", '\0', OPTIONS_PLAN, "CLUSTER", "remove all replicas from this cluster; may be repeated",
     READ(apply_drain)},
    {"explain", '\0', OPTIONS_PLAN, NULL, "also list bindings that stay and moves that limits withhold",
     SET(plan.is_explained)},
    {"fresh", '\0', OPTIONS_PLAN, NULL, "as if a WorkloadRebalancer had named every workload now [default]",
     READ(apply_fresh)},
    {"least", '\0', OPTIONS_PLAN, NULL, "move as little as possible within --tolerance of --fresh", READ(apply_least)},
    {"lose", '\0', OPTIONS_PLAN, "CLUSTER", "plan without this cluster and its replicas; may be repeated",
     READ(apply_lose)},
    {"lose", '\0', OPTIONS_SWEEP, "KIND", "each cluster, zone, region or provider, or pairs=FILE [cluster]",
     READ(apply_losses)},
    {"max-moves", '\0', OPTIONS_PLAN, "N", "maximum replicas that move in total", READ(apply_max_moves)},
    {"max-per-source", '\0', OPTIONS_PLAN, "N", "maximum replicas that leave each cluster", READ(apply_max_per_source)},
    {"max-per-target", '\0', OPTIONS_PLAN, "N", "maximum replicas that enter each cluster", READ(apply_max_per_target)},
    {"max-surge", '\0', OPTIONS_PLAN, "N|P%", "maximum extra replicas while moving [25%]", READ(apply_max_surge)},
    {"max-unavailable", '\0', OPTIONS_PLAN, "N|P%", "maximum replicas not ready while moving [25%]",
     READ(apply_max_unavailable)},
    {"pdb", '\0', OPTIONS_PLAN, NULL, "respect the PodDisruptionBudgets of the files", SET(plan.has_budgets)},
    {"steady", '\0', OPTIONS_PLAN, NULL, "as the scheduler decides without a trigger", READ(apply_steady)},
    {"tolerance", '\0', OPTIONS_PLAN, "P%", "how far --least may be from the fresh placement [10%]",
     READ(apply_tolerance)},
    {"waves", '\0', OPTIONS_PLAN, NULL, "also list the writes that apply the plan, wave by wave", SET(plan.has_waves)},
    {"verify", '\0', OPTIONS_PLAN, NULL, "verify that no plan moves less than --least", SET(plan.is_verified)},
    {"create", '\0', OPTIONS_SPREAD, "N", "create N pods and show each step", READ(apply_create)},
    {"rollout", '\0', OPTIONS_SPREAD, NULL, "restart the workload and show each moment", SET(is_rollout)},
    {"scale", '\0', OPTIONS_SPREAD, "N", "scale the workload to N replicas and show each step", READ(apply_scale)},
    {"spread", '\0', OPTIONS_SPREAD, "NAME", "only this WorkloadSpread [all]", READ(apply_spread)},
    {"html", '\0', OPTIONS_HTML, "FILE", "also write an HTML page with pictures", READ(apply_html)},
    {"states", '\0', OPTIONS_SIMULATE, "FILE", "also write all objects after each step; -: instead of the log",
     READ(apply_states)},
    {"watch", '\0', OPTIONS_SIMULATE, NULL, "show the replicas moment by moment instead of the log", SET(is_watch)},
    {"help", 'h', OPTIONS_ANY, NULL, "print this help", SET(is_help_requested)},
    {"version", '\0', OPTIONS_ANY, NULL, "print the library's version", SET(is_version_requested)},
};
const size_t n_options = sizeof option_table / sizeof option_table[0];

/* ---- names ---- */

/* Words of the command line that are not read yet. */
struct words {
  char **next;
  char **end;
};

/* Prints one line: the error, the word in quotes (NULL: none), the reason (NULL: none), and the help to read. */
static enum status refuse(const struct options *options, const char *what, const char *word, const char *why) {
  const char *const space = options->verb != NULL ? " " : "";
  const char *const verb = options->verb != NULL ? options->verb->name : "";
  const char *const quote = word != NULL ? "'" : "";
  complain("rebalancectl%s%s: %s%s%s%s%s%s%s; see rebalancectl%s%s --help", space, verb, what, word != NULL ? " " : "",
           quote, word != NULL ? word : "", quote, why != NULL ? ": " : "", why != NULL ? why : "", space, verb);
  return STATUS_USAGE;
}

static int takes(const struct options *options, const struct option *option) {
  return (option->set & (OPTIONS_ANY | (options->verb != NULL ? options->verb->options : 0))) != 0;
}

static const struct option *find_long(const struct options *options, const char *name, size_t len) {
  for (size_t i = 0; i < n_options; i++) {
    if (takes(options, &option_table[i]) && strlen(option_table[i].name) == len &&
        memcmp(option_table[i].name, name, len) == 0) {
      return &option_table[i];
    }
  }
  return NULL;
}

static const struct option *find_letter(const struct options *options, char letter) {
  for (size_t i = 0; i < n_options; i++) {
    if (takes(options, &option_table[i]) && letter != '\0' && option_table[i].letter == letter) {
      return &option_table[i];
    }
  }
  return NULL;
}

/* value NULL: it is the next word. */
static enum status apply(struct options *options, const struct option *option, const char *value, struct words *words) {
  const char *fault;
  char shown[64];
  (void)snprintf(shown, sizeof shown, "--%s", option->name);
  if (option->argument == NULL && value != NULL) {
    return refuse(options, "option", shown, "takes no value");
  }
  if (option->argument != NULL && value == NULL) {
    if (words->next == words->end) {
      return refuse(options, "option", shown, "expected a value");
    }
    value = *words->next++;
  }
  if (option->apply == NULL) {
    *(int *)((char *)options + option->flag) = 1;
    return STATUS_DONE;
  }
  fault = option->apply(options, value);
  return fault == NULL ? STATUS_DONE : refuse(options, shown, value, fault);
}

static enum status read_option(struct options *options, const char *word, struct words *words) {
  const int is_long = word[1] == '-';
  const size_t len = is_long ? strcspn(word + 2, "=") : 1;
  const char *rest = is_long ? word + 2 + len : word + 2;
  const struct option *option = is_long ? find_long(options, word + 2, len) : find_letter(options, word[1]);
  if (option == NULL) {
    return refuse(options, "unknown option", word, NULL);
  }
  if (*rest == '=') {
    rest++;
  } else if (is_long || *rest == '\0') {
    rest = NULL;
  }
  return apply(options, option, rest, words);
}

static enum status read_verb(const struct options *options, const char *word, const struct verb **verb) {
  for (size_t i = 0; i < n_verbs; i++) {
    if (strcmp(verbs[i].name, word) == 0) {
      *verb = &verbs[i];
      return STATUS_DONE;
    }
  }
  return refuse(options, "unknown verb", word, NULL);
}

static enum status read_words(struct options *options, struct words words) {
  enum status status = STATUS_DONE;
  int is_operand = 0; /* every word after "--" */
  while (status == STATUS_DONE && words.next < words.end) {
    const char *word = *words.next++;
    if (!is_operand && strcmp(word, "--") == 0) {
      is_operand = 1;
    } else if (!is_operand && word[0] == '-' && word[1] != '\0') {
      status = read_option(options, word, &words);
    } else if (options->verb == NULL) {
      status = read_verb(options, word, &options->verb);
    } else if ((options->verb->options & OPTIONS_HELP) != 0) {
      status = options->explained == NULL ? read_verb(options, word, &options->explained)
                                          : refuse(options, "unexpected verb", word, NULL);
    } else if ((options->verb->options & OPTIONS_BINDING) != 0 && options->object == NULL) {
      options->object = word;
    } else {
      options->files[options->n_files++] = word;
    }
  }
  return status;
}

/* ---- the command line ---- */

/* Checks the options of fmt. */
static enum status check_fmt(const struct options *options, size_t n_standard) {
  if (options->is_check && options->is_write) {
    return refuse(options, "--check and --write", NULL, "mutually exclusive");
  }
  if (options->is_write && n_standard > 0) {
    return refuse(options, "--write", NULL, "cannot overwrite standard input");
  }
  return STATUS_DONE;
}

static enum status check_plan(const struct options *options) {
  const rebal_plan_opts *opts = &options->plan.opts;
  const uint32_t both = REBAL_PLAN_FLAG_SURGE_GIVEN | REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN;
  const int is_least = opts->mode == REBAL_PLAN_MODE_LEAST;
  if (options->plan.is_verified && !is_least) {
    return refuse(options, "--verify", NULL, "requires --least");
  }
  if ((opts->flags & REBAL_PLAN_FLAG_TOLERANCE_GIVEN) != 0 && !is_least) {
    return refuse(options, "--tolerance", NULL, "requires --least");
  }
  if ((opts->flags & both) == both && opts->max_surge == 0 && opts->max_unavailable == 0) {
    return refuse(options, "--max-surge and --max-unavailable", NULL, "both are 0, so nothing can move");
  }
  return STATUS_DONE;
}

static enum status check(struct options *options) {
  size_t n_standard = 0;
  if (options->is_help_requested || options->is_version_requested) {
    return STATUS_DONE;
  }
  if (options->verb == NULL) {
    return refuse(options, "no verb given", NULL, NULL);
  }
  if ((options->verb->options & OPTIONS_HELP) != 0) {
    return STATUS_DONE;
  }
  if ((options->verb->options & OPTIONS_BINDING) != 0 && options->object == NULL) {
    return refuse(options, "no binding given", NULL, NULL);
  }
  if (options->n_files == 0 && options->verb->operands[0] == '[') {
    options->files[options->n_files++] = "-";
  }
  if (options->n_files == 0) {
    return refuse(options, "no file given", NULL, NULL);
  }
  if (options->verb->max_operands != 0 && options->n_files > options->verb->max_operands) {
    return refuse(options, "unexpected file", options->files[options->verb->max_operands], NULL);
  }
  for (size_t i = 0; i < options->n_files; i++) {
    n_standard += strcmp(options->files[i], "-") == 0;
  }
  if (n_standard > 1) {
    return refuse(options, "standard input", "-", "can be read only once");
  }
  if (options->verb->options & OPTIONS_FMT) {
    return check_fmt(options, n_standard);
  }
  if (options->record != NULL && options->n_members > 0) {
    return refuse(options, "--member and --record", NULL, "records do not contain the objects of members");
  }
  if (options->has_create + options->has_scale + options->is_rollout > 1) {
    return refuse(options, "--create, --scale and --rollout", NULL, "mutually exclusive");
  }
  if (check_plan(options) != STATUS_DONE) {
    return STATUS_USAGE;
  }
  if (options->is_all && options->is_write) {
    return refuse(options, "--all and --write", NULL, "bindings that are not due cannot be written");
  }
  if (options->states != NULL && strcmp(options->states, "-") == 0 && (options->is_watch || options->has_format)) {
    return refuse(options, "--states -", NULL, "standard output contains only the states");
  }
  if (options->is_watch && options->has_format) {
    return refuse(options, "--watch and --output", NULL, "--watch prints only a table");
  }
  if (options->is_write && options->has_format && options->format == FORMAT_TABLE) {
    return refuse(options, "--write", NULL, "does not support --output table");
  }
  return STATUS_DONE;
}

/* The time of the clock in whole seconds, as in Kubernetes. */
static rebal_time clock_now(void) {
  const time_t seconds = time(NULL);
  return (rebal_time){(int64_t)seconds, 0, 1};
}

enum status options_parse(struct options *options, int argc, char **argv) {
  const struct words words = {argc > 0 ? argv + 1 : argv, argv + argc};
  enum status status;
  memset(options, 0, sizeof *options);
  options->max_input = MAX_INPUT;
  options->files = malloc(((size_t)argc + 1) * sizeof *options->files);
  options->members = malloc(((size_t)argc + 1) * sizeof *options->members);
  options->plan.drained = malloc(((size_t)argc + 1) * sizeof *options->plan.drained);
  options->plan.lost = malloc(((size_t)argc + 1) * sizeof *options->plan.lost);
  if (options->files == NULL || options->members == NULL || options->plan.drained == NULL ||
      options->plan.lost == NULL || rebal_compat_new(NULL, &options->compat, NULL) != REBAL_OK) {
    return complain_of_memory();
  }
  status = read_words(options, words);
  if (!options->now.is_set) {
    options->now = clock_now();
  }
  status = status == STATUS_DONE ? open_directories(options) : status;
  return status == STATUS_DONE ? check(options) : status;
}

void options_dispose(struct options *options) {
  rebal_compat_free(options->compat);
  detector_words_dispose(&options->detector);
  for (size_t i = 0; i < options->n_made; i++) {
    free(options->made[i]);
  }
  free(options->made);
  free(options->files);
  free(options->members);
  free(options->plan.drained);
  free(options->plan.lost);
}
