/* SPDX-License-Identifier: MIT */
/*
 * Webster's (Sainte-Lague) apportionment (rebalance-karmada(7) 7.7). This is the only file with floating point: the
 * reference compares quotients rounded to binary64, so equal answers need the same division, rounded once
 * (-ffp-contract=off).
 *
 * Seats are handed out in three ways: one after another from a heap, which is always right; at once, in proportion; and
 * by level, in the order of votes. Without the last, 100 seats among 100 to 5,000 clusters cost a whole decision 1.2 to
 * 1.8 times the instructions; without the second, 10,000 seats among up to 1,000 clusters cost it 7 to 400 times.
 */
#include "scheduler/scheduler.h"

#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1, "double must be evaluated as double");
_Static_assert(DBL_MANT_DIG == 53, "double must be binary64");

/* The divisor 2 * seats + 1 wraps at 32 bits in the reference; dividing by 1 is left out. */
static double quotient_of(const struct rebali_party *party, int32_t seat) {
  return seat == 0 ? (double)party->votes : (double)party->votes / (double)rebali_low_int32(2 * (int64_t)seat + 1);
}

static double priority(const struct rebali_party *party) {
  return quotient_of(party, party->seats);
}

/* A seat of a party, in the order in which seats are handed out. */
struct seat {
  double quotient;
  int32_t number; /* index among the party's seats, from 0 */
  uint32_t rank;
};

/* Returns whether left precedes right. The order is strict and total, since ranks differ. */
static inline int seat_precedes(const struct seat *left, const struct seat *right, int descending) {
  if (left->quotient > right->quotient || left->quotient < right->quotient) {
    return left->quotient > right->quotient;
  }
  if (left->number != right->number) {
    return left->number < right->number;
  }
  return descending ? left->rank > right->rank : left->rank < right->rank;
}

static struct seat next_seat(const struct rebali_party *party) {
  return (struct seat){priority(party), party->seats, party->rank};
}

/* Returns whether left gets the next seat before right. */
static inline int precedes(const struct rebali_party *left, const struct rebali_party *right, int descending) {
  const struct seat a = next_seat(left), b = next_seat(right);

  return seat_precedes(&a, &b, descending);
}

/* Restores the heap. turned: the last party is at the top, otherwise the first. */
static void sift_down(const struct rebali_party *parties, uint32_t *heap, size_t n, size_t at, int descending,
                      int turned) {
  const uint32_t moved = heap[at];

  for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && precedes(&parties[heap[child + 1]], &parties[heap[child]], descending) != turned) {
      child++;
    }
    if (precedes(&parties[heap[child]], &parties[moved], descending) == turned) {
      break;
    }
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

static void make_heap(const struct rebali_party *parties, uint32_t *heap, size_t n, int descending, int turned) {
  for (size_t at = n / 2; at > 0; at--) {
    sift_down(parties, heap, n, at - 1, descending, turned);
  }
}

/*
 * Keeps the parties that can win a seat in the heap, in no order. Before a party gets its first seat, each that
 * precedes it without a seat must have got one. So if no party starts with seats, only the first k parties can win any
 * of k.
 */
static size_t keep_winners(const struct rebali_party *parties, uint32_t *heap, size_t n, int32_t seats,
                           int descending) {
  const size_t kept = (size_t)seats;

  if (kept >= n / 2) {
    return n;
  }
  for (size_t i = 0; i < n; i++) {
    if (parties[heap[i]].seats != 0) {
      return n;
    }
  }
  make_heap(parties, heap, kept, descending, 1);
  for (size_t i = kept; i < n; i++) {
    const struct rebali_party *party = &parties[heap[i]], *last = &parties[heap[0]];

    /* The quotients are the votes. The first comparison needs no division and rules out most parties. */
    if ((double)party->votes >= (double)last->votes && precedes(party, last, descending)) {
      heap[0] = heap[i];
      sift_down(parties, heap, kept, 0, descending, 1);
    }
  }
  return kept;
}

static int has_free_capacity(const struct rebali_party *parties, const int32_t *limits, size_t index) {
  return limits == NULL || parties[index].seats < limits[index];
}

/* Hands out seats one at a time. The heap holds the parties that may still get a seat. */
static int32_t hand_out(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats, int descending,
                        uint32_t *heap) {
  size_t n_open = 0;

  for (size_t i = 0; i < n; i++) {
    if (has_free_capacity(parties, limits, i)) {
      heap[n_open++] = (uint32_t)i;
    }
  }
  n_open = keep_winners(parties, heap, n_open, seats, descending);
  make_heap(parties, heap, n_open, descending, 0);
  for (; seats > 0 && n_open > 0; seats--) {
    const uint32_t best = heap[0];

    /*
     * Seats never exceed int32: earlier ones and those handed out come from int32 counts far below the limit of the
     * call.
     */
    parties[best].seats = rebali_add_wrapping(parties[best].seats, 1);
    if (!has_free_capacity(parties, limits, best)) {
      heap[0] = heap[--n_open];
    }
    if (n_open > 0) {
      sift_down(parties, heap, n_open, 0, descending, 0);
    }
  }
  return seats;
}

/*
 * The order of seats, and the short cut it allows. While the divisor does not wrap, the quotients of a party with votes
 * never grow from one of its seats to the next, rounded or not, and among equal ones the earlier seat comes first. A
 * party without votes has no quotient above 0. So the seats with quotients above 0 have one total order, which keeps
 * the order of each party's seats, and handing out k seats takes the first k of it. The seats above any bound are a
 * prefix of that order: if they are no more than k, they can be given at once and the rest one after another, with the
 * same result.
 */
#define MOST_HELD (INT32_C(1) << 29) /* 2 * MOST_HELD + REBALI_MAX_SEATS + 1 is below 2^31 */

/*
 * Counts the seats, from those held up to the limit, whose quotients are above the bound. If these are more than all
 * seats, returns seats: then either no other party may have any, or they are too many.
 */
static int32_t seats_above(const struct rebali_party *party, int32_t limit, int32_t seats, double bound) {
  const int32_t most = limit - party->seats < seats ? limit : party->seats + seats;
  /* Never too few: the rounding error of three operations is far below a thousandth for numbers below 2^33. */
  const double about = ((double)party->votes / bound + 1.001) / 2;
  int32_t end = about < (double)most ? (int32_t)about : most;

  while (end > party->seats && !(quotient_of(party, end - 1) > bound)) {
    end--;
  }
  return end > party->seats ? end - party->seats : 0;
}

/* For few parties a bound pays off for fewer seats, and a scan of kept quotients replaces the heap. */
#define FEW 16u

/*
 * Returns the bound for giving seats at once. If no party holds a seat, about as many seats as requested lie above the
 * bound that shares them in proportion, since each party rounds by at most half a seat. Held seats may exceed a share:
 * then the bound is one with about n fewer seats above it. Returns 0 if there are too few seats for this to pay off, or
 * if the order above does not hold.
 */
static double bound_for(const struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats,
                        int *is_first) {
  double votes = 0, held = 0;
  size_t n_open = 0;

  *is_first = 1;
  for (size_t i = 0; i < n; i++) {
    if (parties[i].seats < 0 || parties[i].seats > MOST_HELD) {
      return 0;
    }
    *is_first &= parties[i].seats == 0;
    if (parties[i].votes > 0 && has_free_capacity(parties, limits, i)) {
      votes += (double)parties[i].votes;
      held += parties[i].seats;
      n_open++;
    }
  }
  if (n_open == 0 || ((size_t)seats / 2 <= n && (n > FEW || !*is_first))) {
    return 0;
  }
  return votes / (2 * (*is_first ? seats : seats + held - (double)n_open));
}

/* Takes back the seats that come last, from parties that had none before. */
static void take_back(struct rebali_party *parties, size_t n, int64_t excess, int descending, uint32_t *heap) {
  size_t n_left = 0;

  for (size_t i = 0; i < n; i++) {
    if (parties[i].seats > 0) {
      parties[i].seats--; /* the number of its last seat, which is in the heap */
      heap[n_left++] = (uint32_t)i;
    }
  }
  make_heap(parties, heap, n_left, descending, 1);
  for (; excess > 0; excess--) { /* more seats were given than the excess */
    if (parties[heap[0]].seats > 0) {
      parties[heap[0]].seats--;
    } else {
      heap[0] = heap[--n_left];
    }
    sift_down(parties, heap, n_left, 0, descending, 1);
  }
  for (size_t i = 0; i < n_left; i++) {
    parties[heap[i]].seats++;
  }
}

/* Returns the last seat of a party. For a party without seats it precedes all others, so none is taken from it. */
static struct seat last_seat(const struct rebali_party *party) {
  const int32_t number = party->seats - 1;

  return (struct seat){number < 0 ? DBL_MAX : quotient_of(party, number), number, party->rank};
}

/* Finds the first seat, or with is_last the last one. */
static size_t find_seat(const struct seat *seats, size_t n, int is_last, int descending) {
  size_t found = 0;

  for (size_t i = 1; i < n; i++) {
    if (seat_precedes(&seats[i], &seats[found], descending) != is_last) {
      found = i;
    }
  }
  return found;
}

/* Takes back seats, or hands out missing ones, for few parties. */
static void settle(struct rebali_party *parties, size_t n, int32_t missing, int descending) {
  const int takes = missing < 0;
  const int32_t step = takes ? -1 : 1;
  struct seat seats[FEW];

  for (size_t i = 0; missing != 0 && i < n; i++) {
    seats[i] = takes ? last_seat(&parties[i]) : next_seat(&parties[i]);
  }
  for (; missing != 0; missing -= step) {
    const size_t found = find_seat(seats, n, takes, descending);

    parties[found].seats += step;
    seats[found] = takes ? last_seat(&parties[found]) : next_seat(&parties[found]);
  }
}

/*
 * Gives the seats above the bound at once, and takes back what is too many. Returns 0 if they are fewer than the
 * parties, since each round scans all parties, or if parties hold too many seats.
 */
static int32_t give_at_once(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats,
                            int descending, uint32_t *above) {
  int is_first;
  const double bound = bound_for(parties, limits, n, seats, &is_first);
  int64_t given = 0; /* below 2^32 parties with 10^7 seats each */

  if (!(bound > 0)) {
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    above[i] = parties[i].votes > 0 && has_free_capacity(parties, limits, i)
                   ? (uint32_t)seats_above(&parties[i], limits == NULL ? INT32_MAX : limits[i], seats, bound)
                   : 0;
    given += above[i];
  }
  if (is_first ? given - seats > (int64_t)n : given < (int64_t)n || given > seats) {
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    parties[i].seats += (int32_t)above[i];
  }
  if (is_first && n <= FEW && limits == NULL) {
    settle(parties, n, (int32_t)(seats - given), descending); /* within n, or the number of seats */
    return seats;
  }
  if (given > seats) {
    take_back(parties, n, given - seats, descending, above);
    return seats;
  }
  return (int32_t)given;
}

/*
 * Seats by level. Parties in the order of their votes get their first seats in that order, then their second ones, and
 * so on: one queue for each number of seats, and the next seat goes to the head of one of them. Only heads need a
 * quotient. Votes below 2^31 keep their order when they are divided by one number below 2^31: they differ by one part
 * in 2^31 or more, and a quotient is rounded by less than one in 2^52.
 */
#define MOST_LEVELS 32u
#define MOST_EACH 8u /* average seats for each party; beyond it they are given at once */
struct level {
  double head; /* quotient of the next party, or NO_PARTY */
  size_t next;
};
#define NO_PARTY (-1.0)

/* With equal votes the lower rank is first, or with descending the higher one. No quotient is needed. */
static int votes_precede(const struct rebali_party *left, const struct rebali_party *right, uint32_t turn) {
  return left->votes != right->votes ? left->votes > right->votes : (left->rank ^ turn) < (right->rank ^ turn);
}

/* Sorts a list of at most two ordered runs by votes. Returns 0 if it is not such a list. */
static int merge_runs(const struct rebali_party *parties, size_t n, int descending, uint32_t *order) {
  const uint32_t turn = descending ? UINT32_MAX : 0;
  size_t middle = 1, left = 0, right, at = 0;

  while (middle < n && votes_precede(&parties[middle - 1], &parties[middle], turn)) {
    middle++;
  }
  for (right = middle + 1; right < n; right++) {
    if (!votes_precede(&parties[right - 1], &parties[right], turn)) {
      return 0;
    }
  }
  for (right = middle; left < middle || right < n; at++) {
    const int takes_left = right == n || (left < middle && votes_precede(&parties[left], &parties[right], turn));

    order[at] = (uint32_t)(takes_left ? left++ : right++);
  }
  return 1;
}

static int has_levels(const struct rebali_party *parties, size_t n, int32_t seats) {
  if (seats <= 0 || (size_t)seats / MOST_EACH >= n) {
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (parties[i].seats != 0 || parties[i].votes < 0 || parties[i].votes > INT32_MAX) {
      return 0;
    }
  }
  return 1;
}

/* Returns the level from first to n - 1 with the largest head, of equal ones the one with fewer seats. */
static size_t best_level(const struct level *levels, size_t first, size_t n) {
  size_t best = first;

  for (size_t i = first + 1; i < n; i++) {
    best = levels[i].head > levels[best].head ? i : best;
  }
  return best;
}

/*
 * Finds the head of a level. A level contains the parties that have passed the level before it; the first contains all.
 */
static void find_head(struct level *levels, size_t level, const struct rebali_party *parties, const uint32_t *order,
                      size_t n) {
  const size_t end = level == 0 ? n : levels[level - 1].next;

  levels[level].head = NO_PARTY;
  if (levels[level].next < end) {
    const struct rebali_party next = {0, (int32_t)level, parties[order[levels[level].next]].votes};

    levels[level].head = priority(&next);
  }
}

/* Hands out first seats while no other level has a better head. Returns the seats left. */
static int32_t hand_out_first(struct level *levels, size_t n_levels, struct rebali_party *parties,
                              const uint32_t *order, size_t n, int32_t seats) {
  const double rival = levels[best_level(levels, 1, n_levels)].head;
  size_t next = levels[0].next;

  for (; seats > 0 && next < n && (double)parties[order[next]].votes >= rival; seats--) {
    parties[order[next++]].seats = 1;
  }
  levels[0].next = next;
  find_head(levels, 0, parties, order, n);
  return seats;
}

/* Returns the seats left: none, unless a party would get more seats than there are levels. */
static int32_t hand_out_by_level(struct rebali_party *parties, size_t n, int32_t seats, int descending,
                                 uint32_t *order) {
  struct level levels[MOST_LEVELS + 1];
  size_t n_levels = 1;

  if (!has_levels(parties, n, seats) || !merge_runs(parties, n, descending, order)) {
    return seats;
  }
  levels[0].next = 0;
  find_head(levels, 0, parties, order, n);
  while (seats > 0 && n_levels <= MOST_LEVELS) {
    const size_t best = best_level(levels, 0, n_levels);

    if (best == 0 && n_levels > 1 && levels[1].head >= 0) {
      seats = hand_out_first(levels, n_levels, parties, order, n, seats);
      continue;
    }
    parties[order[levels[best].next++]].seats++;
    seats--;
    find_head(levels, best, parties, order, n);
    if (best + 1 == n_levels) {
      levels[n_levels++] = (struct level){NO_PARTY, 0};
    }
    if (levels[best + 1].head < 0) {
      find_head(levels, best + 1, parties, order, n);
    }
  }
  return seats;
}

int32_t rebali_webster_within(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats,
                              int descending, uint32_t *heap) {
  seats = limits == NULL && n > FEW ? hand_out_by_level(parties, n, seats, descending, heap) : seats;
  for (int32_t given = 1; seats > 0 && given > 0;) {
    given = give_at_once(parties, limits, n, seats, descending, heap);
    seats -= given;
  }
  return seats > 0 ? hand_out(parties, limits, n, seats, descending, heap) : seats;
}

int32_t rebali_webster(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats, int descending,
                       uint32_t *heap) {
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    sum = rebali_add_wrapping64(sum, parties[i].votes);
  }
  return sum == 0 ? seats : rebali_webster_within(parties, limits, n, seats, descending, heap);
}

size_t rebali_webster_last(const struct rebali_party *parties, size_t n, int descending) {
  size_t found = n;

  for (size_t i = 0; i < n; i++) {
    const struct seat seat = last_seat(&parties[i]);

    if (parties[i].seats > 0) {
      const struct seat last = found == n ? seat : last_seat(&parties[found]);

      found = found == n || seat_precedes(&last, &seat, descending) ? i : found;
    }
  }
  return found;
}

int64_t rebali_webster_tie(const struct rebali_party *party, const struct rebali_party *last, int descending) {
  const struct seat next = next_seat(party), given = last_seat(last);

  if (!(next.quotient > 0) || next.quotient < given.quotient || next.quotient > given.quotient) {
    return REBAL_ABSENT;
  }
  if (next.number != given.number) {
    return REBAL_TIE_FEWER_REPLICAS;
  }
  return descending ? REBAL_TIE_NAME_DESCENDING : REBAL_TIE_NAME;
}

int rebali_uid_descends(struct rebali_text uid) {
  return uid.len > 0 && (rebali_fnv1a32(uid.bytes, uid.len) & 1u) != 0;
}
