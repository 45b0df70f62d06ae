/* SPDX-License-Identifier: MIT */
/*
 * tree.c: the pickle machine: a stack, a memo, and growing containers.
 *
 * Each opcode adds a bounded number of values.
 */
#include "importers/pickle/tree.h"

#include <stdlib.h>

enum {
    MARKS_MAX = 100,
    /* maximum number of values; Python writes the members of a container in batches of 1000 */
    STACK_MAX = 1 << 20,
    VALUES_MAX = 24 << 20, /* maximum number of members of all containers; they need 384 MiB */
    MEMO_MAX = 10 * 1000 * 1000,
};

const struct ps_pickle_class ps_pickle_classes[] = {
    {"_line_profiler", "LineStats", "1-3"},
    {"line_profiler._line_profiler", "LineStats", "3-4"},
    {"line_profiler.line_profiler", "LineStats", "5+"},
};
enum { N_CLASSES = sizeof ps_pickle_classes / sizeof *ps_pickle_classes };

#define refuse_pickle(p, ...) ps_pickle_refuse((p)->reader, __VA_ARGS__)

static bool too_large(struct ps_pickle *p)
{
    ps_fail_at(p->reader->err, PS_LIMIT, p->reader->op_offset,
               "the pickle has more values than perfshelf accepts");
    return false;
}

static bool push_value(struct ps_pickle *p, struct ps_pickle_value value)
{
    if (p->n_stack >= STACK_MAX)
        return too_large(p);
    PS_RESERVE_ONE(p->stack, p->n_stack, p->cap_stack);
    p->stack[p->n_stack++] = value;
    return true;
}

static bool push_kind(struct ps_pickle *p, enum ps_pickle_kind kind, int64_t i)
{
    return push_value(p, (struct ps_pickle_value){.kind = (uint8_t)kind, .i = i});
}

/* Sets *out to the topmost n values without removing them. False: there are fewer, or a mark is
 * among them. */
static bool top_values(struct ps_pickle *p, size_t n, struct ps_pickle_value **out)
{
    if (p->n_stack < n)
        return refuse_pickle(p, "invalid pickle: stack underflow");
    *out = p->stack + p->n_stack - n;
    for (size_t i = 0; i < n; i++)
        if ((*out)[i].kind == PS_PICKLE_MARK)
            return refuse_pickle(p, "invalid pickle: a mark instead of a value on the stack");
    return true;
}

/* Removes the topmost mark and all values above it; *first is the first value above the mark. */
static bool pop_mark(struct ps_pickle *p, struct ps_pickle_value **first, size_t *n)
{
    size_t at = p->n_stack;

    while (at > 0 && p->stack[at - 1].kind != PS_PICKLE_MARK)
        at--;
    if (at == 0)
        return refuse_pickle(p, "invalid pickle: no mark on the stack");
    *first = p->stack + at;
    *n = p->n_stack - at;
    p->n_stack = at - 1;
    p->n_marks--;
    return true;
}

/* --- Containers --- */

static bool pool_add(struct ps_pickle *p, const struct ps_pickle_value *values, size_t n)
{
    if (p->n_pool + n > VALUES_MAX)
        return too_large(p);
    while (p->n_pool + n > p->cap_pool) {
        p->cap_pool = p->cap_pool ? p->cap_pool * 2 : 1024;
        p->pool = ps_grow(p->pool, p->cap_pool, sizeof *p->pool);
    }
    if (n)
        memcpy(p->pool + p->n_pool, values, n * sizeof *values);
    p->n_pool += n;
    return true;
}

static bool push_container(struct ps_pickle *p, enum ps_pickle_kind kind, int64_t i)
{
    if (p->n_containers >= VALUES_MAX)
        return too_large(p);
    PS_RESERVE_ONE(p->containers, p->n_containers, p->cap_containers);
    p->containers[p->n_containers] = (struct ps_pickle_container){0};
    return push_value(p, (struct ps_pickle_value){
                             .kind = (uint8_t)kind, .id = (uint32_t)p->n_containers++, .i = i});
}

static bool extend_container(struct ps_pickle *p, uint32_t id, const struct ps_pickle_value *values,
                             size_t n)
{
    struct ps_pickle_container *box = &p->containers[id];
    struct ps_pickle_segment *last = box->last_segment ? &p->segments[box->last_segment - 1] : NULL;
    uint32_t at = (uint32_t)p->n_pool;

    if (n == 0)
        return true;
    if (!pool_add(p, values, n))
        return false;
    if (last && last->offset + last->n == at) {
        last->n += (uint32_t)n;
        return true;
    }
    PS_RESERVE_ONE(p->segments, p->n_segments, p->cap_segments);
    p->segments[p->n_segments++] = (struct ps_pickle_segment){at, (uint32_t)n, 0};
    if (box->last_segment)
        p->segments[box->last_segment - 1].next = (uint32_t)p->n_segments;
    else
        box->first_segment = (uint32_t)p->n_segments;
    box->last_segment = (uint32_t)p->n_segments;
    return true;
}

static bool make_tuple(struct ps_pickle *p, const struct ps_pickle_value *members, size_t n)
{
    struct ps_pickle_value tuple = {
        .kind = PS_PICKLE_TUPLE, .id = (uint32_t)p->n_pool, .i = (int64_t)n};

    return pool_add(p, members, n) && push_value(p, tuple);
}

/* Makes a tuple of the topmost n values. */
static bool op_tuple(struct ps_pickle *p, size_t n)
{
    struct ps_pickle_value *members = NULL;

    if (!top_values(p, n, &members))
        return false;
    p->n_stack -= n;
    return make_tuple(p, members, n);
}

static bool op_tuple_to_mark(struct ps_pickle *p)
{
    struct ps_pickle_value *members = NULL;
    size_t n = 0;

    return pop_mark(p, &members, &n) && make_tuple(p, members, n);
}

/* Adds the topmost values to a list or dict: to_mark: those above the mark, else one item. */
static bool op_add(struct ps_pickle *p, bool is_dict, bool to_mark)
{
    struct ps_pickle_value *members = NULL, *owner = NULL;
    size_t n = is_dict ? 2 : 1;

    if (to_mark) {
        if (!pop_mark(p, &members, &n))
            return false;
    } else {
        if (!top_values(p, n, &members))
            return false;
        p->n_stack -= n;
    }
    if (!top_values(p, 1, &owner))
        return false;
    if (owner->kind != (is_dict ? PS_PICKLE_DICT : PS_PICKLE_LIST))
        return refuse_pickle(p, "invalid pickle: items added to an object that is not a %s",
                             is_dict ? "dict" : "list");
    if (is_dict && n % 2)
        return refuse_pickle(p, "invalid pickle: a dict key without a value");
    return extend_container(p, owner->id, members, n);
}

/* --- LineStats objects --- */

static int format_printable(struct ps_str text, char *out, size_t size)
{
    size_t n = text.len < size - 1 ? text.len : size - 1;

    for (size_t i = 0; i < n; i++)
        out[i] = text.ptr[i] > ' ' && text.ptr[i] < 127 ? text.ptr[i] : '?';
    out[n] = '\0';
    return (int)n;
}

static bool push_class(struct ps_pickle *p, const char *opcode, struct ps_str module,
                       struct ps_str name)
{
    char shown_module[100], shown_name[100];

    for (int i = 0; i < N_CLASSES; i++)
        if (ps_str_eq_c(module, ps_pickle_classes[i].module) &&
            ps_str_eq_c(name, ps_pickle_classes[i].name))
            return push_value(p,
                              (struct ps_pickle_value){.kind = PS_PICKLE_CLASS, .id = (uint32_t)i});
    (void)format_printable(module, shown_module, sizeof shown_module);
    (void)format_printable(name, shown_name, sizeof shown_name);
    return refuse_pickle(p, "opcode %s imports %s.%s, which no line_profiler result needs", opcode,
                         shown_module, shown_name);
}

static bool op_stack_global(struct ps_pickle *p)
{
    struct ps_pickle_value *names = NULL;

    if (!top_values(p, 2, &names))
        return false;
    p->n_stack -= 2;
    if (names[0].kind != PS_PICKLE_TEXT || names[1].kind != PS_PICKLE_TEXT)
        return refuse_pickle(p, "invalid pickle: the name for opcode STACK_GLOBAL is not a string");
    return push_class(p, "STACK_GLOBAL", (struct ps_str){names[0].ptr, names[0].id},
                      (struct ps_str){names[1].ptr, names[1].id});
}

/* Runs NEWOBJ, whose operands are a class and its arguments, which must be (). NEWOBJ_EX of
 * protocol 4 also has a dict of keyword arguments, which must be empty. */
static bool op_newobj(struct ps_pickle *p, bool keywords)
{
    struct ps_pickle_value *parts = NULL;

    if (!top_values(p, 2 + keywords, &parts))
        return false;
    if (parts[0].kind != PS_PICKLE_CLASS || parts[1].kind != PS_PICKLE_TUPLE || parts[1].i != 0 ||
        (keywords && (parts[2].kind != PS_PICKLE_DICT || p->containers[parts[2].id].first_segment)))
        return refuse_pickle(p, "opcode %s on an object other than LineStats and ()",
                             keywords ? "NEWOBJ_EX" : "NEWOBJ");
    p->n_stack -= 2 + keywords;
    return push_container(p, PS_PICKLE_OBJECT, parts[0].id);
}

/* Runs BUILD, which sets the state of an object: a dict, or (dict, None) for classes with slots. */
static bool op_build(struct ps_pickle *p)
{
    struct ps_pickle_value *parts = NULL, state;

    if (!top_values(p, 2, &parts))
        return false;
    if (parts[0].kind != PS_PICKLE_OBJECT || p->containers[parts[0].id].first_segment)
        return refuse_pickle(p, "pickle opcode BUILD on an object that is not a new LineStats");
    state = parts[1];
    if (state.kind == PS_PICKLE_TUPLE && state.i == 2)
        state =
            p->pool[state.id].kind == PS_PICKLE_DICT ? p->pool[state.id] : p->pool[state.id + 1];
    if (state.kind != PS_PICKLE_DICT)
        return refuse_pickle(p, "pickle opcode BUILD with a state that is not a dict");
    p->n_stack -= 1;
    return extend_container(p, parts[0].id, &state, 1);
}

/* --- Memo, marks and values --- */

/* Stores the top of the stack in the memo. Python uses consecutive indices, so an index is always
 * less than the number of bytes read. */
static bool put_memo(struct ps_pickle *p, uint64_t index)
{
    struct ps_pickle_value *value = NULL;

    if (!top_values(p, 1, &value))
        return false;
    if (index >= p->offset || index >= MEMO_MAX)
        return refuse_pickle(p, "memo index %llu is larger than line_profiler writes",
                             (unsigned long long)index);
    while (index >= p->cap_memo) {
        p->cap_memo = p->cap_memo ? p->cap_memo * 2 : 1024;
        p->memo = ps_grow(p->memo, p->cap_memo, sizeof *p->memo);
    }
    for (; p->n_memo <= index; p->n_memo++)
        p->memo[p->n_memo].kind = PS_PICKLE_MARK; /* unused */
    p->memo[index] = *value;
    return true;
}

static bool op_get(struct ps_pickle *p, uint64_t index)
{
    if (index >= p->n_memo || p->memo[index].kind == PS_PICKLE_MARK)
        return refuse_pickle(p, "invalid pickle: memo index %llu is empty",
                             (unsigned long long)index);
    return push_value(p, p->memo[index]);
}

static bool op_mark(struct ps_pickle *p)
{
    if (++p->n_marks > MARKS_MAX)
        return refuse_pickle(p, "more than %d nested containers", MARKS_MAX);
    return push_kind(p, PS_PICKLE_MARK, 0);
}

static bool push_real(struct ps_pickle *p, const struct ps_pickle_op *op)
{
    return push_value(p, (struct ps_pickle_value){.kind = PS_PICKLE_REAL,
                                                  .is_out_of_range = op->is_out_of_range,
                                                  .r = op->r});
}

static bool push_text(struct ps_pickle *p, struct ps_str text)
{
    return push_value(p, (struct ps_pickle_value){
                             .kind = PS_PICKLE_TEXT, .id = (uint32_t)text.len, .ptr = text.ptr});
}

static bool run_op(struct ps_pickle *p, const struct ps_pickle_op *op)
{
    switch (op->action) {
    case PS_PICKLE_PUSH_NONE:
        return push_kind(p, PS_PICKLE_NONE, 0);
    case PS_PICKLE_PUSH_BOOL:
        return push_kind(p, PS_PICKLE_BOOL, op->i);
    case PS_PICKLE_PUSH_INT:
        return push_kind(p, PS_PICKLE_INT, op->i);
    case PS_PICKLE_PUSH_REAL:
        return push_real(p, op);
    case PS_PICKLE_PUSH_TEXT:
        return push_text(p, op->text);
    case PS_PICKLE_PUSH_LIST:
        return push_container(p, PS_PICKLE_LIST, 0);
    case PS_PICKLE_PUSH_DICT:
        return push_container(p, PS_PICKLE_DICT, 0);
    case PS_PICKLE_PUSH_MARK:
        return op_mark(p);
    case PS_PICKLE_TUPLE_OF:
        return op_tuple(p, (size_t)op->i);
    case PS_PICKLE_TUPLE_TO_MARK:
        return op_tuple_to_mark(p);
    case PS_PICKLE_MEMOIZE:
        return put_memo(p, p->n_memo);
    case PS_PICKLE_PUT:
        return put_memo(p, (uint64_t)op->i);
    case PS_PICKLE_GET:
        return op_get(p, (uint64_t)op->i);
    case PS_PICKLE_APPEND:
    case PS_PICKLE_APPEND_TO_MARK:
        return op_add(p, false, op->action == PS_PICKLE_APPEND_TO_MARK);
    case PS_PICKLE_SET:
    case PS_PICKLE_SET_TO_MARK:
        return op_add(p, true, op->action == PS_PICKLE_SET_TO_MARK);
    case PS_PICKLE_GLOBAL:
        return push_class(p, "GLOBAL", op->text, op->name);
    case PS_PICKLE_STACK_GLOBAL:
        return op_stack_global(p);
    case PS_PICKLE_NEW:
        return op_newobj(p, false);
    case PS_PICKLE_NEW_EX:
        return op_newobj(p, true);
    case PS_PICKLE_BUILD:
        return op_build(p);
    case PS_PICKLE_STOP:
        break;
    }
    return true;
}

/* the opcodes of the pickles that line_profiler has written since Python 2.7 */
#define ACCEPTED                                                                                   \
    "KMJ\x8a\x8bILG\x8cX\x8dUTC\x94qrhj)t\x85\x86\x87]}aesu(N\x88\x89"                             \
    "c\x93\x81\x92"                                                                                \
    "b"

bool ps_pickle_read(struct ps_pickle *p, struct ps_pickle_value *out, struct ps_err *err)
{
    struct ps_pickle_opcodes reader;
    struct ps_pickle_op op = {0};
    struct ps_pickle_value *result = NULL;

    p->n_stack = p->n_pool = p->n_memo = p->n_containers = p->n_segments = p->n_marks = 0;
    /* allocate the stack, so that its pointer is valid while it is empty */
    PS_RESERVE_ONE(p->stack, p->n_stack, p->cap_stack);
    ps_pickle_open_memory(&reader, p->bytes, p->offset, PS_STR(ACCEPTED), "line_profiler");
    reader.err = err;
    p->reader = &reader;
    while (ps_pickle_next_op(&reader, &op)) {
        p->offset = (size_t)ps_pickle_offset(&reader);
        p->protocol = reader.protocol ? reader.protocol : p->protocol;
        if (op.action == PS_PICKLE_STOP) {
            if (!top_values(p, 1, &result))
                break;
            *out = *result;
            return true;
        }
        if (!run_op(p, &op))
            break;
    }
    return false;
}

struct ps_pickle_iterator ps_pickle_iterate(const struct ps_pickle *p,
                                            const struct ps_pickle_value *container)
{
    if (container->kind == PS_PICKLE_TUPLE)
        return (struct ps_pickle_iterator){p, container->id, (uint32_t)container->i, 0};
    return (struct ps_pickle_iterator){p, 0, 0, p->containers[container->id].first_segment};
}

const struct ps_pickle_value *ps_pickle_next(struct ps_pickle_iterator *walk)
{
    if (walk->n_left == 0) {
        const struct ps_pickle_segment *run =
            walk->next ? &walk->pickle->segments[walk->next - 1] : NULL;

        if (!run)
            return NULL;
        *walk = (struct ps_pickle_iterator){walk->pickle, run->offset, run->n, run->next};
    }
    walk->n_left--;
    return &walk->pickle->pool[walk->index++];
}

void ps_pickle_free(struct ps_pickle *p)
{
    free(p->stack);
    free(p->pool);
    free(p->memo);
    free(p->containers);
    free(p->segments);
    *p = (struct ps_pickle){0};
}
