/* SPDX-License-Identifier: MIT */
/*
 * pickle.h: a pickle read as data, by a list of the opcodes that line_profiler's files are made of.
 *
 * Nothing is ever called, imported or looked up: a class is a name that stands in a list, an object
 * is that name with a state. Any other opcode or name is refused, with its place. Lists may hold
 * themselves and be shared as often as the file likes: memory grows with the bytes read, and nobody
 * walks deeper than he asks for.
 */
#ifndef PS_IMPORTERS_LINES_PICKLE_H
#define PS_IMPORTERS_LINES_PICKLE_H

#include "base/err.h"
#include "base/mem.h"

enum ps_pk_kind {
    PS_PK_NONE = 0,
    PS_PK_BOOL,   /* i */
    PS_PK_INT,    /* i */
    PS_PK_REAL,   /* r; `beyond`: an integer that 64 bits do not hold */
    PS_PK_TEXT,   /* at and id bytes, not necessarily UTF-8 */
    PS_PK_TUPLE,  /* i members, from pool[id] on */
    PS_PK_LIST,   /* boxes[id] */
    PS_PK_DICT,   /* boxes[id]; keys and values in turn */
    PS_PK_CLASS,  /* id: index into ps_pk_classes */
    PS_PK_OBJECT, /* boxes[id]: one member, the state, once BUILD gave it; i: the class */
    PS_PK_MARK,
};

struct ps_pk_value {
    uint8_t kind;
    bool beyond;
    uint32_t id;
    union {
        int64_t i;
        double r;
        const char *at;
    };
};

/* The classes a pickle may name, in the order of line_profiler's history. */
struct ps_pk_class {
    const char *module, *name;
    const char *versions; /* of line_profiler that wrote it */
};
extern const struct ps_pk_class ps_pk_classes[];

struct ps_pk_box {        /* what grows is kept in runs of the pool */
    uint32_t first, last; /* index + 1 into runs; 0: empty */
};

struct ps_pk_run {
    uint32_t at, n, next;
};

struct ps_pickle {
    struct ps_str bytes; /* of the whole file; texts point into it */
    size_t at;           /* of the next opcode */
    size_t op_at;        /* of the opcode at hand */
    struct ps_err *err;
    struct ps_pk_value *stack, *pool, *memo;
    size_t n_stack, cap_stack, n_pool, cap_pool, n_memo, cap_memo;
    struct ps_pk_box *boxes;
    struct ps_pk_run *runs;
    size_t n_boxes, cap_boxes, n_runs, cap_runs;
    unsigned marks;
    int protocol;
};

/* Reads the pickle that begins at p->at up to its STOP; p->at is behind it then. What an earlier
 * call read is gone. False: err says what was refused and where. */
bool ps_pickle_read(struct ps_pickle *p, struct ps_pk_value *out, struct ps_err *err);

/* Members of a tuple, list, dict or object in order: NULL at the end. */
struct ps_pk_walk {
    const struct ps_pickle *p;
    uint32_t at, left, next;
};
struct ps_pk_walk ps_pickle_walk(const struct ps_pickle *p, const struct ps_pk_value *container);
const struct ps_pk_value *ps_pickle_next(struct ps_pk_walk *walk);

void ps_pickle_free(struct ps_pickle *p);

#endif
