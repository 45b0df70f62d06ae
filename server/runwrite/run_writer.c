/* SPDX-License-Identifier: MIT */
/* run_writer.c: the sink that writes a run file, except for traces (run_trace.c). */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "server/runwrite/writer_rows.h"

static struct ps_writer *writer_of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

/* --- files of a cProfile dump, by the importer's keys and summed while its functions pass ------
 */

struct ps_num ps_num_sum(struct ps_num a, struct ps_num b)
{
    int64_t whole;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &whole))
        return ps_int(whole);
    if (a.kind == PS_NUM_NONE)
        return b;
    return b.kind == PS_NUM_NONE ? a : ps_real(ps_num_real(a) + ps_num_real(b));
}

/* The place for the id of a key. */
static uint32_t *place_of(struct ps_run_files *files, uint32_t key)
{
    assert(key > 0);
    files->by_key = ps_grow_to(files->by_key, &files->n_keys, key, sizeof *files->by_key);
    return &files->by_key[key];
}

static uint32_t add(struct ps_run_files *files, const struct ps_function *row)
{
    PS_PUSH_ROOM(files->at, files->n, files->cap);
    files->at[files->n] = (struct ps_run_file){.path = ps_arena_copy(&files->arena, row->file),
                                               .origin = row->origin,
                                               .ncalls = ps_int(0),
                                               .tottime_s = ps_int(0)};
    return ++files->n;
}

uint32_t ps_run_file(struct ps_run_files *files, const struct ps_function *row)
{
    uint32_t *place = place_of(files, row->file_key);
    struct ps_run_file *file;

    if (!*place)
        *place = add(files, row);
    file = &files->at[*place - 1];
    if (row->listed) {
        file->functions++;
        file->ncalls = ps_num_sum(file->ncalls, row->ncalls);
        file->tottime_s = ps_num_sum(file->tottime_s, row->tottime_s);
    }
    return *place;
}

static void ps_run_files_free(struct ps_run_files *files)
{
    free(files->at);
    free(files->by_key);
    ps_arena_free(&files->arena);
}

/* What the lines of each function come to, summed up while they pass: a profile of a
 * hundred thousand lines is then shown without reading them all. */

static struct ps_num larger(struct ps_num a, struct ps_num b)
{
    if (a.kind == PS_NUM_NONE || b.kind == PS_NUM_NONE)
        return a.kind == PS_NUM_NONE ? b : a;
    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT)
        return a.i < b.i ? b : a;
    return ps_num_real(a) < ps_num_real(b) ? b : a;
}

/* The slot of `id` in a table that grows: an index + 1 into sums, 0 empty. */
static uint32_t *slot_of(uint32_t **slots, size_t *n, uint32_t id)
{
    *slots = ps_grow_to(*slots, n, id, sizeof **slots);
    return &(*slots)[id];
}

/* Lines that are in no function are summed by their file. */
static struct ps_line_sum *sum_of(struct ps_line_sums *sums, const struct ps_line_row *row)
{
    uint32_t *slot = row->function ? slot_of(&sums->by_function, &sums->n_functions, row->function)
                                   : slot_of(&sums->by_file, &sums->n_files, row->file);

    if (!*slot) {
        PS_PUSH_ROOM(sums->at, sums->n, sums->cap);
        sums->at[sums->n] = (struct ps_line_sum){
            .file = row->file, .function = row->function, .first_row = sums->rows};
        *slot = (uint32_t)++sums->n;
    }
    return &sums->at[*slot - 1];
}

/* The first increment of a block is what the program had before: no growth. */
static void add_increment(struct ps_line_sum *sum, const struct ps_line_row *row)
{
    struct ps_num increment = row->figures.increment_mib;

    if (increment.kind == PS_NUM_NONE)
        return;
    if (sum->block == row->block)
        sum->increment_mib = ps_num_sum(sum->increment_mib, increment);
    sum->block = row->block;
}

static void add_line(struct ps_line_sum *sum, const struct ps_line_row *row)
{
    sum->lines++;
    sum->last_line = sum->last_line > row->line ? sum->last_line : row->line;
}

static void add_function(struct ps_line_sum *sum, const struct ps_line_figures *f)
{
    sum->cpu_python_pct = larger(sum->cpu_python_pct, f->cpu_python_pct);
    sum->cpu_native_pct = larger(sum->cpu_native_pct, f->cpu_native_pct);
    sum->cpu_system_pct = larger(sum->cpu_system_pct, f->cpu_system_pct);
    sum->malloc_mib = larger(sum->malloc_mib, f->malloc_mib);
    sum->copy_mib_s = larger(sum->copy_mib_s, f->copy_mib_s);
    sum->gpu_pct = larger(sum->gpu_pct, f->gpu_pct);
}

void ps_line_sums_add(struct ps_line_sums *sums, const struct ps_line_row *row)
{
    const struct ps_line_figures *f = &row->figures;
    struct ps_line_sum *sum;

    sums->rows++;
    sum = sum_of(sums, row);
    sum->last_row = sums->rows;
    sum->carried = sum->carried || row->source.at;
    if (row->of_function)
        add_function(sum, f);
    else
        add_line(sum, row);
    sum->executed += f->hits.kind != PS_NUM_NONE;
    sum->executed += f->occurrences.kind != PS_NUM_NONE;
    sum->hits = ps_num_sum(sum->hits, f->hits);
    sum->ticks = ps_num_sum(sum->ticks, f->ticks);
    sum->mem_mib = larger(sum->mem_mib, f->mem_mib);
    sum->peak_mib = larger(sum->peak_mib, f->peak_mib);
    add_increment(sum, row);
}

void ps_line_sums_free(struct ps_line_sums *sums)
{
    free(sums->at);
    free(sums->by_function);
    free(sums->by_file);
}

/* --- The rows of printed tables ---------------------------------------------------------- */

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

void ps_writer_report(struct ps_sink *sink, const struct ps_report *row)
{
    struct ps_writer *w = writer_of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_REPORT);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->stage);
    ps_bind_str(stmt, 3, row->title);
    ps_bind_str(stmt, 4, row->ordered);
    ps_bind_str(stmt, 5, ps_str_of(row->by));
    ps_bind_num(stmt, 6, row->ncalls);
    ps_bind_num(stmt, 7, row->primitive_calls);
    ps_bind_num(stmt, 8, row->seconds);
    ps_bind_num(stmt, 9, row->device_seconds);
    ps_bind_num(stmt, 10, row->of);
    sqlite3_bind_int64(stmt, 11, row->first);
    sqlite3_bind_int64(stmt, 12, (int64_t)row->first + row->rows - 1);
    ps_writer_step(w, stmt);
}

static void bind_some(sqlite3_stmt *stmt, int at, struct ps_str text)
{
    if (text.len)
        ps_bind_str(stmt, at, text);
    else
        sqlite3_bind_null(stmt, at);
}

void ps_writer_operator_row(struct ps_sink *sink, const struct ps_operator_row *row)
{
    struct ps_writer *w = writer_of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_OPERATOR_ROW);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->name);
    bind_some(stmt, 3, row->overload);
    bind_some(stmt, 4, row->shapes);
    bind_some(stmt, 5, row->source);
    sqlite3_bind_int(stmt, 6, row->cut);
    sqlite3_bind_int(stmt, 7, row->family);
    for (int i = 0; i < PS_N_OPERATOR_FIGURES; i++)
        ps_bind_num(stmt, 8 + i, row->figures[i]);
    ps_writer_step(w, stmt);
}

void ps_writer_section(struct ps_sink *sink, const struct ps_section *row)
{
    struct ps_writer *w = writer_of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_SECTION);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->stage);
    ps_bind_num(stmt, 3, row->total_s);
    ps_bind_num(stmt, 4, row->calls);
    ps_writer_step(w, stmt);
}

void ps_writer_action(struct ps_sink *sink, const struct ps_action *row)
{
    struct ps_writer *w = writer_of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_ACTION);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->section);
    ps_bind_str(stmt, 3, row->name);
    ps_bind_num(stmt, 4, row->calls);
    ps_bind_num(stmt, 5, row->mean_s);
    ps_bind_num(stmt, 6, row->total_s);
    ps_bind_num(stmt, 7, row->pct);
    sqlite3_bind_int64(stmt, 8, row->report);
    ps_writer_step(w, stmt);
}

/* --- Measurements of a run, a row each -------------------------------------------------------- */

/* What else is known, as a JSON object. */
static void put_more(struct ps_buf *out, const struct ps_measurement *row)
{
    struct ps_json json = ps_json_to(out);
    struct ps_buf key = {0};

    ps_json_object(&json);
    for (size_t i = 0; i < row->n_more; i++) {
        const struct ps_measured_fact *more = &row->more[i];

        key.len = 0;
        ps_buf_str(&key, more->key);
        ps_json_key(&json, key.at ? key.at : "");
        if (more->number.kind != PS_NUM_NONE)
            ps_json_num(&json, more->number);
        else
            ps_json_str(&json, more->text);
    }
    ps_json_end(&json);
    ps_buf_free(&key);
}

void ps_writer_measurement(struct ps_sink *sink, const struct ps_measurement *row)
{
    struct ps_writer *w = (struct ps_writer *)sink;
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_MEASUREMENT);
    const struct ps_num figures[] = {row->n,   row->mean, row->median, row->stddev,
                                     row->min, row->max,  row->q1,     row->q3};

    if (!stmt || !ps_sink_ok(sink))
        return;
    w->blob.len = 0;
    put_more(&w->blob, row);
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->name);
    ps_bind_str(stmt, 3, row->group);
    ps_bind_num(stmt, 4, row->value);
    ps_bind_str(stmt, 5, ps_str_of(row->unit));
    ps_bind_str(stmt, 6, ps_str_of(row->statistic));
    for (int i = 0; i < (int)(sizeof figures / sizeof *figures); i++)
        ps_bind_num(stmt, 7 + i, figures[i]);
    ps_bind_num(stmt, 15, row->resolution > 0 ? ps_real(row->resolution) : (struct ps_num){0});
    ps_bind_str(stmt, 16, ps_buf_slice(&w->blob));
    sqlite3_bind_blob64(stmt, 17, row->n_samples ? row->samples : NULL,
                        row->n_samples * sizeof(double), SQLITE_STATIC);
    ps_writer_step(w, stmt);
}

/* --- A sink that writes the rows of a run file ------------------------------------------------ */

static void number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    struct ps_writer *w = writer_of(sink);

    ps_json_key(&w->summary, key);
    ps_json_num(&w->summary, value);
    if (strcmp(key, "unit_s") == 0) /* the lines view multiplies by it */
        ps_writer_meta(w, key, value, PS_STR(""));
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
    ps_writer_meta(writer_of(sink), key, (struct ps_num){0}, value);
}

static void list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    struct ps_json *summary = &writer_of(sink)->summary;

    ps_json_key(summary, key);
    ps_json_array(summary);
    for (size_t i = 0; i < n; i++)
        ps_json_str(summary, items[i]);
    ps_json_end(summary);
}

static void note(struct ps_sink *sink, const struct ps_note *note)
{
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    struct ps_writer *w = writer_of(sink);
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
    writer_of(sink)->ledger = *ledger;
}

static void headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    writer_of(sink)->headline = *headline;
}

static bool progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    const struct ps_writing *writing = &writer_of(sink)->writing;

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

/* Runs of files from this size on have pages of 32 KiB: a tenth less to write the large blobs of a
 * trace. Small ones would only grow by it, each table takes a page. */
#define LARGE ((uint64_t)32 << 20)

enum ps_status ps_run_create(const char *path, uint64_t input_bytes, struct ps_db **out,
                             struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    ps_uri_path(&uri, path);
    ps_buf_puts(&uri, "?nolock=1"); /* nobody else knows the file */
    status = ps_db_open(uri.at, true, out, err);
    if (status == PS_OK)
        status = ps_db_exec(
            *out, input_bytes < LARGE ? "PRAGMA page_size=8192" : "PRAGMA page_size=32768", err);
    if (status == PS_OK)
        status = ps_db_exec(*out,
                            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                            "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                            "PRAGMA cache_size=-8192; BEGIN",
                            err);
    return status == PS_OK ? ps_db_exec(*out, ps_run_schema(), err) : status;
}

void ps_writer_free(struct ps_writer *w)
{
    if (!w)
        return;
    for (int i = 0; i < N_INSERTS; i++)
        ps_stmt_done(w->inserts[i]);
    ps_db_close(w->db);
    free(w->low);
    ps_run_files_free(&w->files);
    ps_line_sums_free(&w->line_sums);
    ps_trace_sums_free(&w->trace);
    ps_buf_free(&w->summary_text);
    ps_buf_free(&w->blob);
    ps_buf_free(&w->blob2);
    ps_arena_free(&w->arena);
    free(w);
}

enum ps_status ps_writer_open(const char *path, const struct ps_writing *writing,
                              struct ps_writer **out, struct ps_err *err)
{
    struct ps_writer *w = ps_alloc(sizeof *w);
    enum ps_status status;

    w->sink.ops = &ps_writer_ops;
    w->writing = *writing;
    w->headline.unit = w->headline.label = "";
    w->ledger.unit = "";
    w->summary = ps_json_to(&w->summary_text);
    ps_json_object(&w->summary);
    status = ps_run_create(path, writing->input_bytes, &w->db, err);
    if (status != PS_OK) {
        ps_writer_free(w);
        return status;
    }
    *out = w;
    return PS_OK;
}

struct ps_sink *ps_writer_sink(struct ps_writer *writer)
{
    return &writer->sink;
}

static void put_ledger(struct ps_writer *w)
{
    const struct ps_ledger *l = &w->ledger;

    ps_writer_meta(w, "ledger_unit", (struct ps_num){0}, ps_str_of(l->unit));
    ps_writer_meta(w, "ledger_read", ps_int((int64_t)l->read), PS_STR(""));
    ps_writer_meta(w, "ledger_stored", ps_int((int64_t)l->stored), PS_STR(""));
    ps_writer_meta(w, "ledger_repaired", ps_int((int64_t)l->repaired), PS_STR(""));
    ps_writer_meta(w, "ledger_rejected", ps_int((int64_t)l->rejected), PS_STR(""));
    ps_writer_meta(w, "ledger_other", ps_int((int64_t)l->other), PS_STR(""));
}

static void put_headline(struct ps_writer *w)
{
    ps_writer_meta(w, "headline_value", ps_real(w->headline.value), PS_STR(""));
    ps_writer_meta(w, "headline_unit", (struct ps_num){0}, ps_str_of(w->headline.unit));
    ps_writer_meta(w, "headline_label", (struct ps_num){0}, ps_str_of(w->headline.label));
}

static void note_left_out(struct ps_writer *w)
{
    char text[120];
    struct ps_note note = {.severity = PS_NOTE_WARNING, .what = {text, 0}};

    if (!w->notes_left_out)
        return;
    note.what.len = (size_t)snprintf(
        text, sizeof text,
        "%llu more records were repaired or rejected; only the first %d are listed",
        (unsigned long long)w->notes_left_out, NOTES_MAX);
    w->sink.ops->note(&w->sink, &note);
}

enum ps_status ps_writer_end(struct ps_writer *w, struct ps_err *err)
{
    note_left_out(w);
    (void)ps_writer_files(w);
    (void)ps_writer_line_sums(w);
    (void)ps_trace_sums_end(w);
    ps_json_end(&w->summary);
    ps_writer_meta(w, "summary", (struct ps_num){0}, ps_buf_slice(&w->summary_text));
    put_headline(w);
    put_ledger(w);
    if (!ps_sink_ok(&w->sink)) {
        *err = w->sink.err;
        return err->code;
    }
    return ps_db_exec(w->db, "COMMIT", err);
}
