/* SPDX-License-Identifier: MIT */
/* host.c: calls, which are the rows of any table with start, end, thread and name. */
#include "importers/nsys/nsys.h"

#include <stdio.h>
#include <strings.h>

enum { START, END, THREAD, NAME, TEXT, CORRELATION, CLASS, RESULT, NESTING };
static const char *const columns[] = {"start",      "end",         "globalTid",
                                      "nameId",     "textId",      "correlationId",
                                      "eventClass", "returnValue", "nestingLevel"};

enum { CLASS_DRIVER = 1 };

/* Category and kind of known tables. For others the category is made from the table's name. */
static const struct {
    const char *table, *word;
    enum ps_slice_kind kind;
} known[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime", PS_SLICE_RUNTIME},
    {"OSRT_API", "osrt", PS_SLICE_OSRT},
    {"PROFILER_OVERHEAD", "overhead", PS_SLICE_OVERHEAD},
};

static bool is_driver(struct ns_reader *r, const struct ps_rows *rows, uint32_t name)
{
    struct ps_str text = tr_text(&r->trace, name);
    int64_t class;

    if (ps_rows_int(rows, CLASS, &class))
        return class == CLASS_DRIVER;
    return text.len > 2 && text.at[0] == 'c' && text.at[1] == 'u' && text.at[2] >= 'A' &&
           text.at[2] <= 'Z';
}

/* Returns "mpi_p2p" for MPI_P2P_EVENTS. */
static uint16_t own_category(struct ns_reader *r)
{
    struct ps_str name = ps_str_of(r->table);
    char word[64];
    size_t n = 0;

    if (name.len > 7 && memcmp(name.at + name.len - 7, "_EVENTS", 7) == 0)
        name.len -= 7;
    for (; n < name.len && n < sizeof word; n++)
        word[n] = name.at[n] >= 'A' && name.at[n] <= 'Z' ? (char)(name.at[n] | 32) : name.at[n];
    return tr_fill_cat(&r->trace, ns_clean(r, (struct ps_str){word, n}), PS_SLICE_OTHER);
}

static uint16_t category(struct ns_reader *r, const struct ps_rows *rows, uint32_t name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcasecmp(known[i].table, r->table) != 0)
            continue;
        if (known[i].kind == PS_SLICE_RUNTIME && is_driver(r, rows, name))
            return tr_fill_cat(&r->trace, PS_STR("cuda_driver"), PS_SLICE_RUNTIME);
        return tr_fill_cat(&r->trace, ps_str_of(known[i].word), known[i].kind);
    }
    return own_category(r);
}

static enum ns_fate call_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct tr_record record = {.ph = 'X'};
    int64_t start, duration, thread, name;
    enum ns_fate fate = ns_times(r, rows, &start, &duration);

    if (fate == NS_REJECTED)
        return fate;
    if (!ps_rows_int(rows, THREAD, &thread))
        return ns_reject(r, "the row has no thread");
    if (fate == NS_OTHER) { /* still running: lasts to the end of the session */
        record.ph = 'B';
        duration = 0;
        fate = NS_STORED;
    }
    record.ts = start;
    record.dur = duration;
    if (ps_rows_int(rows, NAME, &name) || ps_rows_int(rows, TEXT, &name))
        record.name = ns_call_of(r, name);
    record.cat = category(r, rows, record.name);
    ns_arg_column(&r->args, "correlation", rows, CORRELATION);
    ns_arg_column(&r->args, "returned", rows, RESULT);
    ns_arg_column(&r->args, "nesting level", rows, NESTING);
    return ns_give(r, ns_thread(r, thread), record, fate);
}

static enum ns_fate other_row(struct ns_reader *r, const struct ps_rows *rows)
{
    (void)r, (void)rows;
    return NS_OTHER;
}

/* Sets *out to the columns that the table has: bit i for names[i]. */
static enum ps_status columns_of(struct ns_reader *r, const char *table, const char *const *names,
                                 size_t n, unsigned *out)
{
    struct ps_rows *rows;
    enum ps_status status = ps_rows_begin(r->db, table, names, n, &rows, r->err);

    *out = 0;
    for (size_t i = 0; rows && i < n; i++)
        *out |= (unsigned)ps_rows_has(rows, i) << i;
    ps_rows_end(rows);
    return status;
}

/* Counts and reports the rows of an unsupported table that has times. */
static enum ps_status leave_out(struct ns_reader *r, const char *name)
{
    static const char *const when[] = {"start", "timestamp", "rawTimestamp"};
    const struct ns_table table = {name, when, 1, other_row};
    unsigned has;
    enum ps_status status = columns_of(r, name, NS_COLUMNS(when), &has);

    if (status != PS_OK || !has)
        return status;
    status = ns_count(r, &table);
    if (status == PS_OK && r->row)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
                     "table %s is not supported; rows skipped: %llu", name,
                     (unsigned long long)r->row);
    return status;
}

enum ps_status ns_host_read(struct ns_reader *r)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < ps_sqlite_tables(r->db) && status == PS_OK; i++) {
        const char *name = ps_sqlite_table(r->db, i);
        const struct ns_table table = {name, NS_COLUMNS(columns), call_row};
        unsigned has;

        if (ns_is_read(name))
            continue;
        status = columns_of(r, name, columns, TEXT + 1, &has);
        if (status != PS_OK)
            break;
        if ((has & 7) == 7 && has >> NAME)
            status = ns_count(r, &table);
        else
            status = leave_out(r, name);
    }
    return status;
}
