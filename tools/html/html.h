/* SPDX-License-Identifier: MIT */
/* tools/html.h - self-contained pages. */
#ifndef HTML_H
#define HTML_H

#include "rebalancectl.h"

/* Writes the head, up to the start of the body. */
void html_begin(struct output *out, const char *title);
void html_end(struct output *out);
/* Writes the page that a function appends to the file given by --html. */
enum status html_save(const struct options *options, enum status (*append)(const void *user, struct output *out),
                      const void *user);
/* Appends a text with markup characters escaped. */
void put_html(struct output *out, const char *text);
/* Appends the row of headings of a table; "#used" is the heading of a column of numbers. */
void html_headings(struct output *out, const char *const *headings, size_t n);
#define HTML_HEADINGS(out, headings) html_headings(out, headings, sizeof(headings) / sizeof(headings)[0])
/* Appends a cell of a row. */
void html_cell(struct output *out, const char *text);
void html_cell_of(struct output *out, const char *text, size_t len);
/* Appends a cell whose words are not broken. */
void html_words(struct output *out, const char *text, size_t len);
void html_number(struct output *out, int64_t value);

#endif
