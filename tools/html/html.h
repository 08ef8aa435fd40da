/* SPDX-License-Identifier: MIT */
/* tools/html.h - pages that need nothing else. */
#ifndef HTML_H
#define HTML_H

#include "rebalancectl.h"

/* As far as the body. */
void html_begin(struct output *out, const char *title);
void html_end(struct output *out);
/* Writes the page that a function appends to the file of --html. */
enum status html_save(const struct options *options, enum status (*append)(const void *user, struct output *out),
                      const void *user);
/* A text, in which nothing is markup. */
void put_html(struct output *out, const char *text);
/* The row of headings of a table; "#used" is one of a column of numbers. */
void html_headings(struct output *out, const char *const *headings, size_t n);
#define HTML_HEADINGS(out, headings) html_headings(out, headings, sizeof(headings) / sizeof(headings)[0])
/* A cell of a row. */
void html_cell(struct output *out, const char *text);
void html_cell_of(struct output *out, const char *text, size_t len);
/* A cell whose words are not broken. */
void html_words(struct output *out, const char *text, size_t len);
void html_number(struct output *out, int64_t value);

#endif
