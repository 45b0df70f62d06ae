/* SPDX-License-Identifier: MIT */
#include "server/query/trace/slice/relatives.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/trace_json.h"

#include <stdlib.h>

#include "slices/intervals.h"

#define PARENTS_MAX        4096   /* maximum number of ancestors to write */
#define FIRST_LOOK_BACK_NS 100000 /* length in ns of the first search for the previous slice */

static uint32_t row_of(int64_t id)
{
    return (uint32_t)(id & UINT32_MAX);
}

bool ps_relatives_has_descendant(const struct ps_relatives *relatives, int64_t id)
{
    return id >= relatives->id && (uint64_t)(id - relatives->id) < relatives->n_descendants &&
           relatives->is_descendant[id - relatives->id];
}

void ps_relatives_free(struct ps_relatives *relatives)
{
    free(relatives->is_descendant);
    relatives->is_descendant = NULL;
}

static void add_child(struct ps_relatives *relatives, struct ps_child_slice child)
{
    size_t at = relatives->n_children < PS_RELATIVES_CHILDREN ? relatives->n_children++
                                                              : PS_RELATIVES_CHILDREN;

    relatives->children_total++;
    for (; at > 0 && relatives->children[at - 1].duration_ns < child.duration_ns; at--)
        if (at < PS_RELATIVES_CHILDREN)
            relatives->children[at] = relatives->children[at - 1];
    if (at < PS_RELATIVES_CHILDREN)
        relatives->children[at] = child;
}

static void mark_row(struct ps_relatives *relatives, bool below)
{
    PS_RESERVE_ONE(relatives->is_descendant, relatives->n_descendants, relatives->descendants_cap);
    relatives->is_descendant[relatives->n_descendants++] = below;
}

/* Marks the descendants of the slice and collects its children. Rows arrive in ascending order,
 * parents before children. */
static bool add_descendants(void *user, const struct ps_chunk *chunk)
{
    struct ps_relatives *relatives = user;
    uint32_t own_row = row_of(relatives->id);
    /* the row for the next element of is_descendant */
    uint64_t at = own_row + relatives->n_descendants;
    uint32_t i = at < chunk->first ? chunk->n : (uint32_t)(at - chunk->first);

    for (; i < chunk->n; i++) {
        int64_t back = ps_chunk_value(chunk, PS_COL_PARENT, i);
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);

        if (start > relatives->end_ns)
            return false;
        mark_row(relatives, id == relatives->id ||
                                (back > 0 && ps_relatives_has_descendant(relatives, id - back)));
        if (back > 0 && id - back == relatives->id)
            add_child(relatives,
                      (struct ps_child_slice){id, ps_chunk_value(chunk, PS_COL_NAME, i), start,
                                              ps_chunk_value(chunk, PS_COL_DURATION, i)});
    }
    return true;
}

static bool find_next(void *user, const struct ps_chunk *chunk)
{
    struct ps_relatives *relatives = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);

        if (id > relatives->id && ps_chunk_value(chunk, PS_COL_DEPTH, i) == relatives->depth) {
            relatives->next = id;
            return false;
        }
    }
    return true;
}

static bool find_previous(void *user, const struct ps_chunk *chunk)
{
    struct ps_relatives *relatives = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);

        if (id >= relatives->id)
            return false;
        if (ps_chunk_value(chunk, PS_COL_DEPTH, i) == relatives->depth)
            relatives->previous = id;
    }
    return true;
}

/* Finds the previous slice on the same depth. Chunks can only be read forward. So each search
 * starts four times as far before the slice as the search before, until a slice is found. */
static enum ps_status find_previous_slice(struct ps_db *db, struct ps_chunk_query *query,
                                          struct ps_relatives *relatives, struct ps_err *err)
{
    bool is_last = row_of(relatives->id) == 0;

    query->columns = PS_COL_BIT(PS_COL_DEPTH);
    for (int64_t distance_ns = FIRST_LOOK_BACK_NS;
         !is_last && !relatives->previous && err->code == PS_OK; distance_ns *= 4) {
        int64_t from = ps_add_saturated(relatives->start_ns, -distance_ns);

        is_last = distance_ns > INT64_MAX / 8 || from < 0;
        query->range =
            (struct ps_range){is_last ? INT64_MIN : from, ps_end_ns(relatives->start_ns, 1)};
        ps_trace_each_chunk(db, query, find_previous, relatives, err);
    }
    return err->code;
}

enum ps_status ps_relatives_find(struct ps_db *db, int64_t id, const int64_t v[PS_N_SLICE_COLUMNS],
                                 struct ps_relatives *relatives, struct ps_err *err)
{
    struct ps_chunk_query query = {.track = (uint32_t)(id >> 32),
                                   .must_start_in_range = true,
                                   .columns = PS_RELATIVES_COLUMNS | PS_COL_BIT(PS_COL_PARENT)};

    *relatives = (struct ps_relatives){.id = id,
                                       .start_ns = v[PS_COL_START],
                                       .end_ns = ps_end_ns(v[PS_COL_START], v[PS_COL_DURATION]),
                                       .depth = v[PS_COL_DEPTH],
                                       .parent = v[PS_COL_PARENT] > 0 ? id - v[PS_COL_PARENT] : 0};
    query.range = (struct ps_range){relatives->start_ns, ps_end_ns(relatives->end_ns, 1)};
    ps_trace_each_chunk(db, &query, add_descendants, relatives, err);
    query.columns = PS_COL_BIT(PS_COL_DEPTH);
    query.range = (struct ps_range){relatives->start_ns, INT64_MAX};
    ps_trace_each_chunk(db, &query, find_next, relatives, err);
    return find_previous_slice(db, &query, relatives, err);
}

static void write_relative(struct ps_db *db, int64_t id, int64_t name, int64_t start,
                           int64_t duration, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_int(json, "id", id);
    ps_json_text(json, "name", db, name);
    ps_json_key_int(json, "start_ns", start);
    ps_json_key_int(json, "duration_ns", duration);
    ps_json_end(json);
}

static enum ps_status write_parents(struct ps_db *db, int64_t parent, struct ps_json *json,
                                    struct ps_err *err)
{
    PS_AUTO(ps_ints_free) struct ps_ints chain = {0};
    int64_t v[PS_N_SLICE_COLUMNS];

    while (parent && chain.n < PARENTS_MAX * 4 &&
           ps_trace_read_slice(db, parent, PS_RELATIVES_COLUMNS | PS_COL_BIT(PS_COL_PARENT), v,
                               err) == PS_OK) {
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
        write_relative(db, chain.items[i - 4], chain.items[i - 3], chain.items[i - 2],
                       chain.items[i - 1], json);
    ps_json_end(json);
    return err->code;
}

static void write_neighbour(struct ps_json *json, const char *key, int64_t id)
{
    ps_json_key(json, key);
    ps_json_num(json, id ? ps_int(id) : (struct ps_num){0});
}

enum ps_status ps_relatives_json(struct ps_db *db, const struct ps_relatives *relatives,
                                 struct ps_json *json, struct ps_err *err)
{
    write_parents(db, relatives->parent, json, err);
    ps_json_key(json, "children");
    ps_json_array(json);
    for (size_t i = 0; i < relatives->n_children; i++)
        write_relative(db, relatives->children[i].id, relatives->children[i].name,
                       relatives->children[i].start_ns, relatives->children[i].duration_ns, json);
    ps_json_end(json);
    ps_json_key_int(json, "children_total", relatives->children_total);
    write_neighbour(json, "previous", relatives->previous);
    write_neighbour(json, "next", relatives->next);
    return err->code;
}
