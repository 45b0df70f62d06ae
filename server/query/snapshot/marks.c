/* SPDX-License-Identifier: MIT */
#include "server/query/snapshot/marks.h"
#include "importers/records/snapshot.h"

#include <stdlib.h>

#define MARKS_MAX 20000

void ps_snapshot_marks_free(struct ps_snapshot_marks *marks)
{
    free(marks->items);
    ps_arena_free(&marks->text);
}

static struct ps_snapshot_mark_at *add_mark(struct ps_snapshot_marks *marks, int64_t event)
{
    PS_RESERVE_ONE(marks->items, marks->n, marks->cap);
    marks->items[marks->n] =
        (struct ps_snapshot_mark_at){.event = event, .end = -1, .start_us = -1, .end_us = -1};
    return &marks->items[marks->n++];
}

/* Adds the failed allocations and the snapshots among the events of one chunk. */
static void find_event_marks(struct ps_snapshot_rows *events, size_t chunk,
                             struct ps_snapshot_marks *marks, struct ps_err *err)
{
    const int64_t *action = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_ACTION, err);

    for (size_t i = 0; action && i < events->chunks[chunk].n; i++) {
        const int64_t *index, *bytes, *address;
        struct ps_snapshot_mark_at *mark;

        if (action[i] < PS_SNAPSHOT_TAKEN)
            continue;
        if (marks->n >= MARKS_MAX) {
            marks->n_omitted++;
            continue;
        }
        index = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_INDEX, err);
        bytes = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_BYTES, err);
        address = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_ADDRESS, err);
        if (!index || !bytes || !address)
            return;
        mark = add_mark(marks, index[i]);
        mark->kind = action[i] == PS_SNAPSHOT_OOM ? PS_SNAPSHOT_MARK_OOM : PS_SNAPSHOT_MARK_TAKEN;
        mark->bytes = bytes[i];
        mark->free_bytes = address[i];
    }
}

/* Reads the annotations of a device. An END belongs to the last START with its name that has no
 * END. */
static enum ps_status read_annotations(struct ps_db *db,
                                       const struct ps_snapshot_device_row *device, bool has_times,
                                       struct ps_snapshot_marks *marks, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) uint32_t *open = NULL; /* [text]: index + 1 of the last open mark */
    size_t n_open = 0, rows = 0;

    ps_db_prepare(db, ps_query_sql("snapshot_marks"), &stmt, err);
    ps_bind_int(stmt, ":device", device->number);
    while (ps_stmt_step(stmt, err)) {
        int64_t t_us = ps_col_int(stmt, 0), text = ps_col_int(stmt, 1);
        bool is_end = ps_col_int(stmt, 3) != 0;
        struct ps_snapshot_mark_at *mark;

        if (!ps_id_is_plausible(text, ++rows))
            return ps_snapshot_fail_damaged(err, "an annotation");
        if (!has_times || t_us < 0) {
            marks->n_without_place += !is_end;
            continue;
        }
        open = ps_grow_to(open, &n_open, (size_t)text, sizeof *open);
        if (is_end) {
            if (!open[text])
                continue;
            mark = &marks->items[open[text] - 1];
            open[text] =
                (uint32_t)mark->end; /* the mark that was open before, while it has no END */
            mark->end_us = t_us;
            mark->end = -1;
            continue;
        }
        if (marks->n >= MARKS_MAX) {
            marks->n_omitted++;
            continue;
        }
        mark = add_mark(marks, -1);
        mark->kind = PS_SNAPSHOT_MARK_ANNOTATION;
        mark->text = (uint32_t)text;
        mark->start_us = t_us;
        mark->name = ps_arena_copy(&marks->text, ps_col_text(stmt, 2));
        mark->end = open[text];
        open[text] = (uint32_t)marks->n;
    }
    for (size_t i = 0; i < marks->n; i++)
        if (marks->items[i].kind == PS_SNAPSHOT_MARK_ANNOTATION)
            marks->items[i].end = -1;
    return err->code;
}

/* A time that is to be placed among the events. */
struct placement {
    int64_t t_us;
    int64_t *event; /* gets the first event at or after this time */
};

static int by_time(const void *a, const void *b)
{
    const struct placement *x = a, *y = b;

    return (x->t_us > y->t_us) - (x->t_us < y->t_us);
}

/* Places the times of annotations among the events. The wall clock of a trace may step back: an
 * event counts as not earlier than the events before it. */
static enum ps_status place_annotations(struct ps_snapshot_rows *events,
                                        const struct ps_snapshot_device_row *device,
                                        struct ps_snapshot_marks *marks, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr)
    struct placement *list = ps_alloc_array(2 * marks->n + 1, sizeof *list);
    size_t n = 0, next = 0;
    int64_t latest = INT64_MIN;

    for (size_t i = 0; i < marks->n; i++) {
        struct ps_snapshot_mark_at *mark = &marks->items[i];

        if (mark->kind != PS_SNAPSHOT_MARK_ANNOTATION)
            continue;
        list[n++] = (struct placement){mark->start_us, &mark->event};
        if (mark->end_us >= 0)
            list[n++] = (struct placement){mark->end_us, &mark->end};
    }
    qsort(list, n, sizeof *list, by_time);
    for (size_t c = 0; c < events->n_chunks && next < n; c++) {
        const int64_t *t = ps_snapshot_column(events, c, PS_SNAPSHOT_EVENT_T, err);
        const int64_t *index = ps_snapshot_column(events, c, PS_SNAPSHOT_EVENT_INDEX, err);

        if (!t || !index)
            return err->code;
        for (size_t i = 0; i < events->chunks[c].n && next < n; i++) {
            latest = t[i] > latest ? t[i] : latest;
            while (next < n && list[next].t_us <= latest)
                *list[next++].event = index[i];
        }
    }
    while (next < n)
        *list[next++].event = device->events;
    return err->code;
}

static int by_event(const void *a, const void *b)
{
    const struct ps_snapshot_mark_at *x = a, *y = b;

    if (x->event != y->event)
        return x->event > y->event ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind > y->kind ? 1 : -1;
    return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

enum ps_status ps_snapshot_marks_read(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                      struct ps_snapshot_marks *out, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    bool has_times;

    *out = (struct ps_snapshot_marks){.items = NULL};
    ps_snapshot_has_times(db, device, &has_times, err);
    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, device->id, &events, err);
    for (size_t c = 0; c < events.n_chunks && err->code == PS_OK; c++)
        find_event_marks(&events, c, out, err);
    read_annotations(db, device, has_times, out, err);
    place_annotations(&events, device, out, err);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_event);
    return err->code;
}
