/* SPDX-License-Identifier: MIT */
/* Reads files into the store, one by one, so that an error names its file. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct loading {
  rebal_store *store;
  rebal_manifest_limits limits;
  struct loaded *loaded;
};

/* The identity of an object. */
struct name {
  const char *kind, *namespace_, *name;
};

static struct name name_of(const rebal_store *store, uint32_t object) {
  return (struct name){rebal_store_identity(store, object, REBAL_IDENTITY_KIND, NULL),
                       rebal_store_identity(store, object, REBAL_IDENTITY_NAMESPACE, NULL),
                       rebal_store_identity(store, object, REBAL_IDENTITY_NAME, NULL)};
}

static uint32_t find(const rebal_store *store, const struct name *name) {
  return rebal_store_find(store, name->kind, strlen(name->kind), name->namespace_, strlen(name->namespace_), name->name,
                          strlen(name->name));
}

struct place {
  uint32_t line, column;
};

/* The place of a path of a document, or of the nearest parent that exists. */
static struct place place_of(const struct file *file, uint32_t document, const char *path) {
  struct place place = {0, 0};
  (void)rebal_manifest_locate(file->bytes, file->len, document, path, strlen(path), &place.line, &place.column, NULL);
  return place;
}

/* The place of a path of an object of a document, which is an item if the document is a List. */
static struct place place_in_object(const struct file *file, uint32_t document, uint32_t object, const char *path) {
  const struct place root = place_of(file, document, "");
  struct place place;
  char whole[128];
  (void)snprintf(whole, sizeof whole, "items[%u].%s", (unsigned)object, path);
  place = place_of(file, document, whole);
  return place.line != root.line || place.column != root.column ? place : place_of(file, document, path);
}

/* The documents of a file, each a line of JSON; NULL if out of memory. */
static rebal_text *documents_of(const struct loading *loading, const struct file *file) {
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .limits = &loading->limits};
  rebal_text *documents = NULL;
  if (rebal_text_new(&documents, NULL) == REBAL_OK &&
      rebal_manifest_rewrite(file->bytes, file->len, &opts, documents, NULL) == REBAL_OK) {
    return documents;
  }
  rebal_text_free(documents);
  return NULL;
}

/* A store with the objects of one line, whose ids start at 0; NULL if the line cannot be read. */
static rebal_store *store_of_line(const struct loading *loading, const char *line, size_t len) {
  rebal_store *store = NULL;
  if (rebal_store_new(&loading->limits, &store, NULL) == REBAL_OK &&
      rebal_store_load(store, line, len, NULL) == REBAL_OK) {
    return store;
  }
  rebal_store_free(store);
  return NULL;
}

/* The place of a path of the first object of a name in a file; line 0: not found. */
static struct place find_in_file(const struct loading *loading, const struct file *file, const struct name *name,
                                 const char *path) {
  rebal_text *documents = documents_of(loading, file);
  const char *at = documents != NULL ? rebal_text_bytes(documents, NULL) : "", *end;
  struct place place = {0, 0};
  for (uint32_t document = 1; place.line == 0 && (end = strchr(at, '\n')) != NULL; at = end + 1, document++) {
    rebal_store *store = store_of_line(loading, at, (size_t)(end - at));
    const uint32_t object = store != NULL ? find(store, name) : REBAL_NONE;
    if (object != REBAL_NONE) {
      place = place_in_object(file, document, object, path);
    }
    rebal_store_free(store);
  }
  rebal_text_free(documents);
  return place;
}

/* A store with the rejected document; the object is the item that the error names, or the only one. */
static rebal_store *refused_document(const struct loading *loading, const struct file *file, const rebal_error *err,
                                     uint32_t *object) {
  rebal_text *documents = documents_of(loading, file);
  const char *at = documents != NULL ? rebal_text_bytes(documents, NULL) : "", *end;
  rebal_store *store = NULL;
  for (uint32_t document = 1; (end = strchr(at, '\n')) != NULL; at = end + 1, document++) {
    if (document == err->document) {
      store = store_of_line(loading, at, (size_t)(end - at));
    }
  }
  rebal_text_free(documents);
  *object = strncmp(err->field, "items[", 6) == 0 ? (uint32_t)strtoul(err->field + 6, NULL, 10) : 0;
  return store;
}

/* The file of an object of the store; the last one read if the store does not contain the object yet. */
static struct file *file_of(const struct loaded *loaded, uint32_t object) {
  size_t i = loaded->n - 1;
  while (i > 0 && loaded->counts[i] > object) {
    i--;
  }
  return &loaded->files[i];
}

/* Adds to the error the name of the rejected object, and the place where it was read before. */
static void name_duplicate(const struct loading *loading, const struct file *file, rebal_error *err) {
  uint32_t object;
  rebal_store *store = refused_document(loading, file, err, &object);
  if (store != NULL) {
    const struct name name = name_of(store, object);
    const struct file *before = file_of(loading->loaded, find(loading->store, &name));
    const struct place place = find_in_file(loading, before, &name, "metadata.name");
    (void)snprintf(err->message, sizeof err->message, "%s %s%s%s is already in %s:%u:%u", name.kind, name.namespace_,
                   name.namespace_[0] != '\0' ? "/" : "", name.name, before->name, (unsigned)place.line,
                   (unsigned)place.column);
  }
  rebal_store_free(store);
}

/* A scenario has no name and is rejected for that; the message refers to simulate. */
static void name_scenario(const struct loading *loading, const struct file *file, rebal_error *err) {
  static const char kind[] = "\"kind\":\"Scenario\"";
  rebal_text *documents = documents_of(loading, file);
  const char *at = documents != NULL ? rebal_text_bytes(documents, NULL) : "", *end;
  for (uint32_t document = 1; (end = strchr(at, '\n')) != NULL; at = end + 1, document++) {
    const char *found = strstr(at, kind);
    if (document == err->document && found != NULL && found < end) {
      (void)snprintf(err->message, sizeof err->message,
                     "the object has no name: it is a Scenario; run it with rebalancectl simulate");
    }
  }
  rebal_text_free(documents);
}

static enum status load_file(struct loading *loading, const char *path, uint64_t max) {
  rebal_error err = REBAL_ERROR_INIT;
  struct loaded *loaded = loading->loaded;
  struct file *file = &loaded->files[loaded->n];
  const enum status status = file_read(path, max, file);
  loaded->counts[loaded->n++] = rebal_store_count(loading->store);
  if (status != STATUS_DONE) {
    return status;
  }
  if (rebal_store_load(loading->store, file->bytes, file->len, &err) == REBAL_OK) {
    return STATUS_DONE;
  }
  if (err.code == REBAL_EEXIST) {
    name_duplicate(loading, file, &err);
  }
  if (strcmp(err.field, "metadata.name") == 0) {
    name_scenario(loading, file, &err);
  }
  return complain_of_file(file->name, &err);
}

/* Must the content be kept, as for standard input and pipes, which cannot be read again? */
static int is_kept(const char *name) {
  struct stat about;
  return strcmp(name, "-") == 0 || stat(name, &about) != 0 || !S_ISREG(about.st_mode);
}

enum status load_files(const struct options *options, rebal_store *store, struct loaded *loaded) {
  struct loading loading = {store, input_limits(options->max_input), loaded};
  enum status status = STATUS_DONE;
  loaded->files = calloc(options->n_files, sizeof *loaded->files);
  loaded->counts = calloc(options->n_files, sizeof *loaded->counts);
  if (loaded->files == NULL || loaded->counts == NULL) {
    status = complain_of_memory();
  }
  for (size_t i = 0; status == STATUS_DONE && i < options->n_files; i++) {
    status = load_file(&loading, options->files[i], options->max_input);
  }
  for (size_t i = 0; i < loaded->n; i++) {
    if (!is_kept(options->files[i])) {
      file_dispose(&loaded->files[i]);
    }
  }
  return status;
}

void loaded_free(struct loaded *loaded) {
  for (size_t i = 0; i < loaded->n; i++) {
    file_dispose(&loaded->files[i]);
  }
  free(loaded->files);
  free(loaded->counts);
}

enum status complain_of_object(const struct world *world, uint32_t object, const char *path, const char *fault) {
  const struct options *options = world->options;
  struct loaded loaded = world->loaded;
  const struct loading loading = {world->store, input_limits(options->max_input), &loaded};
  const struct name name = name_of(world->store, object);
  struct file *file = file_of(&loaded, object);
  struct place place;
  if (file->bytes == NULL && file_read(options->files[file - loaded.files], options->max_input, file) != STATUS_DONE) {
    return STATUS_INPUT;
  }
  place = find_in_file(&loading, file, &name, path);
  complain("%s:%u:%u: %s %s: %s: %s", file->name, (unsigned)place.line, (unsigned)place.column, name.kind, name.name,
           path, fault);
  return STATUS_INPUT;
}
