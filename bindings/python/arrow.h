/* SPDX-License-Identifier: MIT */
/*
 * Columns as Arrow has them: the structures of its C data interface, and what makes them of plain columns. An owner is
 * a Python object, as id() returns it: every structure keeps a reference to it until it is released by any thread.
 */
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

/* A column without children. The owner keeps all that it points to. */
typedef struct librebalance_column {
  const char *format; /* "l", "u" or "tsu:UTC" */
  const char *name;
  int64_t null_count;
  int64_t n_buffers; /* validity (NULL: no cell is absent), values; or validity, offsets, bytes */
  const void *buffers[3];
} librebalance_column;

/* n columns of the same length side by side, or one alone. */
typedef struct librebalance_columns {
  const librebalance_column *columns;
  size_t n;
  int64_t length;
  int is_alone;    /* the only column, not a table of one */
  uintptr_t owner; /* keeps the columns, too */
} librebalance_columns;

/* A structure in memory of its own, for a capsule; NULL: no memory. */
struct ArrowSchema *librebalance_schema(const librebalance_columns *columns);
struct ArrowArray *librebalance_array(const librebalance_columns *columns);
struct ArrowArrayStream *librebalance_stream(const librebalance_columns *columns);

/* Destructors of capsules of the three. */
void *librebalance_destructor(int kind);
