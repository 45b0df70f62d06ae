/* SPDX-License-Identifier: MIT */
/*
 * read.h: how blocks of a stream become a trace; for the reading part of importers/trace alone.
 *
 * Blocks are cut from the stream where an event seems to begin, and parsed by any worker at once;
 * then, in the order of the file, each is consumed: when the one before ended where this one begins
 * its records are merged into the trace as they are, else it is parsed again behind what was left
 * over. So a wrong cut costs time and nothing else.
 */
#ifndef PS_TRACE_READ_H
#define PS_TRACE_READ_H

#include "importers/trace/parse.h"

/* pages.c: where records and parameters lie: beyond `budget` bytes in the scratch file. */
struct tr_segment {
    char *at, *end; /* end of the parameters that may be read from here on */
};

struct tr_cursor {
    struct tr_record *at, *end; /* of the thread's last page */
    int64_t last_ts;
    size_t cap; /* of pages */
};

struct tr_window { /* of the scratch file, NULL: none */
    char *at;
    size_t used;
};

struct tr_pages {
    struct ps_intern threads, templates, cats;
    struct ps_intern odd; /* names that were mended, and by index what they were */
    struct ps_str *odd_mark;
    size_t odd_cap;
    struct tr_cursor *cursors; /* by thread */
    size_t threads_cap, templates_cap, cats_cap, headers_cap;
    size_t headers_bytes;         /* of all that came */
    struct ps_intern header_keys; /* id: index in headers */
    uint64_t name_bytes, template_bytes, records;
    struct tr_findings findings;
    struct ps_buf whole; /* scratch */
    struct tr_segment *segments;
    size_t n_segments, segments_cap;
    uint64_t args_used; /* address behind the last parameter */
    uint64_t asked;     /* address that was read last */
    char *slab;         /* pages smaller than a slab are carved from it */
    size_t slab_used;
    size_t anonymous, budget; /* bytes */
    struct tr_window window;  /* the last one */
    void **blocks;            /* anonymous slabs, to be unmapped at the end */
    size_t *block_sizes;
    size_t n_blocks, blocks_cap;
};

#define TR_SLAB         (256u << 10)
#define TR_PAGE_RECORDS (TR_SLAB / sizeof(struct tr_record))

void tr_pages_init(struct tr_trace *trace, size_t budget);
void tr_pages_free(struct tr_trace *trace);
enum ps_status tr_pages_push(struct tr_trace *trace, uint32_t thread,
                             const struct tr_record *record);
/* Copies the parameters of some records; *at is the address of the first byte. */
enum ps_status tr_pages_args(struct tr_trace *trace, struct ps_str args, uint64_t *at);

/* merge.c: local ids to ids of the trace. */
struct tr_maps {
    uint32_t *names, *templates, *cats, *threads; /* by local id: id + 1, 0 not known yet */
    size_t n_names, n_templates, n_cats, n_threads;
};
/* Moves what the parser has in local into the trace; its tables stay, its records are gone. */
enum ps_status tr_merge(struct tr_trace *trace, struct tr_parser *parser, struct tr_maps *maps);
void tr_maps_forget(struct tr_maps *maps);
/* The ids of the trace; what is new to it is learned. key: tr_thread_key. A category beyond the
 * 65535th is 0. */
uint32_t tr_thread_of(struct tr_trace *trace, struct ps_str key);
uint32_t tr_template_of(struct tr_trace *trace, struct ps_str text);
uint16_t tr_cat_of(struct tr_trace *trace, struct ps_str text);
/* Whether there are too many names, records or threads. */
enum ps_status tr_check_limits(struct tr_trace *trace);
void tr_local_forget(struct tr_local *local); /* its records and findings; its tables stay */

/* templates.c, cats.c: what is known of a template, a category, once. */
void tr_template_learn(struct tr_trace *trace, struct tr_template *template);
void tr_cat_learn(struct tr_cat *cat);

/* document.c: what stands around the events. */
struct tr_document {
    enum tr_document_mode { TR_DOC_TOP, TR_DOC_OBJECT, TR_DOC_EVENTS, TR_DOC_REST } mode;
    bool in_object;  /* the events are a member of an object */
    bool bare;       /* the events are in no array */
    bool has_events; /* some place for events was there */
    bool any;        /* a document has begun */
    enum tr_between between;
};
/* Goes on with the bytes of the parser as far as they tell; what is left from parser->at on is
 * needed again, with more behind it. */
enum ps_status tr_document_read(struct tr_trace *trace, struct tr_document *document,
                                struct tr_parser *parser, struct tr_maps *maps);
/* Behind the end of the events. `end`: as tr_parse_events said. */
void tr_document_events_end(struct tr_trace *trace, struct tr_document *document,
                            struct tr_parser *parser, enum tr_events_end end);
/* At the end of the input: what is missing. */
enum ps_status tr_document_end(struct tr_trace *trace, struct tr_document *document,
                               struct tr_parser *parser);

/* findings.c: tells all that was found, at most TR_FINDINGS_TOLD of a kind. */
void tr_tell_findings(struct tr_trace *trace, struct tr_findings *findings);

/* read.c: an empty trace. */
void tr_trace_begin(struct tr_trace *trace, size_t budget);
#define TR_BUDGET ((size_t)32 << 20) /* bytes of records that are memory */

/* read.c: for tests: how large blocks are (0: as usual), and how many workers there are. */
enum ps_status tr_trace_read_by(struct ps_stream *in, struct tr_trace *trace, size_t block,
                                unsigned workers, size_t budget);

#endif
