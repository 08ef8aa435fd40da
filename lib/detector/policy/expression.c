/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions for namespaces: those that RE2 and POSIX extended syntax read alike. All states are followed in
 * parallel, so the time is not exponential. The functions of libc are not used because they do not survive a failed
 * malloc.
 */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 10000
#define UNLIMITED (-1)

enum kind { KIND_SET, KIND_BEGIN, KIND_END, KIND_SPLIT, KIND_JUMP, KIND_MATCH };

/* Targets are relative to the step, so that blocks of steps can be moved and copied. */
struct rebali_expression_step {
  enum kind kind;
  int left, right;
  unsigned char set[32];
};

struct compiler {
  const char *at;
  struct rebali_expression *out;
  size_t capacity;
  int depth;
  int32_t result;
  rebal_error *err;
};

static void refuse(struct compiler *in) {
  if (in->result == REBAL_OK) {
    in->result = REBAL_EUNSUPPORTED;
  }
}

/* Inserts n free steps at an index; returns 0 if that failed. */
static int open_places(struct compiler *in, size_t at, size_t n) {
  struct rebali_expression *out = in->out;
  if (in->result == REBAL_OK && out->n + n > MOST_STEPS) {
    refuse(in);
  }
  if (in->result == REBAL_OK) {
    in->result = rebali_reserve_malloc(&out->steps, &in->capacity, out->n + n, sizeof *out->steps, in->err);
  }
  if (in->result != REBAL_OK) {
    return 0;
  }
  memmove(out->steps + at + n, out->steps + at, (out->n - at) * sizeof *out->steps);
  memset(out->steps + at, 0, n * sizeof *out->steps);
  out->n += n;
  return 1;
}

static void insert(struct compiler *in, size_t at, enum kind kind, int left, int right) {
  if (open_places(in, at, 1)) {
    in->out->steps[at].kind = kind;
    in->out->steps[at].left = left;
    in->out->steps[at].right = right;
  }
}

static void add(struct compiler *in, enum kind kind, int left, int right) {
  insert(in, in->out->n, kind, left, right);
}

/* ---- sets of characters ---- */

static void put(unsigned char *set, unsigned character) {
  set[character / 8] |= (unsigned char)(1u << character % 8);
}

static int has(const unsigned char *set, unsigned character) {
  return (set[character / 8] >> character % 8 & 1) != 0;
}

static void put_range(unsigned char *set, unsigned first, unsigned last) {
  for (unsigned i = first; i <= last; i++) {
    put(set, i);
  }
}

static const struct {
  const char *name, *ranges; /* pairs of first and last */
} classes[] = {{"alpha", "AZaz"},    {"digit", "09"},       {"alnum", "09AZaz"}, {"lower", "az"},
               {"upper", "AZ"},      {"punct", "!/:@[`{~"}, {"space", "\t\r  "}, {"blank", "\t\t  "},
               {"xdigit", "09AFaf"}, {"graph", "!~"},       {"print", " ~"}};

/* Reads [:name:]. */
static void read_class(struct compiler *in, unsigned char *set) {
  const char *name = in->at + 2, *end = strstr(name, ":]");
  for (size_t i = 0; end != NULL && i < REBALI_COUNT(classes); i++) {
    if (strlen(classes[i].name) == (size_t)(end - name) && strncmp(classes[i].name, name, (size_t)(end - name)) == 0) {
      for (const char *range = classes[i].ranges; *range != '\0'; range += 2) {
        put_range(set, (unsigned char)range[0], (unsigned char)range[1]);
      }
      in->at = end + 2;
      return;
    }
  }
  refuse(in);
}

/* Reads one character in brackets, or a range. */
static void read_range(struct compiler *in, unsigned char *set) {
  const unsigned first = (unsigned char)*in->at++;
  if (first == '[' || first == '\\') {
    refuse(in);
    return;
  }
  if (*in->at != '-' || in->at[1] == ']' || in->at[1] == '\0') {
    put(set, first);
  } else if ((unsigned char)in->at[1] < first || in->at[1] == '[' || in->at[1] == '\\') {
    refuse(in);
  } else {
    put_range(set, first, (unsigned char)in->at[1]);
    in->at += 2;
  }
}

static void read_brackets(struct compiler *in) {
  unsigned char set[32] = {0};
  const int is_inverse = in->at[1] == '^';
  const char *first;
  in->at += is_inverse ? 2 : 1;
  for (first = in->at; in->result == REBAL_OK && *in->at != '\0' && (*in->at != ']' || in->at == first);) {
    if (in->at[0] == '[' && in->at[1] == ':') {
      read_class(in, set);
    } else {
      read_range(in, set);
    }
  }
  if (*in->at != ']') {
    refuse(in);
    return;
  }
  in->at++;
  add(in, KIND_SET, 0, 0);
  for (size_t i = 0; in->result == REBAL_OK && i < sizeof set; i++) {
    in->out->steps[in->out->n - 1].set[i] = (unsigned char)(is_inverse ? ~set[i] : set[i]);
  }
}

static void add_characters(struct compiler *in, unsigned first, unsigned last) {
  add(in, KIND_SET, 0, 0);
  if (in->result == REBAL_OK) {
    put_range(in->out->steps[in->out->n - 1].set, first, last);
  }
}

/* ---- the grammar ---- */

static void read_choice(struct compiler *in);

/* Returns 1 if the atom may be repeated. */
static int read_atom(struct compiler *in) {
  const char character = *in->at;
  if (character == '(') {
    in->at++;
    if (*in->at == '?' || *in->at == '*' || ++in->depth > 50) {
      refuse(in);
      return 0;
    }
    read_choice(in);
    in->depth--;
    if (*in->at != ')') {
      refuse(in);
      return 0;
    }
    in->at++;
    return 1;
  }
  if (character == '[') {
    read_brackets(in);
    return 1;
  }
  if (strchr("*+?{})", character) != NULL || (unsigned char)character >= 0x80) {
    refuse(in);
    return 0;
  }
  in->at++;
  if (character == '^' || character == '$') {
    add(in, character == '^' ? KIND_BEGIN : KIND_END, 0, 0);
    return 0;
  }
  if (character == '.') {
    add_characters(in, 1, 255);
  } else if (character != '\\') {
    add_characters(in, (unsigned char)character, (unsigned char)character);
  } else if (*in->at != '\0' && strchr("\\.[]()*+?{}|^$", *in->at) != NULL) {
    add_characters(in, (unsigned char)*in->at, (unsigned char)*in->at);
    in->at++;
  } else {
    refuse(in);
  }
  return 1;
}

/* Appends a copy of the block of len steps from first on. */
static void copy_block(struct compiler *in, size_t first, size_t len) {
  const size_t at = in->out->n;
  if (open_places(in, at, len)) {
    memcpy(in->out->steps + at, in->out->steps + first, len * sizeof *in->out->steps);
  }
}

/* Repeats the block from first on at least `least` times, and at most `most` times. */
static void repeat(struct compiler *in, size_t first, int least, int most) {
  const size_t len = in->out->n - first;
  for (int i = 1; in->result == REBAL_OK && i < least; i++) {
    copy_block(in, first, len);
  }
  if (in->result == REBAL_OK && most == UNLIMITED && least > 0) {
    add(in, KIND_SPLIT, -(int)len, 1);
  } else if (in->result == REBAL_OK && most == UNLIMITED) {
    insert(in, first, KIND_SPLIT, 1, (int)len + 2);
    add(in, KIND_JUMP, -(int)len - 1, 0);
  } else if (in->result == REBAL_OK && most == 0) {
    in->out->n = first;
  } else {
    for (int i = least; in->result == REBAL_OK && i < most; i++) {
      if (i > 0) {
        copy_block(in, least > 0 ? first : first + 1, len); /* after the SPLIT of the first optional one */
      }
      insert(in, in->out->n - len, KIND_SPLIT, 1, (int)len + 1);
    }
  }
}

static int read_number(struct compiler *in) {
  int number = 0, digits = 0;
  for (; *in->at >= '0' && *in->at <= '9'; in->at++, digits++) {
    number = digits < 3 ? number * 10 + (*in->at - '0') : 1000;
  }
  if (digits == 0 || number > 99) {
    refuse(in);
  }
  return number;
}

/* Reads {n}, {n,} or {n,m}. */
static void read_bounds(struct compiler *in, size_t first) {
  int least, most;
  in->at++;
  least = read_number(in);
  most = least;
  if (*in->at == ',') {
    in->at++;
    most = *in->at == '}' ? UNLIMITED : read_number(in);
  }
  if (*in->at != '}' || (most != UNLIMITED && most < least)) {
    refuse(in);
    return;
  }
  in->at++;
  repeat(in, first, least, most);
}

static void read_repetition(struct compiler *in, size_t first) {
  if (*in->at == '{') {
    read_bounds(in, first);
  } else {
    const char sign = *in->at++;
    repeat(in, first, sign == '+', sign == '?' ? 1 : UNLIMITED);
  }
  if (*in->at != '\0' && strchr("*+?{", *in->at) != NULL) {
    refuse(in);
  }
}

/* Reads a sequence of atoms. */
static void read_sequence(struct compiler *in) {
  while (in->result == REBAL_OK && *in->at != '\0' && *in->at != '|' && *in->at != ')') {
    const size_t first = in->out->n;
    const int may_repeat = read_atom(in);
    if (in->result == REBAL_OK && *in->at != '\0' && strchr("*+?{", *in->at) != NULL) {
      if (may_repeat) {
        read_repetition(in, first);
      } else {
        refuse(in);
      }
    }
  }
}

static void read_choice(struct compiler *in) {
  const size_t first = in->out->n;
  size_t jump;
  read_sequence(in);
  if (in->result != REBAL_OK || *in->at != '|') {
    return;
  }
  in->at++;
  insert(in, first, KIND_SPLIT, 1, 0);
  jump = in->out->n;
  add(in, KIND_JUMP, 0, 0);
  if (++in->depth > 50) {
    refuse(in);
  }
  read_choice(in);
  in->depth--;
  if (in->result == REBAL_OK) {
    in->out->steps[first].right = (int)(jump + 1 - first);
    in->out->steps[jump].left = (int)(in->out->n - jump);
  }
}

/* ---- the two calls ---- */

int32_t rebali_expression_open(struct rebali_expression *out, const char *text, rebal_error *err) {
  struct compiler in = {.at = text, .out = out, .result = REBAL_OK, .err = err};
  *out = (struct rebali_expression){NULL, 0, NULL};
  read_choice(&in);
  if (*in.at != '\0') {
    refuse(&in);
  }
  add(&in, KIND_MATCH, 0, 0);
  if (in.result == REBAL_OK) {
    out->active = calloc(2, out->n);
    in.result = out->active != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  if (in.result == REBAL_EUNSUPPORTED) {
    (void)rebali_fail(err, REBAL_EUNSUPPORTED, -1, "only expressions that RE2 and POSIX read alike are supported: %s",
                      text);
  }
  if (in.result != REBAL_OK) {
    rebali_expression_close(out);
  }
  return in.result;
}

void rebali_expression_close(struct rebali_expression *expression) {
  free(expression->steps);
  free(expression->active);
  *expression = (struct rebali_expression){NULL, 0, NULL};
}

/*
 * Marks a step, and those reachable from it without a character; returns 1 if the end of the expression is reachable.
 */
static int mark(const struct rebali_expression *expression, unsigned char *active, size_t at, int is_begin,
                int is_end) {
  while (!active[at]) {
    const struct rebali_expression_step *step = &expression->steps[at];
    active[at] = 1;
    if (step->kind == KIND_MATCH) {
      return 1;
    }
    if (step->kind == KIND_SET || (step->kind == KIND_BEGIN && !is_begin) || (step->kind == KIND_END && !is_end)) {
      return 0;
    }
    if (step->kind == KIND_SPLIT && mark(expression, active, (size_t)((ptrdiff_t)at + step->right), is_begin, is_end)) {
      return 1;
    }
    at = step->kind == KIND_SPLIT || step->kind == KIND_JUMP ? (size_t)((ptrdiff_t)at + step->left) : at + 1;
  }
  return 0;
}

int rebali_expression_matches(const struct rebali_expression *expression, const char *text) {
  const size_t n = expression->n;
  unsigned char *now = expression->active, *next = now + n;
  memset(now, 0, n);
  for (size_t i = 0;; i++) {
    unsigned char *other = now;
    if (mark(expression, now, 0, i == 0, text[i] == '\0')) { /* a match may begin anywhere */
      return 1;
    }
    if (text[i] == '\0') {
      return 0;
    }
    memset(next, 0, n);
    for (size_t k = 0; k < n; k++) {
      if (now[k] && expression->steps[k].kind == KIND_SET && has(expression->steps[k].set, (unsigned char)text[i]) &&
          mark(expression, next, k + 1, 0, text[i + 1] == '\0')) {
        return 1;
      }
    }
    now = next;
    next = other;
  }
}
