/* SPDX-License-Identifier: MIT */
/* Reads YAML as events, with libyaml. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
  yaml_parser_t parser;
  yaml_event_t event; /* the current one: it owns the texts handed out */
  struct rebali_buffer scratch;
};

static int32_t open_reader(struct rebali_source *source, rebal_error *err) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL || !yaml_parser_initialize(&reader->parser)) {
    free(reader);
    return rebali_fail_memory(err);
  }
  yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&reader->parser, (const unsigned char *)source->bytes, source->len);
  source->state = reader;
  return REBAL_OK;
}

static void close_reader(struct rebali_source *source) {
  struct reader *reader = source->state;
  if (reader == NULL) {
    return;
  }
  yaml_event_delete(&reader->event);
  yaml_parser_delete(&reader->parser);
  rebali_buffer_dispose(&reader->scratch);
  free(reader);
  source->state = NULL;
}

/* libyaml counts bytes in errors of its decoder, else characters. */
static int32_t fail_as_parser(struct rebali_source *source, rebal_error *err) {
  static const struct rebali_source_kind in_bytes = {NULL, NULL, NULL, 0};
  const yaml_parser_t *parser = &((const struct reader *)source->state)->parser;
  const char *problem = parser->problem != NULL ? parser->problem : "malformed YAML";
  struct rebali_source at = *source;
  if (parser->error == YAML_MEMORY_ERROR) {
    return rebali_fail_memory(err);
  }
  if (parser->error == YAML_READER_ERROR) {
    at.kind = &in_bytes;
    return rebali_source_fail(&at, parser->problem_offset, err, REBAL_EPARSE, "%s", problem);
  }
  if (parser->context != NULL) {
    return rebali_source_fail(source, parser->problem_mark.index, err, REBAL_EPARSE, "%s, %s", problem,
                              parser->context);
  }
  return rebali_source_fail(source, parser->problem_mark.index, err, REBAL_EPARSE, "%s", problem);
}

static int32_t read_scalar(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  const char *text = (const char *)reader->event.data.scalar.value;
  const char *tag = (const char *)reader->event.data.scalar.tag;
  const size_t len = reader->event.data.scalar.length;
  const int is_plain = reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  const char *problem;
  const int32_t result = rebali_scalar_resolve(text, len, is_plain, tag, &reader->scratch, event, &problem);
  event->anchor = (const char *)reader->event.data.scalar.anchor;
  if (memchr(text, '\0', len) != NULL) {
    return rebali_source_fail(source, event->offset, err, REBAL_EPARSE, "the character 0 is not supported");
  }
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  return result == REBAL_OK ? REBAL_OK : rebali_source_fail(source, event->offset, err, result, "%s", problem);
}

static int32_t read_start(struct rebali_source *source, struct rebali_event *event, int is_map, rebal_error *err) {
  const struct reader *reader = source->state;
  const yaml_char_t *tag = is_map ? reader->event.data.mapping_start.tag : reader->event.data.sequence_start.tag;
  const yaml_char_t *anchor =
      is_map ? reader->event.data.mapping_start.anchor : reader->event.data.sequence_start.anchor;
  event->kind = is_map ? REBALI_EVENT_MAP_START : REBALI_EVENT_LIST_START;
  event->anchor = (const char *)anchor;
  if (tag == NULL || strcmp((const char *)tag, "!") == 0 ||
      strcmp((const char *)tag, is_map ? YAML_MAP_TAG : YAML_SEQ_TAG) == 0) {
    return REBAL_OK;
  }
  return rebali_source_fail(source, event->offset, err, REBAL_EPARSE, "this tag is not supported");
}

static int32_t translate(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  const struct reader *reader = source->state;
  switch (reader->event.type) {
    case YAML_SCALAR_EVENT:
      return read_scalar(source, event, err);
    case YAML_MAPPING_START_EVENT:
      return read_start(source, event, 1, err);
    case YAML_SEQUENCE_START_EVENT:
      return read_start(source, event, 0, err);
    case YAML_ALIAS_EVENT:
      event->kind = REBALI_EVENT_ALIAS;
      event->text = (const char *)reader->event.data.alias.anchor;
      event->len = strlen(event->text);
      return REBAL_OK;
    case YAML_MAPPING_END_EVENT:
      event->kind = REBALI_EVENT_MAP_END;
      return REBAL_OK;
    default:
      event->kind = REBALI_EVENT_LIST_END;
      return REBAL_OK;
  }
}

static int is_about_content(yaml_event_type_t type) {
  return type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT || type == YAML_MAPPING_START_EVENT ||
         type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_START_EVENT || type == YAML_SEQUENCE_END_EVENT;
}

static int32_t next_event(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  int32_t result;
  *event = (struct rebali_event){.kind = REBALI_EVENT_END};
  do {
    yaml_event_delete(&reader->event);
    if (!yaml_parser_parse(&reader->parser, &reader->event)) {
      return fail_as_parser(source, err);
    }
    if (reader->event.type == YAML_STREAM_END_EVENT || reader->event.type == YAML_NO_EVENT) {
      return REBAL_OK;
    }
  } while (!is_about_content(reader->event.type));
  event->offset = reader->event.start_mark.index;
  result = translate(source, event, err);
  return result == REBAL_OK ? rebali_source_count(source, event, err) : result;
}

const struct rebali_source_kind rebali_source_yaml = {open_reader, next_event, close_reader, 1};
