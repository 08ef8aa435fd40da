/* SPDX-License-Identifier: MIT */
/* A list of JSON objects as records, each in a builder of its own, which keeps it. */
#include "conformance.h"

#include <stdlib.h>

int record_list_read(struct conformance *run, uint32_t object, const json_t *list, struct record_list *out) {
  rebal_builder *own = run->builder;
  const size_t n = json_array_size(list);
  int failure = 0;

  *out = (struct record_list){calloc(n + 1, sizeof(rebal_record *)), calloc(n + 1, sizeof *out->builders), 0};
  if (out->records == NULL || out->builders == NULL) {
    run->fault = "no memory";
    return 1;
  }
  while (!failure && out->n < n) {
    const size_t i = out->n++;

    failure = failed(run, rebal_builder_new(NULL, &out->builders[i], &run->err));
    if (!failure) {
      run->builder = out->builders[i];
      failure = failed(run, record_from_json(run, object, json_array_get(list, i), &out->records[i]));
    }
  }
  run->builder = own;
  return failure;
}

void record_list_dispose(struct record_list *list) {
  size_t i;

  for (i = 0; i < list->n; i++) {
    rebal_builder_free(list->builders[i]);
  }
  free(list->records);
  free(list->builders);
}
