/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

static void unref_page(const rebal_allocator *allocator, struct rebali_page *page) {
  if (page != NULL && atomic_fetch_sub_explicit(&page->references, 1, memory_order_acq_rel) == 1) {
    rebali_release(allocator, page);
  }
}

static void unref_directory(const rebal_allocator *allocator, struct rebali_directory *directory) {
  size_t i;

  if (directory == NULL || atomic_fetch_sub_explicit(&directory->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  for (i = 0; i < directory->n; i++) {
    unref_page(allocator, directory->pages[i]);
  }
  rebali_release(allocator, directory);
}

static size_t directory_length(const struct rebali_directory *old, size_t wanted) {
  if (old == NULL || wanted <= old->n) {
    return old == NULL ? wanted : old->n;
  }
  return wanted > old->n * 2 ? wanted : old->n * 2; /* at most 2^25: rows are 32-bit numbers */
}

/* Makes the directory unshared and long enough. */
static struct rebali_directory *own_directory(const rebal_allocator *allocator, struct rebali_pages *pages,
                                              size_t wanted) {
  struct rebali_directory *old = pages->directory;
  const size_t n = directory_length(old, wanted);
  struct rebali_directory *directory;
  size_t i;

  if (old != NULL && n == old->n && !rebali_pages_are_shared(&old->references)) {
    return old;
  }
  directory = rebali_allocate_zero(allocator, 1, sizeof *directory + n * sizeof directory->pages[0]);
  if (directory == NULL) {
    return NULL;
  }
  atomic_init(&directory->references, 1);
  directory->n = n;
  for (i = 0; old != NULL && i < old->n; i++) {
    directory->pages[i] = old->pages[i];
    if (directory->pages[i] != NULL) {
      atomic_fetch_add_explicit(&directory->pages[i]->references, 1, memory_order_relaxed);
    }
  }
  unref_directory(allocator, old);
  pages->directory = directory;
  return directory;
}

/* Makes a page of our directory unshared. */
static struct rebali_page *own_page(const rebal_allocator *allocator, struct rebali_page **place, size_t cell,
                                    const void *absent) {
  struct rebali_page *old = *place;
  const size_t bytes = REBALI_PAGE_ROWS * cell;
  struct rebali_page *page;
  size_t done;

  if (old != NULL && !rebali_pages_are_shared(&old->references)) {
    return old;
  }
  page = rebali_allocate(allocator, 1, sizeof *page + bytes);
  if (page == NULL) {
    return NULL;
  }
  atomic_init(&page->references, 1);
  if (old != NULL) {
    memcpy(page->cells, old->cells, bytes);
  } else {
    memcpy(page->cells, absent, cell);
    for (done = cell; done < bytes; done *= 2) { /* a power of two of cells, as in the page */
      memcpy((unsigned char *)page->cells + done, page->cells, done);
    }
  }
  unref_page(allocator, old);
  *place = page;
  return page;
}

void *rebali_pages_own(const rebal_allocator *allocator, struct rebali_pages *pages, uint32_t row, const void *absent) {
  const size_t number = row / REBALI_PAGE_ROWS;
  struct rebali_directory *directory = own_directory(allocator, pages, number + 1);
  struct rebali_page *page =
      directory == NULL ? NULL : own_page(allocator, &directory->pages[number], pages->cell, absent);

  return page == NULL ? NULL : (unsigned char *)page->cells + row % REBALI_PAGE_ROWS * pages->cell;
}

struct rebali_pages rebali_pages_share(const struct rebali_pages *pages) {
  if (pages->directory != NULL) {
    atomic_fetch_add_explicit(&pages->directory->references, 1, memory_order_relaxed);
  }
  return *pages;
}

void rebali_pages_drop(const rebal_allocator *allocator, struct rebali_pages *pages) {
  unref_directory(allocator, pages->directory);
  pages->directory = NULL;
}
