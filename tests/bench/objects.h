/* SPDX-License-Identifier: MIT */
/* tests/bench/objects.h - clusters as in fleet.h and bindings for them as Kubernetes objects, the same in every run. */
#ifndef BENCH_OBJECTS_H
#define BENCH_OBJECTS_H

#include <stdint.h>
#include <stdio.h>

/* Each writes one object as compact JSON, without a newline. */
void bench_write_cluster(FILE *file, uint32_t cluster);
/* The same with resource models, and with other loads for each draw: the states of a cluster that a watch delivers. */
void bench_write_watched_cluster(FILE *file, uint32_t cluster, uint32_t draw);
/* As a scheduler finds it that has to place it again: it has targets, and spec.replicas exceeds their sum. */
void bench_write_binding(FILE *file, uint32_t binding, uint32_t n_clusters);

#endif
