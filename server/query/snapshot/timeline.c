/* SPDX-License-Identifier: MIT */
/*
 * timeline.c: the view snapshot/timeline: the live bytes of a range of events in columns.
 *
 * Each column shows one event, the one with the most live bytes that it covers. These events ascend
 * from column to column, so the columns in which an allocation is live are neighbours: it adds its
 * bytes to a difference array, at the first such column and behind the last. One pass over the
 * events and one over the allocations suffice for any number of groups.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "server/query/snapshot/snapshot.h"
#include "slices/slices.h"

#define COLUMNS_MAX         4096
#define COLUMNS_DEFAULT     1024
#define CATEGORY_EVENTS_MAX (INT64_C(64) << 20) /* 256 MiB of categories */

enum by { BY_STACK, BY_CATEGORY, BY_STREAM, BY_POOL, N_BY };
static const char *const by_names[N_BY] = {"stack", "category", "stream", "pool"};

struct state {
    int64_t event, t_us, live, reserved;
};

struct column {
    struct state
        shown;         /* of the event that the column shows; reserved: maximum of all its events */
    struct state last; /* of its last event */
    bool has_events;
};

/* A set of allocations with a band of its own, or all others. */
struct part {
    int64_t key;   /* other than BY_STACK: stream, pool or category */
    int64_t bytes; /* live at the peak */
};

struct timeline {
    struct ps_snapshot_device_row device;
    int64_t from, to;
    bool by_time;
    int64_t from_us, to_us;   /* first and latest time of the range; -1: unknown */
    double columns_per_event; /* unless by_time */
    struct column *columns;
    size_t n_columns;
    enum by by;
    const struct ps_snapshot_stacks *stacks; /* BY_STACK */
    struct ps_snapshot_groups groups;        /* BY_STACK */
    struct part *keys;                       /* other than BY_STACK: all keys live at the peak */
    size_t n_keys, cap_keys;
    struct ps_hash_table key_ids;
    uint32_t *categories; /* BY_CATEGORY: [event]; NULL: no event has one */
    size_t n_parts;
    /* [part * (n_columns + 1) + column]: difference to the column before, then the sum */
    int64_t *parts;
};

static void timeline_free(struct timeline *t)
{
    free(t->columns);
    ps_snapshot_groups_free(&t->groups);
    free(t->keys);
    ps_hash_table_free(&t->key_ids);
    free(t->categories);
    free(t->parts);
}

/* --- Columns --- */

static size_t column_of_event(const struct timeline *t, int64_t event)
{
    return (size_t)((event - t->from) * (int64_t)t->n_columns / (t->to - t->from));
}

static size_t column_of_time(const struct timeline *t, int64_t t_us)
{
    int64_t offset = t_us - t->from_us, width = t->to_us - t->from_us + 1;
    __extension__ __int128 product = (__int128)offset * (int64_t)t->n_columns;

    if (product <= INT64_MAX) /* a much faster division */
        return (size_t)((int64_t)product / width);
    return (size_t)(product / width);
}

/* Reads the times of the first and the last event of the range. An event counts as not earlier than
 * the events before it. */
static enum ps_status read_times(struct timeline *t, struct ps_snapshot_rows *events,
                                 struct ps_err *err)
{
    t->from_us = t->to_us = -1;
    for (size_t c = 0; c < events->n_chunks; c++) {
        const int64_t *index, *us;

        if (events->chunks[c].first >= t->to || events->chunks[c].last < t->from)
            continue;
        index = ps_snapshot_column(events, c, PS_SNAPSHOT_EVENT_INDEX, err);
        us = ps_snapshot_column(events, c, PS_SNAPSHOT_EVENT_T, err);
        if (!index || !us)
            return err->code;
        for (size_t i = 0; i < events->chunks[c].n; i++) {
            if (index[i] < t->from || index[i] >= t->to)
                continue;
            if (us[i] > INT64_MAX / 2)
                return ps_snapshot_fail_damaged(err, "a time");
            if (us[i] < 0)
                return ps_fail(err, PS_BAD_REQUEST,
                               "x=time: not all events of GPU %lld have a time",
                               (long long)t->device.number);
            t->from_us = t->from_us < 0 ? us[i] : t->from_us;
            t->to_us = us[i] > t->to_us ? us[i] : t->to_us;
        }
    }
    if (t->from_us < 0 && err->code == PS_OK) /* the importer rejected the events of the range */
        return ps_fail(err, PS_BAD_REQUEST, "x=time: GPU %lld has no event here",
                       (long long)t->device.number);
    return err->code;
}

static enum ps_status add_events(struct timeline *t, struct ps_snapshot_rows *events, size_t chunk,
                                 struct state *last, struct ps_err *err)
{
    const int64_t *index = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_INDEX, err);
    const int64_t *live = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_LIVE, err);
    const int64_t *reserved = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_RESERVED, err);
    const int64_t *us = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_T, err);
    int64_t latest_us = last->t_us, next = INT64_MIN; /* where the next column begins */
    struct column *column = NULL;

    if (!index || !live || !reserved || !us)
        return err->code;
    for (size_t i = 0; i < events->chunks[chunk].n; i++) {
        struct state state = {index[i], us[i], ps_snapshot_add(t->device.live_before, live[i]),
                              ps_snapshot_add(t->device.reserved_before, reserved[i])};
        int64_t max_reserved;

        if (index[i] < t->from || index[i] >= t->to)
            continue;
        if (index[i] <= last->event)
            return ps_snapshot_fail_damaged(err, "the order of events");
        latest_us = us[i] > latest_us ? us[i] : latest_us;
        t->from_us = t->from_us < 0 ? us[i] : t->from_us;
        if (t->by_time) {
            column = &t->columns[column_of_time(t, latest_us)];
        } else if (index[i] >= next) {
            size_t c = column_of_event(t, index[i]);

            column = &t->columns[c];
            next = t->from + ((int64_t)c + 1) * (t->to - t->from) / (int64_t)t->n_columns;
        }
        max_reserved = column->has_events && column->shown.reserved > state.reserved
                           ? column->shown.reserved
                           : state.reserved;
        if (!column->has_events || state.live > column->shown.live)
            column->shown = state;
        column->shown.reserved = max_reserved;
        column->last = *last = state;
        column->has_events = true;
    }
    last->t_us = latest_us;
    if (!t->by_time) /* else it is the width of the columns, read before */
        t->to_us = latest_us;
    return err->code;
}

/* A column without events shows the state that the columns before it left. */
static enum ps_status fill_columns(struct ps_db *db, struct timeline *t, struct ps_err *err)
{
    struct state before = {.event = t->from - 1, .t_us = -1};

    ps_snapshot_bytes_at(db, &t->device, t->from - 1, &before.live, &before.reserved, err);
    for (size_t c = 0; c < t->n_columns; c++) {
        if (!t->columns[c].has_events)
            t->columns[c].shown = t->columns[c].last = before;
        before = t->columns[c].last;
    }
    return err->code;
}

static enum ps_status read_columns(struct ps_db *db, struct timeline *t, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    struct state last = {.event = t->from - 1, .t_us = -1};

    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, t->device.id, &events, err);
    if (err->code != PS_OK || (t->by_time && read_times(t, &events, err) != PS_OK))
        return err->code;
    for (size_t c = 0; c < events.n_chunks && err->code == PS_OK; c++)
        if (events.chunks[c].first < t->to && events.chunks[c].last >= t->from)
            add_events(t, &events, c, &last, err);
    return fill_columns(db, t, err);
}

/* --- Parts --- */

static bool has_key(const void *items, uint32_t index, const void *key)
{
    return ((const struct part *)items)[index].key == *(const int64_t *)key;
}

static int64_t key_of(const struct timeline *t, int64_t start, int64_t stream, int64_t pool)
{
    if (t->by == BY_STREAM)
        return stream;
    if (t->by == BY_POOL)
        return pool;
    return t->categories && start >= 0 && start < t->device.events ? t->categories[start] : 0;
}

static bool add_to_keys(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct timeline *t = user;
    int64_t key = key_of(t, row->start, row->stream, row->pool);
    uint32_t at = ps_hash_table_add(&t->key_ids, ps_hash_u64((uint64_t)key), (uint32_t)t->n_keys,
                                    has_key, t->keys, &key);

    if (at == t->n_keys) {
        PS_RESERVE_ONE(t->keys, t->n_keys, t->cap_keys);
        t->keys[t->n_keys++] = (struct part){.key = key};
    }
    t->keys[at].bytes = ps_snapshot_add(t->keys[at].bytes, row->bytes);
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Reads the category of each event. Most snapshots have none. */
static enum ps_status read_categories(struct ps_db *db, struct timeline *t, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};

    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, t->device.id, &events, err);
    for (size_t c = 0; c < events.n_chunks && err->code == PS_OK; c++) {
        const int64_t *category = ps_snapshot_column(&events, c, PS_SNAPSHOT_EVENT_CATEGORY, err);
        const int64_t *index = NULL;

        for (size_t i = 0; category && i < events.chunks[c].n; i++) {
            if (!category[i])
                continue;
            if (!index && !(index = ps_snapshot_column(&events, c, PS_SNAPSHOT_EVENT_INDEX, err)))
                return err->code;
            if (!t->categories && t->device.events <= CATEGORY_EVENTS_MAX)
                t->categories =
                    ps_try_alloc_array((size_t)t->device.events + 1, sizeof *t->categories);
            if (!t->categories)
                return ps_fail(err, PS_LIMIT, "the trace is too long for by=category");
            if (index[i] >= 0 && index[i] < t->device.events && category[i] > 0 &&
                category[i] <= UINT32_MAX)
                t->categories[index[i]] = (uint32_t)category[i];
        }
    }
    return err->code;
}

/* Finds the six largest keys at the peak: they are parts, all others are the last part. */
static enum ps_status find_parts(struct ps_db *db, struct timeline *t, struct ps_err *err)
{
    if (t->by == BY_STACK) {
        t->n_parts = PS_SNAPSHOT_N_GROUPS;
        return ps_snapshot_groups_read(db, &t->device, t->stacks, &t->groups, err);
    }
    if (t->by == BY_CATEGORY && read_categories(db, t, err) != PS_OK)
        return err->code;
    ps_snapshot_each_live(db, t->device.id, t->device.peak_event, add_to_keys, t, err);
    if (t->n_keys)
        qsort(t->keys, t->n_keys, sizeof *t->keys, by_bytes);
    t->n_keys = t->n_keys < PS_SNAPSHOT_GROUPS ? t->n_keys : PS_SNAPSHOT_GROUPS;
    t->n_parts = t->n_keys + 1;
    return err->code;
}

static size_t part_of(const struct timeline *t, int64_t start, int64_t stream_or_pool,
                      int64_t stack, int64_t flags)
{
    size_t part = 0;

    if (t->by == BY_STACK)
        return t->groups.of_node[ps_snapshot_node(t->stacks, PS_SNAPSHOT_PYTHON, stack, flags)];
    while (part < t->n_keys &&
           t->keys[part].key != key_of(t, start, stream_or_pool, stream_or_pool))
        part++;
    return part;
}

/* Whether all columns before column c show events before `event`, and the others do not. */
static bool is_first_column_from(const struct timeline *t, size_t c, int64_t event)
{
    return (c == 0 || t->columns[c - 1].shown.event < event) &&
           (c == t->n_columns || t->columns[c].shown.event >= event);
}

/* Returns the first column that shows an event at or after `event`. */
static size_t first_column_from(const struct timeline *t, int64_t event)
{
    size_t low = 0, high = t->n_columns;

    if (event <= t->columns[0].shown.event)
        return 0;
    if (event > t->columns[high - 1].shown.event)
        return high;
    if (!t->by_time) { /* a guess without a division, which is wrong by at most one */
        size_t c = (size_t)((double)(event - t->from) * t->columns_per_event);

        if (is_first_column_from(t, c, event))
            return c;
        if (c < high && is_first_column_from(t, c + 1, event))
            return c + 1;
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (t->columns[mid].shown.event >= event)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static enum ps_status add_allocations(struct timeline *t, struct ps_snapshot_rows *rows,
                                      size_t chunk, struct ps_err *err)
{
    const int64_t *start = ps_snapshot_column(rows, chunk, PS_ALLOCATION_START, err);
    const int64_t *end = ps_snapshot_column(rows, chunk, PS_ALLOCATION_END, err);
    const int64_t *bytes = ps_snapshot_column(rows, chunk, PS_ALLOCATION_BYTES, err);
    const int64_t *stack = ps_snapshot_column(rows, chunk, PS_ALLOCATION_STACK, err);
    const int64_t *flags = ps_snapshot_column(rows, chunk, PS_ALLOCATION_FLAGS, err);
    const int64_t *other =
        t->by == BY_STACK
            ? stack
            : ps_snapshot_column(rows, chunk,
                                 t->by == BY_POOL ? PS_ALLOCATION_POOL : PS_ALLOCATION_STREAM, err);

    if (!start || !end || !bytes || !stack || !flags || !other)
        return err->code;
    for (size_t i = 0; i < rows->chunks[chunk].n; i++) {
        size_t first = first_column_from(t, start[i]), last = first_column_from(t, end[i]);
        int64_t *part;

        if (first >= last)
            continue;
        part = t->parts + part_of(t, start[i], other[i], stack[i], flags[i]) * (t->n_columns + 1);
        part[first] = ps_snapshot_add(part[first], bytes[i]);
        part[last] = (int64_t)((uint64_t)part[last] - (uint64_t)bytes[i]);
    }
    return err->code;
}

static enum ps_status read_parts(struct ps_db *db, struct timeline *t, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows rows = {.db = NULL};

    t->parts = ps_alloc_array(t->n_parts * (t->n_columns + 1), sizeof *t->parts);
    if (!t->n_columns)
        return err->code;
    ps_snapshot_rows_open(db, PS_PACKED_ALLOCATIONS, t->device.id, &rows, err);
    for (size_t c = 0; c < rows.n_chunks && err->code == PS_OK; c++)
        if (rows.chunks[c].first < t->to && rows.chunks[c].last >= t->from)
            add_allocations(t, &rows, c, err);
    for (size_t p = 0; p < t->n_parts; p++)
        for (size_t c = 1; c <= t->n_columns; c++) {
            int64_t *part = t->parts + p * (t->n_columns + 1);

            part[c] = ps_snapshot_add(part[c], part[c - 1]);
        }
    return err->code;
}

/* --- The answer --- */

static enum ps_status append_key_name(struct ps_db *db, const struct timeline *t, int64_t key,
                                      struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (t->by == BY_STREAM) {
        ps_buf_printf(out, "stream %lld", (long long)key);
        return err->code;
    }
    if (key == 0) {
        ps_buf_puts(out, t->by == BY_POOL ? "default pool" : "no category");
        return err->code;
    }
    ps_db_prepare(db, ps_query_sql(t->by == BY_POOL ? "snapshot_pool" : "snapshot_text"), &stmt,
                  err);
    ps_bind_int(stmt, ":id", key);
    if (!ps_stmt_step(stmt, err))
        return ps_snapshot_fail_damaged(err, "a pool or a category");
    if (t->by == BY_POOL)
        ps_buf_printf(out, "pool %lld,%lld", (long long)ps_col_int(stmt, 0),
                      (long long)ps_col_int(stmt, 1));
    else
        ps_buf_add_str(out, ps_col_text(stmt, 0));
    return err->code;
}

static enum ps_status write_names(struct ps_db *db, const struct timeline *t, struct ps_json *json,
                                  struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_json_key(json, "names");
    ps_json_array(json);
    for (size_t p = 0; p < t->n_parts && err->code == PS_OK; p++) {
        name.len = 0;
        if (p + 1 == t->n_parts)
            ps_buf_puts(&name, t->by == BY_STACK ? "other stacks" : "other");
        else if (t->by != BY_STACK)
            append_key_name(db, t, t->keys[p].key, &name, err);
        else if (p == 0)
            ps_buf_puts(&name, "no Python stack");
        else if (p <= t->groups.n)
            ps_snapshot_append_name(
                &t->stacks->frames[t->stacks->trees[PS_SNAPSHOT_PYTHON].frame[t->groups.node[p]]],
                &name);
        ps_json_str(json, name.ptr ? ps_buf_slice(&name) : PS_STR(""));
    }
    ps_json_end(json);
    return err->code;
}

static void write_column(const struct timeline *t, const char *key, size_t offset, bool null,
                         struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t c = 0; c < t->n_columns; c++) {
        int64_t value;

        memcpy(&value, (const char *)&t->columns[c].shown + offset, sizeof value);
        if (null && value < 0)
            ps_json_null(json);
        else
            ps_json_int(json, value);
    }
    ps_json_end(json);
}

static enum ps_status write_timeline(struct ps_db *db, const struct timeline *t,
                                     struct ps_json *json, struct ps_err *err)
{
    ps_json_object(json);
    ps_json_key_int(json, "device", t->device.number);
    ps_json_key_int(json, "from", t->from);
    ps_json_key_int(json, "to", t->to);
    ps_json_key_int(json, "columns", (int64_t)t->n_columns);
    ps_json_key_str(json, "x", t->by_time ? "time" : "event");
    ps_json_key_int_or_null(json, "from_us", t->from_us, t->from_us >= 0);
    ps_json_key_int_or_null(json, "to_us", t->to_us, t->from_us >= 0);
    ps_json_key_str(json, "by", by_names[t->by]);
    write_names(db, t, json, err);
    write_column(t, "event", offsetof(struct state, event), false, json);
    write_column(t, "t_us", offsetof(struct state, t_us), true, json);
    write_column(t, "reserved", offsetof(struct state, reserved), false, json);
    write_column(t, "live", offsetof(struct state, live), false, json);
    ps_json_key(json, "parts");
    ps_json_array(json);
    for (size_t p = 0; p < t->n_parts; p++) {
        ps_json_array(json);
        for (size_t c = 0; c < t->n_columns; c++)
            ps_json_int(json, t->parts[p * (t->n_columns + 1) + c]);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}

static enum ps_status param_word(struct ps_params params, const char *key, const char *const *words,
                                 size_t n, size_t *out, struct ps_err *err)
{
    const char *word = ps_param_get(params, key);

    *out = 0;
    if (err->code != PS_OK || !word || !word[0])
        return err->code;
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = i;
            return PS_OK;
        }
    return ps_fail(err, PS_BAD_REQUEST, "unknown value of %s: %s", key, word);
}

enum ps_status ps_view_snapshot_timeline(struct ps_db *db, const struct ps_view *view, int64_t id,
                                         struct ps_params params, struct ps_answer *answer,
                                         struct ps_err *err)
{
    static const char *const axes[] = {"event", "time"};
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(timeline_free) struct timeline t = {.from_us = -1, .to_us = -1};
    struct ps_json json = ps_json_writer(&answer->body);
    size_t axis, by;
    int64_t n;

    (void)view, (void)id;
    ps_snapshot_param_device(db, params, &t.device, err);
    ps_snapshot_param_range(&t.device, params, &t.from, &t.to, err);
    ps_param_int(params, "columns", 1, COLUMNS_MAX, COLUMNS_DEFAULT, &n, err);
    param_word(params, "x", axes, sizeof axes / sizeof *axes, &axis, err);
    param_word(params, "by", by_names, N_BY, &by, err);
    if (err->code != PS_OK || ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK)
        return err->code;
    t.by = (enum by)by;
    t.stacks = stacks;
    t.n_columns = (size_t)(n < t.to - t.from ? n : t.to - t.from);
    t.by_time = axis == 1 && t.n_columns > 0;
    t.columns = ps_alloc_array(t.n_columns + 1, sizeof *t.columns);
    t.columns_per_event = t.n_columns ? (double)t.n_columns / (double)(t.to - t.from) : 0;
    read_columns(db, &t, err);
    if (err->code != PS_OK || find_parts(db, &t, err) != PS_OK || read_parts(db, &t, err) != PS_OK)
        return err->code;
    return write_timeline(db, &t, &json, err);
}
