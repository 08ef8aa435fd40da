/* SPDX-License-Identifier: MIT */
/*
 * rebalance/base.h - errors, allocators and values shared by all headers.
 *
 * Rules that hold for every function of the library unless its comment states otherwise:
 *  - It returns REBAL_OK (0) or a negative code of codes.def; outputs are written only on success.
 *  - A NULL rebal_error is allowed everywhere.
 *  - Text is a pointer and a length in bytes, UTF-8; the library copies what it keeps. The length REBAL_TERMINATED
 *    means that the text ends with NUL. NULL with length 0 is the empty text; NULL with another length is REBAL_EINVAL.
 *    Longer texts are REBAL_ELIMIT: in librebalance above INT32_MAX bytes, in librebalance-manifest above the limits of
 *    its readers.
 *  - An object must be used by one thread at a time. Exceptions: any number of threads may at the same time read frozen
 *    objects (snapshots, frozen bindings, records, plans), and sets of options while no option is being set.
 *  - Each object that a function creates must be freed with the matching _free() or _unref() function, unless its
 *    comment names another owner.
 */
#ifndef REBAL_BASE_H
#define REBAL_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(REBAL_NO_EXPORT)
#define REBAL_API
#elif defined(__GNUC__) && !defined(_WIN32)
#define REBAL_API __attribute__((visibility("default")))
#else
#define REBAL_API
#endif

/** Version of these headers; rebal_version() returns the version of the library loaded at run time. */
#define REBAL_VERSION_MAJOR 0
#define REBAL_VERSION_MINOR 1
#define REBAL_VERSION_PATCH 0

/** Number of the binary interface of these headers, the N of librebalance.so.N; rebal_abi_version() must be equal. */
#define REBAL_ABI_VERSION 0

/** The length of a text that ends with NUL. Lengths in structures have 64 bits: there UINT64_MAX means the same. */
#define REBAL_TERMINATED SIZE_MAX

/** Error codes; see codes.def. */
enum rebal_code {
#define REBAL_CODE(name, number, text) name = number,
#include "codes.def"
#undef REBAL_CODE
};

/**
 * Details of a failed call. The caller owns it and sets struct_size before the call (REBAL_ERROR_INIT does). If
 * struct_size is smaller than in the structure's first release, or above 4096, the structure is left unchanged.
 * Since: 0.1
 */
typedef struct rebal_error {
  uint32_t struct_size; /**< sizeof(rebal_error) of the caller */
  int32_t code;         /**< the code the call returned */
  int64_t where;        /**< what the message refers to, by page: a row, id, index or byte offset; -1: none */
  uint32_t document;    /**< document within a text stream, counted from 1; 0 when no text was read */
  uint32_t line;        /**< line, counted from 1; 0 when unknown */
  uint32_t column;      /**< column in characters, counted from 1; 0 when unknown */
  uint32_t reserved0;   /**< 0 */
  char field[160];      /**< field path such as spec.replicas; empty when none; always terminated */
  char message[240];    /**< English text, always terminated */
} rebal_error;

/** Initialiser of a rebal_error. */
#define REBAL_ERROR_INIT {(uint32_t)sizeof(rebal_error), 0, -1, 0, 0, 0, 0, {0}, {0}}

/**
 * Memory functions passed to an object at creation and copied into it. All three are required and get user_data as
 * their first argument. allocate and reallocate return blocks aligned for every type, as malloc does, or NULL on
 * failure; reallocate and release accept NULL, as realloc and free do. Sizes are never 0. The functions must not call
 * the library and must return: no longjmp and no exception. A NULL allocator means malloc, realloc and free.
 * REBAL_EABI: struct_size is not set; REBAL_EINVAL: a function is missing.
 * The functions must be safe to call from any thread if objects with one allocator are used in different threads: a
 * ledger or a copy of one also uses the allocator of its fleet, and any thread may drop the last reference to a
 * snapshot.
 * Since: 0.1
 */
typedef struct rebal_allocator {
  uint32_t struct_size; /**< sizeof(rebal_allocator) */
  uint32_t reserved0;   /**< must be 0 */
  void *user_data;      /**< passed to the functions */
  void *(*allocate)(void *user_data, size_t size);
  void *(*reallocate)(void *user_data, void *pointer, size_t size);
  void (*release)(void *user_data, void *pointer);
} rebal_allocator;

/** Notation of a quantity: the family of suffixes in its text. */
enum rebal_quantity_format {
  REBAL_QUANTITY_FORMAT_NONE = 0,            /**< the all-zero default value */
  REBAL_QUANTITY_FORMAT_DECIMAL_SI = 1,      /**< no suffix, or n u m k M G T P E */
  REBAL_QUANTITY_FORMAT_BINARY_SI = 2,       /**< Ki Mi Gi Ti Pi Ei */
  REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT = 3 /**< e or E and an exponent */
};

/**
 * A Kubernetes resource quantity, exact to 1e-9: units + nanos / 1e9. units and nanos never have opposite signs; nanos
 * is between -999,999,999 and 999,999,999. Values beyond int64 units saturate.
 * Since: 0.1
 */
typedef struct rebal_quantity {
  int64_t units;
  int32_t nanos;
  uint32_t format; /**< one of REBAL_QUANTITY_FORMAT_* */
} rebal_quantity;

/**
 * A point in time: seconds since 1970-01-01T00:00:00Z, years 1 to 9999, and nanoseconds from 0 to 999,999,999. is_set 0
 * means no time; then the other members are 0.
 * Since: 0.1
 */
typedef struct rebal_time {
  int64_t seconds;
  int32_t nanos;
  uint32_t is_set;
} rebal_time;

/** Returns the version of the library as static text, such as "0.1.0". Never NULL. Any thread. Since: 0.1 */
REBAL_API const char *rebal_version(void);

/**
 * Returns the number of the binary interface, the N of librebalance.so.N; REBAL_ABI_VERSION is that of the headers. Any
 * thread. Since: 0.1
 */
REBAL_API uint32_t rebal_abi_version(void);

/**
 * Returns static English text for an error code; "unknown error" for a number not in codes.def. Any thread. Since: 0.1
 */
REBAL_API const char *rebal_strerror(int32_t code);

/**
 * Reads a quantity in any legal Kubernetes notation (100m, 1.5, 2Gi, 1e3, 250000u). Digits finer than 1n are rounded
 * away from zero. Source: rebalance-karmada(7) 1.1.
 * @returns REBAL_EPARSE if the text is not a quantity (where = byte offset).
 * Since: 0.1
 */
REBAL_API int32_t rebal_quantity_parse(const char *text, size_t len, rebal_quantity *out, rebal_error *err);

/**
 * Writes the canonical text of a quantity, as Kubernetes prints it, into buffer (capacity bytes) and its length without
 * the terminator into *len. A capacity of exactly the length is enough, but then the text is not terminated. With
 * capacity 0 only the length is returned. 40 bytes are enough for each quantity and each time, terminated.
 * @returns REBAL_ERANGE if the buffer is too small: it is unchanged, and *len is the length needed, without the
 * terminator.
 * Since: 0.1
 */
REBAL_API int32_t rebal_quantity_format(const rebal_quantity *quantity, char *buffer, size_t capacity, size_t *len,
                                        rebal_error *err);

/** Returns the quantity rounded away from zero to an integer; saturates at the int64 range. Any thread. Since: 0.1 */
REBAL_API int64_t rebal_quantity_value(const rebal_quantity *quantity);

/** Returns the quantity times 1,000, rounded away from zero; saturates at the int64 range. Any thread. Since: 0.1 */
REBAL_API int64_t rebal_quantity_milli(const rebal_quantity *quantity);

/**
 * Adds two quantities: *out = left + right. The format is that of left or, if left is zero, of right. out may be left
 * or right. Since: 0.1
 */
REBAL_API int32_t rebal_quantity_add(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                                     rebal_error *err);

/** Subtracts two quantities: *out = left - right. Format and out as in rebal_quantity_add(). Since: 0.1 */
REBAL_API int32_t rebal_quantity_subtract(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                                          rebal_error *err);

/**
 * Returns -1, 0 or 1 if left is less than, equal to or greater than right; formats are ignored. Any thread. Since: 0.1
 */
REBAL_API int32_t rebal_quantity_compare(const rebal_quantity *left, const rebal_quantity *right);

/**
 * Reads an RFC 3339 time with offset and optional fraction ("2026-03-14T09:00:00Z").
 * @returns REBAL_EPARSE if the text is not such a time (where = byte offset).
 * Since: 0.1
 */
REBAL_API int32_t rebal_time_parse(const char *text, size_t len, rebal_time *out, rebal_error *err);

/**
 * Writes a set time as RFC 3339 in UTC, without a fraction if nanos is 0. Buffer rules of rebal_quantity_format().
 * Since: 0.1
 */
REBAL_API int32_t rebal_time_format(const rebal_time *time, char *buffer, size_t capacity, size_t *len,
                                    rebal_error *err);

/** Returns -1, 0 or 1 if left is before, at or after right; no time is before every other. Any thread. Since: 0.1 */
REBAL_API int32_t rebal_time_compare(const rebal_time *left, const rebal_time *right);

#ifdef __cplusplus
}
#endif
#endif
