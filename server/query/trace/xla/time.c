/* SPDX-License-Identifier: MIT */
/*
 * time.c: what the time of a program that uses XLA is spent on.
 *
 * XLA runs operators on threads of its own, or on a device, while the thread of the program waits.
 * So a moment belongs to the operators that run somewhere in it, and only where none runs to what
 * the program does. The window is from the first step to the end of the last one, with the time
 * between steps; without steps, from the first to the last thing that XLA does.
 */
#include <stdlib.h>

#include "server/query/trace/time_range.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/query/trace/xla/xla.h"

const char *const ps_xla_part_words[PS_N_XLA_PARTS] = {
    [PS_XLA_COMPUTE] = "operators",  [PS_XLA_COLLECTIVE] = "collectives",
    [PS_XLA_EXECUTE] = "programs",   [PS_XLA_COMPILE] = "compilation",
    [PS_XLA_TRANSFER] = "transfers", [PS_XLA_DISPATCH] = "dispatch",
    [PS_XLA_WAIT] = "waiting",       [PS_XLA_OUTSIDE] = "outside"};

static bool starts_with_any(struct ps_str name, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ps_str_starts_with(name, ps_str_from_c(words[i])))
            return true;
    return false;
}

static bool has_any(struct ps_str name, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ps_str_find(name, ps_str_from_c(words[i])))
            return true;
    return false;
}

#define COUNT(words) (sizeof(words) / sizeof *(words))

enum ps_xla_name ps_xla_name_of(struct ps_str name)
{
    static const char *const compiles[] = {"backend_compile",  "lower_sharding_computation",
                                           "XlaCompile",       "CompileCpuExecutable",
                                           "$mlir.py:",        "$compiler.py:",
                                           "$partial_eval.py:"};
    static const char *const reads[] = {"np.asarray(jax.Array)"};
    static const char *const read_words[] = {"ToLiteral", "TransferFromDevice", "CopyRawToHost"};
    static const char *const move_words[] = {
        "DevicePut",    "batched_device_put", "TransferToDevice", "BufferFromHost",
        "CopyToDevice", "LinearizeInto",      "shard_args"};
    static const char *const starts[] = {"PjitFunction(", "ExecuteReplicated", "ExecuteSharded",
                                         "ParseArguments"};
    static const char *const start_words[] = {"LoadedExecutable::Execute", "Executable::Execute"};

    if (starts_with_any(name, compiles, COUNT(compiles)) ||
        ps_str_find(name, PS_STR("Compiler::")) != NULL)
        return PS_XLA_NAME_COMPILES;
    if (name.len && name.ptr[0] == '$') /* a Python frame contains what it calls */
        return ps_str_ends_with(name, PS_STR(" block_until_ready")) ||
                       ps_str_ends_with(name, PS_STR(" try_to_block"))
                   ? PS_XLA_NAME_WAITS
                   : PS_XLA_NAME_OTHER;
    if (starts_with_any(name, reads, COUNT(reads)) || has_any(name, read_words, COUNT(read_words)))
        return PS_XLA_NAME_READS;
    if (has_any(name, move_words, COUNT(move_words)))
        return PS_XLA_NAME_MOVES;
    return starts_with_any(name, starts, COUNT(starts)) ||
                   has_any(name, start_words, COUNT(start_words))
               ? PS_XLA_NAME_STARTS
               : PS_XLA_NAME_OTHER;
}

/* A slice of the track that is open. */
struct open_slice {
    int64_t start, end;
    enum ps_xla_name what;
    bool compiles; /* of a call that starts a program: it compiles it first */
};

struct reading {
    struct ps_db *db;
    struct ps_xla_time *time;
    struct ps_xla_arguments arguments;
    struct ps_track_owners owners;
    uint8_t *names; /* by text id: enum ps_xla_name + 1; 0: not yet known */
    size_t n_names;
    uint32_t track;
    bool is_compiler; /* the track is a thread that compiles */
    struct open_slice *open;
    size_t n_open, cap_open;
    uint8_t *executors; /* by text id: 1: the executor of programs, 2: another name */
    size_t n_executors;
    int64_t started_ns; /* of the track, in calls that start programs */
    int64_t most_started_ns;
    int64_t other_ns, most_other_ns; /* the same of other slices of the program */
    struct ps_intervals compiled;    /* of each program, apart */
    uint8_t *compilers;              /* by track id: whether it is a thread that compiles */
    size_t n_compilers;
};

static struct ps_xla_device *device_of(struct ps_xla_time *time, int64_t number)
{
    for (size_t i = 0; i < time->n_devices; i++)
        if (time->devices[i].number == number)
            return &time->devices[i];
    PS_RESERVE_ONE(time->devices, time->n_devices, time->cap_devices);
    time->devices[time->n_devices] =
        (struct ps_xla_device){.number = number, .worker = time->worker};
    return &time->devices[time->n_devices++];
}

static enum ps_xla_name name_of(struct reading *reading, const struct ps_chunk *chunk, uint32_t i)
{
    const int64_t id = ps_chunk_value(chunk, PS_COL_NAME, i);
    struct ps_str text;

    if (id <= 0 || id > UINT32_MAX || !(text = ps_trace_text(reading->db, (uint32_t)id)).ptr)
        return PS_XLA_NAME_OTHER;
    reading->names = ps_grow_to(reading->names, &reading->n_names, (size_t)id, 1);
    if (!reading->names[id])
        reading->names[id] = (uint8_t)(ps_xla_name_of(text) + 1);
    return (enum ps_xla_name)(reading->names[id] - 1);
}

/* Ends a slice: a call that compiles its program counts as compilation, since JAX traces it in
 * between. */
static void end_slice(struct reading *reading, const struct open_slice *slice)
{
    static const enum ps_xla_part parts[] = {[PS_XLA_NAME_COMPILES] = PS_XLA_COMPILE,
                                             [PS_XLA_NAME_MOVES] = PS_XLA_TRANSFER,
                                             [PS_XLA_NAME_READS] = PS_XLA_TRANSFER,
                                             [PS_XLA_NAME_STARTS] = PS_XLA_DISPATCH,
                                             [PS_XLA_NAME_WAITS] = PS_XLA_WAIT};

    if (slice->what == PS_XLA_NAME_OTHER)
        return;
    ps_intervals_add(&reading->time->parts[slice->compiles ? PS_XLA_COMPILE : parts[slice->what]],
                     slice->start, slice->end);
}

static void end_until(struct reading *reading, int64_t ns)
{
    while (reading->n_open && reading->open[reading->n_open - 1].end <= ns)
        end_slice(reading, &reading->open[--reading->n_open]);
}

/* Whether a slice of this meaning is open. */
static bool is_open(const struct reading *reading, enum ps_xla_name what)
{
    for (size_t i = reading->n_open; i-- > 0;)
        if (reading->open[i].what == what)
            return true;
    return false;
}

static void add_host_slice(struct reading *reading, const struct ps_chunk *chunk, uint32_t i,
                           int64_t start, int64_t end)
{
    struct ps_xla_time *time = reading->time;
    const enum ps_xla_name what =
        reading->is_compiler ? PS_XLA_NAME_COMPILES : name_of(reading, chunk, i);
    const struct open_slice slice = {.start = start, .end = end, .what = what};

    if (what == PS_XLA_NAME_OTHER) {
        reading->other_ns = ps_add_saturated(reading->other_ns, end - start);
        return;
    }
    if (what == PS_XLA_NAME_COMPILES) {
        const struct ps_str name =
            ps_trace_text(reading->db, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i));

        for (size_t k = 0; k < reading->n_open; k++)
            reading->open[k].compiles |= reading->open[k].what == PS_XLA_NAME_STARTS;
        if (ps_str_starts_with(name, PS_STR("backend_compile")))
            ps_intervals_add(&reading->compiled, start, end);
    }
    if (what == PS_XLA_NAME_STARTS && !is_open(reading, PS_XLA_NAME_STARTS)) {
        reading->started_ns = ps_add_saturated(reading->started_ns, end - start);
        time->programs += start >= time->window.from_ns && start < time->window.to_ns;
    }
    if (what == PS_XLA_NAME_READS && !is_open(reading, PS_XLA_NAME_READS))
        time->reads += start >= time->window.from_ns && start < time->window.to_ns;
    PS_RESERVE_ONE(reading->open, reading->n_open, reading->cap_open);
    reading->open[reading->n_open++] = slice;
}

/* Ends the track: chooses the thread of the program, which starts most; if none starts programs,
 * the one with most other slices. */
static void end_track(struct reading *reading)
{
    end_until(reading, INT64_MAX);
    if (reading->started_ns > reading->most_started_ns ||
        (!reading->most_started_ns && reading->other_ns > reading->most_other_ns)) {
        reading->most_started_ns = reading->started_ns;
        reading->most_other_ns = reading->other_ns;
        reading->time->main_track = reading->track;
    }
    reading->started_ns = reading->other_ns = 0;
}

static void begin_track(struct reading *reading, uint32_t track)
{
    end_track(reading);
    reading->track = track;
    reading->is_compiler = track < reading->n_compilers && reading->compilers[track];
}

static void add_work(struct reading *reading, const struct ps_chunk *chunk, uint32_t i,
                     int64_t start, int64_t end)
{
    struct ps_xla_time *time = reading->time;
    const int64_t number = ps_xla_read_call(&reading->arguments, chunk, i).device;
    struct ps_xla_device *device = device_of(time, number);
    const bool is_collective = (ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_COLLECTIVE) != 0;

    ps_intervals_add(is_collective ? &device->collective : &device->busy, start, end);
    time->operators += start >= time->window.from_ns && start < time->window.to_ns;
}

/* Whether a slice is of the executor of programs on a CPU, which also waits for the threads that
 * run operators. */
static bool is_executor(struct reading *reading, const struct ps_chunk *chunk, uint32_t i)
{
    const int64_t id = ps_chunk_value(chunk, PS_COL_NAME, i);

    if (id <= 0 || id > UINT32_MAX)
        return false;
    reading->executors = ps_grow_to(reading->executors, &reading->n_executors, (size_t)id, 1);
    if (!reading->executors[id])
        reading->executors[id] = ps_str_starts_with(ps_trace_text(reading->db, (uint32_t)id),
                                                    PS_STR("ThunkExecutor::Execute"))
                                     ? 1
                                     : 2;
    return reading->executors[id] == 1;
}

static bool visit(void *user, const struct ps_chunk *chunk)
{
    struct reading *reading = user;

    if (ps_track_owner_of(&reading->owners, chunk->track).worker != reading->time->worker)
        return true;
    if (chunk->track != reading->track)
        begin_track(reading, chunk->track);
    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                      start = ps_chunk_value(chunk, PS_COL_START, i),
                      end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i));

        end_until(reading, start);
        if (kind == PS_SLICE_OP || ps_slice_on_device(kind))
            add_work(reading, chunk, i, start, end);
        else if (is_executor(reading, chunk, i))
            ps_intervals_add(&reading->time->parts[PS_XLA_EXECUTE], start, end);
        else if (kind == PS_SLICE_RUNTIME)
            ps_intervals_add(&reading->time->parts[PS_XLA_DISPATCH], start, end);
        else if (kind == PS_SLICE_SYNC)
            ps_intervals_add(&reading->time->parts[PS_XLA_WAIT], start, end);
        else if (kind == PS_SLICE_OTHER)
            add_host_slice(reading, chunk, i, start, end);
    }
    return true;
}

static enum ps_status read_steps(struct ps_db *db, struct ps_xla_time *time, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    time->window = PS_RANGE_ALL;
    ps_db_prepare(db, ps_query_sql("conclude_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        if (ps_col_int(stmt, 0) == time->worker)
            ps_intervals_add(&time->steps, ps_col_int(stmt, 1), ps_col_int(stmt, 2));
    if (time->steps.n)
        time->window = (struct ps_range){time->steps.items[0].start, INT64_MIN};
    for (size_t i = 0; i < time->steps.n; i++)
        if (time->steps.items[i].end > time->window.to_ns)
            time->window.to_ns = time->steps.items[i].end;
    return err->code;
}

/* What of a joined set is not in another one. */
static void add_difference(struct ps_intervals *out, const struct ps_intervals *set,
                           const struct ps_intervals *without)
{
    size_t k = 0;

    for (size_t i = 0; i < set->n; i++) {
        int64_t from = set->items[i].start;
        const int64_t to = set->items[i].end;

        while (k < without->n && without->items[k].end <= from)
            k++;
        for (size_t j = k; j < without->n && without->items[j].start < to; j++) {
            ps_intervals_add(out, from, without->items[j].start);
            from = without->items[j].end > from ? without->items[j].end : from;
        }
        ps_intervals_add(out, from, to);
    }
}

/* Joins the sets of the devices and of the parts. Each part then has the moments of all parts
 * before it too. */
static void join_parts(struct ps_xla_time *time)
{
    for (size_t i = 0; i < time->n_devices; i++) {
        struct ps_xla_device *device = &time->devices[i];
        struct ps_intervals computes = {0};

        ps_intervals_join(&device->busy);
        ps_intervals_join(&device->collective);
        add_difference(&computes, &device->busy, &device->collective);
        ps_intervals_free(&device->busy);
        device->busy = computes;
        ps_intervals_add_all(&time->parts[PS_XLA_COMPUTE], &device->busy);
        ps_intervals_add_all(&time->parts[PS_XLA_COLLECTIVE], &device->collective);
    }
    for (size_t i = 0; i < PS_XLA_OUTSIDE; i++) {
        if (i)
            ps_intervals_add_all(&time->parts[i], &time->parts[i - 1]);
        ps_intervals_join(&time->parts[i]);
    }
}

void ps_xla_time_divide(const struct ps_xla_time *time, int64_t from, int64_t to,
                        int64_t out[PS_N_XLA_PARTS])
{
    int64_t before = 0;

    for (size_t i = 0; i < PS_XLA_OUTSIDE; i++) {
        const int64_t all = ps_intervals_length(&time->parts[i], from, to);

        out[i] = all - before;
        before = all;
    }
    out[PS_XLA_OUTSIDE] = to - from - before;
}

/* Without steps, the window is that of all that XLA does. */
static void find_window(struct ps_xla_time *time)
{
    const struct ps_intervals *all = &time->parts[PS_XLA_OUTSIDE - 1];

    if (time->steps.n)
        return;
    time->window = all->n ? (struct ps_range){all->items[0].start, all->items[all->n - 1].end}
                          : (struct ps_range){0, 0};
}

/* In collectives, a device waits for the last one, which itself has the shortest collectives. */
static void find_waits(struct ps_xla_time *time)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < time->n_devices; i++) {
        struct ps_xla_device *device = &time->devices[i];

        device->busy_ns =
            ps_intervals_length(&device->busy, time->window.from_ns, time->window.to_ns);
        device->wait_ns =
            ps_intervals_length(&device->collective, time->window.from_ns, time->window.to_ns);
        least = device->wait_ns < least ? device->wait_ns : least;
    }
    for (size_t i = 0; i < time->n_devices; i++)
        time->devices[i].wait_ns -= least;
}

static void count_compiled(struct ps_xla_time *time, struct ps_intervals *compiled)
{
    ps_intervals_join(compiled);
    for (size_t i = 0; i < compiled->n; i++)
        time->compiled += compiled->items[i].start < time->window.to_ns &&
                          compiled->items[i].end > time->window.from_ns;
    for (size_t i = 0; i < time->steps.n; i++)
        time->compile_steps +=
            ps_intervals_length(compiled, time->steps.items[i].start, time->steps.items[i].end) > 0;
}

/* Threads on which XLA compiles code: "tf_xla-cpu-codegen/1", "tf_PjRtCompilerThreadPool/2". */
static enum ps_status find_compilers(struct reading *reading, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(reading->db, ps_query_sql("xla_compilers"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const int64_t track = ps_col_int(stmt, 0);

        if (track <= 0 || track > PS_TRACKS_MAX)
            continue;
        reading->compilers =
            ps_grow_to(reading->compilers, &reading->n_compilers, (size_t)track, 1);
        reading->compilers[track] = 1;
    }
    return err->code;
}

static enum ps_status read_all(struct reading *reading, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .range = PS_RANGE_ALL,
        .columns = PS_XLA_CALL_COLUMNS | PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS),
        .wants_args = true,
    };

    if (find_compilers(reading, err) == PS_OK &&
        ps_xla_arguments_open(reading->db, &reading->arguments, err) == PS_OK)
        ps_trace_each_chunk(reading->db, &query, visit, reading, err);
    end_track(reading);
    return err->code;
}

enum ps_status ps_xla_count_workers(struct ps_db *db, uint32_t *out, struct ps_err *err)
{
    PS_AUTO(ps_track_owners_free) struct ps_track_owners owners = {0};

    ps_track_owners_read(db, &owners, err);
    *out = owners.n_workers ? owners.n_workers : 1;
    return err->code;
}

void ps_xla_time_add_devices(struct ps_xla_time *to, struct ps_xla_time *from)
{
    for (size_t i = 0; i < from->n_devices; i++) {
        PS_RESERVE_ONE(to->devices, to->n_devices, to->cap_devices);
        to->devices[to->n_devices++] = from->devices[i];
    }
    from->n_devices = 0;
    find_waits(to);
}

enum ps_status ps_xla_time_read(struct ps_db *db, uint32_t worker, struct ps_xla_time *out,
                                struct ps_err *err)
{
    struct reading reading = {.db = db, .time = out};

    *out = (struct ps_xla_time){.worker = worker};
    ps_track_owners_read(db, &reading.owners, err);
    if (read_steps(db, out, err) == PS_OK && read_all(&reading, err) == PS_OK) {
        const struct ps_intervals *all = &out->parts[PS_XLA_OUTSIDE - 1];
        struct ps_intervals window = {0};

        join_parts(out);
        find_window(out);
        find_waits(out);
        count_compiled(out, &reading.compiled);
        ps_xla_time_divide(out, out->window.from_ns, out->window.to_ns, out->part_ns);
        ps_intervals_add(&window, out->window.from_ns, out->window.to_ns);
        add_difference(&out->outside, &window, all);
        ps_intervals_free(&window);
    }
    free(reading.names);
    free(reading.executors);
    ps_track_owners_free(&reading.owners);
    free(reading.open);
    free(reading.compilers);
    ps_intervals_free(&reading.compiled);
    ps_xla_arguments_close(&reading.arguments);
    return err->code;
}

void ps_xla_time_free(struct ps_xla_time *time)
{
    ps_intervals_free(&time->steps);
    for (size_t i = 0; i < PS_XLA_OUTSIDE; i++)
        ps_intervals_free(&time->parts[i]);
    for (size_t i = 0; i < time->n_devices; i++) {
        ps_intervals_free(&time->devices[i].busy);
        ps_intervals_free(&time->devices[i].collective);
    }
    free(time->devices);
    ps_intervals_free(&time->outside);
}
