/* SPDX-License-Identifier: MIT */
/*
 * text.h: writes the answers of the API (docs/api.md) as text. Commands and tools for agents ask
 * the same questions; what they print comes from here, with the same words, numbers and order of
 * rows.
 *
 * The functions write to an output (output.h) between ps_output_begin and ps_output_end. None
 * fails: what an answer lacks is left out.
 */
#ifndef PS_TEXT_TEXT_H
#define PS_TEXT_TEXT_H

#include "server/text/answer.h"
#include "server/text/output.h"

/* --- The conclusion of a run: GET runs/ID/conclusion --- */

/* The first sentences. */
void ps_text_verdict(struct ps_output *out, const cJSON *conclusion);
/* The first sentences, the causes, the composition and the notes. */
void ps_text_conclusion(struct ps_output *out, const cJSON *conclusion);

/* --- Rows: GET compare and GET compare/TABLE, without base --- */

/* The runs, and their common headline. */
void ps_text_group(struct ps_output *out, const cJSON *response);
/* table, metric: elements of the response; page: the rows. sorted_by: what orders them; NULL: the
 * metric. */
void ps_text_rows(struct ps_output *out, const cJSON *response, const cJSON *table,
                  const cJSON *metric, const cJSON *page, const char *sorted_by);

/* --- Parts of several answers --- */

/* The fact "5 runs: `a` (run 1430…), `b` (run …), `c` (run …) and 2 more". */
void ps_text_runs(struct ps_output *out, const char *label, const cJSON *runs);
/* Whether each row of a table has its own unit, in the column place. */
bool ps_text_has_own_units(const cJSON *table);
/* Adds the cell with the name of a row and its place. */
void ps_text_row_name(struct ps_output *out, const cJSON *table, const cJSON *page, int row);

#endif
