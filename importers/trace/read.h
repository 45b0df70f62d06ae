/* SPDX-License-Identifier: MIT */
/*
 * read.h: how blocks of a stream become a trace. Private to the reading part of importers/trace.
 *
 * The stream is split into blocks where an event seems to begin. Any worker parses any block ahead
 * of its turn. The blocks are then consumed in file order: if the previous block ended exactly
 * where this one begins, its records are merged into the trace; otherwise the block is parsed again
 * after the bytes left over from the previous one. A wrong split therefore only costs time.
 */
#ifndef PS_TRACE_READ_H
#define PS_TRACE_READ_H

#include "importers/trace/parse.h"

/* pages.c: stores records and parameters, in memory up to `budget` bytes and then in the scratch
 * file. */
struct tr_segment {
    char *at, *end; /* end: of the parameters that may be read from `at` */
};

struct tr_cursor {
    struct tr_record *at, *end; /* free part of the thread's last page */
    int64_t last_ts;
    size_t cap; /* capacity of the page list */
};

/* A window of the scratch file; `at` is NULL if there is none. */
struct tr_window {
    char *at;
    size_t used;
};

struct tr_pages {
    struct ps_intern threads, templates, cats;
    struct ps_intern odd; /* repaired names; odd_mark, by index: hash of the original bytes */
    struct ps_str *odd_mark;
    size_t odd_cap;
    struct tr_cursor *cursors; /* by thread index */
    size_t threads_cap, templates_cap, cats_cap, headers_cap;
    size_t headers_bytes;         /* of all header keys and values read */
    struct ps_intern header_keys; /* id: index in trace.headers */
    uint64_t name_bytes, template_bytes, records;
    struct tr_findings findings;
    struct ps_buf whole; /* scratch */
    struct tr_segment *segments;
    size_t n_segments, segments_cap;
    uint64_t args_used; /* address after the last parameter */
    uint64_t asked;     /* address of the last tr_args_at */
    char *slab;         /* pages smaller than a slab are allocated from it */
    size_t slab_used;
    size_t anonymous, budget; /* bytes of anonymous memory: in use, limit */
    struct tr_window window;  /* the current one */
    void **blocks;            /* anonymous memory, unmapped at the end */
    size_t *block_sizes;
    size_t n_blocks, blocks_cap;
};

#define TR_SLAB         (256u << 10)
#define TR_PAGE_RECORDS (TR_SLAB / sizeof(struct tr_record))

void tr_pages_init(struct tr_trace *trace, size_t budget);
void tr_pages_free(struct tr_trace *trace);
enum ps_status tr_pages_push(struct tr_trace *trace, uint32_t thread,
                             const struct tr_record *record);
/* Copies the parameters of some records; *at: address of the first byte. */
enum ps_status tr_pages_args(struct tr_trace *trace, struct ps_str args, uint64_t *at);

/* merge.c: maps local ids to ids of the trace. */
struct tr_maps {
    /* by local index: id in the trace (threads: index + 1); 0: not mapped yet */
    uint32_t *names, *templates, *cats, *threads;
    size_t n_names, n_templates, n_cats, n_threads;
};
/* Moves the parser's local records, arguments and findings to the trace. Its tables are kept. */
enum ps_status tr_merge(struct tr_trace *trace, struct tr_parser *parser, struct tr_maps *maps);
void tr_maps_forget(struct tr_maps *maps);
/* Return the trace's id of a thread, template or category and add it if it is new. key: see
 * tr_thread_key. Categories after the 65535th get 0. */
uint32_t tr_thread_of(struct tr_trace *trace, struct ps_str key);
uint32_t tr_template_of(struct tr_trace *trace, struct ps_str text);
uint16_t tr_cat_of(struct tr_trace *trace, struct ps_str text);
/* Fails if there are too many names, records or threads. */
enum ps_status tr_check_limits(struct tr_trace *trace);
void tr_local_forget(struct tr_local *local); /* clears records and findings; keeps the tables */

/* templates.c, cats.c: set the properties of a new template or category. */
void tr_template_learn(struct tr_trace *trace, struct tr_template *template);
void tr_cat_learn(struct tr_cat *cat);

/* document.c: reads what surrounds the events. */
struct tr_document {
    enum tr_document_mode { TR_DOC_TOP, TR_DOC_OBJECT, TR_DOC_EVENTS, TR_DOC_REST } mode;
    bool in_object;  /* the events are a member of an object */
    bool bare;       /* the events are in no array */
    bool has_events; /* an event list was found */
    bool any;        /* a document has begun */
    enum tr_between between;
};
/* Reads from parser->at as far as the bytes allow. The bytes from the new parser->at on are needed
 * again, with more after them. */
enum ps_status tr_document_read(struct tr_trace *trace, struct tr_document *document,
                                struct tr_parser *parser, struct tr_maps *maps);
/* Updates the state after tr_parse_events returned `end`. */
void tr_document_events_end(struct tr_trace *trace, struct tr_document *document,
                            struct tr_parser *parser, enum tr_events_end end);
/* Reports what is missing at the end of the input. */
enum ps_status tr_document_end(struct tr_trace *trace, struct tr_document *document,
                               struct tr_parser *parser);

/* findings.c: writes all findings as notes, at most TR_FINDINGS_TOLD of a kind. */
void tr_tell_findings(struct tr_trace *trace, struct tr_findings *findings);

/* read.c: initialises an empty trace. */
void tr_trace_begin(struct tr_trace *trace, size_t budget);
#define TR_BUDGET ((size_t)32 << 20) /* bytes of records kept in memory */

/* read.c, for tests: tr_trace_read with a block size in bytes (0: default), number of workers and
 * budget. */
enum ps_status tr_trace_read_by(struct ps_stream *in, struct tr_trace *trace, size_t block,
                                unsigned workers, size_t budget);

#endif
