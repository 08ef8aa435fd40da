/* SPDX-License-Identifier: MIT */
/* Bytes as arguments of calls: numbers, words, and records of any kind, by the tables of fields. */
#ifndef CALLS_H
#define CALLS_H

#include "saved_laws.h"

#include <string.h>

/* The input; bytes after its end are 0. */
struct calls {
  const uint8_t *data;
  size_t size;
  const char *const *words; /* what texts are drawn from */
  size_t n_words;
  rebal_builder *builder;
};

static inline uint32_t byte(struct calls *in) {
  if (in->size == 0) {
    return 0;
  }
  in->size--;
  return *in->data++;
}

/* Mostly small numbers, and now and then one at the limits of a column. */
static inline int64_t number(struct calls *in) {
  static const int64_t edges[] = {-1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX, 10000001, 256};
  const uint32_t value = byte(in);

  return value < 240 ? (int64_t)value % 24 : edges[value % 8];
}

static inline const char *word(struct calls *in) {
  return in->words[byte(in) % in->n_words];
}

static inline void fill(struct calls *in, uint32_t object, int depth);

static inline void set_field(struct calls *in, uint32_t field, int depth) {
  const char *text;
  rebal_description about = {.struct_size = sizeof about};
  rebal_quantity quantity = {0, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebal_time time = {0, 0, 1};

  law(rebal_describe(field, &about, NULL) == REBAL_OK);
  switch (about.type) {
    case REBAL_TYPE_TEXT:
      text = word(in);
      (void)rebal_builder_text(in->builder, field, text, strlen(text), NULL);
      break;
    case REBAL_TYPE_QUANTITY:
      quantity.units = number(in);
      (void)rebal_builder_quantity(in->builder, field, &quantity, NULL);
      break;
    case REBAL_TYPE_TIME:
      time.seconds = number(in) & 0xffff;
      (void)rebal_builder_time(in->builder, field, &time, NULL);
      break;
    case REBAL_TYPE_OBJECT:
      if (depth > 6) {
        break;
      }
      (void)rebal_builder_begin(in->builder, field, NULL);
      fill(in, about.child, depth + 1);
      (void)rebal_builder_end(in->builder, NULL);
      break;
    default:
      (void)rebal_builder_i64(in->builder, field, number(in) & 0x7fffffff, NULL);
  }
}

static inline void fill(struct calls *in, uint32_t object, int depth) {
  uint32_t fields[64];
  size_t n;

  law(rebal_describe_object(object, fields, 64, &n, NULL) == REBAL_OK && n <= 64);
  for (size_t i = 0; i < n && in->size > 0; i++) {
    rebal_description about = {.struct_size = sizeof about};
    uint32_t times = byte(in) % 4;

    law(rebal_describe(fields[i], &about, NULL) == REBAL_OK);
    if (times > 1 && about.cardinality == REBAL_CARDINALITY_ONE) {
      times = 1;
    }
    for (; times > 0; times--) {
      set_field(in, fields[i], depth);
    }
  }
}

/* A record of a kind, which belongs to the builder; NULL: the bytes make none. */
static inline const rebal_record *draw_record(struct calls *in, uint32_t kind) {
  const rebal_record *record;

  law(rebal_builder_start(in->builder, kind, NULL) == REBAL_OK);
  fill(in, kind, 0);
  return rebal_builder_finish(in->builder, &record, NULL) == REBAL_OK ? record : NULL;
}

#endif
