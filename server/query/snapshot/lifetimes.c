/* SPDX-License-Identifier: MIT */
/* lifetimes.c: how long allocations live: the view snapshot/lifetimes, and one allocation. */
#include "server/query/snapshot/lifetimes.h"

#include <stdio.h>
#include <stdlib.h>

#include "importers/records/snapshot.h"
#include "server/query/snapshot/snapshot.h"
#include "slices/slices.h"

#define ROWS_MAX     20000
#define ROWS_DEFAULT 2000
#define FRAMES_MAX   1000 /* of a stack in an answer, from the innermost on */

/* --- The largest allocations of a range --- */

/* A heap of the largest allocations so far; the smallest is the first. */
struct largest {
    struct ps_snapshot_allocation_row *items;
    size_t n, max;
    int64_t n_omitted, omitted_bytes;
};

static bool is_smaller(const struct ps_snapshot_allocation_row *a,
                       const struct ps_snapshot_allocation_row *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->id > b->id;
}

static void swap_rows(struct ps_snapshot_allocation_row *a, struct ps_snapshot_allocation_row *b)
{
    struct ps_snapshot_allocation_row row = *a;

    *a = *b;
    *b = row;
}

static void push_row(struct largest *l, struct ps_snapshot_allocation_row row)
{
    size_t i;

    if (l->n == l->max) { /* the row replaces the smallest one, which it is larger than */
        l->omitted_bytes = ps_snapshot_add(l->omitted_bytes, l->items[0].bytes);
        l->n_omitted++;
        l->items[0] = row;
        for (i = 0;;) {
            size_t child = 2 * i + 1;

            if (child + 1 < l->n && is_smaller(&l->items[child + 1], &l->items[child]))
                child++;
            if (child >= l->n || is_smaller(&l->items[i], &l->items[child]))
                return;
            swap_rows(&l->items[i], &l->items[child]);
            i = child;
        }
    }
    i = l->n++;
    l->items[i] = row;
    for (; i && is_smaller(&l->items[i], &l->items[(i - 1) / 2]); i = (i - 1) / 2)
        swap_rows(&l->items[i], &l->items[(i - 1) / 2]);
}

static enum ps_status find_in_chunk(struct ps_snapshot_rows *rows, size_t c, int64_t from,
                                    int64_t to, struct largest *l, struct ps_err *err)
{
    const int64_t *start = ps_snapshot_column(rows, c, PS_ALLOCATION_START, err);
    const int64_t *end = ps_snapshot_column(rows, c, PS_ALLOCATION_END, err);
    const int64_t *bytes = ps_snapshot_column(rows, c, PS_ALLOCATION_BYTES, err);
    const int64_t *address = NULL, *stream = NULL, *pool = NULL, *stack = NULL, *flags = NULL;

    if (!start || !end || !bytes)
        return err->code;
    for (size_t i = 0; i < rows->chunks[c].n; i++) {
        struct ps_snapshot_allocation_row row = {
            .id = ps_snapshot_allocation_id(rows->chunks[c].id, i),
            .start = start[i],
            .end = end[i],
            .bytes = bytes[i]};

        if (start[i] >= to || end[i] <= from)
            continue;
        if (l->n == l->max && (!l->max || !is_smaller(&l->items[0], &row))) {
            l->n_omitted++;
            l->omitted_bytes = ps_snapshot_add(l->omitted_bytes, bytes[i]);
            continue;
        }
        if (!flags) {
            address = ps_snapshot_column(rows, c, PS_ALLOCATION_ADDRESS, err);
            stream = ps_snapshot_column(rows, c, PS_ALLOCATION_STREAM, err);
            pool = ps_snapshot_column(rows, c, PS_ALLOCATION_POOL, err);
            stack = ps_snapshot_column(rows, c, PS_ALLOCATION_STACK, err);
            flags = ps_snapshot_column(rows, c, PS_ALLOCATION_FLAGS, err);
            if (!address || !stream || !pool || !stack || !flags)
                return err->code;
        }
        row.address = address[i];
        row.stream = stream[i];
        row.pool = pool[i];
        row.stack = stack[i];
        row.flags = flags[i];
        push_row(l, row);
    }
    return err->code;
}

static int by_start(const void *a, const void *b)
{
    const struct ps_snapshot_allocation_row *x = a, *y = b;

    if (x->start != y->start)
        return x->start > y->start ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static void write_address(int64_t address, struct ps_json *json)
{
    char text[24];

    (void)snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    ps_json_key_str(json, "address", text);
}

/* Writes the members that lifetimes and allocations have. */
static void write_row(const struct ps_snapshot_stacks *stacks, enum ps_snapshot_stacks_as as,
                      const struct ps_snapshot_groups *groups,
                      const struct ps_snapshot_allocation_row *row, struct ps_json *json)
{
    uint32_t coloured = ps_snapshot_node(stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags);
    uint32_t node = ps_snapshot_node(stacks, as, row->stack, row->flags);

    ps_json_key_int(json, "id", row->id);
    ps_json_key_int(json, "start", row->start);
    ps_json_key_int_or_null(json, "end", row->end, !(row->flags & PS_ALLOCATION_KEPT));
    ps_json_key_int(json, "bytes", row->bytes);
    ps_json_key_int_or_null(json, "stack", stacks->trees[as].stack[node], node);
    ps_json_key_int(json, "group", groups->of_node[coloured]);
    write_address(row->address, json);
    ps_json_key_int(json, "stream", row->stream);
}

enum ps_status ps_view_snapshot_lifetimes(struct ps_db *db, const struct ps_view *view, int64_t id,
                                          struct ps_params params, struct ps_answer *answer,
                                          struct ps_err *err)
{
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows rows = {.db = NULL};
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_snapshot_device_row device;
    struct largest l = {.items = NULL};
    enum ps_snapshot_stacks_as as;
    int64_t from, to, limit;

    (void)view, (void)id;
    ps_snapshot_param_device(db, params, &device, err);
    ps_snapshot_param_stacks_as(params, &as, err);
    ps_snapshot_param_range(&device, params, &from, &to, err);
    ps_param_int(params, "limit", 0, ROWS_MAX, ROWS_DEFAULT, &limit, err);
    if (err->code != PS_OK || ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK ||
        ps_snapshot_groups_read(db, &device, stacks, &groups, err) != PS_OK ||
        ps_snapshot_rows_open(db, PS_PACKED_ALLOCATIONS, device.id, &rows, err) != PS_OK)
        return err->code;
    if (to == 0) { /* no trace: what is live at the end was always live */
        from = -1;
        to = 0;
    }
    l.max = (size_t)limit;
    l.items = ps_alloc_array(l.max + 1, sizeof *l.items);
    for (size_t c = 0; c < rows.n_chunks && err->code == PS_OK; c++)
        if (rows.chunks[c].first < to && rows.chunks[c].last > from)
            find_in_chunk(&rows, c, from, to, &l, err);
    qsort(l.items, l.n, sizeof *l.items, by_start);
    ps_json_object(&json);
    ps_json_key_int(&json, "device", device.number);
    ps_json_key_int(&json, "from", from);
    ps_json_key_int(&json, "to", to);
    ps_json_key(&json, "allocations");
    ps_json_array(&json);
    for (size_t i = 0; i < l.n; i++) {
        ps_json_object(&json);
        write_row(stacks, as, &groups, &l.items[i], &json);
        ps_json_end(&json);
    }
    ps_json_end(&json);
    ps_json_key(&json, "omitted");
    ps_json_object(&json);
    ps_json_key_int(&json, "count", l.n_omitted);
    ps_json_key_int(&json, "bytes", l.omitted_bytes);
    ps_json_end(&json);
    ps_json_end(&json);
    free(l.items);
    return err->code;
}

/* --- One allocation --- */

/* Writes all frames of a stack, the innermost first. */
static void write_frames(const struct ps_snapshot_stacks *stacks, const char *key, int64_t stack,
                         struct ps_json *json)
{
    uint32_t at = stack > 0 && (uint64_t)stack <= stacks->n_stacks ? (uint32_t)stack : 0;

    ps_json_key(json, key);
    ps_json_array(json);
    for (int n = 0; at && n < FRAMES_MAX; n++, at = stacks->parent[at]) {
        const struct ps_snapshot_frame_row *frame = &stacks->frames[stacks->frame[at]];

        ps_json_object(json);
        ps_snapshot_write_frame(ps_snapshot_frame(stacks, stacks->frame[at]), json);
        ps_json_key_bool(json, "hidden", frame->is_hidden);
        ps_json_key_bool(json, "plumbing", !frame->is_python || frame->is_plumbing);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static enum ps_status write_text(struct ps_db *db, const char *key, int64_t text,
                                 struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_json_key(json, key);
    ps_db_prepare(db, ps_query_sql("snapshot_text"), &stmt, err);
    ps_bind_int(stmt, ":id", text);
    ps_json_str(json, text > 0 && ps_stmt_step(stmt, err) ? ps_col_text(stmt, 0)
                                                          : (struct ps_str){NULL, 0});
    return err->code;
}

/* Writes the texts of the event at which the allocation began, and the stack of its free. */
static enum ps_status write_events(struct ps_db *db, const struct ps_snapshot_stacks *stacks,
                                   int64_t device, const struct ps_snapshot_allocation_row *row,
                                   struct ps_json *json, struct ps_err *err)
{
    static const char *const keys[] = {"context", "user_metadata", "category"};
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    bool is_known;
    size_t chunk, i;

    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, device, &events, err);
    is_known = row->start >= 0 && ps_snapshot_find_event(&events, row->start, &chunk, &i, err);
    for (unsigned k = 0; k < 3 && err->code == PS_OK; k++) {
        const int64_t *text =
            is_known ? ps_snapshot_column(&events, chunk, PS_SNAPSHOT_EVENT_CONTEXT + k, err)
                     : NULL;

        write_text(db, keys[k], text ? text[i] : 0, json, err);
    }
    if (err->code == PS_OK && !(row->flags & PS_ALLOCATION_KEPT) &&
        ps_snapshot_find_event(&events, row->end, &chunk, &i, err)) {
        const int64_t *stack = ps_snapshot_column(&events, chunk, PS_SNAPSHOT_EVENT_STACK, err);

        write_frames(stacks, "free_frames", stack ? stack[i] : 0, json);
    } else {
        write_frames(stacks, "free_frames", 0, json);
    }
    return err->code;
}

/* Reads an allocation by its id. PS_BAD_REQUEST: there is none. */
static enum ps_status read_allocation(struct ps_snapshot_rows *rows, int64_t id,
                                      int64_t out[PS_N_ALLOCATION_COLUMNS], struct ps_err *err)
{
    size_t i = (size_t)(id % PS_CHUNK_ROWS), c = 0;

    while (c < rows->n_chunks && rows->chunks[c].id != id / PS_CHUNK_ROWS)
        c++;
    if (err->code != PS_OK || c == rows->n_chunks || i >= rows->chunks[c].n)
        return err->code != PS_OK
                   ? err->code
                   : ps_fail(err, PS_BAD_REQUEST, "the GPU has no allocation with this id");
    for (unsigned column = 0; column < PS_N_ALLOCATION_COLUMNS; column++) {
        const int64_t *values = ps_snapshot_column(rows, c, column, err);

        if (!values)
            return err->code;
        out[column] = values[i];
    }
    return err->code;
}

enum ps_status ps_view_snapshot_allocation(struct ps_db *db, const struct ps_view *view, int64_t id,
                                           struct ps_params params, struct ps_answer *answer,
                                           struct ps_err *err)
{
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows rows = {.db = NULL};
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t values[PS_N_ALLOCATION_COLUMNS], allocation;
    struct ps_snapshot_device_row device;
    struct ps_snapshot_allocation_row row;
    enum ps_snapshot_stacks_as as;

    (void)view, (void)id;
    ps_snapshot_param_device(db, params, &device, err);
    ps_snapshot_param_stacks_as(params, &as, err);
    ps_param_int(params, "id", 0, INT64_MAX, 0, &allocation, err);
    if (err->code != PS_OK || ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK ||
        ps_snapshot_groups_read(db, &device, stacks, &groups, err) != PS_OK ||
        ps_snapshot_rows_open(db, PS_PACKED_ALLOCATIONS, device.id, &rows, err) != PS_OK ||
        read_allocation(&rows, allocation, values, err) != PS_OK)
        return err->code;
    row = (struct ps_snapshot_allocation_row){.id = allocation,
                                              .start = values[PS_ALLOCATION_START],
                                              .end = values[PS_ALLOCATION_END],
                                              .address = values[PS_ALLOCATION_ADDRESS],
                                              .bytes = values[PS_ALLOCATION_BYTES],
                                              .stream = values[PS_ALLOCATION_STREAM],
                                              .pool = values[PS_ALLOCATION_POOL],
                                              .stack = values[PS_ALLOCATION_STACK],
                                              .flags = values[PS_ALLOCATION_FLAGS]};
    ps_json_object(&json);
    ps_json_key_int(&json, "device", device.number);
    write_row(stacks, as, &groups, &row, &json);
    ps_json_key_int_or_null(&json, "start_us", values[PS_ALLOCATION_START_US],
                            values[PS_ALLOCATION_START_US] >= 0);
    ps_json_key_int_or_null(&json, "end_us", values[PS_ALLOCATION_END_US],
                            values[PS_ALLOCATION_END_US] >= 0);
    ps_json_key_bool(&json, "before", row.flags & PS_ALLOCATION_BEFORE);
    ps_json_key_bool(&json, "kept", row.flags & PS_ALLOCATION_KEPT);
    ps_json_key_bool(&json, "waits", row.flags & PS_ALLOCATION_PENDING);
    write_frames(
        stacks, "frames",
        (row.flags & PS_ALLOCATION_BEFORE) && !(row.flags & PS_ALLOCATION_KEPT) ? 0 : row.stack,
        &json);
    write_events(db, stacks, device.id, &row, &json, err);
    ps_json_end(&json);
    return err->code;
}
