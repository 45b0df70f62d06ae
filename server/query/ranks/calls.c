/* SPDX-License-Identifier: MIT */
/*
 * calls.c: reads the collectives of all ranks.
 *
 * Since torch 2.1 the kernel of a collective has the arguments that record_param_comms recorded:
 * Collective name, Process Group Name, Seq (2.6), In msg nelems and others
 * (torch/csrc/profiler/util.h). Older traces only have the name of the kernel. Their calls match by
 * order, on each stream if all ranks use the same streams.
 */
#include <stdio.h>
#include <stdlib.h>

#include "server/query/ranks/ranks.h"
#include "server/query/trace/overview.h"
#include "slices/args.h"

#define KEYS_MAX 4096u

enum field { FIELD_SEQUENCE, FIELD_IN, FIELD_OUT, FIELD_SIZE, N_FIELDS };
static const char *const field_names[N_FIELDS] = {"Seq", "In msg nelems", "Out msg nelems",
                                                  "Group size"};

/* Where a template of arguments has what describes a collective. */
struct layout {
    bool is_read, has_name;
    char *markers; /* the markers of the template, in order */
    uint32_t n_markers;
    int field[N_FIELDS];           /* index of the parameter; -1: none */
    int first_rank, n_rank_params; /* the parameters in the list of the ranks of the group */
    struct ps_str name, group, description, ranks;
    int64_t element_bytes;
};

struct reader {
    struct ps_db *db;
    struct ps_ranks *ranks;
    struct ps_track_owners owners;
    struct ps_name_kinds name_kinds;
    uint16_t *rank_of_worker;
    size_t n_workers;
    struct layout *layouts; /* by template id */
    size_t n_layouts;
    struct ps_intern key_names;
    uint32_t *parents; /* by key: the key without the stream; PS_HASH_NONE: the key has no stream */
    uint8_t *seen;     /* [key * n_ranks + rank]: whether the rank has a call of the key */
    bool uses_host;
    int64_t until_ns; /* calls that start later are omitted */
    int64_t latest_ns;
    size_t n_found;
    const int64_t *stream_of_track;
    struct ps_buf text;
};

/* --- Arguments --- */

/* Returns the size in bytes of a torch scalar type; 0: unknown type. */
static int64_t bytes_of_type(struct ps_str name)
{
    static const struct {
        const char *word;
        int64_t bytes;
    } types[] = {{"Float", 4},         {"Half", 2},   {"BFloat16", 2},      {"Long", 8},
                 {"Int", 4},           {"Byte", 1},   {"Char", 1},          {"Bool", 1},
                 {"Short", 2},         {"Double", 8}, {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1},
                 {"UInt16", 2},        {"UInt32", 4}, {"UInt64", 8},        {"ComplexFloat", 8},
                 {"ComplexDouble", 16}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ps_str_eq_c(name, types[i].word))
            return types[i].bytes;
    return 0;
}

static struct ps_str unquoted(struct ps_str json)
{
    if (json.len >= 2 && json.ptr[0] == '"' && json.ptr[json.len - 1] == '"')
        return (struct ps_str){json.ptr + 1, json.len - 2};
    return json;
}

static struct ps_str value_of(struct ps_str template, const char *key)
{
    return unquoted(ps_template_value(template, ps_str_from_c(key), false));
}

static void read_layout(struct ps_str template, struct layout *out)
{
    out->is_read = true;
    out->name = value_of(template, "Collective name");
    out->has_name = out->name.len > 0;
    if (!out->has_name)
        return;
    out->group = value_of(template, "Process Group Name");
    out->description = value_of(template, "Process Group Description");
    out->ranks = value_of(template, "Process Group Ranks");
    out->first_rank = ps_template_param(template, PS_STR("Process Group Ranks"));
    out->n_rank_params = out->first_rank < 0 ? 0 : (int)ps_template_count_params(out->ranks);
    out->element_bytes = bytes_of_type(value_of(template, "dtype"));
    for (int i = 0; i < N_FIELDS; i++)
        out->field[i] = ps_template_param(template, ps_str_from_c(field_names[i]));
    out->markers = ps_alloc(ps_template_count_params(template) + 1);
    for (size_t i = 0; i < template.len; i++)
        if (ps_template_is_marker(template.ptr[i]))
            out->markers[out->n_markers++] = template.ptr[i];
}

static const struct layout *layout_of(struct reader *r, int64_t template)
{
    if (template <= PS_TEMPLATE_WHOLE || template > UINT32_MAX)
        return NULL;
    r->layouts = ps_grow_to(r->layouts, &r->n_layouts, (size_t) template, sizeof *r->layouts);
    if (!r->layouts[template].is_read)
        read_layout(ps_trace_args_template(r->db, template), &r->layouts[template]);
    return r->layouts[template].has_name ? &r->layouts[template] : NULL;
}

/* Reads the parameters of a call; absent fields are -1. The ranks of the group are appended to the
 * text of the key, if they are parameters. */
static void read_fields(struct reader *r, const struct layout *layout, struct ps_str packed,
                        int64_t field[N_FIELDS])
{
    for (int i = 0; i < N_FIELDS; i++)
        field[i] = -1;
    for (int at = 0; at < (int)layout->n_markers; at++) {
        struct ps_num value = ps_args_next(layout->markers[at], &packed);

        if (value.kind != PS_NUM_INT)
            continue;
        for (int i = 0; i < N_FIELDS; i++)
            if (layout->field[i] == at)
                field[i] = value.i;
        if (at >= layout->first_rank && at < layout->first_rank + layout->n_rank_params)
            ps_buf_printf(&r->text, ",%lld", (long long)value.i);
    }
}

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

static uint32_t key_of_layout(struct reader *r, const struct layout *layout,
                              const int64_t field[N_FIELDS])
{
    struct ps_rank_key key = {
        .name = layout->name,
        .group = layout->description.len ? layout->description : layout->group,
        .group_size = field[FIELD_SIZE] > 0 && field[FIELD_SIZE] < PS_RANK_NONE
                          ? (uint32_t)field[FIELD_SIZE]
                          : 0,
        .has_sequence = field[FIELD_SEQUENCE] >= 0,
        .is_synchronous = is_synchronous(layout->name),
        .is_point_to_point = is_point_to_point(layout->name),
    };

    ps_buf_printf(&r->text, "\n%d\n%u\n%.*s\n%.*s\n%.*s\n%.*s", key.has_sequence, key.group_size,
                  (int)layout->name.len, layout->name.ptr, (int)layout->group.len,
                  layout->group.ptr, (int)layout->description.len, layout->description.ptr,
                  (int)layout->ranks.len, layout->ranks.ptr);
    return key_of_text(r, &key);
}

/* The key of a call whose file states only a name: one for each stream, until join_streams. */
static uint32_t key_of_name(struct reader *r, struct ps_str name, int64_t stream)
{
    struct ps_rank_key key = {.name = name, .is_synchronous = is_synchronous(name)};
    uint32_t parent, id;

    ps_buf_printf(&r->text, "%.*s", (int)name.len, name.ptr);
    parent = key_of_text(r, &key);
    ps_buf_printf(&r->text, "\n%lld", (long long)stream);
    id = key_of_text(r, &key);
    if (id != PS_HASH_NONE)
        r->parents[id] = parent;
    return id;
}

/* --- Calls --- */

static bool is_collective(struct reader *r, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
    int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

    if (r->uses_host ? kind != PS_SLICE_OP && kind != PS_SLICE_ANNOTATION : kind != PS_SLICE_KERNEL)
        return false;
    return ps_role_of(kind, ps_chunk_value(chunk, PS_COL_FLAGS, i),
                      ps_name_kind_get(r->db, &r->name_kinds, name)) == PS_ROLE_COMMUNICATION;
}

static int64_t limit_time(int64_t ns)
{
    return ns < -PS_RANK_TIME_MAX  ? -PS_RANK_TIME_MAX
           : ns > PS_RANK_TIME_MAX ? PS_RANK_TIME_MAX
                                   : ns;
}

/* Messages count as in nccl-tests: the larger of input and output. */
static int64_t bytes_of(const struct layout *layout, const int64_t field[N_FIELDS])
{
    int64_t elements = field[FIELD_IN] > field[FIELD_OUT] ? field[FIELD_IN] : field[FIELD_OUT];

    return elements > 0 && elements < PS_RANK_TIME_MAX ? elements * layout->element_bytes : 0;
}

static void add_call(struct reader *r, const struct ps_chunk *chunk, uint32_t i, uint16_t rank)
{
    struct ps_rank_calls *calls = &r->ranks->calls;
    const struct layout *layout = layout_of(r, ps_chunk_value(chunk, PS_COL_TEMPLATE, i));
    int64_t at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i), field[N_FIELDS], bytes = 0;
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t *origin = &r->ranks->ranks[rank].origin_ns;
    uint32_t key;

    *origin = *origin == INT64_MAX ? start : *origin;
    start = limit_time(ps_subtract_saturated(start, *origin));
    r->latest_ns = start > r->latest_ns ? start : r->latest_ns;
    r->n_found++;
    if (start > r->until_ns || calls->n == PS_RANK_CALLS_MAX)
        return;
    r->text.len = 0;
    field[FIELD_SEQUENCE] = 0;
    if (layout) {
        read_fields(r, layout, ps_str_skip(chunk->args, at > 0 ? (size_t)at : 0), field);
        key = key_of_layout(r, layout, field);
        bytes = bytes_of(layout, field);
    } else {
        key = key_of_name(r, ps_trace_text(r->db, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i)),
                          r->stream_of_track[chunk->track]);
    }
    if (key == PS_HASH_NONE)
        return;
    r->seen[(size_t)key * r->ranks->n_ranks + rank] = 1;
    PS_RESERVE_ONE(calls->items, calls->n, calls->cap);
    calls->items[calls->n++] = (struct ps_rank_call){
        .start_ns = start,
        .duration_ns = limit_time(ps_chunk_value(chunk, PS_COL_DURATION, i)),
        .slice = ((int64_t)chunk->track << 32) + chunk->first + i,
        .bytes = bytes,
        .sequence = field[FIELD_SEQUENCE],
        .key = key,
        .rank = rank,
        .step = PS_STEP_NONE,
    };
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;
    uint32_t worker = ps_track_owner_of(&r->owners, chunk->track).worker;
    uint16_t rank = worker < r->n_workers ? r->rank_of_worker[worker] : PS_RANK_NONE;

    if (rank == PS_RANK_NONE)
        return true;
    for (uint32_t i = 0; i < chunk->n && !ps_context_has_ended(); i++)
        if (is_collective(r, chunk, i))
            add_call(r, chunk, i, rank);
    return true;
}

static enum ps_status read_calls(struct reader *r, enum ps_track_kind kind, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << kind,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |
                   PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT),
        .wants_args = true,
    };

    r->n_found = 0;
    return ps_trace_each_chunk(r->db, &query, visit_chunk, r, err);
}

/* Reads the calls, and once more up to a time that at most PS_RANK_CALLS_MAX precede if there are
 * more of them. */
static enum ps_status read_all(struct reader *r, struct ps_err *err)
{
    struct ps_rank_calls *calls = &r->ranks->calls;
    enum ps_track_kind kind = PS_TRACK_STREAM;

    r->until_ns = PS_RANK_TIME_MAX;
    read_calls(r, kind, err);
    if (err->code == PS_OK && !calls->n) {
        r->uses_host = true;
        kind = PS_TRACK_THREAD;
        read_calls(r, kind, err);
    }
    if (err->code == PS_OK && r->n_found > PS_RANK_CALLS_MAX) {
        r->until_ns =
            (int64_t)((double)r->latest_ns * 0.9 * PS_RANK_CALLS_MAX / (double)r->n_found);
        calls->n = 0;
        read_calls(r, kind, err);
    }
    r->ranks->n_calls_omitted = r->n_found - calls->n;
    r->ranks->is_on_host = r->uses_host && calls->n > 0;
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

static void free_reader(struct reader *r)
{
    for (size_t i = 0; i < r->n_layouts; i++)
        free(r->layouts[i].markers);
    free(r->layouts);
    free(r->parents);
    free(r->seen);
    free(r->rank_of_worker);
    ps_intern_free(&r->key_names);
    ps_track_owners_free(&r->owners);
    ps_name_kinds_free(&r->name_kinds);
    ps_buf_free(&r->text);
}

static enum ps_status read_tracks(struct ps_db *db, int64_t **stream_of_track, struct ps_err *err)
{
    const struct ps_track_row *tracks = NULL;
    size_t n = 0;

    *stream_of_track = ps_alloc_array(PS_TRACKS_MAX + 1, sizeof **stream_of_track);
    if (ps_trace_get_tracks(db, &tracks, &n, err) == PS_OK)
        for (size_t i = 0; i < n; i++)
            (*stream_of_track)[tracks[i].id] = tracks[i].stream;
    return err->code;
}

static void map_workers(struct reader *r)
{
    r->n_workers = PS_WORKERS_MAX;
    r->rank_of_worker = ps_alloc_array(r->n_workers, sizeof *r->rank_of_worker);
    for (size_t i = 0; i < r->n_workers; i++)
        r->rank_of_worker[i] = PS_RANK_NONE;
    for (uint32_t i = 0; i < r->ranks->n_ranks; i++)
        r->rank_of_worker[r->ranks->ranks[i].worker] = (uint16_t)i;
}

/* The names in keys are in memory of the handle, which the analysis outlives. */
static void copy_names(struct ps_ranks *ranks)
{
    for (size_t i = 0; i < ranks->calls.n_keys; i++) {
        struct ps_rank_key *key = &ranks->calls.keys[i];

        key->name = ps_arena_copy(&ranks->arena, key->name);
        key->group = ps_arena_copy(&ranks->arena, key->group);
    }
}

enum ps_status ps_ranks_read_calls(struct ps_db *db, struct ps_ranks *ranks, struct ps_err *err)
{
    struct reader r = {.db = db, .ranks = ranks};
    PS_AUTO(ps_free_ptr) int64_t *stream_of_track = NULL;

    read_tracks(db, &stream_of_track, err);
    r.stream_of_track = stream_of_track;
    map_workers(&r);
    ps_track_owners_read(db, &r.owners, err);
    r.parents = ps_alloc_array(KEYS_MAX, sizeof *r.parents);
    for (uint32_t i = 0; i < KEYS_MAX; i++)
        r.parents[i] = PS_HASH_NONE;
    r.seen = ps_alloc_array(KEYS_MAX, ranks->n_ranks ? ranks->n_ranks : 1);
    ranks->calls.n_ranks = ranks->n_ranks;
    read_all(&r, err);
    if (err->code == PS_OK) {
        join_streams(&r);
        choose_synchronous(&ranks->calls);
        copy_names(ranks);
        for (size_t i = 0; i < ranks->calls.n; i++)
            ranks->calls.items[i].step =
                step_of(ranks, ranks->calls.items[i].rank, ranks->calls.items[i].start_ns);
    }
    free_reader(&r);
    return err->code;
}
