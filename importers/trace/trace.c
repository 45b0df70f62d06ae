/* SPDX-License-Identifier: MIT */
/*
 * trace.c: a trace in memory: pages of records, segments of parameters, and the tables of texts,
 * threads, categories and templates.
 *
 * The pages of a thread grow from 4 records to a slab of 256 KiB, since a file may have a hundred
 * thousand threads. Slabs are anonymous memory up to a budget, then windows of a scratch file. Full
 * windows are dropped from memory; the kernel reads them back on access.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/json_span.h"
#include "importers/records/run.h"
#include "importers/trace/fill.h"
#include "importers/trace/pages.h"

/* --- Pages of records, segments of parameters --- */

#define SLAB_SIZE    (256u << 10)
#define PAGE_RECORDS (SLAB_SIZE / sizeof(struct tr_record))
#define SEGMENT_BITS 22
#define SEGMENT_SIZE (UINT64_C(1) << SEGMENT_BITS)
#define WINDOW_SIZE  (32u << 20)
#define BYTES_PER_VISIT                                                                            \
    128 /* approximate bytes of memory accessed when a record becomes a slice                      \
         */
#define FAULT_BYTES (64u << 10) /* bytes around an access that a page fault reads */
/* The arrays may use this multiple of `budget`, because the records are released before the arrays
 * grow (scratch.h). */
#define ARRAYS_PARTS 5

static void init_pages(struct tr_trace *trace, size_t budget)
{
    struct tr_pages *pages = trace->pages = ps_alloc(sizeof *pages);

    pages->budget = budget;
    trace->scratch = tr_scratch_new(trace->out, ARRAYS_PARTS * budget);
}

static void *map_memory(struct tr_pages *pages, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED) /* out of memory: abort, as ps_alloc does */
        abort();
    if (pages->n_blocks == pages->blocks_cap) {
        pages->blocks_cap = pages->blocks_cap ? pages->blocks_cap * 2 : 64;
        pages->blocks = ps_grow(pages->blocks, pages->blocks_cap, sizeof *pages->blocks);
        pages->block_sizes =
            ps_grow(pages->block_sizes, pages->blocks_cap, sizeof *pages->block_sizes);
    }
    pages->blocks[pages->n_blocks] = at;
    pages->block_sizes[pages->n_blocks++] = size;
    pages->anonymous_bytes += size;
    return at;
}

/* Allocates another window of the scratch file and drops the previous ones from memory. window->ptr
 * is NULL if there is no file. */
static enum ps_status add_window(struct tr_trace *trace)
{
    struct tr_window *window = &trace->pages->window;

    tr_scratch_drop_pages(trace->scratch);
    window->used = 0;
    return tr_scratch_alloc_segment(trace->scratch, WINDOW_SIZE, trace->err, &window->ptr);
}

/* Allocates zeroed, page-aligned bytes. */
static enum ps_status allocate_bytes(struct tr_trace *trace, size_t size, char **out)
{
    struct tr_pages *pages = trace->pages;
    struct tr_window *window = &pages->window;
    bool memory = pages->anonymous_bytes + size <= pages->budget || size > WINDOW_SIZE;

    if (!memory && (!window->ptr || WINDOW_SIZE - window->used < size) &&
        add_window(trace) != PS_OK)
        return trace->err->code;
    if (memory || !window->ptr) {
        *out = map_memory(pages, size);
        return PS_OK;
    }
    *out = window->ptr + window->used;
    window->used += size;
    return PS_OK;
}

/* Allocates a page; small pages are parts of a slab. */
static enum ps_status allocate_page(struct tr_trace *trace, size_t size, char **out)
{
    struct tr_pages *pages = trace->pages;

    if (size == SLAB_SIZE)
        return allocate_bytes(trace, size, out);
    if (!pages->slab || SLAB_SIZE - pages->slab_used < size) {
        if (allocate_bytes(trace, SLAB_SIZE, &pages->slab) != PS_OK)
            return trace->err->code;
        pages->slab_used = 0;
    }
    *out = pages->slab + pages->slab_used;
    pages->slab_used += size;
    return PS_OK;
}

/* Returns the number of records of page `index`: 4, 4, 8, 16 ..., so that at least half of the
 * capacity of a thread is used. */
static size_t page_records(size_t index)
{
    size_t n = index == 0 ? 4 : index < 16 ? (size_t)4 << (index - 1) : PAGE_RECORDS;

    return n < PAGE_RECORDS ? n : PAGE_RECORDS;
}

static enum ps_status add_page(struct tr_trace *trace, struct tr_thread *thread,
                               struct tr_page_cursor *cursor)
{
    size_t records = page_records(thread->n_pages);
    uint8_t **list = (uint8_t **)(uintptr_t)thread->pages;
    char *page;

    if (allocate_page(trace, records * sizeof(struct tr_record), &page) != PS_OK)
        return trace->err->code;
    PS_RESERVE_ONE(list, thread->n_pages, cursor->cap);
    list[thread->n_pages++] = (uint8_t *)page;
    thread->pages = list;
    cursor->next = (struct tr_record *)(void *)page;
    cursor->end = cursor->next + records;
    return PS_OK;
}

enum ps_status tr_pages_push(struct tr_trace *trace, uint32_t thread,
                             const struct tr_record *record)
{
    struct tr_thread *t = &trace->threads[thread];
    struct tr_page_cursor *cursor = &trace->pages->cursors[thread];

    if (cursor->next == cursor->end && add_page(trace, t, cursor) != PS_OK)
        return trace->err->code;
    if (record->ts_ns < cursor->last_ts)
        t->is_sorted = false;
    cursor->last_ts = record->ts_ns;
    *cursor->next++ = *record;
    t->n_records++;
    return PS_OK;
}

/* Adds segments for `need` bytes. The upper bits of an address are a segment number. A segment that
 * is larger than the lower bits can address has several consecutive numbers. */
static enum ps_status add_segments(struct tr_trace *trace, size_t need)
{
    struct tr_pages *pages = trace->pages;
    size_t count = (size_t)((need + SEGMENT_SIZE - 1) >> SEGMENT_BITS);
    char *at;

    if ((uint64_t)(pages->n_segments + count) >> (40 - SEGMENT_BITS))
        return ps_fail(trace->err, PS_LIMIT, "the trace has too many event arguments");
    if (allocate_bytes(trace, count << SEGMENT_BITS, &at) != PS_OK)
        return trace->err->code;
    pages->args_used = (uint64_t)pages->n_segments << SEGMENT_BITS;
    for (size_t i = 0; i < count; i++) {
        PS_RESERVE_ONE(pages->segments, pages->n_segments, pages->segments_cap);
        pages->segments[pages->n_segments++] =
            (struct tr_segment){at + (i << SEGMENT_BITS), at + (count << SEGMENT_BITS)};
    }
    return PS_OK;
}

enum ps_status tr_pages_add_args(struct tr_trace *trace, struct ps_str args, uint64_t *at)
{
    struct tr_pages *pages = trace->pages;
    uint64_t n_free = ((uint64_t)pages->n_segments << SEGMENT_BITS) - pages->args_used;

    if (args.len > n_free && add_segments(trace, args.len) != PS_OK)
        return trace->err->code;
    *at = pages->args_used;
    if (args.len) {
        const struct tr_segment *segment = &pages->segments[*at >> SEGMENT_BITS];

        memcpy(segment->begin + (*at & (SEGMENT_SIZE - 1)), args.ptr, args.len);
        pages->args_used += args.len;
    }
    return PS_OK;
}

/* Counts the bytes that an access to args_at loads into memory. The kernel also loads the bytes
 * around the access, so random accesses soon load all segments. */
static void count_access(const struct tr_trace *trace, uint64_t args_at)
{
    struct tr_pages *pages = trace->pages;
    uint64_t way = args_at < pages->last_address ? pages->last_address - args_at
                                                 : args_at - pages->last_address;

    pages->last_address = args_at;
    tr_scratch_count_bytes(trace->scratch, way < FAULT_BYTES ? (size_t)way : FAULT_BYTES);
}

struct ps_str tr_params_at(const struct tr_trace *trace, uint64_t args_at)
{
    const struct tr_pages *pages = trace->pages;
    const struct tr_segment *segment;
    const char *at;

    if (args_at >> SEGMENT_BITS >= pages->n_segments)
        return (struct ps_str){"", 0};
    count_access(trace, args_at);
    segment = &pages->segments[args_at >> SEGMENT_BITS];
    at = segment->begin + (args_at & (SEGMENT_SIZE - 1));
    return (struct ps_str){at, (size_t)(segment->end - at)};
}

/* Releases the memory of a page that is no longer needed, if the page is a complete slab. */
static void release_page(struct tr_trace *trace, uint8_t *page, size_t size)
{
    if (size < SLAB_SIZE)
        return;
    if (tr_scratch_contains(trace->scratch, page))
        tr_scratch_free_pages(trace->scratch, page, size);
    else
        (void)madvise(page, size, MADV_DONTNEED);
}

/* Visits the records of a thread page by page. `take`: releases each page after the visit. */
static void visit_pages(struct tr_trace *trace, const struct tr_thread *thread,
                        tr_visit_records *visit, void *user, bool take)
{
    size_t left = thread->n_records, passed = take ? BYTES_PER_VISIT : sizeof(struct tr_record);

    for (size_t i = 0; i < thread->n_pages; i++) {
        size_t n = page_records(i) < left ? page_records(i) : left;

        visit(user, (const struct tr_record *)(const void *)thread->pages[i], n);
        if (take)
            release_page(trace, thread->pages[i], page_records(i) * sizeof(struct tr_record));
        tr_scratch_count_bytes(trace->scratch, n * passed);
        left -= n;
    }
}

void tr_thread_visit(struct tr_trace *trace, const struct tr_thread *thread,
                     tr_visit_records *visit, void *user)
{
    visit_pages(trace, thread, visit, user, false);
}

void tr_thread_visit_once(struct tr_trace *trace, struct tr_thread *thread, tr_visit_records *visit,
                          void *user)
{
    visit_pages(trace, thread, visit, user, true);
    free((void *)(uintptr_t)thread->pages);
    thread->pages = NULL;
    thread->n_pages = 0;
}

static void free_pages(struct tr_trace *trace)
{
    struct tr_pages *pages = trace->pages;

    if (!pages)
        return;
    for (uint32_t i = 0; i < trace->n_threads; i++)
        free((void *)(uintptr_t)trace->threads[i].pages);
    for (size_t i = 0; i < pages->n_blocks; i++)
        (void)munmap(pages->blocks[i], pages->block_sizes[i]);
    ps_intern_free(&pages->threads);
    ps_intern_free(&pages->templates);
    ps_intern_free(&pages->categories);
    ps_intern_free(&pages->repaired_names);
    ps_intern_free(&pages->header_keys);
    free(pages->repaired_marks);
    ps_buf_free(&pages->key_scratch);
    free(pages->cursors);
    free(pages->findings.items);
    free(pages->segments);
    free(pages->blocks);
    free(pages->block_sizes);
    free(pages);
    trace->pages = NULL;
    tr_scratch_close(trace->scratch);
    trace->scratch = NULL;
}

bool tr_read_param(const struct tr_trace *trace, const struct tr_record *record, int index,
                   int64_t *out)
{
    struct ps_num num;

    if (index < 0 || record->template >= trace->n_templates)
        return false;
    num = ps_args_param(trace->templates[record->template].markers,
                        tr_params_at(trace, record->args_address), index);
    *out = num.kind == PS_NUM_INT ? num.i : 0;
    return num.kind == PS_NUM_INT;
}

/* --- Templates: the parameters that later stages need --- */

static struct ps_str markers_of(struct tr_trace *trace, struct ps_str template)
{
    char *markers = ps_arena_alloc(&trace->arena, ps_template_count_params(template) + 1);
    size_t n = 0;

    for (size_t i = 0; i < template.len; i++)
        if (ps_template_is_marker(template.ptr[i]))
            markers[n++] = template.ptr[i];
    return (struct ps_str){markers, n};
}

static const struct {
    const char *key;
    size_t field;
} fields[] = {
    {"correlation", offsetof(struct tr_template, correlation)},
    {"External id", offsetof(struct tr_template, external_id)},
    {"external id", offsetof(struct tr_template, external_id)},
    {"device", offsetof(struct tr_template, device)},
    {"stream", offsetof(struct tr_template, stream)},
    {"Bytes", offsetof(struct tr_template, bytes)},
    {"bytes", offsetof(struct tr_template, bytes)},
    {"Device Type", offsetof(struct tr_template, device_type)},
    {"Device Id", offsetof(struct tr_template, device_id)},
    {"Addr", offsetof(struct tr_template, address)},
    {"Total Allocated", offsetof(struct tr_template, total_allocated)},
    {"Total Reserved", offsetof(struct tr_template, total_reserved)},
    {"Sequence number", offsetof(struct tr_template, sequence)},
    {"Fwd thread id", offsetof(struct tr_template, fwd_thread)},
    {"Fwd thread ID", offsetof(struct tr_template, fwd_thread)},
    {"Python id", offsetof(struct tr_template, python_id)},
    {"Python parent id", offsetof(struct tr_template, python_parent)},
    {"Python module id", offsetof(struct tr_template, python_module)},
    {"pid", offsetof(struct tr_template, pid)},
    {"graph node id", offsetof(struct tr_template, graph_node)},
};
#define N_FIELDS (sizeof fields / sizeof *fields)

static int16_t *field_of(struct tr_template *t, size_t i)
{
    return (int16_t *)(void *)((char *)t + fields[i].field);
}

static void describe_pair(struct tr_trace *trace, struct tr_template *t,
                          const struct ps_template_pair *pair)
{
    int index = ps_template_pair_param(pair);

    if (index > INT16_MAX)
        index = -1;
    for (size_t i = 0; i < N_FIELDS; i++)
        if (ps_str_eq_c(pair->key, fields[i].key))
            *field_of(t, i) = (int16_t)index;
    if (ps_str_eq_c(pair->key, "Input Dims") || ps_str_eq_c(pair->key, "Input dims"))
        t->shapes = ps_template_count_params(pair->value) ? 0 : tr_text_id(trace, pair->value);
    t->has_call_from |= ps_str_eq_c(pair->key, "CallFrom");
    t->has_finished |= ps_str_eq_c(pair->key, "finished");
}

/* Sets the properties of a new template. */
static void describe_template(struct tr_trace *trace, struct tr_template *t)
{
    struct ps_template_pair pair = {.remainder = t->text};

    for (size_t i = 0; i < N_FIELDS; i++)
        *field_of(t, i) = -1;
    while (ps_template_next(&pair))
        describe_pair(trace, t, &pair);
    t->markers = markers_of(trace, t->text);
    t->n_params = t->markers.len < UINT16_MAX ? (uint16_t)t->markers.len : UINT16_MAX;
}

/* --- Categories that the versions of Kineto write, in lower case --- */

static const struct {
    const char *word;
    enum ps_slice_kind kind;
} words[] = {
    {"cpu_op", PS_SLICE_OP},
    {"operator", PS_SLICE_OP},
    {"hpu_op", PS_SLICE_OP},
    {"user_annotation", PS_SLICE_ANNOTATION},
    {"python_function", PS_SLICE_PYTHON},
    {"cuda_runtime", PS_SLICE_RUNTIME},
    {"cuda_driver", PS_SLICE_RUNTIME},
    {"runtime", PS_SLICE_RUNTIME},
    {"xpu_runtime", PS_SLICE_RUNTIME},
    {"xpu_driver", PS_SLICE_RUNTIME},
    {"mtia_runtime", PS_SLICE_RUNTIME},
    {"glow_runtime", PS_SLICE_RUNTIME},
    {"privateuse1_runtime", PS_SLICE_RUNTIME},
    {"privateuse1_driver", PS_SLICE_RUNTIME},
    {"graph_host_node", PS_SLICE_RUNTIME},
    {"overhead", PS_SLICE_OVERHEAD},
    {"kernel", PS_SLICE_KERNEL},
    {"mtia_ccp_events", PS_SLICE_KERNEL},
    {"mtia_workloadd", PS_SLICE_OTHER},
    {"mtia_insight", PS_SLICE_OTHER},
    {"graph_event_node", PS_SLICE_OTHER},
    {"gpu_memcpy", PS_SLICE_MEMCPY},
    {"memcpy", PS_SLICE_MEMCPY},
    {"gpu_memset", PS_SLICE_MEMSET},
    {"memset", PS_SLICE_MEMSET},
    {"cuda_sync", PS_SLICE_SYNC},
    {"xpu_sync", PS_SLICE_SYNC},
    {"gpu_user_annotation", PS_SLICE_GPU_ANNOTATION},
    {"user", PS_SLICE_GPU_ANNOTATION},
    {"trace", PS_SLICE_SPAN},
    {"cpu_instant_event", PS_SLICE_OTHER},
    {"cuda_event", PS_SLICE_OTHER},
    {"collective_comm", PS_SLICE_OTHER},
    {"external_correlation", PS_SLICE_OTHER},
    {"cuda_profiler_range", PS_SLICE_OTHER},
};

/* Whether other programs also write the category, so that it does not identify a trace of torch. */
static bool is_common(const char *word)
{
    return !strcmp(word, "user") || !strcmp(word, "trace") || !strcmp(word, "overhead") ||
           !strcmp(word, "memcpy") || !strcmp(word, "memset") || !strcmp(word, "runtime");
}

static void describe_cat(struct tr_category *cat)
{
    char lower[32];

    if (cat->text.len >= sizeof lower)
        return;
    for (size_t i = 0; i < cat->text.len; i++) {
        char c = cat->text.ptr[i];

        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
    }
    lower[cat->text.len] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, lower) == 0) {
            cat->kind = (uint8_t)words[i].kind;
            cat->is_torch = !is_common(lower);
            cat->is_mtia = !strcmp(lower, "mtia_ccp_events");
        }
}

bool tr_is_attributed(const struct tr_trace *trace)
{
    return !trace->is_xla && (trace->is_torch || (trace->source && trace->source->has_device_work));
}

enum ps_slice_kind tr_kind_of_work(struct ps_str name)
{
    return ps_str_eq_c(name, "event_wait") || ps_str_eq_c(name, "event_record") ? PS_SLICE_SYNC
           : ps_str_eq_c(name, "dma_request")                                   ? PS_SLICE_MEMCPY
                                                                                : PS_SLICE_KERNEL;
}

/* --- Members of a template --- */

struct ps_str tr_args_object(struct ps_str template)
{
    const char *mark = template.len ? memchr(template.ptr, PS_TEMPLATE_REST, template.len) : NULL;

    if (mark)
        template.len = (size_t)(mark - template.ptr);
    return template.len > 2 ? (struct ps_str){template.ptr + 1, template.len - 2}
                            : (struct ps_str){NULL, 0};
}

bool tr_next_member(struct ps_str *rest, struct tr_member *out)
{
    size_t key, value;

    if (rest->len < 3 || rest->ptr[0] != '"')
        return false;
    key = ps_json_string_length(*rest);
    value = ps_json_value_length(ps_str_skip(*rest, key + 1));
    out->text = (struct ps_str){rest->ptr, key + 1 + value};
    out->key = (struct ps_str){rest->ptr + 1, key - 2};
    out->value = (struct ps_str){rest->ptr + key + 1, value};
    if (out->text.len > rest->len)
        return false;
    *rest = ps_str_skip(*rest, out->text.len + 1);
    return true;
}

/* --- Tables --- */

#define NAME_BYTES_MAX (UINT64_C(64) << 20)
#define RECORDS_MAX    (UINT64_C(1) << 31)

uint32_t tr_text_id(struct tr_trace *trace, struct ps_str text)
{
    uint32_t before = trace->names.count, id;

    id = ps_intern_add(&trace->names, (struct ps_str){text.ptr ? text.ptr : "", text.len}) + 1;
    if (trace->names.count != before)
        trace->pages->name_bytes += text.len + 1;
    return id;
}

struct ps_str tr_text_of_id(const struct tr_trace *trace, uint32_t id)
{
    return id && id <= trace->names.count ? trace->names.items[id - 1] : PS_STR("");
}

uint16_t tr_category_index(struct tr_trace *trace, struct ps_str text)
{
    struct tr_pages *pages = trace->pages;
    uint32_t index = ps_intern_add(&pages->categories, text) + 1;

    if (index > UINT16_MAX)
        return 0;
    if (index < trace->n_categories)
        return (uint16_t)index;
    if (trace->n_categories == pages->categories_cap) {
        pages->categories_cap *= 2;
        trace->categories =
            ps_grow(trace->categories, pages->categories_cap, sizeof *trace->categories);
    }
    trace->categories[trace->n_categories] = (struct tr_category){
        .text = pages->categories.items[index - 1], .text_id = tr_text_id(trace, text)};
    describe_cat(&trace->categories[trace->n_categories]);
    trace->is_torch |= !trace->source && trace->categories[trace->n_categories].is_torch;
    trace->n_categories++;
    return (uint16_t)index;
}

void tr_thread_key(struct ps_buf *out, struct ps_str pid, struct ps_str tid)
{
    uint32_t len = (uint32_t)pid.len;

    ps_buf_add(out, &len, sizeof len);
    ps_buf_add_str(out, pid);
    ps_buf_add_str(out, tid);
}

static void split_thread_key(struct ps_str key, struct ps_str *pid, struct ps_str *tid)
{
    uint32_t len;

    memcpy(&len, key.ptr, sizeof len);
    key = ps_str_skip(key, sizeof len);
    *pid = (struct ps_str){key.ptr, len};
    *tid = ps_str_skip(key, len);
}

uint32_t tr_thread_index(struct tr_trace *trace, struct ps_str key)
{
    struct tr_pages *pages = trace->pages;
    uint32_t index = ps_intern_add(&pages->threads, key);
    size_t old = pages->threads_cap;
    struct tr_thread *thread;

    if (index < trace->n_threads)
        return index;
    if (trace->n_threads == old) {
        pages->threads_cap = old ? old * 2 : 64;
        trace->threads = ps_grow(trace->threads, pages->threads_cap, sizeof *trace->threads);
        pages->cursors = ps_grow(pages->cursors, pages->threads_cap, sizeof *pages->cursors);
    }
    thread = &trace->threads[trace->n_threads];
    *thread = (struct tr_thread){.is_sorted = true, .device = -1, .sort_index = INT64_MIN};
    pages->cursors[trace->n_threads++] = (struct tr_page_cursor){.last_ts = INT64_MIN};
    split_thread_key(pages->threads.items[index], &thread->pid, &thread->tid);
    if (!ps_str_parse_i64(thread->pid, &thread->pid_number))
        thread->pid_number = INT64_MIN;
    if (!ps_str_parse_i64(thread->tid, &thread->tid_number))
        thread->tid_number = INT64_MIN;
    if (trace->is_array && ps_str_eq_c(thread->pid, "CPU functions"))
        trace->is_autograd = trace->is_torch = true;
    return index;
}

uint32_t tr_template_index(struct tr_trace *trace, struct ps_str text)
{
    struct tr_pages *pages = trace->pages;
    uint32_t id = ps_intern_add(&pages->templates, text) + 2;

    if (id < trace->n_templates)
        return id;
    if (trace->n_templates == pages->templates_cap) {
        pages->templates_cap *= 2;
        trace->templates =
            ps_grow(trace->templates, pages->templates_cap, sizeof *trace->templates);
    }
    pages->template_bytes += text.len + 1;
    trace->templates[trace->n_templates] =
        (struct tr_template){.text = pages->templates.items[id - 2]};
    describe_template(trace, &trace->templates[trace->n_templates++]);
    return id;
}

enum ps_status tr_check_limits(struct tr_trace *trace)
{
    if (trace->pages->name_bytes > NAME_BYTES_MAX) {
        ps_fail(trace->err, PS_LIMIT,
                "the event names in the trace exceed %llu MiB" PS_HINT
                "names with changing numbers cause this; record a shorter time",
                (unsigned long long)(NAME_BYTES_MAX >> 20));
    } else if (trace->pages->records > RECORDS_MAX) {
        ps_fail(trace->err, PS_LIMIT,
                "the trace has more than 2^31 events" PS_HINT "record a shorter time");
    } else if (trace->n_threads > PS_TRACKS_MAX) {
        ps_fail(trace->err, PS_LIMIT, "the trace has more than %u threads", PS_TRACKS_MAX);
    }
    return trace->err->code;
}

/* --- Creating and freeing a trace --- */

void tr_trace_init(struct tr_trace *trace, size_t budget)
{
    init_pages(trace, budget);
    trace->first_ns = INT64_MAX;
    trace->last_ns = INT64_MIN;
    trace->zero_end_ns = INT64_MIN;
    trace->session_end_ns = INT64_MIN;
    trace->pages->categories_cap = trace->pages->templates_cap = 64;
    trace->categories = ps_alloc_array(64, sizeof *trace->categories);
    trace->templates = ps_alloc_array(64, sizeof *trace->templates);
    trace->n_categories = 1;
    trace->templates[PS_TEMPLATE_WHOLE].text = PS_STR(PS_TEMPLATE_WHOLE_TEXT);
    describe_template(trace, &trace->templates[0]);
    describe_template(trace, &trace->templates[PS_TEMPLATE_WHOLE]);
    trace->n_templates = 2;
}

void tr_trace_free(struct tr_trace *trace)
{
    free_pages(trace);
    ps_arena_free(&trace->arena);
    ps_intern_free(&trace->names);
    free(trace->threads);
    free(trace->templates);
    free(trace->categories);
    free(trace->headers);
}

void tr_add_note(struct tr_trace *trace, enum ps_severity severity, uint64_t at, const char *fmt,
                 ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ps_sink_note(trace->out, severity, at, 0, "%s", text);
}

/* --- A trace without a JSON document --- */

#define CHECK_INTERVAL 4096 /* records between two checks of the limits */

void tr_fill_begin(struct tr_trace *trace, const struct tr_source *source)
{
    tr_trace_init(trace, TR_BUDGET);
    trace->source = source;
}

uint32_t tr_fill_thread(struct tr_trace *trace, struct ps_str pid, struct ps_str tid)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};

    tr_thread_key(&key, pid, tid);
    return tr_thread_index(trace, ps_buf_slice(&key));
}

uint16_t tr_fill_category(struct tr_trace *trace, struct ps_str word, enum ps_slice_kind kind)
{
    uint16_t cat = tr_category_index(trace, word);

    if (cat)
        trace->categories[cat].kind = (uint8_t)kind;
    return cat;
}

uint16_t tr_fill_word(struct tr_trace *trace, struct ps_str word)
{
    return tr_category_index(trace, word);
}

uint32_t tr_fill_template(struct tr_trace *trace, struct ps_str text)
{
    return text.len ? tr_template_index(trace, text) : 0;
}

uint32_t tr_fill_template_below(struct tr_trace *trace, struct ps_str text, uint64_t most)
{
    if (trace->pages->template_bytes >= most &&
        ps_intern_find(&trace->pages->templates, text) == PS_INTERN_NONE)
        return 0;
    return tr_fill_template(trace, text);
}

void tr_fill_header(struct tr_trace *trace, struct ps_str key, struct ps_str json)
{
    PS_RESERVE_ONE(trace->headers, trace->n_headers, trace->pages->headers_cap);
    trace->headers[trace->n_headers++] = (struct tr_header){
        .key = ps_arena_copy(&trace->arena, key), .json = ps_arena_copy(&trace->arena, json)};
}

enum ps_status tr_fill_record(struct tr_trace *trace, uint32_t thread, struct tr_record record,
                              struct ps_str params)
{
    bool lasts = record.phase == 'X' && record.dur_or_id != TR_NO_DURATION;
    int64_t end = record.ts_ns + (lasts ? record.dur_or_id : 0);
    uint64_t at = 0;

    if (tr_pages_add_args(trace, params, &at) != PS_OK)
        return trace->err->code;
    record.args_address = at & 0xffffffffff;
    trace->threads[thread].is_torch |= trace->categories[record.category].is_torch;
    trace->first_ns = record.ts_ns < trace->first_ns ? record.ts_ns : trace->first_ns;
    trace->last_ns = end > trace->last_ns ? end : trace->last_ns;
    if (++trace->pages->records % CHECK_INTERVAL == 0 && tr_check_limits(trace) != PS_OK)
        return trace->err->code;
    return tr_pages_push(trace, thread, &record);
}

struct tr_record *tr_fill_last(struct tr_trace *trace, uint32_t thread)
{
    return trace->pages->cursors[thread].next - 1;
}

struct change {
    void (*change)(void *user, struct tr_record *record);
    void *user;
};

static void change_page(void *user, const struct tr_record *records, size_t n)
{
    const struct change *change = user;

    for (size_t i = 0; i < n; i++)
        change->change(change->user, (struct tr_record *)(uintptr_t)&records[i]);
}

void tr_fill_change(struct tr_trace *trace, uint32_t thread,
                    void (*change)(void *user, struct tr_record *record), void *user)
{
    struct change state = {change, user};

    tr_thread_visit(trace, &trace->threads[thread], change_page, &state);
}

struct move {
    struct tr_trace *trace;
    uint32_t to;
};

static void move_page(void *user, const struct tr_record *records, size_t n)
{
    const struct move *move = user;

    for (size_t i = 0; i < n && move->trace->err->code == PS_OK; i++)
        (void)tr_pages_push(move->trace, move->to, &records[i]);
}

enum ps_status tr_fill_move(struct tr_trace *trace, uint32_t from, uint32_t to)
{
    struct move state = {trace, to};
    struct tr_thread *thread = &trace->threads[from];

    tr_thread_visit_once(trace, thread, move_page, &state);
    thread->n_records = 0;
    trace->pages->cursors[from] = (struct tr_page_cursor){.last_ts = INT64_MIN};
    return trace->err->code;
}

enum ps_status tr_fill_end(struct tr_trace *trace, int64_t end_ns)
{
    if (trace->first_ns > trace->last_ns)
        trace->first_ns = trace->last_ns = 0;
    trace->session_end_ns = end_ns;
    return tr_check_limits(trace);
}

int64_t tr_open_until(struct tr_trace *trace)
{
    if (trace->session_end_ns > trace->last_ns)
        trace->last_ns = trace->session_end_ns;
    return trace->last_ns;
}
