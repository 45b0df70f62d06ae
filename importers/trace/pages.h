/* SPDX-License-Identifier: MIT */
/*
 * pages.h: the memory of a trace while it is filled: pages, segments, tables. Private to trace.c,
 * which owns it, read.c, which fills it from a stream, and begin_end.c, which adds arguments.
 */
#ifndef PS_TRACE_PAGES_H
#define PS_TRACE_PAGES_H

#include "importers/trace/parse.h"

struct tr_segment {
    char *begin, *end; /* end of the parameters that may be read from `begin` on */
};

struct tr_page_cursor {
    struct tr_record *next, *end; /* free part of the thread's last page */
    int64_t last_ts;
    size_t cap; /* capacity of the page list */
};

/* A window of the scratch file; `ptr` is NULL if there is no window. */
struct tr_window {
    char *ptr;
    size_t used;
};

struct tr_pages {
    struct ps_intern threads, templates, categories;
    struct ps_intern repaired_names;
    struct ps_str *repaired_marks; /* hash of the original bytes, by index in repaired_names */
    size_t repaired_cap;
    struct tr_page_cursor *cursors; /* by thread index */
    size_t threads_cap, templates_cap, categories_cap, headers_cap;
    size_t headers_bytes;         /* bytes of all header keys and values that were read */
    struct ps_intern header_keys; /* the id of a key is its index in trace.headers */
    uint64_t name_bytes, template_bytes, records;
    struct tr_findings findings;
    struct ps_buf key_scratch; /* scratch buffer for the key that is looked up in header_keys */
    struct tr_segment *segments;
    size_t n_segments, segments_cap;
    uint64_t args_used;    /* address after the last parameter */
    uint64_t last_address; /* address in the last call of tr_params_at */
    char *slab;            /* memory from which pages smaller than a slab are allocated */
    size_t slab_used;
    size_t anonymous_bytes, budget; /* bytes of anonymous memory: in use; maximum */
    struct tr_window window;        /* the window that is being filled */
    void **blocks;                  /* anonymous memory, unmapped at the end */
    size_t *block_sizes;
    size_t n_blocks, blocks_cap;
};

enum ps_status tr_pages_push(struct tr_trace *trace, uint32_t thread,
                             const struct tr_record *record);
/* Copies the parameters of several records. Sets *at to the address of the first byte. */
enum ps_status tr_pages_add_args(struct tr_trace *trace, struct ps_str args, uint64_t *at);

/* Appends the key of a thread to `out`. */
void tr_thread_key(struct ps_buf *out, struct ps_str pid, struct ps_str tid);
/* Return the id in the trace of a thread, template or category, and add it if it is new. Categories
 * after the 65535th get the id 0. */
uint32_t tr_thread_index(struct tr_trace *trace, struct ps_str key);
uint32_t tr_template_index(struct tr_trace *trace, struct ps_str text);
uint16_t tr_category_index(struct tr_trace *trace, struct ps_str text);
/* Fails if there are too many names, records or threads. */
enum ps_status tr_check_limits(struct tr_trace *trace);

/* Initialises an empty trace. budget: maximum bytes of records in memory; further records are in
 * the scratch file. */
void tr_trace_init(struct tr_trace *trace, size_t budget);
#define TR_BUDGET ((size_t)32 << 20)

#endif
