/* SPDX-License-Identifier: MIT */
/* lib/manifest/text/text.h - texts as events, and events as jansson trees; part of manifest.h, which includes it. */
#ifndef REBALI_MANIFEST_TEXT_H
#define REBALI_MANIFEST_TEXT_H

#include "foundation/foundation.h"

#include <rebalance/manifest.h>

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* ---- limits (text_limits.c) -------------------------------------------------------------------------------------- */

/* Deeper nesting is refused whatever the limits: walks over trees use the C stack. */
#define REBALI_DEPTH_MAX 1000u

/* Limits of a text. Each is checked before the memory it guards is allocated. A member that is 0 means its default. */
struct rebali_limits {
  size_t bytes;   /* of the whole text; default 256 MiB */
  size_t depth;   /* of nested maps and lists; default 64, at most REBALI_DEPTH_MAX */
  size_t nodes;   /* keys, scalars, maps and lists of the whole text; default 50,000,000 */
  size_t aliases; /* nodes copied by YAML aliases in the whole text; default 100,000 */
};

/* Returns the limits with defaults filled in; NULL = all defaults. */
struct rebali_limits rebali_limits_load(const struct rebali_limits *limits);

/* ---- reading (text.c, documents.c) ------------------------------------------------------------------------------ */

/*
 * Reads a stream of documents: a sequence of JSON values if the text starts with '{' or '[' and is JSON, else YAML
 * resolved as sigs.k8s.io/yaml does. Empty or null documents are skipped and not counted. The trees hold objects,
 * arrays,
 * strings (no NUL), int64 integers, booleans, null, and verbatim numbers (below); never reals. Release *documents by
 * rebali_documents_free().
 * @returns REBAL_EPARSE (document, line, column and where are set), REBAL_ELIMIT, REBAL_ENOMEM.
 */
int32_t rebali_text_read(const char *bytes, size_t len, const struct rebali_limits *limits, json_t ***documents,
                         size_t *n, rebal_error *err);

/* NULL is fine. */
void rebali_documents_free(json_t **documents, size_t n);

/*
 * Receives the content of a text while it is read. The functions take ownership of trees, also on failure; any result
 * but
 * REBAL_OK stops reading.
 */
struct rebali_tree_sink {
  /* Called with the next document that is neither empty nor null. */
  int32_t (*document)(struct rebali_tree_sink *sink, json_t *tree, rebal_error *err);
  /*
   * NULL, or called with the next item of the list "items" of a document and the document's members so far. Such items
   * are
   * not in the tree that document() gets. From the first item that is not a map, or after an anchor, all are.
   */
  int32_t (*item)(struct rebali_tree_sink *sink, const json_t *document, json_t *item, rebal_error *err);
  int (*needs_items)(const json_t *document);     /* called at the start of the list */
  void (*restart)(struct rebali_tree_sink *sink); /* discards all previous calls: the text is read again */
  const struct rebali_wanted *wanted;             /* only for JSON sources; NULL: everything */
};

/* Members of maps that a reader needs, terminated by one without a name; for a list they are those of its items. */
struct rebali_wanted {
  const char *name;
  const struct rebali_wanted *members; /* NULL: the whole value */
};

/*
 * Reads a JSON text of one document; unwanted members are null in it. On any result but REBAL_OK, including for a text
 * in
 * YAML, read the whole text, which reports the error if there is one. Fills no error.
 */
int32_t rebali_text_read_wanted(const char *bytes, size_t len, const struct rebali_limits *limits,
                                const struct rebali_wanted *wanted, json_t **out);

/* rebali_text_read() for a sink. */
int32_t rebali_text_stream(const char *bytes, size_t len, const struct rebali_limits *limits,
                           struct rebali_tree_sink *sink, rebal_error *err);

/* One document of a rebali_packed. */
struct rebali_packed_document {
  size_t text;  /* where its text starts */
  size_t first; /* number of its separate items: those at the start of its list "items" */
  size_t n_items;
};

/* Documents as compact JSON, terminated texts one after another (packed_documents.c). */
struct rebali_packed {
  struct rebali_buffer text;
  struct rebali_packed_document *documents;
  size_t n, capacity;
  size_t *items; /* start of the texts of separate items */
  size_t n_items, items_capacity;
};

/* Does the same as rebali_text_read() without keeping the trees; nothing must be disposed of after a failure. */
int32_t rebali_packed_read(struct rebali_packed *packed, const char *bytes, size_t len,
                           const struct rebali_limits *limits, rebal_error *err);
void rebali_packed_dispose(struct rebali_packed *packed);
/* Builds a new tree of a document without its separate items, or of one such item. REBAL_ENOMEM. */
int32_t rebali_packed_document(const struct rebali_packed *packed, size_t i, json_t **tree, rebal_error *err);
int32_t rebali_packed_item(const struct rebali_packed *packed, size_t i, size_t item, json_t **tree, rebal_error *err);
/* Puts the separate items into the tree of their document. REBAL_ENOMEM. */
int32_t rebali_packed_restore(const struct rebali_packed *packed, size_t i, json_t *tree, rebal_error *err);

/*
 * Finds the value at a field path as rebali_path_print() writes it, such as spec.workloads[2].name or
 * metadata.labels["a.b/c"]. Reads the text again; document counts from 1 as in rebali_text_read(). For a path that
 * leads
 * nowhere, finds the nearest existing parent. For a path into an alias, finds the alias; for one into keys merged by
 * "<<",
 * the map that merges them.
 * @returns REBAL_ENOTFOUND if there is no such document, REBAL_EPARSE if the text is malformed before the place.
 */
int32_t rebali_locate(const char *bytes, size_t len, size_t document, const char *path, uint32_t *line,
                      uint32_t *column);

/* A place to find: document and path are input, line and column output; 0 where rebali_locate() fails. */
struct rebali_location {
  size_t document;
  const char *path;
  uint32_t line, column;
};

/* rebali_locate() for many places in one pass; they must be in the order of documents. REBAL_EPARSE, REBAL_ENOMEM. */
int32_t rebali_locate_all(const char *bytes, size_t len, struct rebali_location *places, size_t n);

/* ---- writing (json_write.c, yaml_write.c) ------------------------------------------------------------------------ */

#define REBALI_WRITE_SORTED 1u /* keys in byte order instead of insertion order */
#define REBALI_WRITE_PRETTY 2u /* JSON: two spaces per level, one value per line */

/* Documents built one after another while they are written; each result is a new reference. */
struct rebali_made_documents {
  size_t n;
  /* n_items: number of items that item() builds, the first ones of the list "items" of the document */
  int32_t (*document)(const void *user, size_t i, json_t **tree, size_t *n_items);
  int32_t (*item)(const void *user, size_t i, const json_t *document, size_t item, json_t **tree); /* NULL: none */
  const void *user;
};

/* Items that a writer puts at the start of a list; list NULL: none. */
struct rebali_made_items {
  const struct rebali_made_documents *made;
  const json_t *document, *list;
  size_t i, n;
};
/* Returns the items of a document from made->document(). */
struct rebali_made_items rebali_made_items(const struct rebali_made_documents *made, size_t i, const json_t *document,
                                           size_t n);

/*
 * Appends the tree. Strings are escaped like Go's encoding/json. No newline at the end.
 * @returns REBAL_EINVAL for a real or a NULL, REBAL_ELIMIT beyond REBALI_DEPTH_MAX, REBAL_ENOMEM.
 */
int32_t rebali_json_write(const json_t *tree, uint32_t flags, struct rebali_buffer *output);
/* The same for a single string. */
void rebali_json_write_text(const char *bytes, size_t len, struct rebali_buffer *output);
/* The same for documents, with a newline after each. */
int32_t rebali_json_write_made(const struct rebali_made_documents *made, uint32_t flags, struct rebali_buffer *output);

/*
 * Appends the documents as a YAML block-style stream, "---" between them. Strings that would be read as another type
 * are
 * quoted: reading gives equal trees (but the reader skips null documents). Results as rebali_json_write().
 */
int32_t rebali_yaml_write(json_t *const *documents, size_t n, uint32_t flags, struct rebali_buffer *output);
int32_t rebali_yaml_write_made(const struct rebali_made_documents *made, uint32_t flags, struct rebali_buffer *output);

/* Lists the keys of an object in output order; *keys comes from malloc, NULL for none. REBAL_ENOMEM. */
int32_t rebali_object_keys(const json_t *object, uint32_t flags, const char ***keys, size_t *n);

/* ---- events: the interface of both formats to the tree builder and rebali_locate() (source.c, scalar.c) ---------- */

enum rebali_event_kind {
  REBALI_EVENT_END, /* of the text */
  REBALI_EVENT_MAP_START,
  REBALI_EVENT_MAP_END,
  REBALI_EVENT_LIST_START,
  REBALI_EVENT_LIST_END,
  REBALI_EVENT_SCALAR,
  REBALI_EVENT_ALIAS
};

enum rebali_scalar {
  REBALI_SCALAR_NULL,
  REBALI_SCALAR_TRUE,
  REBALI_SCALAR_FALSE,
  REBALI_SCALAR_INTEGER,
  REBALI_SCALAR_NUMBER, /* verbatim */
  REBALI_SCALAR_STRING,
  REBALI_SCALAR_MERGE,     /* plain "<<" of YAML: a merge as a key, a string as a value */
  REBALI_SCALAR_NOT_FINITE /* .inf and .nan, refused */
};

/* text and anchor live until the next event. Every value outside of all others starts a new document. */
struct rebali_event {
  enum rebali_event_kind kind;
  enum rebali_scalar scalar;
  /*
   * Of a scalar: its JSON text, or the string itself, until the next event; of an alias: the name of its anchor,
   * terminated.
   */
  const char *text;
  size_t len;
  int64_t integer;
  const char *anchor; /* NULL if none */
  size_t offset;      /* start, in the unit of its source */
};

struct rebali_source;

struct rebali_source_kind {
  int32_t (*open)(struct rebali_source *source, rebal_error *err);
  int32_t (*next)(struct rebali_source *source, struct rebali_event *event, rebal_error *err);
  void (*close)(struct rebali_source *source);
  int in_characters; /* unit of the events' offsets: 1 characters, 0 bytes */
};

extern const struct rebali_source_kind rebali_source_json; /* json_read.c */
extern const struct rebali_source_kind rebali_source_yaml; /* yaml_read.c */

/* A text being read. The text is valid UTF-8 without byte order mark. */
struct rebali_source {
  const struct rebali_source_kind *kind;
  const char *bytes;
  size_t len;
  size_t skipped; /* length of the byte order mark before bytes */
  struct rebali_limits limits;
  size_t nodes;
  size_t depth;
  uint32_t documents; /* started so far, without null ones */
  void *state;        /* of the kind */
};

/* Removes the byte order mark, checks size and UTF-8; opens nothing. */
int32_t rebali_source_prepare(struct rebali_source *source, const char *bytes, size_t len,
                              const struct rebali_limits *limits, rebal_error *err);
/* Returns 1 if the text may be JSON: it starts with '{' or '['. */
int rebali_source_is_json(const struct rebali_source *source);
/* Rewinds the prepared source and opens it as the kind; it must be closed by kind->close even if this fails. */
int32_t rebali_source_open(struct rebali_source *source, const struct rebali_source_kind *kind, rebal_error *err);

/* For the kinds: counts an event that starts a value or key against the limits, and tracks depth and documents. */
int32_t rebali_source_count(struct rebali_source *source, const struct rebali_event *event, rebal_error *err);

/* Fills err with the position of an offset in the source's unit; returns code. */
int32_t rebali_source_fail(const struct rebali_source *source, size_t offset, rebal_error *err, int32_t code,
                           const char *format, ...) REBALI_PRINTF(5, 6);

/*
 * Reads to the end of a value that an event of a JSON source starts. REBAL_EPARSE, also for a duplicate key of a map;
 * REBAL_ELIMIT; REBAL_EUNSUPPORTED: duplicate keys can only be detected by building the tree.
 */
int32_t rebali_skip_value(struct rebali_source *source, const struct rebali_event *start);
/* Builds the trees of an open source (tree.c, documents.c). */
int32_t rebali_tree_stream(struct rebali_source *source, struct rebali_tree_sink *sink, rebal_error *err);
int32_t rebali_tree_read(struct rebali_source *source, json_t ***documents, size_t *n, rebal_error *err);

/*
 * Resolves a YAML scalar by the rules of go-yaml v2: fills kind, scalar, text, len and integer of the event. scratch
 * holds
 * rewritten texts. tag NULL = none. REBAL_EPARSE: the text does not suit its tag, the tag is not a core tag, or the
 * number
 * is not finite; *problem then describes it. REBAL_ENOMEM.
 */
int32_t rebali_scalar_resolve(const char *text, size_t len, int is_plain, const char *tag,
                              struct rebali_buffer *scratch, struct rebali_event *event, const char **problem);

/* Returns 1 and fills the event as above if the text is a YAML number, else 0; or REBAL_ENOMEM. */
int32_t rebali_number_resolve(const char *text, size_t len, struct rebali_buffer *scratch, struct rebali_event *event);
/* The same for a token known to follow the JSON grammar; text and len stay unchanged. */
void rebali_number_classify(struct rebali_event *event);

#endif
