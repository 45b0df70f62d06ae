/* SPDX-License-Identifier: MIT */
/* run_rows.c: a sink that writes the rows of a run file. */
#include <stdlib.h>

#include "server/runwrite/writer_rows.h"

static const char *const insert_names[N_INSERTS] = {
    "insert_import",    "insert_function",      "insert_file",         "insert_package",
    "insert_note",      "insert_meta",          "insert_line_file",    "insert_line_function",
    "insert_line",      "insert_line_sum",      "insert_memory",       "insert_span",
    "insert_text",      "insert_args_template", "insert_process",      "insert_track",
    "insert_chunk",     "insert_chunk_column",  "insert_pyramid",      "insert_series",
    "insert_packed",    "insert_packed_column", "insert_operator",     "insert_step",
    "insert_step_part", "insert_device",        "insert_gap",          "insert_module",
    "insert_report",    "insert_measurement",   "insert_operator_row", "insert_section",
    "insert_action"};

static struct ps_writer *of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

sqlite3_stmt *ps_writer_insert(struct ps_writer *w, enum insert which)
{
    if (!w->inserts[which] && ps_db_prepare(w->db, ps_sql_text(insert_names[which]),
                                            &w->inserts[which], &w->sink.err) != PS_OK)
        return NULL;
    return w->inserts[which]->handle;
}

void ps_bind_str(sqlite3_stmt *stmt, int at, struct ps_str text)
{
    sqlite3_bind_text64(stmt, at, text.at ? text.at : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
}

void ps_bind_num(sqlite3_stmt *stmt, int at, struct ps_num n)
{
    if (n.kind == PS_NUM_INT)
        sqlite3_bind_int64(stmt, at, n.i);
    else if (n.kind == PS_NUM_REAL)
        sqlite3_bind_double(stmt, at, n.r);
    else
        sqlite3_bind_null(stmt, at);
}

void ps_writer_step(struct ps_writer *w, sqlite3_stmt *stmt)
{
    if (sqlite3_step(stmt) != SQLITE_DONE)
        ps_db_fail(w->db, &w->sink.err, "cannot write the run");
    sqlite3_reset(stmt);
}

void ps_writer_meta(struct ps_writer *w, const char *key, struct ps_num number, struct ps_str text)
{
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_META);

    if (!stmt || !ps_sink_ok(&w->sink))
        return;
    ps_bind_str(stmt, 1, ps_str_of(key));
    if (number.kind != PS_NUM_NONE)
        ps_bind_num(stmt, 2, number);
    else
        ps_bind_str(stmt, 2, text);
    ps_writer_step(w, stmt);
}

static void meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    ps_writer_meta(of(sink), key, (struct ps_num){0}, value);
}

static void number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    struct ps_writer *w = of(sink);

    ps_json_key(&w->summary, key);
    ps_json_num(&w->summary, value);
    if (strcmp(key, "unit_s") == 0) /* the lines view multiplies by it */
        ps_writer_meta(w, key, value, PS_STR(""));
}

static void list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    struct ps_json *summary = &of(sink)->summary;

    ps_json_key(summary, key);
    ps_json_array(summary);
    for (size_t i = 0; i < n; i++)
        ps_json_str(summary, items[i]);
    ps_json_end(summary);
}

static void note(struct ps_sink *sink, const struct ps_note *note)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_NOTE);

    if (note->severity >= PS_NOTE_REPAIRED && ++w->notes > NOTES_MAX) {
        w->notes_left_out++;
        return;
    }
    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_clear_bindings(stmt);
    sqlite3_bind_int(stmt, 1, (int)note->severity);
    if (note->has_at)
        sqlite3_bind_int64(stmt, 2, (sqlite3_int64)note->at);
    if (note->line)
        sqlite3_bind_int64(stmt, 3, (sqlite3_int64)note->line);
    ps_bind_str(stmt, 4, note->what);
    ps_writer_step(w, stmt);
}

static void package(struct ps_sink *sink, const struct ps_package *package)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_PACKAGE);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, package->id);
    ps_bind_str(stmt, 2, package->name);
    sqlite3_bind_int(stmt, 3, (int)package->origin);
    sqlite3_bind_int64(stmt, 4, package->modules);
    ps_bind_num(stmt, 5, package->self_us);
    ps_bind_num(stmt, 6, package->inclusive_us);
    sqlite3_bind_int64(stmt, 7, package->first);
    ps_writer_step(w, stmt);
}

/* Rows come with children before parents: the smallest id of a subtree is known when its root
 * comes. */
static uint32_t low_of(struct ps_writer *w, const struct ps_import *row)
{
    uint32_t high = row->id > row->parent ? row->id : row->parent, low;

    w->low = ps_grow_to(w->low, &w->low_cap, high, sizeof *w->low);
    low = w->low[row->id] ? w->low[row->id] : row->id;
    if (row->parent && (!w->low[row->parent] || low < w->low[row->parent]))
        w->low[row->parent] = low;
    return low;
}

static int import_flags(const struct ps_import *row)
{
    return row->cached | row->startup << 1 | row->unfinished << 2 | row->topmost << 3 |
           row->first << 4 | row->importer_estimated << 5 | row->recorded << 6;
}

static void import(struct ps_sink *sink, const struct ps_import *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_IMPORT);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->parent);
    sqlite3_bind_int64(stmt, 3, row->importer);
    sqlite3_bind_int64(stmt, 4, low_of(w, row));
    sqlite3_bind_int64(stmt, 5, row->start);
    sqlite3_bind_int64(stmt, 6, row->depth);
    ps_bind_str(stmt, 7, row->module);
    sqlite3_bind_int64(stmt, 8, row->package);
    ps_bind_num(stmt, 9, row->self_us);
    ps_bind_num(stmt, 10, row->cumulative_us);
    sqlite3_bind_int64(stmt, 11, row->total_us);
    sqlite3_bind_int(stmt, 12, import_flags(row));
    sqlite3_bind_int64(stmt, 13, row->children);
    sqlite3_bind_int64(stmt, 14, row->interpreter);
    sqlite3_bind_int64(stmt, 15, (sqlite3_int64)row->line);
    ps_writer_step(w, stmt);
}

static void function(struct ps_sink *sink, const struct ps_function *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_FUNCTION);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, ps_run_file(&w->files, row));
    ps_bind_num(stmt, 3, row->line);
    ps_bind_str(stmt, 4, row->name);
    ps_bind_num(stmt, 5, row->ncalls);
    ps_bind_num(stmt, 6, row->primitive_calls);
    ps_bind_num(stmt, 7, row->tottime_s);
    ps_bind_num(stmt, 8, row->cumtime_s);
    sqlite3_bind_int(stmt, 9, (int)row->origin);
    sqlite3_bind_int64(stmt, 10, row->cycle);
    sqlite3_bind_int(stmt, 11, row->listed);
    w->blob.len = w->blob2.len = 0;
    ps_calls_pack(&w->blob, row->callers, row->n_callers);
    ps_ids_pack(&w->blob2, row->callees, row->n_callees);
    sqlite3_bind_blob64(stmt, 12, w->blob.len ? w->blob.at : NULL, w->blob.len, SQLITE_STATIC);
    sqlite3_bind_blob64(stmt, 13, w->blob2.len ? w->blob2.at : NULL, w->blob2.len, SQLITE_STATIC);
    ps_writer_step(w, stmt);
}

static void line_file(struct ps_sink *sink, const struct ps_line_file *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_LINE_FILE);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->path);
    sqlite3_bind_int(stmt, 3, (int)row->origin);
    ps_bind_num(stmt, 4, row->cpu_pct);
    ps_writer_step(w, stmt);
}

static void line_function(struct ps_sink *sink, const struct ps_line_function *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_LINE_FUNCTION);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->file);
    ps_bind_str(stmt, 3, row->name);
    sqlite3_bind_int64(stmt, 4, row->first_line);
    ps_writer_step(w, stmt);
}

/* Figures in the order of the columns of run.sql, from `at` on. */
static void bind_figures(struct ps_writer *w, sqlite3_stmt *stmt, int at,
                         const struct ps_line_figures *f)
{
    const struct ps_num figures[] = {f->hits,
                                     f->ticks,
                                     f->mem_mib,
                                     f->increment_mib,
                                     f->occurrences,
                                     f->cpu_python_pct,
                                     f->cpu_native_pct,
                                     f->cpu_system_pct,
                                     f->gpu_pct,
                                     f->gpu_avg_mib,
                                     f->gpu_peak_mib,
                                     f->avg_mib,
                                     f->peak_mib,
                                     f->malloc_mib,
                                     f->mallocs,
                                     f->growth_mib,
                                     f->usage_fraction,
                                     f->python_fraction,
                                     f->copy_mib_s,
                                     f->core_utilization,
                                     f->leak_likelihood,
                                     f->leak_mib_s};

    for (int i = 0; i < (int)(sizeof figures / sizeof *figures); i++) {
        uint32_t bit = 1u << i;

        if (figures[i].kind == PS_NUM_NONE && !(w->bound & bit))
            continue; /* NULL since the row before: a tool fills two or three of the columns */
        ps_bind_num(stmt, at + i, figures[i]);
        w->bound = figures[i].kind == PS_NUM_NONE ? w->bound & ~bit : w->bound | bit;
    }
}

static void line(struct ps_sink *sink, const struct ps_line_row *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_LINE);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->file);
    sqlite3_bind_int64(stmt, 2, row->function);
    sqlite3_bind_int64(stmt, 3, row->block);
    sqlite3_bind_int64(stmt, 4, row->line);
    sqlite3_bind_int(stmt, 5, row->of_function);
    if (row->source.at)
        ps_bind_str(stmt, 6, row->source);
    else
        sqlite3_bind_null(stmt, 6);
    bind_figures(w, stmt, 7, &row->figures);
    sqlite3_bind_blob64(stmt, 29, row->n_samples ? row->samples : NULL,
                        row->n_samples * 2 * sizeof(double), SQLITE_STATIC);
    ps_writer_step(w, stmt);
    ps_line_sums_add(&w->line_sums, row);
}

static void insert_line_sum(struct ps_writer *w, const struct ps_line_sum *sum)
{
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_LINE_SUM);
    const uint64_t whole[] = {sum->file,  sum->function, sum->first_row, sum->last_row,
                              sum->lines, sum->executed, sum->carried};
    const struct ps_num figures[] = {sum->last_line ? ps_int(sum->last_line) : (struct ps_num){0},
                                     sum->hits,
                                     sum->ticks,
                                     sum->increment_mib,
                                     sum->mem_mib.kind == PS_NUM_NONE ? sum->peak_mib
                                                                      : sum->mem_mib,
                                     sum->cpu_python_pct,
                                     sum->cpu_native_pct,
                                     sum->cpu_system_pct,
                                     sum->malloc_mib,
                                     sum->copy_mib_s,
                                     sum->gpu_pct};
    const int n = (int)(sizeof whole / sizeof *whole);

    if (!stmt)
        return;
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(stmt, i + 1, (int64_t)whole[i]);
    for (int i = 0; i < (int)(sizeof figures / sizeof *figures); i++)
        ps_bind_num(stmt, n + 1 + i, figures[i]);
    ps_writer_step(w, stmt);
}

enum ps_status ps_writer_line_sums(struct ps_writer *w)
{
    for (size_t i = 0; i < w->line_sums.n && ps_sink_ok(&w->sink); i++)
        insert_line_sum(w, &w->line_sums.at[i]);
    return w->sink.err.code;
}

static void memory(struct ps_sink *sink, const struct ps_memory_sample *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_MEMORY);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_double(stmt, 1, row->t_s);
    ps_bind_num(stmt, 2, row->process);
    ps_bind_str(stmt, 3, ps_str_of(row->kind));
    ps_bind_num(stmt, 4, row->mib);
    ps_writer_step(w, stmt);
}

static void span(struct ps_sink *sink, const struct ps_span *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_SPAN);

    if (!stmt || !ps_sink_ok(sink))
        return;
    ps_bind_str(stmt, 1, row->name);
    sqlite3_bind_double(stmt, 2, row->start_s);
    sqlite3_bind_double(stmt, 3, row->end_s);
    ps_bind_num(stmt, 4, row->start_mib);
    ps_bind_num(stmt, 5, row->end_mib);
    ps_bind_num(stmt, 6, row->level);
    ps_writer_step(w, stmt);
}

enum ps_status ps_writer_files(struct ps_writer *w)
{
    for (uint32_t i = 0; i < w->files.n && ps_sink_ok(&w->sink); i++) {
        const struct ps_run_file *file = &w->files.at[i];
        sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_FILE);

        if (!stmt)
            break;
        sqlite3_bind_int64(stmt, 1, i + 1);
        ps_bind_str(stmt, 2, file->path);
        sqlite3_bind_int(stmt, 3, (int)file->origin);
        sqlite3_bind_int64(stmt, 4, file->functions);
        ps_bind_num(stmt, 5, file->ncalls);
        ps_bind_num(stmt, 6, file->tottime_s);
        ps_writer_step(w, stmt);
    }
    return w->sink.err.code;
}

static void ledger(struct ps_sink *sink, const struct ps_ledger *ledger)
{
    of(sink)->ledger = *ledger;
}

static void headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    of(sink)->headline = *headline;
}

static bool progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    const struct ps_writing *writing = &of(sink)->writing;

    return !writing->progress || writing->progress(writing->user, done, total, records);
}

const struct ps_sink_ops ps_writer_ops = {
    .meta = meta,
    .number = number,
    .list = list,
    .note = note,
    .package = package,
    .import = import,
    .function = function,
    .line_file = line_file,
    .line_function = line_function,
    .line = line,
    .memory = memory,
    .span = span,
    .text = ps_writer_text,
    .args_template = ps_writer_args_template,
    .process = ps_writer_process,
    .track = ps_writer_track,
    .slices = ps_writer_slices,
    .flow = ps_writer_flow,
    .counter = ps_writer_counter,
    .count = ps_writer_count,
    .memory_event = ps_writer_memory_event,
    .step = ps_writer_trace_step,
    .step_part = ps_writer_step_part,
    .device = ps_writer_device,
    .gap = ps_writer_gap,
    .module = ps_writer_module,
    .report = ps_writer_report,
    .operator_row = ps_writer_operator_row,
    .section = ps_writer_section,
    .action = ps_writer_action,
    .scratch = ps_writer_scratch,
    .measurement = ps_writer_measurement,
    .ledger = ledger,
    .headline = headline,
    .progress = progress,
};
