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

/* A file of a kubeconfig: a relative path begins at the directory of the kubeconfig. */
static char *read_file_of(const char *kubeconfig, const char *file) {
  const char *slash = strrchr(kubeconfig, '/');
  const size_t len = file[0] != '/' && slash != NULL ? (size_t)(slash - kubeconfig) + 1 : 0;
  const size_t capacity = len + strlen(file) + 1;
  char *path = malloc(capacity), *contents = NULL;
  if (path != NULL) {
    (void)snprintf(path, capacity, "%.*s%s", (int)len, kubeconfig, file);
    contents = read_whole_file(path);
  }
  free(path);
  return contents;
}

/* The text in base64, or the file, that a kubeconfig gives; *out stays NULL where it gives neither. */
static bool take_pem(const char *kubeconfig, const rebal_value *map, const char *data_key, const char *file_key,
                     char **out) {
  const char *data = text_of(map, data_key), *file = text_of(map, file_key);
  const gnutls_datum_t encoded = {(unsigned char *)(uintptr_t)data, (unsigned)strlen(data)};
  gnutls_datum_t decoded = {NULL, 0};
  if (data[0] == '\0') {
    *out = file[0] != '\0' ? read_file_of(kubeconfig, file) : NULL;
    return file[0] == '\0' || *out != NULL;
  }
  if (gnutls_base64_decode2(&encoded, &decoded) == 0) {
    *out = strndup((const char *)decoded.data, decoded.size);
    gnutls_free(decoded.data);
  }
  if (*out == NULL) {
    say("%s: %s is not base64", kubeconfig, data_key);
  }
  return *out != NULL;
}

/* A token, or the contents of its file. */
static bool take_token(const char *kubeconfig, const rebal_value *user, char **out) {
  const char *token = text_of(user, "token"), *file = text_of(user, "tokenFile");
  if (file[0] != '\0') {
    *out = read_file_of(kubeconfig, file);
    return *out != NULL;
  }
  *out = token[0] != '\0' ? strdup(token) : NULL;
  return token[0] == '\0' || *out != NULL;
}

static bool is_given(const rebal_value *value) {
  int64_t number = 0;
  return rebal_value_text(value, NULL)[0] != '\0' || rebal_value_count(value) > 0 ||
         (rebal_value_integer(value, &number) && number != 0);
}

/* Does a cluster or a user have nothing that a connection lacks? Ignored, it would make another connection of it. */
static bool is_supported(const struct connection *connection, const rebal_value *map) {
  static const char *const unsupported[] = {"insecure-skip-tls-verify",
                                            "tls-server-name",
                                            "proxy-url",
                                            "exec",
                                            "auth-provider",
                                            "username",
                                            "password",
                                            "as",
                                            "as-uid",
                                            "as-groups",
                                            "as-user-extra"};
  for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++) {
    if (is_given(rebal_value_member(map, unsupported[i]))) {
      say("%s: %s is not supported", connection->kubeconfig, unsupported[i]);
      return false;
    }
  }
  return true;
}

/* Returns the entry of a kubeconfig's list with a name; NULL after it has logged that there is none. */
static const rebal_value *find_part(const struct connection *connection, const rebal_value *config, const char *list,
                                    const char *part, const char *name) {
  const rebal_value *item = find_named(rebal_value_member(config, list), name);
  if (item == NULL) {
    say("%s: %s has no \"%s\"", connection->kubeconfig, list, name);
  }
  return rebal_value_member(item, part);
}

/* Without the slashes at its end, since paths begin with one. */
static bool take_server(struct connection *connection, const char *server) {
  size_t len = strlen(server);
  if (strncmp(server, "https://", 8) != 0) {
    say("%s: expected a server that begins with https://, got \"%s\"", connection->kubeconfig, server);
    return false;
  }
  while (server[len - 1] == '/') {
    len--;
  }
  connection->server = strndup(server, len);
  return connection->server != NULL;
}

static bool take_kubeconfig(struct connection *connection, const rebal_value *config) {
  const char *file = connection->kubeconfig;
  const char *name = connection->context != NULL ? connection->context : text_of(config, "current-context");
  const rebal_value *context = find_part(connection, config, "contexts", "context", name), *cluster, *user = NULL;
  if (context == NULL) {
    return false;
  }
  cluster = find_part(connection, config, "clusters", "cluster", text_of(context, "cluster"));
  if (text_of(context, "user")[0] != '\0') { /* else requests are anonymous */
    user = find_part(connection, config, "users", "user", text_of(context, "user"));
  }
  return cluster != NULL && (user != NULL || text_of(context, "user")[0] == '\0') &&
         is_supported(connection, cluster) && is_supported(connection, user) &&
         take_server(connection, text_of(cluster, "server")) &&
         take_pem(file, cluster, "certificate-authority-data", "certificate-authority", &connection->authority) &&
         take_pem(file, user, "client-certificate-data", "client-certificate", &connection->certificate) &&
         take_pem(file, user, "client-key-data", "client-key", &connection->key) &&
         take_token(file, user, &connection->token);
}

/* Returns NULL after it has logged why. */
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
  const bool is_present = document != NULL && find_named(rebal_document_value(document, "contexts"), context) != NULL;
  rebal_document_free(document);
  return is_present;
}

static bool open_account(struct connection *connection) {
  const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
  char server[300];
  if (host == NULL || port == NULL) {
    say("expected --kubeconfig, or KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT as in a pod");
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
  *connection = (struct connection){.server = NULL};
}
