/* SPDX-License-Identifier: MIT */
/*
 * YAML as programs write it, as events: block maps and lists, plain and quoted scalars, comments on lines of their own.
 * All else is refused, although it may be YAML: the text is then read by libyaml, which also says what is wrong with
 * it. What is accepted has the events that libyaml has; where they stand is not told.
 */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

enum kind { KIND_MAP, KIND_LIST, KIND_LEVEL_LIST /* as deep as the map whose value it is */ };

/* A map or list that is open. */
struct level {
  size_t column;
  enum kind kind;
  int waits; /* a key or dash has no value yet */
};

/* An event that is known but not handed out. */
struct pending {
  enum rebali_event_kind kind;
  int is_plain;
  size_t at, len; /* text of a scalar, within texts */
};

struct reader {
  size_t at; /* the next line */
  struct level *levels;
  size_t depth, n_levels;
  struct pending *queue; /* events of the last line */
  size_t first, n, capacity;
  struct rebali_output texts;   /* scalars of the queue */
  struct rebali_output scratch; /* of the scalar handed out */
  int has_mark;                 /* "---" begins the document */
  int has_root;
  int is_done;
};

/* A line, or what is left of it. */
struct line {
  const char *at, *end;
  size_t column;
};

static int32_t refuse(void) {
  return REBAL_EPARSE;
}

static int32_t open_reader(struct rebali_source *source, rebal_error *err) {
  source->state = calloc(1, sizeof(struct reader));
  return source->state != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
}

static void close_reader(struct rebali_source *source) {
  struct reader *reader = source->state;
  if (reader == NULL) {
    return;
  }
  rebali_output_dispose(&reader->texts);
  rebali_output_dispose(&reader->scratch);
  free(reader->levels);
  free(reader->queue);
  free(reader);
  source->state = NULL;
}

/* ---- the queue ---- */

static int32_t push_event(struct reader *reader, const struct pending *event) {
  if (reader->n == reader->capacity) {
    const size_t capacity = reader->capacity != 0 ? 2 * reader->capacity : 16;
    struct pending *queue = realloc(reader->queue, capacity * sizeof *queue);
    if (queue == NULL) {
      return REBAL_ENOMEM;
    }
    reader->queue = queue;
    reader->capacity = capacity;
  }
  reader->queue[reader->n++] = *event;
  return REBAL_OK;
}

static int32_t push_mark(struct reader *reader, enum rebali_event_kind kind) {
  const struct pending event = {kind, 0, 0, 0};
  return push_event(reader, &event);
}

/* The scalar whose text begins at start and ends where texts end. */
static int32_t push_scalar(struct reader *reader, size_t start, int is_plain) {
  const struct pending event = {REBALI_EVENT_SCALAR, is_plain, start, reader->texts.len - start};
  rebali_output_append(&reader->texts, "", 1); /* ends it */
  return reader->texts.failed ? REBAL_ENOMEM : push_event(reader, &event);
}

static int32_t push_null(struct reader *reader) {
  return push_scalar(reader, reader->texts.len, 1);
}

/* ---- levels ---- */

static struct level *innermost(const struct reader *reader) {
  return reader->depth > 0 ? &reader->levels[reader->depth - 1] : NULL;
}

static int32_t open_level(struct reader *reader, size_t column, enum kind kind) {
  if (reader->depth > 0) {
    innermost(reader)->waits = 0;
  }
  if (reader->depth == reader->n_levels) {
    const size_t n = reader->n_levels != 0 ? 2 * reader->n_levels : 16;
    struct level *levels = realloc(reader->levels, n * sizeof *levels);
    if (levels == NULL) {
      return REBAL_ENOMEM;
    }
    reader->levels = levels;
    reader->n_levels = n;
  }
  reader->levels[reader->depth++] = (struct level){column, kind, 0};
  reader->has_root = 1;
  return push_mark(reader, kind == KIND_MAP ? REBALI_EVENT_MAP_START : REBALI_EVENT_LIST_START);
}

/* A key or dash that has got no value has the value null. */
static int32_t end_wait(struct reader *reader) {
  struct level *level = innermost(reader);
  if (!level->waits) {
    return REBAL_OK;
  }
  level->waits = 0;
  return push_null(reader);
}

static int32_t close_level(struct reader *reader) {
  const int32_t result = end_wait(reader);
  if (result != REBAL_OK) {
    return result;
  }
  return push_mark(reader,
                   reader->levels[--reader->depth].kind == KIND_MAP ? REBALI_EVENT_MAP_END : REBALI_EVENT_LIST_END);
}

/* ---- scalars ---- */

enum class { CLASS_REFUSED, CLASS_PLAIN, CLASS_SPACE, CLASS_COLON };

/*
 * What libyaml may take for a line break, a mark or no character at all is refused: control characters, and the bytes
 * that begin U+0080 to U+00BF, U+2000 to U+2FFF, U+F000 to U+FFFF and all from U+10000 on.
 */
static enum class class_of(char c) { const unsigned char byte = (unsigned char)c; if (byte == ' '){return CLASS_SPACE;}
if (byte == ':') {
  return CLASS_COLON;
}
if (byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 || byte >= 0xEF) {
  return CLASS_REFUSED;
}
return CLASS_PLAIN;
}

static int ends_token(const char *at, const char *end) {
  return at == end || *at == ' ';
}

/* Appends a plain scalar, up to the colon that makes it a key or to the end of the line. */
static int32_t take_plain(struct reader *reader, struct line *line) {
  const char *start = line->at, *at = start;
  for (; at < line->end; at++) {
    enum class class;
    if (*at > ' ' && *at < 0x7F && *at != ':') { /* nearly all */
      continue;
    }
    class = class_of(*at);
    if (class == CLASS_COLON && ends_token(at + 1, line->end)) {
      break;
    }
    if (class == CLASS_REFUSED || (class == CLASS_SPACE && (at + 1 == line->end || at[1] == '#'))) {
      return refuse();
    }
  }
  if (at == start || at[-1] == ' ') {
    return refuse();
  }
  rebali_output_append(&reader->texts, start, (size_t)(at - start));
  line->at = at;
  return REBAL_OK;
}

/* Moves to the next line of the text when its content begins behind the column; 0: it does not, or there is none. */
static int follow(const struct rebali_source *source, struct line *line, size_t column) {
  struct reader *reader = source->state;
  const char *const end = source->bytes + source->len;
  const char *start = source->bytes + reader->at, *at = start, *stop;
  while (at < end && *at == ' ') {
    at++;
  }
  if (at == end || *at == '\n' || (size_t)(at - start) <= column) {
    return 0;
  }
  stop = memchr(at, '\n', (size_t)(end - at));
  stop = stop != NULL ? stop : end;
  *line = (struct line){at, stop, (size_t)(at - start)};
  reader->at = (size_t)(stop - source->bytes) + (stop < end);
  return 1;
}

/* Lines that go on with a plain scalar are joined by spaces. */
static int32_t join_plain(const struct rebali_source *source, struct line *line, size_t column) {
  struct reader *reader = source->state;
  int32_t result = REBAL_OK;
  size_t before = reader->at;
  struct line next = *line;
  for (; result == REBAL_OK && follow(source, &next, column); before = reader->at) {
    if (*next.at == '#') { /* ends the scalar */
      reader->at = before;
      return REBAL_OK;
    }
    rebali_output_append(&reader->texts, " ", 1);
    result = take_plain(reader, &next);
    if (result == REBAL_OK && next.at != next.end) {
      return refuse();
    }
  }
  return result;
}

/* The character an escape stands for, '\0' for one that is refused. */
static char unescape(char c) {
  static const char letters[] = "\"\\/nrt", meanings[] = "\"\\/\n\r\t";
  const char *found = c != '\0' ? strchr(letters, c) : NULL;
  return found != NULL ? meanings[found - letters] : '\0';
}

/* Appends what is quoted on this line; *is_closed: the closing quote was found, and the line is behind it. */
static int32_t take_quoted(struct reader *reader, struct line *line, char quote, int *is_closed) {
  const char *at = line->at, *run = at;
  *is_closed = 0;
  for (; at < line->end; at++) {
    const int is_doubled = quote == '\'' && at + 1 < line->end && at[1] == quote;
    if (*at == quote && !is_doubled) {
      *is_closed = 1;
      break;
    }
    if (class_of(*at) == CLASS_REFUSED) {
      return refuse();
    }
    if (*at == quote || (*at == '\\' && quote == '"')) {
      const char meaning = *at == quote ? quote : at + 1 < line->end ? unescape(at[1]) : '\0';
      if (meaning == '\0') {
        return refuse();
      }
      rebali_output_append(&reader->texts, run, (size_t)(at - run));
      rebali_output_append(&reader->texts, &meaning, 1);
      run = ++at + 1;
    }
  }
  if (!*is_closed && (at == line->at || at[-1] == ' ')) {
    return refuse();
  }
  rebali_output_append(&reader->texts, run, (size_t)(at - run));
  line->at = at + *is_closed;
  return REBAL_OK;
}

/* *is_long: it goes over several lines, so that it can be no key. */
static int32_t take_quoted_lines(const struct rebali_source *source, struct line *line, int *is_long) {
  struct reader *reader = source->state;
  const char quote = *line->at++;
  int is_closed;
  int32_t result = take_quoted(reader, line, quote, &is_closed);
  *is_long = 0;
  while (result == REBAL_OK && !is_closed) {
    *is_long = 1;
    if (!follow(source, line, 0)) {
      return refuse();
    }
    rebali_output_append(&reader->texts, " ", 1);
    result = take_quoted(reader, line, quote, &is_closed);
  }
  return result;
}

/* May a plain scalar begin here? */
static int starts_plain(const struct line *line) {
  if (*line->at == '-') {
    return !ends_token(line->at + 1, line->end);
  }
  return strchr("?:,[]{}#&*!|>%@`\"'", *line->at) == NULL;
}

/* ---- lines ---- */

#define LONGEST_KEY 1000 /* libyaml wants them below 1024 characters */

/*
 * Appends the scalar at the start of the line. *is_key: a colon follows, and the line is behind it and its spaces.
 * column: what goes on with it on the next line begins behind.
 */
static int32_t take_scalar(const struct rebali_source *source, struct line *line, size_t column, int *is_key) {
  struct reader *reader = source->state;
  const int is_quoted = *line->at == '"' || *line->at == '\'';
  const size_t start = reader->texts.len;
  const char *const first = line->at;
  int is_long = 0;
  int32_t result;
  *is_key = 0;
  if (!is_quoted && !starts_plain(line)) {
    return refuse();
  }
  result = is_quoted ? take_quoted_lines(source, line, &is_long) : take_plain(reader, line);
  if (result == REBAL_OK && line->at < line->end) {
    *is_key = *line->at == ':' && ends_token(line->at + 1, line->end) && !is_long;
    result = *is_key && line->at - first <= LONGEST_KEY ? REBAL_OK : refuse();
  } else if (result == REBAL_OK && !is_quoted) {
    result = join_plain(source, line, column);
  }
  if (result == REBAL_OK) {
    result = push_scalar(reader, start, !is_quoted);
  }
  return result;
}

static void skip_spaces(struct line *line) {
  const char *const start = line->at;
  while (line->at < line->end && *line->at == ' ') {
    line->at++;
  }
  line->column += (size_t)(line->at - start);
}

/* "{}" or "[]" and no more. */
static int32_t take_empty(struct reader *reader, const struct line *line) {
  const int is_map = *line->at == '{';
  int32_t result;
  if (line->end - line->at != 2 || line->at[1] != (is_map ? '}' : ']')) {
    return refuse();
  }
  result = push_mark(reader, is_map ? REBALI_EVENT_MAP_START : REBALI_EVENT_LIST_START);
  return result == REBAL_OK ? push_mark(reader, is_map ? REBALI_EVENT_MAP_END : REBALI_EVENT_LIST_END) : result;
}

/* What follows a key or a dash on its line and is no key itself. */
static int32_t take_value(const struct rebali_source *source, struct line *line) {
  struct reader *reader = source->state;
  struct level *level = innermost(reader);
  int is_key = 0;
  int32_t result;
  level->waits = 0;
  if (*line->at == '{' || *line->at == '[') {
    return take_empty(reader, line);
  }
  result = take_scalar(source, line, level->column, &is_key);
  return result == REBAL_OK && is_key ? refuse() : result;
}

/* Opens the map that the key just pushed begins, in front of the key. */
static int32_t open_map(struct reader *reader, size_t column) {
  const struct pending key = reader->queue[--reader->n];
  const int32_t result = open_level(reader, column, KIND_MAP);
  return result == REBAL_OK ? push_event(reader, &key) : result;
}

/* A dash is before it on the line, or nothing: a key with its value, or after a dash a scalar. */
static int32_t take_entry(const struct rebali_source *source, struct line *line, int has_dash) {
  struct reader *reader = source->state;
  struct level *level = innermost(reader);
  const size_t column = line->column;
  const int is_next = level != NULL && level->kind == KIND_MAP && level->column == column;
  int is_key = 0;
  int32_t result = is_next ? end_wait(reader) : REBAL_OK;
  if (result == REBAL_OK && has_dash && (*line->at == '{' || *line->at == '[')) {
    return take_value(source, line);
  }
  if (result == REBAL_OK) {
    result = take_scalar(source, line, level != NULL ? level->column : 0, &is_key);
  }
  if (result == REBAL_OK && !is_key) {
    level = innermost(reader);
    if (!has_dash) {
      return refuse();
    }
    level->waits = 0;
    return REBAL_OK;
  }
  if (result == REBAL_OK && !is_next) {
    result = open_map(reader, column);
  }
  if (result != REBAL_OK) {
    return result;
  }
  innermost(reader)->waits = 1;
  line->at++; /* the colon */
  skip_spaces(line);
  return line->at < line->end ? take_value(source, line) : REBAL_OK;
}

static int is_dash(const struct line *line) {
  return *line->at == '-' && ends_token(line->at + 1, line->end);
}

static int32_t take_dash(struct reader *reader, struct line *line) {
  struct level *level = innermost(reader);
  int32_t result;
  if (level != NULL && level->column == line->column && level->kind != KIND_MAP) {
    result = end_wait(reader);
  } else {
    const int is_level = level != NULL && level->column == line->column;
    result = open_level(reader, line->column, is_level ? KIND_LEVEL_LIST : KIND_LIST);
  }
  if (result != REBAL_OK) {
    return result;
  }
  innermost(reader)->waits = 1;
  line->at++;
  line->column++;
  skip_spaces(line);
  return REBAL_OK;
}

/* Closes what ends before a line, and tells whether the line may stand where it does. */
static int32_t settle_levels(struct reader *reader, const struct line *line) {
  int32_t result = REBAL_OK;
  while (result == REBAL_OK && reader->depth > 0) {
    const struct level *level = innermost(reader);
    if (level->column < line->column) {
      return level->waits ? REBAL_OK : refuse();
    }
    if (level->column == line->column) {
      if (level->kind == KIND_MAP) {
        return !is_dash(line) || level->waits ? REBAL_OK : refuse();
      }
      if (is_dash(line)) {
        return REBAL_OK;
      }
      if (level->kind == KIND_LIST) {
        return refuse();
      }
    }
    result = close_level(reader);
  }
  return result == REBAL_OK && (reader->has_root || line->column != 0) ? refuse() : result;
}

static int32_t take_comment(const struct line *line) {
  for (const char *at = line->at; at < line->end; at++) {
    if (class_of(*at) == CLASS_REFUSED) {
      return refuse();
    }
  }
  return REBAL_OK;
}

static int32_t take_content(const struct rebali_source *source, struct line *line) {
  struct reader *reader = source->state;
  int has_dash = 0;
  int32_t result = settle_levels(reader, line);
  while (result == REBAL_OK && line->at < line->end && is_dash(line)) {
    result = take_dash(reader, line);
    has_dash = 1;
  }
  return result == REBAL_OK && line->at < line->end ? take_entry(source, line, has_dash) : result;
}

/* ---- documents ---- */

static int32_t end_document(struct reader *reader) {
  int32_t result = REBAL_OK;
  if (!reader->has_root && reader->has_mark) {
    result = push_null(reader);
  }
  while (result == REBAL_OK && reader->depth > 0) {
    result = close_level(reader);
  }
  reader->has_root = reader->has_mark = 0;
  return result;
}

static int32_t take_line(const struct rebali_source *source) {
  struct reader *reader = source->state;
  const char *const end = source->bytes + source->len;
  struct line line = {source->bytes + reader->at, end, 0};
  const char *stop;
  int32_t result;
  if (line.at == end) {
    reader->is_done = 1;
    return end_document(reader);
  }
  stop = memchr(line.at, '\n', (size_t)(end - line.at));
  line.end = stop != NULL ? stop : end;
  reader->at = (size_t)(line.end - source->bytes) + (stop != NULL);
  skip_spaces(&line);
  if (line.at == line.end || *line.at == '#') {
    return take_comment(&line);
  }
  if (line.column > 0 || line.end - line.at < 3 ||
      (strncmp(line.at, "---", 3) != 0 && strncmp(line.at, "...", 3) != 0)) {
    return take_content(source, &line);
  }
  if (*line.at == '.' || line.end - line.at > 3) {
    return refuse();
  }
  result = end_document(reader);
  reader->has_mark = 1;
  return result;
}

/* ---- events ---- */

static int32_t next_event(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  const struct pending *pending;
  const char *problem;
  int32_t result = REBAL_OK;
  *event = (struct rebali_event){.kind = REBALI_EVENT_END};
  while (result == REBAL_OK && reader->first == reader->n && !reader->is_done) {
    reader->first = reader->n = 0;
    rebali_output_clear(&reader->texts);
    result = take_line(source);
  }
  if (result == REBAL_OK && reader->first == reader->n) {
    return REBAL_OK;
  }
  if (result == REBAL_OK) {
    pending = &reader->queue[reader->first++];
    event->kind = pending->kind;
    if (pending->kind == REBALI_EVENT_SCALAR) {
      result = rebali_scalar_resolve(reader->texts.bytes + pending->at, pending->len, pending->is_plain, NULL,
                                     &reader->scratch, event, &problem);
    }
  }
  if (result == REBAL_ENOMEM) {
    return rebali_manifest_fail_memory(err);
  }
  return result == REBAL_OK ? rebali_source_count(source, event, err) : result;
}

const struct rebali_source_kind rebali_source_yaml_lines = {open_reader, next_event, close_reader, 0};
