/* SPDX-License-Identifier: MIT */
/* tools/html.h - pages that need nothing else. */
#ifndef HTML_H
#define HTML_H

#include "rebalancectl.h"

/* As far as the body. */
void html_begin(struct output *out, const char *title);
void html_end(struct output *out);
/* A text, in which nothing is markup. */
void put_html(struct output *out, const char *text);
/* A cell of a row. */
void html_cell(struct output *out, const char *text);
void html_cell_of(struct output *out, const char *text, size_t len);
/* A cell whose words are not broken. */
void html_words(struct output *out, const char *text, size_t len);
void html_number(struct output *out, int64_t value);

#endif
