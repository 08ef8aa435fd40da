/* SPDX-License-Identifier: MIT */
/* Replaces a directory by its files ending in .yaml, .yml and .json, in the byte order of their names. */
#include "rebalancectl.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_directory(const char *name) {
  struct stat about;
  return strcmp(name, "-") != 0 && stat(name, &about) == 0 && S_ISDIR(about.st_mode);
}

static int holds_objects(const char *name) {
  static const char *const endings[] = {".yaml", ".yml", ".json"};
  const size_t len = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    const size_t ending = strlen(endings[i]);
    if (len >= ending && strcmp(name + len - ending, endings[i]) == 0) {
      return 1;
    }
  }
  return 0;
}

static enum status add_file(struct options *options, const char *name) {
  const char **files = realloc(options->files, (options->n_files + 1) * sizeof *files);
  if (files == NULL) {
    return complain_of_memory();
  }
  options->files = files;
  options->files[options->n_files++] = name;
  return STATUS_DONE;
}

/* Keeps the name, which may be NULL, until the options are closed. */
static enum status keep(struct options *options, char *name) {
  char **made = name != NULL ? realloc(options->made, (options->n_made + 1) * sizeof *made) : NULL;
  if (made == NULL) {
    free(name);
    return complain_of_memory();
  }
  options->made = made;
  options->made[options->n_made++] = name;
  return STATUS_DONE;
}

static char *join(const char *directory, const char *name) {
  const size_t len = strlen(directory);
  const char *slash = len > 0 && directory[len - 1] == '/' ? "" : "/";
  char *path = malloc(len + strlen(name) + 2);
  if (path != NULL) {
    (void)sprintf(path, "%s%s%s", directory, slash, name);
  }
  return path;
}

static int compare(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static enum status add_directory(struct options *options, const char *directory) {
  const size_t first = options->n_files;
  DIR *entries = opendir(directory);
  const struct dirent *entry;
  enum status status = STATUS_DONE;
  if (entries == NULL) {
    complain("%s: %s", directory, strerror(errno));
    return STATUS_INPUT;
  }
  while (status == STATUS_DONE && (entry = readdir(entries)) != NULL) {
    if (holds_objects(entry->d_name)) {
      char *name = join(directory, entry->d_name);
      status = keep(options, name);
      if (status == STATUS_DONE && !is_directory(name)) {
        status = add_file(options, name);
      }
    }
  }
  (void)closedir(entries);
  if (status == STATUS_DONE && options->n_files == first) {
    complain("%s: the directory contains no .yaml, .yml or .json file", directory);
    return STATUS_INPUT;
  }
  if (status == STATUS_DONE) {
    qsort(options->files + first, options->n_files - first, sizeof *options->files, compare);
  }
  return status;
}

enum status open_directories(struct options *options) {
  const char **given = options->files;
  const size_t n = options->n_files;
  enum status status;
  options->files = malloc(sizeof *options->files); /* of capacity 1 if none is given: for standard input */
  options->n_files = 0;
  status = options->files != NULL ? STATUS_DONE : complain_of_memory();
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    status = is_directory(given[i]) ? add_directory(options, given[i]) : add_file(options, given[i]);
  }
  free(given);
  return status;
}
