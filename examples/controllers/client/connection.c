/* SPDX-License-Identifier: MIT */
/* A kubeconfig, or the account that a pod is given. */
#include "client.h"

#include <gnutls/gnutls.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFRESH_MS 10000
#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"

char *read_whole_file(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t used = 0, capacity = 4096;
  char *bytes = malloc(capacity);
  while (file != NULL && bytes != NULL && !ferror(file)) {
    const size_t got = fread(bytes + used, 1, capacity - used - 1, file);
    char *larger;
    used += got;
    if (got == 0) {
      break;
    }
    capacity *= 2;
    larger = realloc(bytes, capacity);
    if (larger == NULL) {
      free(bytes);
    }
    bytes = larger;
  }
  if (file == NULL || bytes == NULL || ferror(file)) {
    say("%s: %s", path, strerror(file == NULL || ferror(file) ? errno : ENOMEM));
    free(bytes);
    bytes = NULL;
  } else {
    bytes[used] = '\0';
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return bytes;
}

/* The list item of a kubeconfig with a name. */
static const rebal_value *find_named(const rebal_value *list, const char *name) {
  for (size_t i = 0; i < rebal_value_count(list); i++) {
    const rebal_value *item = rebal_value_item(list, i);
    if (strcmp(rebal_value_text(rebal_value_member(item, "name"), NULL), name) == 0) {
      return item;
    }
  }
  return NULL;
}

static const char *text_of(const rebal_value *map, const char *key) {
  return rebal_value_text(rebal_value_member(map, key), NULL);
}

/* The text in base64, or the file, that a kubeconfig gives; *out stays NULL where it gives neither. */
static bool take_pem(const rebal_value *map, const char *data_key, const char *file_key, char **out) {
  const char *data = text_of(map, data_key), *file = text_of(map, file_key);
  const gnutls_datum_t encoded = {(unsigned char *)(uintptr_t)data, (unsigned)strlen(data)};
  gnutls_datum_t decoded = {NULL, 0};
  if (data[0] == '\0') {
    *out = file[0] != '\0' ? read_whole_file(file) : NULL;
    return file[0] == '\0' || *out != NULL;
  }
  if (gnutls_base64_decode2(&encoded, &decoded) == 0) {
    *out = strndup((const char *)decoded.data, decoded.size);
    gnutls_free(decoded.data);
  }
  if (*out == NULL) {
    say("kubeconfig: %s is no base64", data_key);
  }
  return *out != NULL;
}

/* A token, or the contents of its file. */
static bool take_token(const rebal_value *user, char **out) {
  const char *token = text_of(user, "token"), *file = text_of(user, "tokenFile");
  if (file[0] != '\0') {
    *out = read_whole_file(file);
    return *out != NULL;
  }
  *out = token[0] != '\0' ? strdup(token) : NULL;
  return token[0] == '\0' || *out != NULL;
}

static bool take_kubeconfig(struct connection *connection, const rebal_value *config) {
  const char *name = connection->context != NULL ? connection->context : text_of(config, "current-context");
  const rebal_value *context = rebal_value_member(find_named(rebal_value_member(config, "contexts"), name), "context");
  const rebal_value *cluster =
      rebal_value_member(find_named(rebal_value_member(config, "clusters"), text_of(context, "cluster")), "cluster");
  const rebal_value *user =
      rebal_value_member(find_named(rebal_value_member(config, "users"), text_of(context, "user")), "user");
  if (text_of(cluster, "server")[0] == '\0') {
    say("kubeconfig: context %s has no server", name);
    return false;
  }
  connection->server = strdup(text_of(cluster, "server"));
  return connection->server != NULL &&
         take_pem(cluster, "certificate-authority-data", "certificate-authority", &connection->authority) &&
         take_pem(user, "client-certificate-data", "client-certificate", &connection->certificate) &&
         take_pem(user, "client-key-data", "client-key", &connection->key) && take_token(user, &connection->token);
}

/* NULL: it said why. */
static rebal_document *read_document(const char *path) {
  char *text = read_whole_file(path);
  rebal_document *document = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  if (text != NULL && rebal_document_read(text, REBAL_TERMINATED, NULL, &document, &err) != REBAL_OK) {
    say("%s:%u:%u: %s", path, (unsigned)err.line, (unsigned)err.column, err.message);
  }
  free(text);
  return document;
}

static bool open_kubeconfig(struct connection *connection, const char *path) {
  rebal_document *document = read_document(path);
  const bool is_open = document != NULL && take_kubeconfig(connection, rebal_document_value(document, ""));
  rebal_document_free(document);
  return is_open;
}

bool kubeconfig_has(const char *kubeconfig, const char *context) {
  rebal_document *document = read_document(kubeconfig);
  const bool is_there = document != NULL && find_named(rebal_document_value(document, "contexts"), context) != NULL;
  rebal_document_free(document);
  return is_there;
}

static bool open_account(struct connection *connection) {
  const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
  char server[300];
  if (host == NULL || port == NULL) {
    say("neither a kubeconfig nor KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are given");
    return false;
  }
  (void)snprintf(server, sizeof server, strchr(host, ':') != NULL ? "https://[%s]:%s" : "https://%s:%s", host, port);
  connection->server = strdup(server);
  connection->authority = read_whole_file(ACCOUNT "ca.crt");
  connection->token = read_whole_file(ACCOUNT "token");
  return connection->server != NULL && connection->authority != NULL && connection->token != NULL;
}

bool connection_open(struct connection *connection, const char *kubeconfig, const char *context) {
  *connection = (struct connection){.kubeconfig = kubeconfig, .context = context, .read_at = INT64_MIN / 2};
  if (kubeconfig != NULL ? open_kubeconfig(connection, kubeconfig) : open_account(connection)) {
    return true;
  }
  connection_close(connection);
  return false;
}

void connection_refresh(struct connection *connection, int64_t now) {
  struct connection read;
  if (now - connection->read_at < REFRESH_MS) {
    return;
  }
  connection->read_at = now;
  if (connection_open(&read, connection->kubeconfig, connection->context)) {
    read.read_at = now;
    connection_close(connection);
    *connection = read;
  }
}

void connection_close(struct connection *connection) {
  free(connection->server);
  free(connection->authority);
  free(connection->certificate);
  free(connection->key);
  free(connection->token);
}
