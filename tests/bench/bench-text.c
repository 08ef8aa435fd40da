/* SPDX-License-Identifier: MIT */
/*
 * The cost of text: the steps of `rebalancectl schedule` for 20,000 bindings and 500 clusters in one List, as JSON and
 * as YAML, with the most memory held up to the end of each step; then reading the same bytes with jansson and libyaml
 * alone. The steps are the tool's own functions. Nothing is asserted.
 */
#include "../../tools/rebalancectl.h"

#include "measure.h"
#include "objects.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>

#define CLUSTERS 500
#define BINDINGS 20000
#define ROUNDS 5
#define NOW 1773480600 /* 2026-03-14T09:30:00Z */

static void must(int is_fine, const char *what) {
  if (!is_fine) {
    (void)fprintf(stderr, "bench-text: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

/* ---- the files ---- */

static void write_json(const char *name) {
  FILE *file = fopen(name, "w");
  must(file != NULL, name);
  (void)fputs("{\"apiVersion\":\"v1\",\"items\":[", file);
  for (uint32_t i = 0; i < CLUSTERS; i++) {
    bench_write_cluster(file, i);
    (void)fputc(',', file);
  }
  for (uint32_t i = 0; i < BINDINGS; i++) {
    bench_write_binding(file, i, CLUSTERS);
    (void)fputs(i + 1 < BINDINGS ? "," : "],\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}\n", file);
  }
  must(fclose(file) == 0, name);
}

static void write_yaml(const char *json, const char *yaml) {
  FILE *file = fopen(yaml, "w");
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .format = REBAL_TEXT_FORMAT_YAML};
  struct file text;
  rebal_text *out;
  size_t len;
  const char *bytes;
  must(file != NULL && file_read(json, SIZE_MAX / 8, &text) == STATUS_DONE, json);
  must(rebal_text_new(&out, NULL) == REBAL_OK, "no memory");
  must(rebal_manifest_rewrite(text.bytes, text.len, &opts, out, NULL) == REBAL_OK, "rewriting");
  bytes = rebal_text_bytes(out, &len);
  must(fwrite(bytes, 1, len, file) == len && fclose(file) == 0, yaml);
  rebal_text_free(out);
  file_dispose(&text);
}

/* ---- the steps of the tool ---- */

/* The most memory this process has held, in bytes. */
static size_t peak_memory(void) {
  char line[256];
  size_t kib = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) {
      kib = (size_t)strtoul(line + 6, NULL, 10);
    }
  }
  must(file != NULL && fclose(file) == 0, "/proc/self/status");
  return kib * 1024;
}

struct stopwatch {
  int64_t start;
  size_t text; /* bytes */
};

static void report(struct stopwatch *watch, const char *step) {
  const int64_t now = bench_clock_ns();
  (void)printf("  %-8s %8.0f ms %8.2f times the text\n", step, (double)(now - watch->start) / 1e6,
               (double)peak_memory() / (double)watch->text);
  watch->start = bench_clock_ns();
}

static void run_steps(const char *name) {
  const struct options options = {
      .now = {NOW, 0, 1}, .max_input = SIZE_MAX / 8, .files = &name, .n_files = 1, .format = FORMAT_TABLE};
  struct stopwatch watch = {bench_clock_ns(), 0};
  struct world world;
  struct file text;
  struct output out;
  struct decision *decisions = NULL;
  uint32_t *objects;
  size_t n;
  FILE *sink = fopen("/dev/null", "w");
  must(file_read(name, options.max_input, &text) == STATUS_DONE, name);
  watch.text = text.len;
  report(&watch, "read");
  must(world_new(&world, &options) == STATUS_DONE, "no memory");
  must(rebal_store_load(world.store, text.bytes, text.len, NULL) == REBAL_OK, "parsing");
  file_dispose(&text);
  report(&watch, "parse");
  must(world_derive(&world, NULL, 0) == STATUS_DONE, "deriving");
  must(world_bindings(&world, &objects, &n) == STATUS_DONE && n == BINDINGS, "listing");
  must(world_feed(&world, objects, n) == STATUS_DONE, "feeding");
  report(&watch, "build");
  must(decide_fed(&world, objects, n, 0, 0, &decisions) == STATUS_DONE, "deciding");
  report(&watch, "decide");
  must(output_open(&out) == STATUS_DONE && report_unselected(&world) == STATUS_DONE, "no memory");
  must(decisions_write(&world, decisions, n, &out) == STATUS_DONE && !out.failed, "no memory");
  must(sink != NULL && fputs(rebal_text_bytes(out.text, NULL), sink) >= 0 && fclose(sink) == 0, "/dev/null");
  report(&watch, "write");
  output_close(&out);
  decisions_free(decisions, n);
  free(objects);
  world_close(&world);
}

/* ---- the libraries underneath ---- */

static void load_store(const struct file *text) {
  rebal_store *store = NULL;
  must(rebal_store_new(NULL, &store, NULL) == REBAL_OK, "no memory");
  must(rebal_store_load(store, text->bytes, text->len, NULL) == REBAL_OK, "parsing");
  rebal_store_free(store);
}

static void load_jansson(const struct file *text) {
  json_t *tree = json_loadb(text->bytes, text->len, JSON_REJECT_DUPLICATES, NULL);
  must(tree != NULL, "jansson");
  json_decref(tree);
}

static void load_yaml_events(const struct file *text) {
  yaml_parser_t parser;
  yaml_event_t event;
  int is_end;
  must(yaml_parser_initialize(&parser), "libyaml");
  yaml_parser_set_input_string(&parser, (const unsigned char *)text->bytes, text->len);
  do {
    must(yaml_parser_parse(&parser, &event), "libyaml");
    is_end = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  } while (!is_end);
  yaml_parser_delete(&parser);
}

static void load_yaml_document(const struct file *text) {
  yaml_parser_t parser;
  yaml_document_t document;
  must(yaml_parser_initialize(&parser), "libyaml");
  yaml_parser_set_input_string(&parser, (const unsigned char *)text->bytes, text->len);
  must(yaml_parser_load(&parser, &document), "libyaml");
  yaml_document_delete(&document);
  yaml_parser_delete(&parser);
}

struct reader {
  const char *name;
  void (*read)(const struct file *text);
};

static double time_of(const struct reader *reader, const struct file *text) {
  const int64_t start = bench_clock_ns();
  reader->read(text);
  return (double)(bench_clock_ns() - start);
}

/* Ours before each of theirs, so that both see the same machine. */
static void compare(const struct file *text, const struct reader *theirs) {
  static const struct reader ours = {"rebal_store_load", load_store};
  double times[ROUNDS], ratios[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    const double mine = time_of(&ours, text);
    times[i] = time_of(theirs, text);
    ratios[i] = mine / times[i];
  }
  (void)printf("  %-18s %8.0f ms, rebal_store_load %.2f times that\n", theirs->name, bench_median(times, ROUNDS) / 1e6,
               bench_median(ratios, ROUNDS));
}

static void compare_json(const char *name) {
  static const struct reader jansson = {"json_loadb", load_jansson};
  struct file text;
  must(file_read(name, SIZE_MAX / 8, &text) == STATUS_DONE, name);
  compare(&text, &jansson);
  file_dispose(&text);
}

static void compare_yaml(const char *name) {
  static const struct reader events = {"yaml_parser_parse", load_yaml_events};
  static const struct reader document = {"yaml_parser_load", load_yaml_document};
  struct file text;
  must(file_read(name, SIZE_MAX / 8, &text) == STATUS_DONE, name);
  compare(&text, &events);
  compare(&text, &document);
  file_dispose(&text);
}

/* ---- each part in a process of its own, so that its memory is its own ---- */

static void in_process(void (*part)(const char *name), const char *name) {
  int status;
  pid_t child;
  (void)fflush(stdout);
  child = fork();
  if (child == 0) {
    part(name);
    exit(EXIT_SUCCESS);
  }
  must(child > 0 && waitpid(child, &status, 0) == child && status == 0, name);
}

static void write_files(const char *json) {
  write_json(json);
  write_yaml(json, "objects.yaml");
}

int main(void) {
  char folder[] = "bench-text-XXXXXX"; /* in the working directory; holds 100 MB for a while */

  must(mkdtemp(folder) != NULL && chdir(folder) == 0, folder);
  in_process(write_files, "objects.json");
  (void)printf("%d bindings and %d clusters in a List of JSON\n", BINDINGS, CLUSTERS);
  in_process(run_steps, "objects.json");
  in_process(compare_json, "objects.json");
  (void)printf("the same in YAML\n");
  in_process(run_steps, "objects.yaml");
  in_process(compare_yaml, "objects.yaml");
  if (getenv("BENCH_KEEP") == NULL) {
    (void)unlink("objects.json");
    (void)unlink("objects.yaml");
    must(chdir("..") == 0 && rmdir(folder) == 0, folder);
  }
  return EXIT_SUCCESS;
}
