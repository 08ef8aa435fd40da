/* SPDX-License-Identifier: MIT */
/*
 * tls.h - the certificate of a program that serves, from files that are read again when they change: a mounted Secret
 * is rotated. There is one in a process, since GnuTLS hands nothing to the function that looks for it.
 */
#ifndef TLS_H
#define TLS_H

#include <gnutls/abstract.h>

#include <stdbool.h>

/* Reads both PEM files, whose names must outlive it. Returns false after it has logged why. */
bool tls_open(const char *certificate, const char *key);
void tls_close(void);
/* A gnutls_certificate_retrieve_function3. */
int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info, gnutls_pcert_st **certificates,
                 unsigned *n, gnutls_ocsp_data_st **ocsp, unsigned *n_ocsp, gnutls_privkey_t *key, unsigned *flags);

#endif
