/* SPDX-License-Identifier: MIT */
/*
 * calls.c: reads the collectives of all ranks.
 *
 * The importer wrote the calls with what their arguments say. Calls that are not described match by
 * order, on each stream if all ranks use the same streams.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "server/query/ranks/ranks.h"
#include "server/query/trace/packed_rows.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/runfile/trace.h"
#include "slices/intervals.h"

#define KEYS_MAX 4096u

/* A row of table collective. */
struct collective {
    bool is_described;
    struct ps_str name, group, members; /* group: its name, and its description */
    uint32_t group_size;
    struct ps_str title; /* of the group: its description if it has one */
    uint32_t key[2];     /* by whether calls have a sequence number; PS_HASH_NONE: not known yet */
};

struct track {
    bool is_known;
    enum ps_track_kind kind;
    uint16_t rank; /* PS_RANK_NONE: of no rank */
    int64_t stream;
    /* key of the last call that is not described, and its collective; 0: none */
    uint32_t collective, key;
};

struct reader {
    struct ps_db *db;
    struct ps_ranks *ranks;
    struct track *tracks; /* by id */
    size_t n_tracks;
    struct collective *collectives; /* by id */
    size_t n_collectives;
    struct ps_intern key_names;
    uint32_t *parents; /* by key: the key without the stream; PS_HASH_NONE: the key has no stream */
    uint8_t *seen;     /* [key * n_ranks + rank]: whether the rank has a call of the key */
    enum ps_track_kind kind; /* calls of tracks of this kind are read */
    int64_t until_ns;        /* calls that start later are omitted */
    int64_t latest_ns;
    size_t n_found;
    struct ps_buf text;
};

/* --- Keys --- */

/* Copies the letters of a name in lower case: "all_reduce" and "AllReduce" are "allreduce". */
static struct ps_str letters_of(struct ps_str name, char out[128])
{
    size_t n = 0;

    for (size_t i = 0; i < name.len && n < 128; i++) {
        char c = name.ptr[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c >= 'a' && c <= 'z')
            out[n++] = c;
    }
    return (struct ps_str){out, n};
}

static bool contains_one(struct ps_str name, const char *const *words)
{
    char letters[128];
    struct ps_str text = letters_of(name, letters);

    for (; *words; words++)
        if (ps_str_find(text, ps_str_from_c(*words)))
            return true;
    return false;
}

static bool is_synchronous(struct ps_str name)
{
    static const char *const words[] = {"allreduce", "allgather", "reducescatter",
                                        "alltoall",  "barrier",   NULL};

    return contains_one(name, words);
}

static bool is_point_to_point(struct ps_str name)
{
    static const char *const words[] = {"send", "recv", NULL};

    return contains_one(name, words);
}

/* Returns the key of the text r->text, which is added if it is new; PS_HASH_NONE: too many. */
static uint32_t key_of_text(struct reader *r, const struct ps_rank_key *key)
{
    struct ps_rank_calls *calls = &r->ranks->calls;
    uint32_t id = ps_intern_find(&r->key_names, ps_buf_slice(&r->text));

    if (id != PS_INTERN_NONE)
        return id;
    if (calls->n_keys == KEYS_MAX)
        return PS_HASH_NONE;
    PS_RESERVE_ONE(calls->keys, calls->n_keys, calls->cap_keys);
    calls->keys[calls->n_keys++] = *key;
    return ps_intern_add(&r->key_names, ps_buf_slice(&r->text));
}

static uint32_t key_of_described(struct reader *r, const struct collective *c, bool has_sequence)
{
    struct ps_rank_key key = {
        .name = c->name,
        .group = c->title,
        .group_size = c->group_size < PS_RANK_NONE ? c->group_size : 0,
        .has_sequence = has_sequence,
        .is_synchronous = is_synchronous(c->name),
        .is_point_to_point = is_point_to_point(c->name),
    };

    r->text.len = 0;
    ps_buf_printf(&r->text, "\n%d\n%u\n%.*s\n%.*s\n%.*s", has_sequence, key.group_size,
                  (int)c->name.len, c->name.ptr, (int)c->group.len, c->group.ptr,
                  (int)c->members.len, c->members.ptr);
    return key_of_text(r, &key);
}

/* The key of a call of which only the name is known: one for each stream, until join_streams. */
static uint32_t key_of_name(struct reader *r, struct ps_str name, int64_t stream)
{
    struct ps_rank_key key = {.name = name, .is_synchronous = is_synchronous(name)};
    uint32_t parent, id;

    r->text.len = 0;
    ps_buf_add_str(&r->text, name);
    parent = key_of_text(r, &key);
    ps_buf_printf(&r->text, "\n%lld", (long long)stream);
    id = key_of_text(r, &key);
    if (id != PS_HASH_NONE)
        r->parents[id] = parent;
    return id;
}

static uint32_t key_of_call(struct reader *r, struct track *track, uint32_t id, bool has_sequence)
{
    struct collective *c = &r->collectives[id];

    if (!c->is_described && track->collective != id) {
        track->collective = id;
        track->key = key_of_name(r, c->name, track->stream);
    } else if (c->is_described && c->key[has_sequence] == PS_HASH_NONE) {
        c->key[has_sequence] = key_of_described(r, c, has_sequence);
    }
    return c->is_described ? c->key[has_sequence] : track->key;
}

/* --- Calls --- */

/* Messages count as in nccl-tests: the larger of input and output. */
static int64_t bytes_of(const struct ps_packed *part, size_t i)
{
    int64_t in = part->column[PS_COLLECTIVE_BYTES_IN][i];
    int64_t out = part->column[PS_COLLECTIVE_BYTES_OUT][i];
    int64_t bytes = in > out ? in : out;

    return bytes > 0 ? bytes : 0;
}

static void add_call(struct reader *r, struct track *track, const struct ps_packed *part, size_t i)
{
    struct ps_rank_calls *calls = &r->ranks->calls;
    int64_t start = part->column[PS_COLLECTIVE_START][i];
    int64_t sequence = part->column[PS_COLLECTIVE_SEQUENCE][i];
    int64_t *origin = &r->ranks->ranks[track->rank].origin_ns;
    uint32_t key;

    *origin = *origin == INT64_MAX ? start : *origin;
    start = ps_rank_limit_time(ps_subtract_saturated(start, *origin));
    r->latest_ns = start > r->latest_ns ? start : r->latest_ns;
    r->n_found++;
    if (start > r->until_ns || calls->n == PS_RANK_CALLS_MAX)
        return;
    key = key_of_call(r, track, (uint32_t)part->column[PS_COLLECTIVE_ID][i], sequence >= 0);
    if (key == PS_HASH_NONE)
        return;
    r->seen[(size_t)key * r->ranks->n_ranks + track->rank] = 1;
    PS_RESERVE_ONE(calls->items, calls->n, calls->cap);
    calls->items[calls->n++] = (struct ps_rank_call){
        .start_ns = start,
        .duration_ns = ps_rank_limit_time(part->column[PS_COLLECTIVE_DURATION][i]),
        .slice = part->column[PS_COLLECTIVE_SLICE][i],
        .bytes = bytes_of(part, i),
        .sequence = sequence,
        .key = key,
        .rank = track->rank,
        .step = PS_STEP_NONE,
    };
}

static bool visit_part(void *user, const struct ps_packed *part)
{
    struct reader *r = user;

    for (size_t i = 0; i < part->n; i++) {
        int64_t id = ps_track_of_slice(part->column[PS_COLLECTIVE_SLICE][i]);
        int64_t collective = part->column[PS_COLLECTIVE_ID][i];
        struct track *track = id >= 0 && (size_t)id < r->n_tracks ? &r->tracks[id] : NULL;

        if (track && track->is_known && track->kind == r->kind && track->rank != PS_RANK_NONE &&
            collective > 0 && (size_t)collective < r->n_collectives &&
            r->collectives[collective].name.ptr)
            add_call(r, track, part, i);
    }
    return !ps_context_has_ended();
}

static enum ps_status read_calls(struct reader *r, struct ps_err *err)
{
    const struct ps_packed_query query = {.family = PS_PACKED_COLLECTIVES,
                                          .range = PS_RANGE_ALL,
                                          .columns = (1u << PS_N_COLLECTIVE_COLUMNS) - 1};

    r->n_found = 0;
    r->ranks->calls.n = 0;
    return ps_packed_each(r->db, &query, visit_part, r, err);
}

/* Reads the calls of devices, or those of host threads if no device has any. If there are more than
 * PS_RANK_CALLS_MAX, reads again only up to a time that leaves at most so many. */
static enum ps_status read_all(struct reader *r, struct ps_err *err)
{
    r->until_ns = PS_RANK_TIME_MAX;
    r->kind = PS_TRACK_STREAM;
    read_calls(r, err);
    if (err->code == PS_OK && !r->n_found) {
        r->kind = PS_TRACK_THREAD;
        read_calls(r, err);
    }
    if (err->code == PS_OK && r->n_found > PS_RANK_CALLS_MAX) {
        r->until_ns =
            (int64_t)((double)r->latest_ns * 0.9 * PS_RANK_CALLS_MAX / (double)r->n_found);
        read_calls(r, err);
    }
    r->ranks->n_calls_omitted = r->n_found - r->ranks->calls.n;
    r->ranks->is_on_host = r->kind == PS_TRACK_THREAD && r->ranks->calls.n > 0;
    return err->code;
}

static uint32_t count_ranks(const struct reader *r, uint32_t key)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->ranks->n_ranks; i++)
        n += r->seen[(size_t)key * r->ranks->n_ranks + i];
    return n;
}

/* Removes the stream from keys whose stream does not occur on all ranks that have the name: streams
 * have different numbers there. */
static void join_streams(struct reader *r)
{
    struct ps_rank_calls *calls = &r->ranks->calls;
    PS_AUTO(ps_free_ptr) bool *is_joined = ps_alloc_array(calls->n_keys + 1, sizeof *is_joined);
    uint32_t n_ranks = r->ranks->n_ranks;

    for (uint32_t key = 0; key < calls->n_keys; key++) {
        uint8_t *of_name =
            r->parents[key] == PS_HASH_NONE ? NULL : &r->seen[(size_t)r->parents[key] * n_ranks];

        for (uint32_t i = 0; of_name && i < n_ranks; i++)
            of_name[i] |= r->seen[(size_t)key * n_ranks + i];
    }
    for (uint32_t key = 0; key < calls->n_keys; key++)
        if (r->parents[key] != PS_HASH_NONE &&
            count_ranks(r, key) < count_ranks(r, r->parents[key]))
            is_joined[r->parents[key]] = true;
    for (size_t i = 0; i < calls->n; i++) {
        uint32_t parent = r->parents[calls->items[i].key];

        if (parent != PS_HASH_NONE && is_joined[parent])
            calls->items[i].key = parent;
    }
}

/* Without any synchronous collective, kernels that send and receive align the clocks: in old traces
 * they are all-to-alls. */
static void choose_synchronous(struct ps_rank_calls *calls)
{
    static const char *const words[] = {"sendrecv", NULL};

    for (size_t i = 0; i < calls->n_keys; i++)
        if (calls->keys[i].is_synchronous)
            return;
    for (size_t i = 0; i < calls->n_keys; i++)
        calls->keys[i].is_synchronous =
            !calls->keys[i].is_point_to_point && contains_one(calls->keys[i].name, words);
}

/* --- Steps --- */

/* Returns the step of the rank that contains a time: the last one that starts before it, if it has
 * not ended. */
static uint16_t step_of(const struct ps_ranks *ranks, uint16_t rank, int64_t ns)
{
    const struct ps_rank_step *steps = &ranks->steps[(size_t)rank * ranks->n_steps];
    uint16_t found = PS_STEP_NONE;
    uint32_t low = 0, high = ranks->n_steps;

    while (low < high) { /* steps are in the order of time; absent ones have an unknown time */
        uint32_t middle = low + (high - low) / 2, at = middle;

        while (at < high && steps[at].end_ns < steps[at].start_ns)
            at++;
        if (at < high && steps[at].start_ns <= ns) {
            found = (uint16_t)at;
            low = at + 1;
        } else {
            high = middle;
        }
    }
    return found != PS_STEP_NONE && ns < steps[found].end_ns ? found : PS_STEP_NONE;
}

/* --- Tables --- */

static void free_reader(struct reader *r)
{
    free(r->tracks);
    free(r->collectives);
    free(r->parents);
    free(r->seen);
    ps_intern_free(&r->key_names);
    ps_buf_free(&r->text);
}

static enum ps_status read_tracks(struct reader *r, struct ps_err *err)
{
    size_t n_workers, n = 0;
    PS_AUTO(ps_free_ptr) uint16_t *rank_of = ps_ranks_map_workers(r->ranks, &n_workers);
    PS_AUTO(ps_track_owners_free) struct ps_track_owners owners = {0};
    const struct ps_track_row *rows = NULL;

    ps_track_owners_read(r->db, &owners, err);
    if (ps_trace_get_tracks(r->db, &rows, &n, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < n; i++) {
        uint32_t worker = ps_track_owner_of(&owners, rows[i].id).worker;

        r->tracks = ps_grow_to(r->tracks, &r->n_tracks, rows[i].id, sizeof *r->tracks);
        r->tracks[rows[i].id] = (struct track){
            .is_known = true,
            .kind = rows[i].kind,
            .rank = worker < n_workers ? rank_of[worker] : PS_RANK_NONE,
            .stream = rows[i].stream,
        };
    }
    return PS_OK;
}

/* The names of keys outlive the handle: they are copied to the memory of the analysis. */
static struct ps_str copy_text(struct reader *r, struct ps_stmt *stmt, int column)
{
    return ps_arena_copy(&r->ranks->arena, ps_col_text(stmt, column));
}

static enum ps_status read_collectives(struct reader *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(r->db, ps_query_sql("trace_collectives"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0);
        struct collective *c;

        if (id < 1 || id > UINT32_MAX)
            continue;
        r->collectives =
            ps_grow_to(r->collectives, &r->n_collectives, (size_t)id, sizeof *r->collectives);
        c = &r->collectives[id];
        *c = (struct collective){.is_described = ps_col_int(stmt, 1) != 0,
                                 .name = copy_text(r, stmt, 2),
                                 .group = copy_text(r, stmt, 3),
                                 .title = copy_text(r, stmt, 4),
                                 .members = copy_text(r, stmt, 5),
                                 .group_size = (uint32_t)ps_col_int(stmt, 6),
                                 .key = {PS_HASH_NONE, PS_HASH_NONE}};
    }
    return err->code;
}

enum ps_status ps_ranks_read_calls(struct ps_db *db, struct ps_ranks *ranks, struct ps_err *err)
{
    struct reader r = {.db = db, .ranks = ranks};

    read_tracks(&r, err);
    read_collectives(&r, err);
    r.parents = ps_alloc_array(KEYS_MAX, sizeof *r.parents);
    for (uint32_t i = 0; i < KEYS_MAX; i++)
        r.parents[i] = PS_HASH_NONE;
    r.seen = ps_alloc_array(KEYS_MAX, ranks->n_ranks ? ranks->n_ranks : 1);
    ranks->calls.n_ranks = ranks->n_ranks;
    read_all(&r, err);
    if (err->code == PS_OK) {
        join_streams(&r);
        choose_synchronous(&ranks->calls);
        for (size_t i = 0; i < ranks->calls.n; i++)
            ranks->calls.items[i].step =
                step_of(ranks, ranks->calls.items[i].rank, ranks->calls.items[i].start_ns);
    }
    free_reader(&r);
    return err->code;
}
