/* SPDX-License-Identifier: MIT */
/*
 * lib/foundation/foundation.h - bytes, memory, errors and the rules of Kubernetes values: spans and value structures,
 * without objects of the library. It is linked into each library and not exported (prefix rebali_).
 */
#ifndef REBALI_FOUNDATION_H
#define REBALI_FOUNDATION_H

#include "rebalance/base.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#define REBALI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__MINGW32__) /* whose printf replaces that of Windows */
#define REBALI_PRINTF(format_index, first_argument) __attribute__((format(gnu_printf, format_index, first_argument)))
#elif defined(__GNUC__)
#define REBALI_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define REBALI_PRINTF(format_index, first_argument)
#endif

/* ---- text: not terminated, any bytes ------------------------------------------------------------------------ */

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
 * Takes a text argument of a public function. All texts pass through here, also lengths in option structures (text.c).
 * what is the name for messages. REBAL_EINVAL: NULL with a length; REBAL_ELIMIT: longer than REBALI_TEXT_MAX.
 */
int32_t rebali_text_take(const char *bytes, uint64_t len, const char *what, struct rebali_text *out, rebal_error *err);
/* Like rebali_text_take(), for at most longest bytes: streams of documents are not limited as texts are. */
int32_t rebali_text_take_within(const char *bytes, uint64_t len, size_t longest, const char *what,
                                struct rebali_text *out, rebal_error *err);

/* Compares by bytes: memcmp, then length (rebalance-karmada(7), conventions). text.c */
int rebali_text_compare(struct rebali_text left, struct rebali_text right);

static inline int rebali_text_equal(struct rebali_text left, struct rebali_text right) {
  return left.len == right.len && (left.len == 0 || memcmp(left.bytes, right.bytes, left.len) == 0);
}

/* ---- errors: every failure uses these functions (error.c) ---------------------------------------------------- */

/* Fills err (if given) and returns code, so callers write: return rebali_fail(err, REBAL_EINVAL, row, "..."). */
int32_t rebali_fail(rebal_error *err, int32_t code, int64_t where, const char *format, ...) REBALI_PRINTF(4, 5);

/* Sets the place of a filled error: a byte offset (-1: none), document, line and column (0: unknown). */
void rebali_fail_at(rebal_error *err, int64_t where, uint32_t document, uint32_t line, uint32_t column);
/* Sets the field path of a filled error. */
void rebali_fail_field(rebal_error *err, const char *field);

/* Reports lack of memory, the common failure. Inline, so compilers see that the result is an error. */
static inline int32_t rebali_fail_memory(rebal_error *err) {
  (void)rebali_fail(err, REBAL_ENOMEM, -1, "out of memory");
  return REBAL_ENOMEM;
}

/*
 * options.c: copies a size-versioned structure of the caller into dst (known bytes). NULL source: all zero. first is
 * the size of the structure in its first release. REBAL_EABI: impossible size; REBAL_EUNSUPPORTED: a newer member is
 * set.
 */
#define REBALI_STRUCTURE_MAX 4096u /* a larger struct_size is garbage */
int32_t rebali_options_load(void *dst, size_t known, size_t first, const void *src, rebal_error *err);
/* Checks a structure of the caller that will be filled. REBAL_EABI: impossible size. */
int32_t rebali_structure_check(const void *out, size_t first, rebal_error *err);
/*
 * Fills a checked structure with known bytes. Members unknown to the caller are omitted, members unknown to this
 * library become 0, and the size stays the caller's.
 */
void rebali_structure_fill(void *out, const void *filled, size_t known);

/* ---- memory: all allocations (memory.c); a NULL allocator is malloc, realloc and free -------------------------- */

/* Copies the caller's allocator, or the malloc family for NULL. Returns REBAL_EINVAL if a function is missing. */
int32_t rebali_allocator_load(rebal_allocator *dst, const rebal_allocator *src, rebal_error *err);

/* Allocates count * size bytes, checked for overflow; NULL on failure or if the product is 0. */
void *rebali_allocate(const rebal_allocator *allocator, size_t count, size_t size);
/* Does the same, zero-filled. */
void *rebali_allocate_zero(const rebal_allocator *allocator, size_t count, size_t size);
void rebali_release(const rebal_allocator *allocator, void *pointer);

/* rebali_reserve() if the capacity is too small. */
int32_t rebali_grow(const rebal_allocator *allocator, void *array, size_t *capacity, size_t wanted, size_t size);
/*
 * Reserves at least wanted elements in a growing array (doubling). array is the address of the pointer. Returns
 * REBAL_OK or REBAL_ENOMEM; on failure the array is unchanged.
 */
static inline int32_t rebali_reserve(const rebal_allocator *allocator, void *array, size_t *capacity, size_t wanted,
                                     size_t size) {
  return wanted <= *capacity ? REBAL_OK : rebali_grow(allocator, array, capacity, wanted, size);
}

/* Does the same with memory from malloc; fills err. */
int32_t rebali_reserve_malloc(void *array, size_t *capacity, size_t wanted, size_t size, rebal_error *err);

/*
 * Arena (arena.c): memory that is released all at once. Blocks are aligned for every type. reset keeps the largest
 * chunk for reuse. limit 0 = none; beyond it allocation fails. A request for 0 bytes returns a block, so NULL always
 * means failure.
 */
#define REBALI_ALIGNMENT _Alignof(max_align_t)
struct rebali_arena_chunk;
struct rebali_arena {
  const rebal_allocator *allocator;
  struct rebali_arena_chunk *chunks; /* newest first */
  unsigned char *next;               /* start of the next block */
  size_t left;                       /* bytes that may be handed out from there on */
  size_t used;                       /* bytes handed out since the last reset */
  size_t limit;
};

void rebali_arena_init(struct rebali_arena *arena, const rebal_allocator *allocator, size_t limit);
/* Allocates any size; needed if the newest chunk is too small. */
void *rebali_arena_allocate_any(struct rebali_arena *arena, size_t count, size_t size);
static inline void *rebali_arena_allocate(struct rebali_arena *arena, size_t count, size_t size) {
  const size_t half = (size_t)1 << (sizeof(size_t) * 4); /* the product of two smaller numbers fits, even rounded up */

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
/* Copies text and adds a terminator; bytes is NULL without memory. */
struct rebali_text rebali_arena_text(struct rebali_arena *arena, struct rebali_text text);
void rebali_arena_reset(struct rebali_arena *arena);
void rebali_arena_dispose(struct rebali_arena *arena);

/* ---- growing text (buffer.c) ---------------------------------------------------------------------------------- */

/*
 * Terminated once bytes is not NULL. Errors are sticky: after a failed append, later ones are ignored and failed stays
 * 1. Initialized as REBALI_BUFFER, with memory from malloc, or by rebali_buffer_init().
 */
struct rebali_buffer {
  char *bytes;
  size_t len;
  size_t capacity;
  int failed;
  const rebal_allocator *allocator; /* NULL: malloc */
};
#define REBALI_BUFFER {NULL, 0, 0, 0, NULL}

void rebali_buffer_init(struct rebali_buffer *buffer, const rebal_allocator *allocator);
/* Returns where len more bytes and a terminator can be written, which are not counted yet; NULL without memory. */
char *rebali_buffer_reserve(struct rebali_buffer *buffer, size_t len);
void rebali_buffer_append(struct rebali_buffer *buffer, const char *bytes, size_t len);
void rebali_buffer_text(struct rebali_buffer *buffer, const char *text); /* ends with NUL */
void rebali_buffer_append_i64(struct rebali_buffer *buffer, int64_t value);
void rebali_buffer_format(struct rebali_buffer *buffer, const char *format, ...) REBALI_PRINTF(2, 3);
/* Does the same with a list of arguments, which is consumed. */
void rebali_buffer_format_list(struct rebali_buffer *buffer, const char *format, va_list arguments) REBALI_PRINTF(2, 0);
void rebali_buffer_clear(struct rebali_buffer *buffer); /* empties it, keeps its memory */
void rebali_buffer_dispose(struct rebali_buffer *buffer);

/* Copies text to the caller under the rules of rebal_quantity_format(). */
int32_t rebali_text_give(struct rebali_text text, char *buffer, size_t capacity, size_t *len, rebal_error *err);

/* ---- characters (utf8.c) ---------------------------------------------------------------------------------------- */

/* Returns the offset of the first byte that is not well-formed UTF-8, or len. */
size_t rebali_utf8_check(const char *bytes, size_t len);
/* Writes 1 to 4 bytes. */
size_t rebali_utf8_encode(uint32_t character, char *bytes);

struct rebali_position {
  size_t byte;     /* offset */
  uint32_t line;   /* from 1; ends at \n, \r\n or \r */
  uint32_t column; /* in characters, from 1 */
};

/* Returns the position of an offset in bytes or in characters. An offset beyond the end means the end. */
struct rebali_position rebali_position_find(const char *bytes, size_t len, size_t offset, int in_characters);

/* ---- sorting (sort.c): stable merge sort ----------------------------------------------------------------------- */

typedef int (*rebali_compare)(const void *left, const void *right, const void *context);

/* scratch must have space for count elements. Never fails. */
void rebali_sort(void *array, size_t count, size_t size, void *scratch, rebali_compare compare, const void *context);

/*
 * Sets at, a size_t, to the first of n sorted positions for which is_before is false, or to n. is_before is an
 * expression over at: whether the position precedes the searched value. A macro, as hot loops search.
 */
#define REBALI_BISECT(at, n, is_before)                   \
  do {                                                    \
    size_t rebali_low = 0, rebali_high = (n);             \
    while (rebali_low < rebali_high) {                    \
      (at) = rebali_low + (rebali_high - rebali_low) / 2; \
      if (is_before) {                                    \
        rebali_low = (at) + 1;                            \
      } else {                                            \
        rebali_high = (at);                               \
      }                                                   \
    }                                                     \
    (at) = rebali_low;                                    \
  } while (0)

/* ---- hashing (hash.c) ------------------------------------------------------------------------------------------ */

uint64_t rebali_hash(const void *bytes, size_t len);    /* tables only; never affects an output */
uint32_t rebali_fnv1a32(const void *bytes, size_t len); /* the tie-break of rebalance-karmada(7) 7.7 */
/* FNV-1a of 64 bits; starts with REBALI_FNV1A64 and continues from its last result. */
#define REBALI_FNV1A64 UINT64_C(14695981039346656037)
uint64_t rebali_fnv1a64(uint64_t hash, const void *bytes, size_t len);
/* Returns a letter of Kubernetes hashes: the one at the number modulo their count. */
#define REBALI_HASH_LETTERS 27u
char rebali_hash_letter(uint64_t number);

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
void rebali_digest_u64(struct rebali_digest *digest, uint64_t value);           /* eight bytes, little-endian */
void rebali_digest_text(struct rebali_digest *digest, struct rebali_text text); /* its length first */
/* Adds its canonical text: quantities with the same text are equal. */
void rebali_digest_quantity(struct rebali_digest *digest, const rebal_quantity *quantity);
struct rebali_fingerprint rebali_digest_end(struct rebali_digest *digest);
/* For unordered sets: adds up the fingerprints of their members. */
void rebali_fingerprint_add(struct rebali_fingerprint *sum, struct rebali_fingerprint member);
void rebali_digest_fingerprint(struct rebali_digest *digest, struct rebali_fingerprint fingerprint);

/* ---- interning (intern.c): equal bytes get equal dense ids ------------------------------------------------------ */

/*
 * Append-only store. One writer may add while any number of readers read ids they already know: entries never move
 * (segments of doubling size). Ids count up from 0. Readers may call only get; find and count belong to the writer.
 */
struct rebali_intern;
int32_t rebali_intern_new(const rebal_allocator *allocator, struct rebali_intern **out);
void rebali_intern_free(struct rebali_intern *intern);
/* Copies the bytes, aligned for uint64_t and terminated. Returns REBAL_ENOMEM or REBAL_ELIMIT (2^32 - 2 entries). */
int32_t rebali_intern_add(struct rebali_intern *intern, const void *bytes, size_t len, uint32_t *id);
/* Returns REBALI_NONE if absent. */
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
 * Returns the number of the lowest set bit; one must be set. The constant has no two equal groups of six adjacent bits,
 * so the top six bits of its product with a power of two identify the power (de Bruijn).
 */
static inline size_t rebali_bit_lowest(uint64_t word) {
#ifdef __GNUC__ /* one instruction, if the compiler has a builtin */
  return (size_t)__builtin_ctzll(word);
#else
  static const uint8_t numbers[64] = {0,  1,  48, 2,  57, 49, 28, 3,  61, 58, 50, 42, 38, 29, 17, 4,
                                      62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5,
                                      63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11,
                                      46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9,  13, 8,  7,  6};

  return numbers[(word & (0 - word)) * UINT64_C(0x03F79D71B4CB0A89) >> 58];
#endif
}
/* Returns the number of the highest set bit; one must be set. */
static inline size_t rebali_bit_highest(uint64_t word) {
#ifdef __GNUC__
  return 63u - (size_t)__builtin_clzll(word);
#else
  size_t bit = 0;

  for (size_t step = 32; step > 0; step /= 2) {
    bit += word >> bit >> step != 0 ? step : 0;
  }
  return bit;
#endif
}
/* Counts the bits that are set, or set in both (bitset.c). */
size_t rebali_bits_count(const uint64_t *words, size_t n);
size_t rebali_bits_count_both(const uint64_t *left, const uint64_t *right, size_t n);

/* ---- wide integers and quantities (wide.c, integer.c, quantity*.c) ----------------------------------------------- */

/* Returns the two's complement number with these bits. Compilers see that both branches have the same bits. */
static inline int64_t rebali_from_bits(uint64_t bits) {
  return bits <= INT64_MAX ? (int64_t)bits : -1 - (int64_t)(UINT64_MAX - bits);
}
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
/* Returns the nearest int64_t. */
static inline int64_t rebali_wide_saturate(struct rebali_wide value) {
  const uint64_t sign = value.low >> 63 == 0 ? 0 : UINT64_MAX;

  if ((uint64_t)value.high == sign) {
    return rebali_from_bits(value.low);
  }
  return value.high < 0 ? INT64_MIN : INT64_MAX;
}
/* Returns value / divisor rounded away from zero, saturating at int64; divisor > 0. */
int64_t rebali_wide_divide_away(struct rebali_wide value, int64_t divisor);
struct rebali_wide rebali_quantity_nanos(const rebal_quantity *quantity);
/* amount(q) of rebalance-karmada(7) 6.4: thousandths of decimal notations, units of others; rounded away from zero. */
int64_t rebali_amount_as_written(struct rebali_wide nanos, uint32_t format);
/* Returns whether units and nanos have one sign, nanos are less than a unit, and the format is known. */
int rebali_quantity_is_proper(const rebal_quantity *quantity);
/* The public functions of these names (base.h). quantity.c, quantity_parse.c, quantity_format.c */
int32_t rebali_quantity_parse(const char *text, size_t len, rebal_quantity *out, rebal_error *err);
int32_t rebali_quantity_format(const rebal_quantity *quantity, char *buffer, size_t capacity, size_t *len,
                               rebal_error *err);
int64_t rebali_quantity_value(const rebal_quantity *quantity);
int64_t rebali_quantity_milli(const rebal_quantity *quantity);
int32_t rebali_quantity_add(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                            rebal_error *err);
int32_t rebali_quantity_subtract(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                                 rebal_error *err);
int32_t rebali_quantity_compare(const rebal_quantity *left, const rebal_quantity *right);
/* Converts back to a quantity, saturating; format as given. */
rebal_quantity rebali_quantity_from_nanos(struct rebali_wide nanos, uint32_t format);

/* Returns quantity * count, saturating in units; quantity must be proper. */
rebal_quantity rebali_quantity_multiply(const rebal_quantity *quantity, int64_t count);

/*
 * Returns whether the vector form keeps amounts of this name (resource_name.c; rebalance-karmada(7) 1.1, 6.2). It
 * excludes pods.
 */
int rebali_is_vector_resource(struct rebali_text name);
/* Returns whether it is a vendor's resource, such as example.com/gpu. */
int rebali_is_extended_resource(struct rebali_text name);

/* Resource lists for sums (resource_list.c), in the order of first mention. */
struct rebali_resource_amount {
  struct rebali_text name; /* a copy, terminated */
  rebal_quantity quantity;
};
struct rebali_resource_list {
  const rebal_allocator *allocator; /* NULL: malloc */
  struct rebali_resource_amount *items;
  size_t n;
  size_t capacity;
};
void rebali_resource_list_init(struct rebali_resource_list *amounts, const rebal_allocator *allocator);
/* Returns the quantity of a name; NULL if it is missing. */
const rebal_quantity *rebali_resource_list_find(const struct rebali_resource_list *amounts, struct rebali_text name);
/* Returns the quantity for changes, 0 if new; valid until another name is added. NULL without memory. */
rebal_quantity *rebali_resource_list_at(struct rebali_resource_list *amounts, struct rebali_text name);
/* Sorts by name. Returns REBAL_ENOMEM. */
int32_t rebali_resource_list_sort(struct rebali_resource_list *amounts);
void rebali_resource_list_dispose(struct rebali_resource_list *amounts);

/* Parses an optional sign and decimal digits within int64, nothing else; returns 0 for other texts. integer.c */
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
/* Returns the low 32 bits as a two's complement number, like the peer's conversion to a 32-bit integer. */
static inline int32_t rebali_low_int32(int64_t value) {
  const uint32_t bits = (uint32_t)((uint64_t)value & UINT32_MAX);

  return bits <= INT32_MAX ? (int32_t)bits : -1 - (int32_t)(UINT32_MAX - bits);
}
/* Adds in two's complement, like the peer's machine integers. */
static inline int32_t rebali_add_wrapping(int32_t left, int32_t right) {
  return rebali_low_int32((int64_t)left + right);
}
static inline int64_t rebali_add_wrapping64(int64_t left, int64_t right) {
  return rebali_from_bits((uint64_t)left + (uint64_t)right);
}

/* ---- durations (duration.c); integer results, saturating at int64 --------------------------------------------- */

#define REBALI_SECOND_NS INT64_C(1000000000)
#define REBALI_FIRST_SECOND (INT64_C(-62135596800)) /* 0001-01-01T00:00:00Z */
#define REBALI_LAST_SECOND INT64_C(253402300799)    /* 9999-12-31T23:59:59Z */

/* The public functions of these names (base.h). time.c */
int32_t rebali_time_parse(const char *text, size_t len, rebal_time *out, rebal_error *err);
int32_t rebali_time_format(const rebal_time *time, char *buffer, size_t capacity, size_t *len, rebal_error *err);
int32_t rebali_time_compare(const rebal_time *left, const rebal_time *right);
/* Accepts an absent time, or one in the years 1 to 9999 with nanoseconds below a second. Else returns REBAL_ERANGE. */
int32_t rebali_time_check(const rebal_time *value, int64_t where, rebal_error *err);
/* Checks the clock of a call: rebali_time_check(), and REBAL_EINVAL if it is NULL or absent. */
int32_t rebali_clock_check(const rebal_time *now, rebal_error *err);

/* Returns nanoseconds from now until `seconds` after start; negative if that is past. */
int64_t rebali_time_left_ns(const rebal_time *now, const rebal_time *start, int64_t seconds);
/* Returns the time ns after start, or before it if ns is negative; at most the end of year 9999. */
rebal_time rebali_time_after(const rebal_time *start, int64_t ns);
/* Removes the fraction of a second, like the API server. */
rebal_time rebali_time_whole(const rebal_time *time);

/* ---- label syntax, selectors, taints (label.c, selector.c, toleration.c); rebalance-karmada(7) 1.1, 3.1, 3.3 ----- */

int rebali_is_qualified_name(struct rebali_text key); /* optional DNS-subdomain prefix, '/', name part */
int rebali_is_label_value(struct rebali_text value);  /* empty or a name part of at most 63 bytes */

enum rebali_operator {
  REBALI_OPERATOR_IN,
  REBALI_OPERATOR_NOT_IN,
  REBALI_OPERATOR_EXISTS,
  REBALI_OPERATOR_DOES_NOT_EXIST,
  REBALI_OPERATOR_GREATER,
  REBALI_OPERATOR_LESS,
  REBALI_OPERATOR_UNKNOWN
};

#define REBALI_FEW_VALUES 16u /* so few are searched linearly */
struct rebali_requirement {
  struct rebali_text key;
  enum rebali_operator operation;
  const struct rebali_text *values;
  size_t n_values;
  const struct rebali_text *sorted; /* many values in byte order; NULL: values are searched linearly */
};

/* Parses "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"; anything else is UNKNOWN. */
enum rebali_operator rebali_operator_parse(struct rebali_text text);
/* Returns the operator's name, for messages; for UNKNOWN "(unknown operator)". */
struct rebali_text rebali_operator_text(enum rebali_operator operation);

/* Returns whether the requirement is well formed (key, values, number of values). numeric: Gt and Lt are allowed. */
int rebali_requirement_valid(const struct rebali_requirement *requirement, int numeric);

/* Returns whether it is one of the requirement's values. */
int rebali_requirement_lists(const struct rebali_requirement *requirement, struct rebali_text value);
/* Returns whether a label value matches. value.bytes NULL = key absent. The requirement must be valid. */
int rebali_requirement_matches(const struct rebali_requirement *requirement, struct rebali_text value);

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

/* rebalance-karmada(7) 3.3; tolerationSeconds is ignored. */
int rebali_tolerates(const struct rebali_toleration *toleration, const struct rebali_taint *taint);

#endif
