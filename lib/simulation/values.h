/* SPDX-License-Identifier: MIT */
/* lib/simulation/values.h - values of documents and texts, as the simulation reads and prints them (values.c). */
#ifndef REBALI_SIMULATION_VALUES_H
#define REBALI_SIMULATION_VALUES_H

#include "foundation/foundation.h"

#include <rebalance/document.h>

#include <stdint.h>

static inline const rebal_value *rebali_find(const rebal_value *map, const char *key) {
  return rebal_value_member(map, key);
}

/* Returns the text of a member, or "" if it is not a text. */
static inline const char *rebali_find_text(const rebal_value *map, const char *key) {
  return rebal_value_text(rebal_value_member(map, key), NULL);
}

static inline int rebali_is_map(const rebal_value *value) {
  return rebal_value_kind(value) == REBAL_VALUE_KIND_MAP;
}

static inline int rebali_is_list(const rebal_value *value) {
  return rebal_value_kind(value) == REBAL_VALUE_KIND_LIST;
}

static inline int rebali_is_true(const rebal_value *value) {
  int64_t is_true = 0;
  return rebal_value_kind(value) == REBAL_VALUE_KIND_BOOLEAN && rebal_value_integer(value, &is_true) && is_true;
}

/* Gets an integer within int64; 0 for anything else. */
int rebali_number(const rebal_value *value, int64_t *out);
int64_t rebali_number_or(const rebal_value *value, int64_t otherwise);
/* Tests whether it is this text. */
int rebali_reads(const rebal_value *value, const char *text);
/* Tests whether a list contains the text. */
int rebali_holds_text(const rebal_value *list, const char *text);
/* Reads a quantity, such as 500m or 2; null and missing values are 0, as for the API server. */
int32_t rebali_quantity_of(const rebal_value *value, rebal_quantity *out, rebal_error *err);
/* Returns the condition of a type in a list, or NULL. */
const rebal_value *rebali_condition_of(const rebal_value *conditions, const char *type);

/* ---- printing ---------------------------------------------------------------------------------------------------- */

/* Prints a text as it is, anything else as compact JSON. */
void rebali_print_value(struct rebali_buffer *out, const rebal_value *value);
/* Prints compact JSON. */
void rebali_print_json(struct rebali_buffer *out, const rebal_value *value);
/* Prints a text as a JSON string. */
void rebali_print_text(struct rebali_buffer *out, const char *text);
/* Prints ,"key":"text". */
void rebali_print_member(struct rebali_buffer *out, const char *key, const char *text);
void rebali_print_time(struct rebali_buffer *out, const rebal_time *time);
/* Returns its bytes, or "" if it is empty. */
static inline const char *rebali_printed(const struct rebali_buffer *out) {
  return out->len > 0 ? out->bytes : "";
}
/* Returns a copy from malloc, or NULL without memory. */
char *rebali_text_copy(const char *text);

/* ---- time -------------------------------------------------------------------------------------------------------- */

/*
 * Reads 30s, 1h30m, 500ms: whole numbers with h, m, s, ms. REBAL_EPARSE if it is malformed, REBAL_ERANGE beyond 878400h
 * (100 years).
 */
int32_t rebali_duration_parse(const char *text, int64_t *ns);
/* Lowers *earliest to the earlier of both times; unset times are ignored. */
void rebali_time_lower(rebal_time *earliest, const rebal_time *time);
/* Tests whether it is set and not after now. */
int rebali_time_is_due(const rebal_time *time, const rebal_time *now);

#endif
