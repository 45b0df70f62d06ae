/* SPDX-License-Identifier: MIT */
/*
 * names.c: names of the numbers in the export.
 *
 * A globalTid has 8 bits for the machine, 8 for the virtual machine, 24 for the process and 24 for
 * the thread; a globalPid is the same without a thread. Both may be negative as signed numbers.
 */
#include "importers/nsys/nsys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/text/clean.h"

#define TEXT_MOST ((size_t)1 << 30) /* bytes of all names */
#define NAME_HEAD ((size_t)64 << 10)

/* --- Maps --- */

void ns_map_put(struct ns_map *map, const void *key, size_t size, struct ps_str value)
{
    uint32_t index = ps_intern_id(&map->keys, (struct ps_str){key, size});

    if (index >= map->cap) {
        map->cap = map->cap ? map->cap * 2 : 64;
        map->values = ps_grow(map->values, map->cap, sizeof *map->values);
    }
    map->values[index] = value;
}

struct ps_str ns_map_get(struct ns_map *map, const void *key, size_t size)
{
    uint32_t index = ps_intern_find(&map->keys, (struct ps_str){key, size});

    return index == PS_INTERN_NONE ? (struct ps_str){NULL, 0} : map->values[index];
}

struct ps_str ns_word(struct ns_map *map, int64_t number)
{
    return ns_map_get(map, &number, sizeof number);
}

static void map_free(struct ns_map *map)
{
    ps_intern_free(&map->keys);
    free(map->values);
}

/* --- Strings --- */

struct ps_str ns_clean(struct ns_reader *r, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    text = ps_text_head(text, NAME_HEAD);
    if (text.len && !ps_is_clean_text(text)) {
        ps_clean_text(&clean, text);
        text = ps_buf_slice(&clean);
    }
    return ps_arena_copy(&r->trace.arena, text.at ? text : PS_STR(""));
}

uint32_t ns_text(struct ns_reader *r, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    text = ps_text_head(text, NAME_HEAD);
    if (text.len && !ps_is_clean_text(text)) {
        ps_clean_text(&clean, text);
        text = ps_buf_slice(&clean);
    }
    return tr_text_id(&r->trace, text);
}

static enum ns_fate string_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ns_strings *s = &r->strings;
    struct ps_str text = ps_rows_text(rows, 1);
    int64_t id;

    if (!ps_rows_int(rows, 0, &id) || !text.at)
        return NS_OTHER;
    if (text.len > TEXT_MOST - s->n_bytes) {
        ps_fail(r->err, PS_LIMIT, "the export has more than %zu MiB of names", TEXT_MOST >> 20);
        return NS_FAILED;
    }
    while (s->cap_bytes - s->n_bytes < text.len) {
        s->cap_bytes = s->cap_bytes ? s->cap_bytes * 2 : 1 << 16;
        s->bytes = tr_scratch_grow(r->trace.scratch, s->bytes, s->cap_bytes, 1);
    }
    if (text.len)
        memcpy(s->bytes + s->n_bytes, text.at, text.len);
    TR_SCRATCH_PUSH(r->trace.scratch, s->at, s->n, s->cap);
    s->at[s->n++] = (struct ns_string){.id = id, .at = s->n_bytes, .len = (uint32_t)text.len};
    s->n_bytes += text.len;
    return NS_OTHER;
}

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const struct ns_string *)a)->id, y = ((const struct ns_string *)b)->id;

    return (x > y) - (x < y);
}

/* Finds a string by id. Ids are usually without gaps. */
static struct ns_string *find_string(struct ns_reader *r, int64_t id)
{
    struct ns_strings *s = &r->strings;
    uint64_t guess = s->n ? (uint64_t)id - (uint64_t)s->at[0].id : 0;
    const struct ns_string key = {.id = id};

    if (guess < s->n && s->at[guess].id == id)
        return &s->at[guess];
    return s->n ? bsearch(&key, s->at, s->n, sizeof key, by_id) : NULL;
}

static struct ps_str bytes_of(const struct ns_reader *r, const struct ns_string *string)
{
    return (struct ps_str){string->len ? r->strings.bytes + string->at : "", string->len};
}

static uint32_t missing(struct ns_reader *r, int64_t id)
{
    char text[48];

    (void)snprintf(text, sizeof text, "(name %" PRId64 " is not in the file)", id);
    return tr_text_id(&r->trace, ps_str_of(text));
}

uint32_t ns_text_of(struct ns_reader *r, int64_t id)
{
    struct ns_string *string = find_string(r, id);

    if (!string)
        return missing(r, id);
    if (!string->text)
        string->text = ns_text(r, bytes_of(r, string));
    return string->text;
}

/* Removes the CUDA version of a call from its name: "_v3020", but not "_v2". */
static struct ps_str without_version(struct ps_str name)
{
    size_t digits = 0;

    while (digits < name.len && name.at[name.len - 1 - digits] >= '0' &&
           name.at[name.len - 1 - digits] <= '9')
        digits++;
    if (digits < 4 || name.len < digits + 3 ||
        memcmp(name.at + name.len - digits - 2, "_v", 2) != 0)
        return name;
    return (struct ps_str){name.at, name.len - digits - 2};
}

uint32_t ns_call_of(struct ns_reader *r, int64_t id)
{
    struct ns_string *string = find_string(r, id);

    if (!string)
        return missing(r, id);
    if (!string->call)
        string->call = ns_text(r, without_version(bytes_of(r, string)));
    return string->call;
}

/* --- Processes, threads and streams --- */

int64_t ns_pid(int64_t global)
{
    return (int64_t)((uint64_t)global >> 24 & 0xffffff);
}

static uint64_t process_key(int64_t global)
{
    return (uint64_t)global >> 24;
}

static enum ns_fate process_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ps_str name = ps_rows_text(rows, 1);
    int64_t global;
    uint64_t key;

    if (!ps_rows_int(rows, 0, &global) || !name.len)
        return NS_OTHER;
    key = process_key(global);
    ns_map_put(&r->processes, &key, sizeof key, ns_clean(r, name));
    return NS_OTHER;
}

static enum ns_fate thread_row(struct ns_reader *r, const struct ps_rows *rows)
{
    const struct ns_string *string;
    int64_t global, name;

    if (!ps_rows_int(rows, 0, &global) || !ps_rows_int(rows, 1, &name))
        return NS_OTHER;
    string = find_string(r, name);
    if (string && string->len)
        ns_map_put(&r->threads, &global, sizeof global, ns_clean(r, bytes_of(r, string)));
    return NS_OTHER;
}

/* Looks up a key. *at: its element in the list of thread indices. True: the key is new, the caller
 * sets the element. */
static bool new_key(struct ps_intern *keys, const void *key, size_t size, uint32_t **list,
                    size_t *cap, uint32_t **at)
{
    uint32_t known = keys->count, index = ps_intern_id(keys, (struct ps_str){key, size});

    if (index >= *cap) {
        *cap = *cap ? *cap * 2 : 64;
        *list = ps_grow(*list, *cap, sizeof **list);
    }
    *at = &(*list)[index];
    return index == known;
}

static uint32_t thread_of(struct ns_reader *r, int64_t global, bool process_only)
{
    char pid[24], tid[24] = "";
    uint64_t process = process_key(global);
    struct tr_thread *thread;
    uint32_t *at;

    const int64_t key[2] = {global, process_only};

    if (!new_key(&r->thread_keys, key, sizeof key, &r->thread_of, &r->cap_thread_of, &at))
        return *at;
    (void)snprintf(pid, sizeof pid, "%" PRId64, ns_pid(global));
    if (!process_only)
        (void)snprintf(tid, sizeof tid, "%" PRId64, global & 0xffffff);
    *at = tr_fill_thread(&r->trace, ps_str_of(pid), ps_str_of(tid));
    thread = &r->trace.threads[*at];
    thread->name = ns_map_get(&r->threads, &global, sizeof global);
    thread->process_name = ns_map_get(&r->processes, &process, sizeof process);
    return *at;
}

uint32_t ns_thread(struct ns_reader *r, int64_t global_tid)
{
    return thread_of(r, global_tid, false);
}

uint32_t ns_process(struct ns_reader *r, int64_t global_pid)
{
    return thread_of(r, global_pid, true);
}

static uint32_t gpu_thread(struct ns_reader *r, int64_t gpu, struct ps_str tid)
{
    char pid[32];
    struct tr_thread *thread;
    uint32_t index;

    (void)snprintf(pid, sizeof pid, "GPU %" PRId64, gpu);
    index = tr_fill_thread(&r->trace, ps_str_of(pid), tid);
    thread = &r->trace.threads[index];
    thread->device = gpu;
    thread->process_name = ns_word(&r->gpu_names, gpu);
    return index;
}

uint32_t ns_gpu_thread(struct ns_reader *r, int64_t gpu)
{
    return gpu_thread(r, gpu, PS_STR(""));
}

/* Writes the tid of a stream: its number, with process and context if other streams have that
 * number. */
static void stream_tid(const struct ns_stream *stream, bool process, bool context, char out[96])
{
    int n = snprintf(out, 96, "%" PRId64, stream->stream);

    if (process)
        n += snprintf(out + n, 96 - (size_t)n, ", process %" PRId64, stream->pid);
    if (context)
        (void)snprintf(out + n, 96 - (size_t)n, ", context %" PRId64, stream->context);
}

static uint32_t new_stream(struct ns_reader *r, const struct ns_stream *stream)
{
    const int64_t owner[3] = {stream->device, stream->stream, stream->pid};
    struct ps_str bytes = {(const char *)owner, sizeof owner};
    uint32_t n_owners = r->stream_owners.count;
    bool again = ps_intern_id(&r->stream_owners, bytes) < n_owners;
    char tid[96];
    uint32_t index;

    for (int form = 0; form < 3; form++) {
        uint32_t known = r->trace.n_threads;

        stream_tid(stream, form == 2 || (form == 1 && !again), form == 2 || (form == 1 && again),
                   tid);
        index = gpu_thread(r, stream->device, ps_str_of(tid));
        if (known == r->trace.n_threads)
            continue;
        if (form > 0)
            r->trace.threads[index].name =
                ps_str_of(ps_arena_printf(&r->trace.arena, "stream %s", tid));
        break;
    }
    if (stream->stream < INT32_MAX)
        r->trace.threads[index].sort_index = stream->stream;
    return index;
}

uint32_t ns_stream(struct ns_reader *r, const struct ns_stream *stream)
{
    uint32_t *at;

    if (stream->stream == NS_NO_STREAM)
        return ns_gpu_thread(r, stream->device);
    if (stream->stream < 0) /* importers/trace detects waits by a negative tid */
        return gpu_thread(r, stream->device, PS_STR("-1"));
    if (new_key(&r->stream_keys, stream, sizeof *stream, &r->stream_of, &r->cap_stream_of, &at))
        *at = new_stream(r, stream);
    return *at;
}

/* --- Enumerations --- */

static void words(struct ns_map *map, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t number = (int64_t)i;

        if (list[i])
            ns_map_put(map, &number, sizeof number, ps_str_of(list[i]));
    }
}

/* Labels for older exports, which have no tables of labels. */
static void known_words(struct ns_reader *r)
{
    static const char *const copies[] = {"Unknown", "HtoD",     "DtoH",     "HtoA",    "AtoH",
                                         "AtoA",    "AtoD",     "DtoA",     "DtoD",    "HtoH",
                                         "PtoP",    "UVM HtoD", "UVM DtoH", "UVM DtoD"};
    static const char *const memories[] = {"Pageable",       "Pinned",  "Device",
                                           "Array",          "Managed", "Device Static",
                                           "Managed Static", "Unknown"};
    static const char *const waits[] = {"Unknown sync", "Event sync", "Stream wait sync",
                                        "Stream sync", "Context sync"};

    words(&r->copies, copies, sizeof copies / sizeof *copies);
    words(&r->memories, memories, sizeof memories / sizeof *memories);
    words(&r->waits, waits, sizeof waits / sizeof *waits);
}

static enum ns_fate word_row(struct ns_reader *r, const struct ps_rows *rows, struct ns_map *map)
{
    struct ps_str label = ps_rows_text(rows, 1);
    int64_t number;

    if (label.len && label.len < 100 && ps_rows_int(rows, 0, &number))
        ns_map_put(map, &number, sizeof number, ns_clean(r, label));
    return NS_OTHER;
}

static enum ns_fate copy_row(struct ns_reader *r, const struct ps_rows *rows)
{
    return word_row(r, rows, &r->copies);
}

static enum ns_fate memory_row(struct ns_reader *r, const struct ps_rows *rows)
{
    return word_row(r, rows, &r->memories);
}

static enum ns_fate wait_row(struct ns_reader *r, const struct ps_rows *rows)
{
    return word_row(r, rows, &r->waits);
}

enum ps_status ns_names_read(struct ns_reader *r)
{
    static const char *const string[] = {"id", "value"}, *const process[] = {"globalPid", "name"};
    static const char *const thread[] = {"globalTid", "nameId"}, *const word[] = {"id", "label"};
    static const struct ns_table tables[] = {
        {"PROCESSES", NS_COLUMNS(process), process_row},
        {"ThreadNames", NS_COLUMNS(thread), thread_row},
        {"ENUM_CUDA_MEMCPY_OPER", NS_COLUMNS(word), copy_row},
        {"ENUM_CUDA_MEM_KIND", NS_COLUMNS(word), memory_row},
        {"ENUM_CUPTI_SYNC_TYPE", NS_COLUMNS(word), wait_row},
    };
    const struct ns_table strings = {"StringIds", NS_COLUMNS(string), string_row};
    enum ps_status status = ns_look(r, &strings);

    if (status == PS_OK && r->strings.n)
        qsort(r->strings.at, r->strings.n, sizeof *r->strings.at, by_id);
    known_words(r);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == PS_OK; i++)
        status = ns_look(r, &tables[i]);
    return status;
}

void ns_names_free(struct ns_reader *r)
{
    struct ns_map *maps[] = {&r->processes, &r->threads, &r->gpu_names, &r->metrics,   &r->copies,
                             &r->memories,  &r->waits,   &r->domains,   &r->categories};

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    ps_intern_free(&r->thread_keys);
    ps_intern_free(&r->stream_keys);
    ps_intern_free(&r->stream_owners);
    ps_intern_free(&r->cuda_devices);
    free(r->thread_of);
    free(r->stream_of);
    free(r->gpu_of);
    free(r->gpus);
    ps_hash_table_free(&r->gpu_at);
    tr_scratch_free(r->trace.scratch, r->strings.at);
    tr_scratch_free(r->trace.scratch, r->strings.bytes);
}
