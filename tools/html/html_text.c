/* SPDX-License-Identifier: MIT */
/* Functions shared by pages: no scripts, no external resources, the same bytes for the same input. */
#include "html/html.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";

static const char style[] =
    "</title>\n<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }\n"
    "h2 { font-size: 1.1em; margin: 2em 0 .3em; overflow-wrap: anywhere; }\n"
    "svg { background: #8881; display: block; height: 12em; width: 100%; }\n"
    "svg rect { shape-rendering: crispEdges; }\n"
    "svg.bar { height: 1em; min-width: 8em; }\n"
    ".starting { opacity: .4; }\n"
    ".step, .wanted { fill: none; vector-effect: non-scaling-stroke; }\n"
    ".step { stroke: #8888; stroke-dasharray: 3 3; }\n"
    ".wanted { stroke: currentColor; stroke-width: 1.5; }\n"
    "svg.flows { height: auto; min-width: 54em; } .flow { opacity: .45; } .flow:hover { opacity: .9; }\n"
    "#losses :is(th, td):not(:first-child) { padding-left: .8em; }\n"
    ".heat { background: color-mix(in srgb, #c8524d var(--heat), transparent); }\n"
    "svg text { fill: currentColor; font-size: 13px; }\n"
    ".grid { fill: none; stroke: #8884; vector-effect: non-scaling-stroke; }\n"
    ".wide { overflow-x: auto; padding-top: .6em; } .chart { display: flex; min-width: 54em; }\n"
    ".picture { flex: 1; } .numbers { height: 12em; }\n"
    ".numbers, .times, .names { flex: none; position: relative; }\n"
    ".numbers span { line-height: 1; opacity: .75; position: absolute; right: .4em; transform: translateY(50%); }\n"
    ".times, .names { font-size: .85em; line-height: 1.3; } .times { height: 3em; }\n"
    ".times span, .names span { border-left: 1px solid #8888; max-width: 45%; opacity: .75; overflow: hidden; "
    "padding: 0 .3em; position: absolute; text-overflow: ellipsis; white-space: nowrap; }\n"
    ".times .last, .names .last { border-left: 0; border-right: 1px solid #8888; text-align: right; }\n"
    "#bindings { max-height: 10em; overflow: auto; } #bindings label { display: block; }\n"
    ".key { border-radius: 2px; display: inline-block; height: .8em; margin: 0 .3em 0 1em; width: .8em; }\n"
    ".c0 { background: #3b7dd8; fill: #3b7dd8; } .c1 { background: #e0843a; fill: #e0843a; }\n"
    ".c2 { background: #3f9f66; fill: #3f9f66; } .c3 { background: #b5578f; fill: #b5578f; }\n"
    ".c4 { background: #8a6fd1; fill: #8a6fd1; } .c5 { background: #b8a02e; fill: #b8a02e; }\n"
    ".c6 { background: #38a3a5; fill: #38a3a5; } .c7 { background: #c8524d; fill: #c8524d; }\n"
    "table { border-collapse: collapse; font-size: .9em; width: 100%; }\n"
    "th, td { border-bottom: 1px solid #8884; padding: .2em .8em .2em 0; text-align: left; vertical-align: top; }\n"
    "td { overflow-wrap: anywhere; } .n { text-align: right; white-space: nowrap; }\n"
    "td:first-child { white-space: nowrap; }\n"
    ".subsets td, .pods td:not(:last-child), .admitted td:nth-child(-n+4) { overflow-wrap: normal; }\n"
    "#moves td, #events td:not(:last-child), #expectations td:not(:last-child), .shares td "
    "{ overflow-wrap: normal; }\n"
    "#moves td:last-child, #events td:last-child, #expectations td:last-child { min-width: 17em; }\n"
    "td span { white-space: nowrap; }\n"
    "details { margin: .5em 0; } .failed { color: #c8524d; font-weight: bold; }\n"
    "</style>\n</head>\n<body>\n";

enum status html_save(const struct options *options, enum status (*append)(const void *user, struct output *out),
                      const void *user) {
  struct output page;
  enum status status = output_open(&page);
  if (status == STATUS_DONE) {
    status = append(user, &page);
  }
  if (status == STATUS_DONE) {
    status = file_write(options, options->html, page.text);
  }
  output_close(&page);
  return status;
}

void put_html(struct output *out, const char *text) {
  static const struct {
    char byte;
    const char *shown;
  } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  char *shown = escaped(text);
  if (shown == NULL) {
    out->failed = 1;
    return;
  }
  for (const char *at = shown; *at != '\0';) {
    const size_t plain = strcspn(at, "&<>\"'");
    put_bytes(out, at, plain);
    at += plain;
    for (size_t i = 0; *at != '\0' && i < sizeof marks / sizeof marks[0]; i++) {
      if (marks[i].byte == *at) {
        put(out, marks[i].shown);
        at++;
        break;
      }
    }
  }
  free(shown);
}

void html_cell_of(struct output *out, const char *text, size_t len) {
  char *copy = strndup(text, len);
  put(out, "<td>");
  if (copy == NULL) {
    out->failed = 1;
  } else {
    put_html(out, copy);
  }
  put(out, "</td>");
  free(copy);
}

void html_headings(struct output *out, const char *const *headings, size_t n) {
  put(out, "<tr>");
  for (size_t i = 0; i < n; i++) {
    put(out, headings[i][0] == '#' ? "<th class=\"n\">" : "<th>");
    put(out, headings[i] + (headings[i][0] == '#'));
    put(out, "</th>");
  }
  put(out, "</tr>\n");
}

void html_cell(struct output *out, const char *text) {
  html_cell_of(out, text, strlen(text));
}

void html_words(struct output *out, const char *text, size_t len) {
  put(out, "<td>");
  for (size_t from = 0, end; from < len; from = end) {
    char *word;
    end = from + strcspn(text + from, " ");
    end = end < len ? end : len;
    word = strndup(text + from, end - from);
    put(out, "<span>");
    if (word == NULL) {
      out->failed = 1;
    } else {
      put_html(out, word);
    }
    put(out, "</span>");
    free(word);
    for (; end < len && text[end] == ' '; end++) {
      put(out, " ");
    }
  }
  put(out, "</td>");
}

void html_number(struct output *out, int64_t value) {
  put(out, "<td class=\"n\">");
  put_integer(out, value);
  put(out, "</td>");
}

void html_begin(struct output *out, const char *title) {
  put(out, head);
  put_html(out, title);
  put(out, style);
}

void html_end(struct output *out) {
  put(out, "</body>\n</html>\n");
}
