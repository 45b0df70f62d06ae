/* SPDX-License-Identifier: MIT */
#include "server/query/trace/slice/backward_links.h"
#include "server/query/trace/packed_rows.h"

#include <stdlib.h>

#include "slices/args.h"
#include "slices/intervals.h"

static void add_link(struct ps_backward_links *links, int64_t backward, int64_t forward)
{
    PS_RESERVE_ONE(links->items, links->n, links->cap);
    links->items[links->n++] = (struct ps_backward_link){backward, forward};
}

void ps_backward_links_free(struct ps_backward_links *links)
{
    free(links->items);
    *links = (struct ps_backward_links){0};
}

int64_t ps_backward_links_find(const struct ps_backward_links *links, int64_t backward)
{
    size_t low = 0, high = links->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (links->items[middle].backward < backward)
            low = middle + 1;
        else
            high = middle;
    }
    return low < links->n && links->items[low].backward == backward ? links->items[low].forward : 0;
}

/* --- Arrows --- */

struct arrows {
    struct ps_db *db;
    struct ps_backward_links *links;
};

static bool add_arrows(void *user, const struct ps_packed *part)
{
    struct arrows *arrows = user;

    for (size_t i = 0; i < part->n; i++) {
        int64_t kind = part->column[PS_FLOW_KIND][i];

        if (kind > 0 && kind <= UINT32_MAX &&
            ps_str_eq(ps_trace_text(arrows->db, (uint32_t)kind), PS_STR("fwdbwd")))
            add_link(arrows->links, part->column[PS_FLOW_TO][i], part->column[PS_FLOW_FROM][i]);
    }
    return true;
}

/* --- Sequence numbers --- */

/* An operator with a sequence number. */
struct numbered {
    int64_t number; /* the first member, because ps_sort_records sorts by it */
    int64_t start, id;
};

struct numbered_list {
    struct numbered *items;
    size_t n, cap;
};

/* The parameters of a template; -1: it has none. */
struct number_places {
    bool is_known;
    int sequence, thread;
};

struct numbers {
    struct ps_db *db;
    struct number_places *places; /* by template */
    size_t n_places;
    struct numbered_list forward, backward;
};

static void numbers_free(struct numbers *numbers)
{
    free(numbers->places);
    free(numbers->forward.items);
    free(numbers->backward.items);
}

static const struct number_places *places_of(struct numbers *numbers, int64_t template)
{
    struct ps_str text = ps_trace_args_template(numbers->db, template);
    struct number_places *places;

    if (!text.ptr) /* so the id is small */
        return NULL;
    numbers->places =
        ps_grow_to(numbers->places, &numbers->n_places, (size_t) template, sizeof *numbers->places);
    places = &numbers->places[template];
    if (!places->is_known)
        *places = (struct number_places){true, ps_template_param(text, PS_STR("Sequence number")),
                                         ps_template_param(text, PS_STR("Fwd thread id"))};
    return places;
}

static bool read_number(struct ps_str template, struct ps_str args, int index, int64_t *out)
{
    struct ps_num value = ps_args_param(template, args, index);

    *out = value.i;
    return value.kind == PS_NUM_INT;
}

static void add_number(struct numbers *numbers, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i);
    int64_t at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
    const struct number_places *places =
        template > PS_TEMPLATE_WHOLE ? places_of(numbers, template) : NULL;
    struct numbered_list *list;
    struct ps_str text, args;
    int64_t number, thread = 0;

    if (!places || places->sequence < 0 || at < 0 || (uint64_t)at > chunk->args.len)
        return;
    text = ps_trace_args_template(numbers->db, template);
    args = ps_str_skip(chunk->args, (size_t)at);
    if (!read_number(text, args, places->sequence, &number) || number < 0)
        return;
    if (places->thread >= 0 && !read_number(text, args, places->thread, &thread))
        return;
    list = thread ? &numbers->backward : &numbers->forward;
    PS_RESERVE_ONE(list->items, list->n, list->cap);
    list->items[list->n++] = (struct numbered){number, ps_chunk_value(chunk, PS_COL_START, i),
                                               ps_slice_id(chunk->track, chunk->first + i)};
}

static bool add_numbers(void *user, const struct ps_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->n; i++)
        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_OP)
            add_number(user, chunk, i);
    return true;
}

/* Whether the elements [from, to) are on one thread. Each thread counts on its own, so a number
 * that two threads have identifies no operator. */
static bool are_of_one_track(const struct numbered_list *list, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (list->items[i].id >> 32 != list->items[from].id >> 32)
            return false;
    return true;
}

static const struct numbered *last_started(const struct numbered_list *list, size_t from, size_t to)
{
    const struct numbered *last = &list->items[from];

    for (size_t i = from; i < to; i++)
        if (list->items[i].start > last->start ||
            (list->items[i].start == last->start && list->items[i].id > last->id))
            last = &list->items[i];
    return last;
}

static void join_numbers(struct numbers *numbers, struct ps_backward_links *links)
{
    const struct numbered_list *forward = &numbers->forward, *backward = &numbers->backward;
    size_t b = 0;

    ps_sort_records(forward->items, forward->n, sizeof *forward->items);
    ps_sort_records(backward->items, backward->n, sizeof *backward->items);
    for (size_t from = 0, to; from < forward->n; from = to) {
        int64_t number = forward->items[from].number;

        for (to = from + 1; to < forward->n && forward->items[to].number == number; to++)
            continue;
        while (b < backward->n && backward->items[b].number < number)
            b++;
        if (!are_of_one_track(forward, from, to))
            continue;
        for (; b < backward->n && backward->items[b].number == number; b++)
            add_link(links, backward->items[b].id, last_started(forward, from, to)->id);
    }
}

static enum ps_status read_numbers(struct ps_db *db, struct ps_backward_links *out,
                                   struct ps_err *err)
{
    PS_AUTO(numbers_free) struct numbers numbers = {.db = db};
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_OP,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_KIND) |
                   PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT),
        .wants_args = true};

    if (ps_trace_each_chunk(db, &query, add_numbers, &numbers, err) == PS_OK)
        join_numbers(&numbers, out);
    return err->code;
}

enum ps_status ps_backward_links_read(struct ps_db *db, struct ps_backward_links *out,
                                      struct ps_err *err)
{
    struct arrows arrows = {db, out};
    const struct ps_packed_query query = {.family = PS_PACKED_FLOWS,
                                          .range = PS_RANGE_ALL,
                                          .columns = 1u << PS_FLOW_KIND | 1u << PS_FLOW_FROM |
                                                     1u << PS_FLOW_TO};

    *out = (struct ps_backward_links){0};
    ps_packed_each(db, &query, add_arrows, &arrows, err);
    if (err->code == PS_OK && out->n == 0)
        read_numbers(db, out, err);
    ps_sort_records(out->items, out->n, sizeof *out->items);
    return err->code;
}
