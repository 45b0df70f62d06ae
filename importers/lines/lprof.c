/* SPDX-License-Identifier: MIT */
/*
 * lprof.c: reads the pickled LineStats that `kernprof -l` and LINE_PROFILE=1 write.
 *
 * The pickle is parsed, never executed (tree.h). If a file holds several pickles (`cat a.lprof
 * b.lprof`), they are added up, like several files in line_profiler's own loader. Tested:
 * line_profiler 2.x on Python 2.7 (protocol 2) to 5.0.2 (protocol 5).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/format.h"
#include "base/intern.h"
#include "importers/importer.h"
#include "importers/pickle/tree.h"
#include "importers/reading.h"
#include "importers/records/lines.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

/* One (line, hits, time) of a pickle; after merge_stats, one line of a function. */
struct row {
    struct ps_num hits, ticks;
    uint32_t function, line;
    uint32_t pickle;
    /* beyond: a value did not fit 64 bits; dropped: a later entry with the same key replaces the
     * row */
    bool beyond, dropped;
};

struct function {
    uint32_t file, name; /* ids in texts */
    int64_t first_line;
    uint32_t pickle; /* number of the last pickle that has the function, from 1 */
    /* rows of the function in that pickle, after merge_stats in all pickles: index of the first;
     * their number */
    size_t from, n;
    struct ps_num hits, ticks; /* sums, after merge_stats */
};

struct key { /* identifies a function; compared as bytes */
    uint32_t file, name;
    int64_t first_line;
};

struct stats {
    struct ps_intern texts; /* bytes as in the file */
    struct ps_intern keys;
    struct function *functions; /* by id of their key, which is the order of the file */
    size_t n_functions, cap_functions;
    struct row *rows;
    size_t n_rows, cap_rows;
    double *units; /* seconds per tick, by pickle */
    uint32_t n_pickles, cap_units;
    const char *versions; /* line_profiler versions that write the first pickle's class */
    double unit;          /* seconds per tick after merge_stats: the largest unit */
    bool mixed_units;
    uint64_t size; /* bytes of the file */

    uint64_t entries; /* number of (line, hits, time) read */
    uint64_t doubled; /* entries replaced by a later entry of the same function */
    uint64_t doubled_keys;
    uint64_t rejected; /* entries without a line number or with an invalid value */
    uint64_t repeated; /* entries for a line that the function already has in the same pickle */
    uint64_t negative, fractions;
    uint64_t beyond, lost_lines; /* lost_lines: functions without a valid first line number */
};

/*
 * The members of the pickled object:
 *
 *     LineStats.timings = {(file, first line, name): [(line, hits, ticks), ...], ...}
 *     LineStats.unit    = seconds per tick
 *
 * A line may occur several times in a list (line_profiler 4.1 and 4.2 write one entry per code
 * object and 5.x adds them up). The file does not name its version, so entries are always added up.
 */

enum { ENTRIES_MAX = 8 << 20 };

struct stats_reader {
    struct stats *stats;
    const struct ps_pickle *pickle;
    uint64_t offset;
    struct ps_err *err;
};

static bool refuse_pickle(struct stats_reader *r, const char *what)
{
    ps_fail_at(r->err, PS_BAD_INPUT, r->offset, "the pickle at this position %s", what);
    return false;
}

static struct ps_str text_of(const struct ps_pickle_value *value)
{
    return (struct ps_str){value->ptr, value->id};
}

static bool as_number(const struct ps_pickle_value *value, struct ps_num *out)
{
    if (value->kind == PS_PICKLE_INT || value->kind == PS_PICKLE_BOOL)
        *out = ps_int(value->i);
    else if (value->kind == PS_PICKLE_REAL)
        *out = ps_real(value->r);
    else
        return false;
    return true;
}

/* --- Functions --- */

static uint32_t function_of(struct stats *s, struct ps_str file, struct ps_str name,
                            int64_t first_line)
{
    struct key key = {ps_intern_add(&s->texts, file), ps_intern_add(&s->texts, name), first_line};
    uint32_t id = ps_intern_add(&s->keys, (struct ps_str){(const char *)&key, sizeof key});

    if (id == s->n_functions) {
        PS_RESERVE_ONE(s->functions, s->n_functions, s->cap_functions);
        s->functions[s->n_functions++] =
            (struct function){.file = key.file, .name = key.name, .first_line = first_line};
        s->lost_lines += first_line < 0 || first_line > INT32_MAX;
    }
    return id;
}

static bool parse_key(struct stats_reader *r, const struct ps_pickle_value *key, uint32_t *function)
{
    const struct ps_pickle_value *part =
        key->kind == PS_PICKLE_TUPLE ? r->pickle->pool + key->id : NULL;

    if (!part || key->i != 3 || part[0].kind != PS_PICKLE_TEXT || part[1].kind != PS_PICKLE_INT ||
        part[2].kind != PS_PICKLE_TEXT)
        return refuse_pickle(r, "has a function key that is not (file, line, name)");
    *function = function_of(r->stats, text_of(&part[0]), text_of(&part[2]), part[1].i);
    return true;
}

/* Begins the rows of a function. If the pickle has the key twice, the last entry is used, as in a
 * dict: the rows of the earlier entry are dropped. */
static void begin_rows(struct stats *s, uint32_t function)
{
    struct function *f = &s->functions[function];
    uint32_t pickle = s->n_pickles;

    if (f->pickle == pickle) {
        s->doubled_keys++;
        for (size_t i = f->from; i < f->from + f->n; i++)
            s->rows[i].dropped = true;
        s->doubled += f->n;
    }
    f->pickle = pickle;
    f->from = s->n_rows;
    f->n = 0;
}

static bool parse_row(struct stats_reader *r, uint32_t function,
                      const struct ps_pickle_value *entry)
{
    struct stats *s = r->stats;
    const struct ps_pickle_value *part =
        entry->kind == PS_PICKLE_TUPLE ? r->pickle->pool + entry->id : NULL;
    struct row row = {.function = function, .pickle = s->n_pickles - 1};
    struct ps_num line;

    if (!part || entry->i != 3 || !as_number(&part[0], &line) || !as_number(&part[1], &row.hits) ||
        !as_number(&part[2], &row.ticks))
        return refuse_pickle(r, "has an entry that is not (line, hits, time)");
    if (++s->entries > ENTRIES_MAX) {
        ps_fail_at(r->err, PS_LIMIT, r->offset, "the profile has more than %d lines", ENTRIES_MAX);
        return false;
    }
    if (line.kind != PS_NUM_INT || line.i < 0 || line.i > INT32_MAX ||
        !isfinite(ps_num_to_real(row.hits)) || !isfinite(ps_num_to_real(row.ticks))) {
        s->rejected++;
        return true;
    }
    row.line = (uint32_t)line.i;
    row.beyond = part[1].is_out_of_range || part[2].is_out_of_range;
    s->negative += ps_num_to_real(row.hits) < 0 || ps_num_to_real(row.ticks) < 0;
    s->fractions += (row.hits.kind == PS_NUM_REAL && !part[1].is_out_of_range) ||
                    (row.ticks.kind == PS_NUM_REAL && !part[2].is_out_of_range);
    PS_RESERVE_ONE(s->rows, s->n_rows, s->cap_rows);
    s->rows[s->n_rows++] = row;
    s->functions[function].n++;
    return true;
}

static bool parse_timings(struct stats_reader *r, const struct ps_pickle_value *timings)
{
    struct ps_pickle_iterator walk = ps_pickle_iterate(r->pickle, timings);
    const struct ps_pickle_value *key;
    uint64_t begun = r->stats->entries;

    while ((key = ps_pickle_next(&walk))) {
        const struct ps_pickle_value *list = ps_pickle_next(&walk), *entry;
        struct ps_pickle_iterator entries;
        uint32_t function;

        if (!parse_key(r, key, &function))
            return false;
        if (!list || list->kind != PS_PICKLE_LIST)
            return refuse_pickle(r, "has a function without a list of lines");
        begin_rows(r->stats, function);
        entries = ps_pickle_iterate(r->pickle, list);
        while ((entry = ps_pickle_next(&entries)))
            if (!parse_row(r, function, entry))
                return false;
        /* Even a reference to an earlier tuple needs two bytes. More entries than bytes therefore
         * mean that lists are shared, which no profiler writes. */
        if (r->stats->entries - begun > r->pickle->offset)
            return refuse_pickle(r, "has lists of lines that are shared too often");
    }
    return true;
}

/* Adds the content of a pickle that begins at offset `at`; errors have this offset. */
static bool add_pickle(struct stats *s, const struct ps_pickle *p,
                       const struct ps_pickle_value *root, uint64_t at, struct ps_err *err)
{
    struct stats_reader r = {s, p, at, err};
    const struct ps_pickle_value *state, *key, *timings = NULL;
    struct ps_num unit = {0};
    struct ps_pickle_iterator walk;

    if (root->kind != PS_PICKLE_OBJECT)
        return refuse_pickle(&r, "contains no LineStats object");
    walk = ps_pickle_iterate(p, root);
    state = ps_pickle_next(&walk);
    if (!state)
        return refuse_pickle(&r, "contains a LineStats object without state");
    walk = ps_pickle_iterate(p, state);
    while ((key = ps_pickle_next(&walk))) {
        const struct ps_pickle_value *value = ps_pickle_next(&walk);

        if (key->kind == PS_PICKLE_TEXT && ps_str_eq_c(text_of(key), "timings"))
            timings = value;
        if (key->kind == PS_PICKLE_TEXT && ps_str_eq_c(text_of(key), "unit"))
            (void)as_number(value, &unit);
    }
    if (!timings || timings->kind != PS_PICKLE_DICT)
        return refuse_pickle(&r, "has no dict of timings");
    if (!(ps_num_to_real(unit) > 0) || !isfinite(ps_num_to_real(unit)))
        return refuse_pickle(&r, "has no timer unit");
    PS_RESERVE_ONE(s->units, s->n_pickles, s->cap_units);
    s->units[s->n_pickles++] = ps_num_to_real(unit);
    if (s->n_pickles == 1)
        s->versions = ps_pickle_classes[root->i].versions;
    return parse_timings(&r, timings);
}

/* --- Sums --- */

/* Adds two numbers. The result is an integer if both are integers and it fits 64 bits. Sets *beyond
 * if it does not fit. */
static struct ps_num add_num(struct ps_num a, struct ps_num b, bool *beyond)
{
    int64_t sum;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT) {
        if (!__builtin_add_overflow(a.i, b.i, &sum))
            return ps_int(sum);
        *beyond = true;
    }
    return ps_real(ps_num_to_real(a) + ps_num_to_real(b));
}

/* Returns the rows sorted by function, otherwise in the order of the file. Release them with
 * free(). */
static struct row *sort_by_function(struct stats *s)
{
    struct row *sorted = ps_grow(NULL, s->n_rows + 1, sizeof *sorted);
    size_t at = 0;

    for (size_t i = 0; i < s->n_functions; i++)
        s->functions[i].n = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        s->functions[s->rows[i].function].n += !s->rows[i].dropped;
    for (size_t i = 0; i < s->n_functions; i++) {
        s->functions[i].from = at;
        at += s->functions[i].n;
        s->functions[i].n = 0;
    }
    for (size_t i = 0; i < s->n_rows; i++) {
        struct function *f = &s->functions[s->rows[i].function];

        if (!s->rows[i].dropped)
            sorted[f->from + f->n++] = s->rows[i];
    }
    return sorted;
}

static int by_line(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->pickle < y->pickle ? -1 : x->pickle > y->pickle;
}

/* Converts ticks of a smaller unit to the largest unit, like line_profiler's loader. */
static struct ps_num scale_ticks(const struct stats *s, const struct row *row)
{
    if (!s->mixed_units)
        return row->ticks;
    return ps_real(ps_num_to_real(row->ticks) * (s->units[row->pickle] / s->unit));
}

static void round_ticks(const struct stats *s, struct row *row)
{
    if (s->mixed_units && fabs(row->ticks.r) < 9e18)
        row->ticks = ps_int((int64_t)rint(row->ticks.r));
}

/* Adds up rows for the same line. Returns the number of rows left. */
static size_t merge_rows(struct stats *s, struct row *rows, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct row *last = kept ? &rows[kept - 1] : NULL;
        struct ps_num ticks = scale_ticks(s, &rows[i]);

        if (last && last->line == rows[i].line) {
            s->repeated += last->pickle == rows[i].pickle;
            last->hits = add_num(last->hits, rows[i].hits, &last->beyond);
            last->ticks = add_num(last->ticks, ticks, &last->beyond);
            last->beyond |= rows[i].beyond;
            last->pickle = rows[i].pickle;
            continue;
        }
        rows[kept] = rows[i];
        rows[kept++].ticks = ticks;
    }
    return kept;
}

static void add_up(struct stats *s, struct function *f)
{
    struct row *rows = s->rows + f->from;
    bool sorted = true, beyond = false;

    for (size_t i = 1; i < f->n && sorted; i++)
        sorted = rows[i - 1].line <= rows[i].line;
    if (!sorted)
        qsort(rows, f->n, sizeof *rows, by_line);
    f->n = merge_rows(s, rows, f->n);
    f->hits = f->ticks = ps_int(0);
    for (size_t i = 0; i < f->n; i++) {
        round_ticks(s, &rows[i]);
        f->hits = add_num(f->hits, rows[i].hits, &beyond);
        f->ticks = add_num(f->ticks, rows[i].ticks, &beyond);
    }
}

/* After the last pickle: sorts rows by function and line, and adds up rows for the same line. */
static void merge_stats(struct stats *s)
{
    struct row *sorted;

    s->unit = s->units[0];
    for (uint32_t i = 1; i < s->n_pickles; i++) {
        s->mixed_units |= s->units[i] != s->units[0];
        s->unit = s->units[i] > s->unit ? s->units[i] : s->unit;
    }
    sorted = sort_by_function(s);
    free(s->rows);
    s->rows = sorted;
    for (size_t i = 0; i < s->n_functions; i++)
        add_up(s, &s->functions[i]);
}

static void free_stats(struct stats *s)
{
    ps_intern_free(&s->texts);
    ps_intern_free(&s->keys);
    free(s->functions);
    free(s->rows);
    free(s->units);
    *s = (struct stats){0};
}

/* --- Reporting --- */

enum { CHECK_INTERVAL = 4096 };

struct report {
    const struct stats *stats;
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_str *display_texts; /* strings for display, by text id; ptr is NULL until converted */
    bool *mended;                 /* by text id: invalid UTF-8 was replaced */
    uint32_t *file_ids;           /* by text id of a path; 0: no id yet */
    uint32_t files, functions_run, functions_timed;
    uint64_t lines;
    /* number of repaired rows; number of functions without rows whose name was repaired */
    uint64_t repaired, mended_empty;
    size_t hottest; /* index of the function + 1; 0: none */
    struct ps_num ticks;
};

static struct ps_str display_text(struct report *r, uint32_t id)
{
    if (!r->display_texts[id].ptr)
        r->display_texts[id] =
            ps_display_text(&r->arena, r->stats->texts.items[id], &r->mended[id]);
    return r->display_texts[id];
}

static uint32_t line_number(int64_t line)
{
    return line < 0 || line > INT32_MAX ? 0 : (uint32_t)line;
}

static void write_file(struct report *r, uint32_t id)
{
    if (r->file_ids[id])
        return;
    r->file_ids[id] = ++r->files;
    r->out->ops->line_file(r->out, &(struct ps_line_file){
                                       .id = r->files,
                                       .path = display_text(r, id),
                                       .origin = ps_line_origin(display_text(r, id)),
                                   });
}

static void write_row(struct report *r, const struct function *f, const struct row *row)
{
    struct ps_line_row line = {
        .file = r->file_ids[f->file],
        .function = row->function + 1,
        .block = 1,
        .line = row->line,
        .metrics = {.hits = row->hits, .ticks = row->ticks},
    };

    r->out->ops->line(r->out, &line);
}

/* Writes a function and its rows. The ledger counts entries, not rows: a repaired row counts as one
 * entry. */
static void write_function(struct report *r, size_t i)
{
    const struct function *f = &r->stats->functions[i];
    struct ps_line_function function = {
        .id = (uint32_t)i + 1,
        .file = r->file_ids[f->file],
        .name = display_text(r, f->name),
        .first_line = line_number(f->first_line),
    };
    bool mended = r->mended[f->file] || r->mended[f->name], beyond = false;

    r->out->ops->line_function(r->out, &function);
    for (size_t n = f->from; n < f->from + f->n; n++) {
        write_row(r, f, &r->stats->rows[n]);
        r->repaired += mended || r->stats->rows[n].beyond;
    }
    r->mended_empty += mended && f->n == 0;
    r->lines += f->n;
    r->functions_run += f->n > 0;
    r->functions_timed += ps_num_to_real(f->ticks) > 0;
    r->ticks = add_num(r->ticks, f->ticks, &beyond);
    if (ps_num_to_real(f->ticks) > 0 &&
        (!r->hottest ||
         ps_num_to_real(f->ticks) > ps_num_to_real(r->stats->functions[r->hottest - 1].ticks)))
        r->hottest = i + 1;
}

static void write_hottest(struct report *r)
{
    size_t which = r->hottest ? r->hottest - 1 : 0;
    const struct function *f = r->stats->n_functions ? &r->stats->functions[which] : NULL;
    const struct ps_headline headline = {ps_num_to_real(r->ticks) * r->stats->unit, "s",
                                         "profiled"};
    char line[24];

    if (f) {
        (void)snprintf(line, sizeof line, "%u", line_number(f->first_line));
        r->out->ops->list(r->out, "hottest",
                          (struct ps_str[]){display_text(r, f->file), ps_str_from_c(line),
                                            display_text(r, f->name)},
                          3);
        ps_sink_meta(r->out, "title", ps_base_name(display_text(r, f->file)));
    } else {
        r->out->ops->list(r->out, "hottest", NULL, 0);
    }
    r->out->ops->headline(r->out, &headline);
}

static void write_summary(struct report *r)
{
    const struct {
        const char *key;
        struct ps_num value;
    } metrics[] = {
        {"unit_s", ps_real(r->stats->unit)},
        {"functions", ps_int((int64_t)r->stats->n_functions)},
        {"functions_run", ps_int(r->functions_run)},
        {"files", ps_int(r->files)},
        {"lines", ps_int((int64_t)r->lines)},
        {"ticks", r->ticks},
        {"time_s", ps_real(ps_num_to_real(r->ticks) * r->stats->unit)},
        {"rounded", ps_int(0)},
        {"nested", ps_int(r->functions_timed > 1)},
    };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        r->out->ops->number(r->out, metrics[i].key, metrics[i].value);
}

static void write_notes(struct report *r)
{
    const struct stats *s = r->stats;

    if (s->n_functions == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "no function was profiled: the program marked none with @profile, or kernprof "
                     "ran without -l");
    ps_sink_count(r->out, PS_NOTE_INFO, s->n_pickles > 1 ? s->n_pickles : 0,
                  "results in this file, which were added up");
    if (s->mixed_units)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the results have different units; times were converted to the largest unit, "
                     "%s, and rounded",
                     ps_format_seconds(s->unit, (char[48]){0}));
    ps_sink_count(r->out, PS_NOTE_INFO, s->repeated,
                  "repeated entries for the same line, which were added up (line_profiler 4.1 and "
                  "4.2 print only the last one)");
    ps_sink_count(r->out, s->doubled ? PS_NOTE_REJECTED : PS_NOTE_WARNING,
                  s->doubled ? s->doubled : s->doubled_keys,
                  s->doubled ? "functions repeated in one result; the last entry counts"
                             : "functions repeated in one result");
    ps_sink_count(r->out, PS_NOTE_REJECTED, s->rejected,
                  "entries without a line number or with a value that is not a finite number");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->repaired,
                  "lines repaired: a number beyond 64 bits became the nearest double, or a name "
                  "contained invalid text");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->mended_empty,
                  "functions without lines whose invalid name was repaired");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->lost_lines,
                  "functions without a valid first line number");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->negative, "lines with negative hits or time");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->fractions,
                  "lines whose hits or time are not whole numbers");
}

static bool write_all(struct report *r)
{
    const struct stats *s = r->stats;
    struct ps_ledger ledger = {
        .unit = "entries", .read = s->entries, .rejected = s->rejected + s->doubled};

    ps_sink_meta(r->out, "tool", PS_STR("line_profiler"));
    ps_sink_meta(r->out, "tool_version", ps_str_from_c(s->versions));
    for (size_t i = 0; i < s->n_functions; i++)
        write_file(r, s->functions[i].file);
    for (size_t i = 0; i < s->n_functions && ps_sink_ok(r->out); i++) {
        write_function(r, i);
        if (i % CHECK_INTERVAL == CHECK_INTERVAL - 1 &&
            !r->out->ops->progress(r->out, s->size, s->size, i))
            return false;
    }
    write_summary(r);
    write_notes(r);
    ledger.repaired = r->repaired;
    ledger.stored = ledger.read - ledger.rejected - ledger.repaired;
    r->out->ops->ledger(r->out, &ledger);
    write_hottest(r);
    return true;
}

/* Writes the statistics to the sink. False: cancelled. */
static bool report_stats(const struct stats *s, struct ps_sink *out)
{
    struct report r = {.stats = s, .out = out, .ticks = ps_int(0)};
    bool is_written;

    r.display_texts = ps_alloc_array(s->texts.count + 1, sizeof *r.display_texts);
    r.mended = ps_alloc(s->texts.count + 1);
    r.file_ids = ps_alloc_array(s->texts.count + 1, sizeof *r.file_ids);
    is_written = write_all(&r);
    free(r.display_texts);
    free(r.mended);
    free(r.file_ids);
    ps_arena_free(&r.arena);
    return is_written;
}

enum {
    FILE_BYTES_MAX = 64 << 20,
};

static bool is_pickle(struct ps_str bytes)
{
    return bytes.len >= 2 && bytes.ptr[0] == '\x80' && bytes.ptr[1] >= 2 && bytes.ptr[1] <= 5;
}

/* Reads the pickles after the first. Other bytes are skipped with a note; Python does not read them
 * either. */
static bool read_other_pickles(struct ps_pickle *p, struct stats *s, struct ps_sink *out,
                               struct ps_err *err)
{
    struct ps_pickle_value root;

    while (p->offset < p->bytes.len) {
        struct ps_err failure = PS_ERR_INIT;
        size_t at = p->offset;
        bool good = is_pickle(ps_str_skip(p->bytes, at)) && ps_pickle_read(p, &root, &failure);

        if (good && root.kind == PS_PICKLE_OBJECT && add_pickle(s, p, &root, at, &failure))
            continue;
        if (failure.code == PS_LIMIT) {
            *err = failure;
            return false;
        }
        ps_sink_note(out, PS_NOTE_WARNING, at, 0, "bytes after the profile skipped: %zu; %s%s",
                     p->bytes.len - at,
                     failure.code ? "refused: " : "they are not a line_profiler result",
                     failure.text);
        return true;
    }
    return true;
}

static bool read_pickles(struct ps_str bytes, struct stats *s, struct ps_sink *out,
                         struct ps_err *err)
{
    PS_AUTO(ps_pickle_free) struct ps_pickle p = {.bytes = bytes};
    struct ps_pickle_value root;
    struct ps_err failure = PS_ERR_INIT;

    if (!is_pickle(bytes)) {
        ps_fail_at(err, PS_BAD_INPUT, 0,
                   "unsupported pickle protocol" PS_HINT
                   "line_profiler writes protocols 2 to 5; record again with `kernprof -l`");
        return false;
    }
    if (!ps_pickle_read(&p, &root, &failure)) {
        ps_fail_copy_hint(
            err, &failure,
            failure.code == PS_LIMIT
                ? "profile fewer functions at once"
                : "perfshelf reads only pickles that line_profiler wrote, and never executes "
                  "them; record one with `kernprof -l`");
        return false;
    }
    return add_pickle(s, &p, &root, 0, err) && read_other_pickles(&p, s, out, err);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    PS_AUTO(free_stats) struct stats stats = {0};
    struct ps_err failure = PS_ERR_INIT;
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "pickle", &bytes, out, err);

    if (status != PS_OK)
        return status;
    if (!read_pickles(ps_buf_slice(&bytes), &stats, out, &failure))
        return ps_fail_copy_hint(err, &failure,
                                 "record it again with `kernprof -l your_program.py`");
    stats.size = bytes.len;
    ps_buf_free(&bytes); /* all strings were copied */
    merge_stats(&stats);
    if (!report_stats(&stats, out))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

/* Accepts any pickle: no other importer reads pickles, and this importer reports the first opcode
 * that is not allowed. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str begin = {head.ptr, head.len < 120 ? head.len : 120};

    if (!is_pickle(head))
        return PS_MATCH_NO;
    return ps_str_find(begin, PS_STR("LineStats")) ? PS_MATCH_SURE : PS_MATCH_LIKELY;
}

const struct ps_importer ps_lprof = {
    .kind = "line_profiler",
    .label = "line_profiler result",
    .description =
        "hits and time of each line of the functions that line_profiler measured (.lprof)",
    .record_command = "kernprof -l app.py",
    .sniff = sniff,
    .load = load,
};
