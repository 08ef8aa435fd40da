/* SPDX-License-Identifier: MIT */
/* The certificate that a program serves with. */
#include "tls.h"

#include "client.h"

#include <gnutls/gnutls.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_CHAIN 16

/* What a file was when it was read. */
struct stamp {
  dev_t device;
  ino_t number;
  off_t size;
  struct timespec changed;
};

static const char *paths[2]; /* certificate, key */
static char *texts[2];
static struct stamp stamps[2];

static gnutls_datum_t datum_of(char *text) {
  return (gnutls_datum_t){(unsigned char *)text, (unsigned)strlen(text)};
}

/* Are these a certificate and its key? Between two writes of a rotation they are not. */
static int compare(char *certificate, char *key) {
  const gnutls_datum_t first = datum_of(certificate), second = datum_of(key);
  gnutls_certificate_credentials_t credentials;
  int code = gnutls_certificate_allocate_credentials(&credentials);
  if (code == GNUTLS_E_SUCCESS) {
    code = gnutls_certificate_set_x509_key_mem(credentials, &first, &second, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
  }
  return code < 0 ? code : GNUTLS_E_SUCCESS;
}

static bool read_files(void) {
  char *read[2] = {read_whole_file(paths[0]), read_whole_file(paths[1])};
  int code = GNUTLS_E_FILE_ERROR;
  if (read[0] != NULL && read[1] != NULL) {
    code = compare(read[0], read[1]);
  }
  if (code != GNUTLS_E_SUCCESS) {
    say("%s, %s: %s", paths[0], paths[1], gnutls_strerror(code));
    free(read[0]);
    free(read[1]);
    return false;
  }
  tls_close();
  memcpy(texts, read, sizeof texts);
  return true;
}

static bool have_changed(void) {
  struct stamp now[2];
  memset(now, 0, sizeof now);
  for (size_t i = 0; i < 2; i++) {
    struct stat found;
    if (stat(paths[i], &found) == 0) {
      now[i] = (struct stamp){found.st_dev, found.st_ino, found.st_size, found.st_mtim};
    }
  }
  if (memcmp(now, stamps, sizeof now) == 0) {
    return false;
  }
  memcpy(stamps, now, sizeof stamps);
  return true;
}

bool tls_open(const char *certificate, const char *key) {
  paths[0] = certificate;
  paths[1] = key;
  (void)have_changed();
  return read_files();
}

void tls_close(void) {
  for (size_t i = 0; i < 2; i++) {
    free(texts[i]);
    texts[i] = NULL;
  }
}

/* GnuTLS frees both. */
static int import(gnutls_pcert_st **certificates, unsigned *n, gnutls_privkey_t *key) {
  const gnutls_datum_t chain = datum_of(texts[0]), secret = datum_of(texts[1]);
  int code;
  *n = MAX_CHAIN;
  *certificates = gnutls_calloc(MAX_CHAIN, sizeof **certificates);
  if (*certificates == NULL) {
    return GNUTLS_E_MEMORY_ERROR;
  }
  code = gnutls_pcert_list_import_x509_raw(*certificates, n, &chain, GNUTLS_X509_FMT_PEM, 0);
  if (code < 0) {
    gnutls_free(*certificates);
    return code;
  }
  code = gnutls_privkey_init(key);
  if (code >= 0) {
    code = gnutls_privkey_import_x509_raw(*key, &secret, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (code >= 0) {
      return GNUTLS_E_SUCCESS;
    }
    gnutls_privkey_deinit(*key);
  }
  for (unsigned i = 0; i < *n; i++) {
    gnutls_pcert_deinit(&(*certificates)[i]);
  }
  gnutls_free(*certificates);
  return code;
}

int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info, gnutls_pcert_st **certificates,
                 unsigned *n, gnutls_ocsp_data_st **ocsp, unsigned *n_ocsp, gnutls_privkey_t *key, unsigned *flags) {
  (void)session;
  (void)info;
  if (have_changed() && read_files()) {
    say("%s: read again", paths[0]);
  }
  *ocsp = NULL;
  *n_ocsp = 0;
  *flags = GNUTLS_CERT_RETR_DEINIT_ALL;
  return import(certificates, n, key);
}
