/* SPDX-License-Identifier: MIT */
/*
 * lib/base/base.h - private header of the room "base": bytes, memory, errors, and the Kubernetes value rules that
 * need no cluster. Everything here is hidden from users (prefix rebali_).
 */
#ifndef REBALI_BASE_H
#define REBALI_BASE_H

#include "rebalance/record.h"

#include <stddef.h>
#include <string.h>

#define REBALI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__GNUC__)
#define REBALI_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define REBALI_PRINTF(format_index, first_argument)
#endif

/* ---- text: not terminated, may hold any byte ---------------------------------------------------------------- */

struct rebali_text {
  const char *bytes;
  size_t len;
};

#define REBALI_TEXT(literal) ((struct rebali_text){(literal), sizeof(literal) - 1})

static inline struct rebali_text rebali_text(const char *bytes, size_t len) {
  return (struct rebali_text){bytes, len};
}

#define REBALI_TEXT_MAX ((size_t)INT32_MAX)
/*
 * A text that a public function was given; every one goes through here, lengths of option structures too (text.c). what
 * is its name in messages. REBAL_EINVAL: NULL with a length; REBAL_ELIMIT: longer than REBALI_TEXT_MAX.
 */
int32_t rebali_text_take(const char *bytes, uint64_t len, const char *what, struct rebali_text *out, rebal_error *err);

/* Byte order: memcmp, then length (spec karmada, conventions). text.c */
int rebali_text_compare(struct rebali_text left, struct rebali_text right);

static inline int rebali_text_equal(struct rebali_text left, struct rebali_text right) {
  return left.len == right.len && (left.len == 0 || memcmp(left.bytes, right.bytes, left.len) == 0);
}

/* ---- errors: the one way to fail (error.c) ------------------------------------------------------------------- */

/* Fills err (when given) and returns code, so that callers write: return rebali_fail(err, REBAL_EINVAL, row, "..."). */
int32_t rebali_fail(rebal_error *err, int32_t code, int64_t where, const char *format, ...) REBALI_PRINTF(4, 5);

/* The common failure: no memory. The compiler sees that it is one. */
static inline int32_t rebali_fail_memory(rebal_error *err) {
  (void)rebali_fail(err, REBAL_ENOMEM, -1, "out of memory");
  return REBAL_ENOMEM;
}

/*
 * options.c. Copies a size-versioned structure of the caller into dst (known bytes). NULL source: all zero. first is
 * the size of the structure in its first release. REBAL_EABI: impossible size; REBAL_EUNSUPPORTED: a newer member is
 * set.
 */
#define REBALI_STRUCTURE_MAX 4096u /* a caller's struct_size above this is garbage */
int32_t rebali_options_load(void *dst, size_t known, size_t first, const void *src, rebal_error *err);

/* ---- memory: the one way to allocate (memory.c) --------------------------------------------------------------- */

/* Copies the caller's allocator, or the malloc family for NULL. REBAL_EINVAL when a function is missing. */
int32_t rebali_allocator_load(rebal_allocator *dst, const rebal_allocator *src, rebal_error *err);

/* count * size bytes, checked for overflow; NULL on failure or when the product is 0. */
void *rebali_allocate(const rebal_allocator *allocator, size_t count, size_t size);
/* The same, zero-filled. */
void *rebali_allocate_zero(const rebal_allocator *allocator, size_t count, size_t size);
void rebali_release(const rebal_allocator *allocator, void *pointer);

/* rebali_reserve() where there is too little room. */
int32_t rebali_grow(const rebal_allocator *allocator, void *array, size_t *capacity, size_t wanted, size_t size);
/*
 * Makes room for at least wanted elements in a growing array (doubling). array is the address of the pointer.
 * REBAL_OK or REBAL_ENOMEM; on failure the array is as before.
 */
static inline int32_t rebali_reserve(const rebal_allocator *allocator, void *array, size_t *capacity, size_t wanted,
                                     size_t size) {
  return wanted <= *capacity ? REBAL_OK : rebali_grow(allocator, array, capacity, wanted, size);
}

/*
 * Arena (arena.c): memory given back all at once. Blocks are aligned for every type. reset keeps the largest chunk for
 * reuse. limit 0 = none; beyond it allocation fails. A request for 0 bytes gives a block, so that NULL always means
 * failure.
 */
#define REBALI_ALIGNMENT _Alignof(max_align_t)
struct rebali_arena_chunk;
struct rebali_arena {
  const rebal_allocator *allocator;
  struct rebali_arena_chunk *chunks; /* newest first */
  unsigned char *next;               /* where the next block goes */
  size_t left;                       /* bytes from there on that may be handed out */
  size_t used;                       /* bytes handed out since the last reset */
  size_t limit;
};

void rebali_arena_init(struct rebali_arena *arena, const rebal_allocator *allocator, size_t limit);
/* Whatever is asked for, and the only way to what does not fit into the newest chunk. */
void *rebali_arena_allocate_any(struct rebali_arena *arena, size_t count, size_t size);
static inline void *rebali_arena_allocate(struct rebali_arena *arena, size_t count, size_t size) {
  const size_t half = (size_t)1 << (sizeof(size_t) * 4); /* the product of two numbers below it fits, rounded up too */

  if (count < half && size < half) {
    const size_t bytes = (count * size + REBALI_ALIGNMENT - 1) / REBALI_ALIGNMENT * REBALI_ALIGNMENT;

    if (bytes != 0 && bytes <= arena->left) {
      void *const block = arena->next;

      arena->next += bytes;
      arena->left -= bytes;
      arena->used += bytes;
      return block;
    }
  }
  return rebali_arena_allocate_any(arena, count, size);
}
void *rebali_arena_allocate_zero(struct rebali_arena *arena, size_t count, size_t size);
/* A copy of text with a terminator added; bytes is NULL when there was no memory. */
struct rebali_text rebali_arena_text(struct rebali_arena *arena, struct rebali_text text);
void rebali_arena_reset(struct rebali_arena *arena);
void rebali_arena_dispose(struct rebali_arena *arena);

/* ---- growing text (buffer.c) ---------------------------------------------------------------------------------- */

/* Sticky: after a failed append every later one is ignored and failed stays 1. */
struct rebali_buffer {
  const rebal_allocator *allocator;
  char *bytes;
  size_t len;
  size_t capacity;
  int failed;
};

void rebali_buffer_init(struct rebali_buffer *buffer, const rebal_allocator *allocator);
void rebali_buffer_append(struct rebali_buffer *buffer, const char *bytes, size_t len);
void rebali_buffer_append_i64(struct rebali_buffer *buffer, int64_t value);
void rebali_buffer_format(struct rebali_buffer *buffer, const char *format, ...) REBALI_PRINTF(2, 3);
void rebali_buffer_dispose(struct rebali_buffer *buffer);

/* Copies text to the caller by the rule of rebal_quantity_format(). */
int32_t rebali_text_give(struct rebali_text text, char *buffer, size_t capacity, size_t *len, rebal_error *err);

/* ---- sorting (sort.c): stable merge sort ----------------------------------------------------------------------- */

typedef int (*rebali_compare)(const void *left, const void *right, const void *context);

/* scratch has room for count elements. Never fails. */
void rebali_sort(void *array, size_t count, size_t size, void *scratch, rebali_compare compare, const void *context);

/* ---- hashing (hash.c) ------------------------------------------------------------------------------------------ */

uint64_t rebali_hash(const void *bytes, size_t len); /* tables only; never reaches an output */
uint32_t rebali_fnv1a32(const void *bytes, size_t len); /* the tie-break of spec karmada 7.7 */

/* ---- fingerprints (digest.c): SipHash-2-4-128, the same on every machine ---------------------------------------- */

struct rebali_fingerprint {
  uint64_t high; /* the first eight bytes of the published form, read little-endian */
  uint64_t low;  /* the other eight */
};
struct rebali_digest {
  uint64_t state[4];
  uint64_t word; /* bytes that do not fill a word yet */
  uint64_t len;  /* bytes so far */
};
void rebali_digest_begin(struct rebali_digest *digest, uint64_t low_key, uint64_t high_key);
void rebali_digest_bytes(struct rebali_digest *digest, const void *bytes, size_t len);
void rebali_digest_u64(struct rebali_digest *digest, uint64_t value); /* eight bytes, little-endian */
void rebali_digest_text(struct rebali_digest *digest, struct rebali_text text); /* its length first */
/* Its canonical text: what is written alike counts as equal. */
void rebali_digest_quantity(struct rebali_digest *digest, const rebal_quantity *quantity);
/* All of a record; NULL is not an empty one. */
void rebali_digest_record(struct rebali_digest *digest, const rebal_record *record);
struct rebali_fingerprint rebali_digest_end(struct rebali_digest *digest);
/* For sets without an order: the sum of the fingerprints of their members. */
void rebali_fingerprint_add(struct rebali_fingerprint *sum, struct rebali_fingerprint member);
void rebali_digest_fingerprint(struct rebali_digest *digest, struct rebali_fingerprint fingerprint);

/* ---- interning (intern.c): equal bytes get equal dense ids ------------------------------------------------------ */

/*
 * Append-only store. One writer may add while any number of readers look at ids they already know: entries never move
 * (segments of doubling size). Ids start at 0 and count up. Only get is for readers; find and count belong to the
 * writer.
 */
struct rebali_intern;
int32_t rebali_intern_new(const rebal_allocator *allocator, struct rebali_intern **out);
void rebali_intern_free(struct rebali_intern *intern);
/* Bytes are copied, aligned for uint64_t and terminated. REBAL_ENOMEM or REBAL_ELIMIT (2^32 - 2 entries). */
int32_t rebali_intern_add(struct rebali_intern *intern, const void *bytes, size_t len, uint32_t *id);
/* REBALI_NONE when absent. */
uint32_t rebali_intern_find(const struct rebali_intern *intern, const void *bytes, size_t len);
struct rebali_text rebali_intern_get(const struct rebali_intern *intern, uint32_t id);
uint32_t rebali_intern_count(const struct rebali_intern *intern);

#define REBALI_NONE UINT32_MAX

/* ---- bitsets ----------------------------------------------------------------------------------------------------- */

#define REBALI_BITSET_WORDS(bits) (((size_t)(bits) + 63u) / 64u)

static inline int rebali_bit_get(const uint64_t *words, size_t bit) {
  return (int)((words[bit / 64u] >> (bit % 64u)) & 1u);
}
static inline void rebali_bit_set(uint64_t *words, size_t bit, int value) {
  const uint64_t mask = (uint64_t)1 << (bit % 64u);
  words[bit / 64u] = value ? (words[bit / 64u] | mask) : (words[bit / 64u] & ~mask);
}

/*
 * Number of the lowest bit that is set; there is one. The six bits on top of a power of two times the constant, in
 * which no six neighbours are alike, tell the power (de Bruijn).
 */
static inline size_t rebali_bit_lowest(uint64_t word) {
  static const uint8_t numbers[64] = {
      0,  1,  48, 2,  57, 49, 28, 3,  61, 58, 50, 42, 38, 29, 17, 4,  62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30,
      24, 18, 12, 5,  63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11, 46, 26, 40, 15, 34, 20, 31, 10,
      25, 14, 19, 9,  13, 8,  7,  6};

  return numbers[(word & (0 - word)) * UINT64_C(0x03F79D71B4CB0A89) >> 58];
}
/* How many bits are set, or set in both (bitset.c). */
size_t rebali_bits_count(const uint64_t *words, size_t n);
size_t rebali_bits_count_both(const uint64_t *left, const uint64_t *right, size_t n);

/* ---- wide integers and quantities (wide.c, integer.c, quantity*.c) ----------------------------------------------- */

/* Two-word signed integer (value = high * 2^64 + low): sums of quantities in nano units without __int128. */
struct rebali_wide {
  int64_t high;
  uint64_t low;
};
struct rebali_wide rebali_wide_from(int64_t value);
struct rebali_wide rebali_wide_add(struct rebali_wide left, struct rebali_wide right);
struct rebali_wide rebali_wide_subtract(struct rebali_wide left, struct rebali_wide right);
struct rebali_wide rebali_wide_multiply(int64_t left, int64_t right); /* exact 64 x 64 -> 128 */
int rebali_wide_compare(struct rebali_wide left, struct rebali_wide right);
/* The nearest int64_t. */
static inline int64_t rebali_wide_saturate(struct rebali_wide value) {
  const uint64_t sign = value.low >> 63 == 0 ? 0 : UINT64_MAX;

  if ((uint64_t)value.high == sign) {
    return value.high < 0 ? -1 - (int64_t)~value.low : (int64_t)value.low;
  }
  return value.high < 0 ? INT64_MIN : INT64_MAX;
}
/* value / divisor rounded away from zero, saturating at int64; divisor > 0. */
int64_t rebali_wide_divide_away(struct rebali_wide value, int64_t divisor);
struct rebali_wide rebali_quantity_nanos(const rebal_quantity *quantity);
/* amount(q) of spec karmada 6.4: thousandths of decimal notations, units of others; rounded away from zero. */
int64_t rebali_amount_as_written(struct rebali_wide nanos, uint32_t format);
/* Do units and nanos have one sign and nanos less than a unit, and is the format known? */
int rebali_quantity_is_proper(const rebal_quantity *quantity);
/* Back to a quantity, saturating; format as given. */
rebal_quantity rebali_quantity_from_nanos(struct rebali_wide nanos, uint32_t format);

/* An optional sign and decimal digits within int64, nothing else; 0 when it is no such text. integer.c */
int rebali_integer_parse(struct rebali_text text, int64_t *out);

/* integer.c: int64 arithmetic that saturates. */
int64_t rebali_multiply_saturating(int64_t left, int64_t right);
static inline int64_t rebali_add_saturating(int64_t left, int64_t right) {
  if (right > 0 && left > INT64_MAX - right) {
    return INT64_MAX;
  }
  if (right < 0 && left < INT64_MIN - right) {
    return INT64_MIN;
  }
  return left + right;
}
static inline int64_t rebali_subtract_saturating(int64_t left, int64_t right) {
  if (right < 0 && left > INT64_MAX + right) {
    return INT64_MAX;
  }
  if (right > 0 && left < INT64_MIN + right) {
    return INT64_MIN;
  }
  return left - right;
}
/*
 * The low 32 bits as a two's complement number, as the peer's conversion to a 32-bit integer keeps them. int32_t is
 * two's complement by definition, so the bytes are the number.
 */
static inline int32_t rebali_low_int32(int64_t value) {
  const uint32_t bits = (uint32_t)((uint64_t)value & UINT32_MAX);
  int32_t low;

  memcpy(&low, &bits, sizeof low);
  return low;
}
/* Additions in two's complement, as the peer's machine integers wrap. */
static inline int32_t rebali_add_wrapping(int32_t left, int32_t right) {
  return rebali_low_int32((int64_t)left + right);
}
static inline int64_t rebali_add_wrapping64(int64_t left, int64_t right) {
  const uint64_t bits = (uint64_t)left + (uint64_t)right;
  int64_t sum;

  memcpy(&sum, &bits, sizeof sum);
  return sum;
}

/* ---- time that passes (duration.c); whole results, saturating at int64 ---------------------------------------- */

#define REBALI_SECOND_NS INT64_C(1000000000)
#define REBALI_FIRST_SECOND (INT64_C(-62135596800)) /* 0001-01-01T00:00:00Z */
#define REBALI_LAST_SECOND INT64_C(253402300799)    /* 9999-12-31T23:59:59Z */

/* Is the time absent, or within the years 1 to 9999 and its nanoseconds within a second? Else REBAL_ERANGE. */
int32_t rebali_time_check(const rebal_time *value, int64_t where, rebal_error *err);
/* The clock of a call: rebali_time_check(), and REBAL_EINVAL when it is NULL or absent. */
int32_t rebali_clock_check(const rebal_time *now, rebal_error *err);

/* Nanoseconds from now until `seconds` after start; negative when that is past. */
int64_t rebali_time_left_ns(const rebal_time *now, const rebal_time *start, int64_t seconds);
/* The moment ns (0 or more) after start, at most the end of year 9999. */
rebal_time rebali_time_after(const rebal_time *start, int64_t ns);
/* Without the fraction of a second, as the API server keeps times. */
rebal_time rebali_time_whole(const rebal_time *time);

/* ---- label syntax, selectors, taints (label.c, selector.c, toleration.c); spec karmada 1.1, 3.1, 3.3 ------------- */

int rebali_is_qualified_name(struct rebali_text key);     /* optional DNS-subdomain prefix, '/', name part */
int rebali_is_label_value(struct rebali_text value);      /* empty or a name part of at most 63 bytes */

enum rebali_operator {
  REBALI_OPERATOR_IN,
  REBALI_OPERATOR_NOT_IN,
  REBALI_OPERATOR_EXISTS,
  REBALI_OPERATOR_DOES_NOT_EXIST,
  REBALI_OPERATOR_GREATER,
  REBALI_OPERATOR_LESS,
  REBALI_OPERATOR_UNKNOWN
};

struct rebali_requirement {
  struct rebali_text key;
  enum rebali_operator operation;
  const struct rebali_text *values;
  size_t n_values;
};

/* "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"; anything else is UNKNOWN. */
enum rebali_operator rebali_operator_parse(struct rebali_text text);
/* The way back, for people: UNKNOWN is told as such. */
struct rebali_text rebali_operator_text(enum rebali_operator operation);

/* Is the requirement well formed (key, values, number of values)? numeric: Gt and Lt are allowed. */
int rebali_requirement_valid(const struct rebali_requirement *requirement, int numeric);

/* Does it hold for a label value? value.bytes NULL = key absent. The requirement is valid. */
int rebali_requirement_matches(const struct rebali_requirement *requirement, struct rebali_text value);

/* matchZones of spec karmada 3.1: zones is a TEXTS record or NULL; values are compared as they are. */
int rebali_requirement_matches_zones(const struct rebali_requirement *requirement, const rebal_record *zones);

enum rebali_effect {
  REBALI_EFFECT_NONE,
  REBALI_EFFECT_NO_SCHEDULE,
  REBALI_EFFECT_PREFER_NO_SCHEDULE,
  REBALI_EFFECT_NO_EXECUTE,
  REBALI_EFFECT_OTHER
};
enum rebali_effect rebali_effect_parse(struct rebali_text text);

struct rebali_taint {
  struct rebali_text key;
  struct rebali_text value;
  struct rebali_text effect;
  rebal_time time_added;
};

struct rebali_toleration {
  struct rebali_text key;
  struct rebali_text operation;
  struct rebali_text value;
  struct rebali_text effect;
  int64_t toleration_seconds;
  int has_seconds;
};

/* The node of a TAINT or TOLERATION; texts point into the record. taint.c */
struct rebali_taint rebali_taint_read(const rebal_record *record, uint32_t node);
struct rebali_toleration rebali_toleration_read(const rebal_record *record, uint32_t node);

/* Spec karmada 3.3, seconds not looked at. */
int rebali_tolerates(const struct rebali_toleration *toleration, const struct rebali_taint *taint);

/* ---- records (record.c, builder.c) ------------------------------------------------------------------------------- */

/*
 * A finished record is one relocatable block: this header, n_nodes nodes, then text_len bytes of terminated texts and
 * zeros up to a multiple of 8. No pointer inside, no padding left unset: equal content means equal bytes. Node 0 is the
 * object; what is below a node comes right after it, siblings are chained by index.
 */
struct rebali_node {
  uint32_t field; /* 0 for node 0 */
  uint32_t type;
  uint32_t child; /* first child, REBAL_NONE when none */
  uint32_t next;  /* next sibling, REBAL_NONE when last */
  int64_t number; /* integer; text: offset; quantity: units; time: seconds */
  uint32_t extra; /* text: length; quantity: format; time: is_set */
  int32_t nanos;
};
struct rebal_record {
  uint32_t object;
  uint32_t n_nodes;
  uint64_t text_len;
};

/* Size in bytes of the whole block. */
size_t rebali_record_size(const rebal_record *record);
/* The node, or NULL when there is none of that number, or no record. */
static inline const struct rebali_node *rebali_record_node(const rebal_record *record, uint32_t node) {
  return record != NULL && node < record->n_nodes ? (const struct rebali_node *)(record + 1) + node : NULL;
}
/* Text of a node as rebali_text (empty for REBAL_NONE). */
static inline struct rebali_text rebali_record_text(const rebal_record *record, uint32_t node) {
  const struct rebali_node *found = rebali_record_node(record, node);

  if (found == NULL || found->type != REBAL_TYPE_TEXT) {
    return REBALI_TEXT("");
  }
  return rebali_text((const char *)((const struct rebali_node *)(record + 1) + record->n_nodes) + (size_t)found->number,
                     found->extra);
}
/* As rebal_record_next(). */
static inline uint32_t rebali_record_next(const rebal_record *record, uint32_t parent, uint32_t field,
                                          uint32_t previous) {
  const struct rebali_node *above = rebali_record_node(record, parent);
  const struct rebali_node *before = rebali_record_node(record, previous);
  uint32_t node;

  if (above == NULL || (previous != REBAL_NONE && before == NULL)) {
    return REBAL_NONE;
  }
  node = before == NULL ? above->child : before->next;
  while (node != REBAL_NONE && field != 0 && (above - parent)[node].field != field) {
    node = (above - parent)[node].next;
  }
  return node;
}
/* First child holding field, or REBAL_NONE: for ONE fields. */
static inline uint32_t rebali_record_get(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebali_record_next(record, parent, field, REBAL_NONE);
}
/* Number of children holding field. */
size_t rebali_record_count(const rebal_record *record, uint32_t parent, uint32_t field);

/* ---- records being built (builder.c, canonical.c) ---------------------------------------------------------------- */

#define REBALI_RECORD_DEPTH 64u /* objects inside each other, the record itself included */

/* A node in the order of the calls; child, next and a text's number point into the builder's arrays. */
struct rebali_draft {
  struct rebali_node node;
  uint32_t parent;      /* REBAL_NONE for the record itself */
  uint32_t last_child;  /* of an object that is open */
  uint32_t depth;       /* 0 for the record itself */
  uint32_t cardinality; /* of the field it holds */
  uint32_t place;       /* its number in the finished record */
  uint32_t reserved0;
};

struct rebali_drafts {
  const rebal_allocator *allocator;
  struct rebali_draft *items;
  size_t count;
  size_t capacity;
  struct rebali_buffer texts; /* each one terminated */
  uint32_t *order;            /* scratch */
  size_t order_capacity;
};

/*
 * Puts the children of an object, all of them closed, in their one order: by field, map entries by key, the rest as
 * they came. REBAL_EEXIST for a key twice, *twice is then the second entry; REBAL_ENOMEM.
 */
int32_t rebali_canonical_sort(struct rebali_drafts *drafts, uint32_t parent, uint32_t *twice);
/* The key of a closed map entry; empty when it has none. */
struct rebali_text rebali_canonical_key(const struct rebali_drafts *drafts, uint32_t entry);
/* Bytes of the finished record, and the record into a block of so many bytes. Every object is sorted. */
size_t rebali_canonical_size(const struct rebali_drafts *drafts);
void rebali_canonical_write(struct rebali_drafts *drafts, uint32_t object, rebal_record *record);

/* ---- filling results (result.c) ---------------------------------------------------------------------------------- */

/* Every public call that fills a result starts with this; REBAL_EINVAL for NULL. */
int32_t rebali_result_begin(rebal_result *result, rebal_error *err);
const rebal_allocator *rebali_result_allocator(const rebal_result *result);
/* What texts and payloads are in; for scratch of calls without a context, too. */
struct rebali_arena *rebali_result_arena(rebal_result *result);
/* How far a result is filled, and back to there: what a failed answer began is taken away. */
/* Results are from DECISION on; tables from FIRST_INPUT on are given to calls. */
#define REBALI_RESULT_TABLES (REBAL_TABLE_COOLING - REBAL_TABLE_DECISION + 1)
#define REBALI_FIRST_INPUT 192
struct rebali_result_mark {
  uint32_t used; /* a bit for each table that may have rows; the others' are not filled in */
  size_t rows[REBALI_RESULT_TABLES];
};
void rebali_result_mark(const rebal_result *result, struct rebali_result_mark *mark);
void rebali_result_rewind(rebal_result *result, const struct rebali_result_mark *mark);
/* The table of a result; NULL for another. */
struct rebali_table *rebali_result_table(rebal_result *result, uint32_t table);
/* Copies a payload for a row of ACTION. */
int32_t rebali_result_set_record(rebal_result *result, size_t row, const rebal_record *record);
/* Gives it the payload of another row, which may have none: one copy for many. */
int32_t rebali_result_share_record(rebal_result *result, size_t row, size_t other);
#define REBALI_RESULT_HOLDS 8 /* more than any call needs */

/*
 * Keeps an object alive until the result is emptied: release is called then. Needs no memory; REBAL_ELIMIT beyond
 * REBALI_RESULT_HOLDS objects, and the object is then still the caller's.
 */
int32_t rebali_result_hold(rebal_result *result, void *object, void (*release)(void *object));
/* The first object held that this function releases; NULL: none. */
void *rebali_result_held(const rebal_result *result, void (*release)(void *object));
/*
 * Signs what a call filled in: inputs is the fingerprint of all it was given but an object that the result holds, whose
 * part object_part gives when somebody asks.
 */
void rebali_result_sign(rebal_result *result, struct rebali_fingerprint inputs, const void *object,
                        struct rebali_fingerprint (*object_part)(const void *object));

/* What an action is about; texts are copied. */
struct rebali_action {
  int64_t kind;
  int64_t ordinal;
  struct rebali_text api_version, object_kind, namespace_, name, uid, resource_version;
  rebal_time not_before;
  int64_t row;
  int64_t replaces;            /* column REPLACES */
  const rebal_record *payload; /* may be NULL */
};
int32_t rebali_result_add_action(rebal_result *result, const struct rebali_action *action);
/* n rows that are alike but for what the caller then writes to them; no payloads. n is not 0. */
int32_t rebali_result_add_actions(rebal_result *result, const struct rebali_action *action, size_t n, size_t *first);

/* Where a step stands for one object (a row of STEP); the text is copied. step.c */
struct rebali_step {
  int64_t state;
  int64_t reason;
  struct rebali_text message;
  int64_t after_ns; /* REBAL_ABSENT: no timer */
};
int32_t rebali_result_add_step(rebal_result *result, const struct rebali_step *step);

/* A breach that is meant (a row of WARNING). The name is a REBALI_ROW(): one of man/compat.def. warning.c */
#define REBALI_ROW(name) REBALI_TEXT(name)
struct rebali_warning {
  int64_t binding;
  int64_t cluster; /* or REBAL_NONE */
  struct rebali_text row_name;
  int64_t replicas;
};
int32_t rebali_result_add_warning(rebal_result *result, const struct rebali_warning *warning);

/* ---- reading observations (observations.c) ----------------------------------------------------------------------- */

struct rebali_observation {
  int64_t ordinal;
  int32_t outcome;
  struct rebali_text resource_version;
  struct rebali_text message;
  const rebal_record *fields; /* may be NULL */
};
/* NULL when the ordinal was not observed, or observations is NULL. */
const struct rebali_observation *rebali_observation_find(const rebal_observations *observations, int64_t ordinal);
/* All that was observed, in whatever order; NULL is the same as none. */
struct rebali_fingerprint rebali_observations_fingerprint(const rebal_observations *observations);

#include "base/table.h" /* for who includes this one */

#endif
