/* SPDX-License-Identifier: MIT */
/* Replays inputs through a fuzz target without a fuzzer: each argument is a file, or a folder of files. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long replayed;

static int fail(const char *path, const char *what) {
  fprintf(stderr, "%s: %s\n", path, what);
  return 0;
}

/* The input is in a block of exactly its size, so that reading beyond it is detected. */
static int replay_bytes(const char *path, FILE *file, size_t size) {
  uint8_t *bytes = malloc(size > 0 ? size : 1);
  int is_ok = bytes != NULL && fread(bytes, 1, size, file) == size;
  if (is_ok) {
    (void)LLVMFuzzerTestOneInput(bytes, size);
    replayed++;
  }
  free(bytes);
  return is_ok ? 1 : fail(path, "cannot be read");
}

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  long size;
  int is_ok;
  if (file == NULL) {
    return fail(path, "cannot be opened");
  }
  size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  is_ok = size >= 0 && fseek(file, 0, SEEK_SET) == 0;
  is_ok = is_ok ? replay_bytes(path, file, (size_t)size) : fail(path, "cannot be measured");
  (void)fclose(file);
  return is_ok;
}

static int replay_folder(const char *path, DIR *folder) {
  const struct dirent *entry;
  int is_ok = 1;
  while ((entry = readdir(folder)) != NULL) {
    char inner[4096];
    if (entry->d_name[0] == '.') {
      continue;
    }
    if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner) {
      return fail(path, "name is too long");
    }
    is_ok = replay_file(inner) && is_ok;
  }
  return is_ok;
}

static int replay(const char *path) {
  DIR *folder = opendir(path);
  int is_ok;
  if (folder == NULL) {
    return replay_file(path);
  }
  is_ok = replay_folder(path, folder);
  (void)closedir(folder);
  return is_ok;
}

int main(int argc, char **argv) {
  int is_ok = 1;
  for (int i = 1; i < argc; i++) {
    is_ok = replay(argv[i]) && is_ok;
  }
  if (replayed == 0) {
    is_ok = fail(argv[0], "no input was found");
  }
  printf("%ld inputs replayed\n", replayed);
  return is_ok ? 0 : 1;
}
