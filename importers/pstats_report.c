/* SPDX-License-Identifier: MIT */
/* pstats_report.c: a dump told to the sink: functions, figures, and what in it cannot be quite
 * right. */
#include "importers/pstats.h"

#include <math.h>
#include <stdlib.h>

#include "importers/clean.h"
#include "importers/python_origin.h"

enum {
    TOLD = 10, /* doubtful functions told by name */
    BREATH = 4096,
};

struct report {
    struct ps_pf_dump *d;
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_str *shown; /* by text; at NULL: not made yet */
    uint8_t *origin;      /* by text of a file; 0 unknown yet, else origin + 1 */
    double *parts;        /* by row: what its callees took, with its own time */
    struct ps_num tottime, ncalls, primitive_calls;
    uint64_t repaired, doubtful;
    uint64_t fewer, below, negative, odd; /* functions with more primitive calls than calls, ... */
    uint32_t roots, files, title;
    bool builtins, profile_keys, int_times, folders;
};

static struct ps_str text(struct report *r, uint32_t id)
{
    if (!r->shown[id].at)
        r->shown[id] = ps_marshal_text(&r->d->m, id, &r->arena);
    return r->shown[id];
}

static bool is_mended(const struct report *r, uint32_t id)
{
    uint8_t kind = r->d->m.text_kinds[id];

    return kind == PS_MTEXT_MEND || kind == PS_MTEXT_LATIN1;
}

static bool has_folder(struct ps_str path)
{
    return path.len && path.at[0] != '<' &&
           (memchr(path.at, '/', path.len) || memchr(path.at, '\\', path.len));
}

static bool is_script(struct ps_str path)
{
    return path.len > 3 && memcmp(path.at + path.len - 3, ".py", 3) == 0;
}

/* A script that was started from its own folder has no folder in its name. Where others have some,
 * names were not stripped, and it is the program's own. */
static enum ps_origin origin(struct report *r, uint32_t file)
{
    if (!r->origin[file]) {
        enum ps_origin found = ps_python_file_origin(text(r, file));

        if (found == PS_ORIGIN_UNKNOWN && r->folders && is_script(text(r, file)))
            found = PS_ORIGIN_OWN;
        r->origin[file] = (uint8_t)(found + 1);
        r->files++;
    }
    return (enum ps_origin)(r->origin[file] - 1);
}

/* As Python's sum() goes: integers as long as all are. */
static struct ps_num plus(struct ps_num a, struct ps_num b)
{
    int64_t sum;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &sum))
        return ps_int(sum);
    return ps_real(ps_num_real(a) + ps_num_real(b));
}

static struct ps_pf_function *by_row(const struct report *r, uint32_t row)
{
    return &r->d->functions[r->d->rows[row - 1]];
}

static void tell_doubt(struct report *r, struct ps_pf_function *f, const char *why)
{
    struct ps_str file = ps_text_head(text(r, f->file), 160),
                  name = ps_text_head(text(r, f->name), 100);

    if (r->doubtful++ >= TOLD)
        return;
    ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                 "%.*s (%.*s:%.0f) %s. Either functions with this label overwrote each other, "
                 "threads ran it at the same time, or dumps were merged",
                 (int)name.len, name.at, (int)file.len, file.at, ps_num_real(f->line), why);
}

/* What the numbers of one function say against each other. */
static void check(struct report *r, struct ps_pf_function *f)
{
    double tottime = ps_num_real(f->tottime), cumtime = ps_num_real(f->cumtime), from = 0;
    double ncalls = ps_num_real(f->ncalls), primitive = ps_num_real(f->primitive_calls);

    for (uint32_t c = 0; c < f->n_calls; c++)
        from += ps_num_real(r->d->calls[f->first_call + c].ncalls);
    r->fewer += primitive > ncalls;
    r->below += cumtime < tottime - 1e-6 - 1e-9 * fabs(tottime);
    r->negative += ncalls < 0 || primitive < 0 || tottime < 0 || cumtime < 0;
    r->odd += !isfinite(tottime) || !isfinite(cumtime);
    if (r->d->sampled)
        return;
    if (from > ncalls)
        tell_doubt(r, f, "has fewer calls than its callers made");
    else if (!f->cycle && r->d->tuple_callers && !r->d->int_callers &&
             r->parts[f->row] + tottime > cumtime + 1e-6 + 1e-6 * fabs(cumtime))
        tell_doubt(r, f, "has less cumulative time than its own time plus its callees' time");
}

static void add_up(struct report *r)
{
    for (uint32_t row = 1; row <= r->d->n_listed; row++) {
        struct ps_pf_function *f = by_row(r, row);
        struct ps_str file = text(r, f->file);

        r->tottime = plus(r->tottime, f->tottime);
        r->ncalls = plus(r->ncalls, f->ncalls);
        r->primitive_calls = plus(r->primitive_calls, f->primitive_calls);
        r->roots += f->n_calls == 0;
        f->repaired |= is_mended(r, f->file) || is_mended(r, f->name);
        r->repaired += f->repaired;
        r->int_times |= f->tottime.kind == PS_NUM_INT && f->tottime.i != 0;
        r->builtins |=
            ps_str_is(file, "~") && (ps_str_starts(text(r, f->name), PS_STR("<built-in method ")) ||
                                     ps_str_starts(text(r, f->name), PS_STR("<method '")));
        r->folders = r->folders || has_folder(file);
        r->profile_keys |=
            ps_str_is(file, "profile") && f->line.kind == PS_NUM_INT && f->line.i == 0;
    }
    for (uint32_t row = 1; row <= r->d->n; row++) {
        const struct ps_pf_function *f = by_row(r, row);

        for (uint32_t c = 0; c < f->n_calls; c++)
            r->parts[r->d->calls[f->first_call + c].caller] +=
                ps_num_real(r->d->calls[f->first_call + c].cumtime_s);
    }
}

static void tell_function(struct report *r, uint32_t row)
{
    const struct ps_pf_dump *d = r->d;
    const struct ps_pf_function *f = by_row(r, row);
    struct ps_num none = ps_int(0);
    struct ps_function told = {
        .id = row,
        .file = text(r, f->file),
        .file_key = f->file + 1,
        .name = text(r, f->name),
        .line = f->line,
        .ncalls = f->listed ? f->ncalls : none,
        .primitive_calls = f->listed ? f->primitive_calls : none,
        .tottime_s = f->listed ? f->tottime : none,
        .cumtime_s = f->listed ? f->cumtime : none,
        .origin = origin(r, f->file),
        .cycle = f->cycle,
        .listed = f->listed,
        .callers = f->n_calls ? d->calls + f->first_call : NULL,
        .n_callers = f->n_calls,
        .callees = d->callees + d->callee_from[row - 1],
        .n_callees = d->callee_from[row] - d->callee_from[row - 1],
    };

    r->out->ops->function(r->out, &told);
}

static struct ps_str base_name(struct ps_str path)
{
    for (size_t i = path.len; i-- > 0;)
        if (path.at[i] == '/' || path.at[i] == '\\')
            return ps_str_skip(path, i + 1);
    return path;
}

/* The script: the module that is nobody's library and whose code ran longest. */
static void find_title(struct report *r, uint32_t row)
{
    const struct ps_pf_function *f = by_row(r, row);
    enum ps_origin whose = origin(r, f->file);

    if (!f->listed || (whose != PS_ORIGIN_OWN && whose != PS_ORIGIN_UNKNOWN))
        return;
    if (!ps_str_is(text(r, f->name), "<module>") || ps_str_starts(text(r, f->file), PS_STR("<")))
        return;
    if (!r->title || ps_num_real(f->cumtime) > ps_num_real(by_row(r, r->title)->cumtime))
        r->title = row;
}

static void tell_writer(struct report *r)
{
    const char *writer = NULL, *tool = "pstats";

    if (r->d->sampled) {
        writer = "sampling";
        tool = "CPython profiling.sampling";
    } else if (r->profile_keys) {
        writer = "profile";
        tool = "Python profile";
    } else if (r->builtins && !r->d->int_callers) {
        writer = "cProfile";
        tool = "cProfile";
    }
    r->out->ops->meta(r->out, "tool", ps_str_of(tool));
    if (writer)
        r->out->ops->meta(r->out, "writer", ps_str_of(writer));
    if (r->title)
        r->out->ops->meta(r->out, "title", base_name(text(r, by_row(r, r->title)->file)));
}

static void tell_figures(struct report *r)
{
    const struct ps_pf_dump *d = r->d;
    int version = ps_marshal_version(&d->m);
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"total_tt_s", r->tottime},
        {"total_calls", r->ncalls},
        {"primitive_calls", r->primitive_calls},
        {"functions", ps_int(d->n_listed)},
        {"calls_pairs", ps_int(d->callee_from[d->n])},
        {"roots", ps_int(r->roots)},
        {"files", ps_int(r->files)},
        {"marshal", version < 0 ? (struct ps_num){0} : ps_int(version)},
        {"sampled", ps_int(d->sampled)},
        {"int_callers", ps_int(d->int_callers)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
}

static void tell_notes(struct report *r, uint64_t size)
{
    const struct ps_pf_dump *d = r->d;

    if (d->sampled)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
                     "written by a sampling profiler: calls are samples, and a line number is the "
                     "line that was running");
    if (r->int_times)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "times are whole numbers: the timer's unit is not seconds, and the file does "
                     "not name it");
    if (d->doubled)
        ps_sink_note(r->out, PS_NOTE_REJECTED, d->doubled_at, 0,
                     "entries that repeat an earlier key: %llu (this is the first); the last one "
                     "counts, as in Python",
                     (unsigned long long)d->doubled);
    ps_sink_count(r->out, PS_NOTE_WARNING, d->doubled_calls,
                  "callers that one function lists twice; the last one counts");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->repaired,
                  "functions repaired: a number beyond 64 bits or a name with invalid text");
    ps_sink_count(r->out, PS_NOTE_INFO, d->n - d->n_listed,
                  "callers without their own entry, shown with zeros");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->doubtful > TOLD ? r->doubtful - TOLD : 0,
                  "more functions that contradict their callers or callees");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->fewer,
                  "functions with more primitive calls than calls");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->below,
                  "functions with less cumulative time than own time");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->negative, "functions with negative values");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->odd,
                  "functions with a time that is not a finite number");
    if (d->end < size)
        ps_sink_note(r->out, PS_NOTE_WARNING, d->end, 0,
                     "bytes after the dump, ignored as in Python: %llu",
                     (unsigned long long)(size - d->end));
}

/* False: cancelled. */
static bool tell_all(struct report *r, uint64_t size)
{
    const struct ps_pf_dump *d = r->d;
    struct ps_ledger ledger = {
        .unit = "entries",
        .read = d->entries,
        .rejected = d->doubled,
        .other = d->entries - d->n_listed - d->doubled,
    };

    add_up(r);
    ledger.stored = d->n_listed - r->repaired;
    ledger.repaired = r->repaired;
    for (uint32_t row = 1; row <= d->n && ps_sink_ok(r->out); row++) {
        if (row % BREATH == 0 && !r->out->ops->progress(r->out, size, size, row))
            return false;
        tell_function(r, row);
        find_title(r, row);
        if (by_row(r, row)->listed)
            check(r, by_row(r, row));
    }
    tell_writer(r);
    tell_figures(r);
    tell_notes(r, size);
    r->out->ops->ledger(r->out, &ledger);
    r->out->ops->headline(r->out, &(struct ps_headline){ps_num_real(r->tottime), "s", "tottime"});
    return true;
}

bool ps_pf_report(struct ps_pf_dump *d, uint64_t size, struct ps_sink *out)
{
    struct report r = {.d = d, .out = out};
    bool told;

    r.tottime = r.ncalls = r.primitive_calls = ps_int(0);
    r.shown = ps_alloc_array(d->m.texts.count + 1, sizeof *r.shown);
    r.origin = ps_alloc(d->m.texts.count + 1);
    r.parts = ps_alloc_array(d->n + 1, sizeof *r.parts);
    told = tell_all(&r, size);
    free(r.shown);
    free(r.origin);
    free(r.parts);
    ps_arena_free(&r.arena);
    return told;
}
