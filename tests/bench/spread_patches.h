/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/spread_patches.h - the patch of a subset: a strategic merge of a pod of about 1.5 KB with a patch of
 * labels, an annotation, resources, a variable, and tolerations.
 */
#ifndef BENCH_SPREAD_PATCHES_H
#define BENCH_SPREAD_PATCHES_H

#include <rebalance/manifest.h>

enum { BENCH_MERGES = 100 }; /* of one call */

struct bench_patches {
  rebal_document *pod;
  rebal_document *patch;
  rebal_text *out;
};

void bench_patches_open(struct bench_patches *patches);
void bench_patches_close(struct bench_patches *patches);
/* Parses the pod, and drops the result. */
void bench_patches_merge(struct bench_patches *patches);
/* From text to text; the patch is parsed. */
void bench_patches_merge_bytes(struct bench_patches *patches);

#endif
