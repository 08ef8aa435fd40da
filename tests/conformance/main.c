/* SPDX-License-Identifier: MIT */
/*
 * conformance [--kind KIND] [--cache SIZE] [--rules FILE] [--answers FILE] [--by-rule FILE] PATH...:
 * see tests/conformance/README.md
 */
#include "conformance.h"

#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
  size_t passed;
  size_t failed;
  size_t by_rule;
  size_t skipped;
};

struct session {
  struct conformance run;
  const char *only_kind; /* NULL: all */
  FILE *answers;         /* NULL: not wanted */
  FILE *by_rule;         /* the answers of cases that pass by a rule; NULL: not wanted */
  struct rules *rules;
  struct tally all;
};

/* ---- one case ---- */

static json_t *blurred(const struct kind *kind, const json_t *outcome, const json_t *test) {
  json_t *copy = json_deep_copy(outcome);

  if (kind->blur != NULL) {
    kind->blur(copy, test);
  }
  return copy;
}

/* The one outcome that passes, where the order of the input decides it; else NULL. */
static json_t *only_outcome(const struct conformance *run, const json_t *test) {
  json_t *ordered = json_object_get(test, "ordered");
  const int is_open = run->orders_itself && json_object_get(test, "accept") != NULL;

  if (ordered != NULL || is_open || array_has(json_object_get(test, "tags"), "map-dependent")) {
    return ordered;
  }
  return json_object_get(test, "expect");
}

/* What passes: that one; else the recorded outcomes, that of a stable sort, or the recorded error with any text. */
static json_t *accepted_outcomes(const struct conformance *run, const json_t *test) {
  const json_t *error = json_object_get(test, "error");
  json_t *accepted = json_array();
  const json_t *message;
  size_t i;

  if (only_outcome(run, test) != NULL) {
    (void)json_array_append(accepted, only_outcome(run, test));
    return accepted;
  }
  (void)json_array_extend(accepted, json_object_get(test, "accept"));
  (void)json_array_append(accepted, json_object_get(test, "stable"));
  if (json_object_get(error, "message") != NULL) {
    (void)json_array_append_new(accepted, json_pack("{s:O}", "error", error));
  }
  json_array_foreach(json_object_get(error, "messages"), i, message) {
    (void)json_array_append_new(
        accepted, json_pack("{s:{s:O, s:O}}", "error", "kind", json_object_get(error, "kind"), "message", message));
  }
  if (json_array_size(accepted) == 0) {
    (void)json_array_append_new(accepted, json_pack("{s:O}", "error", error));
  }
  return accepted;
}

static int is_accepted(const struct conformance *run, const struct kind *kind, const json_t *outcome) {
  const json_t *test = run->test;
  json_t *ours = blurred(kind, outcome, test);
  json_t *outcomes = accepted_outcomes(run, test);
  const json_t *entry;
  int accepted = 0;
  size_t i;

  json_array_foreach(outcomes, i, entry) {
    json_t *theirs = blurred(kind, entry, test);

    accepted |= json_equal(ours, theirs);
    json_decref(theirs);
  }
  json_decref(outcomes);
  json_decref(ours);
  return accepted;
}

static void report_failure(const struct conformance *run, const json_t *test, const json_t *outcome) {
  json_t *outcomes = accepted_outcomes(run, test);
  char *expected = json_dumps(outcomes, JSON_COMPACT | JSON_SORT_KEYS);
  char *got = outcome == NULL ? NULL : json_dumps(outcome, JSON_COMPACT | JSON_SORT_KEYS);

  (void)printf("FAIL %s: expected %s, got %s%s%s\n", text_at(test, "id"), expected == NULL ? "?" : expected,
               got == NULL ? "no outcome: " : got, run->fault == NULL ? "" : run->fault,
               got == NULL && run->fault == NULL ? run->err.message : "");
  json_decref(outcomes);
  free(expected);
  free(got);
}

/* One line with the outcome of a case, so that two runs can be compared byte for byte. */
static void write_answer(FILE *answers, const json_t *test, const json_t *outcome) {
  char *text = outcome == NULL ? NULL : json_dumps(outcome, JSON_COMPACT | JSON_SORT_KEYS);

  (void)fprintf(answers, "%s %s\n", text_at(test, "id"), text == NULL ? "-" : text);
  free(text);
}

static void run_case(struct session *session, const struct kind *kind, const json_t *test, struct tally *tally) {
  struct conformance *run = &session->run;
  json_t *outcome;

  run->test = test;
  run->orders_itself = 0;
  run->skip = NULL;
  run->fault = NULL;
  run->err = (rebal_error)REBAL_ERROR_INIT;
  outcome = kind->run(run, json_object_get(test, "input"));
  if (session->answers != NULL) {
    write_answer(session->answers, test, outcome);
  }
  if (outcome == NULL && run->skip != NULL) {
    tally->skipped++;
  } else if (outcome != NULL && is_accepted(run, kind, outcome)) {
    tally->passed++;
  } else if (outcome != NULL && rules_allow(session->rules, kind->name, test, outcome)) {
    tally->by_rule++;
    if (session->by_rule != NULL) {
      write_answer(session->by_rule, test, outcome);
    }
  } else {
    tally->failed++;
    report_failure(run, test, outcome);
  }
  json_decref(outcome);
}

/* ---- one file ---- */

static void run_line(struct session *session, const struct kind *kind, const char *line, size_t len,
                     struct tally *tally) {
  json_error_t error;
  json_t *test;

  if (kind == NULL) {
    tally->skipped++;
    return;
  }
  test = json_loadb(line, len, 0, &error);
  if (test == NULL) {
    (void)printf("FAIL a case is not JSON: %s\n", error.text);
    tally->failed++;
    return;
  }
  run_case(session, kind, test, tally);
  json_decref(test);
}

static void add_tally(struct tally *sum, const struct tally *part) {
  sum->passed += part->passed;
  sum->failed += part->failed;
  sum->by_rule += part->by_rule;
  sum->skipped += part->skipped;
}

static void print_tally(const char *start, const struct tally *tally) {
  (void)printf("%s%zu passed, %zu failed, %zu by rule, %zu skipped\n", start, tally->passed, tally->failed,
               tally->by_rule, tally->skipped);
}

static int run_file(const char *path, void *user_data) {
  struct session *session = user_data;
  const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
  const int name_len = (int)strcspn(name, ".");
  struct tally tally = {0, 0, 0, 0};
  char label[96];
  size_t len;
  char *text;
  char *line;

  if (session->only_kind != NULL &&
      (strlen(session->only_kind) != (size_t)name_len || strncmp(session->only_kind, name, (size_t)name_len) != 0)) {
    return 0;
  }
  text = file_read(path, &len);
  if (text == NULL) {
    return 1;
  }
  for (line = text; *line != '\0'; line += *line == '\n') {
    const size_t line_len = strcspn(line, "\n");

    if (line_len != 0) {
      run_line(session, kind_find(name, (size_t)name_len), line, line_len, &tally);
    }
    line += line_len;
  }
  free(text);
  (void)snprintf(label, sizeof label, "%.*s: ", name_len, name);
  print_tally(label, &tally);
  add_tally(&session->all, &tally);
  return 0;
}

/* ---- arguments ---- */

/* Sets the size of the cache by its name; 1 for an unknown one. */
static int choose_cache(const char *name, rebal_ctx_opts *opts) {
  opts->struct_size = (uint32_t)sizeof *opts;
  if (strcmp(name, "none") == 0) {
    opts->flags = REBAL_CTX_FLAG_NO_CACHE;
  } else if (strcmp(name, "one") == 0) {
    opts->cache_max_entries = 1;
  } else if (strcmp(name, "unlimited") == 0) {
    opts->cache_max_bytes = UINT64_MAX;
  } else {
    return 1;
  }
  return 0;
}

/* Opens a file to write answers to; 0 when it cannot be. */
static int open_answers(const char *path, FILE **answers) {
  *answers = fopen(path, "w");
  if (*answers == NULL) {
    perror(path);
  }
  return *answers != NULL;
}

/* Returns 0 if the answers could not be written. */
static int close_answers(FILE *answers) {
  if (answers != NULL && fclose(answers) != 0) {
    perror("answers");
    return 0;
  }
  return 1;
}

/* Position of the first path, or 0 when the arguments are wrong. */
static int read_options(struct session *session, int argc, char **argv, rebal_ctx_opts *opts) {
  int i;

  for (i = 1; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    if (strcmp(argv[i], "--kind") == 0) {
      session->only_kind = argv[i + 1];
    } else if (strcmp(argv[i], "--rules") == 0 && session->rules == NULL) {
      session->rules = rules_load(argv[i + 1]);
      if (session->rules == NULL) {
        return 0;
      }
    } else if (strcmp(argv[i], "--answers") == 0 && session->answers == NULL) {
      if (!open_answers(argv[i + 1], &session->answers)) {
        return 0;
      }
    } else if (strcmp(argv[i], "--by-rule") == 0 && session->by_rule == NULL) {
      if (!open_answers(argv[i + 1], &session->by_rule)) {
        return 0;
      }
    } else if (strcmp(argv[i], "--cache") != 0 || choose_cache(argv[i + 1], opts)) {
      return 0;
    }
  }
  return i < argc && strncmp(argv[i], "--", 2) != 0 ? i : 0;
}

static int run_paths(struct session *session, int argc, char **argv, int first) {
  int result = 0;
  int i;

  for (i = first; i < argc; i++) {
    result |= files_walk(argv[i], run_file, session);
  }
  print_tally("", &session->all);
  /* A run that compared nothing proves nothing. */
  return result || session->all.failed != 0 || session->all.passed == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  struct session session = {.only_kind = NULL};
  struct conformance *run = &session.run;
  rebal_ctx_opts opts = {0};
  int result = EXIT_FAILURE;
  int first;

  (void)choose_cache("unlimited", &opts);
  first = read_options(&session, argc, argv, &opts);
  if (first == 0) {
    (void)fprintf(
        stderr,
        "usage: %s [--kind KIND] [--cache none|one|unlimited] [--rules FILE] [--answers FILE] [--by-rule FILE] "
        "PATH...\n",
        argv[0]);
  } else if (rebal_ctx_new(NULL, &opts, &run->ctx, NULL) == REBAL_OK &&
             rebal_builder_new(NULL, &run->builder, NULL) == REBAL_OK &&
             rebal_result_new(NULL, &run->result, NULL) == REBAL_OK) {
    result = run_paths(&session, argc, argv, first);
  }
  if (!close_answers(session.answers) || !close_answers(session.by_rule)) {
    result = EXIT_FAILURE;
  }
  rebal_result_free(run->result);
  rebal_builder_free(run->builder);
  rebal_ctx_free(run->ctx);
  rules_free(session.rules);
  return result;
}
