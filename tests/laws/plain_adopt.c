/* SPDX-License-Identifier: MIT */
/* Limits, and the score of a node for a subset, by the definitions of rebalance-workloadspread(7) 2 and 4.1. */
#include "spreads.h"

#include <stdlib.h>
#include <string.h>

/* ---- limits (2.1) ------------------------------------------------------------------------------------------------ */

static int read_percent(const char *text, size_t len, int64_t replicas, int64_t *out) {
  char digits[16];
  char *end;
  int64_t product;

  if (len == 0 || len >= sizeof digits) {
    return 0;
  }
  memcpy(digits, text, len);
  digits[len] = '\0';
  product = strtoll(digits, &end, 10) * replicas;
  if (*end != '\0') {
    return 0;
  }
  *out = product / 100 + (product > 0 && product % 100 != 0);
  return 1;
}

int plain_scaled(const struct spread_limit *limit, int64_t replicas, int64_t *out) {
  const size_t len = limit->text == NULL ? 0 : strlen(limit->text);

  *out = limit->number;
  return limit->text == NULL ||
         (len != 0 && limit->text[len - 1] == '%' && read_percent(limit->text, len - 1, replicas, out));
}

int plain_legacy(const struct spread_limit *limit, int64_t replicas, int64_t *out) {
  const size_t len = limit->text == NULL ? 0 : strcspn(limit->text, "%");

  *out = limit->number;
  return limit->text == NULL || read_percent(limit->text, len, replicas, out);
}

/* ---- terms (2.7) ------------------------------------------------------------------------------------------------- */

/* The value of a label, in words "key=value"; its length is -1 when there is none. */
static const char *find_label(const char *labels, const char *key, int *len) {
  const size_t key_len = strlen(key);

  *len = -1;
  for (const char *at = labels; *at != '\0'; at += *at == ' ') {
    const size_t word = strcspn(at, " ");

    if (word > key_len && at[key_len] == '=' && strncmp(at, key, key_len) == 0) {
      *len = (int)(word - key_len - 1);
      return at + key_len + 1;
    }
    at += word;
  }
  return "";
}

/* Are all characters of a number's text digits? */
static int is_number(const char *text, int len) {
  return len > 0 && (int)strspn(text, "0123456789") >= len;
}

static int expression_holds(const struct spread_term *term, const char *labels) {
  int len;
  const char *value = find_label(labels, term->key, &len);
  const int is_equal = len == (int)strlen(term->value) && strncmp(value, term->value, strlen(term->value)) == 0;
  const int is_compared = is_number(value, len) && is_number(term->value, (int)strlen(term->value));

  switch (term->operator[0]) {
    case 'I':
      return is_equal;
    case 'N':
      return !is_equal;
    case 'E':
      return len >= 0;
    case 'D':
      return len < 0;
    case 'G':
      return is_compared && atoi(value) > atoi(term->value);
    default:
      return is_compared && atoi(value) < atoi(term->value);
  }
}

/* Both terms combined, either of which may be absent or have no expression. */
static int terms_hold(uint32_t left, uint32_t right, const char *labels) {
  const uint32_t both[] = {left, right};
  int n = 0;

  for (size_t i = 0; i < 2; i++) {
    if (spread_terms[both[i]].key != NULL) {
      if (!expression_holds(&spread_terms[both[i]], labels)) {
        return 0;
      }
      n++;
    }
  }
  return n != 0;
}

static int is_required(const struct spread_claim *claim, uint32_t required, const char *labels) {
  int n = 0;

  if (required == 0) {
    return 1;
  }
  for (size_t i = 0; i < 2; i++) {
    if (claim->terms[i] != 0) {
      n++;
      if (terms_hold(claim->terms[i], required, labels)) {
        return 1;
      }
    }
  }
  return n == 0 && terms_hold(required, 0, labels);
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

static int tolerates(uint32_t toleration, const struct spread_taint *taint) {
  const struct spread_toleration *by = &spread_tolerations[toleration];

  return toleration != 0 && (by->effect[0] == '\0' || strcmp(by->effect, taint->effect) == 0) &&
         (by->key[0] == '\0' || strcmp(by->key, taint->key) == 0) &&
         (strcmp(by->operator, "Exists") == 0 || strcmp(by->value, taint->value) == 0);
}

int64_t plain_preference(const struct spread_case *drawn, const struct spread_pod *pod,
                         const struct spread_subset *subset) {
  const struct spread_node *node = &drawn->nodes[pod->node];
  const struct spread_claim *claim = &spread_claims[pod->claim];
  const struct spread_taint *taint = &spread_taints[node->taint];
  int64_t sum = 0;

  if (node->taint != 0 && !tolerates(claim->toleration, taint) && !tolerates(subset->toleration, taint)) {
    return -1;
  }
  if (!is_required(claim, subset->required, node->labels)) {
    return -1;
  }
  for (size_t i = 0; i < 2; i++) {
    if (subset->preferred[i] != 0 && terms_hold(subset->preferred[i], 0, node->labels)) {
      sum += subset->weights[i];
    }
  }
  return sum;
}
