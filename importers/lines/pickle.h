/* SPDX-License-Identifier: MIT */
/*
 * pickle.h: parses a pickle as data. Only the opcodes that line_profiler's files need are
 * supported.
 *
 * Nothing is ever called, imported or looked up: a class is a name from a fixed list, an object is
 * that name with a state. Any other opcode or name is refused, with its offset. Containers may
 * contain themselves and be shared: memory use is bounded by the bytes read, and the parser does
 * not recurse into them.
 */
#ifndef PS_IMPORTERS_LINES_PICKLE_H
#define PS_IMPORTERS_LINES_PICKLE_H

#include "base/err.h"
#include "base/mem.h"

enum ps_pk_kind {
    PS_PK_NONE = 0,
    PS_PK_BOOL,   /* i */
    PS_PK_INT,    /* i */
    PS_PK_REAL,   /* r; beyond: an integer outside of 64 bits */
    PS_PK_TEXT,   /* `at`: id bytes, not necessarily UTF-8 */
    PS_PK_TUPLE,  /* i members, beginning at pool[id] */
    PS_PK_LIST,   /* boxes[id] */
    PS_PK_DICT,   /* boxes[id]; alternating keys and values */
    PS_PK_CLASS,  /* id: index into ps_pk_classes */
    PS_PK_OBJECT, /* boxes[id]: one member, the state, after BUILD; i: index of the class */
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

/* The classes that a pickle may contain, in the order of line_profiler's history. */
struct ps_pk_class {
    const char *module, *name;
    const char *versions; /* line_profiler versions that write it */
};
extern const struct ps_pk_class ps_pk_classes[];

struct ps_pk_box {        /* a growing container, stored in runs of the pool */
    uint32_t first, last; /* index of a run + 1; 0: empty */
};

struct ps_pk_run {
    uint32_t at, n, next;
};

struct ps_pickle {
    struct ps_str bytes; /* the complete file; strings point into it */
    size_t at;           /* offset of the next opcode */
    size_t op_at;        /* offset of the current opcode */
    struct ps_err *err;
    struct ps_pk_value *stack, *pool, *memo;
    size_t n_stack, cap_stack, n_pool, cap_pool, n_memo, cap_memo;
    struct ps_pk_box *boxes;
    struct ps_pk_run *runs;
    size_t n_boxes, cap_boxes, n_runs, cap_runs;
    unsigned marks;
    int protocol;
};

/* Reads the pickle that begins at p->at up to its STOP; p->at is then the offset after it. Values
 * of an earlier call become invalid. False: err names what was refused, with the offset. */
bool ps_pickle_read(struct ps_pickle *p, struct ps_pk_value *out, struct ps_err *err);

/* Iterates over the members of a tuple, list, dict or object in order; ps_pickle_next returns NULL
 * at the end. */
struct ps_pk_walk {
    const struct ps_pickle *p;
    uint32_t at, left, next;
};
struct ps_pk_walk ps_pickle_walk(const struct ps_pickle *p, const struct ps_pk_value *container);
const struct ps_pk_value *ps_pickle_next(struct ps_pk_walk *walk);

void ps_pickle_free(struct ps_pickle *p);

#endif
