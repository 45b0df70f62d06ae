/* SPDX-License-Identifier: MIT */
/* source.h: pieces of source answers, shared by the views of one run and of several. */
#ifndef PS_QUERY_LINES_SOURCE_H
#define PS_QUERY_LINES_SOURCE_H

#include "server/catalog/readers.h"
#include "server/query/query.h"

/* A text by lines; a line that is not known is {NULL, 0}. */
struct ps_text {
    struct ps_str *lines;
    size_t n, cap;
    struct ps_arena arena;
};
void ps_text_free(struct ps_text *text);
void ps_text_json(const struct ps_text *text,
                  struct ps_json *json); /* array of strings and nulls */

/* Keys "unit_s", "n", "columns", "line", "fn", "block", the columns and "samples" into the open
 * object. `carried` (may be NULL) gets the lines that the profile holds itself. */
enum ps_status ps_source_figures(struct ps_db *db, int64_t file, struct ps_text *carried,
                                 struct ps_json *json, struct ps_err *err);
/* Key "functions". */
enum ps_status ps_source_functions(struct ps_db *db, int64_t file, struct ps_json *json,
                                   struct ps_err *err);
/* What is attached to `run` as `path`, split into text (NULL: not wanted); PS_NOT_FOUND, with err
 * untouched, when nothing is. */
enum ps_status ps_source_attached(struct ps_store *store, const char *run, const char *path,
                                  struct ps_source *source, struct ps_text *text,
                                  struct ps_err *err);

#endif
