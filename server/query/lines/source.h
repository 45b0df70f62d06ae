/* SPDX-License-Identifier: MIT */
/* source.h: source text and measured lines, shared by the views of one run and of several runs. */
#ifndef PS_QUERY_LINES_SOURCE_H
#define PS_QUERY_LINES_SOURCE_H

#include "server/catalog/readers.h"
#include "server/query/view.h"

ps_view_answer ps_view_source, ps_view_sources;
/* The view source of kinds that do not measure lines: the text of an attached file. */
ps_view_answer ps_view_attached_source;

/* The lines of a text: line N is lines[N - 1]. Lines whose text is unknown are {NULL, 0}. Free it
 * with ps_source_lines_free. */
struct ps_source_lines {
    struct ps_str *lines;
    size_t n, cap;
    struct ps_arena arena;
};
void ps_source_lines_free(struct ps_source_lines *text);
/* Writes the lines as an array of strings; null for lines whose text is unknown. */
void ps_source_lines_json(const struct ps_source_lines *text, struct ps_json *json);

/* Writes the measurements of the file with the id `file` into the open object: the keys "unit_s",
 * "n", "columns", "line", "fn", "block", a key for each column, and "samples". Stores the text of
 * the lines that the profile contains in `carried` (may be NULL). */
enum ps_status ps_source_write_metrics(struct ps_db *db, int64_t file,
                                       struct ps_source_lines *carried, struct ps_json *json,
                                       struct ps_err *err);
/* Writes the key "functions": the functions of the file with the id `file`. */
enum ps_status ps_source_write_functions(struct ps_db *db, int64_t file, struct ps_json *json,
                                         struct ps_err *err);
/* Reads the facts about the source file that is attached to `run` as `path`, and its lines into
 * `text` unless that is NULL. Returns false if none is attached or, with err set, after a
 * failure. */
bool ps_source_read_attached(struct ps_store *store, const char *run, const char *path,
                             struct ps_source *source, struct ps_source_lines *text,
                             struct ps_err *err);

#endif
