/* SPDX-License-Identifier: MIT */
/*
 * opcodes.h: reads a pickle opcode by opcode, from a stream or from memory. Both pickle machines
 * use it: tree.h, which builds all values, and memory/snapshot_read.h, which keeps none.
 *
 * A machine states which opcodes it accepts. Any other opcode is refused with its name and byte
 * offset. Nothing is called, imported or looked up here. PROTO and FRAME are handled by the reader:
 * a machine never sees them.
 */
#ifndef PS_IMPORTERS_PICKLE_OPCODES_H
#define PS_IMPORTERS_PICKLE_OPCODES_H

#include "base/err.h"
#include "base/stream.h"

/* What an opcode asks of the machine. */
enum ps_pickle_action {
    PS_PICKLE_PUSH_NONE,
    PS_PICKLE_PUSH_BOOL, /* i */
    PS_PICKLE_PUSH_INT,  /* i */
    /* r; is_out_of_range: an integer that does not fit 64 bits. If it fits an unsigned integer of
     * 64 bits, which addresses may need, `is_unsigned` is set and i has its bits. */
    PS_PICKLE_PUSH_REAL,
    PS_PICKLE_PUSH_TEXT, /* text */
    PS_PICKLE_PUSH_LIST,
    PS_PICKLE_PUSH_DICT,
    PS_PICKLE_PUSH_MARK,
    PS_PICKLE_TUPLE_OF,       /* i values, not negative */
    PS_PICKLE_TUPLE_TO_MARK,  /* the values above the mark */
    PS_PICKLE_MEMOIZE,        /* under the next free index */
    PS_PICKLE_PUT,            /* i: index */
    PS_PICKLE_GET,            /* i: index */
    PS_PICKLE_APPEND,         /* one item */
    PS_PICKLE_APPEND_TO_MARK, /* the items above the mark */
    PS_PICKLE_SET,            /* one key and its value */
    PS_PICKLE_SET_TO_MARK,
    PS_PICKLE_GLOBAL,       /* text: the module; name */
    PS_PICKLE_STACK_GLOBAL, /* the two topmost values are module and name */
    PS_PICKLE_NEW,          /* NEWOBJ */
    PS_PICKLE_NEW_EX,       /* NEWOBJ_EX */
    PS_PICKLE_BUILD,
    PS_PICKLE_STOP,
};

struct ps_pickle_op {
    enum ps_pickle_action action;
    bool is_out_of_range, is_unsigned;
    int64_t i;
    double r;
    /* valid until the next call; in a reader of memory as long as the memory */
    struct ps_str text, name;
};

struct ps_pickle_opcodes {
    struct ps_stream *in;     /* NULL: a reader of memory */
    const char *cursor, *end; /* unread part of the window */
    const char *window;       /* bytes that the stream has shown, or all bytes */
    uint64_t window_offset;   /* offset of `window` in the pickle */
    uint64_t op_offset;       /* offset of the current opcode */
    uint64_t frame_end;       /* largest end of a FRAME */
    uint64_t frame_offset;    /* offset of that FRAME */
    size_t text_max;          /* maximum bytes of a text */
    const char *writer;       /* the program that writes such pickles, for messages; static */
    int protocol;             /* of the last PROTO; 0: none yet */
    bool is_accepted[256];
    struct ps_err *err;
};

/* Prepare a reader. `accepted`: the opcodes that the machine accepts besides PROTO, FRAME and STOP,
 * in any order. text_max is at most PS_STREAM_PEEK_MAX. */
void ps_pickle_open_stream(struct ps_pickle_opcodes *reader, struct ps_stream *in, size_t text_max,
                           struct ps_str accepted, const char *writer);
void ps_pickle_open_memory(struct ps_pickle_opcodes *reader, struct ps_str bytes, size_t offset,
                           struct ps_str accepted, const char *writer);

/* Reads the next opcode. False: err has the reason and the byte offset. After PS_PICKLE_STOP the
 * reader is at the byte behind it. */
bool ps_pickle_next_op(struct ps_pickle_opcodes *reader, struct ps_pickle_op *out);

/* Offset of the next unread byte. */
uint64_t ps_pickle_offset(const struct ps_pickle_opcodes *reader);

/* Fails with PS_BAD_INPUT and the offset of the current opcode. Returns false. */
bool ps_pickle_refuse(struct ps_pickle_opcodes *reader, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
