/* SPDX-License-Identifier: MIT */
/* Bytes as weights, bounds and seats of a division, and laws of every answer. */
#include "law.h"

#include <rebalance/rebalance.h>

#include <string.h>

#define MOST 12

/* The input; bytes after its end are 0. */
struct bytes {
  const uint8_t *data;
  size_t size;
};

static uint32_t byte(struct bytes *in) {
  if (in->size == 0) {
    return 0;
  }
  in->size--;
  return *in->data++;
}

static int64_t number(struct bytes *in, uint32_t n_bytes) {
  uint64_t value = 0;

  for (uint32_t i = 0; i < n_bytes; i++) {
    value = value << 8 | byte(in);
  }
  return (int64_t)(value & INT64_MAX);
}

/* Mostly small cells; now and then one below 0, a large one, or one at the limits of int32. */
static int32_t cell(struct bytes *in) {
  const uint32_t value = byte(in);

  switch (value >> 4) {
    case 15:
      return INT32_MAX - (int32_t)(value & 1);
    case 14:
      return (value & 1) != 0 ? INT32_MIN : -(int32_t)(value & 15);
    case 13:
      return (int32_t)number(in, 3);
    default:
      return (int32_t)(value % 64);
  }
}

struct division {
  size_t n;
  char names[MOST];
  uint32_t offsets[MOST + 1];
  int64_t weights[MOST];
  int32_t cells[4][MOST]; /* in the order of the members of the bounds */
  int32_t nothing[MOST];  /* zeros */
  rebal_divide_opts bounds;
  const char *uid;
  int64_t seats[MOST];
  int32_t left;
};

static void read_division(struct bytes *in, struct division *division) {
  const uint32_t columns = byte(in);
  const int32_t *cells[4];

  memset(division, 0, sizeof *division);
  division->n = byte(in) % (MOST + 1);
  division->uid = (columns & 32) != 0 ? "b" : "a";
  for (size_t i = 0; i < division->n; i++) {
    division->names[i] = (char)('a' + i);
    division->offsets[i + 1] = (uint32_t)i + 1;
    division->weights[i] = number(in, byte(in) % 9);
    division->weights[i] -= byte(in) % 16 == 0;
    for (size_t c = 0; c < 4; c++) {
      division->cells[c][i] = cell(in);
    }
  }
  for (size_t c = 0; c < 4; c++) {
    cells[c] = (columns >> c & 1) != 0 ? division->cells[c] : NULL;
  }
  division->bounds = (rebal_divide_opts){.struct_size = (uint32_t)sizeof division->bounds,
                                         .flags = columns >> 4 & 1,
                                         .minimums = cells[0],
                                         .maximums = cells[1],
                                         .capacities = cells[2],
                                         .current = cells[3]};
  if ((columns & 31) == 0) { /* bounds that limit nothing */
    division->bounds.minimums = division->nothing;
  }
}

static rebal_parties parties_of(const struct division *division) {
  return (rebal_parties){.struct_size = (uint32_t)sizeof(rebal_parties),
                         .names = division->names,
                         .offsets = division->offsets,
                         .weights = division->weights,
                         .n = division->n,
                         .uid = division->uid,
                         .uid_len = 1};
}

struct tools {
  rebal_ctx *ctx;
  rebal_result *result;
};

static void divide(const struct tools *tools, struct division *division, int32_t seats) {
  const rebal_parties given = parties_of(division);
  size_t n;
  const int64_t *parties, *replicas;

  law(rebal_divide(tools->ctx, seats, &given, &division->bounds, tools->result, &division->left, NULL) == REBAL_OK);
  parties = rebal_result_i64(tools->result, REBAL_SHARE_PARTY, &n);
  replicas = rebal_result_i64(tools->result, REBAL_SHARE_REPLICAS, &n);
  law(n == division->n);
  for (size_t i = 0; i < n; i++) {
    law(parties[i] == (int64_t)i);
    division->seats[i] = replicas[i];
  }
}

static int64_t bound(const int32_t *column, size_t index, int64_t otherwise) {
  return column == NULL ? otherwise : column[index] > 0 ? column[index] : 0;
}

static int64_t upper_of(const struct division *division, size_t i) {
  const int64_t maximum = bound(division->bounds.maximums, i, INT32_MAX);
  const int64_t capacity = bound(division->bounds.capacities, i, INT32_MAX) + bound(division->bounds.current, i, 0);

  return maximum < capacity ? maximum : capacity;
}

static int64_t lower_of(const struct division *division, size_t i) {
  const int64_t upper = upper_of(division, i);
  const int64_t kept = division->bounds.flags != 0 ? bound(division->bounds.current, i, 0) : 0;
  const int64_t minimum = bound(division->bounds.minimums, i, 0);
  const int64_t lower = kept > minimum ? kept : minimum;

  return lower < upper ? lower : upper;
}

static void check(const struct division *division, int32_t seats) {
  int64_t sum = division->left, minimums = 0;

  for (size_t i = 0; i < division->n; i++) {
    sum += division->seats[i];
    minimums += lower_of(division, i);
  }
  law(sum == seats && division->left >= 0);
  for (size_t i = 0; i < division->n; i++) {
    const int may_grow = division->weights[i] > 0 && minimums <= seats;

    law(division->seats[i] <= (may_grow ? upper_of(division, i) : lower_of(division, i)));
    law(minimums > seats || division->seats[i] >= lower_of(division, i));
    law(division->left == 0 || !may_grow || division->seats[i] == upper_of(division, i));
    for (size_t k = 0; may_grow && k < division->n; k++) { /* no other party's last seat is better placed here */
      law(division->seats[i] == upper_of(division, i) || division->seats[k] <= lower_of(division, k) ||
          (double)division->weights[i] / (double)(2 * division->seats[i] + 1) <=
              (double)division->weights[k] / (double)(2 * division->seats[k] - 1));
    }
  }
}

/* Without bounds: the reference's division in one turn or in two. */
static void check_plain(const struct tools *tools, const struct division *division, int32_t seats) {
  const rebal_parties parties = parties_of(division);
  int32_t before[MOST], left;
  const rebal_divide_opts opts = {.struct_size = (uint32_t)sizeof opts, .before = before};
  int64_t whole[MOST], sum = 0;
  size_t n;

  for (int turn = 0; turn < 3; turn++) {
    const int32_t given = turn == 0 ? seats : turn == 1 ? seats / 2 : seats - seats / 2;
    const int64_t *shares;

    law(rebal_divide(tools->ctx, given, &parties, turn == 2 ? &opts : NULL, tools->result, &left, NULL) == REBAL_OK);
    shares = rebal_result_i64(tools->result, REBAL_SHARE_REPLICAS, &n);
    law(n == division->n || (n == 0 && left == given));
    for (size_t i = 0; i < n; i++) {
      sum += turn == 0 ? shares[i] : 0;
      whole[i] = turn == 0 ? shares[i] : whole[i];
      before[i] = (int32_t)shares[i];
      law(turn != 2 || shares[i] == whole[i]);
    }
    law(turn != 0 || n == 0 || sum == seats);
    if (n == 0) {
      return;
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes in = {data, size};
  struct tools tools;
  struct division division, more;
  int32_t seats;

  law(rebal_ctx_new(NULL, NULL, &tools.ctx, NULL) == REBAL_OK);
  law(rebal_result_new(NULL, &tools.result, NULL) == REBAL_OK);
  seats = (int32_t)number(&in, 1 + byte(&in) % 3) % 20000;
  read_division(&in, &division);
  more = division;
  divide(&tools, &division, seats);
  check(&division, seats);
  divide(&tools, &more, seats + 1);
  check(&more, seats + 1);
  for (size_t i = 0; i < division.n; i++) {
    law(more.seats[i] >= division.seats[i]);
  }
  check_plain(&tools, &division, seats);
  rebal_result_free(tools.result);
  rebal_ctx_free(tools.ctx);
  return 0;
}
