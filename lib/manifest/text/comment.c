/* SPDX-License-Identifier: MIT */
/*
 * Finds comments in a YAML text. The scanner drops them, so a number sign between two of its tokens, or in the first
 * line
 * of a block scalar, must start one.
 */
#include "manifest/manifest.h"

#include <string.h>
#include <yaml.h>

/* A single walk through the text between tokens: marks count characters. */
struct walk {
  const struct rebali_source *source;
  size_t byte, character;
};

static void step(struct walk *walk) {
  const char *bytes = walk->source->bytes;
  walk->byte++;
  while (walk->byte < walk->source->len && ((unsigned char)bytes[walk->byte] & 0xC0) == 0x80) {
    walk->byte++;
  }
  walk->character++;
}

static int is_at_end(const struct walk *walk, size_t character) {
  return walk->byte >= walk->source->len || walk->character >= character;
}

/* Returns 1 if a number sign precedes a character; the walk then stays there. */
static int find_sign(struct walk *walk, size_t character, int stop_at_line_end) {
  for (; !is_at_end(walk, character); step(walk)) {
    const char c = walk->source->bytes[walk->byte];
    if (c == '#') {
      return 1;
    }
    if (stop_at_line_end && (c == '\n' || c == '\r')) {
      return 0;
    }
  }
  return 0;
}

static int is_block(const yaml_token_t *token) {
  return token->type == YAML_SCALAR_TOKEN && (token->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
                                              token->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
}

/* Returns 1 if the walk is at a comment, 0 if there is none, or an error of the scanner. */
static int32_t find_in_tokens(yaml_parser_t *parser, struct walk *walk, rebal_error *err) {
  int is_end = 0, is_found = 0;
  while (!is_end && !is_found) {
    yaml_token_t token;
    if (!yaml_parser_scan(parser, &token)) {
      return parser->error == YAML_MEMORY_ERROR
                 ? rebali_fail_memory(err)
                 : rebali_source_fail(walk->source, parser->problem_mark.index, err, REBAL_EPARSE, "%s",
                                      parser->problem != NULL ? parser->problem : "malformed");
    }
    is_found =
        find_sign(walk, token.start_mark.index, 0) || (is_block(&token) && find_sign(walk, token.end_mark.index, 1));
    is_end = token.type == YAML_STREAM_END_TOKEN;
    while (!is_found && !is_at_end(walk, token.end_mark.index)) {
      step(walk);
    }
    yaml_token_delete(&token);
  }
  return is_found; /* the last token is at the end of the text */
}

static int32_t find_in_source(const struct rebali_source *source, struct rebali_position *at, rebal_error *err) {
  struct walk walk = {source, 0, 0};
  yaml_parser_t parser;
  int32_t result;
  if (!yaml_parser_initialize(&parser)) {
    return rebali_fail_memory(err);
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)source->bytes, source->len);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  result = find_in_tokens(&parser, &walk, err);
  yaml_parser_delete(&parser);
  if (result == 1) {
    *at = rebali_position_find(source->bytes, source->len, walk.byte, 0);
  }
  return result < 0 ? result : REBAL_OK;
}

static int32_t drop_document(struct rebali_tree_sink *sink, json_t *tree, rebal_error *err) {
  (void)sink;
  (void)err;
  json_decref(tree);
  return REBAL_OK;
}

static int32_t drop_item(struct rebali_tree_sink *sink, const json_t *document, json_t *item, rebal_error *err) {
  (void)document;
  return drop_document(sink, item, err);
}

static void restart(struct rebali_tree_sink *sink) {
  (void)sink;
}

/* Distinguishes JSON from YAML as the reader does, which also enforces the limits. */
static int32_t check_text(const char *text, size_t len, const struct rebali_limits *limits, int *is_json,
                          rebal_error *err) {
  struct rebali_tree_sink sink = {drop_document, drop_item, rebali_needs_items, restart, NULL};
  struct rebali_source source;
  int32_t result = rebali_text_stream(text, len, limits, &sink, err);
  *is_json = 0;
  if (result == REBAL_OK && rebali_source_prepare(&source, text, len, limits, err) == REBAL_OK &&
      rebali_source_is_json(&source)) {
    result = rebali_source_open(&source, &rebali_source_json, NULL);
    *is_json = result == REBAL_OK && rebali_tree_stream(&source, &sink, NULL) == REBAL_OK;
    source.kind->close(&source);
  }
  return result;
}

int32_t rebal_manifest_find_comment(const char *text, size_t len, const rebal_manifest_limits *limits, uint32_t *line,
                                    uint32_t *column, rebal_error *err) {
  struct rebali_position at = {0, 0, 0};
  struct rebali_limits loaded;
  struct rebali_source source;
  int is_json = 0;
  int32_t result;
  result = rebali_take_stream(&text, &len, "text", err);
  if (result == REBAL_OK) {
    result = rebali_limits_read(limits, &loaded, err);
  }
  if (result == REBAL_OK) {
    result = check_text(text, len, &loaded, &is_json, err);
  }
  if (result == REBAL_OK && !is_json) {
    result = rebali_source_prepare(&source, text, len, &loaded, err);
    source.kind = &rebali_source_yaml; /* counts in characters */
    result = result == REBAL_OK ? find_in_source(&source, &at, err) : result;
  }
  if (result != REBAL_OK) {
    return result;
  }
  if (line != NULL) {
    *line = at.line;
  }
  if (column != NULL) {
    *column = at.column;
  }
  return REBAL_OK;
}
