/* SPDX-License-Identifier: MIT */
/* lib/simulation/json.h - values of JSON that the library wrote: well formed, so that nothing is checked again
   (cursor.c); a part of simulation.h, which includes it. */
#ifndef REBALI_SIMULATION_JSON_H
#define REBALI_SIMULATION_JSON_H

#include "foundation/foundation.h"

#include <rebalance/manifest.h>

#include <stddef.h>
#include <stdint.h>

/* A piece of text; of a value: its JSON, len 0 when it is not there. */
struct rebali_slice {
  const char *bytes;
  size_t len;
};

/* For printf("%.*s"): texts beyond INT_MAX are cut. */
#define REBALI_SLICE(slice) \
  (int)((slice).len < 0x7fffffff ? (slice).len : 0x7fffffff), ((slice).len > 0 ? (slice).bytes : "")

enum rebali_json_kind {
  REBALI_JSON_ABSENT, /* nothing there, or null */
  REBALI_JSON_MAP,
  REBALI_JSON_LIST,
  REBALI_JSON_STRING,
  REBALI_JSON_NUMBER,
  REBALI_JSON_BOOLEAN
};

struct rebali_slice rebali_slice(const char *text);
int rebali_slice_is(struct rebali_slice slice, const char *text);
enum rebali_json_kind rebali_cursor_kind(struct rebali_slice value);
/* The next member of a map or item of a list; *at starts with 0. 0 at the end. key is the text between the quotes. */
int rebali_cursor_member(struct rebali_slice map, size_t *at, struct rebali_slice *key, struct rebali_slice *value);
int rebali_cursor_item(struct rebali_slice list, size_t *at, struct rebali_slice *item);
struct rebali_slice rebali_cursor_find(struct rebali_slice map, const char *key);
/* Appends a string without quotes and escapes; other values as they are. */
int32_t rebali_cursor_text(struct rebali_slice value, rebal_text *out, rebal_error *err);
/* Is the value a string that stands for this text, escaped or not? */
int rebali_cursor_reads(struct rebali_slice value, struct rebali_slice text);
/* What rebali_cursor_text() appends, as a copy from malloc; NULL without memory. */
char *rebali_cursor_copy(struct rebali_slice value);
/* An integer without fraction and exponent; 0 for anything else or beyond int64. */
int rebali_cursor_integer(struct rebali_slice value, int64_t *out);
/* Appends a text as a JSON string. */
int32_t rebali_quote(struct rebali_slice text, rebal_text *out, rebal_error *err);

#endif
