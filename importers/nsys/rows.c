/* SPDX-License-Identifier: MIT */
/* rows.c: reads tables row by row. Reports invalid rows with their position, the first ones of each
 * table one by one. */
#include "importers/nsys/nsys.h"

#include <inttypes.h>

#define TOLD_MOST 10u        /* single notes per table */
#define BREATH    (1u << 14) /* rows between two progress reports */
#define TIME_MOST (INT64_MAX / 4)

enum ns_fate ns_reject(struct ns_reader *r, const char *why)
{
    r->why = why;
    return NS_REJECTED;
}

enum ns_fate ns_times(struct ns_reader *r, const struct ps_rows *rows, int64_t *start, int64_t *dur)
{
    int64_t end;

    if (!ps_rows_int(rows, 0, start))
        return ns_reject(r, "the row has no start time");
    if (*start > TIME_MOST || *start < -TIME_MOST)
        return ns_reject(r, "the start time is out of range");
    *dur = TR_NO_DURATION;
    if (!ps_rows_int(rows, 1, &end)) {
        *start += r->shift;
        return NS_OTHER;
    }
    if (end > TIME_MOST || end < -TIME_MOST)
        return ns_reject(r, "the end time is out of range");
    *dur = end - *start;
    *start += r->shift;
    if (*dur >= 0)
        return NS_STORED;
    *dur = 0;
    r->why = "the end is before the start; duration set to 0";
    return NS_REPAIRED;
}

enum ns_fate ns_give(struct ns_reader *r, uint32_t thread, struct tr_record record,
                     enum ns_fate fate)
{
    struct ns_args *args = &r->args;

    if (args->text.len) {
        ps_buf_puts(&args->text, "}");
        record.template = tr_fill_template(&r->trace, ps_buf_slice(&args->text));
    }
    if (tr_fill_record(&r->trace, thread, record, ps_buf_slice(&args->params)) != PS_OK)
        return NS_FAILED;
    return fate;
}

static void tell(struct ns_reader *r, enum ns_fate fate)
{
    if (r->told++ < TOLD_MOST)
        ps_sink_note(r->out, fate == NS_REPAIRED ? PS_NOTE_REPAIRED : PS_NOTE_REJECTED,
                     ps_sqlite_at(r->db), 0, "row %" PRIu64 " of table %s: %s", r->row, r->table,
                     r->why ? r->why : "the row is invalid");
}

static void tell_rest(struct ns_reader *r)
{
    if (r->told > TOLD_MOST)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "more rows repaired or rejected: %" PRIu64 ", in table %s",
                     r->told - TOLD_MOST, r->table);
}

static void count(struct ns_reader *r, enum ns_fate fate)
{
    struct tr_counts *counts = &r->trace.counts;

    counts->read++;
    counts->repaired += fate == NS_REPAIRED;
    counts->rejected += fate == NS_REJECTED;
    r->rejected += fate == NS_REJECTED;
    counts->other += fate == NS_OTHER;
    counts->stored += fate == NS_STORED;
    if (fate == NS_REPAIRED || fate == NS_REJECTED)
        tell(r, fate);
}

static enum ps_status breathe(struct ns_reader *r)
{
    uint64_t total, done = ps_sqlite_done(r->db, &total);

    if (!r->out->ops->progress(r->out, done, total, r->trace.counts.read) || !ps_sink_ok(r->out))
        return ps_fail(r->err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

static enum ps_status check_most(struct ns_reader *r)
{
    if (r->err->code != PS_OK || r->rejected <= r->row / 2)
        return r->err->code;
    ps_hint(r->err,
            "export the report again: nsys export --type sqlite -o out.sqlite report.nsys-rep");
    return ps_fail_at(r->err, PS_BAD_INPUT, ps_sqlite_at(r->db),
                      "%" PRIu64 " of %" PRIu64 " rows of table %s are invalid: %s", r->rejected,
                      r->row, r->table, r->why ? r->why : "they have unexpected columns");
}

static enum ps_status show(struct ns_reader *r, const struct ns_table *table, bool records)
{
    enum ps_status status;
    struct ps_rows *rows;

    r->table = table->name;
    r->row = r->told = r->rejected = 0;
    status = ps_rows_begin(r->db, table->name, table->columns, table->n, &rows, r->err);
    while (status == PS_OK && rows && ps_rows_next(rows, r->err)) {
        enum ns_fate fate;

        if (++r->row % BREATH == 0 && breathe(r) != PS_OK)
            break;
        r->why = NULL;
        ns_args_clear(&r->args);
        fate = table->row(r, rows);
        if (fate == NS_FAILED)
            break;
        if (records)
            count(r, fate);
    }
    tell_rest(r);
    (void)check_most(r);
    ps_rows_end(rows);
    return r->err->code;
}

enum ps_status ns_count(struct ns_reader *r, const struct ns_table *table)
{
    return show(r, table, true);
}

enum ps_status ns_look(struct ns_reader *r, const struct ns_table *table)
{
    return show(r, table, false);
}
