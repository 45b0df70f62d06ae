/* SPDX-License-Identifier: MIT */
/* source.h: source text and measured lines, shared by the views of one run and of several runs. */
#ifndef PS_QUERY_LINES_SOURCE_H
#define PS_QUERY_LINES_SOURCE_H

#include "server/catalog/readers.h"
#include "server/query/query.h"

/* The lines of a text; unknown lines are {NULL, 0}. */
struct ps_source_lines {
    struct ps_str *lines;
    size_t n, cap;
    struct ps_arena arena;
};
void ps_source_lines_free(struct ps_source_lines *text);
void ps_source_lines_json(const struct ps_source_lines *text,
                          struct ps_json *json); /* array of strings; null for unknown lines */

/* Writes the keys "unit_s", "n", "columns", "line", "fn", "block", the columns and "samples" into
 * the open object. `carried` (may be NULL) receives the lines of text that the profile contains. */
enum ps_status ps_source_write_metrics(struct ps_db *db, int64_t file,
                                       struct ps_source_lines *carried, struct ps_json *json,
                                       struct ps_err *err);
/* Writes the key "functions". */
enum ps_status ps_source_write_functions(struct ps_db *db, int64_t file, struct ps_json *json,
                                         struct ps_err *err);
/* Reads the source that is attached to `run` as `path`, and splits it into `text` (NULL: not
 * wanted). False: none is attached, or err is filled. */
bool ps_source_read_attached(struct ps_store *store, const char *run, const char *path,
                             struct ps_source *source, struct ps_source_lines *text,
                             struct ps_err *err);

#endif
