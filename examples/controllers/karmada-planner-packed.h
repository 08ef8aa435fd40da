/* SPDX-License-Identifier: MIT */
/* karmada-planner-packed.h - bytes as gzip has them: a ConfigMap holds 1 MiB. */
#ifndef KARMADA_PLANNER_PACKED_H
#define KARMADA_PLANNER_PACKED_H

#include <gnutls/gnutls.h>
#include <stdbool.h>

/* *out is for gnutls_free(). false: there is no memory, or there is too much of it. */
bool pack(const gnutls_datum_t *bytes, gnutls_datum_t *out);
/* The same; false also where these are no such bytes. */
bool unpack(const gnutls_datum_t *packed, gnutls_datum_t *out);

#endif
