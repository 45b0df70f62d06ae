/* SPDX-License-Identifier: MIT */
/*
 * xplane.h: the parts of a profile of XLA while it is read.
 *
 * A plane is a host, a device or a list of facts; a line of it is a thread or a stream. The names
 * of events and of their stats follow the lines of their plane. So the events of a plane are kept
 * as they stand (xplane_spool.c) until its names are known, and become records then
 * (xplane_events.c).
 */
#ifndef PS_TRACE_XPLANE_H
#define PS_TRACE_XPLANE_H

#include "importers/messages/xplane_messages.h"
#include "importers/trace/fill.h"

/* --- Ids of a plane --- */

/* Maps the ids of a plane to indices from 0. Most ids are small numbers. */
struct xplane_ids {
    uint32_t *dense; /* by id: 1 + index; 0: none */
    size_t n_dense;
    struct ps_hash_table table; /* of the other ids */
    int64_t *ids;               /* by index */
    uint32_t n;
    size_t cap;
};

uint32_t xplane_id_index(struct xplane_ids *ids, int64_t id); /* added if it is new */
void xplane_ids_free(struct xplane_ids *ids);

/* --- Bytes of events --- */

/* The events of a plane, in the order of the file: in memory up to a limit, then in the scratch
 * file of the trace. */
struct xplane_spool {
    struct tr_scratch *scratch;
    struct xplane_block {
        char *ptr;
        size_t size, used;
        bool is_in_file;
    } * blocks;
    size_t n, cap;
    size_t current; /* the block that is being filled */
    size_t memory;  /* bytes of blocks in memory */
};

/* The position of an event. */
struct xplane_position {
    size_t block, offset;
};

/* `offset`: position of the event in the file. */
enum ps_status xplane_spool_add(struct xplane_spool *spool, struct ps_str event, uint64_t offset,
                                struct ps_err *err);
struct xplane_position xplane_spool_end(const struct xplane_spool *spool);
/* Returns the event at *at, and moves *at to the next one. */
struct ps_str xplane_spool_next(struct xplane_spool *spool, struct xplane_position *at,
                                uint64_t *offset);
void xplane_spool_clear(struct xplane_spool *spool); /* keeps the memory for the next plane */
void xplane_spool_free(struct xplane_spool *spool);

/* --- A plane --- */

/* What a stat means to the importer. */
enum xplane_role {
    XPLANE_ROLE_NONE,
    XPLANE_ROLE_PRODUCER_TYPE,
    XPLANE_ROLE_PRODUCER,
    XPLANE_ROLE_CONSUMER_TYPE,
    XPLANE_ROLE_CONSUMER,
    XPLANE_ROLE_CORRELATION,
    XPLANE_ROLE_ALLOCATOR,
    XPLANE_ROLE_ALLOCATED,
    XPLANE_ROLE_RESERVED,
    XPLANE_ROLE_KERNEL, /* a text like "regs:32 grid:1,2,3 block:4,5,6" */
    XPLANE_ROLE_COPY,   /* a text like "kind_src:host kind_dst:device size:64" */
};

struct xplane_stat {
    struct ps_str name; /* in plane->arena; empty: the file does not name it */
    uint8_t role;       /* enum xplane_role */
    bool is_described;  /* the role is known */
};

/* The metadata that events refer to. */
struct xplane_meta {
    struct ps_str name, display_name; /* in plane->arena */
    struct ps_buf stats; /* XStat messages, each after its length as uint32_t; without bytes */
    uint32_t text;       /* text id of the shown name; 0: not used yet */
    uint32_t last_shape; /* 1 + shape of the last event; 0: none */
    uint64_t n_aggregated;
};

struct xplane_line {
    int64_t id, display_id, timestamp_ns;
    struct ps_str name, display_name; /* in plane->arena */
    struct xplane_position first;
    uint64_t n_events;
};

struct xplane_plane {
    struct ps_arena arena;
    int64_t id;
    struct ps_str name; /* in arena */
    struct xplane_ids meta_ids, stat_ids;
    struct xplane_meta *metas; /* by index of meta_ids */
    struct xplane_stat *stats; /* by index of stat_ids */
    size_t n_metas, n_stats;
    struct xplane_line *lines;
    size_t n_lines, cap_lines;
    struct ps_buf own_stats; /* like xplane_meta.stats, but with bytes */
    uint64_t n_programs;     /* names of events that contain a program of XLA */
    struct xplane_spool *spool;
};

struct xplane_stat *xplane_plane_stat(struct xplane_plane *plane, int64_t id);
struct xplane_meta *xplane_plane_meta(struct xplane_plane *plane, int64_t id);
/* The name of a stat, or its number. `number` is a buffer for it. */
struct ps_str xplane_stat_name(struct xplane_plane *plane, int64_t id, char number[24]);

/* --- Records --- */

/* The state of turning events into records: of the file, and of the plane that is being read. */
struct xplane_events {
    struct tr_trace *trace;
    struct xplane_plane *plane;
    bool is_device;          /* the plane is a device */
    struct ps_intern shapes; /* of the plane; keys: metadata, stats and texts of an event */
    struct xplane_shape {
        uint32_t template;
        struct ps_str params; /* added after those of the event; in plane->arena */
    } * items;
    size_t cap_items;
    struct ps_buf key, params, text; /* of the event that is being read */
    uint32_t enclosing;              /* template of the ends of arrows */
    uint32_t allocated;              /* template of counters of memory */
    uint16_t context, launch;        /* categories of arrows */
    struct ps_buf aggregated;        /* JSON of the events that have no time */
    uint64_t n_aggregated;
    uint64_t n_notes;   /* on single events */
    uint64_t n_unclean; /* names that are not UTF-8 */
};

void xplane_events_begin(struct xplane_events *e, struct tr_trace *trace);
/* Adds the records of all lines of a plane. */
enum ps_status xplane_events_add(struct xplane_events *e, struct xplane_plane *plane,
                                 struct ps_str pid);
/* Writes the JSON of stats as members of an object. */
void xplane_write_stats(struct xplane_plane *plane, struct ps_str stats, struct ps_buf *out);
void xplane_events_free(struct xplane_events *e);

/* Whether a file is a profile. `head`: its first bytes. */
bool tr_is_xplane(struct ps_str head);
/* Reads a profile into the trace, whose `out` and `err` are set. Call tr_trace_free in any case. */
enum ps_status tr_xplane_read(struct ps_stream *in, struct tr_trace *trace);

#endif
