/* SPDX-License-Identifier: MIT */
/*
 * tree.h: parses a pickle as data, into a tree of values. Only the opcodes that line_profiler's
 * files need are supported.
 *
 * Nothing is ever called, imported or looked up: a class is a name from a fixed list, an object is
 * that name with a state. Any other opcode or name is refused, with its offset. Containers may
 * contain themselves and be shared: memory use is bounded by the bytes read, and the parser does
 * not recurse into them.
 */
#ifndef PS_IMPORTERS_PICKLE_TREE_H
#define PS_IMPORTERS_PICKLE_TREE_H

#include "base/err.h"
#include "base/mem.h"
#include "importers/pickle/opcodes.h"

enum ps_pickle_kind {
    PS_PICKLE_NONE = 0,
    PS_PICKLE_BOOL,   /* i */
    PS_PICKLE_INT,    /* i */
    PS_PICKLE_REAL,   /* r; is_out_of_range: an integer that does not fit 64 bits */
    PS_PICKLE_TEXT,   /* ptr: first of `id` bytes, not necessarily UTF-8 */
    PS_PICKLE_TUPLE,  /* i members, beginning at pool[id] */
    PS_PICKLE_LIST,   /* containers[id] */
    PS_PICKLE_DICT,   /* containers[id]; members: alternating keys and values */
    PS_PICKLE_CLASS,  /* id: index into ps_pickle_classes */
    PS_PICKLE_OBJECT, /* containers[id]; member: the state, after BUILD; i: index of the class */
    PS_PICKLE_MARK,
};

struct ps_pickle_value {
    uint8_t kind;
    bool is_out_of_range;
    uint32_t id;
    union {
        int64_t i;
        double r;
        const char *ptr;
    };
};

/* The classes that a pickle may contain, in the order of line_profiler's history. */
struct ps_pickle_class {
    const char *module, *name;
    const char *versions; /* line_profiler versions that write this class */
};
extern const struct ps_pickle_class ps_pickle_classes[];

struct ps_pickle_container { /* a growing container; its members are in segments of the pool */
    uint32_t first_segment, last_segment; /* index in `segments` + 1; 0: empty container */
};

struct ps_pickle_segment {
    uint32_t offset, n, next;
};

struct ps_pickle {
    struct ps_str bytes;              /* the complete file; strings point into it */
    size_t offset;                    /* offset of the next opcode */
    struct ps_pickle_opcodes *reader; /* during ps_pickle_read */
    struct ps_pickle_value *stack, *pool, *memo;
    size_t n_stack, cap_stack, n_pool, cap_pool, n_memo, cap_memo;
    struct ps_pickle_container *containers;
    struct ps_pickle_segment *segments;
    size_t n_containers, cap_containers, n_segments, cap_segments;
    unsigned n_marks;
    int protocol;
};

/* Reads the pickle at p->offset up to its STOP opcode and sets p->offset to the byte after STOP.
 * Values of an earlier call become invalid. False: err has the reason and the byte offset. */
bool ps_pickle_read(struct ps_pickle *p, struct ps_pickle_value *out, struct ps_err *err);

/* Iterates over the members of a tuple, list, dict or object in order; ps_pickle_next returns NULL
 * at the end. */
struct ps_pickle_iterator {
    const struct ps_pickle *pickle;
    uint32_t index, n_left, next;
};
struct ps_pickle_iterator ps_pickle_iterate(const struct ps_pickle *p,
                                            const struct ps_pickle_value *container);
const struct ps_pickle_value *ps_pickle_next(struct ps_pickle_iterator *walk);

void ps_pickle_free(struct ps_pickle *p);

#endif
