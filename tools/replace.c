/* SPDX-License-Identifier: MIT */
/* Replaces files atomically. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "rebalancectl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IRREGULAR 0 /* not an errno: a pipe or device, which the new file would replace */

static enum status complain_of_name(const char *name) {
  complain("%s: %s", name, errno == IRREGULAR ? "not a regular file" : strerror(errno));
  return STATUS_INPUT;
}

static int write_all(int descriptor, const char *bytes, size_t len) {
  while (len > 0) {
    const ssize_t written = write(descriptor, bytes, len);
    if (written < 0 && errno != EINTR) {
      return 0;
    }
    bytes += written > 0 ? written : 0;
    len -= written > 0 ? (size_t)written : 0;
  }
  return 1;
}

/* Writes a new file with the permissions and owner of the old one, and renames it to the old one. */
static int replace(const char *path, char *beside, const char *bytes, size_t len) {
  struct stat old;
  int descriptor, is_done;
  if (stat(path, &old) != 0) {
    return 0;
  }
  if (!S_ISREG(old.st_mode)) {
    errno = IRREGULAR;
    return 0;
  }
  descriptor = mkstemp(beside);
  if (descriptor < 0) {
    return 0;
  }
  is_done = fchown(descriptor, old.st_uid, old.st_gid) == 0; /* without the privilege to change the owner it stays */
  is_done = fchmod(descriptor, old.st_mode & 07777) == 0 && write_all(descriptor, bytes, len);
  is_done = close(descriptor) == 0 && is_done;
  if (is_done && rename(beside, path) == 0) {
    return 1;
  }
  is_done = errno;
  (void)unlink(beside);
  errno = is_done;
  return 0;
}

enum status file_replace(const char *name, const char *bytes, size_t len) {
  char *path = realpath(name, NULL); /* keeps a symbolic link */
  const size_t size = path != NULL ? strlen(path) + sizeof ".XXXXXX" : 0;
  char *beside = path != NULL ? malloc(size) : NULL;
  enum status status = STATUS_DONE;
  if (beside != NULL) {
    (void)snprintf(beside, size, "%s.XXXXXX", path);
  }
  if (beside == NULL || !replace(path, beside, bytes, len)) {
    status = complain_of_name(name);
  }
  free(beside);
  free(path);
  return status;
}
