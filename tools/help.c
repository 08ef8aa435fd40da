/* SPDX-License-Identifier: MIT */
/* What --help prints, made from the tables of verbs and options. */
#include "rebalancectl.h"

#include <stdio.h>
#include <string.h>

static const struct compat_option {
  const char *name, *summary;
} compat_options[] = {
#define REBAL_OPTION(name, number, absent, text, meaning) {text, meaning},
#include <rebalance/options.def>
#undef REBAL_OPTION
};

const char *compat_option_name(size_t index) {
  return index < sizeof compat_options / sizeof compat_options[0] ? compat_options[index].name : NULL;
}

const char *level_name(size_t index) {
  return rebal_enum_name(REBAL_ENUM_LEVEL, (int64_t)index + 1, NULL);
}

/* left, then len bytes of right from a column on. */
static void put_line(struct output *out, const char *left, const char *right, size_t len) {
  put(out, "  ");
  put(out, left);
  for (size_t width = strlen(left); width < 30; width++) {
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

/* Which verbs read which options; simulate reads all. A word that ends in a dash stands for all that begin so. */
static const struct {
  const char *verbs, *options;
} readers[] = {
    {"schedule explain rebalance",
     "gate-resource-models gate-workload-affinity gate-multiple-pod-templates gate-overcommit-protection "
     "gate-resource-quota strict-nil-empty int32-wrap empty-workload-propagation cluster-locality "
     "estimator-all-or-nothing static-weight-capacity partial-placement strict-eviction"},
    {"deschedule", "estimator-all-or-nothing"},
    {"failover", "gate-stateful-failover gate-graceful-eviction empty-is-healthy strict-eviction"},
    {"spread", "spread-"},
};

static int has_word(const char *words, const char *word) {
  for (size_t len; *words != '\0'; words += len + (words[len] == ' ')) {
    len = strcspn(words, " ");
    if (strncmp(words, word, len) == 0 && (word[len] == '\0' || words[len - 1] == '-')) {
      return 1;
    }
  }
  return 0;
}

static int reads(const struct verb *verb, const char *option) {
  for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
    if (has_word(readers[i].verbs, verb->name)) {
      return has_word(readers[i].options, option);
    }
  }
  return 1;
}

static void put_compat_options(const struct verb *verb, struct output *out) {
  put(out, "\nCompatibility options:\n");
  for (size_t i = 0; compat_option_name(i) != NULL; i++) {
    const char *summary = compat_options[i].summary;
    if (!reads(verb, compat_option_name(i))) {
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
                        : "Says where the replicas of Kubernetes workloads go in a fleet of clusters. "
                          "FILE - is standard input.\n");
  if (verb == NULL) {
    put_verbs(out);
  }
  put_options(out, OPTIONS_ANY | (verb != NULL ? verb->options : 0));
  if (verb != NULL && (verb->options & OPTIONS_COMPAT) != 0) {
    put_compat_options(verb, out);
    put_levels(out);
  }
  put(out, "\nExit: 0 done, 1 something does not fit or does not hold, 2 usage, 3 bad input.\n");
}

enum status help_run(const struct options *options, struct output *out) {
  help_write(options->explained, out);
  return STATUS_DONE;
}
