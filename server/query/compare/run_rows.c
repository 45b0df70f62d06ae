/* SPDX-License-Identifier: MIT */
/* run_rows.c: reads the rows of one run for a comparison. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importers/kinds.h"
#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"
#include "server/query/functions/stack_frames.h"
#include "server/query/functions/stack_selection.h"
#include "server/query/requests/requests.h"
#include "server/query/trace/chosen_steps.h"

#define ROWS_MAX ((int64_t)8 << 20) /* maximum number of rows of all runs together */

#define INTERVAL_LEVEL 0.99 /* of the interval that a measurement may have */

static int column_of(struct ps_stmt *stmt, const char *name)
{
    for (int i = 0; i < ps_col_count(stmt); i++)
        if (strcmp(ps_col_name(stmt, i), name) == 0)
            return i;
    return -1;
}

static struct ps_row_columns find_columns(struct ps_stmt *stmt,
                                          const struct ps_query_comparison *head)
{
    struct ps_row_columns out = {
        .id = column_of(stmt, "id"),
        .name = column_of(stmt, "name"),
        .place = column_of(stmt, "place"),
        .function = column_of(stmt, "within"),
        .line = column_of(stmt, "line"),
        .cause = column_of(stmt, "by"),
        .samples = column_of(stmt, "samples"),
        .stated = column_of(stmt, "stated"),
        .resolution = column_of(stmt, "resolution"),
        .part = column_of(stmt, "part"),
        .failed = column_of(stmt, "failed"),
        .better = column_of(stmt, "better"),
        .processes = column_of(stmt, "processes"),
        .n = column_of(stmt, "n"),
        .stddev = column_of(stmt, "stddev"),
        .q1 = column_of(stmt, "q1"),
        .q3 = column_of(stmt, "q3"),
        .low = column_of(stmt, "low"),
        .high = column_of(stmt, "high"),
        .load = column_of(stmt, "load"),
        .measured = column_of(stmt, "measured"),
    };

    for (size_t i = 0; i < head->n; i++) {
        out.metrics[i] = column_of(stmt, head->metrics[i].name);
        out.calls[i] = head->metrics[i].calls ? column_of(stmt, head->metrics[i].calls) : -1;
    }
    return out;
}

static struct ps_str column_text(struct ps_stmt *stmt, int column)
{
    return column < 0 ? (struct ps_str){NULL, 0} : ps_col_text(stmt, column);
}

/* Replaces the memory address in a name such as "<method ... at 0x7f3a2c>" by "…", so that names
 * match between runs. The result is `name` or is stored in r->name. */
static struct ps_str mask_address(struct ps_run_rows *r, struct ps_str name)
{
    const char *at = ps_str_find(name, PS_STR(" at 0x"));
    size_t end;

    if (!at)
        return name;
    end = (size_t)(at - name.ptr) + 6;
    r->name.len = 0;
    ps_buf_add(&r->name, name.ptr, end);
    while (end < name.len && strchr("0123456789abcdefABCDEF", name.ptr[end]))
        end++;
    ps_buf_puts(&r->name, "…");
    ps_buf_add_str(&r->name, ps_str_skip(name, end));
    return ps_buf_slice(&r->name);
}

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && strchr(" \t\r\n\f", text.ptr[text.len - 1]))
        text.len--;
    while (text.len && strchr(" \t\f", text.ptr[0]))
        text = ps_str_skip(text, 1);
    return text;
}

/* Sets the name of a row to the text of its line. The text is in the profile, or else in the source
 * file that is attached to the run. If the text is unknown, the name is "line N". */
static enum ps_status set_line_name(struct ps_run_rows *r, struct ps_compare_input *row,
                                    struct ps_err *err)
{
    size_t line = row->line > 0 ? (size_t)row->line : 0;
    struct ps_source source = {.bytes = 0};

    if (!row->name.ptr && !ps_str_eq(ps_buf_slice(&r->path), row->place)) {
        ps_source_lines_free(&r->text);
        r->path.len = 0;
        ps_buf_add_str(&r->path, row->place);
        (void)ps_source_read_attached(r->store, r->run, r->path.ptr, &source, &r->text, err);
    }
    if (!row->name.ptr && line && line <= r->text.n)
        row->name = r->text.lines[line - 1];
    if (row->name.ptr) {
        row->name = trim_spaces(row->name);
        return err->code;
    }
    r->name.len = 0;
    ps_buf_printf(&r->name, "line %zu", line);
    row->name = ps_buf_slice(&r->name);
    return err->code;
}

/* Copies a BLOB of doubles, which may be unaligned. The array is valid until the next row. */
static const double *read_doubles(struct ps_doubles *to, struct ps_str blob, size_t *n)
{
    *n = blob.len / sizeof(double);
    if (*n > to->cap) {
        to->items = ps_grow(to->items, *n, sizeof *to->items);
        to->cap = *n;
    }
    if (*n)
        memcpy(to->items, blob.ptr, *n * sizeof(double));
    return to->items;
}

/* Reads the spread of a measurement: that of its samples, or what its tool states in their place.
 */
static void read_spread(struct ps_run_rows *r, struct ps_stmt *stmt, double stated,
                        struct ps_compare_input *row)
{
    const struct ps_row_columns *c = &r->columns;
    const double n = ps_col_real_or_nan(stmt, c->n), median = row->values[0],
                 low = ps_col_real_or_nan(stmt, c->low), high = ps_col_real_or_nan(stmt, c->high);
    size_t n_sizes;
    const double *sizes = read_doubles(&r->processes, ps_col_text(stmt, c->processes), &n_sizes);

    row->samples = read_doubles(&r->samples, ps_col_text(stmt, c->samples), &row->n_samples);
    row->stated = ps_result_of_mean(stated, ps_col_real_or_nan(stmt, c->stddev), n);
    if (row->n_samples > 1)
        row->measured = ps_result_of_samples(row->samples, row->n_samples, sizes, n_sizes);
    else if (high > low)
        row->measured = ps_result_of_interval(median, low, high, INTERVAL_LEVEL, n);
    else
        row->measured = ps_result_of_quartiles(median, ps_col_real_or_nan(stmt, c->q1),
                                               ps_col_real_or_nan(stmt, c->q3), n);
}

/* Reads the spread of a metric of requests from these, if nothing else says it. */
static enum ps_status read_request_spread(struct ps_run_rows *r, struct ps_db *db,
                                          struct ps_stmt *stmt, struct ps_compare_input *row,
                                          struct ps_err *err)
{
    const struct ps_row_columns *c = &r->columns;
    struct ps_str metric;
    uint32_t load;

    if (c->load < 0 || ps_col_is_null(stmt, c->load) || !isnan(row->measured.variance))
        return PS_OK;
    if (!r->requests && ps_requests_acquire(db, &r->requests, err) != PS_OK)
        return err->code;
    load = (uint32_t)ps_col_int(stmt, c->load);
    metric = column_text(stmt, c->measured);
    row->measured = ps_request_spread(r->requests, load, metric, row->values[0], true);
    if (isnan(row->stated.variance))
        row->stated = ps_request_spread(r->requests, load, metric,
                                        ps_col_real_or_nan(stmt, c->stated), false);
    return err->code;
}

static void read_values(const struct ps_run_rows *r, struct ps_stmt *stmt,
                        struct ps_compare_input *row)
{
    const struct ps_row_columns *c = &r->columns;
    const double divisor = r->per == PS_PER_STEP && !r->head->is_per_step ? r->steps : 1;

    for (size_t i = 0; i < r->head->n; i++) {
        row->values[i] = ps_col_real_or_nan(stmt, c->metrics[i]) / divisor;
        if (r->per == PS_PER_CALL)
            row->values[r->head->n + i] = ps_col_real_or_nan(stmt, c->calls[i]);
    }
}

static void read_measurement(struct ps_run_rows *r, struct ps_stmt *stmt,
                             struct ps_compare_input *row)
{
    const struct ps_row_columns *c = &r->columns;
    const double stated = ps_col_real_or_nan(stmt, c->stated);

    row->values[0] = ps_col_real_or_nan(stmt, c->metrics[0]);
    if (r->states)
        row->values[1] = stated;
    else if (isnan(row->values[0]))
        row->values[0] = stated;
    row->is_part = ps_col_int(stmt, c->part);
    row->has_failed = ps_col_int(stmt, c->failed);
    row->better = (int)ps_col_int(stmt, c->better);
    read_spread(r, stmt, stated, row);
}

static enum ps_status add_row(struct ps_run_rows *r, struct ps_db *db, struct ps_stmt *stmt,
                              struct ps_err *err)
{
    const struct ps_row_columns *c = &r->columns;
    struct ps_compare_input row = {.name = column_text(stmt, c->name),
                                   .place = column_text(stmt, c->place),
                                   .function = column_text(stmt, c->function),
                                   .line = c->line < 0 ? 0 : ps_col_int(stmt, c->line),
                                   .id = c->id < 0 ? 0 : ps_col_int(stmt, c->id),
                                   .cause = column_text(stmt, c->cause)};

    if (c->resolution >= 0 && r->per == PS_PER_RUN)
        row.resolution = ps_col_real(stmt, c->resolution);
    if (r->head->place_is_unit) {
        read_measurement(r, stmt, &row);
        read_request_spread(r, db, stmt, &row, err);
    } else {
        read_values(r, stmt, &row);
    }
    if (c->function >= 0 && !row.function.ptr)
        row.function = PS_STR("");
    if (r->table->names_rows_by_source)
        set_line_name(r, &row, err);
    else if (r->step && r->per == PS_PER_STEP && ps_annotation_is_step(row.name, r->step))
        row.name = ps_str_from_c(r->step); /* one row, however many steps there are */
    else
        row.name = mask_address(r, row.name);
    if (err->code == PS_OK)
        r->on_row(r->user, &row);
    r->n_rows++;
    return err->code;
}

static enum ps_status read_rows(struct ps_run_rows *r, struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(r->head->query), &stmt, err);
    r->columns = find_columns(stmt, r->head);
    ps_bind_int(stmt, ":in_steps", r->per == PS_PER_STEP);
    ps_bind_real(stmt, ":scale", r->scale);
    while (ps_stmt_step(stmt, err)) {
        add_row(r, db, stmt, err);
        if (r->n_rows > ROWS_MAX)
            return ps_fail(err, PS_LIMIT,
                           "these runs have more than %lld rows in total" PS_HINT
                           "compare fewer runs",
                           (long long)ROWS_MAX);
    }
    return err->code;
}

/* Reads the divisor of weights of stacks. */
static enum ps_status read_scale(struct ps_run_rows *r, struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stack_selection_free) struct ps_stack_selection part = {.scale = 1};
    struct ps_param space;

    ps_stack_selection_read(db, ps_sample_type_param(r->sample_type, &space), &part, err);
    r->scale = part.scale;
    return err->code;
}

enum ps_status ps_run_rows_read(struct ps_run_rows *r, const char *run, struct ps_err *err)
{
    bool by_name = !r->mode || strcmp(r->mode, "function") == 0;
    const struct ps_param made_params[] = {{"in_steps", r->per == PS_PER_STEP ? "1" : NULL},
                                           {"mode", by_name ? PS_STACK_MODE_NAME : r->mode},
                                           {"sample_type", r->sample_type}};
    struct ps_computed_table computed = {.values = NULL};
    struct ps_step_times times = {.host = {NULL, 0, 0}};
    struct ps_db *db = NULL;

    r->run = run;
    r->path.len = 0;
    if (ps_run_acquire(r->store, run, &db, err) == PS_OK && r->per == PS_PER_STEP)
        ps_db_choose_steps(db, r->step, &times, err);
    if (err->code == PS_OK && r->table->needs_any & PS_HAS_STACKS)
        read_scale(r, db, err);
    if (err->code == PS_OK && r->table->make_rows)
        r->table->make_rows(db, (struct ps_params){made_params, 3}, &computed, err);
    if (err->code == PS_OK) {
        ps_db_set_temp_rows(db, &computed.temp_rows);
        read_rows(r, db, err);
        ps_db_set_temp_rows(db, NULL);
    }
    if (db)
        ps_db_set_step_times(db, NULL);
    ps_requests_release(&r->requests);
    r->requests = NULL;
    ps_run_release(db);
    ps_step_times_free(&times);
    free(computed.values);
    return err->code;
}

void ps_run_rows_free(struct ps_run_rows *r)
{
    ps_source_lines_free(&r->text);
    ps_buf_free(&r->path);
    ps_buf_free(&r->name);
    free(r->samples.items);
    free(r->processes.items);
}
