/* SPDX-License-Identifier: MIT */
/* read.c: splits the stream into blocks that the workers parse in turn, and builds the trace. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "importers/trace/pattern.h"
#include "importers/trace/read.h"

#define BLOCK     (1u << 20)
#define EVENT_MAX (64u << 20)
/* bytes of a worker's own tables; if they have more they are cleared */
#define LOCAL_TEXT  (8u << 20)
#define WORKERS_MAX 2

enum guess { GUESS_NOTHING, GUESS_ARRAY, GUESS_LINES };

struct reading {
    struct ps_stream *in;
    struct tr_trace *trace;
    size_t block;
    pthread_mutex_t input, output;
    pthread_cond_t turn;
    /* guarded by `input` */
    uint64_t taken;
    bool ended;
    /* guarded by `output` */
    uint64_t consumed;
    struct tr_document document;
    struct ps_buf leftover;
    uint64_t leftover_at;
    bool origin_known;
    int64_t origin_us;
    /* enum guess: what the block after the last consumed one probably begins with; unless it is
     * GUESS_NOTHING, origin_us is known */
    _Atomic int guess;
    _Atomic size_t want;
    _Atomic bool stopped;
};

struct worker {
    struct reading *reading;
    pthread_t thread;
    bool first; /* runs on the caller's thread, the only one that may call the sink */
    struct tr_parser parser;
    struct tr_maps maps;
    struct ps_buf block, joined;
    uint64_t at, index, done, total;
    bool last;
};

/* Returns the last '{' of [start, end); NULL: none. It searches page by page because
 * AddressSanitizer checks all bytes that memrchr may read, which would be the complete block for
 * each brace. */
static const char *last_brace(const char *start, const char *end)
{
    const char *hit = NULL;

    while (!hit && end > start) {
        size_t n = end - start < 4096 ? (size_t)(end - start) : 4096;

        end -= n;
        hit = memrchr(end, '{', n);
    }
    return hit;
}

/* Returns the offset of the last event start, as far as can be seen without parsing from the start;
 * all of the length if there is none. */
static size_t cut_of(struct ps_str window)
{
    const char *start = window.at, *end = start + window.len, *at = end;

    while ((at = last_brace(start, at))) {
        const char *back = at;

        while (back > start && (unsigned char)back[-1] <= ' ')
            back--;
        if (back > start && (back[-1] == ',' || back[-1] == '}') && tr_is_event_start(at, end))
            return (size_t)(at - start);
    }
    return window.len;
}

static void fill(struct ps_buf *buf, struct ps_str before, struct ps_str bytes)
{
    buf->len = 0;
    ps_buf_room(buf, before.len + bytes.len + TR_PAD);
    ps_buf_str(buf, before);
    ps_buf_str(buf, bytes);
    memset(buf->at + buf->len, 0, TR_PAD);
}

/* Reads the next block of the stream; false: no more. The last block may be empty. */
static bool take(struct worker *w)
{
    struct reading *r = w->reading;
    bool taken = false;

    (void)pthread_mutex_lock(&r->input);
    if (!r->ended && !atomic_load(&r->stopped)) {
        size_t want = atomic_load(&r->want);
        struct ps_str window = ps_stream_peek(r->in, want);

        w->last = r->ended = window.len < want;
        window.len = window.len < want ? window.len : want;
        window.len = w->last ? window.len : cut_of(window);
        w->at = ps_stream_at(r->in);
        w->index = r->taken++;
        fill(&w->block, (struct ps_str){"", 0}, window);
        ps_stream_skip(r->in, window.len);
        ps_stream_progress(r->in, &w->done, &w->total);
        taken = true;
    }
    (void)pthread_mutex_unlock(&r->input);
    return taken;
}

/* Parses the block before its turn, on the guess that it begins with an event. */
static enum tr_events_end parse_ahead(struct worker *w, int guess)
{
    struct tr_parser *p = &w->parser;

    tr_parser_begin(p, ps_buf_slice(&w->block), w->at, w->last);
    p->between = TR_AT_COMMA;
    p->mode = TR_STRICT;
    p->origin_known = true;
    p->origin_us = w->reading->origin_us;
    return tr_parse_events(p, guess == GUESS_LINES);
}

/* Clears the worker's tables if they are too large: the trace has all that is in them. */
static void forget_tables(struct worker *w)
{
    struct tr_local *local = &w->parser.local;

    if (local->names.text.total + local->templates.text.total < LOCAL_TEXT &&
        local->threads.text.total < LOCAL_TEXT && !tr_patterns_full(w->parser.patterns))
        return;
    ps_intern_free(&local->names);
    ps_intern_free(&local->templates);
    ps_intern_free(&local->cats);
    ps_intern_free(&local->threads);
    tr_maps_forget(&w->maps);
    memset(w->parser.threads, 0, sizeof w->parser.threads);
    tr_patterns_free(w->parser.patterns);
    w->parser.patterns = tr_patterns_new();
}

static enum ps_status read_joined(struct worker *w)
{
    struct reading *r = w->reading;
    struct tr_parser *p = &w->parser;
    uint64_t at = r->leftover.len ? r->leftover_at : w->at;

    tr_local_forget(&p->local);
    fill(&w->joined, ps_buf_slice(&r->leftover), ps_buf_slice(&w->block));
    tr_parser_begin(p, ps_buf_slice(&w->joined), at, w->last);
    p->origin_known = r->origin_known;
    p->origin_us = r->origin_us;
    return tr_document_read(r->trace, &r->document, p, &w->maps);
}

static enum ps_status read_ahead(struct worker *w, enum tr_events_end end)
{
    struct reading *r = w->reading;
    enum ps_status status;

    tr_document_events_end(r->trace, &r->document, &w->parser, end);
    status = tr_merge(r->trace, &w->parser, &w->maps);
    if (status == PS_OK && end != TR_EVENTS_MORE)
        status = tr_document_read(r->trace, &r->document, &w->parser, &w->maps);
    return status;
}

/* Keeps the bytes that could not be used yet for the next block. */
static enum ps_status keep_leftover(struct worker *w)
{
    struct reading *r = w->reading;
    struct tr_parser *p = &w->parser;
    struct ps_str rest = {p->at, (size_t)(p->end - p->at)};

    r->leftover_at = tr_position(p, p->at);
    r->leftover.len = 0;
    if (rest.len > EVENT_MAX) {
        ps_fail_at(r->trace->err, PS_LIMIT, r->leftover_at, "one event is larger than %u MiB",
                   EVENT_MAX >> 20);
        return r->trace->err->code;
    }
    ps_buf_str(&r->leftover, rest);
    atomic_store(&r->want, rest.len > r->block ? rest.len : r->block);
    return PS_OK;
}

static enum ps_status tell_progress(struct worker *w)
{
    struct tr_trace *trace = w->reading->trace;

    if (!w->first || !trace->out->ops->progress)
        return PS_OK;
    if (!ps_sink_ok(trace->out))
        return ps_fail(trace->err, trace->out->err.code, "%s", trace->out->err.text);
    if (!trace->out->ops->progress(trace->out, w->done, w->total, trace->counts.read))
        return ps_fail(trace->err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

static void set_guess(struct worker *w)
{
    struct reading *r = w->reading;
    bool events = r->document.mode == TR_DOC_EVENTS;

    if (w->parser.origin_known && !r->origin_known) {
        r->origin_us = w->parser.origin_us;
        r->origin_known = true;
    }
    atomic_store(&r->guess, !events || !r->origin_known ? GUESS_NOTHING
                            : r->document.bare          ? GUESS_LINES
                                                        : GUESS_ARRAY);
}

/* Adds the block to the trace, when it is its turn. */
static enum ps_status consume(struct worker *w, int guess, enum tr_events_end end)
{
    struct reading *r = w->reading;
    bool right = guess != GUESS_NOTHING && r->leftover.len == 0 &&
                 r->document.mode == TR_DOC_EVENTS && r->document.bare == (guess == GUESS_LINES) &&
                 r->document.between == TR_AT_COMMA;
    enum ps_status status = right ? read_ahead(w, end) : read_joined(w);

    if (status == PS_OK)
        status = keep_leftover(w);
    set_guess(w);
    forget_tables(w);
    return status == PS_OK ? tell_progress(w) : status;
}

static void work(struct worker *w)
{
    struct reading *r = w->reading;

    while (take(w)) {
        int guess = atomic_load(&r->guess);
        enum tr_events_end end = guess ? parse_ahead(w, guess) : TR_EVENTS_MORE;

        (void)pthread_mutex_lock(&r->output);
        while (r->consumed != w->index)
            (void)pthread_cond_wait(&r->turn, &r->output);
        if (!atomic_load(&r->stopped) && consume(w, guess, end) != PS_OK)
            atomic_store(&r->stopped, true);
        r->consumed++;
        (void)pthread_cond_broadcast(&r->turn);
        (void)pthread_mutex_unlock(&r->output);
    }
}

static void *work_thread(void *worker)
{
    work(worker);
    return NULL;
}

static void run_workers(struct reading *r, struct worker *workers, unsigned n)
{
    unsigned started = 1;

    for (unsigned i = 0; i < n; i++) {
        workers[i].reading = r;
        workers[i].first = i == 0;
        tr_parser_init(&workers[i].parser);
    }
    while (started < n &&
           pthread_create(&workers[started].thread, NULL, work_thread, &workers[started]) == 0)
        started++;
    work(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
}

static void free_workers(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        tr_parser_free(&workers[i].parser);
        tr_maps_forget(&workers[i].maps);
        ps_buf_free(&workers[i].block);
        ps_buf_free(&workers[i].joined);
    }
}

/* Ends the document and the stream after the workers have finished. */
static enum ps_status finish(struct reading *r)
{
    struct tr_trace *trace = r->trace;
    struct tr_parser end = {.base = "", .at = "", .base_at = ps_stream_at(r->in)};

    end.end = end.base;
    if (ps_stream_status(r->in, PS_ERR_IGNORED) != PS_OK) {
        if (!ps_stream_cut(r->in))
            return ps_stream_status(r->in, trace->err);
        tr_find(&trace->pages->findings, TR_STREAM_CUT, end.base_at);
    }
    if (tr_document_end(trace, &r->document, &end) != PS_OK)
        return trace->err->code;
    if (trace->first_ns > trace->last_ns)
        trace->first_ns = trace->last_ns = 0;
    trace->origin_us = r->origin_us;
    tr_tell_findings(trace, &trace->pages->findings);
    return PS_OK;
}

void tr_trace_begin(struct tr_trace *trace, size_t budget)
{
    tr_pages_init(trace, budget);
    trace->first_ns = INT64_MAX;
    trace->last_ns = INT64_MIN;
    trace->pages->cats_cap = trace->pages->templates_cap = 64;
    trace->cats = ps_alloc_array(64, sizeof *trace->cats);
    trace->templates = ps_alloc_array(64, sizeof *trace->templates);
    trace->n_cats = 1;
    trace->templates[PS_TEMPLATE_WHOLE].text = PS_STR(PS_TEMPLATE_WHOLE_TEXT);
    tr_template_learn(trace, &trace->templates[0]);
    tr_template_learn(trace, &trace->templates[PS_TEMPLATE_WHOLE]);
    trace->n_templates = 2;
}

enum ps_status tr_trace_read_by(struct ps_stream *in, struct tr_trace *trace, size_t block,
                                unsigned n, size_t budget)
{
    struct reading r = {.in = in, .trace = trace, .block = block ? block : BLOCK};
    struct worker workers[WORKERS_MAX] = {0};
    enum ps_status status;

    tr_trace_begin(trace, budget);
    r.want = r.block;
    (void)pthread_mutex_init(&r.input, NULL);
    (void)pthread_mutex_init(&r.output, NULL);
    (void)pthread_cond_init(&r.turn, NULL);
    run_workers(&r, workers, n < WORKERS_MAX ? n : WORKERS_MAX);
    status = r.stopped ? trace->err->code : finish(&r);
    free_workers(workers, WORKERS_MAX);
    ps_buf_free(&r.leftover);
    (void)pthread_cond_destroy(&r.turn);
    (void)pthread_mutex_destroy(&r.input);
    (void)pthread_mutex_destroy(&r.output);
    return status;
}

enum ps_status tr_trace_read(struct ps_stream *in, struct tr_trace *trace)
{
    return tr_trace_read_by(in, trace, 0, WORKERS_MAX, TR_BUDGET);
}

void tr_trace_free(struct tr_trace *trace)
{
    tr_pages_free(trace);
    ps_arena_free(&trace->arena);
    ps_intern_free(&trace->names);
    free(trace->threads);
    free(trace->templates);
    free(trace->cats);
    free(trace->headers);
}
