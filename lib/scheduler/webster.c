/* SPDX-License-Identifier: MIT */
/*
 * Webster's (Sainte-Lague) apportionment (spec karmada 7.7). The one file with floating point: the reference compares
 * quotients rounded to binary64, so equal answers need the same division, rounded once (-ffp-contract=off).
 */
#include "scheduler/scheduler.h"

#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1, "double must be evaluated as double");
_Static_assert(DBL_MANT_DIG == 53, "double must be binary64");

/* The divisor 2 * seats + 1 wraps at 32 bits in the reference. */
static double priority(const struct rebali_party *party) {
  return (double)party->votes / (double)rebali_low_int32(2 * (int64_t)party->seats + 1);
}

/* Does left get the next seat before right? A strict total order, since ranks differ. */
static int precedes(const struct rebali_party *left, const struct rebali_party *right, int descending) {
  const double left_priority = priority(left);
  const double right_priority = priority(right);

  if (left_priority > right_priority || left_priority < right_priority) {
    return left_priority > right_priority;
  }
  if (left->seats != right->seats) {
    return left->seats < right->seats;
  }
  return descending ? left->rank > right->rank : left->rank < right->rank;
}

static void sift_down(const struct rebali_party *parties, uint32_t *heap, size_t n, size_t at, int descending) {
  const uint32_t moved = heap[at];

  for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && precedes(&parties[heap[child + 1]], &parties[heap[child]], descending)) {
      child++;
    }
    if (!precedes(&parties[heap[child]], &parties[moved], descending)) {
      break;
    }
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

int32_t rebali_webster(struct rebali_party *parties, size_t n, int32_t seats, int descending, uint32_t *heap) {
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    heap[i] = (uint32_t)i;
    sum = rebali_add_wrapping64(sum, parties[i].votes);
  }
  if (sum == 0 || n == 0) {
    return seats;
  }
  for (size_t at = n / 2; at > 0; at--) {
    sift_down(parties, heap, n, at - 1, descending);
  }
  for (; seats > 0; seats--) {
    /*
     * Seats never pass int32: earlier ones and those handed out come from int32 counts far below the limit of the call.
     */
    parties[heap[0]].seats = rebali_add_wrapping(parties[heap[0]].seats, 1);
    sift_down(parties, heap, n, 0, descending);
  }
  return 0;
}

int rebali_uid_descends(struct rebali_text uid) {
  return uid.len > 0 && (rebali_fnv1a32(uid.bytes, uid.len) & 1u) != 0;
}
