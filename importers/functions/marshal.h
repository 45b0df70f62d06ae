/* SPDX-License-Identifier: MIT */
/*
 * marshal.h: reads Python's marshal encoding, versions 0 to 6, as far as profiles use it. Nothing
 * is ever executed: only the name and location of code objects are read.
 *
 * The reader is a cursor over bytes in memory. Scalars and strings are read into a struct
 * ps_marshal_object. The caller can open tuples, lists and dicts and read their members one by one;
 * all other containers are skipped and become an opaque value. Objects with FLAG_REF are stored in
 * `refs` in the order of the file; for an opened container, ps_marshal_set_ref sets the value that
 * later references return. After the first failure, stored in `err`, every call returns false.
 */
#ifndef PS_IMPORTERS_FUNCTIONS_MARSHAL_H
#define PS_IMPORTERS_FUNCTIONS_MARSHAL_H

#include "base/intern.h"
#include "base/num.h"

#include "base/err.h"

enum ps_marshal_kind {
    PS_M_UNFINISHED, /* a container that is still being read, or refers to itself */
    PS_M_NONE,
    PS_M_BOOL,
    PS_M_INT,
    PS_M_REAL,
    PS_M_TEXT, /* id: index into texts */
    /* a code object; id: index of a text that describes it, different for each code object */
    PS_M_CODE,
    PS_M_OPAQUE, /* anything else; type: its marshal code; i: hash of its content */
    /* this kind and larger numbers: a value that the caller made from a container; the caller
     * defines id and i */
    PS_M_USER,
};

struct ps_marshal_object {
    uint8_t kind;
    char type;            /* marshal type code, without the flag */
    bool is_out_of_range; /* the integer does not fit 64 bits; r is the nearest double */
    uint32_t id;
    union {
        int64_t i;
        double r;
    };
};

/* How the bytes of a string are converted for display. */
enum ps_marshal_text_kind { PS_MTEXT_PLAIN, PS_MTEXT_REPAIR, PS_MTEXT_LATIN1, PS_MTEXT_CODE };

/* The layout of code objects, which depends on the Python version. The file does not name its
 * layout; all code objects of a file have the same layout. */
enum ps_marshal_layout { PS_M_PY311, PS_M_PY38, PS_M_PY30, PS_M_PY2, PS_M_N_LAYOUTS };

struct ps_marshal {
    const unsigned char *begin, *cursor, *end;
    enum ps_marshal_layout layout;
    struct ps_err *err;
    bool has_failed;
    bool has_code;
    bool has_type[128]; /* type codes that occur; [0]: whether FLAG_REF occurs */

    struct ps_intern texts; /* bytes as in the file */
    uint8_t *text_kinds;    /* enum ps_marshal_text_kind, by id */
    uint32_t text_cap;
    struct ps_marshal_object *refs;
    size_t n_refs, cap_refs;
    uint32_t *interned; /* interned strings of Python 2: text ids */
    size_t n_interned, cap_interned;
};

enum { PS_M_NO_REF = UINT32_MAX };

/* The caller keeps ownership of `err` and the bytes, which must remain valid until the reader is
 * freed. */
void ps_marshal_init(struct ps_marshal *m, struct ps_str bytes, enum ps_marshal_layout layout,
                     struct ps_err *err);
void ps_marshal_free(struct ps_marshal *m);

/* Returns the type code of the next object without the flag; -1 at the end. Consumes nothing. */
int ps_marshal_peek(const struct ps_marshal *m);

/* Reads one object of any type; the content of containers is not returned. */
bool ps_marshal_read(struct ps_marshal *m, struct ps_marshal_object *out);

/* ps_marshal_open: opens a tuple or list and sets *members to its length. ps_marshal_open_dict:
 * opens a dict, whose pairs end in '0'. When the container is complete, the caller must pass *slot
 * and a value to ps_marshal_set_ref; later references to the container return this value. */
bool ps_marshal_open(struct ps_marshal *m, uint32_t *members, uint32_t *slot);
bool ps_marshal_open_dict(struct ps_marshal *m, uint32_t *slot);
/* Consumes the '0' that ends the dict. False: a pair follows, or the reader failed. */
bool ps_marshal_read_dict_end(struct ps_marshal *m);
void ps_marshal_set_ref(struct ps_marshal *m, uint32_t slot, struct ps_marshal_object value);

/* Adds a text that is not in the file, in UTF-8. Returns its id. */
uint32_t ps_marshal_add_text(struct ps_marshal *m, struct ps_str text);

/* Returns the text of an id for display: valid UTF-8 without NUL, stored in `arena` or in the
 * reader. */
struct ps_str ps_marshal_text(const struct ps_marshal *m, uint32_t id, struct ps_arena *arena);

/* The oldest marshal version, 0 to 4, that has all type codes that occurred (for dumps, versions 4,
 * 5 and 6 are the same); -1: unknown. */
int ps_marshal_version(const struct ps_marshal *m);

/* Fails with the message and the offset of the next byte. Returns false. */
bool ps_marshal_fail(struct ps_marshal *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Prefetches the target of a reference that is expected `ahead` bytes after the cursor. */
static inline void ps_marshal_prefetch(const struct ps_marshal *m, size_t ahead)
{
    uint32_t at;

    if ((size_t)(m->end - m->cursor) < ahead + 5 || m->cursor[ahead] != 'r')
        return;
    memcpy(&at, m->cursor + ahead + 1, 4);
    if (at < m->n_refs)
        __builtin_prefetch(&m->refs[at]);
}

static inline uint64_t ps_marshal_offset(const struct ps_marshal *m)
{
    return (uint64_t)(m->cursor - m->begin);
}

#endif
