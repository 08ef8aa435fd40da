/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/rows.h - rows of a benchmark: one line of output each, chosen by name, timed beside the yardstick or
 * counted.
 *
 *   PROGRAM [--list | --count] [PATTERN...]   only rows whose name matches a shell pattern: 'dynamic-100*warm-1'
 *
 * --list names the rows. --count measures no time: each row makes the same calls in every run, for
 * check-instructions.py and profile.sh, and the allocations of one call are printed.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "../support/allocator.h"
#include "measure.h"

struct bench_rows {
  struct test_allocator memory; /* of what is measured */
  const char *const *patterns;
  int only_list;
  int only_count;
};

struct bench_row {
  bench_action before; /* not timed, nor is after; NULL: nothing */
  bench_action run;
  bench_action after;
  uint32_t items; /* of one call, whose time each is printed; 0: none is */
};
/* A row in a program's table. */
struct bench_line {
  const char *name;
  const struct bench_scene *scene; /* its scene in the program; NULL: there is only one */
  struct bench_row row;
};

/* Reads the arguments. The caller initializes the memory. */
void bench_rows_read(struct bench_rows *rows, int argc, char **argv);
/* Is a row of this name to be measured? Prints the name with --list. */
int bench_wanted(const struct bench_rows *rows, const char *name);
void bench_measure(const struct bench_rows *rows, struct bench *bench, const struct bench_row *row, const char *name);
/* Measures those of n lines that are wanted: enters the scene of each, and leaves at the end if it entered any. */
void bench_measure_lines(const struct bench_rows *rows, struct bench *bench, const struct bench_line *lines, size_t n,
                         void (*enter)(struct bench *bench, const struct bench_line *line), bench_action leave);

#endif
