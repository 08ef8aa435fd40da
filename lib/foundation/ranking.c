/* SPDX-License-Identifier: MIT */
#include "foundation/ranking.h"

#define FIRST_REACH ((size_t)256)
#define SPARE_CAPACITY ((size_t)32) /* for rows added between two orderings */
#define FEW_CHANGES ((size_t)4)     /* repaired one by one, as are few compared to the rows in order */
#define ROWS_FOR_CHANGE ((size_t)32)
#define MOST_CHANGES ((size_t)64) /* repaired one by one, however many rows are in order */
#define MOST_MOVES ((size_t)16)   /* of rows beside their keys: more of them take as long as listing the rows again */
#define BUCKETS ((size_t)1024)
#define FEW_ROWS ((size_t)32) /* all sorted at once */

/* ---- selection --------------------------------------------------------------------------------------------------- */

/* Keys that are certainly selected, and after them those of which some are. */
struct choice {
  uint64_t *keys;
  size_t certain;
  size_t n;
  uint64_t low; /* all uncertain keys are in [low, high] */
  uint64_t high;
};

/* Keeps the uncertain keys up to the bucket of the last one wanted; those before it become certain. */
static void narrow(struct choice *choice, size_t wanted) {
  uint32_t counts[BUCKETS] = {0};
  unsigned int shift = 0;
  size_t bucket = 0;
  size_t before = choice->certain;
  size_t kept = choice->certain;
  uint64_t first;

  while ((choice->high - choice->low) >> shift >= BUCKETS) {
    shift++;
  }
  for (size_t i = choice->certain; i < choice->n; i++) {
    counts[(choice->keys[i] - choice->low) >> shift]++;
  }
  while (before + counts[bucket] < wanted) {
    before += counts[bucket++];
  }
  first = choice->low + ((uint64_t)bucket << shift);
  for (size_t i = choice->certain; i < choice->n; i++) {
    const uint64_t key = choice->keys[i];

    if (key < first) {
      choice->keys[kept++] = choice->keys[choice->certain];
      choice->keys[choice->certain++] = key;
    } else if ((key - first) >> shift == 0) {
      choice->keys[kept++] = key;
    }
  }
  choice->n = kept;
  choice->low = first;
  choice->high = choice->high - first < (UINT64_C(1) << shift) ? choice->high : first + ((UINT64_C(1) << shift) - 1);
}

/*
 * Keeps the smallest `wanted` keys or a few more, unsorted; returns how many. Keys differ, so buckets of one key end
 * the search at the latest: after at most 64 / 10 rounds.
 */
static size_t choose(uint64_t *keys, size_t n, size_t wanted) {
  struct choice choice = {keys, 0, n, UINT64_MAX, 0};

  if (wanted >= n - n / 4) {
    return n;
  }
  for (size_t i = 0; i < n; i++) {
    choice.low = keys[i] < choice.low ? keys[i] : choice.low;
    choice.high = keys[i] > choice.high ? keys[i] : choice.high;
  }
  while (choice.n > wanted + wanted / 2) {
    narrow(&choice, wanted);
  }
  return choice.n;
}

/* ---- rankings ---------------------------------------------------------------------------------------------------- */

/* Rows must have been sorted: reach is not 0. */
static int is_in_order(const struct rebali_ranking *ranking, uint64_t key) {
  return key <= ranking->bound;
}

/* Counts of values, the largest value first. A bucket has values that differ only below the shift. */
struct tally {
  uint32_t counts[BUCKETS];
  unsigned int shift; /* 0: a bucket is a value */
  int32_t most;
};

static void count_values(const struct rebali_ranked *ranked, struct tally *tally) {
  const int32_t *values = ranked->values;
  int32_t least = INT32_MAX, most = INT32_MIN;

  for (uint32_t row = 0; row < ranked->n; row++) {
    least = values[row] < least ? values[row] : least;
    most = values[row] > most ? values[row] : most;
  }
  memset(tally->counts, 0, sizeof tally->counts);
  tally->most = most;
  tally->shift = 0;
  while (((uint32_t)most - (uint32_t)least) >> tally->shift >= BUCKETS) {
    tally->shift++;
  }
  for (uint32_t row = 0; row < ranked->n; row++) {
    tally->counts[((uint32_t)most - (uint32_t)values[row]) >> tally->shift]++;
  }
}

/* Gathers the first `wanted` rows that are not in order, and those in the bucket of the last of them; by place. */
static size_t gather(const struct rebali_ranking *ranking, const struct rebali_ranked *ranked,
                     const struct tally *tally, size_t wanted, uint64_t *keys) {
  const size_t is_first = ranking->reach == 0;
  size_t bucket = 0, before = tally->counts[0], n = 0;

  while (before < wanted + ranking->n) {
    before += tally->counts[++bucket];
  }
  for (uint32_t i = 0; i < ranked->n; i++) {
    const uint32_t rank = ranking->descending ? ranked->n - 1 - i : i;
    const int32_t value = ranked->values[ranked->by_rank[rank]];
    const uint64_t key = rebali_ranking_key(value, rebali_ranking_turn(rank, ranking->descending));

    keys[n] = key;
    n += (size_t)(((uint32_t)tally->most - (uint32_t)value) >> tally->shift <= bucket) &
         (is_first | (size_t)(key > ranking->bound));
  }
  return n;
}

/* Reserves memory for keys, and for rows after them. */
static int32_t reserve_space(struct rebali_ranking *ranking, const rebal_allocator *allocator, size_t wanted) {
  return rebali_reserve(allocator, &ranking->keys, &ranking->capacity, wanted + SPARE_CAPACITY,
                        sizeof *ranking->keys + sizeof *ranking->rows);
}

/* Returns how many rows are sorted when so many are wanted. */
static size_t target_of(const struct rebali_ranking *ranking, const struct rebali_ranked *ranked, size_t wanted) {
  const size_t reach = wanted > ranking->reach ? wanted : ranking->reach;
  const size_t target = reach > FIRST_REACH / 2 ? reach * 2 : FIRST_REACH; /* rows are counted in 32 bits */

  return target < ranked->n ? target : ranked->n;
}

/* Sorts the first rows if each bucket is one value: rows are visited in the order of places. */
static int32_t order_few_values(struct rebali_ranking *ranking, const rebal_allocator *allocator,
                                const struct rebali_ranked *ranked, struct tally *tally, size_t wanted) {
  const size_t target = target_of(ranking, ranked, wanted);
  const uint32_t turn = ranking->descending ? UINT32_MAX : 0;
  uint32_t *starts = tally->counts;
  uint32_t start = 0;

  if (reserve_space(ranking, allocator, target) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < BUCKETS; i++) {
    const uint32_t count = starts[i];

    starts[i] = start;
    start += count;
  }
  for (uint32_t i = 0; i < ranked->n; i++) {
    const uint32_t rank = ranking->descending ? ranked->n - 1 - i : i;
    const int32_t value = ranked->values[ranked->by_rank[rank]];
    const uint32_t place = starts[tally->most - value]++;

    if (place < target) {
      ranking->keys[place] = rebali_ranking_key(value, rank ^ turn);
    }
  }
  ranking->n = target;
  ranking->reach = target;
  ranking->bound = target < ranked->n ? ranking->keys[target - 1] : UINT64_MAX;
  return REBAL_OK;
}

static int32_t extend(struct rebali_ranking *ranking, const rebal_allocator *allocator, struct rebali_arena *scratch,
                      const struct rebali_ranked *ranked, const struct tally *tally, size_t wanted) {
  const size_t target = target_of(ranking, ranked, wanted);
  uint64_t *found = rebali_arena_allocate(scratch, (size_t)ranked->n + 1, 2 * sizeof *found);
  size_t n;

  if (found == NULL) {
    return REBAL_ENOMEM;
  }
  n = gather(ranking, ranked, tally, target - ranking->n, found);
  n = choose(found, n, target < ranked->n ? target - ranking->n : n);
  if (reserve_space(ranking, allocator, ranking->n + n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  rebali_sort_keys(found, n, found + ranked->n);
  memcpy(ranking->keys + ranking->n, found, n * sizeof *found);
  ranking->n += n;
  ranking->reach = target;
  ranking->bound = ranking->n < ranked->n ? ranking->keys[ranking->n - 1] : UINT64_MAX;
  return REBAL_OK;
}

/* Sorts all of a few rows. */
static int32_t order_all(struct rebali_ranking *ranking, const rebal_allocator *allocator,
                         const struct rebali_ranked *ranked) {
  if (reserve_space(ranking, allocator, ranked->n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (uint32_t rank = 0; rank < ranked->n; rank++) {
    ranking->keys[rank] =
        rebali_ranking_key(ranked->values[ranked->by_rank[rank]], rebali_ranking_turn(rank, ranking->descending));
  }
  rebali_sort_keys(ranking->keys, ranked->n, NULL);
  ranking->n = ranked->n;
  ranking->reach = ranked->n;
  ranking->bound = UINT64_MAX;
  return REBAL_OK;
}

/*
 * After rebali_ranking_forget(): sorts rows up to the previous bound if they are about as many as then. Sets *is_done
 * to 0 if they are not.
 */
static int32_t order_as_before(struct rebali_ranking *ranking, const rebal_allocator *allocator,
                               struct rebali_arena *scratch, const struct rebali_ranked *ranked, size_t wanted,
                               int *is_done) {
  const size_t most = target_of(ranking, ranked, wanted) * 2;
  const uint32_t turn = ranking->descending ? UINT32_MAX : 0;
  const uint64_t bound = ranking->bound;
  uint64_t *found = rebali_arena_allocate(scratch, (size_t)ranked->n + 1, 2 * sizeof *found);
  size_t n = 0;

  if (found == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < ranked->n; i++) {
    const uint32_t rank = ranking->descending ? ranked->n - 1 - i : i;

    found[n] = rebali_ranking_key(ranked->values[ranked->by_rank[rank]], rank ^ turn);
    n += found[n] <= bound;
  }
  *is_done = n >= wanted && n <= most;
  if (!*is_done) {
    return REBAL_OK;
  }
  if (reserve_space(ranking, allocator, n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  rebali_sort_keys(found, n, found + ranked->n);
  memcpy(ranking->keys, found, n * sizeof *found);
  ranking->n = n;
  ranking->reach = n;
  return REBAL_OK;
}

static int32_t order_more(struct rebali_ranking *ranking, const rebal_allocator *allocator,
                          struct rebali_arena *scratch, const struct rebali_ranked *ranked, size_t wanted) {
  struct tally tally;
  int is_done = 0;

  if (ranked->n <= FEW_ROWS) {
    return order_all(ranking, allocator, ranked);
  }
  if (ranking->reach == 0 && ranking->bound != 0) {
    const int32_t code = order_as_before(ranking, allocator, scratch, ranked, wanted, &is_done);

    if (code != REBAL_OK || is_done) {
      return code;
    }
  }
  count_values(ranked, &tally);
  return ranking->reach == 0 && tally.shift == 0 ? order_few_values(ranking, allocator, ranked, &tally, wanted)
                                                 : extend(ranking, allocator, scratch, ranked, &tally, wanted);
}

int32_t rebali_ranking_best(struct rebali_ranking *ranking, const rebal_allocator *allocator,
                            struct rebali_arena *scratch, const struct rebali_ranked *ranked, size_t n,
                            const uint64_t **keys, size_t *n_keys) {
  const size_t wanted = n < ranked->n ? n : ranked->n;

  if (ranking->n < wanted && order_more(ranking, allocator, scratch, ranked, wanted) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *keys = ranking->keys;
  *n_keys = wanted;
  return REBAL_OK;
}

/* Lists four rows per iteration: loop overhead costs as much as listing a row. */
static void list_rows(const struct rebali_ranking *ranking, const uint32_t *by_rank, uint32_t *rows) {
  const uint32_t turn = ranking->descending ? UINT32_MAX : 0;
  const uint64_t *keys = ranking->keys;
  size_t i = 0;

  for (; i + 4 <= ranking->n; i += 4) {
    rows[i] = by_rank[rebali_ranking_place(keys[i]) ^ turn];
    rows[i + 1] = by_rank[rebali_ranking_place(keys[i + 1]) ^ turn];
    rows[i + 2] = by_rank[rebali_ranking_place(keys[i + 2]) ^ turn];
    rows[i + 3] = by_rank[rebali_ranking_place(keys[i + 3]) ^ turn];
  }
  for (; i < ranking->n; i++) {
    rows[i] = by_rank[rebali_ranking_place(keys[i]) ^ turn];
  }
}

const uint32_t *rebali_ranking_rows(struct rebali_ranking *ranking, const uint32_t *by_rank) {
  if (ranking->rows == NULL && ranking->n > 0) {
    uint32_t *rows = (uint32_t *)(ranking->keys + ranking->capacity);

    list_rows(ranking, by_rank, rows);
    ranking->rows = rows;
  }
  return ranking->rows;
}

/* Returns the index of the first key that is not less. */
static size_t find(const struct rebali_ranking *ranking, uint64_t key) {
  size_t low = 0;
  size_t n = ranking->n;

  while (n > 0) {
    const size_t half = n / 2;

    if (ranking->keys[low + half] < key) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

/* Moves the elements between two positions by one, towards `from`. */
static void shift(void *cells, size_t size, size_t from, size_t to) {
  char *bytes = cells;

  if (to > from) {
    memmove(bytes + from * size, bytes + (from + 1) * size, (to - from) * size);
  } else {
    memmove(bytes + (to + 1) * size, bytes + to * size, (from - to) * size);
  }
}

static void move(struct rebali_ranking *ranking, uint64_t before, uint64_t after) {
  const size_t from = find(ranking, before);
  const size_t next = find(ranking, after);
  const size_t to = next > from ? next - 1 : next;

  shift(ranking->keys, sizeof *ranking->keys, from, to);
  ranking->keys[to] = after;
  if (ranking->rows != NULL) {
    const uint32_t row = ranking->rows[from];

    shift(ranking->rows, sizeof *ranking->rows, from, to);
    ranking->rows[to] = row;
  }
}

static void take(struct rebali_ranking *ranking, uint64_t key) {
  const size_t place = find(ranking, key);

  ranking->rows = NULL;
  ranking->n--;
  memmove(ranking->keys + place, ranking->keys + place + 1, (ranking->n - place) * sizeof *ranking->keys);
}

/* If the memory is full, the bound moves before the last key, which is above 0 as the capacity is at least two. */
static void put(struct rebali_ranking *ranking, uint64_t key) {
  size_t place;

  ranking->rows = NULL;
  if (ranking->n == ranking->capacity) {
    ranking->bound = ranking->keys[--ranking->n] - 1;
    if (key > ranking->bound) {
      return;
    }
  }
  place = find(ranking, key);
  memmove(ranking->keys + place + 1, ranking->keys + place, (ranking->n - place) * sizeof *ranking->keys);
  ranking->keys[place] = key;
  ranking->n++;
}

static void change(struct rebali_ranking *ranking, uint64_t before, uint64_t after) {
  const int was_in_order = is_in_order(ranking, before);

  if (was_in_order && is_in_order(ranking, after)) {
    move(ranking, before, after);
  } else if (was_in_order) {
    take(ranking, before);
  } else if (is_in_order(ranking, after)) {
    put(ranking, after);
  }
}

/* Both must be sorted, and every key must be present. */
static void take_all(struct rebali_ranking *ranking, const uint64_t *gone, size_t n) {
  size_t from = n == 0 ? ranking->n : find(ranking, gone[0]);
  size_t to = from;

  for (size_t i = 0; from < ranking->n; from++) {
    if (i < n && ranking->keys[from] == gone[i]) {
      i++;
    } else {
      ranking->keys[to++] = ranking->keys[from];
    }
  }
  ranking->n -= n;
}

/* Must be sorted. Inserts the largest first, from the end; keys beyond the capacity are put one by one. */
static void put_all(struct rebali_ranking *ranking, const uint64_t *come, size_t n) {
  const size_t spare = ranking->capacity - ranking->n;
  const size_t merged = n < spare ? n : spare;
  size_t from = ranking->n;

  ranking->n += merged;
  for (size_t i = merged, to = ranking->n; i > 0;) {
    to--;
    ranking->keys[to] = from > 0 && ranking->keys[from - 1] > come[i - 1] ? ranking->keys[--from] : come[--i];
  }
  for (size_t i = merged; i < n; i++) {
    if (is_in_order(ranking, come[i])) {
      put(ranking, come[i]);
    }
  }
}

static uint64_t key_of(const struct rebali_ranking *ranking, int32_t value, uint32_t rank) {
  return rebali_ranking_key(value, rebali_ranking_turn(rank, ranking->descending));
}

static int32_t change_all(struct rebali_ranking *ranking, struct rebali_arena *scratch,
                          const struct rebali_ranking_change *changes, size_t n) {
  uint64_t *gone = rebali_arena_allocate(scratch, n, 3 * sizeof *gone);
  uint64_t *come = gone == NULL ? NULL : gone + n;
  size_t n_gone = 0;
  size_t n_come = 0;

  if (gone == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    gone[n_gone] = key_of(ranking, changes[i].before, changes[i].rank);
    n_gone += (size_t)is_in_order(ranking, gone[n_gone]);
    come[n_come] = key_of(ranking, changes[i].after, changes[i].rank);
    n_come += (size_t)is_in_order(ranking, come[n_come]);
  }
  rebali_sort_keys(gone, n_gone, come + n);
  rebali_sort_keys(come, n_come, come + n);
  take_all(ranking, gone, n_gone);
  put_all(ranking, come, n_come);
  return REBAL_OK;
}

int32_t rebali_ranking_repair(struct rebali_ranking *ranking, struct rebali_arena *scratch,
                              const struct rebali_ranking_change *changes, size_t n) {
  if (ranking->reach == 0) {
    return REBAL_OK;
  }
  if (n > MOST_MOVES) {
    ranking->rows = NULL;
  }
  if (n > FEW_CHANGES && (n > MOST_CHANGES || n > ranking->n / ROWS_FOR_CHANGE)) {
    ranking->rows = NULL;
    return change_all(ranking, scratch, changes, n);
  }
  for (size_t i = 0; i < n; i++) {
    change(ranking, key_of(ranking, changes[i].before, changes[i].rank),
           key_of(ranking, changes[i].after, changes[i].rank));
  }
  return REBAL_OK;
}

void rebali_ranking_forget(struct rebali_ranking *ranking) {
  if (ranking->reach != 0) {
    ranking->bound = ranking->bound == UINT64_MAX ? 0 : ranking->bound;
  }
  ranking->rows = NULL;
  ranking->n = 0;
  ranking->reach = 0;
}

void rebali_ranking_clear(struct rebali_ranking *ranking) {
  rebali_ranking_forget(ranking);
  ranking->bound = 0;
}

void rebali_ranking_dispose(struct rebali_ranking *ranking, const rebal_allocator *allocator) {
  rebali_release(allocator, ranking->keys);
}
