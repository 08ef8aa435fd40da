/* SPDX-License-Identifier: MIT */
/* Field paths as error messages show them. */
#include "manifest/manifest.h"

#include <stdio.h>
#include <string.h>

/* A text truncated at a capacity; len is the untruncated length. */
struct cut {
  char *bytes;
  size_t capacity;
  size_t len;
};

struct rebali_path rebali_path_key(const struct rebali_path *parent, const char *key) {
  return (struct rebali_path){parent, key, 0};
}

struct rebali_path rebali_path_index(const struct rebali_path *parent, size_t index) {
  return (struct rebali_path){parent, NULL, index};
}

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Returns the length of the identifier at the start of a text; 0: there is none. */
static size_t match_identifier(const char *text) {
  size_t len = 0;
  while (is_letter(text[len]) || (len > 0 && ((text[len] >= '0' && text[len] <= '9') || text[len] == '-'))) {
    len++;
  }
  return len;
}

static int is_identifier(const char *key) {
  const size_t len = match_identifier(key);
  return len > 0 && key[len] == '\0';
}

/* Returns the escaped form of a character in a quoted key; buffer must have 8 bytes. */
static const char *escape(char c, char *buffer) {
  size_t len = 0;
  if ((unsigned char)c < 0x20) {
    (void)snprintf(buffer, 8, "\\u%04x", (unsigned)(unsigned char)c);
    return buffer;
  }
  if (c == '"' || c == '\\') {
    buffer[len++] = '\\';
  }
  buffer[len++] = c;
  buffer[len] = '\0';
  return buffer;
}

static void append(struct cut *cut, const char *text) {
  for (; *text != '\0'; text++, cut->len++) {
    if (cut->len < cut->capacity) {
      cut->bytes[cut->len] = *text;
    }
  }
}

static void append_step(struct cut *cut, const struct rebali_path *step) {
  char buffer[32];
  if (step->key == NULL) {
    (void)snprintf(buffer, sizeof buffer, "[%zu]", step->index);
    append(cut, buffer);
  } else if (is_identifier(step->key)) {
    append(cut, step->parent != NULL ? "." : "");
    append(cut, step->key);
  } else {
    append(cut, "[\"");
    for (const char *c = step->key; *c != '\0'; c++) {
      append(cut, escape(*c, buffer));
    }
    append(cut, "\"]");
  }
}

static const struct rebali_path *step_at(const struct rebali_path *last, size_t up) {
  while (up-- > 0) {
    last = last->parent;
  }
  return last;
}

size_t rebali_path_print(const struct rebali_path *path, char *buffer, size_t capacity) {
  struct cut cut = {buffer, capacity, 0};
  size_t steps = 0, end;
  for (const struct rebali_path *step = path; step != NULL; step = step->parent) {
    steps++;
  }
  for (size_t up = steps; up > 0; up--) {
    append_step(&cut, step_at(path, up - 1));
  }
  if (capacity == 0) {
    return cut.len;
  }
  end = cut.len < capacity ? cut.len : capacity - 1;
  while (cut.len >= capacity && end > 0 && ((unsigned char)buffer[end] & 0xC0) == 0x80) {
    end--;
  }
  buffer[end] = '\0';
  return cut.len;
}

void rebali_path_simplify(char *path) {
  const char *from = path;
  char *to = path;
  while (*from != '\0') {
    const size_t len = strncmp(from, "[\"", 2) == 0 ? match_identifier(from + 2) : 0;
    if (len == 0 || strncmp(from + 2 + len, "\"]", 2) != 0) {
      *to++ = *from++;
      continue;
    }
    if (to != path) {
      *to++ = '.';
    }
    memmove(to, from + 2, len);
    to += len;
    from += len + 4;
  }
  *to = '\0';
}

static int is_end_of_step(char c) {
  return c == '\0' || c == '.' || c == '[';
}

static size_t match_bare(const char *path, int first, const char *key) {
  const size_t dot = first ? 0 : 1, len = strlen(key);
  if ((!first && *path != '.') || !is_identifier(key)) {
    return 0;
  }
  return strncmp(path + dot, key, len) == 0 && is_end_of_step(path[dot + len]) ? dot + len : 0;
}

size_t rebali_path_match_key(const char *path, int first, const char *key) {
  char buffer[8];
  const char *at = path;
  const size_t bare = match_bare(path, first, key);
  if (bare != 0 || strncmp(at, "[\"", 2) != 0) {
    return bare;
  }
  at += 2;
  for (; *key != '\0'; key++) {
    const char *text = escape(*key, buffer);
    const size_t len = strlen(text);
    if (strncmp(at, text, len) != 0) {
      return 0;
    }
    at += len;
  }
  return strncmp(at, "\"]", 2) == 0 ? (size_t)(at - path) + 2 : 0;
}
