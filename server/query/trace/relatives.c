/* SPDX-License-Identifier: MIT */
#include "server/query/trace/relatives.h"

#include <stdlib.h>

#define PARENTS_MAX 4096   /* number of ancestors to write */
#define LOOK_BACK   100000 /* ns of the first search for the previous slice */

static uint32_t row_of(int64_t id)
{
    return (uint32_t)(id & UINT32_MAX);
}

bool ps_kin_has(const struct ps_kin *kin, int64_t id)
{
    return id >= kin->id && (uint64_t)(id - kin->id) < kin->n_below && kin->below[id - kin->id];
}

void ps_kin_free(struct ps_kin *kin)
{
    free(kin->below);
    kin->below = NULL;
}

static void add_child(struct ps_kin *kin, struct ps_kin_child child)
{
    size_t at = kin->n_children < PS_KIN_CHILDREN ? kin->n_children++ : PS_KIN_CHILDREN;

    kin->children_total++;
    for (; at > 0 && kin->children[at - 1].duration_ns < child.duration_ns; at--)
        if (at < PS_KIN_CHILDREN)
            kin->children[at] = kin->children[at - 1];
    if (at < PS_KIN_CHILDREN)
        kin->children[at] = child;
}

static void mark(struct ps_kin *kin, bool below)
{
    PS_PUSH_ROOM(kin->below, kin->n_below, kin->below_cap);
    kin->below[kin->n_below++] = below;
}

/* Marks descendants and collects children. Rows arrive in order, parents before children. */
static bool add_below(void *user, const struct ps_chunk *chunk)
{
    struct ps_kin *kin = user;
    uint32_t own = row_of(kin->id);
    uint64_t at = own + kin->n_below; /* the next row to mark */
    uint32_t i = at < chunk->first ? chunk->n : (uint32_t)(at - chunk->first);

    for (; i < chunk->n; i++) {
        int64_t back = ps_chunk_at(chunk, PS_COL_PARENT, i);
        int64_t start = ps_chunk_at(chunk, PS_COL_START, i);
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);

        if (start > kin->end_ns)
            return false;
        mark(kin, id == kin->id || (back > 0 && ps_kin_has(kin, id - back)));
        if (back > 0 && id - back == kin->id)
            add_child(kin, (struct ps_kin_child){id, ps_chunk_at(chunk, PS_COL_NAME, i), start,
                                                 ps_chunk_at(chunk, PS_COL_DURATION, i)});
    }
    return true;
}

static bool find_next(void *user, const struct ps_chunk *chunk)
{
    struct ps_kin *kin = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);

        if (id > kin->id && ps_chunk_at(chunk, PS_COL_DEPTH, i) == kin->depth) {
            kin->next = id;
            return false;
        }
    }
    return true;
}

static bool find_previous(void *user, const struct ps_chunk *chunk)
{
    struct ps_kin *kin = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);

        if (id >= kin->id)
            return false;
        if (ps_chunk_at(chunk, PS_COL_DEPTH, i) == kin->depth)
            kin->previous = id;
    }
    return true;
}

/* Finds the previous slice. Chunks can only be read forward, so it reads four times as far back
 * each time until there is a slice. */
static enum ps_status look_back(struct ps_db *db, struct ps_chunk_query *query, struct ps_kin *kin,
                                struct ps_err *err)
{
    enum ps_status status = PS_OK;
    bool all = row_of(kin->id) == 0;

    query->columns = PS_COL_BIT(PS_COL_DEPTH);
    for (int64_t far = LOOK_BACK; !all && !kin->previous && status == PS_OK; far *= 4) {
        all = far > INT64_MAX / 8 || kin->start_ns - far < 0;
        query->range =
            (struct ps_range){all ? INT64_MIN : kin->start_ns - far, ps_end_ns(kin->start_ns, 1)};
        status = ps_trace_chunks(db, query, find_previous, kin, err);
    }
    return status;
}

enum ps_status ps_kin_find(struct ps_db *db, int64_t id, const int64_t v[PS_N_SLICE_COLUMNS],
                           struct ps_kin *kin, struct ps_err *err)
{
    struct ps_chunk_query query = {.track = (uint32_t)(id >> 32),
                                   .starting = true,
                                   .columns = PS_KIN_COLUMNS | PS_COL_BIT(PS_COL_PARENT)};
    enum ps_status status;

    *kin = (struct ps_kin){.id = id,
                           .start_ns = v[PS_COL_START],
                           .end_ns = ps_end_ns(v[PS_COL_START], v[PS_COL_DURATION]),
                           .depth = v[PS_COL_DEPTH],
                           .parent = v[PS_COL_PARENT] > 0 ? id - v[PS_COL_PARENT] : 0};
    query.range = (struct ps_range){kin->start_ns, ps_end_ns(kin->end_ns, 1)};
    status = ps_trace_chunks(db, &query, add_below, kin, err);
    query.columns = PS_COL_BIT(PS_COL_DEPTH);
    query.range = (struct ps_range){kin->start_ns, INT64_MAX};
    if (status == PS_OK)
        status = ps_trace_chunks(db, &query, find_next, kin, err);
    return status == PS_OK ? look_back(db, &query, kin, err) : status;
}

static void write_relative(struct ps_db *db, int64_t id, int64_t name, int64_t start,
                           int64_t duration, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_kint(json, "id", id);
    ps_json_text(json, "name", db, name);
    ps_json_kint(json, "start_ns", start);
    ps_json_kint(json, "duration_ns", duration);
    ps_json_end(json);
}

static enum ps_status write_parents(struct ps_db *db, int64_t parent, struct ps_json *json,
                                    struct ps_err *err)
{
    PS_AUTO(ps_ints_free) struct ps_ints chain = {0};
    int64_t v[PS_N_SLICE_COLUMNS];
    enum ps_status status = PS_OK;

    while (parent && chain.n < PARENTS_MAX * 4 && status == PS_OK) {
        status = ps_trace_slice(db, parent, PS_KIN_COLUMNS | PS_COL_BIT(PS_COL_PARENT), v, err);
        if (status != PS_OK)
            break;
        ps_ints_add(&chain, parent);
        ps_ints_add(&chain, v[PS_COL_NAME]);
        ps_ints_add(&chain, v[PS_COL_START]);
        ps_ints_add(&chain, v[PS_COL_DURATION]);
        parent = v[PS_COL_PARENT] > 0 && v[PS_COL_PARENT] <= row_of(parent)
                     ? parent - v[PS_COL_PARENT]
                     : 0;
    }
    ps_json_key(json, "parents");
    ps_json_array(json);
    for (size_t i = chain.n; i > 0; i -= 4)
        write_relative(db, chain.at[i - 4], chain.at[i - 3], chain.at[i - 2], chain.at[i - 1],
                       json);
    ps_json_end(json);
    return status;
}

static void write_neighbour(struct ps_json *json, const char *key, int64_t id)
{
    ps_json_key(json, key);
    ps_json_num(json, id ? ps_int(id) : (struct ps_num){0});
}

enum ps_status ps_kin_json(struct ps_db *db, const struct ps_kin *kin, struct ps_json *json,
                           struct ps_err *err)
{
    enum ps_status status = write_parents(db, kin->parent, json, err);

    ps_json_key(json, "children");
    ps_json_array(json);
    for (size_t i = 0; i < kin->n_children; i++)
        write_relative(db, kin->children[i].id, kin->children[i].name, kin->children[i].start_ns,
                       kin->children[i].duration_ns, json);
    ps_json_end(json);
    ps_json_kint(json, "children_total", kin->children_total);
    write_neighbour(json, "previous", kin->previous);
    write_neighbour(json, "next", kin->next);
    return status;
}
