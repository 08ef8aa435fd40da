/* SPDX-License-Identifier: MIT */
/* Part of librebalance._native, whose source begins with the headers that this needs, Python.h included. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NULLABLE = 2 }; /* ARROW_FLAG_NULLABLE */

/* Consumers release from threads that have no GIL, and may do so when there is no interpreter any more. */
static void *keep(uintptr_t owner) {
  const PyGILState_STATE state = PyGILState_Ensure();

  Py_INCREF((PyObject *)owner);
  PyGILState_Release(state);
  return (void *)owner;
}

static void drop(void *owner) {
  if (owner != NULL && Py_IsInitialized()) {
    const PyGILState_STATE state = PyGILState_Ensure();

    Py_DECREF((PyObject *)owner);
    PyGILState_Release(state);
  }
}

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

/* A child that was moved has no release any more. */
static void release_schema(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (schema->children[i] != NULL && schema->children[i]->release != NULL) {
      schema->children[i]->release(schema->children[i]);
    }
    free(schema->children[i]);
  }
  free(schema->children);
  free((void *)schema->format);
  free((void *)schema->name);
  schema->release = NULL;
}

static int start_schema(struct ArrowSchema *schema, const char *format, const char *name, int64_t flags) {
  memset(schema, 0, sizeof *schema);
  schema->release = release_schema;
  schema->flags = flags;
  schema->format = strdup(format);
  schema->name = strdup(name);
  return schema->format == NULL || schema->name == NULL ? ENOMEM : 0;
}

static int fill_schema(const librebalance_columns *columns, struct ArrowSchema *schema) {
  int code;

  if (columns->is_alone) {
    return start_schema(schema, columns->columns[0].format, columns->columns[0].name, NULLABLE);
  }
  code = start_schema(schema, "+s", "", 0);
  if (code == 0) {
    schema->children = calloc(columns->n + 1, sizeof *schema->children);
    code = schema->children == NULL ? ENOMEM : 0;
  }
  for (size_t i = 0; code == 0 && i < columns->n; i++) {
    schema->children[i] = malloc(sizeof **schema->children);
    if (schema->children[i] == NULL) {
      return ENOMEM;
    }
    schema->n_children++;
    code = start_schema(schema->children[i], columns->columns[i].format, columns->columns[i].name, NULLABLE);
  }
  return code;
}

struct ArrowSchema *librebalance_schema(const librebalance_columns *columns) {
  struct ArrowSchema *schema = malloc(sizeof *schema);

  if (schema != NULL && fill_schema(columns, schema) != 0) {
    release_schema(schema);
    free(schema);
    return NULL;
  }
  return schema;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static void release_array(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; i++) {
    if (array->children[i] != NULL && array->children[i]->release != NULL) {
      array->children[i]->release(array->children[i]);
    }
    free(array->children[i]);
  }
  free(array->children);
  free(array->buffers);
  array->release = NULL;
  drop(array->private_data);
}

static int start_array(struct ArrowArray *array, int64_t length, int64_t n_buffers, uintptr_t owner) {
  memset(array, 0, sizeof *array);
  array->release = release_array;
  array->length = length;
  array->n_buffers = n_buffers;
  array->buffers = calloc((size_t)n_buffers, sizeof *array->buffers);
  array->private_data = keep(owner);
  return array->buffers == NULL ? ENOMEM : 0;
}

static int fill_column(const librebalance_columns *columns, size_t i, struct ArrowArray *array) {
  const librebalance_column *column = &columns->columns[i];
  const int code = start_array(array, columns->length, column->n_buffers, columns->owner);

  if (code == 0) {
    memcpy(array->buffers, column->buffers, (size_t)column->n_buffers * sizeof *array->buffers);
    array->null_count = column->null_count;
  }
  return code;
}

static int fill_array(const librebalance_columns *columns, struct ArrowArray *array) {
  int code;

  if (columns->is_alone) {
    return fill_column(columns, 0, array);
  }
  code = start_array(array, columns->length, 1, columns->owner);
  if (code == 0) {
    array->children = calloc(columns->n + 1, sizeof *array->children);
    code = array->children == NULL ? ENOMEM : 0;
  }
  for (size_t i = 0; code == 0 && i < columns->n; i++) {
    array->children[i] = malloc(sizeof **array->children);
    if (array->children[i] == NULL) {
      return ENOMEM;
    }
    array->n_children++;
    code = fill_column(columns, i, array->children[i]);
  }
  return code;
}

struct ArrowArray *librebalance_array(const librebalance_columns *columns) {
  struct ArrowArray *array = malloc(sizeof *array);

  if (array != NULL && fill_array(columns, array) != 0) {
    release_array(array);
    free(array);
    return NULL;
  }
  return array;
}

/* ---- streams of one array ---------------------------------------------------------------------------------------- */

struct reader {
  librebalance_columns columns;
  int is_done;
};

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  const int code = fill_schema(&((struct reader *)stream->private_data)->columns, out);

  if (code != 0) {
    release_schema(out);
  }
  return code;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  struct reader *reader = stream->private_data;
  int code;

  if (reader->is_done) {
    memset(out, 0, sizeof *out);
    return 0;
  }
  code = fill_array(&reader->columns, out);
  if (code != 0) {
    release_array(out);
  }
  reader->is_done = code == 0;
  return code;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
  struct reader *reader = stream->private_data;

  drop((void *)reader->columns.owner);
  free(reader);
  stream->release = NULL;
}

struct ArrowArrayStream *librebalance_stream(const librebalance_columns *columns) {
  struct ArrowArrayStream *stream = malloc(sizeof *stream);
  struct reader *reader = calloc(1, sizeof *reader);

  if (stream == NULL || reader == NULL) {
    free(stream);
    free(reader);
    return NULL;
  }
  reader->columns = *columns;
  (void)keep(columns->owner);
  *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, reader};
  return stream;
}

/* ---- capsules: a consumer moves the structure out, or never reads it --------------------------------------------- */

static void destroy_schema(PyObject *capsule) {
  struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");

  if (schema->release != NULL) {
    schema->release(schema);
  }
  free(schema);
}

static void destroy_array(PyObject *capsule) {
  struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");

  if (array->release != NULL) {
    array->release(array);
  }
  free(array);
}

static void destroy_stream(PyObject *capsule) {
  struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");

  if (stream->release != NULL) {
    stream->release(stream);
  }
  free(stream);
}

void *librebalance_destructor(int kind) {
  void (*const destructors[])(PyObject *) = {destroy_schema, destroy_array, destroy_stream};

  return (void *)destructors[kind];
}
