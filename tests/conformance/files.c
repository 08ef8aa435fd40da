/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* opendir, stat */
#include "conformance.h"

#include <dirent.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int ends_with(const char *text, const char *ending) {
  const size_t len = strlen(text);
  const size_t end = strlen(ending);

  return len >= end && strcmp(text + len - end, ending) == 0;
}

struct bytes {
  unsigned char *data;
  size_t len;
};

static int read_raw(const char *path, struct bytes *out) {
  FILE *file = fopen(path, "rb");
  long size;

  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0) {
    if (file != NULL) {
      (void)fclose(file);
    }
    return 1;
  }
  out->len = (size_t)size;
  out->data = malloc(out->len + 1);
  if (out->data != NULL && fread(out->data, 1, out->len, file) != out->len) {
    free(out->data);
    out->data = NULL;
  }
  (void)fclose(file);
  return out->data == NULL;
}

/* The unpacked bytes, with capacity for a terminator. */
static int unpack(const struct bytes *packed, struct bytes *out) {
  lzma_stream stream = LZMA_STREAM_INIT;
  lzma_ret state = lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED);
  size_t capacity = packed->len * 16 + 65536;

  out->data = malloc(capacity);
  out->len = 0;
  stream.next_in = packed->data;
  stream.avail_in = packed->len;
  while (out->data != NULL && state == LZMA_OK) {
    if (out->len + 1 >= capacity) {
      unsigned char *grown = realloc(out->data, capacity *= 2);

      if (grown == NULL) {
        break;
      }
      out->data = grown;
    }
    stream.next_out = out->data + out->len;
    stream.avail_out = capacity - out->len - 1;
    state = lzma_code(&stream, LZMA_FINISH);
    out->len = capacity - stream.avail_out - 1;
  }
  lzma_end(&stream);
  return state != LZMA_STREAM_END;
}

char *file_read(const char *path, size_t *len) {
  struct bytes raw = {NULL, 0};
  struct bytes plain = {NULL, 0};
  int failure = read_raw(path, &raw);

  if (!failure && ends_with(path, ".xz")) {
    failure = unpack(&raw, &plain);
    free(raw.data);
    raw = plain;
  }
  if (failure) {
    (void)fprintf(stderr, "conformance: %s cannot be read\n", path);
    free(raw.data);
    return NULL;
  }
  raw.data[raw.len] = '\0';
  *len = raw.len;
  return (char *)raw.data;
}

static int walk_entry(const char *folder, const char *name, file_visit visit, void *user_data) {
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  struct stat info;
  int result = 1;

  if (path != NULL) {
    (void)snprintf(path, size, "%s/%s", folder, name);
    result = stat(path, &info) == 0 && S_ISDIR(info.st_mode)             ? files_walk(path, visit, user_data)
             : ends_with(name, ".jsonl") || ends_with(name, ".jsonl.xz") ? visit(path, user_data)
                                                                         : 0;
  }
  free(path);
  return result;
}

struct names {
  char **names;
  size_t n;
  size_t capacity;
};

static int add_name(struct names *names, const char *name) {
  const size_t size = strlen(name) + 1;
  char *copy;

  if (names->n == names->capacity) {
    const size_t capacity = 2 * names->capacity + 16;
    char **grown = realloc(names->names, capacity * sizeof *grown);

    if (grown == NULL) {
      return 1;
    }
    names->names = grown;
    names->capacity = capacity;
  }
  copy = malloc(size);
  if (copy == NULL) {
    return 1;
  }
  names->names[names->n++] = memcpy(copy, name, size);
  return 0;
}

static int compare_names(const void *one, const void *other) {
  return strcmp(*(char *const *)one, *(char *const *)other);
}

/* What a folder has, but hidden entries, by name; scandir() is not everywhere. */
static int list_folder(const char *path, struct names *names) {
  DIR *folder = opendir(path);
  const struct dirent *entry;
  int result = folder == NULL;

  while (result == 0 && (entry = readdir(folder)) != NULL) {
    result = entry->d_name[0] != '.' && add_name(names, entry->d_name) != 0;
  }
  if (folder != NULL) {
    (void)closedir(folder);
  }
  if (names->n > 0) {
    qsort(names->names, names->n, sizeof names->names[0], compare_names);
  }
  return result;
}

int files_walk(const char *path, file_visit visit, void *user_data) {
  struct names names = {NULL, 0, 0};
  struct stat info;
  int result;

  if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode)) {
    return visit(path, user_data);
  }
  result = list_folder(path, &names);
  if (result != 0) {
    (void)fprintf(stderr, "conformance: %s cannot be read\n", path);
  }
  for (size_t i = 0; i < names.n; i++) {
    if (result == 0) {
      result = walk_entry(path, names.names[i], visit, user_data);
    }
    free(names.names[i]);
  }
  free(names.names);
  return result;
}
