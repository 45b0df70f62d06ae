/* SPDX-License-Identifier: MIT */
/* outside.c: what the program does while no operator runs and XLA does nothing for it, and what
 * operators call back. */
#include <stdlib.h>

#include "server/query/trace/time_range.h"
#include "server/query/trace/xla/xla.h"

#define COVERS_MOST   0.5 /* of the moments outside: a unit that explains them */
#define COVERS_NEARLY 0.8 /* of what the unit around it covers: a unit that explains it */

#define UNIT_COLUMNS                                                                               \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_NAME) |            \
     PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_DEPTH))

bool ps_xla_is_builtin(struct ps_str name)
{
    return name.len > 1 && name.ptr[0] == '$' && !ps_xla_is_frame(name) && name.ptr[1] != '<';
}

bool ps_xla_is_frame(struct ps_str name)
{
    const char *suffix = ps_str_find(name, PS_STR(".py:"));

    return suffix && name.ptr[0] == '$' && name.ptr[1] != '<';
}

/* Names that are around everything, or of the profiler. */
static bool is_no_unit(struct ps_str name)
{
    static const char *const frames[] = {"$profiler.py:", "$contextlib.py:", "$<"};

    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        if (ps_str_starts_with(name, ps_str_from_c(frames[i])))
            return true;
    return !name.len;
}

struct open_slice {
    int64_t end;
    uint32_t name;
};

struct sums {
    struct ps_db *db;
    const struct ps_xla_time *time;
    struct ps_xla_unit *units; /* in order of first appearance */
    size_t n, cap;
    uint32_t *unit_of_text; /* index + 1 */
    size_t n_texts;
    struct open_slice *open;
    size_t n_open, cap_open;
};

static bool is_open(const struct sums *sums, uint32_t name)
{
    for (size_t i = 0; i < sums->n_open; i++)
        if (sums->open[i].name == name)
            return true;
    return false;
}

static struct ps_xla_unit *unit_of(struct sums *sums, uint32_t name)
{
    sums->unit_of_text =
        ps_grow_to(sums->unit_of_text, &sums->n_texts, name, sizeof *sums->unit_of_text);
    if (!sums->unit_of_text[name]) {
        PS_RESERVE_ONE(sums->units, sums->n, sums->cap);
        sums->units[sums->n++] = (struct ps_xla_unit){.name = name};
        sums->unit_of_text[name] = (uint32_t)sums->n;
    }
    return &sums->units[sums->unit_of_text[name] - 1];
}

static void free_sums(struct sums *sums)
{
    free(sums->units);
    free(sums->unit_of_text);
    free(sums->open);
}

/* Opens a slice, and adds the time that it covers to its unit. A call of itself covers no more. */
static void open_slice(struct sums *sums, const struct ps_chunk *chunk, uint32_t i, int64_t end,
                       int64_t ns)
{
    const uint32_t id = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i);

    if (!is_open(sums, id)) {
        struct ps_xla_unit *unit = unit_of(sums, id);

        unit->ns = ps_add_saturated(unit->ns, ns);
        unit->calls++;
        if (ns > unit->longest_ns) {
            unit->longest_ns = ns;
            unit->longest = ps_slice_id(chunk->track, chunk->first + i);
            unit->depth = ps_chunk_value(chunk, PS_COL_DEPTH, i);
        }
    }
    PS_RESERVE_ONE(sums->open, sums->n_open, sums->cap_open);
    sums->open[sums->n_open++] = (struct open_slice){end, id};
}

static bool visit(void *user, const struct ps_chunk *chunk)
{
    struct sums *sums = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                      id = ps_chunk_value(chunk, PS_COL_NAME, i),
                      start = ps_chunk_value(chunk, PS_COL_START, i),
                      end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i));
        struct ps_str text;
        int64_t ns;

        while (sums->n_open && sums->open[sums->n_open - 1].end <= start)
            sums->n_open--;
        if (kind != PS_SLICE_OTHER || id <= 0 || id > UINT32_MAX)
            continue;
        text = ps_trace_text(sums->db, (uint32_t)id);
        ns = ps_intervals_length(&sums->time->outside, start, end);
        if (ns <= 0 || is_no_unit(text) || ps_xla_name_of(text) != PS_XLA_NAME_OTHER)
            continue;
        open_slice(sums, chunk, i, end, ns);
    }
    return true;
}

/* The innermost unit that covers at least this much in at most this many calls; built-in functions
 * or not. */
static struct ps_xla_unit innermost(const struct sums *sums, double least_ns, int64_t most_calls,
                                    bool is_builtin)
{
    struct ps_xla_unit found = {.name = 0};

    for (size_t i = 0; i < sums->n; i++) {
        const struct ps_xla_unit *unit = &sums->units[i];

        if ((double)unit->ns >= least_ns && unit->calls <= most_calls &&
            ps_xla_is_builtin(ps_trace_text(sums->db, unit->name)) == is_builtin &&
            (!found.name || unit->depth > found.depth))
            found = *unit;
    }
    return found;
}

/* The unit that covers most. */
static struct ps_xla_unit most_covering(const struct sums *sums)
{
    struct ps_xla_unit most = {.name = 0};

    for (size_t i = 0; i < sums->n; i++)
        most = sums->units[i].ns > most.ns ? sums->units[i] : most;
    return most;
}

/* The functions that an operator of the track calls. */
struct callbacks {
    struct sums sums;
    uint32_t track;
    int64_t operator_end; /* of the outermost one */
};

static bool visit_callbacks(void *user, const struct ps_chunk *chunk)
{
    struct callbacks *callbacks = user;
    struct sums *sums = &callbacks->sums;

    if (chunk->track != callbacks->track) {
        callbacks->track = chunk->track;
        callbacks->operator_end = INT64_MIN;
        sums->n_open = 0;
    }
    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                      id = ps_chunk_value(chunk, PS_COL_NAME, i),
                      start = ps_chunk_value(chunk, PS_COL_START, i),
                      end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i));

        while (sums->n_open && sums->open[sums->n_open - 1].end <= start)
            sums->n_open--;
        if (kind == PS_SLICE_OP && start >= callbacks->operator_end)
            callbacks->operator_end = end;
        if (kind != PS_SLICE_OTHER || start >= callbacks->operator_end || id <= 0 ||
            id > UINT32_MAX || start < sums->time->window.from_ns ||
            start >= sums->time->window.to_ns ||
            !ps_xla_is_frame(ps_trace_text(sums->db, (uint32_t)id)))
            continue;
        open_slice(sums, chunk, i, end, end - start);
    }
    return true;
}

enum ps_status ps_xla_callback_read(struct ps_db *db, const struct ps_xla_time *time,
                                    struct ps_xla_unit *out, struct ps_err *err)
{
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    const struct ps_chunk_query query = {
        .tracks = &tracks,
        .range = PS_RANGE_ALL,
        .columns = UNIT_COLUMNS,
    };
    struct callbacks callbacks = {.sums = {.db = db, .time = time}};

    *out = (struct ps_xla_unit){.name = 0};
    if (ps_xla_worker_tracks(db, time->worker, &tracks, err) == PS_OK &&
        ps_trace_each_chunk(db, &query, visit_callbacks, &callbacks, err) == PS_OK) {
        const struct ps_xla_unit most = most_covering(&callbacks.sums);

        *out = innermost(&callbacks.sums, COVERS_NEARLY * (double)most.ns, most.calls, false);
    }
    free_sums(&callbacks.sums);
    return err->code;
}

enum ps_status ps_xla_outside_read(struct ps_db *db, const struct ps_xla_time *time,
                                   struct ps_xla_unit *unit, struct ps_xla_unit *callee,
                                   struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track = time->main_track,
        .range = PS_RANGE_ALL,
        .columns = UNIT_COLUMNS,
    };
    struct sums sums = {.db = db, .time = time};
    const double outside = (double)time->part_ns[PS_XLA_OUTSIDE];

    *unit = *callee = (struct ps_xla_unit){.name = 0};
    if (time->main_track && ps_trace_each_chunk(db, &query, visit, &sums, err) == PS_OK) {
        const double most_ns = (double)most_covering(&sums).ns;

        if (most_ns >= COVERS_MOST * outside) {
            *unit = innermost(&sums, COVERS_NEARLY * most_ns, INT64_MAX, false);
            *callee = innermost(&sums, COVERS_NEARLY * (double)unit->ns, INT64_MAX, true);
        }
    }
    free_sums(&sums);
    return err->code;
}
