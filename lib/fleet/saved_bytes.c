/* SPDX-License-Identifier: MIT */
/* Numbers and texts as bytes, and the frame of sections. */
#include "fleet/saved.h"

#define SECTION_HEAD 24u /* bytes: kind, three numbers, the length */
#define SECTION_LENGTH 16u
#define MAGIC_LENGTH 8u

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void rebali_save_bytes(struct rebali_saving *saving, const void *bytes, size_t len) {
  if (len > SIZE_MAX - saving->len) {
    saving->len = SIZE_MAX;
    return;
  }
  if (saving->len <= saving->capacity && len <= saving->capacity - saving->len && len != 0) {
    memcpy(saving->bytes + saving->len, bytes, len);
  }
  saving->len += len;
}

static void write_number(struct rebali_saving *saving, uint64_t value, unsigned width) {
  unsigned char bytes[8];

  for (unsigned i = 0; i < width; i++) {
    bytes[i] = (unsigned char)(value >> 8u * i);
  }
  rebali_save_bytes(saving, bytes, width);
}

void rebali_save_u32(struct rebali_saving *saving, uint32_t value) {
  write_number(saving, value, 4);
}

void rebali_save_u64(struct rebali_saving *saving, uint64_t value) {
  write_number(saving, value, 8);
}

void rebali_save_text(struct rebali_saving *saving, struct rebali_text text) {
  rebali_save_u32(saving, (uint32_t)text.len); /* no text is longer than INT32_MAX */
  rebali_save_bytes(saving, text.bytes, text.len);
}

void rebali_save_time(struct rebali_saving *saving, const rebal_time *time) {
  rebali_save_u64(saving, (uint64_t)time->seconds);
  rebali_save_u32(saving, (uint32_t)time->nanos);
}

void rebali_save_head(struct rebali_saving *saving, const char *magic, uint32_t version) {
  rebali_save_bytes(saving, magic, MAGIC_LENGTH);
  rebali_save_u32(saving, version);
  rebali_save_u32(saving, 0);
}

/* Returns a width in bytes that holds all values. */
static unsigned width_of(const int64_t *values, size_t n) {
  unsigned width = 1;

  for (size_t i = 0; i < n; i++) {
    while (width < 8 && (values[i] < -(INT64_C(1) << (8 * width - 1)) || values[i] >= INT64_C(1) << (8 * width - 1))) {
      width *= 2;
    }
  }
  return width;
}

void rebali_save_integers(struct rebali_saving *saving, const int64_t *values, size_t n) {
  const unsigned width = width_of(values, n);

  write_number(saving, width, 1);
  for (size_t i = 0; i < n; i++) {
    write_number(saving, (uint64_t)values[i], width);
  }
}

/* Writes the length of the open section, if there is one. */
static void close_section(const struct rebali_saving *saving) {
  if (saving->section != 0 && saving->len <= saving->capacity) {
    struct rebali_saving head = {.bytes = saving->bytes, .capacity = saving->capacity};

    head.len = saving->section + SECTION_LENGTH;
    rebali_save_u64(&head, saving->len - saving->section - SECTION_HEAD);
  }
}

void rebali_save_section(struct rebali_saving *saving, uint32_t kind, uint32_t first, uint32_t second) {
  close_section(saving);
  saving->section = saving->len;
  rebali_save_u32(saving, kind);
  rebali_save_u32(saving, first);
  rebali_save_u32(saving, second);
  rebali_save_u32(saving, 0);
  rebali_save_u64(saving, 0);
}

void rebali_save_end(struct rebali_saving *saving) {
  rebali_save_section(saving, REBALI_SAVED_END, 0, 0);
  close_section(saving);
}

static void reserve_cells(struct rebali_saving *saving, size_t n) {
  const rebal_allocator *allocator = saving->allocator;

  if (rebali_reserve(allocator, &saving->ids, &saving->ids_capacity, n, sizeof *saving->ids) != REBAL_OK ||
      rebali_reserve(allocator, &saving->values, &saving->values_capacity, n, sizeof *saving->values) != REBAL_OK ||
      rebali_reserve(allocator, &saving->nanos, &saving->nanos_capacity, n, sizeof *saving->nanos) != REBAL_OK) {
    saving->failed = 1;
  }
}

void rebali_save_begin(struct rebali_saving *saving, size_t n) {
  saving->n = 0;
  reserve_cells(saving, n);
}

void rebali_save_add(struct rebali_saving *saving, uint32_t id, int64_t value, int64_t nanos) {
  reserve_cells(saving, (size_t)saving->n + 1);
  if (!saving->failed) {
    saving->ids[saving->n] = id;
    saving->values[saving->n] = value;
    saving->nanos[saving->n] = nanos;
    saving->n++;
  }
}

int32_t rebali_saving_end(const struct rebali_saving *saving, size_t *len, rebal_error *err) {
  if (saving->failed) {
    return rebali_fail_memory(err);
  }
  if (saving->len == SIZE_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more bytes than memory can have");
  }
  *len = saving->len;
  return saving->capacity != 0 && saving->capacity < saving->len
             ? rebali_fail(err, REBAL_ERANGE, -1, "the buffer is too small")
             : REBAL_OK;
}

void rebali_saving_dispose(struct rebali_saving *saving) {
  rebali_release(saving->allocator, saving->ids);
  rebali_release(saving->allocator, saving->values);
  rebali_release(saving->allocator, saving->nanos);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

int32_t rebali_load_malformed(const struct rebali_loading *loading, const char *what, rebal_error *err) {
  return rebali_fail(err, REBAL_EPARSE, (int64_t)loading->at, "%s", what);
}

/* Returns the next len bytes; NULL if fewer remain. */
static const unsigned char *take_bytes(struct rebali_loading *loading, size_t len) {
  const unsigned char *bytes = loading->bytes + loading->at;

  if (len > loading->end - loading->at) {
    return NULL;
  }
  loading->at += len;
  return bytes;
}

static uint64_t number_at(const unsigned char *bytes, unsigned width) {
  uint64_t value = 0;

  for (unsigned i = 0; i < width; i++) {
    value |= (uint64_t)bytes[i] << 8u * i;
  }
  return value;
}

static int32_t take_number(struct rebali_loading *loading, unsigned width, uint64_t *value, rebal_error *err) {
  const unsigned char *bytes = take_bytes(loading, width);

  if (bytes == NULL) {
    return rebali_load_malformed(loading, "the bytes end too early", err);
  }
  *value = number_at(bytes, width);
  return REBAL_OK;
}

int32_t rebali_load_u32(struct rebali_loading *loading, uint32_t *value, rebal_error *err) {
  uint64_t number = 0;
  const int32_t code = take_number(loading, 4, &number, err);

  *value = (uint32_t)number;
  return code;
}

int32_t rebali_load_u64(struct rebali_loading *loading, uint64_t *value, rebal_error *err) {
  return take_number(loading, 8, value, err);
}

int32_t rebali_load_time(struct rebali_loading *loading, rebal_time *time, rebal_error *err) {
  uint64_t seconds = 0;
  uint32_t nanos = 0;
  int32_t code = rebali_load_u64(loading, &seconds, err);

  if (code == REBAL_OK) {
    code = rebali_load_u32(loading, &nanos, err);
  }
  *time = (rebal_time){(int64_t)seconds, (int32_t)nanos, 1};
  return code;
}

int32_t rebali_load_text(struct rebali_loading *loading, struct rebali_text *text, rebal_error *err) {
  uint32_t len;
  const int32_t code = rebali_load_u32(loading, &len, err);
  const unsigned char *bytes = code == REBAL_OK ? take_bytes(loading, len) : NULL;

  *text = rebali_text((const char *)bytes, len);
  return code == REBAL_OK && bytes == NULL ? rebali_load_malformed(loading, "a text ends too early", err) : code;
}

int32_t rebali_load_count(struct rebali_loading *loading, size_t each, uint32_t *n, rebal_error *err) {
  const int32_t code = rebali_load_u32(loading, n, err);

  return code == REBAL_OK && *n > (loading->end - loading->at) / each
             ? rebali_load_malformed(loading, "a number is too large for what follows", err)
             : code;
}

/* Converts two's complement of any width. */
static int64_t signed_value(uint64_t value, unsigned width) {
  const uint64_t sign = UINT64_C(1) << (8 * width - 1);

  /* -value - 1 of a negative number always fits. */
  return (value & sign) == 0 ? (int64_t)value : -(int64_t)(~value & (sign - 1)) - 1;
}

int32_t rebali_load_integers(struct rebali_loading *loading, int64_t *values, size_t n, rebal_error *err) {
  uint64_t width = 0;
  const int32_t code = take_number(loading, 1, &width, err);
  const unsigned char *bytes;

  if (code != REBAL_OK) {
    return code;
  }
  if ((width != 1 && width != 2 && width != 4 && width != 8) || n > (loading->end - loading->at) / width) {
    return rebali_load_malformed(loading, "integers of a wrong width, or too many", err);
  }
  bytes = take_bytes(loading, n * (size_t)width);
  for (size_t i = 0; i < n; i++) {
    values[i] = signed_value(number_at(bytes + i * width, (unsigned)width), (unsigned)width);
  }
  return REBAL_OK;
}

int32_t rebali_load_reserve(struct rebali_loading *loading, size_t n, rebal_error *err) {
  const rebal_allocator *allocator = loading->allocator;

  return rebali_reserve(allocator, &loading->ids, &loading->ids_capacity, n, sizeof *loading->ids) == REBAL_OK &&
                 rebali_reserve(allocator, &loading->values, &loading->values_capacity, n, sizeof *loading->values) ==
                     REBAL_OK &&
                 rebali_reserve(allocator, &loading->nanos, &loading->nanos_capacity, n, sizeof *loading->nanos) ==
                     REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(err);
}

int32_t rebali_load_ids(struct rebali_loading *loading, rebal_error *err) {
  int32_t code = rebali_load_count(loading, 1, &loading->n, err);

  if (code == REBAL_OK) {
    code = rebali_load_reserve(loading, loading->n, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_integers(loading, loading->values, loading->n, err);
  }
  for (uint32_t i = 0; i < loading->n && code == REBAL_OK; i++) {
    if (loading->values[i] < 0 || loading->values[i] > (int64_t)UINT32_MAX) {
      code = rebali_load_malformed(loading, "a number is not an id", err);
    } else {
      loading->ids[i] = (uint32_t)loading->values[i];
    }
  }
  return code;
}

void rebali_loading_dispose(struct rebali_loading *loading) {
  rebali_release(loading->allocator, loading->ids);
  rebali_release(loading->allocator, loading->values);
  rebali_release(loading->allocator, loading->nanos);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static int32_t check_head(struct rebali_loading *loading, const struct rebali_saved_frame *frame, rebal_error *err) {
  uint32_t version = 0, reserved = 0;
  int32_t code;

  if (loading->end < MAGIC_LENGTH || memcmp(loading->bytes, frame->magic, MAGIC_LENGTH) != 0) {
    return rebali_load_malformed(loading, frame->missing, err);
  }
  loading->at = MAGIC_LENGTH;
  code = rebali_load_u32(loading, &version, err);
  if (code == REBAL_OK && version != frame->version) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "version %lu of the format", (unsigned long)version);
  }
  if (code == REBAL_OK) {
    code = rebali_load_u32(loading, &reserved, err);
  }
  return code == REBAL_OK && reserved != 0 ? rebali_load_malformed(loading, "the beginning is malformed", err) : code;
}

/* Reads the kind and subject of the next section, and checks that it is complete. */
static int32_t open_section(struct rebali_loading *loading, const struct rebali_saved_frame *frame, uint32_t *kind,
                            size_t *end, rebal_error *err) {
  uint64_t len = 0;
  int32_t code = rebali_load_u32(loading, kind, err);

  for (size_t i = 0; i < REBALI_COUNT(loading->about) && code == REBAL_OK; i++) {
    code = rebali_load_u32(loading, &loading->about[i], err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_u64(loading, &len, err);
  }
  if (code == REBAL_OK && len > loading->end - loading->at) {
    code = rebali_load_malformed(loading, "a section ends too early", err);
  }
  if (code == REBAL_OK && *kind >= frame->n_readers) {
    code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no section has the kind %lu", (unsigned long)*kind);
  }
  *end = loading->at + (size_t)len;
  return code;
}

static int32_t load_section(struct rebali_loading *loading, int32_t (*read)(struct rebali_loading *, rebal_error *),
                            rebal_error *err) {
  rebal_error inner = REBAL_ERROR_INIT;
  const size_t first = loading->at;
  int32_t code = read(loading, &inner);

  if (code == REBAL_OK && loading->at != loading->end) {
    code = rebali_load_malformed(loading, "a section goes on too long", &inner);
  }
  if (code == REBAL_OK || code == REBAL_ENOMEM) {
    return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
  }
  return rebali_fail(err, code == REBAL_EUNSUPPORTED ? code : REBAL_EPARSE,
                     (int64_t)(code == REBAL_EPARSE ? loading->at : first), "%s", inner.message);
}

int32_t rebali_load_all(struct rebali_loading *loading, const struct rebali_saved_frame *frame, size_t len,
                        rebal_error *err) {
  uint32_t kind = 1;
  int32_t code = check_head(loading, frame, err);

  while (code == REBAL_OK && kind != 0) {
    size_t end = 0;

    code = open_section(loading, frame, &kind, &end, err);
    if (code == REBAL_OK && kind != 0) {
      loading->end = end;
      code = load_section(loading, frame->readers[kind], err);
      loading->end = len;
    } else if (code == REBAL_OK && loading->at != len) {
      code = rebali_load_malformed(loading, "bytes follow the end", err);
    }
  }
  return code;
}
