/* SPDX-License-Identifier: MIT */
/* Bytes that end with their length, which is limited: a ConfigMap cannot make the program take all memory. */
#include "karmada-planner-packed.h"

#include <string.h>
#include <zlib.h>

#define AS_GZIP 16
#define MOST_BYTES (256u << 20)
#define LEAST_PACKED 18 /* head and end */

bool pack(const gnutls_datum_t *bytes, gnutls_datum_t *out) {
  z_stream stream;
  uLong most;
  bool is_done = false;
  memset(&stream, 0, sizeof stream);
  if (bytes->size > MOST_BYTES || deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + AS_GZIP,
                                               MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
    return false;
  }
  most = deflateBound(&stream, bytes->size);
  out->data = gnutls_malloc(most);
  if (out->data != NULL) {
    stream.next_in = bytes->data;
    stream.avail_in = bytes->size;
    stream.next_out = out->data;
    stream.avail_out = (uInt)most;
    is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out->size = (unsigned)stream.total_out;
  }
  (void)deflateEnd(&stream);
  return is_done;
}

bool unpack(const gnutls_datum_t *packed, gnutls_datum_t *out) {
  z_stream stream;
  bool is_done = false;
  memset(&stream, 0, sizeof stream);
  if (packed->size < LEAST_PACKED || inflateInit2(&stream, MAX_WBITS + AS_GZIP) != Z_OK) {
    return false;
  }
  out->size = 0;
  for (unsigned i = 1; i <= 4; i++) {
    out->size = out->size << 8 | packed->data[packed->size - i];
  }
  out->data = out->size > MOST_BYTES ? NULL : gnutls_malloc((size_t)out->size + 1);
  if (out->data != NULL) {
    stream.next_in = packed->data;
    stream.avail_in = packed->size;
    stream.next_out = out->data;
    stream.avail_out = out->size + 1;
    is_done = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == out->size;
  }
  (void)inflateEnd(&stream);
  return is_done;
}
