/* SPDX-License-Identifier: MIT */
/*
 * lprof_stats.c: the one object that a result is.
 *
 *     LineStats.timings = {(file, first line, name): [(line, hits, ticks), ...], ...}
 *     LineStats.unit    = seconds a tick
 *
 * A line may stand several times in a list (line_profiler 4.1 and 4.2 write one entry a code object
 * and 5.x adds them up); the file does not tell its version, so they are always added up.
 */
#include "importers/lprof.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ENTRIES = 8 << 20 };

struct reading {
    struct ps_lp_stats *s;
    const struct ps_pickle *p;
    uint64_t at;
    struct ps_err *err;
};

static bool refuse(struct reading *r, const char *what)
{
    ps_fail_at(r->err, PS_BAD_INPUT, r->at, "the pickle at this position %s", what);
    return false;
}

static struct ps_str text_of(const struct ps_pk_value *value)
{
    return (struct ps_str){value->at, value->id};
}

static bool as_number(const struct ps_pk_value *value, struct ps_num *out)
{
    if (value->kind == PS_PK_INT || value->kind == PS_PK_BOOL)
        *out = ps_int(value->i);
    else if (value->kind == PS_PK_REAL)
        *out = ps_real(value->r);
    else
        return false;
    return true;
}

/* ------------------------------------------------------------------ functions */

static uint32_t function_of(struct ps_lp_stats *s, struct ps_str file, struct ps_str name,
                            int64_t first_line)
{
    struct ps_lp_key key = {ps_intern_id(&s->texts, file), ps_intern_id(&s->texts, name),
                            first_line};
    uint32_t id = ps_intern_id(&s->keys, (struct ps_str){(const char *)&key, sizeof key});

    if (id == s->n_functions) {
        PS_PUSH_ROOM(s->functions, s->n_functions, s->cap_functions);
        s->functions[s->n_functions++] =
            (struct ps_lp_function){.file = key.file, .name = key.name, .first_line = first_line};
        s->lost_lines += first_line < 0 || first_line > INT32_MAX;
    }
    return id;
}

static bool take_key(struct reading *r, const struct ps_pk_value *key, uint32_t *function)
{
    const struct ps_pk_value *part = key->kind == PS_PK_TUPLE ? r->p->pool + key->id : NULL;

    if (!part || key->i != 3 || part[0].kind != PS_PK_TEXT || part[1].kind != PS_PK_INT ||
        part[2].kind != PS_PK_TEXT)
        return refuse(r, "has a function key that is not (file, line, name)");
    *function = function_of(r->s, text_of(&part[0]), text_of(&part[2]), part[1].i);
    return true;
}

/* As in a dict, the last entry of a key counts: the rows of an earlier one are dropped. */
static void begin_rows(struct ps_lp_stats *s, uint32_t function)
{
    struct ps_lp_function *f = &s->functions[function];
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

static bool take_row(struct reading *r, uint32_t function, const struct ps_pk_value *entry)
{
    struct ps_lp_stats *s = r->s;
    const struct ps_pk_value *part = entry->kind == PS_PK_TUPLE ? r->p->pool + entry->id : NULL;
    struct ps_lp_row row = {.function = function, .pickle = s->n_pickles - 1};
    struct ps_num line;

    if (!part || entry->i != 3 || !as_number(&part[0], &line) || !as_number(&part[1], &row.hits) ||
        !as_number(&part[2], &row.ticks))
        return refuse(r, "has an entry that is not (line, hits, time)");
    if (++s->entries > MOST_ENTRIES) {
        ps_fail_at(r->err, PS_LIMIT, r->at, "the profile has more than %d lines", MOST_ENTRIES);
        return false;
    }
    if (line.kind != PS_NUM_INT || line.i < 0 || line.i > INT32_MAX ||
        !isfinite(ps_num_real(row.hits)) || !isfinite(ps_num_real(row.ticks))) {
        s->rejected++;
        return true;
    }
    row.line = (uint32_t)line.i;
    row.beyond = part[1].beyond || part[2].beyond;
    s->negative += ps_num_real(row.hits) < 0 || ps_num_real(row.ticks) < 0;
    s->fractions += (row.hits.kind == PS_NUM_REAL && !part[1].beyond) ||
                    (row.ticks.kind == PS_NUM_REAL && !part[2].beyond);
    PS_PUSH_ROOM(s->rows, s->n_rows, s->cap_rows);
    s->rows[s->n_rows++] = row;
    s->functions[function].n++;
    return true;
}

static bool take_timings(struct reading *r, const struct ps_pk_value *timings)
{
    struct ps_pk_walk walk = ps_pickle_walk(r->p, timings);
    const struct ps_pk_value *key;
    uint64_t begun = r->s->entries;

    while ((key = ps_pickle_next(&walk))) {
        const struct ps_pk_value *list = ps_pickle_next(&walk), *entry;
        struct ps_pk_walk entries;
        uint32_t function;

        if (!take_key(r, key, &function))
            return false;
        if (!list || list->kind != PS_PK_LIST)
            return refuse(r, "has a function without a list of lines");
        begin_rows(r->s, function);
        entries = ps_pickle_walk(r->p, list);
        while ((entry = ps_pickle_next(&entries)))
            if (!take_row(r, function, entry))
                return false;
        /* Even one that only refers to an earlier tuple takes two bytes: what has more entries
         * shares its lists, which no profiler does. */
        if (r->s->entries - begun > r->p->at)
            return refuse(r, "has lists of lines that are shared too often");
    }
    return true;
}

bool ps_lp_add(struct ps_lp_stats *s, const struct ps_pickle *p, const struct ps_pk_value *root,
               uint64_t at, struct ps_err *err)
{
    struct reading r = {s, p, at, err};
    const struct ps_pk_value *state, *key, *timings = NULL;
    struct ps_num unit = {0};
    struct ps_pk_walk walk;

    if (root->kind != PS_PK_OBJECT)
        return refuse(&r, "contains no LineStats object");
    walk = ps_pickle_walk(p, root);
    state = ps_pickle_next(&walk);
    if (!state)
        return refuse(&r, "contains a LineStats object without state");
    walk = ps_pickle_walk(p, state);
    while ((key = ps_pickle_next(&walk))) {
        const struct ps_pk_value *value = ps_pickle_next(&walk);

        if (key->kind == PS_PK_TEXT && ps_str_is(text_of(key), "timings"))
            timings = value;
        if (key->kind == PS_PK_TEXT && ps_str_is(text_of(key), "unit"))
            (void)as_number(value, &unit);
    }
    if (!timings || timings->kind != PS_PK_DICT)
        return refuse(&r, "has no dict of timings");
    if (!(ps_num_real(unit) > 0) || !isfinite(ps_num_real(unit)))
        return refuse(&r, "has no timer unit");
    PS_PUSH_ROOM(s->units, s->n_pickles, s->cap_units);
    s->units[s->n_pickles++] = ps_num_real(unit);
    if (s->n_pickles == 1)
        s->versions = ps_pk_classes[root->i].versions;
    return take_timings(&r, timings);
}

/* ------------------------------------------------------------------ adding up */

struct ps_num ps_lp_plus(struct ps_num a, struct ps_num b, bool *beyond)
{
    int64_t sum;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT) {
        if (!__builtin_add_overflow(a.i, b.i, &sum))
            return ps_int(sum);
        *beyond = true;
    }
    return ps_real(ps_num_real(a) + ps_num_real(b));
}

/* Rows of one function, in the order of the file, into `sorted`. */
static struct ps_lp_row *by_function(struct ps_lp_stats *s)
{
    struct ps_lp_row *sorted = ps_grow(NULL, s->n_rows + 1, sizeof *sorted);
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
        struct ps_lp_function *f = &s->functions[s->rows[i].function];

        if (!s->rows[i].dropped)
            sorted[f->from + f->n++] = s->rows[i];
    }
    return sorted;
}

static int by_line(const void *a, const void *b)
{
    const struct ps_lp_row *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->pickle < y->pickle ? -1 : x->pickle > y->pickle;
}

/* Other units than the largest become fractions of it, as line_profiler's loader has it. */
static struct ps_num scaled(const struct ps_lp_stats *s, const struct ps_lp_row *row)
{
    if (!s->mixed_units)
        return row->ticks;
    return ps_real(ps_num_real(row->ticks) * (s->units[row->pickle] / s->unit));
}

static void round_ticks(const struct ps_lp_stats *s, struct ps_lp_row *row)
{
    if (s->mixed_units && fabs(row->ticks.r) < 9e18)
        row->ticks = ps_int((int64_t)rint(row->ticks.r));
}

/* Adds up rows of one line. Returns how many are left. */
static size_t fold(struct ps_lp_stats *s, struct ps_lp_row *rows, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct ps_lp_row *last = kept ? &rows[kept - 1] : NULL;
        struct ps_num ticks = scaled(s, &rows[i]);

        if (last && last->line == rows[i].line) {
            s->repeated += last->pickle == rows[i].pickle;
            last->hits = ps_lp_plus(last->hits, rows[i].hits, &last->beyond);
            last->ticks = ps_lp_plus(last->ticks, ticks, &last->beyond);
            last->beyond |= rows[i].beyond;
            last->pickle = rows[i].pickle;
            continue;
        }
        rows[kept] = rows[i];
        rows[kept++].ticks = ticks;
    }
    return kept;
}

static void add_up(struct ps_lp_stats *s, struct ps_lp_function *f)
{
    struct ps_lp_row *rows = s->rows + f->from;
    bool sorted = true, beyond = false;

    for (size_t i = 1; i < f->n && sorted; i++)
        sorted = rows[i - 1].line <= rows[i].line;
    if (!sorted)
        qsort(rows, f->n, sizeof *rows, by_line);
    f->n = fold(s, rows, f->n);
    f->hits = f->ticks = ps_int(0);
    for (size_t i = 0; i < f->n; i++) {
        round_ticks(s, &rows[i]);
        f->hits = ps_lp_plus(f->hits, rows[i].hits, &beyond);
        f->ticks = ps_lp_plus(f->ticks, rows[i].ticks, &beyond);
    }
}

void ps_lp_merge(struct ps_lp_stats *s)
{
    struct ps_lp_row *sorted;

    s->unit = s->units[0];
    for (uint32_t i = 1; i < s->n_pickles; i++) {
        s->mixed_units |= s->units[i] != s->units[0];
        s->unit = s->units[i] > s->unit ? s->units[i] : s->unit;
    }
    sorted = by_function(s);
    free(s->rows);
    s->rows = sorted;
    for (size_t i = 0; i < s->n_functions; i++)
        add_up(s, &s->functions[i]);
}

void ps_lp_free(struct ps_lp_stats *s)
{
    ps_intern_free(&s->texts);
    ps_intern_free(&s->keys);
    free(s->functions);
    free(s->rows);
    free(s->units);
    *s = (struct ps_lp_stats){0};
}
