/* SPDX-License-Identifier: MIT */
/* The dispenser itself, and the order of names that a uid chooses (rebalance-karmada(7) 7.7). */
#include "phases_fixture.h"

#include "../unit.h"

static const struct {
  const char *uid;
  int descends;
} uids[] = {
    {"", 0}, {"a", 0}, {"b", 1}, {"uid-1", 1}, {"uid-2", 0}, {"6a1f2b3c-0000-4000-8000-000000000001", 0},
};

START_TEST(test_parity) {
  ck_assert_int_eq(rebali_uid_descends(rebali_text(uids[_i].uid, strlen(uids[_i].uid))), uids[_i].descends);
}
END_TEST

START_TEST(test_hashes) {
  static const struct {
    const char *text;
    uint32_t hash;
  } hashes[] = {{"a", 0xe40c292c},
                {"b", 0xe70c2de5},
                {"uid-1", 0x50c45a43},
                {"uid-2", 0x51c45bd6},
                {"6a1f2b3c-0000-4000-8000-000000000001", 0xa8307a5a}};

  for (size_t i = 0; i < REBALI_COUNT(hashes); i++) {
    ck_assert_uint_eq(rebali_fnv1a32(hashes[i].text, strlen(hashes[i].text)), hashes[i].hash);
  }
}
END_TEST

START_TEST(test_seats_never_exceed_capacity) {
  /* Divisor methods are exact at seats = total and grow with the house: all capacities up to 6, all seats. */
  for (int64_t a = 0; a <= 6; a++) {
    for (int64_t b = 0; b <= 6; b++) {
      for (int32_t seats = 0; seats <= a + b + 4; seats++) {
        struct rebali_party parties[3] = {{0, 0, a}, {1, 0, b}, {2, 0, 4}};
        uint32_t heap[3];

        ck_assert_int_eq(rebali_webster(parties, NULL, 3, seats, 0, heap), 0);
        ck_assert_int_eq(parties[0].seats + parties[1].seats + parties[2].seats, seats);
        ck_assert(parties[0].seats <= a && parties[1].seats <= b && parties[2].seats <= 4);
      }
    }
  }
}
END_TEST

START_TEST(test_equal_quotients_go_to_fewer_seats) {
  /* 9/9 against 1/1: the party without a seat. */
  struct rebali_party parties[2] = {{0, 4, 9}, {1, 0, 1}};
  uint32_t heap[2];

  ck_assert_int_eq(rebali_webster(parties, NULL, 2, 1, 0, heap), 0);
  ck_assert_int_eq(parties[1].seats, 1);
}
END_TEST

START_TEST(test_quotients_that_round_to_the_same_double) {
  /* 2^53 and 2^53 + 1 votes are one double: names decide, in both directions. */
  for (int descending = 0; descending < 2; descending++) {
    struct rebali_party parties[2] = {{0, 0, INT64_C(9007199254740992)}, {1, 0, INT64_C(9007199254740993)}};
    uint32_t heap[2];

    ck_assert_int_eq(rebali_webster(parties, NULL, 2, 1, descending, heap), 0);
    ck_assert_int_eq(parties[descending].seats, 1);
  }
}
END_TEST

START_TEST(test_nothing_to_weigh) {
  struct rebali_party parties[2] = {{0, 3, 0}, {1, 0, 0}};
  uint32_t heap[2];

  ck_assert_int_eq(rebali_webster(parties, NULL, 2, 5, 0, heap), 5);
  ck_assert_int_eq(parties[0].seats, 3);
  ck_assert_int_eq(rebali_webster(parties, NULL, 0, 5, 0, heap), 5);
}
END_TEST

START_TEST(test_limits) {
  /* The first would get 6 of 8; the seats above its limit are divided by weight. */
  struct rebali_party parties[3] = {{0, 0, 6}, {1, 0, 1}, {2, 0, 1}};
  const int32_t limits[3] = {2, 5, 1};
  uint32_t heap[3];

  ck_assert_int_eq(rebali_webster(parties, limits, 3, 8, 0, heap), 0);
  ck_assert(parties[0].seats == 2 && parties[1].seats == 5 && parties[2].seats == 1);
  ck_assert_int_eq(rebali_webster(parties, limits, 3, 2, 0, heap), 2);
  ck_assert(parties[0].seats == 2 && parties[1].seats == 5 && parties[2].seats == 1);
}
END_TEST

START_TEST(test_many_seats_by_limits) {
  /* Seats are handed out in rounds: a party that reaches its limit leaves its part to the others. */
  struct rebali_party parties[3] = {{0, 7, 900}, {1, 0, 90}, {2, 0, 10}};
  const int32_t limits[3] = {1000, 200000, INT32_MAX};
  uint32_t heap[3];

  ck_assert_int_eq(rebali_webster(parties, limits, 3, 5000000, 0, heap), 0);
  ck_assert_int_eq(parties[0].seats, 1000);
  ck_assert_int_eq(parties[1].seats, 200000);
  ck_assert_int_eq(parties[2].seats, 5000000 + 7 - 1000 - 200000);
}
END_TEST

START_TEST(test_no_votes_within_limits) {
  struct rebali_party parties[2] = {{0, 0, 0}, {1, 0, 0}};
  const int32_t limits[2] = {2, 9};
  uint32_t heap[2];

  ck_assert_int_eq(rebali_webster(parties, limits, 2, 6, 0, heap), 6);
  ck_assert_int_eq(rebali_webster_within(parties, limits, 2, 6, 0, heap), 0);
  ck_assert(parties[0].seats == 2 && parties[1].seats == 4);
}
END_TEST

/* One party with nearly all votes gets more seats than are handed out level by level: the rest come in other ways. */
START_TEST(test_one_party_with_most_votes) {
  enum { N = 17, SEATS = 100 };
  struct rebali_party parties[N];
  uint32_t heap[N];

  for (uint32_t i = 0; i < N; i++) {
    parties[i] = (struct rebali_party){i, 0, i == 3 ? 1000000 : 1};
  }
  ck_assert_int_eq(rebali_webster(parties, NULL, N, SEATS, 0, heap), 0);
  for (uint32_t i = 0; i < N; i++) {
    ck_assert_int_eq(parties[i].seats, i == 3 ? SEATS : 0);
  }
}
END_TEST

/* One seat after another to the first of all parties: few votes, many of them equal, so that names decide. */
static int32_t divide_plainly(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats,
                              int descending) {
  for (; seats > 0; seats--) {
    size_t best = n;

    for (size_t i = 0; i < n; i++) {
      int64_t ours, other;

      if (parties[i].seats >= limits[i]) {
        continue;
      }
      if (best == n) {
        best = i;
        continue;
      }
      ours = parties[i].votes * (2 * parties[best].seats + 1);
      other = parties[best].votes * (2 * parties[i].seats + 1);
      if (ours > other || (ours == other && parties[i].seats < parties[best].seats) ||
          (ours == other && parties[i].seats == parties[best].seats && descending)) {
        best = i;
      }
    }
    if (best == n) {
      break;
    }
    parties[best].seats++;
  }
  return seats;
}

enum { PARTIES = 40, IS_DESCENDING = 1, IS_LIMITED = 2, IS_HELD = 4 };

static uint32_t draw(uint32_t *number, uint32_t below) {
  *number = *number * 1664525u + 1013904223u;
  return (*number >> 16) % below;
}

/* Divides seats among parties with votes from -2 to 30; limits and seats that are held are up to twice a share. */
static uint32_t compare_with_plain(uint32_t number, size_t n, int32_t seats, int flags) {
  struct rebali_party parties[PARTIES], plain[PARTIES];
  int32_t limits[PARTIES];
  const uint32_t most = 2 * (uint32_t)seats / (uint32_t)n + 3;
  uint32_t heap[PARTIES];

  for (uint32_t i = 0; i < n; i++) {
    parties[i] = (struct rebali_party){i, 0, 1 + (int64_t)draw(&number, 30) - (number >> 30)};
    parties[i].seats = (flags & IS_HELD) != 0 ? (int32_t)draw(&number, most) : 0;
    limits[i] = (flags & IS_LIMITED) != 0 ? (int32_t)draw(&number, most) : INT32_MAX;
    plain[i] = parties[i];
  }
  parties[0].votes = plain[0].votes = 1; /* at least one party has votes */
  ck_assert_int_eq(
      rebali_webster_within(parties, (flags & IS_LIMITED) != 0 ? limits : NULL, n, seats, flags & IS_DESCENDING, heap),
      divide_plainly(plain, limits, n, seats, flags & IS_DESCENDING));
  for (size_t i = 0; i < n; i++) {
    ck_assert_int_eq(parties[i].seats, plain[i].seats);
  }
  return number;
}

START_TEST(test_fewer_seats_than_parties) {
  uint32_t number = (uint32_t)_i;

  for (int32_t seats = 1; seats <= PARTIES; seats++) {
    number = compare_with_plain(number, PARTIES, seats, _i & IS_DESCENDING);
  }
}
END_TEST

START_TEST(test_few_parties) {
  uint32_t number = (uint32_t)_i;

  for (size_t round = unit_rounds(100000); round > 0; round--) {
    number = compare_with_plain(number, 1 + number % 17, 1 + (int32_t)(number >> 8) % 60, _i & IS_DESCENDING);
  }
}
END_TEST

START_TEST(test_many_seats) {
  uint32_t number = (uint32_t)_i;

  for (size_t round = unit_rounds(2000); round > 0; round--) {
    number = compare_with_plain(number, 1 + number % PARTIES, 1 + (int32_t)(number >> 8) % 900, _i);
  }
}
END_TEST

UNIT_CASE(webster) {
  TCase *cases = tcase_create("webster");

  tcase_add_loop_test(cases, test_parity, 0, (int)REBALI_COUNT(uids));
  tcase_add_test(cases, test_hashes);
  tcase_add_test(cases, test_one_party_with_most_votes);
  tcase_add_test(cases, test_seats_never_exceed_capacity);
  tcase_add_test(cases, test_equal_quotients_go_to_fewer_seats);
  tcase_add_test(cases, test_quotients_that_round_to_the_same_double);
  tcase_add_test(cases, test_nothing_to_weigh);
  tcase_add_test(cases, test_limits);
  tcase_add_test(cases, test_many_seats_by_limits);
  tcase_add_test(cases, test_no_votes_within_limits);
  tcase_add_loop_test(cases, test_fewer_seats_than_parties, 0, 50);
  tcase_add_loop_test(cases, test_few_parties, 0, 10);
  tcase_add_loop_test(cases, test_many_seats, 0, IS_DESCENDING + IS_LIMITED + IS_HELD + 1);
  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  return cases;
}
