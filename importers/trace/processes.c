/* SPDX-License-Identifier: MIT */
/* processes.c: processes and threads: their names from metadata events (M), and their order. */
#include "importers/trace/processes.h"
#include "importers/records/trace.h"
#include "importers/trace/import_state.h"
#include "importers/trace/track.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/text/clean.h"

/* Returns the index of a process, adding it if it is new. Numeric pids with the same value are the
 * same process in any notation. */
uint32_t tr_process_index(struct tr_trace *trace, struct ps_str pid, int64_t number)
{
    struct tr_import_state *import = trace->import;
    char digits[24];
    struct ps_str key = pid;
    uint32_t index;

    if (number != INT64_MIN) {
        snprintf(digits, sizeof digits, "%" PRId64, number);
        key = ps_str_from_c(digits);
    }
    index = ps_intern_add(&import->pids, key);
    if (index == import->n_processes) {
        PS_RESERVE_ONE(import->processes, import->n_processes, import->cap_processes);
        import->processes[import->n_processes++] = (struct tr_process){
            .pid = import->pids.items[index], .pid_number = number, .sort_index = INT64_MIN};
        import->processes[index].name = import->processes[index].labels = PS_STR("");
        import->processes[index].device = -1;
    }
    return index;
}

struct ps_str tr_read_arg_text(struct tr_trace *trace, const struct tr_record *record,
                               struct ps_str key)
{
    struct ps_buf json = {0}, clean = {0};
    struct ps_str value = {NULL, 0};
    const cJSON *item = NULL;
    cJSON *args;

    if (!record->template)
        return value;
    ps_args_json(trace->templates[record->template].text, tr_params_at(trace, record->args_address),
                 false, &json);
    args = cJSON_ParseWithLength(json.ptr, json.len);
    item = cJSON_GetObjectItemCaseSensitive(args, key.ptr);
    if (cJSON_IsString(item))
        ps_clean_text(&clean, ps_str_from_c(item->valuestring));
    else if (cJSON_IsNumber(item))
        ps_buf_printf(&clean, "%.17g", item->valuedouble);
    value = ps_arena_copy(&trace->arena, ps_buf_slice(&clean));
    cJSON_Delete(args);
    ps_buf_free(&json);
    ps_buf_free(&clean);
    return value;
}

/* Returns the sort index; INT64_MIN: none. Numbers beyond 32 bits are ignored, because they would
 * distort the order of all others. */
static int64_t read_sort_index(struct tr_trace *trace, const struct tr_record *record)
{
    struct ps_str text = tr_read_arg_text(trace, record, PS_STR("sort_index"));
    int64_t value;

    if (!ps_str_parse_i64(text, &value) || value > INT32_MAX || value < INT32_MIN)
        return INT64_MIN;
    return value;
}

void tr_read_metadata(struct tr_trace *trace, uint32_t thread, const struct tr_record *record)
{
    struct tr_thread_facts *facts = &trace->import->threads[thread];
    struct tr_process *process = &trace->import->processes[facts->process];
    struct ps_str name = tr_text_of_id(trace, record->name), text;

    if (ps_str_eq_c(name, "process_name")) {
        text = tr_read_arg_text(trace, record, PS_STR("name"));
        process->name = text.len ? text : process->name;
    } else if (ps_str_eq_c(name, "process_labels")) {
        text = tr_read_arg_text(trace, record, PS_STR("labels"));
        process->labels = text.len ? text : process->labels;
    } else if (ps_str_eq_c(name, "process_sort_index")) {
        process->sort_index = read_sort_index(trace, record);
    } else if (ps_str_eq_c(name, "thread_name")) {
        text = tr_read_arg_text(trace, record, PS_STR("name"));
        facts->name = text.len ? text : facts->name;
    } else if (ps_str_eq_c(name, "thread_sort_index")) {
        facts->sort_index = read_sort_index(trace, record);
    }
}

/* Returns the group of a process in the display order: hosts, devices, then others ("Spans",
 * overhead). */
static int process_group(const struct tr_process *process, bool torch)
{
    const uint32_t device =
        1u << TR_CLASS_STREAM | 1u << TR_CLASS_ANNOTATIONS | 1u << TR_CLASS_SYNC;

    if (process->classes & 1u << TR_CLASS_THREAD)
        return 0;
    if (process->classes & device)
        return 1;
    return torch ? 2 : 0;
}

struct ordered_process {
    uint32_t index;
    int64_t group, sort_index;
};

static int by_order(const void *a, const void *b)
{
    const struct ordered_process *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->sort_index != y->sort_index)
        return x->sort_index < y->sort_index ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int64_t first_digits(struct ps_str text)
{
    int64_t value = -1;

    for (size_t i = 0; i < text.len && value < 100000; i++) {
        if (text.ptr[i] >= '0' && text.ptr[i] <= '9')
            value = (value < 0 ? 0 : value * 10) + (text.ptr[i] - '0');
        else if (value >= 0)
            break;
    }
    return value;
}

static void find_devices(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;

    for (uint32_t i = 0; i < trace->n_threads; i++) {
        struct tr_thread_facts *facts = &import->threads[i];
        struct tr_process *process = &import->processes[facts->process];

        if (process_group(process, tr_is_attributed(trace)) != 1 || process->device >= 0)
            continue;
        if (process->pid_number >= 0 && process->pid_number < 4096)
            process->device = process->pid_number;
        else if (facts->device >= 0)
            process->device = facts->device;
        else
            process->device = first_digits(process->pid);
    }
}

static void place_processes(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;
    struct ordered_process *order = ps_grow(NULL, (size_t)import->n_processes + 1, sizeof *order);

    for (uint32_t i = 0; i < import->n_processes; i++) {
        const struct tr_process *process = &import->processes[i];

        order[i] = (struct ordered_process){.index = i, .sort_index = process->sort_index};
        order[i].group = process_group(process, tr_is_attributed(trace));
        if (order[i].sort_index == INT64_MIN)
            order[i].sort_index = order[i].group == 1 ? process->device : 0;
    }
    qsort(order, import->n_processes, sizeof *order, by_order);
    for (uint32_t i = 0; i < import->n_processes; i++)
        import->processes[order[i].index].position = i;
    free(order);
}

/* Returns the rank of a thread as main thread: 2 if it has the steps, 1 if its tid is the pid, else
 * 0. */
static int main_thread_rank(const struct tr_trace *trace, uint32_t thread)
{
    const struct tr_thread *is = &trace->threads[thread];
    const struct tr_thread_facts *facts = &trace->import->threads[thread];

    if (facts->has_steps)
        return 2;
    return trace->is_torch && facts->n[TR_CLASS_THREAD] && is->tid_number == is->pid_number;
}

/* Puts the main thread of each process first: the thread with the highest rank, among equals the
 * thread with the most slices. */
static void put_main_threads_first(struct tr_trace *trace, struct ordered_process *order)
{
    struct tr_import_state *import = trace->import;
    uint32_t *most = ps_grow(NULL, (size_t)import->n_processes + 1, sizeof *most);

    for (uint32_t i = 0; i < import->n_processes; i++)
        most[i] = TR_NO_ROW;
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        const struct tr_thread_facts *facts = &import->threads[i];
        uint32_t *at = &most[facts->process];
        int more = *at == TR_NO_ROW ? 1 : main_thread_rank(trace, i) - main_thread_rank(trace, *at);

        if (more > 0 ||
            (more == 0 && facts->n[TR_CLASS_THREAD] > import->threads[*at].n[TR_CLASS_THREAD]))
            *at = i;
    }
    for (uint32_t i = 0; i < import->n_processes; i++)
        if (most[i] != TR_NO_ROW)
            order[most[i]].group = -1;
    free(most);
}

static void place_threads(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;
    struct ordered_process *order = ps_grow(NULL, (size_t)trace->n_threads + 1, sizeof *order);

    for (uint32_t i = 0; i < trace->n_threads; i++) {
        const struct tr_thread_facts *facts = &import->threads[i];
        bool host = import->processes[facts->process].device < 0;

        order[i] = (struct ordered_process){.index = i, .sort_index = facts->sort_index};
        if (order[i].sort_index == INT64_MIN)
            order[i].sort_index = host || trace->threads[i].tid_number == INT64_MIN
                                      ? 0
                                      : trace->threads[i].tid_number;
    }
    put_main_threads_first(trace, order);
    for (uint32_t i = 0; i < trace->n_threads; i++)
        if (import->processes[import->threads[i].process].device >= 0)
            order[i].group = 0;
    qsort(order, trace->n_threads, sizeof *order, by_order);
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        struct tr_thread_facts *facts = &import->threads[order[i].index];

        facts->position = import->processes[facts->process].n_placed_threads++;
    }
    free(order);
}

void tr_processes_assign_order(struct tr_trace *trace)
{
    find_devices(trace);
    place_processes(trace);
    place_threads(trace);
}

/* Whether the process has the overhead of the profiler, for which Kineto writes the pid -1 and no
 * name. */
static bool is_profiler(const struct tr_process *process)
{
    return process->pid_number == -1 && process->classes == 1u << TR_CLASS_OVERHEAD &&
           process->name.len == 0 && process->labels.len == 0;
}

uint32_t tr_process_id(struct tr_trace *trace, uint32_t index)
{
    struct tr_process *process = &trace->import->processes[index];
    struct ps_process given;

    if (process->id)
        return process->id;
    process->id = ++trace->import->written_processes;
    given =
        (struct ps_process){.id = process->id,
                            .pid = process->pid,
                            .name = process->name,
                            .labels = is_profiler(process) ? PS_STR("Profiler") : process->labels,
                            .sort_key = process->position,
                            .device = process->device};
    trace->out->ops->process(trace->out, &given);
    return process->id;
}

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

/* Returns the name of a stream, "stream 7", also if the tid is "stream 7 annotations", as torch
 * wrote it in 2020. */
static struct ps_str stream_name(struct tr_trace *trace, const struct tr_track *track,
                                 struct ps_str tid)
{
    if (track->stream >= 0)
        return ps_str_from_c(ps_arena_printf(&trace->arena, "stream %" PRId64, track->stream));
    return tid.len ? tid : PS_STR("stream");
}

static struct ps_str name_of(struct tr_trace *trace, const struct tr_thread_facts *facts,
                             const struct tr_track *track, struct ps_str tid)
{
    struct ps_str stream = trim_spaces(facts->name);

    switch (track->kind) {
    case PS_TRACK_STREAM:
        return stream.len ? stream : stream_name(trace, track, tid);
    case PS_TRACK_STREAM_ANNOTATIONS:
        stream = stream_name(trace, track, tid);
        return ps_str_from_c(
            ps_arena_printf(&trace->arena, "%.*s annotations", (int)stream.len, stream.ptr));
    case PS_TRACK_SYNC:
        return PS_STR("device waits");
    case PS_TRACK_OVERHEAD:
        if (ps_str_eq_c(tid, "0")) /* the file has no thread for this overhead */
            return PS_STR("profiler overhead");
        return ps_str_from_c(ps_arena_printf(&trace->arena, "profiler overhead, thread %.*s",
                                             (int)tid.len, tid.ptr));
    case PS_TRACK_SPAN:
        return tid.len ? tid : PS_STR("spans");
    default:
        break;
    }
    if (stream.len)
        return stream;
    if (track->tid == INT64_MIN)
        return tid.len ? tid : PS_STR("events without a thread");
    return ps_str_from_c(ps_arena_printf(&trace->arena, "thread %" PRId64, track->tid));
}

/* Number of sort positions of a process. The tracks of a thread have consecutive positions, in the
 * order of enum tr_track_class. */
#define POSITIONS_PER_PROCESS (INT64_C(1) << 32)

int64_t tr_track_sort_key(const struct tr_process *process, int64_t thread, int kind)
{
    return process->position * POSITIONS_PER_PROCESS + thread * TR_N_CLASSES + kind;
}

void tr_track_describe(struct tr_trace *trace, uint32_t index, enum tr_track_class kind,
                       struct tr_track *track)
{
    struct tr_import_state *import = trace->import;
    const struct tr_thread_facts *facts = &import->threads[index];
    const struct tr_thread *thread = &trace->threads[index];
    const struct tr_process *process = &import->processes[facts->process];

    track->process = tr_process_id(trace, facts->process);
    track->thread = thread;
    track->tid = thread->tid_number;
    if (kind == TR_CLASS_STREAM || kind == TR_CLASS_ANNOTATIONS || kind == TR_CLASS_SYNC) {
        track->device = process->device >= 0 ? process->device : facts->device;
        if (kind != TR_CLASS_SYNC)
            track->stream =
                thread->tid_number >= 0 ? thread->tid_number : first_digits(thread->tid);
    }
    track->name = name_of(trace, facts, track, thread->tid);
    track->sort_key = tr_track_sort_key(process, facts->position, (int)kind);
}

void tr_processes_free(struct tr_import_state *import)
{
    free(import->processes);
    free(import->threads);
    free(import->category_class);
    free(import->other_fields);
    ps_intern_free(&import->pids);
}

/* Kineto puts waits for contexts and events on tid -1, and since 2026 waits for a stream on tid
 * stream + 1000000. */
bool tr_thread_has_only_waits(const struct tr_thread *thread)
{
    return thread->tid_number != INT64_MIN &&
           (thread->tid_number < 0 || thread->tid_number >= 1000000);
}
