/* SPDX-License-Identifier: MIT */
/*
 * pstats.c: reads the dumps of cProfile, profile, profiling.tracing, profiling.sampling --pstats
 * and yappi, which are one marshalled dict.
 *
 * Tested: CPython 2.5 to 3.15, PyPy 3.9, yappi 1.4, conversions of hotshot and austin. If a dump
 * has a code object (the `profile` module puts one into a key), its layout is not in the file: each
 * layout is tried on the complete file, and the one that reads it to the last byte is used.
 */
#include <math.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/hash_table.h"
#include "base/python_origin.h"
#include "importers/functions/marshal.h"
#include "importers/importer.h"
#include "importers/reading.h"
#include "importers/records/functions.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"

/* A function. Functions are in the order in which the file first names them, as an entry or as a
 * caller. */
struct function {
    uint32_t file, name; /* ids of texts of the marshal reader */
    struct ps_num line;
    struct ps_num ncalls, primitive_calls, tottime, cumtime;
    /* the function's callers: index of the first in `calls`; their number */
    uint32_t first_call, n_calls;
    /* row id: entries first, then the other functions, both in the order of the file */
    uint32_t row;
    uint32_t cycle;
    bool has_entry, repaired;
};

/* For a caller: the last entry that named it, and the index of that call in `calls`. */
struct call_mark {
    uint32_t entry_index, call;
};

/* Tools that fill the numbers otherwise than cProfile. */
enum producer {
    STANDARD,
    /* counts are -1; the cumulative time of a recursive function is added at each level */
    PYINSTRUMENT,
    /* a value has all calls first; functions written in C are listed only if the user asked for
     * them, and their time is in the cumulative times of their callers alone */
    YAPPI,
};

struct dump {
    struct ps_marshal marshal;
    struct function *functions;
    uint32_t n, cap;
    struct ps_hash_table by_key; /* (file, line, name) -> index in functions */
    /* calls of all functions; `caller` is an index into functions, after number_functions a row
     * id */
    struct ps_call *calls;
    uint32_t n_calls, cap_calls;
    uint32_t
        *listed_functions; /* indices of the functions with an entry, in the order of the file */
    uint32_t n_listed_functions, cap_listed_functions;
    struct call_mark *last_calls; /* by function index */
    uint32_t cap_last_calls;

    uint64_t entries;             /* number of pairs of the dict */
    uint64_t n_duplicate_entries; /* number of entries that have the same key as an earlier entry */
    uint64_t duplicate_offset;
    uint64_t n_duplicate_calls; /* number of callers that an entry names twice */
    uint64_t end_offset;        /* offset after the dict */
    bool sampled, int_callers, tuple_callers;
    uint32_t n_lines;    /* number of entries whose functions are listed; set by merge_lines */
    struct ps_num total; /* of merged lines: sum of their own times */
    enum producer producer;
    double hidden_s; /* time of functions that yappi does not list; in the last function */
    bool has_hidden;

    /* set by number_functions */
    uint32_t *rows; /* index into functions, by row id - 1 */
    /* row ids; the callees of row r are at indices [callee_from[r - 1], callee_from[r]) */
    uint32_t *callees;
    uint32_t *callee_from;
};

/*
 * The dict in a dump:
 *
 *     {(file, line, name): (primitive calls, calls, tottime, cumtime, {caller key: edge, ...}),
 *      ...}
 *
 * An edge is (calls, primitive calls, tottime, cumtime), or a plain count (the `profile` module,
 * sampling). In a value, primitive calls precede calls. Python 3.15's sampling profiler adds
 * ("__sampled__",): True. Any key, value, edge or dict may be a reference to an earlier object.
 */

enum {
    NOTES_MAX = 10, /* maximum number of inconsistent functions reported by name */
    CHECK_INTERVAL = 4096,
};

enum {
    KEY = PS_M_USER, /* id: index into functions */
    SAMPLED,         /* the key ("__sampled__",) */
    VALUE,           /* id: index of a function with the same numbers and calls */
    EDGE,            /* id: index into calls */
    CALLERS,         /* i: index of the first call << 32 | number of calls */
    SHARED_CALLS = 1 << 20,
    /* estimated bytes of a function in the file, to size the hash table in advance: growing the
     * table would take as long as all lookups */
    FUNCTION_BYTES = 200,
    EDGE_BYTES = 2 + 2 * 5 + 2 * 9, /* bytes of an edge in the form that cProfile usually writes */
};

static struct ps_num number_of(const struct ps_marshal_object *value)
{
    return value->kind == PS_M_REAL ? ps_real(value->r) : ps_int(value->i);
}

static bool read_number(struct ps_marshal *m, struct ps_num *out, bool *beyond, const char *what)
{
    struct ps_marshal_object value;

    if (!ps_marshal_read(m, &value))
        return false;
    if (value.kind != PS_M_INT && value.kind != PS_M_REAL && value.kind != PS_M_BOOL)
        return ps_marshal_fail(m, "%s is not a number", what);
    *beyond |= value.is_out_of_range;
    *out = number_of(&value);
    return true;
}

/* --- Keys --- */

struct function_key {
    uint32_t file, name;
    struct ps_num line;
};

static bool has_key(const void *items, uint32_t index, const void *of)
{
    const struct function *f = (const struct function *)items + index;
    const struct function_key *key = of;

    return f->file == key->file && f->name == key->name && f->line.kind == key->line.kind &&
           f->line.i == key->line.i;
}

static uint32_t function_of(struct dump *d, uint32_t file, uint32_t name, struct ps_num line)
{
    const struct function_key key = {file, name, line};
    struct ps_hash hash = ps_hash_begin();
    uint32_t index;

    ps_hash_add(&hash, (uint64_t)file << 32 | name);
    ps_hash_add(&hash, (uint64_t)line.i);
    ps_hash_add(&hash, line.kind);
    index = ps_hash_table_add(&d->by_key, ps_hash_end(&hash), d->n, has_key, d->functions, &key);
    if (index == d->n) {
        PS_RESERVE_ONE(d->functions, d->n, d->cap);
        d->functions[d->n++] = (struct function){.file = file, .name = name, .line = line};
    }
    return index;
}

static bool read_marker(struct dump *d, uint32_t slot, struct ps_marshal_object *out)
{
    struct ps_marshal_object text;

    if (!ps_marshal_read(&d->marshal, &text))
        return false;
    if (text.kind != PS_M_TEXT || !ps_str_eq_c(d->marshal.texts.items[text.id], "__sampled__"))
        return ps_marshal_fail(&d->marshal, "a function key is not (file, line, name)");
    *out = (struct ps_marshal_object){.kind = SAMPLED};
    ps_marshal_set_ref(&d->marshal, slot, *out);
    return true;
}

static bool is_sequence(int type)
{
    return type == '(' || type == ')' || type == '[';
}

static bool read_key(struct dump *d, struct ps_marshal_object *out)
{
    struct ps_marshal_object part[3];
    uint32_t members, slot;

    if (!is_sequence(ps_marshal_peek(&d->marshal)))
        return ps_marshal_read(&d->marshal, out) &&
               (out->kind == KEY || out->kind == SAMPLED ||
                ps_marshal_fail(&d->marshal, "a function key is not (file, line, name)"));
    if (!ps_marshal_open(&d->marshal, &members, &slot))
        return false;
    if (members == 1)
        return read_marker(d, slot, out);
    if (members != 3)
        return ps_marshal_fail(
            &d->marshal, "a function key has %u parts instead of (file, line, name)", members);
    for (int i = 0; i < 3; i++)
        if (!ps_marshal_read(&d->marshal, &part[i]))
            return false;
    if (part[0].kind != PS_M_TEXT ||
        (part[1].kind != PS_M_INT && part[1].kind != PS_M_BOOL && !part[1].is_out_of_range) ||
        (part[2].kind != PS_M_TEXT && part[2].kind != PS_M_CODE))
        return ps_marshal_fail(&d->marshal,
                               "the parts of a function key are not (file, line, name)");
    *out = (struct ps_marshal_object){
        .kind = KEY, .id = function_of(d, part[0].id, part[2].id, number_of(&part[1]))};
    ps_marshal_set_ref(&d->marshal, slot, *out);
    return true;
}

/* --- Callers --- */

/* Whether there are more calls than the file can contain: a caller needs at least ten bytes unless
 * its dict is shared. Shared dicts must not turn a small file into a large profile. */
static bool has_too_many_calls(struct dump *d)
{
    uint64_t most = (uint64_t)(d->marshal.end - d->marshal.begin) / 10 + SHARED_CALLS;

    return d->n_calls > most &&
           !ps_marshal_fail(&d->marshal,
                            "too many functions refer to one and the same dict of callers");
}

/* Returns the record for the calls by `caller` in the current entry. If the dict has a key twice,
 * the later pair replaces the earlier one, as in Python. */
static struct ps_call *call_of(struct dump *d, uint32_t caller)
{
    uint32_t entry = (uint32_t)d->entries, old = d->cap_last_calls;

    if (d->n > old) {
        d->cap_last_calls = d->cap;
        d->last_calls = ps_grow(d->last_calls, d->cap_last_calls, sizeof *d->last_calls);
        memset(d->last_calls + old, 0, (d->cap_last_calls - old) * sizeof *d->last_calls);
    }
    if (d->last_calls[caller].entry_index == entry) {
        d->n_duplicate_calls++;
        return &d->calls[d->last_calls[caller].call];
    }
    PS_RESERVE_ONE(d->calls, d->n_calls, d->cap_calls);
    d->last_calls[caller] = (struct call_mark){entry, d->n_calls};
    return &d->calls[d->n_calls++];
}

static bool read_edge_numbers(struct dump *d, struct ps_call *call, bool *beyond, uint32_t *slot)
{
    struct ps_marshal *m = &d->marshal;
    uint32_t members;

    if (!ps_marshal_open(m, &members, slot))
        return false;
    if (members != 4)
        return ps_marshal_fail(m, "a caller has %u numbers instead of 4", members);
    d->tuple_callers = true;
    return read_number(m, &call->ncalls, beyond, "the number of calls of a caller") &&
           read_number(m, &call->primitive_calls, beyond,
                       "the number of primitive calls of a caller") &&
           read_number(m, &call->tottime_s, beyond, "the tottime of a caller") &&
           read_number(m, &call->cumtime_s, beyond, "the cumtime of a caller");
}

static bool read_edge(struct dump *d, struct ps_call *call, bool *beyond, uint32_t *slot)
{
    struct ps_marshal_object value;

    *slot = PS_M_NO_REF;
    if (is_sequence(ps_marshal_peek(&d->marshal)))
        return read_edge_numbers(d, call, beyond, slot);
    if (!ps_marshal_read(&d->marshal, &value))
        return false;
    if (value.kind == EDGE) {
        *call = d->calls[value.id];
        d->tuple_callers = true;
    } else if (value.kind == PS_M_INT || value.kind == PS_M_BOOL || value.is_out_of_range) {
        *call = (struct ps_call){.ncalls = number_of(&value)};
        *beyond |= value.is_out_of_range;
        d->int_callers = true;
    } else {
        return ps_marshal_fail(&d->marshal, "a caller has no numbers");
    }
    return true;
}

static bool copy_callers(struct dump *d, const struct ps_marshal_object *from)
{
    uint32_t first = (uint32_t)((uint64_t)from->i >> 32), n = (uint32_t)from->i;

    for (uint32_t i = 0; i < n && !has_too_many_calls(d); i++) {
        struct ps_call call = d->calls[first + i];

        *call_of(d, call.caller) = call;
    }
    return !d->marshal.has_failed;
}

static bool read_callers(struct dump *d, bool *beyond)
{
    uint32_t slot, edge_slot, first = d->n_calls;
    struct ps_marshal_object key, value;
    struct ps_call call, *to;

    if (ps_marshal_peek(&d->marshal) != '{') {
        if (!ps_marshal_read(&d->marshal, &value))
            return false;
        return value.kind == CALLERS
                   ? copy_callers(d, &value)
                   : ps_marshal_fail(&d->marshal, "the callers of a function are not a dict");
    }
    if (!ps_marshal_open_dict(&d->marshal, &slot))
        return false;
    while (!ps_marshal_read_dict_end(&d->marshal)) {
        if (!read_key(d, &key))
            return false;
        if (key.kind != KEY)
            return ps_marshal_fail(&d->marshal, "a caller is not a function key");
        if (key.id < d->cap_last_calls)
            __builtin_prefetch(&d->last_calls[key.id], 1);
        ps_marshal_prefetch(&d->marshal, EDGE_BYTES);
        if (!read_edge(d, &call, beyond, &edge_slot))
            return false;
        to = call_of(d, key.id);
        call.caller = key.id;
        *to = call;
        ps_marshal_set_ref(
            &d->marshal, edge_slot,
            (struct ps_marshal_object){.kind = EDGE, .id = (uint32_t)(to - d->calls)});
    }
    value = (struct ps_marshal_object){
        .kind = CALLERS, .i = (int64_t)((uint64_t)first << 32 | (d->n_calls - first))};
    ps_marshal_set_ref(&d->marshal, slot, value);
    return !d->marshal.has_failed;
}

/* --- Entries --- */

static bool read_value(struct dump *d, struct function *f, uint32_t *slot)
{
    struct ps_marshal *m = &d->marshal;
    struct ps_marshal_object value;
    uint32_t members;

    *slot = PS_M_NO_REF;
    if (!is_sequence(ps_marshal_peek(m))) {
        if (!ps_marshal_read(m, &value))
            return false;
        if (value.kind != VALUE)
            return ps_marshal_fail(m, "a function has no numbers");
        *f = d->functions[value.id];
        return copy_callers(d, &(struct ps_marshal_object){
                                   .i = (int64_t)((uint64_t)f->first_call << 32 | f->n_calls)});
    }
    if (!ps_marshal_open(m, &members, slot))
        return false;
    if (members != 5)
        return ps_marshal_fail(m, "a function has %u values instead of 5", members);
    return read_number(m, &f->primitive_calls, &f->repaired, "the number of primitive calls") &&
           read_number(m, &f->ncalls, &f->repaired, "the number of calls") &&
           read_number(m, &f->tottime, &f->repaired, "a tottime") &&
           read_number(m, &f->cumtime, &f->repaired, "a cumtime") && read_callers(d, &f->repaired);
}

static void store_entry(struct dump *d, uint32_t id, const struct function *value, uint32_t first)
{
    struct function *f = &d->functions[id];

    f->primitive_calls = value->primitive_calls;
    f->ncalls = value->ncalls;
    f->tottime = value->tottime;
    f->cumtime = value->cumtime;
    f->repaired = value->repaired;
    f->first_call = first;
    f->n_calls = d->n_calls - first;
    if (f->has_entry) {
        d->duplicate_offset =
            d->n_duplicate_entries++ ? d->duplicate_offset : ps_marshal_offset(&d->marshal);
        return;
    }
    f->has_entry = true;
    PS_RESERVE_ONE(d->listed_functions, d->n_listed_functions, d->cap_listed_functions);
    d->listed_functions[d->n_listed_functions++] = id;
}

static bool read_entry(struct dump *d)
{
    struct function value = {0};
    struct ps_marshal_object key, marker;
    uint32_t slot, first = d->n_calls;

    d->entries++;
    if (!read_key(d, &key))
        return false;
    if (key.kind == SAMPLED) {
        d->sampled = true;
        return ps_marshal_read(&d->marshal, &marker);
    }
    if (!read_value(d, &value, &slot))
        return false;
    store_entry(d, key.id, &value, first);
    ps_marshal_set_ref(&d->marshal, slot, (struct ps_marshal_object){.kind = VALUE, .id = key.id});
    return true;
}

static bool check_cancelled(struct dump *d, struct ps_sink *out)
{
    uint64_t size = (uint64_t)(d->marshal.end - d->marshal.begin);

    if (out->ops->progress(out, size, size, d->entries) && ps_sink_ok(out))
        return true;
    d->marshal.has_failed = true;
    ps_fail(d->marshal.err, PS_CANCELLED, "the import was cancelled");
    return false;
}

/* Reads the dict with one layout of code objects. False: PS_BAD_INPUT or PS_CANCELLED in `err`. */
static bool parse_dump(struct dump *d, struct ps_str bytes, enum ps_marshal_layout layout,
                       struct ps_sink *out, struct ps_err *err)
{
    uint32_t slot;

    *d = (struct dump){0};
    ps_marshal_init(&d->marshal, bytes, layout, err);
    ps_hash_table_reserve(&d->by_key, bytes.len / FUNCTION_BYTES);
    if (ps_marshal_peek(&d->marshal) != '{')
        return ps_marshal_fail(&d->marshal, "the dump is not a dict of functions");
    if (!ps_marshal_open_dict(&d->marshal, &slot))
        return false;
    while (!ps_marshal_read_dict_end(&d->marshal))
        if (!read_entry(d) || (d->entries % CHECK_INTERVAL == 0 && !check_cancelled(d, out)))
            return false;
    d->end_offset = ps_marshal_offset(&d->marshal);
    return true;
}

static void free_dump(struct dump *d)
{
    ps_marshal_free(&d->marshal);
    free(d->functions);
    ps_hash_table_free(&d->by_key);
    free(d->calls);
    free(d->listed_functions);
    free(d->last_calls);
    free(d->rows);
    free(d->callees);
    free(d->callee_from);
}

/* --- Lines of functions --- */

/* profiling.sampling writes an entry for each line that it saw: the line of its keys is the one
 * that was running. In one sample a function runs on one line, so the entries of a function are
 * added up; only of a recursive function the sums of total samples and times may be too large. */

/* Adds like Python's sum(): the result is an integer as long as all values are. */
static struct ps_num add_values(struct ps_num a, struct ps_num b)
{
    int64_t sum;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &sum))
        return ps_int(sum);
    return ps_real(ps_num_to_real(a) + ps_num_to_real(b));
}

static bool has_name(const void *items, uint32_t index, const void *of)
{
    const struct function *f = (const struct function *)items + index;
    const struct function_key *key = of;

    return f->file == key->file && f->name == key->name;
}

/* Adds the numbers of a line to its function, whose line becomes the first one that was seen. */
static void add_line(struct function *to, const struct function *line)
{
    if (!line->has_entry)
        return;
    if (!to->has_entry || ps_num_to_real(to->line) < 1 ||
        (ps_num_to_real(line->line) >= 1 &&
         ps_num_to_real(line->line) < ps_num_to_real(to->line))) /* -1: the line is not known */
        to->line = line->line;
    to->ncalls = to->has_entry ? add_values(to->ncalls, line->ncalls) : line->ncalls;
    to->primitive_calls = to->has_entry ? add_values(to->primitive_calls, line->primitive_calls)
                                        : line->primitive_calls;
    to->tottime = to->has_entry ? add_values(to->tottime, line->tottime) : line->tottime;
    to->cumtime = to->has_entry ? add_values(to->cumtime, line->cumtime) : line->cumtime;
    to->repaired |= line->repaired;
    to->has_entry = true;
}

/* Replaces the functions by `merged`. function_of: index in `merged` by index of a line. */
static void merge_calls(struct dump *d, struct function *merged, uint32_t n,
                        const uint32_t *function_of)
{
    struct ps_call *calls = ps_alloc_array((size_t)d->n_calls + 1, sizeof *calls);
    PS_AUTO(ps_free_ptr) uint32_t *first_line = ps_alloc_array((size_t)n + 1, sizeof *first_line);
    PS_AUTO(ps_free_ptr) uint32_t *next_line = ps_alloc_array((size_t)d->n + 1, sizeof *next_line);
    PS_AUTO(ps_free_ptr) uint32_t *seen = ps_alloc_array((size_t)n + 1, sizeof *seen);
    uint32_t n_calls = 0;

    for (uint32_t i = d->n; i-- > 0;) { /* lists of lines: index + 1; 0: the end */
        next_line[i] = first_line[function_of[i]];
        first_line[function_of[i]] = i + 1;
    }
    for (uint32_t f = 0; f < n; f++) {
        merged[f].first_call = n_calls;
        for (uint32_t line = first_line[f]; line; line = next_line[line - 1])
            for (uint32_t c = 0; c < d->functions[line - 1].n_calls; c++) {
                struct ps_call call = d->calls[d->functions[line - 1].first_call + c];

                call.caller = function_of[call.caller];
                if (seen[call.caller] > merged[f].first_call) {
                    struct ps_call *known = &calls[seen[call.caller] - 1];

                    known->ncalls = add_values(known->ncalls, call.ncalls);
                } else {
                    calls[n_calls++] = call;
                    seen[call.caller] = n_calls;
                }
            }
        merged[f].n_calls = n_calls - merged[f].first_call;
    }
    free(d->calls);
    d->calls = calls;
    d->n_calls = n_calls;
}

static void merge_lines(struct dump *d)
{
    struct function *merged = ps_alloc_array((size_t)d->n + 1, sizeof *merged);
    PS_AUTO(ps_free_ptr)
    uint32_t *function_of = ps_alloc_array((size_t)d->n + 1, sizeof *function_of);
    struct ps_hash_table by_name = {0};
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->n; i++) {
        const struct function *line = &d->functions[i];
        const struct function_key key = {.file = line->file, .name = line->name};
        struct ps_hash hash = ps_hash_begin();

        ps_hash_add(&hash, (uint64_t)line->file << 32 | line->name);
        function_of[i] = ps_hash_table_add(&by_name, ps_hash_end(&hash), n, has_name, merged, &key);
        if (function_of[i] == n)
            merged[n++] =
                (struct function){.file = line->file, .name = line->name, .line = line->line};
        add_line(&merged[function_of[i]], line);
    }
    ps_hash_table_free(&by_name);
    merge_calls(d, merged, n, function_of);
    for (uint32_t i = 0; i < d->n_listed_functions; i++) /* in the order of Python's sum() */
        d->total = add_values(d->total, d->functions[d->listed_functions[i]].tottime);
    d->n_lines = d->n_listed_functions;
    d->n_listed_functions = 0;
    for (uint32_t f = 0; f < n; f++)
        if (merged[f].has_entry)
            d->listed_functions[d->n_listed_functions++] = f;
    free(d->functions);
    d->functions = merged;
    d->n = n;
}

/* --- Call graph --- */

/* --- Row ids, callees, cycles --- */

static struct function *by_row(const struct dump *d, uint32_t row)
{
    return &d->functions[d->rows[row - 1]];
}

static void write_rows(struct dump *d)
{
    uint32_t row = 0;

    d->rows = ps_alloc_array(d->n + 1, sizeof *d->rows);
    for (uint32_t i = 0; i < d->n_listed_functions; i++) {
        d->rows[row] = d->listed_functions[i];
        d->functions[d->listed_functions[i]].row = ++row;
    }
    for (uint32_t i = 0; i < d->n; i++)
        if (!d->functions[i].has_entry) {
            d->rows[row] = i;
            d->functions[i].row = ++row;
        }
}

/* Builds the list of callees of each row, in ascending order: counts them, computes offsets, then
 * fills the lists in row order. */
static void link_callees(struct dump *d)
{
    uint32_t *next;

    d->callee_from = ps_alloc_array(d->n + 2, sizeof *d->callee_from);
    d->callees = ps_alloc_array(d->n_calls + 1, sizeof *d->callees);
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t c = 0; c < d->functions[i].n_calls; c++)
            d->callee_from[d->calls[d->functions[i].first_call + c].caller]++;
    for (uint32_t row = 1; row <= d->n; row++)
        d->callee_from[row] += d->callee_from[row - 1];
    next = ps_alloc_array(d->n + 1, sizeof *next);
    memcpy(next, d->callee_from, d->n * sizeof *next);
    for (uint32_t row = 1; row <= d->n; row++) {
        const struct function *f = by_row(d, row);

        for (uint32_t c = 0; c < f->n_calls; c++)
            d->callees[next[d->calls[f->first_call + c].caller - 1]++] = row;
    }
    free(next);
}

/* Replaces function indices of callers by row ids. The lookups are random: an array of row ids fits
 * into the CPU cache, the functions do not. */
static void number_functions(struct dump *d)
{
    uint32_t *row = ps_alloc_array(d->n + 1, sizeof *row);

    write_rows(d);
    for (uint32_t i = 0; i < d->n; i++)
        row[i] = d->functions[i].row;
    for (uint32_t c = 0; c < d->n_calls; c++)
        d->calls[c].caller = row[d->calls[c].caller];
    free(row);
    link_callees(d);
}

/* Finds strongly connected components with Tarjan's algorithm, from callees to callers, without
 * recursion. */
struct walk {
    struct dump *dump;
    /* by row; index: order of visits, 0: not visited; low: lowest index reached; edge: next caller
     * to visit */
    uint32_t *index, *low, *edge;
    /* path: stack of the depth-first search; open: rows that are not yet in a component */
    uint32_t *path, *open;
    bool *is_open;
    uint32_t n_path, n_open, visited, cycles;
};

static void push_component(struct walk *w, uint32_t row)
{
    w->index[row] = w->low[row] = ++w->visited;
    w->path[w->n_path++] = row;
    w->open[w->n_open++] = row;
    w->is_open[row] = true;
}

static bool calls_itself(const struct dump *d, uint32_t row)
{
    const struct function *f = by_row(d, row);

    for (uint32_t c = 0; c < f->n_calls; c++)
        if (d->calls[f->first_call + c].caller == row)
            return true;
    return false;
}

/* Closes the component that consists of the open rows from `root` to the top of the stack. */
static void close_component(struct walk *w, uint32_t root)
{
    bool is_cycle = w->open[w->n_open - 1] != root || calls_itself(w->dump, root);
    uint32_t row;

    w->cycles += is_cycle;
    do {
        row = w->open[--w->n_open];
        w->is_open[row] = false;
        by_row(w->dump, row)->cycle = is_cycle ? w->cycles : 0;
    } while (row != root);
}

static void visit_next(struct walk *w)
{
    uint32_t row = w->path[w->n_path - 1], above;
    const struct function *f = by_row(w->dump, row);

    if (w->edge[row] < f->n_calls) {
        uint32_t caller = w->dump->calls[f->first_call + w->edge[row]++].caller;

        if (!w->index[caller])
            push_component(w, caller);
        else if (w->is_open[caller] && w->index[caller] < w->low[row])
            w->low[row] = w->index[caller];
        return;
    }
    if (w->low[row] == w->index[row])
        close_component(w, row);
    if (--w->n_path) {
        above = w->path[w->n_path - 1];
        w->low[above] = w->low[row] < w->low[above] ? w->low[row] : w->low[above];
    }
}

/* Renumbers the cycles in row order, so that equal dumps get equal numbers. */
static void renumber_cycles(struct dump *d, uint32_t cycles)
{
    uint32_t *number = ps_alloc_array(cycles + 1, sizeof *number), used = 0;

    for (uint32_t row = 1; row <= d->n; row++) {
        struct function *f = by_row(d, row);

        if (f->cycle && !number[f->cycle])
            number[f->cycle] = ++used;
        f->cycle = number[f->cycle];
    }
    free(number);
}

/* Numbers the functions that are part of a cycle. */
static void find_cycles(struct dump *d)
{
    size_t n = (size_t)d->n + 1;
    struct walk w = {.dump = d};
    uint32_t *memory = ps_alloc_array(5 * n, sizeof *memory);

    w.index = memory;
    w.low = memory + n;
    w.edge = memory + 2 * n;
    w.path = memory + 3 * n;
    w.open = memory + 4 * n;
    w.is_open = ps_alloc(n);
    for (uint32_t row = 1; row <= d->n; row++) {
        if (w.index[row])
            continue;
        for (push_component(&w, row); w.n_path;)
            visit_next(&w);
    }
    renumber_cycles(d, w.cycles);
    free(memory);
    free(w.is_open);
}

/* --- Other tools --- */

static bool is_built_in_of_yappi(struct ps_str file, struct ps_num line)
{
    return ps_str_eq_c(file, "builtins") && line.kind == PS_NUM_INT && line.i == 0;
}

/* Whether the name has its class before it, which cProfile never writes. */
static bool is_qualified(struct ps_str name)
{
    return name.len && name.ptr[0] != '<' && memchr(name.ptr, '.', name.len);
}

/* Writes the sums of the cumulative times of all calls that a function makes, but those of itself,
 * by row. */
static void sum_calls(const struct dump *d, double *parts)
{
    for (uint32_t row = 1; row <= d->n; row++) {
        const struct function *f = by_row(d, row);

        for (uint32_t c = 0; c < f->n_calls; c++)
            if (d->calls[f->first_call + c].caller != row)
                parts[d->calls[f->first_call + c].caller] +=
                    ps_num_to_real(d->calls[f->first_call + c].cumtime_s);
    }
}

/* The number of functions of each cycle, by number of the cycle. */
static uint32_t *count_cycles(const struct dump *d)
{
    uint32_t *n = ps_alloc_array((size_t)d->n + 1, sizeof *n);

    for (uint32_t row = 1; row <= d->n; row++)
        n[by_row(d, row)->cycle]++;
    return n;
}

/* The time of a function that neither itself nor the functions that it calls have. 0 for functions
 * that call each other: their times contain each other. */
static double hidden_time(const struct dump *d, const uint32_t *cycles, const double *parts,
                          uint32_t row)
{
    const struct function *f = by_row(d, row);
    double cumtime = ps_num_to_real(f->cumtime),
           hidden = cumtime - ps_num_to_real(f->tottime) - parts[row];

    return f->has_entry && (!f->cycle || cycles[f->cycle] == 1) && hidden > 1e-6 + 1e-6 * cumtime
               ? hidden
               : 0;
}

static enum producer find_producer(const struct dump *d)
{
    uint32_t unknown = 0, more = 0, fewer = 0;
    bool built_ins = false, qualified = false, standard = d->sampled || d->int_callers;

    for (uint32_t i = 0; i < d->n_listed_functions; i++) {
        const struct function *f = &d->functions[d->listed_functions[i]];
        struct ps_str file = d->marshal.texts.items[f->file];
        double calls = ps_num_to_real(f->ncalls), primitive = ps_num_to_real(f->primitive_calls);

        unknown += calls == -1 && primitive == -1;
        more += primitive > calls;
        fewer += primitive < calls;
        standard |= ps_str_eq_c(file, "~") || ps_str_eq_c(file, "profile");
        built_ins |= is_built_in_of_yappi(file, f->line);
        qualified |= is_qualified(d->marshal.texts.items[f->name]);
    }
    if (unknown == d->n_listed_functions)
        return PYINSTRUMENT;
    if (standard || fewer || !(more || built_ins || qualified))
        return STANDARD;
    return more || built_ins || d->hidden_s > 0 ? YAPPI : STANDARD;
}

/* pyinstrument adds the time of a recursive function at each level: its cumulative time is that of
 * its calls from other functions. Of functions that call each other it remains too large. */
static void mend_pyinstrument(struct dump *d, const uint32_t *cycles)
{
    for (uint32_t row = 1; row <= d->n; row++) {
        struct function *f = by_row(d, row);

        if (f->has_entry)
            f->ncalls = f->primitive_calls = (struct ps_num){0};
        for (uint32_t c = 0; c < f->n_calls; c++) {
            struct ps_call *call = &d->calls[f->first_call + c];

            call->ncalls = call->primitive_calls = (struct ps_num){0};
            if (call->caller != row || cycles[f->cycle] != 1)
                continue;
            f->cumtime = ps_real(ps_num_to_real(f->cumtime) - ps_num_to_real(call->cumtime_s));
            call->cumtime_s = f->cumtime;
        }
    }
}

/* Adds a function for what yappi does not list, called by all functions with hidden time: times of
 * functions and callees then add up to the total. Its number of calls is unknown. */
static void add_hidden(struct dump *d, const uint32_t *cycles, const double *parts)
{
    uint32_t file = ps_marshal_add_text(&d->marshal, PS_STR("~")),
             name = ps_marshal_add_text(&d->marshal, PS_STR("<C functions that are not listed>"));
    struct function hidden = {
        .file = file, .name = name, .line = ps_int(0), .first_call = d->n_calls, .has_entry = true};

    for (uint32_t row = 1; row <= d->n; row++) {
        double seconds = hidden_time(d, cycles, parts, row);

        if (!(seconds > 0))
            continue;
        PS_RESERVE_ONE(d->calls, d->n_calls, d->cap_calls);
        d->calls[d->n_calls++] = (struct ps_call){
            .caller = row, .tottime_s = ps_real(seconds), .cumtime_s = ps_real(seconds)};
    }
    hidden.n_calls = d->n_calls - hidden.first_call;
    hidden.tottime = hidden.cumtime = ps_real(d->hidden_s);
    for (uint32_t c = 0; c < d->n_calls; c++) /* back to indices, for number_functions */
        d->calls[c].caller = d->rows[d->calls[c].caller - 1];
    free(d->rows);
    free(d->callees);
    free(d->callee_from);
    PS_RESERVE_ONE(d->functions, d->n, d->cap);
    PS_RESERVE_ONE(d->listed_functions, d->n_listed_functions, d->cap_listed_functions);
    d->listed_functions[d->n_listed_functions++] = d->n;
    d->functions[d->n++] = hidden;
    d->has_hidden = true;
    number_functions(d);
    find_cycles(d);
}

/* Reads the numbers of tools other than cProfile by their own meaning. */
static void mend_dump(struct dump *d)
{
    PS_AUTO(ps_free_ptr) uint32_t *cycles = count_cycles(d);
    PS_AUTO(ps_free_ptr) double *parts = ps_alloc_array((size_t)d->n + 1, sizeof *parts);

    sum_calls(d, parts);
    for (uint32_t row = 1; row <= d->n; row++)
        d->hidden_s += hidden_time(d, cycles, parts, row);
    d->producer = find_producer(d);
    if (d->producer == PYINSTRUMENT)
        mend_pyinstrument(d, cycles);
    if (d->producer != YAPPI)
        return;
    for (uint32_t i = 0; i < d->n_listed_functions; i++) {
        struct function *f = &d->functions[d->listed_functions[i]];
        struct ps_num all = f->primitive_calls;

        f->primitive_calls = f->ncalls;
        f->ncalls = all;
    }
    if (d->hidden_s > 0)
        add_hidden(d, cycles, parts);
}

/* --- Reporting --- */

struct report {
    struct dump *dump;
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_str *display_texts; /* strings for display, by text id; ptr is NULL until converted */
    uint8_t *origin;              /* by text id of a file; 0: not computed yet, else origin + 1 */
    /* by row: sum of the cumulative times of all calls that this function makes */
    double *parts;
    struct ps_num tottime, ncalls, primitive_calls;
    uint64_t repaired, doubtful;
    /* number of functions with: more primitive calls than calls; less cumulative time than self
     * time; a negative number; a time that is not finite */
    uint64_t fewer_calls, less_cumtime, negative_numbers, infinite_times;
    uint32_t roots, files, title;
    bool builtins, profile_keys, int_times, folders;
};

static struct ps_str display_text(struct report *r, uint32_t id)
{
    if (!r->display_texts[id].ptr)
        r->display_texts[id] = ps_marshal_text(&r->dump->marshal, id, &r->arena);
    return r->display_texts[id];
}

static bool is_mended(const struct report *r, uint32_t id)
{
    uint8_t kind = r->dump->marshal.text_kinds[id];

    return kind == PS_MTEXT_REPAIR || kind == PS_MTEXT_LATIN1;
}

static bool has_folder(struct ps_str path)
{
    return path.len && path.ptr[0] != '<' &&
           (memchr(path.ptr, '/', path.len) || memchr(path.ptr, '\\', path.len));
}

static bool is_script(struct ps_str path)
{
    return path.len > 3 && memcmp(path.ptr + path.len - 3, ".py", 3) == 0;
}

/* Returns the origin of a file. A script that was started from the current folder has a name
 * without folder. If other files have folders, the names were not stripped, so such a file is the
 * user's own. */
static enum ps_origin file_origin(struct report *r, uint32_t file)
{
    if (!r->origin[file]) {
        enum ps_origin found = ps_python_file_origin(display_text(r, file));

        if (found == PS_ORIGIN_UNKNOWN && r->folders && is_script(display_text(r, file)))
            found = PS_ORIGIN_OWN;
        if (found == PS_ORIGIN_UNKNOWN && r->dump->producer == YAPPI &&
            !has_folder(display_text(r, file)) && !is_script(display_text(r, file)))
            found = PS_ORIGIN_BUILTIN; /* named by its module: builtins, _io */
        r->origin[file] = (uint8_t)(found + 1);
        r->files++;
    }
    return (enum ps_origin)(r->origin[file] - 1);
}

static struct function *function_at_row(const struct report *r, uint32_t row)
{
    return &r->dump->functions[r->dump->rows[row - 1]];
}

static void write_doubt(struct report *r, struct function *f, const char *why)
{
    struct ps_str file = ps_truncate_text(display_text(r, f->file), 160),
                  name = ps_truncate_text(display_text(r, f->name), 100);

    if (r->doubtful++ >= NOTES_MAX)
        return;
    ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 "%.*s (%.*s:%.0f) %s. Either functions with this label overwrote each other, "
                 "threads ran it at the same time, or dumps were merged",
                 (int)name.len, name.ptr, (int)file.len, file.ptr, ps_num_to_real(f->line), why);
}

/* Checks the numbers of a function against each other and against its callers and callees. */
static void check_function(struct report *r, struct function *f)
{
    double tottime = ps_num_to_real(f->tottime), cumtime = ps_num_to_real(f->cumtime), from = 0;
    double ncalls = ps_num_to_real(f->ncalls), primitive = ps_num_to_real(f->primitive_calls);

    for (uint32_t c = 0; c < f->n_calls; c++)
        from += ps_num_to_real(r->dump->calls[f->first_call + c].ncalls);
    r->fewer_calls += primitive > ncalls;
    r->less_cumtime += cumtime < tottime - 1e-6 - 1e-9 * fabs(tottime);
    r->negative_numbers += ncalls < 0 || primitive < 0 || tottime < 0 || cumtime < 0;
    r->infinite_times += !isfinite(tottime) || !isfinite(cumtime);
    if (r->dump->sampled)
        return;
    if (from > ncalls)
        write_doubt(r, f, "has fewer calls than its callers made");
    else if (!f->cycle && r->dump->tuple_callers && !r->dump->int_callers &&
             r->parts[f->row] + tottime > cumtime + 1e-6 + 1e-6 * fabs(cumtime))
        write_doubt(r, f, "has less cumulative time than its own time plus its callees' time");
}

static void add_up(struct report *r)
{
    for (uint32_t row = 1; row <= r->dump->n_listed_functions; row++) {
        struct function *f = function_at_row(r, row);
        struct ps_str file = display_text(r, f->file);

        r->tottime = add_values(r->tottime, f->tottime);
        r->ncalls = add_values(r->ncalls, f->ncalls);
        r->primitive_calls = add_values(r->primitive_calls, f->primitive_calls);
        r->roots += f->n_calls == 0;
        f->repaired |= is_mended(r, f->file) || is_mended(r, f->name);
        r->repaired += f->repaired;
        r->int_times |= f->tottime.kind == PS_NUM_INT && f->tottime.i != 0;
        r->builtins |= ps_str_eq_c(file, "~") &&
                       (ps_str_starts_with(display_text(r, f->name), PS_STR("<built-in method ")) ||
                        ps_str_starts_with(display_text(r, f->name), PS_STR("<method '")));
        r->folders = r->folders || has_folder(file);
        r->profile_keys |=
            ps_str_eq_c(file, "profile") && f->line.kind == PS_NUM_INT && f->line.i == 0;
    }
    if (r->dump->sampled)
        r->tottime = r->dump->total;
    for (uint32_t row = 1; row <= r->dump->n; row++) {
        const struct function *f = function_at_row(r, row);

        for (uint32_t c = 0; c < f->n_calls; c++)
            r->parts[r->dump->calls[f->first_call + c].caller] +=
                ps_num_to_real(r->dump->calls[f->first_call + c].cumtime_s);
    }
}

static void write_function(struct report *r, uint32_t row)
{
    const struct dump *d = r->dump;
    const struct function *f = function_at_row(r, row);
    struct ps_num none = ps_int(0);
    struct ps_function function = {
        .id = row,
        .file = display_text(r, f->file),
        .file_key = f->file + 1,
        .name = display_text(r, f->name),
        .line = f->line,
        .ncalls = f->has_entry ? f->ncalls : none,
        .primitive_calls = f->has_entry ? f->primitive_calls : none,
        .tottime_s = f->has_entry ? f->tottime : none,
        .cumtime_s = f->has_entry ? f->cumtime : none,
        .origin = file_origin(r, f->file),
        .cycle = f->cycle,
        .has_entry = f->has_entry,
        .callers = f->n_calls ? d->calls + f->first_call : NULL,
        .n_callers = f->n_calls,
        .callees = d->callees + d->callee_from[row - 1],
        .n_callees = d->callee_from[row] - d->callee_from[row - 1],
    };

    r->out->ops->function(r->out, &function);
}

static struct ps_str base_name(struct ps_str path)
{
    for (size_t i = path.len; i-- > 0;)
        if (path.ptr[i] == '/' || path.ptr[i] == '\\')
            return ps_str_skip(path, i + 1);
    return path;
}

/* Updates the title: the script, which is the module outside of any library with the largest
 * cumulative time. */
static void find_title(struct report *r, uint32_t row)
{
    const struct function *f = function_at_row(r, row);
    enum ps_origin whose = file_origin(r, f->file);

    if (!f->has_entry || (whose != PS_ORIGIN_OWN && whose != PS_ORIGIN_UNKNOWN))
        return;
    if (!ps_str_eq_c(display_text(r, f->name), "<module>") ||
        ps_str_starts_with(display_text(r, f->file), PS_STR("<")))
        return;
    if (!r->title ||
        ps_num_to_real(f->cumtime) > ps_num_to_real(function_at_row(r, r->title)->cumtime))
        r->title = row;
}

static void write_tool(struct report *r)
{
    const char *writer = NULL, *tool = "pstats";

    if (r->dump->producer == YAPPI) {
        tool = "yappi";
    } else if (r->dump->producer == PYINSTRUMENT) {
        tool = "pyinstrument";
    } else if (r->dump->sampled) {
        writer = "sampling";
        tool = "CPython profiling.sampling";
    } else if (r->profile_keys) {
        writer = "profile";
        tool = "Python profile";
    } else if (r->builtins && !r->dump->int_callers) {
        writer = "cProfile";
        tool = "cProfile";
    }
    ps_sink_meta(r->out, "tool", ps_str_from_c(tool));
    if (writer)
        ps_sink_meta(r->out, "writer", ps_str_from_c(writer));
    if (r->title)
        ps_sink_meta(r->out, "title",
                     base_name(display_text(r, function_at_row(r, r->title)->file)));
}

static void write_summary(struct report *r)
{
    const struct dump *d = r->dump;
    int version = ps_marshal_version(&d->marshal);
    bool has_counts = d->producer != PYINSTRUMENT;
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"total_tt_s", r->tottime},
        {"total_calls", has_counts ? r->ncalls : (struct ps_num){0}},
        {"primitive_calls", has_counts ? r->primitive_calls : (struct ps_num){0}},
        {"functions", ps_int(d->n_listed_functions)},
        {"calls_pairs", ps_int(d->callee_from[d->n])},
        {"roots", ps_int(r->roots)},
        {"files", ps_int(r->files)},
        {"marshal", version < 0 ? (struct ps_num){0} : ps_int(version)},
        {"sampled", ps_int(d->sampled)},
        {"int_callers", ps_int(d->int_callers)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
}

static void write_notes(struct report *r, uint64_t size)
{
    const struct dump *d = r->dump;

    if (d->sampled)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "written by a sampling profiler: calls are samples. %u entries for lines are "
                     "%u functions, each with the first line that was seen; total times of a "
                     "recursive function may be too large",
                     d->n_lines, d->n_listed_functions);
    if (d->producer == PYINSTRUMENT)
        ps_sink_note(
            r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
            "pyinstrument samples, so the numbers of calls are unknown. A session has more: "
            "`pyinstrument -o app.pyisession app.py`");
    if (d->has_hidden)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "yappi did not list functions written in C, whose %s are in no own time; "
                     "`yappi.start(builtins=True)` lists them",
                     ps_format_seconds(d->hidden_s, (char[48]){0}));
    if (r->int_times)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "times are whole numbers: the timer's unit is not seconds, and the file does "
                     "not name it");
    if (d->n_duplicate_entries)
        ps_sink_note(r->out, PS_NOTE_REJECTED, d->duplicate_offset, 0,
                     "entries that repeat an earlier key: %llu (this is the first); the last one "
                     "counts, as in Python",
                     (unsigned long long)d->n_duplicate_entries);
    ps_sink_count(r->out, PS_NOTE_WARNING, d->n_duplicate_calls,
                  "callers that one function lists twice; the last one counts");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->repaired,
                  "functions repaired: a number beyond 64 bits or a name with invalid text");
    ps_sink_count(r->out, PS_NOTE_INFO, d->n - d->n_listed_functions,
                  "callers without their own entry, shown with zeros");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->doubtful > NOTES_MAX ? r->doubtful - NOTES_MAX : 0,
                  "more functions that contradict their callers or callees");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->fewer_calls,
                  "functions with more primitive calls than calls");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->less_cumtime,
                  "functions with less cumulative time than own time");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->negative_numbers, "functions with negative values");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->infinite_times,
                  "functions with a time that is not a finite number");
    if (d->end_offset < size)
        ps_sink_note(r->out, PS_NOTE_WARNING, d->end_offset, 0,
                     "bytes after the dump, ignored as in Python: %llu",
                     (unsigned long long)(size - d->end_offset));
}

/* Whether a function of the standard library or a built-in one waits, by its name. */
static bool is_wait(struct ps_str file, struct ps_str name)
{
    static const char *const files[] = {"selectors.py",  "threading.py", "queue.py", "socket.py",
                                        "subprocess.py", "tasks.py",     "ssl.py",   "~"};
    static const char *const words[] = {"select", "acquire", "wait", "sleep", "poll", "recv"};
    bool is_library = !file.len, waits = false;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        is_library |= ps_str_eq_c(file, files[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        waits |= ps_str_find(name, ps_str_from_c(words[i])) != NULL;
    return is_library && waits;
}

/* yappi does not write its clock: only with that of the wall do functions that wait have time. */
static bool has_wall_clock(struct report *r)
{
    double waited = 0;

    if (r->dump->producer != YAPPI)
        return false;
    for (uint32_t row = 1; row <= r->dump->n_listed_functions; row++) {
        const struct function *f = function_at_row(r, row);

        if (is_wait(base_name(display_text(r, f->file)), display_text(r, f->name)))
            waited += ps_num_to_real(f->cumtime);
    }
    return waited > 0.01 * ps_num_to_real(r->tottime);
}

/* For yappi's clock of the wall: the cumulative time of the longest function, if own times exceed
 * that time. Own times of coroutines and threads include their waits, which overlap. 0: own times
 * do not overlap, as those of CPU time. */
static double overlapped_time(struct report *r)
{
    double longest = 0;

    for (uint32_t row = 1; row <= r->dump->n_listed_functions; row++) {
        double cumtime = ps_num_to_real(function_at_row(r, row)->cumtime);

        longest = cumtime > longest ? cumtime : longest;
    }
    return has_wall_clock(r) && ps_num_to_real(r->tottime) > 1.05 * longest ? longest : 0;
}

static void write_overlap(struct report *r)
{
    double elapsed = overlapped_time(r);

    if (!(elapsed > 0))
        return;
    r->out->ops->number(r->out, "overlapped_s", ps_real(elapsed));
    ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 "own times of coroutines and threads include their waits, and waits overlap: own "
                 "times add up to %s, while the longest function took %s",
                 ps_format_seconds(ps_num_to_real(r->tottime), (char[48]){0}),
                 ps_format_seconds(elapsed, (char[48]){0}));
}

/* Writes everything to the sink. False: cancelled. */
static bool write_all(struct report *r, uint64_t size)
{
    const struct dump *d = r->dump;
    struct ps_ledger ledger = {
        .unit = "entries",
        .read = d->entries,
        .rejected = d->n_duplicate_entries,
        .other = d->entries - d->n_lines - d->n_duplicate_entries,
    };

    add_up(r);
    ledger.stored = d->n_lines - r->repaired;
    ledger.repaired = r->repaired;
    for (uint32_t row = 1; row <= d->n && ps_sink_ok(r->out); row++) {
        if (row % CHECK_INTERVAL == 0 && !r->out->ops->progress(r->out, size, size, row))
            return false;
        write_function(r, row);
        find_title(r, row);
        if (function_at_row(r, row)->has_entry)
            check_function(r, function_at_row(r, row));
    }
    write_tool(r);
    write_summary(r);
    write_overlap(r);
    write_notes(r, size);
    r->out->ops->ledger(r->out, &ledger);
    r->out->ops->headline(
        r->out, &(struct ps_headline){ps_num_to_real(r->tottime), "s",
                                      has_wall_clock(r) ? "tottime by wall clock" : "tottime"});
    return true;
}

/* Writes the dump to the sink. `size`: bytes of the dump. False: cancelled. */
static bool report_dump(struct dump *d, uint64_t size, struct ps_sink *out)
{
    struct report r = {.dump = d, .out = out};
    bool is_written;

    r.tottime = r.ncalls = r.primitive_calls = ps_int(0);
    r.display_texts = ps_alloc_array(d->marshal.texts.count + 1, sizeof *r.display_texts);
    r.origin = ps_alloc(d->marshal.texts.count + 1);
    r.parts = ps_alloc_array(d->n + 1, sizeof *r.parts);
    is_written = write_all(&r, size);
    free(r.display_texts);
    free(r.origin);
    free(r.parts);
    ps_arena_free(&r.arena);
    return is_written;
}

#define FILE_BYTES_MAX ((uint64_t)2 << 30)

/* Tries the layouts of code objects in turn. On failure, err is the error of the layout that read
 * the most bytes. */
static bool read_dump(struct dump *d, struct ps_str bytes, struct ps_sink *out, struct ps_err *err)
{
    struct ps_err farthest = PS_ERR_INIT;
    int with_tail = -1;

    for (int layout = 0; layout < PS_M_N_LAYOUTS; layout++) {
        struct ps_err failure = PS_ERR_INIT;
        bool good = parse_dump(d, bytes, (enum ps_marshal_layout)layout, out, &failure);

        if (good && (!d->marshal.has_code || d->end_offset == bytes.len)) {
            d->marshal.err = err;
            return true;
        }
        with_tail = good && with_tail < 0 ? layout : with_tail;
        if (!good && (farthest.code == PS_OK || failure.offset > farthest.offset))
            farthest = failure;
        if (!d->marshal.has_code || failure.code == PS_CANCELLED)
            break;
        free_dump(d);
        *d = (struct dump){0};
    }
    if (with_tail >= 0)
        return parse_dump(d, bytes, (enum ps_marshal_layout)with_tail, out, err);
    *err = farthest;
    return false;
}

static enum ps_status refuse_empty(const struct dump *d, struct ps_err *err)
{
    return ps_fail(err, PS_BAD_INPUT,
                   "the dump contains no functions: %s" PS_HINT
                   "record the whole program: `python -m cProfile -o out.prof app.py`",
                   d->sampled ? "the sampling profiler took no samples"
                              : "the profiler was never enabled");
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    PS_AUTO(free_dump) struct dump d = {0};
    struct ps_err failure = PS_ERR_INIT;
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "dump", &bytes, out, err);
    uint64_t size;

    if (status != PS_OK)
        return status;
    size = bytes.len;
    if (!read_dump(&d, ps_buf_slice(&bytes), out, &failure))
        return ps_fail_copy_hint(
            err, &failure,
            failure.code == PS_BAD_INPUT
                ? "copy the file again in binary mode, or record the profile again"
                : "");
    ps_buf_free(&bytes); /* all strings were copied */
    if (d.n_listed_functions == 0)
        return refuse_empty(&d, err);
    d.n_lines = d.n_listed_functions;
    d.total = ps_int(0);
    if (d.sampled)
        merge_lines(&d);
    number_functions(&d);
    find_cycles(&d);
    mend_dump(&d);
    if (!report_dump(&d, size, out))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

/* Recognises a dict by a first byte that no text has (0xfb), or by a tuple as its first key; in
 * JSON no '(' or ')' follows the opening brace. */
static enum ps_match sniff(struct ps_str head)
{
    const unsigned char *at = (const unsigned char *)head.ptr;

    if (head.len && at[0] == 0xfb)
        return PS_MATCH_SURE;
    if (head.len < 2 || at[0] != '{')
        return PS_MATCH_NO;
    if (at[1] == 0xa8 || at[1] == 0xa9 || (at[1] == '0' && head.len == 2))
        return PS_MATCH_SURE;
    if (at[1] == ')')
        return head.len > 2 && (at[2] == 3 || at[2] == 1) ? PS_MATCH_SURE : PS_MATCH_LIKELY;
    if (at[1] == '(')
        return head.len > 5 && at[3] == 0 && at[4] == 0 && at[5] == 0 ? PS_MATCH_SURE
                                                                      : PS_MATCH_LIKELY;
    return PS_MATCH_NO;
}

const struct ps_importer ps_pstats = {
    .kind = "pstats",
    .label = "cProfile dump",
    .description = "functions and their callers, from cProfile, profile, profiling.tracing, "
                   "profiling.sampling, yappi",
    .record_command = "python -m cProfile -o app.prof app.py",
    .sniff = sniff,
    .load = load,
};
