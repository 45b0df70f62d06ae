/* SPDX-License-Identifier: MIT */
/*
 * nsys.c: reads SQLite exports of NVIDIA Nsight Systems as records of a trace (trace/fill.h).
 *
 * The tool creates tables only when needed, and their columns differ by version: each table and
 * column may be missing. The ledger counts the rows of unknown tables.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash_table.h"
#include "base/json_out.h"
#include "base/sqlite.h"
#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/trace/fill.h"
#include "importers/trace/import.h"
#include "slices/intervals.h"

/* Maps integers to strings. */
struct map {
    struct ps_intern keys;
    struct ps_str *values;
    size_t cap;
};

struct string {
    int64_t id;
    uint64_t offset; /* offset in strings.bytes */
    uint32_t len;
    /* text ids of the string, and of the string without a version; 0: not requested yet */
    uint32_t text, call;
};
struct strings {
    struct string *items; /* sorted by id */
    size_t n, cap;
    char *bytes;
    size_t n_bytes, cap_bytes;
};

/* The arguments of the event that the current row becomes. */
struct args {
    struct ps_buf text, params;
};

struct uses;

struct gpu {
    int64_t id, multiprocessors;
};

struct reader {
    struct ps_sqlite *db;
    struct ps_sink *out;
    struct ps_err *err;
    struct tr_trace trace;
    struct strings strings;
    /* names of processes, by the upper bits of a globalPid; names of threads, by globalTid */
    struct map processes, threads;
    struct map gpu_names, metrics; /* names of GPUs, by id; names of metrics, by type and id */
    struct map copies, memories, waits, causes; /* labels of enumerations, by number */
    struct map domains, categories;             /* names in NVTX, by process and number */
    struct ps_intern thread_keys; /* keys: globalTid, and whether only its process is used */
    struct ps_intern stream_keys, stream_owners;
    struct ps_intern cuda_devices; /* keys: pid and CUDA device number */
    int64_t *gpu_ids;              /* GPU id, by index in cuda_devices */
    size_t cap_gpu_ids;
    /* index in trace.threads, by index in thread_keys and stream_keys */
    uint32_t *thread_indices, *stream_indices;
    size_t cap_thread_indices, cap_stream_indices;
    struct gpu *gpus;
    size_t n_gpus, cap_gpus;
    struct ps_hash_table gpu_index; /* id -> index in gpus */
    struct args args;
    int64_t shift_ns;      /* ns added to each time, so that the origin is a whole microsecond */
    int64_t end_ns;        /* end of the session; INT64_MIN: unknown */
    int64_t ranges;        /* number of NVTX start/end ranges so far */
    const char *table;     /* the table that is being read */
    uint64_t row;          /* number of the current row of `table`, from 1 */
    const char *reason;    /* why the row was rejected or repaired */
    uint64_t n_noted;      /* number of repaired and rejected rows of the table */
    uint64_t rejected;     /* number of rejected rows of the table */
    uint64_t messages;     /* number of warnings and errors of Nsight Systems so far */
    struct ps_buf devices; /* JSON of the GPUs */
    struct uses *uses;     /* NULL except while read_series runs */
};

/* The outcome of reading a row. */
enum outcome { NS_STORED, NS_REPAIRED, NS_REJECTED, NS_OTHER, NS_FAILED };
struct table {
    const char *name;
    const char *const *columns;
    size_t n;
    enum outcome (*row)(struct reader *r, const struct ps_rows *rows);
};
#define NS_COLUMN_LIST(list) list, sizeof(list) / sizeof *(list)

struct stream_key {
    int64_t device, pid, context, stream;
};
#define NS_NO_STREAM   (-2) /* work of the complete device */
#define NS_WAIT_STREAM (-1) /* waits for contexts and events */

/* --- Arguments --- */

/* Builds the arguments of an event as they are stored: a template and parameters
 * (slices/args.h). */

static void clear_args(struct args *args)
{
    args->text.len = args->params.len = 0;
}

static void key_of(struct args *args, const char *key)
{
    ps_buf_puts(&args->text, args->text.len ? ",\"" : "{\"");
    ps_buf_puts(&args->text, key);
    ps_buf_puts(&args->text, "\":");
}

static void put_int(struct args *args, int64_t value)
{
    ps_buf_add(&args->text, &(char){PS_TEMPLATE_INT}, 1);
    ps_args_put_int(&args->params, value);
}

static void add_arg_int(struct args *args, const char *key, int64_t value)
{
    key_of(args, key);
    put_int(args, value);
}

/* Appends a number with two decimals, limited to 1e15 so that it fits into 64 bits. */
static void put_decimal(struct args *args, double value)
{
    value = value > 1e15 ? 1e15 : value > -1e15 ? value : -1e15;
    ps_buf_add(&args->text, &(char){PS_TEMPLATE_DECIMAL}, 1);
    ps_args_put_decimal(&args->params, (int64_t)(value * 100 + (value < 0 ? -0.5 : 0.5)), 2);
}

/* Two decimals */
static void add_arg_decimal(struct args *args, const char *key, double value)
{
    key_of(args, key);
    put_decimal(args, value);
}

/* Adds a string as part of the template: use it only for arguments that have few different
 * values. */
static void add_arg_word(struct args *args, const char *key, struct ps_str word)
{
    struct ps_json json = ps_json_writer(&args->text);

    if (!word.len)
        return;
    key_of(args, key);
    ps_json_str(&json, word);
}

static void add_arg_column(struct args *args, const char *key, const struct ps_rows *rows,
                           size_t column)
{
    struct ps_num value = ps_rows_num(rows, column);

    if (value.kind == PS_NUM_INT)
        add_arg_int(args, key, value.i);
    else if (value.kind == PS_NUM_REAL)
        add_arg_decimal(args, key, value.r);
}

/* Adds a number whose key is from the file, and escapes the key. */
static void add_arg_number(struct args *args, struct ps_str key, struct ps_num value)
{
    struct ps_json json = ps_json_writer(&args->text);

    ps_buf_puts(&args->text, args->text.len ? "," : "{");
    ps_json_str(&json, key);
    ps_buf_puts(&args->text, ":");
    if (value.kind == PS_NUM_INT)
        put_int(args, value.i);
    else
        put_decimal(args, ps_num_to_real(value));
}

static void add_arg_triple(struct args *args, const char *key, const struct ps_rows *rows,
                           size_t first)
{
    int64_t value[3];

    for (size_t i = 0; i < 3; i++)
        if (!ps_rows_int(rows, first + i, &value[i]))
            return;
    key_of(args, key);
    for (size_t i = 0; i < 3; i++) {
        ps_buf_puts(&args->text, i ? "," : "[");
        put_int(args, value[i]);
    }
    ps_buf_puts(&args->text, "]");
}

static void free_args(struct args *args)
{
    ps_buf_free(&args->text);
    ps_buf_free(&args->params);
}

/* --- Rows --- */

/*
 * Tables are read row by row. Invalid rows are reported with their position: the first PS_NOTES_MAX
 * of each table one by one, the others as a count.
 */

#define PS_NOTES_MAX  10u        /* maximum number of notes on single rows per table */
#define PROGRESS_ROWS (1u << 14) /* rows between two progress reports */
#define TIME_MAX      (INT64_MAX / 4)

static enum outcome reject_row(struct reader *r, const char *why)
{
    r->reason = why;
    return NS_REJECTED;
}

/* Reads the times of a row, in ns of the trace, from columns 0 (start) and 1 (end). NS_STORED: the
 * row has both; NS_OTHER: the row has no end, and *dur is TR_NO_DURATION. */
static enum outcome read_times(struct reader *r, const struct ps_rows *rows, int64_t *start,
                               int64_t *dur)
{
    int64_t end;

    if (!ps_rows_int(rows, 0, start))
        return reject_row(r, "the row has no start time");
    if (*start > TIME_MAX || *start < -TIME_MAX)
        return reject_row(r, "the start time is out of range");
    *dur = TR_NO_DURATION;
    if (!ps_rows_int(rows, 1, &end)) {
        *start += r->shift_ns;
        return NS_OTHER;
    }
    if (end > TIME_MAX || end < -TIME_MAX)
        return reject_row(r, "the end time is out of range");
    *dur = end - *start;
    *start += r->shift_ns;
    if (*dur >= 0)
        return NS_STORED;
    *dur = 0;
    r->reason = "the end is before the start; duration set to 0";
    return NS_REPAIRED;
}

/* Adds a record with the arguments r->args to the trace. Returns `outcome`, or NS_FAILED. */
static enum outcome store_record(struct reader *r, uint32_t thread, struct tr_record record,
                                 enum outcome outcome)
{
    struct args *args = &r->args;

    if (args->text.len) {
        ps_buf_puts(&args->text, "}");
        record.template = tr_fill_template(&r->trace, ps_buf_slice(&args->text));
    }
    if (tr_fill_record(&r->trace, thread, record, ps_buf_slice(&args->params)) != PS_OK)
        return NS_FAILED;
    return outcome;
}

static void note_row(struct reader *r, enum outcome outcome)
{
    if (r->n_noted++ < PS_NOTES_MAX)
        ps_sink_note(r->out, outcome == NS_REPAIRED ? PS_NOTE_REPAIRED : PS_NOTE_REJECTED,
                     ps_sqlite_page_offset(r->db), 0, "row %" PRIu64 " of table %s: %s", r->row,
                     r->table, r->reason ? r->reason : "the row is invalid");
}

static void note_more_rows(struct reader *r)
{
    if (r->n_noted > PS_NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "more rows repaired or rejected: %" PRIu64 ", in table %s",
                     r->n_noted - PS_NOTES_MAX, r->table);
}

static void count_outcome(struct reader *r, enum outcome outcome)
{
    struct tr_counts *counts = &r->trace.counts;

    counts->read++;
    counts->repaired += outcome == NS_REPAIRED;
    counts->rejected += outcome == NS_REJECTED;
    r->rejected += outcome == NS_REJECTED;
    counts->other += outcome == NS_OTHER;
    counts->stored += outcome == NS_STORED;
    if (outcome == NS_REPAIRED || outcome == NS_REJECTED)
        note_row(r, outcome);
}

static enum ps_status check_cancelled(struct reader *r)
{
    uint64_t total, done = ps_sqlite_bytes_read(r->db, &total);

    if (!r->out->ops->progress(r->out, done, total, r->trace.counts.read) || !ps_sink_ok(r->out))
        return ps_fail(r->err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

static enum ps_status check_rejected_rows(struct reader *r)
{
    if (r->err->code != PS_OK || r->rejected <= r->row / 2)
        return r->err->code;
    return ps_fail_at(
        r->err, PS_BAD_INPUT, ps_sqlite_page_offset(r->db),
        "%" PRIu64 " of %" PRIu64 " rows of table %s are invalid: %s" PS_HINT
        "export the report again: nsys export --type sqlite -o out.sqlite report.nsys-rep",
        r->rejected, r->row, r->table, r->reason ? r->reason : "they have unexpected columns");
}

static enum ps_status read_table(struct reader *r, const struct table *table, bool records)
{
    struct ps_rows *rows;

    r->table = table->name;
    r->row = r->n_noted = r->rejected = 0;
    ps_rows_begin(r->db, table->name, table->columns, table->n, &rows, r->err);
    while (ps_rows_next(rows, r->err)) {
        enum outcome outcome;

        if (++r->row % PROGRESS_ROWS == 0 && check_cancelled(r) != PS_OK)
            break;
        r->reason = NULL;
        clear_args(&r->args);
        outcome = table->row(r, rows);
        if (outcome == NS_FAILED)
            break;
        if (records)
            count_outcome(r, outcome);
    }
    note_more_rows(r);
    (void)check_rejected_rows(r);
    ps_rows_end(rows);
    return r->err->code;
}

/* Calls table->row for each row and counts the outcomes. PS_BAD_INPUT: most rows are invalid, so
 * the table is damaged or has other content than its name implies. */
static enum ps_status count_rows(struct reader *r, const struct table *table)
{
    return read_table(r, table, true);
}

/* Calls table->row for each row of a table without records, such as names or devices; counts
 * nothing. */
static enum ps_status read_rows(struct reader *r, const struct table *table)
{
    return read_table(r, table, false);
}

/* --- Maps --- */

/*
 * Names of the numeric ids in the export.
 *
 * A globalTid has 8 bits for the machine, 8 for the virtual machine, 24 for the process and 24 for
 * the thread; a globalPid is the same without a thread. Both may be negative as signed numbers.
 */

#define TEXT_MAX  ((size_t)1 << 30) /* bytes of all names */
#define NAME_HEAD ((size_t)64 << 10)

static void map_put(struct map *map, const void *key, size_t size, struct ps_str value)
{
    uint32_t index = ps_intern_add(&map->keys, (struct ps_str){key, size});

    if (index >= map->cap) {
        map->cap = map->cap ? map->cap * 2 : 64;
        map->values = ps_grow(map->values, map->cap, sizeof *map->values);
    }
    map->values[index] = value;
}

/* Returns the value of a key; {NULL, 0}: the map lacks the key. */
static struct ps_str map_get(struct map *map, const void *key, size_t size)
{
    uint32_t index = ps_intern_find(&map->keys, (struct ps_str){key, size});

    return index == PS_INTERN_NONE ? (struct ps_str){NULL, 0} : map->values[index];
}

static struct ps_str map_word(struct map *map, int64_t number)
{
    return map_get(map, &number, sizeof number);
}

static void map_free(struct map *map)
{
    ps_intern_free(&map->keys);
    free(map->values);
}

/* --- Strings --- */

/* The returned text is valid until the trace is freed. */
static struct ps_str clean_text_of(struct reader *r, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    text = ps_truncate_text(text, NAME_HEAD);
    if (text.len && !ps_is_clean_text(text)) {
        ps_clean_text(&clean, text);
        text = ps_buf_slice(&clean);
    }
    return ps_arena_copy(&r->trace.arena, text.ptr ? text : PS_STR(""));
}

static uint32_t text_id_of(struct reader *r, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    text = ps_truncate_text(text, NAME_HEAD);
    if (text.len && !ps_is_clean_text(text)) {
        ps_clean_text(&clean, text);
        text = ps_buf_slice(&clean);
    }
    return tr_text_id(&r->trace, text);
}

static enum outcome string_row(struct reader *r, const struct ps_rows *rows)
{
    struct strings *s = &r->strings;
    struct ps_str text = ps_rows_text(rows, 1);
    int64_t id;

    if (!ps_rows_int(rows, 0, &id) || !text.ptr)
        return NS_OTHER;
    if (text.len > TEXT_MAX - s->n_bytes) {
        ps_fail(r->err, PS_LIMIT, "the export has more than %zu MiB of names", TEXT_MAX >> 20);
        return NS_FAILED;
    }
    while (s->cap_bytes - s->n_bytes < text.len) {
        s->cap_bytes = s->cap_bytes ? s->cap_bytes * 2 : 1 << 16;
        s->bytes = tr_scratch_grow(r->trace.scratch, s->bytes, s->cap_bytes, 1);
    }
    if (text.len)
        memcpy(s->bytes + s->n_bytes, text.ptr, text.len);
    TR_SCRATCH_PUSH(r->trace.scratch, s->items, s->n, s->cap);
    s->items[s->n++] = (struct string){.id = id, .offset = s->n_bytes, .len = (uint32_t)text.len};
    s->n_bytes += text.len;
    return NS_OTHER;
}

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const struct string *)a)->id, y = ((const struct string *)b)->id;

    return (x > y) - (x < y);
}

/* Finds a string by id. Ids are usually without gaps. */
static struct string *find_string(struct reader *r, int64_t id)
{
    struct strings *s = &r->strings;
    uint64_t guess = s->n ? (uint64_t)id - (uint64_t)s->items[0].id : 0;
    const struct string key = {.id = id};

    if (guess < s->n && s->items[guess].id == id)
        return &s->items[guess];
    return s->n ? bsearch(&key, s->items, s->n, sizeof key, by_id) : NULL;
}

static struct ps_str bytes_of(const struct reader *r, const struct string *string)
{
    return (struct ps_str){string->len ? r->strings.bytes + string->offset : "", string->len};
}

static uint32_t missing_string(struct reader *r, int64_t id)
{
    char text[48];

    (void)snprintf(text, sizeof text, "(name %" PRId64 " is not in the file)", id);
    return tr_text_id(&r->trace, ps_str_from_c(text));
}

/* Returns the text id of a row of StringIds. */
static uint32_t text_of_string(struct reader *r, int64_t id)
{
    struct string *string = find_string(r, id);

    if (!string)
        return missing_string(r, id);
    if (!string->text)
        string->text = text_id_of(r, bytes_of(r, string));
    return string->text;
}

/* Removes the CUDA version of a call from its name: "_v3020", but not "_v2". */
static struct ps_str without_version(struct ps_str name)
{
    size_t digits = 0;

    while (digits < name.len && name.ptr[name.len - 1 - digits] >= '0' &&
           name.ptr[name.len - 1 - digits] <= '9')
        digits++;
    if (digits < 4 || name.len < digits + 3 ||
        memcmp(name.ptr + name.len - digits - 2, "_v", 2) != 0)
        return name;
    return (struct ps_str){name.ptr, name.len - digits - 2};
}

/* Like text_of_string, without a version: cudaLaunchKernel for cudaLaunchKernel_v7000. */
static uint32_t call_of_string(struct reader *r, int64_t id)
{
    struct string *string = find_string(r, id);

    if (!string)
        return missing_string(r, id);
    if (!string->call)
        string->call = text_id_of(r, without_version(bytes_of(r, string)));
    return string->call;
}

/* --- Processes, threads and streams --- */

/* Returns the pid of a globalTid or globalPid. */
static int64_t pid_of(int64_t global)
{
    return (int64_t)((uint64_t)global >> 24 & 0xffffff);
}

static uint64_t process_key(int64_t global)
{
    return (uint64_t)global >> 24;
}

static enum outcome process_row(struct reader *r, const struct ps_rows *rows)
{
    struct ps_str name = ps_rows_text(rows, 1);
    int64_t global;
    uint64_t key;

    if (!ps_rows_int(rows, 0, &global) || !name.len)
        return NS_OTHER;
    key = process_key(global);
    map_put(&r->processes, &key, sizeof key, clean_text_of(r, name));
    return NS_OTHER;
}

static enum outcome thread_row(struct reader *r, const struct ps_rows *rows)
{
    const struct string *string;
    int64_t global, name;

    if (!ps_rows_int(rows, 0, &global) || !ps_rows_int(rows, 1, &name))
        return NS_OTHER;
    string = find_string(r, name);
    if (string && string->len)
        map_put(&r->threads, &global, sizeof global, clean_text_of(r, bytes_of(r, string)));
    return NS_OTHER;
}

/* Looks up a key, and adds it if it is new. Sets *at to the element of the key in *list. Returns
 * true if the key is new; the caller must then set the element. */
static bool new_key(struct ps_intern *keys, const void *key, size_t size, uint32_t **list,
                    size_t *cap, uint32_t **at)
{
    uint32_t known = keys->count, index = ps_intern_add(keys, (struct ps_str){key, size});

    if (index >= *cap) {
        *cap = *cap ? *cap * 2 : 64;
        *list = ps_grow(*list, *cap, sizeof **list);
    }
    *at = &(*list)[index];
    return index == known;
}

static uint32_t thread_of(struct reader *r, int64_t global, bool process_only)
{
    char pid[24], tid[24] = "";
    uint64_t process = process_key(global);
    struct tr_thread *thread;
    uint32_t *at;

    const int64_t key[2] = {global, process_only};

    if (!new_key(&r->thread_keys, key, sizeof key, &r->thread_indices, &r->cap_thread_indices, &at))
        return *at;
    (void)snprintf(pid, sizeof pid, "%" PRId64, pid_of(global));
    if (!process_only)
        (void)snprintf(tid, sizeof tid, "%" PRId64, global & 0xffffff);
    *at = tr_fill_thread(&r->trace, ps_str_from_c(pid), ps_str_from_c(tid));
    thread = &r->trace.threads[*at];
    thread->name = map_get(&r->threads, &global, sizeof global);
    thread->process_name = map_get(&r->processes, &process, sizeof process);
    return *at;
}

static uint32_t thread_of_tid(struct reader *r, int64_t global_tid)
{
    return thread_of(r, global_tid, false);
}

/* Returns the index of the thread for events of a process that have no thread. */
static uint32_t thread_of_pid(struct reader *r, int64_t global_pid)
{
    return thread_of(r, global_pid, true);
}

static uint32_t gpu_thread(struct reader *r, int64_t gpu, struct ps_str tid)
{
    char pid[32];
    struct tr_thread *thread;
    uint32_t index;

    (void)snprintf(pid, sizeof pid, "GPU %" PRId64, gpu);
    index = tr_fill_thread(&r->trace, ps_str_from_c(pid), tid);
    thread = &r->trace.threads[index];
    thread->device = gpu;
    thread->process_name = map_word(&r->gpu_names, gpu);
    return index;
}

/* Returns the index of the thread for events of a GPU that have no stream. */
static uint32_t thread_of_gpu(struct reader *r, int64_t gpu)
{
    return gpu_thread(r, gpu, PS_STR(""));
}

/* Writes the tid of a stream: its number, with process and context if other streams have that
 * number. */
static void stream_tid(const struct stream_key *stream, bool process, bool context, char out[96])
{
    int n = snprintf(out, 96, "%" PRId64, stream->stream);

    if (process)
        n += snprintf(out + n, 96 - (size_t)n, ", process %" PRId64, stream->pid);
    if (context)
        (void)snprintf(out + n, 96 - (size_t)n, ", context %" PRId64, stream->context);
}

static uint32_t new_stream(struct reader *r, const struct stream_key *stream)
{
    const int64_t owner[3] = {stream->device, stream->stream, stream->pid};
    struct ps_str bytes = {(const char *)owner, sizeof owner};
    uint32_t n_owners = r->stream_owners.count;
    bool again = ps_intern_add(&r->stream_owners, bytes) < n_owners;
    char tid[96];
    uint32_t index;

    for (int form = 0; form < 3; form++) {
        uint32_t known = r->trace.n_threads;

        stream_tid(stream, form == 2 || (form == 1 && !again), form == 2 || (form == 1 && again),
                   tid);
        index = gpu_thread(r, stream->device, ps_str_from_c(tid));
        if (known == r->trace.n_threads)
            continue;
        if (form > 0)
            r->trace.threads[index].name =
                ps_str_from_c(ps_arena_printf(&r->trace.arena, "stream %s", tid));
        break;
    }
    if (stream->stream < INT32_MAX)
        r->trace.threads[index].sort_index = stream->stream;
    return index;
}

static uint32_t thread_of_stream(struct reader *r, const struct stream_key *stream)
{
    uint32_t *at;

    if (stream->stream == NS_NO_STREAM)
        return thread_of_gpu(r, stream->device);
    if (stream->stream < 0) /* importers/trace detects tracks of waits by a negative tid */
        return gpu_thread(r, stream->device, PS_STR("-1"));
    if (new_key(&r->stream_keys, stream, sizeof *stream, &r->stream_indices, &r->cap_stream_indices,
                &at))
        *at = new_stream(r, stream);
    return *at;
}

/* --- Enumerations --- */

static void map_words(struct map *map, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t number = (int64_t)i;

        if (list[i])
            map_put(map, &number, sizeof number, ps_str_from_c(list[i]));
    }
}

/* Why managed memory was moved: migrationCause, as in CUPTI. */
enum {
    MOVED_FOR_UNKNOWN,
    MOVED_BY_PROGRAM,
    MOVED_ON_FAULT,
    MOVED_AROUND_FAULT, /* the driver moves the pages beside those of a fault too */
    MOVED_BY_EVICTION,
    MOVED_BY_COUNTER
};

/* Labels for older exports, which have no tables of labels. */
static void set_default_labels(struct reader *r)
{
    static const char *const copies[] = {"Unknown", "HtoD",     "DtoH",     "HtoA",    "AtoH",
                                         "AtoA",    "AtoD",     "DtoA",     "DtoD",    "HtoH",
                                         "PtoP",    "UVM HtoD", "UVM DtoH", "UVM DtoD"};
    static const char *const memories[] = {"Pageable",       "Pinned",  "Device",
                                           "Array",          "Managed", "Device Static",
                                           "Managed Static", "Unknown"};
    static const char *const waits[] = {"Unknown sync", "Event sync", "Stream wait sync",
                                        "Stream sync", "Context sync"};
    static const char *const causes[] = {
        [MOVED_FOR_UNKNOWN] = "Unknown",  [MOVED_BY_PROGRAM] = "User prefetch",
        [MOVED_ON_FAULT] = "Page fault",  [MOVED_AROUND_FAULT] = "Speculative prefetch",
        [MOVED_BY_EVICTION] = "Eviction", [MOVED_BY_COUNTER] = "Access counters"};

    map_words(&r->copies, copies, sizeof copies / sizeof *copies);
    map_words(&r->memories, memories, sizeof memories / sizeof *memories);
    map_words(&r->waits, waits, sizeof waits / sizeof *waits);
    map_words(&r->causes, causes, sizeof causes / sizeof *causes);
}

static enum outcome word_row(struct reader *r, const struct ps_rows *rows, struct map *map)
{
    struct ps_str label = ps_rows_text(rows, 1);
    int64_t number;

    if (label.len && label.len < 100 && ps_rows_int(rows, 0, &number))
        map_put(map, &number, sizeof number, clean_text_of(r, label));
    return NS_OTHER;
}

static enum outcome copy_row(struct reader *r, const struct ps_rows *rows)
{
    return word_row(r, rows, &r->copies);
}

static enum outcome memory_row(struct reader *r, const struct ps_rows *rows)
{
    return word_row(r, rows, &r->memories);
}

static enum outcome wait_row(struct reader *r, const struct ps_rows *rows)
{
    return word_row(r, rows, &r->waits);
}

static enum outcome cause_row(struct reader *r, const struct ps_rows *rows)
{
    return word_row(r, rows, &r->causes);
}

static enum ps_status read_names(struct reader *r)
{
    static const char *const string[] = {"id", "value"}, *const process[] = {"globalPid", "name"};
    static const char *const thread[] = {"globalTid", "nameId"}, *const word[] = {"id", "label"};
    static const struct table tables[] = {
        {"PROCESSES", NS_COLUMN_LIST(process), process_row},
        {"ThreadNames", NS_COLUMN_LIST(thread), thread_row},
        {"ENUM_CUDA_MEMCPY_OPER", NS_COLUMN_LIST(word), copy_row},
        {"ENUM_CUDA_MEM_KIND", NS_COLUMN_LIST(word), memory_row},
        {"ENUM_CUPTI_SYNC_TYPE", NS_COLUMN_LIST(word), wait_row},
        {"ENUM_CUDA_UNIF_MEM_MIGRATION", NS_COLUMN_LIST(word), cause_row},
    };
    const struct table strings = {"StringIds", NS_COLUMN_LIST(string), string_row};

    read_rows(r, &strings);
    if (r->strings.n)
        qsort(r->strings.items, r->strings.n, sizeof *r->strings.items, by_id);
    set_default_labels(r);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        read_rows(r, &tables[i]);
    return r->err->code;
}

static void free_names(struct reader *r)
{
    struct map *maps[] = {&r->processes, &r->threads, &r->gpu_names, &r->metrics, &r->copies,
                          &r->memories,  &r->waits,   &r->causes,    &r->domains, &r->categories};

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    ps_intern_free(&r->thread_keys);
    ps_intern_free(&r->stream_keys);
    ps_intern_free(&r->stream_owners);
    ps_intern_free(&r->cuda_devices);
    free(r->thread_indices);
    free(r->stream_indices);
    free(r->gpu_ids);
    free(r->gpus);
    ps_hash_table_free(&r->gpu_index);
    tr_scratch_free(r->trace.scratch, r->strings.items);
    tr_scratch_free(r->trace.scratch, r->strings.bytes);
}

/* --- The recording --- */

/* Tables on the recording: its time, the version of Nsight Systems, the GPUs, and warnings. */

#define MESSAGES_MAX 50
#define MESSAGE_HEAD 300

static enum outcome session_row(struct reader *r, const struct ps_rows *rows)
{
    int64_t epoch;

    if (!ps_rows_int(rows, 0, &epoch) || epoch < 0)
        return NS_OTHER;
    r->trace.origin_us = epoch / 1000;
    r->shift_ns = epoch % 1000;
    return NS_OTHER;
}

static enum outcome analysis_row(struct reader *r, const struct ps_rows *rows)
{
    int64_t duration;

    if (ps_rows_int(rows, 0, &duration) && duration >= 0 && duration < INT64_MAX / 4 &&
        duration > r->end_ns)
        r->end_ns = duration;
    return NS_OTHER;
}

static enum outcome version_row(struct reader *r, const struct ps_rows *rows)
{
    if (ps_str_eq_c(ps_rows_text(rows, 0), "EXPORT_PRODUCT_VERSION"))
        ps_sink_meta(r->out, "tool_version", clean_text_of(r, ps_rows_text(rows, 1)));
    return NS_OTHER;
}

/* Rows of TARGET_INFO_SYSTEM_ENV: the facts that importers/records/environment.h names. */
static enum outcome system_row(struct reader *r, const struct ps_rows *rows)
{
    static const char *const facts[][2] = {
        {"CpuDescription", "cpu"},   {"CpuCores", "cores"},         {"CpuArchitecture", "machine"},
        {"OsDescription", "system"}, {"NvDriverVersion", "driver"}, {"Hostname", "host"}};
    const struct ps_str value = ps_str_trim(clean_text_of(r, ps_rows_text(rows, 1)));

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (value.len && ps_str_eq_c(ps_rows_text(rows, 0), facts[i][0]))
            ps_sink_meta(r->out, facts[i][1], value);
    return NS_OTHER;
}

/* --- GPUs of the recording --- */

enum { GPU_ID, GPU_NAME, GPU_FIGURES };
static const char *const gpu_columns[] = {
    "id",           "name",           "totalMemory",   "smCount",           "computeMajor",
    "computeMinor", "threadsPerWarp", "maxWarpsPerSm", "maxRegistersPerSm", "maxShmemPerSm"};
/* Names of these columns in PyTorch's deviceProperties, which the views use. */
static const char *const gpu_words[] = {"",
                                        "",
                                        "totalGlobalMem",
                                        "numSms",
                                        "computeMajor",
                                        "computeMinor",
                                        "warpSize",
                                        "maxWarpsPerMultiprocessor",
                                        "regsPerMultiprocessor",
                                        "sharedMemPerMultiprocessor"};

static bool is_gpu(const void *gpus, uint32_t index, const void *id)
{
    return ((const struct gpu *)gpus)[index].id == *(const int64_t *)id;
}

static enum outcome gpu_row(struct reader *r, const struct ps_rows *rows)
{
    struct ps_json json = ps_json_writer(&r->args.text);
    struct gpu gpu = {0};
    int64_t value;

    if (!ps_rows_int(rows, GPU_ID, &gpu.id))
        return NS_OTHER;
    (void)ps_rows_int(rows, 3, &gpu.multiprocessors);
    if (ps_hash_table_add(&r->gpu_index, ps_hash_u64((uint64_t)gpu.id), (uint32_t)r->n_gpus, is_gpu,
                          r->gpus, &gpu.id) == r->n_gpus) {
        PS_RESERVE_ONE(r->gpus, r->n_gpus, r->cap_gpus);
        r->gpus[r->n_gpus++] = gpu;
    }
    map_put(&r->gpu_names, &gpu.id, sizeof gpu.id, clean_text_of(r, ps_rows_text(rows, GPU_NAME)));
    ps_json_object(&json);
    ps_json_key_int(&json, "id", gpu.id);
    ps_json_key(&json, "name");
    ps_json_str(&json, map_word(&r->gpu_names, gpu.id));
    for (size_t i = GPU_FIGURES; i < sizeof gpu_columns / sizeof *gpu_columns; i++)
        if (ps_rows_int(rows, i, &value))
            ps_json_key_int(&json, gpu_words[i], value);
    ps_json_end(&json);
    ps_buf_puts(&r->devices, r->devices.len ? "," : "[");
    ps_buf_add_str(&r->devices, ps_buf_slice(&r->args.text));
    return NS_OTHER;
}

/* 0: unknown */
static int64_t multiprocessors_of(const struct reader *r, int64_t device)
{
    uint32_t index =
        ps_hash_table_find(&r->gpu_index, ps_hash_u64((uint64_t)device), is_gpu, r->gpus, &device);

    return index == PS_HASH_NONE ? 0 : r->gpus[index].multiprocessors;
}

struct cuda_device {
    int64_t pid, number;
};

/* Maps the device numbers of a process, which CUDA_VISIBLE_DEVICES changes, to GPUs. */
static enum outcome cuda_device_row(struct reader *r, const struct ps_rows *rows)
{
    struct cuda_device key;
    uint32_t index;
    int64_t gpu;

    if (!ps_rows_int(rows, 0, &gpu) || !ps_rows_int(rows, 1, &key.number) ||
        !ps_rows_int(rows, 2, &key.pid))
        return NS_OTHER;
    index = ps_intern_add(&r->cuda_devices, (struct ps_str){(const char *)&key, sizeof key});
    if (index >= r->cap_gpu_ids) {
        r->cap_gpu_ids = r->cap_gpu_ids ? r->cap_gpu_ids * 2 : 64;
        r->gpu_ids = ps_grow(r->gpu_ids, r->cap_gpu_ids, sizeof *r->gpu_ids);
    }
    r->gpu_ids[index] = gpu;
    return NS_OTHER;
}

static int64_t gpu_of_device(struct reader *r, int64_t pid, int64_t cuda_device)
{
    const struct cuda_device key = {pid, cuda_device};
    uint32_t index =
        ps_intern_find(&r->cuda_devices, (struct ps_str){(const char *)&key, sizeof key});

    return index == PS_INTERN_NONE ? cuda_device : r->gpu_ids[index];
}

/* --- Warnings of the tool --- */

enum { SEVERITY_WARNING = 2, SEVERITY_ERROR = 3 };

static enum outcome message_row(struct reader *r, const struct ps_rows *rows)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    struct ps_str text = ps_rows_text(rows, 1);
    int64_t severity;

    if (!ps_rows_int(rows, 0, &severity) || severity < SEVERITY_WARNING ||
        severity > SEVERITY_ERROR || !text.len)
        return NS_OTHER;
    if (r->messages++ >= MESSAGES_MAX)
        return NS_OTHER;
    ps_buf_add_str(&line, clean_text_of(r, text));
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.ptr[i] < ' ')
            line.ptr[i] = ' ';
    if (line.len > MESSAGE_HEAD) {
        line.len = MESSAGE_HEAD;
        while (line.len && (line.ptr[line.len] & 0xc0) == 0x80)
            line.len--;
        ps_buf_puts(&line, "...");
    } else if (line.len && line.ptr[line.len - 1] == '.') {
        line.len--; /* readers of notes end the sentence */
    }
    ps_sink_note(r->out, PS_NOTE_WARNING, ps_sqlite_page_offset(r->db), 0,
                 "Nsight Systems reports (%s): %.*s",
                 severity == SEVERITY_ERROR ? "error" : "warning", (int)line.len, line.ptr);
    return NS_OTHER;
}

/* --- All tables of the recording --- */

static void write_devices(struct reader *r)
{
    if (!r->devices.len)
        return;
    ps_buf_puts(&r->devices, "]");
    tr_fill_header(&r->trace, PS_STR("deviceProperties"), ps_buf_slice(&r->devices));
}

/* Reads the tables that describe the recording. */
static enum ps_status read_target(struct reader *r)
{
    static const char *const session[] = {"utcEpochNs"}, *const analysis[] = {"duration"};
    static const char *const version[] = {"name", "value"}, *const message[] = {"severity", "text"};
    static const char *const cuda[] = {"gpuId", "cudaId", "pid"};
    static const struct table tables[] = {
        {"TARGET_INFO_SESSION_START_TIME", NS_COLUMN_LIST(session), session_row},
        {"ANALYSIS_DETAILS", NS_COLUMN_LIST(analysis), analysis_row},
        {"META_DATA_EXPORT", NS_COLUMN_LIST(version), version_row},
        /* the name of META_DATA_EXPORT in 2022 and 2023 */
        {"EXPORT_META_DATA", NS_COLUMN_LIST(version), version_row},
        {"TARGET_INFO_SYSTEM_ENV", NS_COLUMN_LIST(version), system_row},
        {"TARGET_INFO_GPU", NS_COLUMN_LIST(gpu_columns), gpu_row},
        {"TARGET_INFO_CUDA_DEVICE", NS_COLUMN_LIST(cuda), cuda_device_row},
    };
    const struct table messages = {"DIAGNOSTIC_EVENT", NS_COLUMN_LIST(message), message_row};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        read_rows(r, &tables[i]);
    write_devices(r);
    return count_rows(r, &messages);
}

/* --- Work of GPUs --- */

/* Columns that all these tables share. */
enum {
    WORK_START,
    WORK_END,
    WORK_DEVICE,
    WORK_CONTEXT,
    WORK_STREAM,
    WORK_CORRELATION,
    WORK_PROCESS,
    WORK_GRAPH_NODE,
    WORK_OWN
};
#define WORK_SHARED                                                                                \
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphNodeId"

/* Further columns of each table. */
enum {
    KERNEL_NAME = WORK_OWN,
    KERNEL_SHORT,
    KERNEL_MANGLED,
    GRID_X,
    BLOCK_X = GRID_X + 3,
    REGISTERS = BLOCK_X + 3,
    SHARED_STATIC,
    SHARED_DYNAMIC,
    LOCAL
};
static const char *const kernel_columns[] = {WORK_SHARED,
                                             "demangledName",
                                             "shortName",
                                             "mangledName",
                                             "gridX",
                                             "gridY",
                                             "gridZ",
                                             "blockX",
                                             "blockY",
                                             "blockZ",
                                             "registersPerThread",
                                             "staticSharedMemory",
                                             "dynamicSharedMemory",
                                             "localMemoryPerThread"};
enum {
    COPY_BYTES = WORK_OWN,
    COPY_KIND,
    COPY_FROM,
    COPY_TO,
    COPY_FROM_DEVICE,
    COPY_TO_DEVICE,
    COPY_CAUSE
};
static const char *const copy_columns[] = {WORK_SHARED,   "bytes",         "copyKind",
                                           "srcKind",     "dstKind",       "srcDeviceId",
                                           "dstDeviceId", "migrationCause"};
enum { SET_BYTES = WORK_OWN, SET_VALUE, SET_KIND };
static const char *const set_columns[] = {WORK_SHARED, "bytes", "value", "memKind"};
enum { WAIT_KIND = WORK_OWN, WAIT_EVENT };
static const char *const wait_columns[] = {WORK_SHARED, "syncType", "eventId"};
enum { GRAPH_ID = WORK_OWN, GRAPH_EXEC };
static const char *const graph_columns[] = {WORK_SHARED, "graphId", "graphExecId"};

/* The device work of the current row. */
struct work {
    struct tr_record record;
    uint32_t thread;
    int64_t device;
    enum outcome outcome;
};

/* Returns the stream of a row. Rows without a stream have NULL or the largest 32-bit number. */
static int64_t stream_of(const struct ps_rows *rows, bool waits)
{
    int64_t stream;

    if (ps_rows_int(rows, WORK_STREAM, &stream) && stream >= 0 && stream < UINT32_MAX)
        return stream;
    return waits ? NS_WAIT_STREAM : NS_NO_STREAM;
}

static void set_work_thread(struct reader *r, const struct ps_rows *rows, enum ps_slice_kind kind,
                            struct work *work)
{
    struct stream_key stream = {.context = -1};
    int64_t process = 0, device = 0;

    (void)ps_rows_int(rows, WORK_PROCESS, &process);
    (void)ps_rows_int(rows, WORK_DEVICE, &device);
    (void)ps_rows_int(rows, WORK_CONTEXT, &stream.context);
    stream.stream = stream_of(rows, kind == PS_SLICE_SYNC);
    stream.pid = pid_of(process);
    stream.device = work->device = gpu_of_device(r, stream.pid, device);
    work->thread = thread_of_stream(r, &stream);
    add_arg_int(&r->args, "device", work->device);
    add_arg_column(&r->args, "context", rows, WORK_CONTEXT);
    if (stream.stream >= 0)
        add_arg_int(&r->args, "stream", stream.stream);
    add_arg_column(&r->args, "correlation", rows, WORK_CORRELATION);
    add_arg_int(&r->args, "pid", pid_of(process));
    add_arg_column(&r->args, "graph node id", rows, WORK_GRAPH_NODE);
}

/* Reads the times and the shared arguments. False: the row is rejected, work->outcome is set. */
static bool begin_work(struct reader *r, const struct ps_rows *rows, const char *word,
                       enum ps_slice_kind kind, struct work *work)
{
    int64_t start, duration;

    *work = (struct work){.record = {.phase = 'X'}};
    work->outcome = read_times(r, rows, &start, &duration);
    if (work->outcome == NS_OTHER)
        work->outcome = reject_row(r, "the row has no end time");
    if (work->outcome == NS_REJECTED)
        return false;
    work->record.ts_ns = start;
    work->record.dur_or_id = duration;
    work->record.category = tr_fill_category(&r->trace, ps_str_from_c(word), kind);
    set_work_thread(r, rows, kind, work);
    return true;
}

static enum outcome store_work(struct reader *r, const struct work *work)
{
    return store_record(r, work->thread, work->record, work->outcome);
}

static uint32_t kernel_name(struct reader *r, const struct ps_rows *rows)
{
    for (size_t i = KERNEL_NAME; i <= KERNEL_MANGLED; i++) {
        struct ps_str text = ps_rows_text(rows, i);
        int64_t id;

        if (ps_rows_int(rows, i, &id))
            return text_of_string(r, id);
        if (text.len)
            return text_id_of(r, text);
    }
    return 0;
}

/* Adds the number of blocks per multiprocessor. */
static void add_kernel_blocks(struct reader *r, const struct ps_rows *rows, int64_t device)
{
    int64_t multiprocessors = multiprocessors_of(r, device), x, y, z;

    if (multiprocessors > 0 && ps_rows_int(rows, GRID_X, &x) && ps_rows_int(rows, GRID_X + 1, &y) &&
        ps_rows_int(rows, GRID_X + 2, &z))
        add_arg_decimal(&r->args, "blocks per SM",
                        (double)x * (double)y * (double)z / (double)multiprocessors);
}

static enum outcome kernel_row(struct reader *r, const struct ps_rows *rows)
{
    int64_t fixed = 0, dynamic = 0, sum;
    bool fixed_known;
    struct work work;

    if (!begin_work(r, rows, "kernel", PS_SLICE_KERNEL, &work))
        return work.outcome;
    work.record.name = kernel_name(r, rows);
    add_arg_triple(&r->args, "grid", rows, GRID_X);
    add_arg_triple(&r->args, "block", rows, BLOCK_X);
    add_kernel_blocks(r, rows, work.device);
    add_arg_column(&r->args, "registers per thread", rows, REGISTERS);
    fixed_known = ps_rows_int(rows, SHARED_STATIC, &fixed);
    if ((ps_rows_int(rows, SHARED_DYNAMIC, &dynamic) || fixed_known) &&
        !__builtin_add_overflow(fixed, dynamic, &sum))
        add_arg_int(&r->args, "shared memory", sum);
    add_arg_column(&r->args, "dynamic shared memory", rows, SHARED_DYNAMIC);
    add_arg_column(&r->args, "local memory per thread", rows, LOCAL);
    return store_work(r, &work);
}

static void word_of(struct reader *r, const char *key, struct map *map, const struct ps_rows *rows,
                    size_t column)
{
    int64_t number;

    if (!ps_rows_int(rows, column, &number))
        return;
    if (map_word(map, number).len)
        add_arg_word(&r->args, key, map_word(map, number));
    else
        add_arg_int(&r->args, key, number);
}

/* Returns the name that Nsight Systems displays, such as "[CUDA memcpy Host-to-Device]". */
static uint32_t copy_name(struct reader *r, const struct ps_rows *rows)
{
    struct ps_str word = {NULL, 0};
    char name[160];
    int64_t kind;

    if (ps_rows_int(rows, COPY_KIND, &kind))
        word = map_word(&r->copies, kind);
    (void)snprintf(name, sizeof name, "[CUDA memcpy %.*s]", word.len ? (int)word.len : 7,
                   word.len ? word.ptr : "Unknown");
    return text_id_of(r, ps_str_from_c(name));
}

/* copyKind of migrations of managed memory */
enum { MANAGED_TO_DEVICE = 11, MANAGED_TO_HOST, MANAGED_TO_PEER };

/* The direction alone does not tell who needed the pages: the program may have asked for them, and
 * pages that the host needs move to it while kernels run. */
static const char *copy_category(const struct ps_rows *rows)
{
    int64_t kind, cause = MOVED_FOR_UNKNOWN;

    if (!ps_rows_int(rows, COPY_KIND, &kind) || kind < MANAGED_TO_DEVICE || kind > MANAGED_TO_PEER)
        return "gpu_memcpy";
    (void)ps_rows_int(rows, COPY_CAUSE, &cause);
    if (cause == MOVED_BY_EVICTION)
        return PS_CATEGORY_EVICTION;
    return kind == MANAGED_TO_DEVICE && (cause == MOVED_ON_FAULT || cause == MOVED_AROUND_FAULT)
               ? PS_CATEGORY_PAGES_IN
               : PS_CATEGORY_MANAGED;
}

static enum outcome device_copy_row(struct reader *r, const struct ps_rows *rows)
{
    struct work work;

    if (!begin_work(r, rows, copy_category(rows), PS_SLICE_MEMCPY, &work))
        return work.outcome;
    work.record.name = copy_name(r, rows);
    add_arg_column(&r->args, "bytes", rows, COPY_BYTES);
    word_of(r, "kind", &r->copies, rows, COPY_KIND);
    word_of(r, "from", &r->memories, rows, COPY_FROM);
    word_of(r, "to", &r->memories, rows, COPY_TO);
    add_arg_column(&r->args, "from device", rows, COPY_FROM_DEVICE);
    add_arg_column(&r->args, "to device", rows, COPY_TO_DEVICE);
    word_of(r, "cause", &r->causes, rows, COPY_CAUSE);
    return store_work(r, &work);
}

static enum outcome set_row(struct reader *r, const struct ps_rows *rows)
{
    struct work work;

    if (!begin_work(r, rows, "gpu_memset", PS_SLICE_MEMSET, &work))
        return work.outcome;
    work.record.name = tr_text_id(&r->trace, PS_STR("[CUDA memset]"));
    add_arg_column(&r->args, "bytes", rows, SET_BYTES);
    add_arg_column(&r->args, "value", rows, SET_VALUE);
    word_of(r, "memory", &r->memories, rows, SET_KIND);
    return store_work(r, &work);
}

static enum outcome device_wait_row(struct reader *r, const struct ps_rows *rows)
{
    struct ps_str word = {NULL, 0};
    struct work work;
    int64_t kind;

    if (!begin_work(r, rows, "cuda_sync", PS_SLICE_SYNC, &work))
        return work.outcome;
    if (ps_rows_int(rows, WAIT_KIND, &kind))
        word = map_word(&r->waits, kind);
    work.record.name = tr_text_id(&r->trace, word.len ? word : PS_STR("Unknown sync"));
    add_arg_column(&r->args, "event", rows, WAIT_EVENT);
    return store_work(r, &work);
}

/* Reads a CUDA graph that was recorded as one piece of work, so its kernels are unknown. */
static enum outcome graph_row(struct reader *r, const struct ps_rows *rows)
{
    struct work work;
    int64_t graph = 0;
    char name[48];

    if (!begin_work(r, rows, "kernel", PS_SLICE_KERNEL, &work))
        return work.outcome;
    (void)ps_rows_int(rows, GRAPH_ID, &graph);
    (void)snprintf(name, sizeof name, "[CUDA graph %" PRId64 "]", graph);
    work.record.name = tr_text_id(&r->trace, ps_str_from_c(name));
    add_arg_column(&r->args, "graph exec id", rows, GRAPH_EXEC);
    return store_work(r, &work);
}

static const struct table device_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", NS_COLUMN_LIST(kernel_columns), kernel_row},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", NS_COLUMN_LIST(copy_columns), device_copy_row},
    {"CUPTI_ACTIVITY_KIND_MEMSET", NS_COLUMN_LIST(set_columns), set_row},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", NS_COLUMN_LIST(wait_columns), device_wait_row},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NS_COLUMN_LIST(graph_columns), graph_row},
    {NULL, NULL, 0, NULL},
};

/* --- Calls --- */

/* Calls are the rows of any table with start, end, thread and name. */

enum {
    CALL_START,
    CALL_END,
    CALL_THREAD,
    CALL_NAME,
    CALL_TEXT,
    CALL_CORRELATION,
    CALL_CLASS,
    CALL_RESULT,
    CALL_NESTING
};
static const char *const call_columns[] = {"start",      "end",         "globalTid",
                                           "nameId",     "textId",      "correlationId",
                                           "eventClass", "returnValue", "nestingLevel"};

enum { CLASS_DRIVER = 1 };

/* Category and kind of known tables. The category of other tables is derived from the name of the
 * table. */
static const struct {
    const char *table, *word;
    enum ps_slice_kind kind;
} known[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime", PS_SLICE_RUNTIME},
    {"OSRT_API", "osrt", PS_SLICE_OSRT},
    {"PROFILER_OVERHEAD", "overhead", PS_SLICE_OVERHEAD},
};

static bool is_driver(struct reader *r, const struct ps_rows *rows, uint32_t name)
{
    struct ps_str text = tr_text_of_id(&r->trace, name);
    int64_t class;

    if (ps_rows_int(rows, CALL_CLASS, &class))
        return class == CLASS_DRIVER;
    return text.len > 2 && text.ptr[0] == 'c' && text.ptr[1] == 'u' && text.ptr[2] >= 'A' &&
           text.ptr[2] <= 'Z';
}

/* Returns "mpi_p2p" for MPI_P2P_EVENTS. */
static uint16_t own_category(struct reader *r)
{
    struct ps_str name = ps_str_from_c(r->table);
    char word[64];
    size_t n = 0;

    if (name.len > 7 && memcmp(name.ptr + name.len - 7, "_EVENTS", 7) == 0)
        name.len -= 7;
    for (; n < name.len && n < sizeof word; n++)
        word[n] = name.ptr[n] >= 'A' && name.ptr[n] <= 'Z' ? (char)(name.ptr[n] | 32) : name.ptr[n];
    return tr_fill_category(&r->trace, clean_text_of(r, (struct ps_str){word, n}), PS_SLICE_OTHER);
}

static uint16_t slice_category(struct reader *r, const struct ps_rows *rows, uint32_t name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcasecmp(known[i].table, r->table) != 0)
            continue;
        if (known[i].kind == PS_SLICE_RUNTIME && is_driver(r, rows, name))
            return tr_fill_category(&r->trace, PS_STR("cuda_driver"), PS_SLICE_RUNTIME);
        return tr_fill_category(&r->trace, ps_str_from_c(known[i].word), known[i].kind);
    }
    return own_category(r);
}

static enum outcome call_row(struct reader *r, const struct ps_rows *rows)
{
    struct tr_record record = {.phase = 'X'};
    int64_t start, duration, thread, name;
    enum outcome outcome = read_times(r, rows, &start, &duration);

    if (outcome == NS_REJECTED)
        return outcome;
    if (!ps_rows_int(rows, CALL_THREAD, &thread))
        return reject_row(r, "the row has no thread");
    if (outcome == NS_OTHER) { /* the call has no end: it lasts to the end of the session */
        record.phase = 'B';
        duration = 0;
        outcome = NS_STORED;
    }
    record.ts_ns = start;
    record.dur_or_id = duration;
    if (ps_rows_int(rows, CALL_NAME, &name) || ps_rows_int(rows, CALL_TEXT, &name))
        record.name = call_of_string(r, name);
    record.category = slice_category(r, rows, record.name);
    add_arg_column(&r->args, "correlation", rows, CALL_CORRELATION);
    add_arg_column(&r->args, "returned", rows, CALL_RESULT);
    add_arg_column(&r->args, "nesting level", rows, CALL_NESTING);
    return store_record(r, thread_of_tid(r, thread), record, outcome);
}

static enum outcome other_row(struct reader *r, const struct ps_rows *rows)
{
    (void)r, (void)rows;
    return NS_OTHER;
}

/* Sets *out to the call_columns that the table has: bit i for names[i]. */
static enum ps_status columns_of(struct reader *r, const char *table, const char *const *names,
                                 size_t n, unsigned *out)
{
    struct ps_rows *rows;

    *out = 0;
    ps_rows_begin(r->db, table, names, n, &rows, r->err);
    for (size_t i = 0; rows && i < n; i++)
        *out |= (unsigned)ps_rows_has_column(rows, i) << i;
    ps_rows_end(rows);
    return r->err->code;
}

/* Counts and reports the rows of an unsupported table that has times. */
static enum ps_status count_unsupported_rows(struct reader *r, const char *name)
{
    static const char *const when[] = {"start", "timestamp", "rawTimestamp"};
    const struct table table = {name, when, 1, other_row};
    unsigned has;

    if (columns_of(r, name, NS_COLUMN_LIST(when), &has) != PS_OK || !has)
        return r->err->code;
    if (count_rows(r, &table) == PS_OK && r->row)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "table %s is not supported; rows skipped: %llu", name,
                     (unsigned long long)r->row);
    return r->err->code;
}

/* Whether another section of this file reads the table, so it is not a table of calls. */
static bool is_read(const char *table)
{
    static const char *const others[] = {
        "NVTX_EVENTS",      "DIAGNOSTIC_EVENT", "CUDA_GPU_MEMORY_USAGE_EVENTS",
        "GPU_METRICS",      "PROCESSES",        "ThreadNames",
        "StringIds",        "META_DATA_EXPORT", "META_DATA_CAPTURE",
        "ANALYSIS_DETAILS", "EXPORT_META_DATA",
    };

    for (const struct table *t = device_tables; t->name; t++)
        if (strcasecmp(t->name, table) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(others[i], table) == 0)
            return true;
    return strncasecmp(table, "ENUM_", 5) == 0 || strncasecmp(table, "TARGET_INFO_", 12) == 0;
}

/* Reads all tables of calls, and counts the rows of tables that are not supported. */
static enum ps_status read_calls(struct reader *r)
{
    for (size_t i = 0; i < ps_sqlite_count_tables(r->db) && r->err->code == PS_OK; i++) {
        const char *name = ps_sqlite_table_name(r->db, i);
        const struct table table = {name, NS_COLUMN_LIST(call_columns), call_row};
        unsigned has;

        if (is_read(name))
            continue;
        columns_of(r, name, call_columns, CALL_TEXT + 1, &has);
        if ((has & 7) == 7 && has >> CALL_NAME)
            count_rows(r, &table);
        else
            count_unsupported_rows(r, name);
    }
    return r->err->code;
}

/* --- NVTX --- */

/*
 * Ranges and marks that a program set with NVTX.
 *
 * Push/pop ranges nest on their thread. Start/end ranges may overlap and end on other threads: they
 * get a row of their process and domain, next to the threads. The names of domains and categories
 * are rows of the same table, at any position; so the table is read twice.
 */

enum {
    RANGE_START,
    RANGE_END,
    RANGE_TYPE,
    RANGE_CATEGORY,
    RANGE_TEXT,
    RANGE_TEXT_ID,
    RANGE_THREAD,
    RANGE_END_THREAD,
    RANGE_DOMAIN,
    RANGE_VALUES
};
static const char *const nvtx_columns[] = {
    "start",      "end",         "eventType",    "category",    "text",
    "textId",     "globalTid",   "endGlobalTid", "domainId",    "uint64Value",
    "int64Value", "uint32Value", "int32Value",   "doubleValue", "floatValue"};
#define N_COLUMNS (sizeof nvtx_columns / sizeof *nvtx_columns)

/* ENUM_NSYS_EVENT_TYPE. The NVTXT numbers are for events of a text file that was imported with the
 * report. */
enum {
    NVTX_CATEGORY = 33,
    NVTX_MARK = 34,
    NVTX_THREAD = 39,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTXT_CATEGORY = 64,
    NVTXT_MARK = 65,
    NVTXT_PUSH_POP = 70,
    NVTXT_START_END = 71,
    NVTX_DOMAIN = 75,
};

/* Key of a domain of a process, or of a category in a domain. */
struct number {
    int64_t process, domain, category;
};

static struct number number_of(const struct ps_rows *rows, bool category)
{
    struct number number = {0};

    (void)ps_rows_int(rows, RANGE_THREAD, &number.process);
    number.process = (int64_t)((uint64_t)number.process >> 24);
    (void)ps_rows_int(rows, RANGE_DOMAIN, &number.domain);
    if (category)
        (void)ps_rows_int(rows, RANGE_CATEGORY, &number.category);
    return number;
}

static uint32_t text_of(struct reader *r, const struct ps_rows *rows)
{
    struct ps_str text = ps_rows_text(rows, RANGE_TEXT);
    int64_t id;

    if (text.ptr)
        return text_id_of(r, text);
    return ps_rows_int(rows, RANGE_TEXT_ID, &id) ? text_of_string(r, id) : 0;
}

/* --- NVTX: domains and categories --- */

static enum outcome name_row(struct reader *r, const struct ps_rows *rows)
{
    struct number number;
    struct ps_str text;
    int64_t type, thread;

    if (!ps_rows_int(rows, RANGE_TYPE, &type) || (type != NVTX_CATEGORY && type != NVTXT_CATEGORY &&
                                                  type != NVTX_DOMAIN && type != NVTX_THREAD))
        return NS_OTHER;
    text = tr_text_of_id(&r->trace, text_of(r, rows));
    if (!text.len)
        return NS_OTHER;
    number = number_of(rows, type != NVTX_DOMAIN);
    if (type == NVTX_DOMAIN)
        map_put(&r->domains, &number, sizeof number, text);
    else if (type != NVTX_THREAD)
        map_put(&r->categories, &number, sizeof number, text);
    else if (ps_rows_int(rows, RANGE_THREAD, &thread))
        map_put(&r->threads, &thread, sizeof thread, text);
    return NS_OTHER;
}

/* --- NVTX: ranges and marks --- */

/* Returns the index of the category "nvtx:DOMAIN", such as "nvtx:NCCL"; that of "nvtx" if the
 * domain has no name, or if there are too many categories. */
static uint16_t category_of(struct reader *r, struct ps_str domain)
{
    char word[128];
    uint16_t cat = 0;

    if (domain.len) {
        (void)snprintf(word, sizeof word, "nvtx:%.*s", (int)domain.len, domain.ptr);
        cat = tr_fill_category(&r->trace, clean_text_of(r, ps_str_from_c(word)), PS_SLICE_NVTX);
    }
    return cat ? cat : tr_fill_category(&r->trace, PS_STR("nvtx"), PS_SLICE_NVTX);
}

static void add_event_args(struct reader *r, const struct ps_rows *rows, struct ps_str domain)
{
    struct number number = number_of(rows, true);
    struct ps_str category = {NULL, 0};

    if (number.category)
        category = map_get(&r->categories, &number, sizeof number);
    add_arg_word(&r->args, "domain", domain);
    if (category.len)
        add_arg_word(&r->args, "category", category);
    else if (number.category)
        add_arg_int(&r->args, "category", number.category);
    for (size_t i = RANGE_VALUES; i < N_COLUMNS; i++)
        if (ps_rows_num(rows, i).kind != PS_NUM_NONE) {
            add_arg_column(&r->args, "value", rows, i);
            break;
        }
}

static enum outcome range_row(struct reader *r, uint32_t thread, struct tr_record record,
                              enum outcome outcome)
{
    int64_t duration = record.dur_or_id;

    record.phase = 'b';
    record.dur_or_id = ++r->ranges;
    outcome = store_record(r, thread, record, outcome);
    if (outcome == NS_FAILED || duration == TR_NO_DURATION)
        return outcome;
    clear_args(&r->args);
    record.phase = 'e';
    record.ts_ns += duration;
    record.template = 0;
    return store_record(r, thread, record, outcome);
}

static enum outcome event_row(struct reader *r, const struct ps_rows *rows)
{
    struct number number = number_of(rows, false);
    struct tr_record record = {0};
    struct ps_str domain;
    int64_t type, start, duration, thread;
    enum outcome outcome;

    if (!ps_rows_int(rows, RANGE_TYPE, &type))
        return reject_row(r, "the row has no type");
    if (type != NVTX_MARK && type != NVTXT_MARK && type != NVTX_PUSH_POP &&
        type != NVTXT_PUSH_POP && type != NVTX_START_END && type != NVTXT_START_END)
        return NS_OTHER;
    outcome = read_times(r, rows, &start, &duration);
    if (outcome == NS_REJECTED)
        return outcome;
    if (!ps_rows_int(rows, RANGE_THREAD, &thread))
        return reject_row(r, "the row has no thread");
    domain = map_get(&r->domains, &number, sizeof number);
    record.ts_ns = start;
    record.dur_or_id = duration;
    record.name = text_of(r, rows);
    record.category = category_of(r, domain);
    add_event_args(r, rows, domain);
    outcome = outcome == NS_OTHER ? NS_STORED : outcome;
    if (type == NVTX_START_END || type == NVTXT_START_END)
        return range_row(r, thread_of_tid(r, thread), record, outcome);
    record.phase = duration >= 0 ? 'X' : 'B';
    if (type == NVTX_MARK || type == NVTXT_MARK) {
        record.phase = 'i';
        record.dur_or_id = TR_NO_DURATION;
    }
    return store_record(r, thread_of_tid(r, thread), record, outcome);
}

static const struct table nvtx_name_table = {"NVTX_EVENTS", NS_COLUMN_LIST(nvtx_columns), name_row};
static const struct table nvtx_table = {"NVTX_EVENTS", NS_COLUMN_LIST(nvtx_columns), event_row};

/* --- Memory allocated with CUDA --- */

enum { USE_START, USE_PROCESS, USE_DEVICE, USE_ADDRESS, USE_BYTES, USE_OPERATION, USE_KIND };
static const char *const use_columns[] = {"start", "globalPid",           "deviceId", "address",
                                          "bytes", "memoryOperationType", "memKind"};
enum { OPERATION_FREE = 1 };
enum { KIND_PAGEABLE = 0, KIND_PINNED = 1 };
enum { TYPE_CPU = 0, TYPE_CUDA = 1 }; /* PyTorch's numbers of device types */

/* A change of the memory in use. Changes are sorted by time before they are written, since each
 * record has the total after the change. */
struct use {
    int64_t t;
    int64_t process, device, address, bytes; /* bytes < 0: freed; device -1: host memory */
};
struct uses {
    struct use *items;
    size_t n, cap;
};

static enum outcome use_row(struct reader *r, const struct ps_rows *rows)
{
    struct uses *uses = r->uses;
    struct use use = {0};
    int64_t operation = 0, kind = -1;

    if (!ps_rows_int(rows, USE_START, &use.t))
        return reject_row(r, "the row has no start time");
    if (use.t > INT64_MAX / 4 || use.t < -(INT64_MAX / 4))
        return reject_row(r, "the start time is out of range");
    if (!ps_rows_int(rows, USE_BYTES, &use.bytes) || use.bytes < 0)
        return reject_row(r, "the row has no size in bytes");
    (void)ps_rows_int(rows, USE_PROCESS, &use.process);
    (void)ps_rows_int(rows, USE_DEVICE, &use.device);
    (void)ps_rows_int(rows, USE_ADDRESS, &use.address);
    (void)ps_rows_int(rows, USE_OPERATION, &operation);
    (void)ps_rows_int(rows, USE_KIND, &kind);
    use.device = kind == KIND_PAGEABLE || kind == KIND_PINNED
                     ? -1
                     : gpu_of_device(r, pid_of(use.process), use.device);
    use.bytes = operation == OPERATION_FREE ? -use.bytes : use.bytes;
    TR_SCRATCH_PUSH(r->trace.scratch, uses->items, uses->n, uses->cap);
    uses->items[uses->n++] = use;
    return NS_STORED;
}

#define DEVICES_MAX 64

static enum ps_status write_uses(struct reader *r, struct uses *uses)
{
    int64_t totals[DEVICES_MAX + 1] = {0};
    struct tr_record record = {.phase = 'i', .dur_or_id = TR_NO_DURATION};

    if (!uses->n)
        return PS_OK;
    record.name = tr_text_id(&r->trace, PS_STR("[memory]"));
    ps_sort_records(uses->items, uses->n, sizeof *uses->items);
    for (size_t i = 0; i < uses->n; i++) {
        const struct use *use = &uses->items[i];
        bool counted = use->device >= -1 && use->device < DEVICES_MAX;
        int64_t *total = &totals[counted ? use->device + 1 : 0];

        clear_args(&r->args);
        add_arg_int(&r->args, "Device Type", use->device < 0 ? TYPE_CPU : TYPE_CUDA);
        add_arg_int(&r->args, "Device Id", use->device);
        add_arg_int(&r->args, "Addr", use->address);
        add_arg_int(&r->args, "Bytes", use->bytes);
        if (counted && !__builtin_add_overflow(*total, use->bytes, total))
            add_arg_int(&r->args, "Total Allocated", *total);
        record.ts_ns = use->t + r->shift_ns;
        if (store_record(r, thread_of_pid(r, use->process), record, NS_STORED) == NS_FAILED)
            break;
        tr_scratch_count_row(r->trace.scratch, i);
    }
    return r->err->code;
}

static enum ps_status read_memory(struct reader *r)
{
    static const struct table table = {"CUDA_GPU_MEMORY_USAGE_EVENTS", NS_COLUMN_LIST(use_columns),
                                       use_row};
    struct uses uses = {0};

    r->uses = &uses;
    if (count_rows(r, &table) == PS_OK)
        write_uses(r, &uses);
    r->uses = NULL;
    tr_scratch_free(r->trace.scratch, uses.items);
    return r->err->code;
}

/* --- Metrics of GPUs over time --- */

/* The lower bits of a metric's type are the GPU, the upper bits the source of the metrics. */
#define GPU_BITS 0xff

struct metric {
    int64_t type, metric;
};

static enum outcome metric_name_row(struct reader *r, const struct ps_rows *rows)
{
    struct ps_str name = ps_rows_text(rows, 2);
    struct metric key;

    if (ps_rows_int(rows, 0, &key.type) && ps_rows_int(rows, 1, &key.metric) && name.len)
        map_put(&r->metrics, &key, sizeof key, clean_text_of(r, name));
    return NS_OTHER;
}

static enum outcome metric_row(struct reader *r, const struct ps_rows *rows)
{
    struct tr_record record = {.phase = 'C', .dur_or_id = TR_NO_DURATION};
    struct metric key = {0};
    struct ps_num value = ps_rows_num(rows, 4);
    struct ps_str name;
    char number[48];

    if (!ps_rows_int(rows, 0, &record.ts_ns) && !ps_rows_int(rows, 1, &record.ts_ns))
        return reject_row(r, "the row has no time");
    if (record.ts_ns > INT64_MAX / 4 || record.ts_ns < -(INT64_MAX / 4))
        return reject_row(r, "the time is out of range");
    if (value.kind == PS_NUM_NONE)
        return reject_row(r, "the row has no value");
    (void)ps_rows_int(rows, 2, &key.type);
    (void)ps_rows_int(rows, 3, &key.metric);
    name = map_get(&r->metrics, &key, sizeof key);
    if (!name.len) {
        (void)snprintf(number, sizeof number, "metric %" PRId64, key.metric);
        name = ps_str_from_c(number);
    }
    record.name = tr_text_id(&r->trace, name);
    record.ts_ns += r->shift_ns;
    add_arg_number(&r->args, name, value);
    return store_record(r, thread_of_gpu(r, key.type & GPU_BITS), record, NS_STORED);
}

static enum ps_status read_metrics(struct reader *r)
{
    static const char *const names[] = {"typeId", "metricId", "metricName"};
    static const char *const values[] = {"start", "timestamp", "typeId", "metricId", "value"};
    static const struct table name_table = {"TARGET_INFO_GPU_METRICS", NS_COLUMN_LIST(names),
                                            metric_name_row};
    static const struct table table = {"GPU_METRICS", NS_COLUMN_LIST(values), metric_row};

    read_rows(r, &name_table);
    return count_rows(r, &table);
}

static enum ps_status read_series(struct reader *r)
{
    read_memory(r);
    return read_metrics(r);
}

#define EXPORT_AGAIN                                                                               \
    "export the report again: nsys export --type sqlite -o out.sqlite report.nsys-rep"

/* --- Recognition --- */

/* Recognises an export by names of its tables, some of which are in the first pages. Other
 * databases may also have tables with the last two names. */
static enum ps_match sniff(struct ps_str head)
{
    static const char *const tables[] = {"StringIds",       "META_DATA_EXPORT", "ENUM_NSYS_EVENT",
                                         "TARGET_INFO_",    "NVTX_EVENTS",      "OSRT_API",
                                         "EXPORT_META_DATA"};

    if (!ps_str_starts_with(head, PS_SQLITE_MAGIC))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (ps_str_find(head, ps_str_from_c(tables[i])))
            return PS_MATCH_SURE;
    return PS_MATCH_NO;
}

static bool is_export(const struct ps_sqlite *db)
{
    static const char *const tables[] = {"META_DATA_EXPORT",
                                         "NVTX_EVENTS",
                                         "OSRT_API",
                                         "COMPOSITE_EVENTS",
                                         "TARGET_INFO_SESSION_START_TIME",
                                         "EXPORT_META_DATA"};

    if (ps_sqlite_has_table(db, "StringIds"))
        for (size_t i = 0; i < ps_sqlite_count_tables(db); i++)
            if (ps_str_starts_with(ps_str_from_c(ps_sqlite_table_name(db, i)),
                                   PS_STR("CUPTI_ACTIVITY_KIND_")))
                return true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (ps_sqlite_has_table(db, tables[i]))
            return true;
    return false;
}

/* --- Reading --- */

/* Reads names before the rows that refer to them. */
static enum ps_status read_all(struct reader *r)
{
    read_names(r);
    read_target(r);
    read_rows(r, &nvtx_name_table);
    for (const struct table *t = device_tables; t->name; t++)
        count_rows(r, t);
    read_calls(r);
    count_rows(r, &nvtx_table);
    return read_series(r);
}

static void note_empty(const struct reader *r)
{
    const struct tr_counts *counts = &r->trace.counts;

    if (counts->stored + counts->repaired == 0)
        ps_sink_note(
            r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
            "the export contains no supported events: nothing was traced, or the export lacks the "
            "event tables. Record again with `nsys profile --trace=cuda,nvtx,osrt`");
}

static void reader_free(struct reader *r)
{
    free_names(r);
    free_args(&r->args);
    ps_buf_free(&r->devices);
    tr_trace_free(&r->trace);
}

static enum ps_status import(struct ps_sqlite *db, struct ps_sink *out, struct ps_err *err)
{
    static const struct tr_source source = {
        .tool = "NVIDIA Nsight Systems",
        .unit = "rows",
        .has_device_work = true,
        .unclosed = "calls and ranges without an end: extended to the end of the session"};
    struct reader r = {.db = db, .out = out, .err = err, .end_ns = INT64_MIN};
    enum ps_status status;

    r.trace.out = out;
    r.trace.err = err;
    tr_fill_begin(&r.trace, &source);
    status = read_all(&r);
    if (status == PS_OK) {
        note_empty(&r);
        status = tr_fill_end(&r.trace, r.end_ns == INT64_MIN ? INT64_MIN : r.end_ns + r.shift_ns);
    }
    if (status == PS_OK)
        status = tr_import_trace(&r.trace);
    reader_free(&r);
    return status;
}

/* Sets *fd to the stream's file, or to a temporary file with all of its bytes. Sets *own to the
 * descriptor of the temporary file, which the caller closes; -1: none. */
static enum ps_status file_of(struct ps_stream *in, struct ps_sink *out, int *fd, int *own,
                              struct ps_err *err)
{
    *own = -1;
    *fd = ps_stream_regular_fd(in);
    if (*fd >= 0)
        return PS_OK;
    *own = *fd = out->ops->open_scratch ? out->ops->open_scratch(out)
                                        : memfd_create("perfshelf", MFD_CLOEXEC);
    if (*fd < 0)
        return ps_sink_ok(out) ? ps_fail_errno(err, "cannot create", "a temporary file")
                               : ps_fail(err, out->err.code, "%s", out->err.text);
    return ps_stream_spool(in, *fd, err);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int own = -1;
    struct ps_sqlite *db = NULL;
    int fd;
    struct ps_err failure = PS_ERR_INIT;
    enum ps_status status = file_of(in, out, &fd, &own, &failure);

    if (status == PS_OK)
        status = ps_sqlite_open(fd, &db, &failure);
    if (status == PS_OK && !is_export(db))
        status =
            ps_fail(&failure, PS_UNKNOWN_KIND,
                    "this SQLite database is not an export of Nsight Systems" PS_HINT EXPORT_AGAIN);
    if (status == PS_OK)
        status = import(db, out, &failure);
    ps_sqlite_close(db);
    return ps_fail_copy_hint(
        err, &failure,
        status == PS_BAD_INPUT ? EXPORT_AGAIN
        : status == PS_LIMIT
            ? "record a shorter time, or fewer kinds of events (nsys profile --trace)"
            : "");
}

const struct ps_importer ps_nsys = {
    .kind = "nsys",
    .label = "Nsight Systems",
    .description = "nsys export --type sqlite: CUDA, NVTX and the operating system's calls",
    .record_command = "nsys profile -o report python app.py && "
                      "nsys export --type sqlite -o report.sqlite report.nsys-rep",
    .sniff = sniff,
    .load = load,
};
