/* SPDX-License-Identifier: MIT */
/* Reads files and standard input. */
#include "rebalancectl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536

static enum status complain_of_system(const struct file *file) {
  complain("%s: %s", file->name, strerror(errno));
  return STATUS_INPUT;
}

/* Makes space for at least one more byte by doubling the capacity, which never exceeds max by more than a byte. */
static int grow(struct file *file, size_t *capacity, size_t max) {
  size_t wanted = *capacity != 0 ? *capacity * 2 : CHUNK;
  char *bytes;
  if (wanted > max) {
    wanted = max + 1;
  }
  bytes = realloc(file->bytes, wanted);
  if (bytes == NULL) {
    return 0;
  }
  file->bytes = bytes;
  *capacity = wanted;
  return 1;
}

static enum status read_all(int descriptor, size_t max, struct file *file) {
  size_t capacity = 0;
  for (;;) {
    ssize_t got;
    if (file->len == capacity && !grow(file, &capacity, max)) {
      return complain_of_memory();
    }
    got = read(descriptor, file->bytes + file->len, capacity - file->len);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return complain_of_system(file);
    }
    if (got == 0) {
      return STATUS_DONE;
    }
    file->len += (size_t)got;
    if (file->len > max) {
      complain("%s: larger than %" PRIu64 " bytes (--max-input)", file->name, (uint64_t)max);
      return STATUS_INPUT;
    }
  }
}

static size_t in_memory(uint64_t max) {
  return max < SIZE_MAX / 4 ? (size_t)max : SIZE_MAX / 4;
}

enum status file_read(const char *name, uint64_t max, struct file *out) {
  const int is_standard = strcmp(name, "-") == 0;
  const int descriptor = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
  enum status status;
  *out = (struct file){is_standard ? "<stdin>" : name[0] != '\0' ? name : "\"\"", NULL, 0};
  if (descriptor < 0) {
    return complain_of_system(out);
  }
  if (is_standard) { /* which may be a terminal */
    progress_hide();
  }
  progress("reading %s", out->name);
  status = read_all(descriptor, in_memory(max), out);
  if (!is_standard) {
    (void)close(descriptor);
  }
  progress_show();
  return status;
}

void file_dispose(struct file *file) {
  free(file->bytes);
  file->bytes = NULL;
  file->len = 0;
}

rebal_manifest_limits input_limits(uint64_t max) {
  return (rebal_manifest_limits){sizeof(rebal_manifest_limits), 0, in_memory(max), 0, 0};
}
