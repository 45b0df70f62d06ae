/* SPDX-License-Identifier: MIT */
/*
 * marshal.h: Python's marshal encoding, versions 0 to 6, as far as profiles use it. Nothing is ever
 * executed: code objects are walked over for their name and place.
 *
 * The reader is a cursor over bytes in memory. Scalars and texts are read into a struct ps_mval;
 * tuples, lists and dicts that the caller cares for are opened, their members read one by one; all
 * other containers are walked over and become an opaque value. What was marked as referable
 * (FLAG_REF) is remembered in order; the caller says what an opened container became. The first
 * failure stays in `err` and every call returns false from then on.
 */
#ifndef PS_IMPORTERS_FUNCTIONS_MARSHAL_H
#define PS_IMPORTERS_FUNCTIONS_MARSHAL_H

#include "base/intern.h"
#include "base/num.h"

#include "base/err.h"

enum ps_mkind {
    PS_M_UNFINISHED, /* a container that refers to itself */
    PS_M_NONE,
    PS_M_BOOL,
    PS_M_INT,
    PS_M_REAL,
    PS_M_TEXT, /* id in texts */
    PS_M_CODE, /* a code object; id of a text that describes it, another one for each different code
                */
    PS_M_OPAQUE, /* anything else; `type` is its code, i a hash of its content */
    PS_M_USER,   /* and above: what the caller made of a container; id and i are the caller's */
};

struct ps_mval {
    uint8_t kind;
    char type;   /* marshal's code, without the flag */
    bool beyond; /* an integer beyond 64 bits, now the nearest double */
    uint32_t id;
    union {
        int64_t i;
        double r;
    };
};

/* How the bytes of a text become what is shown. */
enum ps_mtext { PS_MTEXT_PLAIN, PS_MTEXT_MEND, PS_MTEXT_LATIN1, PS_MTEXT_CODE };

/* Code objects do not tell their layout; all of one file have the same. */
enum ps_mlayout { PS_M_PY311, PS_M_PY38, PS_M_PY30, PS_M_PY2, PS_M_LAYOUTS };

struct ps_marshal {
    const unsigned char *begin, *at, *end;
    enum ps_mlayout layout;
    struct ps_err *err;
    bool failed;
    bool saw_code;
    bool types[128]; /* codes seen; [0]: a flag seen */

    struct ps_intern texts; /* raw bytes */
    uint8_t *text_kinds;    /* enum ps_mtext, by id */
    uint32_t text_cap;
    struct ps_mval *refs;
    size_t n_refs, cap_refs;
    uint32_t *interned; /* Python 2's list of interned texts */
    size_t n_interned, cap_interned;
};

enum { PS_M_NO_SLOT = UINT32_MAX };

/* `err` and the bytes stay the caller's. */
void ps_marshal_init(struct ps_marshal *m, struct ps_str bytes, enum ps_mlayout layout,
                     struct ps_err *err);
void ps_marshal_done(struct ps_marshal *m);

/* The code of the next object without its flag; -1 at the end. Consumes nothing. */
int ps_marshal_next(const struct ps_marshal *m);

/* Reads one object of any kind; containers become opaque. */
bool ps_marshal_value(struct ps_marshal *m, struct ps_mval *out);

/* Opens a tuple or list and says how many members follow, or a dict, whose pairs end in '0'. *slot
 * is where references to it will look, to be filled by ps_marshal_became once it is complete. */
bool ps_marshal_open(struct ps_marshal *m, uint32_t *members, uint32_t *slot);
bool ps_marshal_open_dict(struct ps_marshal *m, uint32_t *slot);
bool ps_marshal_dict_ends(
    struct ps_marshal *m); /* consumes the '0' that ends it; false: a pair follows, or failed */
void ps_marshal_became(struct ps_marshal *m, uint32_t slot, struct ps_mval value);

/* The text of an id as it is shown: valid UTF-8 without NUL. Lives in `arena` or in the reader. */
struct ps_str ps_marshal_text(const struct ps_marshal *m, uint32_t id, struct ps_arena *arena);

/* 0 to 4: the oldest marshal version that writes these codes (4, 5 and 6 write dumps alike); -1:
 * nothing tells. */
int ps_marshal_version(const struct ps_marshal *m);

/* Fails with the offset of the next byte; returns false. */
bool ps_marshal_fail(struct ps_marshal *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A reference is likely to stand `ahead` bytes on: has the memory of what it refers to fetched
 * meanwhile. */
static inline void ps_marshal_foresee(const struct ps_marshal *m, size_t ahead)
{
    uint32_t at;

    if ((size_t)(m->end - m->at) < ahead + 5 || m->at[ahead] != 'r')
        return;
    memcpy(&at, m->at + ahead + 1, 4);
    if (at < m->n_refs)
        __builtin_prefetch(&m->refs[at]);
}

static inline uint64_t ps_marshal_at(const struct ps_marshal *m)
{
    return (uint64_t)(m->at - m->begin);
}

#endif
