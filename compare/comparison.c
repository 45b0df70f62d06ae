/* SPDX-License-Identifier: MIT */

#include "compare/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/context.h"
#include "base/intern.h"
#include "base/python_path.h"
#include "compare/align.h"

/* A row that is being built. Strings are ids in `texts`. */
struct ps_slot {
    uint32_t name, place, base_place, function;
    uint32_t base_cause, cause;
    int64_t base_line, line;
    int64_t base_id, id;
    int64_t last_line; /* line in the run that was read last */
    uint32_t in_base, in_now;
    bool is_merged; /* merged into another slot */
    const double *samples[2];
    uint32_t n_samples[2];
    uint32_t n_sampled[2]; /* number of runs with samples */
    double resolution;
    bool is_part, has_failed;
    int better;
};

/* Rows that differ only in their order: the same place and name, or lines of one function. */
struct ps_class {
    uint32_t *slots; /* slots in order of their lines */
    uint32_t n, cap;
    uint32_t pending; /* list of rows of the current run: index + 1 of the first; 0: none */
};

/* A row of the current run, not yet matched to a slot. */
struct ps_pending {
    struct ps_slot slot;
    uint32_t order, next;
    double values[PS_METRICS_MAX];
    struct ps_result results[2];
};

/* The key of a class. */
struct ps_class_key {
    uint32_t place, word; /* word: the name; for source lines, the function */
    uint32_t lines;       /* 1: source lines */
};

struct ps_comparison {
    size_t n_base, n_new, n_runs, n_metrics, run;
    bool has_paths; /* places are paths */
    bool divides;   /* the second half of the metrics are the divisors of the first */
    bool is_cut[2 * PS_GROUP_MAX]; /* by run: its profile leaves out rows */
    bool measures; /* the second half of the metrics replace unknown ones of the first */
    bool has_pairs;
    uint32_t pairs[PS_GROUP_MAX]; /* of ps_comparison_pair */
    /* Of measurements: by slot and run what was measured, then by run what the tool states */
    struct ps_result *results;
    struct ps_result_verdict *verdicts; /* by row */
    struct ps_intern texts, keys;
    struct ps_class *classes; /* by id in `keys` */
    size_t n_classes, cap_classes;
    uint32_t *pending_classes; /* classes with pending rows */
    size_t n_pending_classes, cap_pending_classes;
    struct ps_pending *pending;
    size_t n_pending, cap_pending;
    struct ps_slot *slots;
    size_t n_slots, cap_slots;
    double *values; /* by slot, metric and run */
    size_t cap_values;
    struct ps_arena arena; /* for samples */
    struct ps_comparison_row *rows;
    double *first_metric; /* the first metric of each row, n_runs values each */
    uint32_t *slot_of;    /* row -> slot */
    size_t n_rows;
    struct ps_rule rule;
};

static inline struct ps_result *ps_slot_results(const struct ps_comparison *c, size_t slot)
{
    return c->results + slot * 2 * c->n_runs;
}

static inline double *ps_slot_values(const struct ps_comparison *c, size_t slot, size_t metric)
{
    return c->values + (slot * c->n_metrics + metric) * c->n_runs;
}

/*
 * Matches the same code at different paths: another checkout, another Python, another
 * site-packages. Classes that only one group has are matched by name and the end of their path, if
 * the end is unique in both groups. Longer ends are tried first.
 */

#define PARTS_MAX 4 /* parts of a path that are compared */

/* The last `parts` parts of a path; the complete path if it has fewer. */
static struct ps_str last_parts(struct ps_str path, int parts)
{
    size_t at = path.len;

    for (; at > 0; at--)
        if (ps_is_slash(path.ptr[at - 1]) && --parts == 0)
            break;
    return ps_str_skip(path, at);
}

/* Builds the key of a class: its name and the last `parts` parts of its path (0: the part of an
 * installed package). Backslashes become slashes. False: the path has no such part. */
static bool key_of(const struct ps_comparison *c, const struct ps_class_key *class, int parts,
                   struct ps_buf *out)
{
    struct ps_str place = c->texts.items[class->place];
    struct ps_str tail = parts ? last_parts(place, parts) : ps_python_installed_part(place);

    out->len = 0;
    if (!tail.ptr || !tail.len)
        return false;
    ps_buf_add(out, &class->word, sizeof class->word);
    ps_buf_add(out, &class->lines, sizeof class->lines);
    for (size_t i = 0; i < tail.len; i++)
        ps_buf_add(out, tail.ptr[i] == '\\' ? "/" : &tail.ptr[i], 1);
    return true;
}

enum side { NEITHER, BASE_ONLY, NOW_ONLY };

static enum side side_of(const struct ps_comparison *c, const struct ps_class *class)
{
    bool base = false, now = false;

    for (uint32_t i = 0; i < class->n; i++) {
        const struct ps_slot *slot = &c->slots[class->slots[i]];

        base |= slot->in_base > 0 && !slot->is_merged;
        now |= slot->in_now > 0 && !slot->is_merged;
    }
    return base == now ? NEITHER : base ? BASE_ONLY : NOW_ONLY;
}

/* Merges slot `from` of the new group into slot `to` of the base. */
static void merge_slot(struct ps_comparison *c, uint32_t to, uint32_t from)
{
    struct ps_slot *a = &c->slots[to], *b = &c->slots[from];

    a->base_place = a->place;
    a->place = b->place;
    a->line = b->line;
    a->id = b->id;
    a->cause = b->cause;
    a->in_now = b->in_now;
    a->samples[1] = b->samples[1];
    a->n_samples[1] = b->n_samples[1];
    a->n_sampled[1] = b->n_sampled[1];
    b->is_merged = true;
    for (size_t m = 0; m < c->n_metrics; m++)
        memcpy(ps_slot_values(c, to, m) + c->n_base, ps_slot_values(c, from, m) + c->n_base,
               c->n_new * sizeof *c->values);
    for (size_t k = 0; c->measures && k < 2; k++)
        memcpy(ps_slot_results(c, to) + k * c->n_runs + c->n_base,
               ps_slot_results(c, from) + k * c->n_runs + c->n_base, c->n_new * sizeof *c->results);
}

static struct ps_align_line *make_sequence(const struct ps_comparison *c,
                                           const struct ps_class *class)
{
    struct ps_align_line *out = ps_grow(NULL, class->n + 1, sizeof *out);

    for (uint32_t i = 0; i < class->n; i++)
        out[i] = (struct ps_align_line){c->slots[class->slots[i]].name,
                                        c->slots[class->slots[i]].last_line, class->slots[i]};
    return out;
}

static void merge_classes(struct ps_comparison *c, const struct ps_class *base,
                          const struct ps_class *now)
{
    struct ps_align_line *a = make_sequence(c, base), *b = make_sequence(c, now);
    uint32_t *match = ps_grow(NULL, (size_t)now->n + 1, sizeof *match);

    ps_align(a, base->n, b, now->n, match);
    for (uint32_t k = 0; k < now->n; k++)
        if (match[k] != PS_ALIGN_NONE)
            merge_slot(c, a[match[k]].id, b[k].id);
    free(a);
    free(b);
    free(match);
}

struct candidates {
    struct ps_intern keys;
    struct found {
        uint32_t class[2], n[2]; /* by group: base, new */
    } * items;
    size_t n, cap;
};

static void note_candidate(struct candidates *found, struct ps_str key, enum side side,
                           uint32_t class)
{
    uint32_t id = ps_intern_add(&found->keys, key);
    size_t k = side == NOW_ONLY;

    while (found->n <= id) {
        PS_RESERVE_ONE(found->items, found->n, found->cap);
        found->items[found->n++] = (struct found){.n = {0}};
    }
    found->items[id].class[k] = class;
    found->items[id].n[k]++;
}

/* Matches classes by the last `parts` parts of their paths. Returns whether both groups had
 * unmatched classes. */
static bool match_parts(struct ps_comparison *c, int parts)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    struct candidates found = {.n = 0};
    bool sides[3] = {false, false, false};

    for (uint32_t i = 0; i < c->n_classes; i++) {
        enum side side = side_of(c, &c->classes[i]);
        struct ps_class_key class;

        memcpy(&class, c->keys.items[i].ptr, sizeof class);
        sides[side] = true;
        if (side != NEITHER && class.place && key_of(c, &class, parts, &key))
            note_candidate(&found, ps_buf_slice(&key), side, i);
    }
    for (size_t i = 0; i < found.n && !ps_context_has_ended(); i++)
        if (found.items[i].n[0] == 1 && found.items[i].n[1] == 1)
            merge_classes(c, &c->classes[found.items[i].class[0]],
                          &c->classes[found.items[i].class[1]]);
    ps_intern_free(&found.keys);
    free(found.items);
    return sides[BASE_ONLY] && sides[NOW_ONLY];
}

/* Matches the remaining rows by name and the end of their path. */
static void match_ends_of_paths(struct ps_comparison *comparison)
{
    bool more = match_parts(comparison, 0);

    for (int parts = PARTS_MAX; parts > 0 && more; parts--)
        more = match_parts(comparison, parts);
}

struct ps_comparison *ps_comparison_new(size_t n_base, size_t n_new, size_t n_metrics)
{
    struct ps_comparison *c = ps_alloc(sizeof *c);

    c->n_base = n_base;
    c->n_new = n_new;
    c->n_runs = n_base + n_new;
    c->n_metrics = n_metrics;
    (void)ps_intern_add(&c->texts, PS_STR("")); /* "" has id 0 */
    return c;
}

void ps_comparison_divide(struct ps_comparison *c)
{
    c->divides = true;
}

void ps_comparison_measure(struct ps_comparison *c)
{
    c->measures = true;
}

void ps_comparison_pair(struct ps_comparison *c, const uint32_t *pairs)
{
    c->has_pairs = true;
    memcpy(c->pairs, pairs, c->n_base * sizeof *pairs);
}

void ps_comparison_cut(struct ps_comparison *c, size_t run)
{
    c->is_cut[run] = true;
}

void ps_comparison_match_paths(struct ps_comparison *c)
{
    c->has_paths = true;
}

void ps_comparison_free(struct ps_comparison *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_classes; i++)
        free(c->classes[i].slots);
    ps_intern_free(&c->texts);
    ps_intern_free(&c->keys);
    ps_arena_free(&c->arena);
    free(c->classes);
    free(c->pending_classes);
    free(c->pending);
    free(c->slots);
    free(c->values);
    free(c->rows);
    free(c->first_metric);
    free(c->slot_of);
    free(c->results);
    free(c->verdicts);
    free(c);
}

/* --- Collecting samples of a run --- */

static uint32_t text_id(struct ps_comparison *c, struct ps_str text)
{
    return text.len ? ps_intern_add(&c->texts, text) : 0;
}

static struct ps_class *class_of(struct ps_comparison *c, const struct ps_compare_input *row,
                                 const struct ps_slot *slot)
{
    bool lines = row->function.ptr != NULL;
    struct ps_class_key key = {slot->place, lines ? slot->function : slot->name, lines};
    uint32_t id = ps_intern_add(&c->keys, (struct ps_str){(const char *)&key, sizeof key});

    while (c->n_classes <= id) {
        PS_RESERVE_ONE(c->classes, c->n_classes, c->cap_classes);
        c->classes[c->n_classes++] = (struct ps_class){.slots = NULL};
    }
    if (!c->classes[id].pending) {
        PS_RESERVE_ONE(c->pending_classes, c->n_pending_classes, c->cap_pending_classes);
        c->pending_classes[c->n_pending_classes++] = id;
    }
    return &c->classes[id];
}

static double or_zero(double value)
{
    return isfinite(value) ? value : 0;
}

/* Copies the samples of a row. If those of all runs of a group could be more than PS_GROUP_MAX,
 * keeps as many as fit, at equal distances. */
static void keep_samples(struct ps_comparison *c, const struct ps_compare_input *row,
                         struct ps_slot *slot)
{
    int side = c->run >= c->n_base;
    size_t room = PS_GROUP_MAX / (side ? c->n_new : c->n_base ? c->n_base : 1);
    size_t n = row->n_samples < room ? row->n_samples : room;
    double *copy;

    if (n == 0 || !c->measures)
        return;
    copy = ps_arena_alloc(&c->arena, n * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = or_zero(row->samples[i * row->n_samples / n]);
    slot->samples[side] = copy;
    slot->n_samples[side] = (uint32_t)n;
}

/* Adds the samples of a run to those of the other runs of its group. */
static void pool_samples(struct ps_comparison *c, struct ps_slot *slot, const struct ps_slot *from,
                         int side)
{
    const size_t n = slot->n_samples[side], more = from->n_samples[side];
    double *all;

    if (more == 0)
        return;
    all = ps_arena_alloc(&c->arena, (n + more) * sizeof *all);
    if (n)
        memcpy(all, slot->samples[side], n * sizeof *all);
    memcpy(all + n, from->samples[side], more * sizeof *all);
    slot->samples[side] = all;
    slot->n_samples[side] = (uint32_t)(n + more);
    slot->n_sampled[side]++;
}

static void end_run(struct ps_comparison *c);

void ps_comparison_add(struct ps_comparison *c, size_t run, const struct ps_compare_input *row)
{
    struct ps_pending pending = {.slot = {.name = text_id(c, row->name),
                                          .place = text_id(c, row->place),
                                          .function = text_id(c, row->function),
                                          .cause = text_id(c, row->cause),
                                          .line = row->line,
                                          .id = row->id,
                                          .resolution = row->resolution,
                                          .is_part = row->is_part,
                                          .has_failed = row->has_failed,
                                          .better = row->better},
                                 .results = {row->measured, row->stated}};
    struct ps_class *class;

    if (run != c->run)
        end_run(c);
    c->run = run;
    for (size_t i = 0; i < c->n_metrics; i++)
        pending.values[i] = isinf(row->values[i]) && !c->measures ? 0 : row->values[i];
    keep_samples(c, row, &pending.slot);
    class = class_of(c, row, &pending.slot);
    pending.next = class->pending;
    pending.order = (uint32_t)c->n_pending;
    PS_RESERVE_ONE(c->pending, c->n_pending, c->cap_pending);
    c->pending[c->n_pending++] = pending;
    class->pending = (uint32_t)c->n_pending;
}

/* --- Merging a run into the rows --- */

static uint32_t new_slot(struct ps_comparison *c, const struct ps_pending *from)
{
    size_t n_values = c->n_metrics * c->n_runs;

    PS_RESERVE_ONE(c->slots, c->n_slots, c->cap_slots);
    if (c->cap_values < c->cap_slots) {
        c->values = ps_grow(c->values, c->cap_slots, n_values * sizeof *c->values);
        if (c->measures)
            c->results = ps_grow(c->results, c->cap_slots, 2 * c->n_runs * sizeof *c->results);
        c->cap_values = c->cap_slots;
    }
    for (size_t i = 0; i < n_values; i++)
        c->values[c->n_slots * n_values + i] =
            c->measures || c->is_cut[i % c->n_runs] ? (double)NAN : 0;
    for (size_t i = 0; c->measures && i < 2 * c->n_runs; i++)
        ps_slot_results(c, c->n_slots)[i] = (struct ps_result){NAN, NAN, 0, NAN};
    c->slots[c->n_slots] = (struct ps_slot){
        .name = from->slot.name, .place = from->slot.place, .function = from->slot.function};
    return (uint32_t)c->n_slots++;
}

static void fill_slot(struct ps_comparison *c, uint32_t at, const struct ps_pending *from)
{
    struct ps_slot *slot = &c->slots[at];
    int side = c->run >= c->n_base;

    slot->last_line = from->slot.line;
    if (side == 0) {
        slot->in_base++;
        slot->base_line = from->slot.line;
        slot->base_id = from->slot.id;
        slot->base_cause = from->slot.cause;
    } else {
        slot->in_now++;
        slot->line = from->slot.line;
        slot->id = from->slot.id;
        slot->cause = from->slot.cause;
    }
    pool_samples(c, slot, &from->slot, side);
    slot->resolution = fmax(slot->resolution, from->slot.resolution);
    slot->is_part = from->slot.is_part;
    slot->has_failed |= from->slot.has_failed;
    slot->better = from->slot.better;
    for (size_t k = 0; c->measures && k < 2; k++)
        ps_slot_results(c, at)[k * c->n_runs + c->run] = from->results[k];
    for (size_t m = 0; m < c->n_metrics; m++) {
        double *value = &ps_slot_values(c, at, m)[c->run];

        *value = isnan(*value) ? from->values[m] : *value + from->values[m];
    }
}

static int by_line(const void *a, const void *b)
{
    const struct ps_pending *x = *(struct ps_pending *const *)a,
                            *y = *(struct ps_pending *const *)b;

    if (x->slot.line != y->slot.line)
        return x->slot.line < y->slot.line ? -1 : 1;
    if (x->slot.name != y->slot.name)
        return x->slot.name < y->slot.name ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Collects the pending rows of a class, sorted by line; rows with equal line and name are summed.
 */
static size_t collect_pending(struct ps_comparison *c, const struct ps_class *class,
                              struct ps_pending ***list)
{
    size_t n = 0, cap = 0, kept = 0;

    for (uint32_t at = class->pending; at; at = c->pending[at - 1].next) {
        PS_RESERVE_ONE(*list, n, cap);
        (*list)[n++] = &c->pending[at - 1];
    }
    if (n > 1)
        qsort(*list, n, sizeof **list, by_line);
    for (size_t i = 1; i < n; i++) {
        struct ps_pending *last = (*list)[kept], *next = (*list)[i];

        if (last->slot.line != next->slot.line || last->slot.name != next->slot.name) {
            (*list)[++kept] = next;
            continue;
        }
        for (size_t m = 0; m < c->n_metrics; m++)
            last->values[m] += next->values[m];
    }
    return n ? kept + 1 : 0;
}

static void push_slot(struct ps_class *class, uint32_t slot)
{
    PS_RESERVE_ONE(class->slots, class->n, class->cap);
    class->slots[class->n++] = slot;
}

/* Adds the rows of a run to the slots that they match; the others get new slots, in order. */
static void join_rows(struct ps_comparison *c, struct ps_class *class, struct ps_pending **list,
                      size_t n)
{
    struct ps_class old = *class;
    struct ps_align_line *a = ps_grow(NULL, old.n + 1, sizeof *a),
                         *b = ps_grow(NULL, n + 1, sizeof *b);
    uint32_t *match = ps_grow(NULL, n + 1, sizeof *match), done = 0;

    for (uint32_t i = 0; i < old.n; i++)
        a[i] = (struct ps_align_line){c->slots[old.slots[i]].name, c->slots[old.slots[i]].last_line,
                                      old.slots[i]};
    for (size_t k = 0; k < n; k++)
        b[k] = (struct ps_align_line){list[k]->slot.name, list[k]->slot.line, 0};
    ps_align(a, old.n, b, n, match);
    *class = (struct ps_class){.slots = NULL};
    for (size_t k = 0; k < n; k++) {
        bool known = match[k] != PS_ALIGN_NONE;

        while (known && done <= match[k])
            push_slot(class, old.slots[done++]);
        if (!known)
            push_slot(class, new_slot(c, list[k]));
        fill_slot(c, class->slots[class->n - 1], list[k]);
    }
    while (done < old.n)
        push_slot(class, old.slots[done++]);
    free(old.slots);
    free(a);
    free(b);
    free(match);
}

static void end_class(struct ps_comparison *c, struct ps_class *class)
{
    struct ps_pending *only = &c->pending[class->pending - 1], **list = NULL;

    if (ps_context_has_ended()) {
        class->pending = 0;
        return;
    }
    if (!only->next && class->n == 0)
        push_slot(class, new_slot(c, only));
    if (!only->next && class->n == 1 && c->slots[class->slots[0]].name == only->slot.name) {
        fill_slot(c, class->slots[0], only);
    } else {
        size_t n = collect_pending(c, class, &list);

        join_rows(c, class, list, n);
    }
    free(list);
    class->pending = 0;
}

static void end_run(struct ps_comparison *c)
{
    for (size_t i = 0; i < c->n_pending_classes; i++)
        end_class(c, &c->classes[c->pending_classes[i]]);
    c->n_pending_classes = 0;
    c->n_pending = 0;
}

/* --- Judging the rows --- */

/* Copies the values that are known, and returns their number. */
static size_t copy_known(const double *values, size_t n, double out[PS_GROUP_MAX])
{
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            out[known++] = values[i];
    return known;
}

/* Median of the known values; NAN: none is known. */
static double median_of(const double *values, size_t n)
{
    double known[PS_GROUP_MAX];
    size_t n_known = copy_known(values, n, known);

    return n_known ? ps_group_median(known, n_known) : (double)NAN;
}

/* Divides the values of a slot. */
static void divide_slot(struct ps_comparison *c, size_t slot)
{
    const size_t half = c->n_metrics / 2;

    for (size_t m = 0; m < half; m++) {
        double *values = ps_slot_values(c, slot, m), *by = ps_slot_values(c, slot, half + m);

        for (size_t i = 0; i < c->n_runs; i++)
            values[i] = by[i] > 0 ? values[i] / by[i] : (double)NAN;
    }
}

/* Uses what the tools state in rows of which a run has no value, one statistic for all runs, and
 * for a single group. */
static void replace_slot(struct ps_comparison *c, size_t slot)
{
    const size_t half = c->n_metrics / 2;

    for (size_t m = 0; m < half; m++) {
        double *values = ps_slot_values(c, slot, m), *stated = ps_slot_values(c, slot, half + m);
        bool lacks = c->n_base == 0;

        for (size_t i = 0; i < c->n_runs; i++)
            lacks |= isnan(values[i]) && !isnan(stated[i]);
        if (lacks)
            memcpy(values, stated, c->n_runs * sizeof *values);
    }
}

static bool is_group_cut(const struct ps_comparison *c, size_t from, size_t n)
{
    size_t n_cut = 0;

    for (size_t i = 0; i < n; i++)
        n_cut += c->is_cut[from + i];
    return n_cut == n;
}

static enum ps_row_change change_of(const struct ps_comparison *c, const struct ps_slot *slot)
{
    if (!slot->in_base)
        return is_group_cut(c, 0, c->n_base) ? PS_CHANGE_UNLISTED : PS_CHANGE_ADDED;
    if (!slot->in_now)
        return is_group_cut(c, c->n_base, c->n_new) ? PS_CHANGE_UNLISTED : PS_CHANGE_REMOVED;
    if (slot->has_failed)
        return PS_CHANGE_FAILED;
    return slot->base_line != slot->line || slot->base_cause != slot->cause ? PS_CHANGE_MOVED
                                                                            : PS_CHANGE_NONE;
}

static void make_row(const struct ps_comparison *c, size_t at, struct ps_comparison_row *row)
{
    const struct ps_slot *slot = &c->slots[at];
    const struct ps_str *texts = c->texts.items;

    *row = (struct ps_comparison_row){.name = texts[slot->name],
                                      .place = texts[slot->place],
                                      .base_place = texts[slot->base_place],
                                      .function = texts[slot->function],
                                      .base_line = slot->base_line,
                                      .line = slot->line,
                                      .base_id = slot->base_id,
                                      .new_id = slot->id,
                                      .base_cause = texts[slot->base_cause],
                                      .cause = texts[slot->cause],
                                      .change = c->n_base ? change_of(c, slot) : PS_CHANGE_NONE,
                                      .in_base = slot->in_base,
                                      .in_new = slot->in_now,
                                      .is_part = slot->is_part,
                                      .better = slot->better,
                                      .seen_pct = NAN};
    for (size_t m = 0; m < c->n_metrics; m++) {
        row->base_medians[m] = c->n_base == 0 ? 0 : median_of(ps_slot_values(c, at, m), c->n_base);
        row->new_medians[m] = median_of(ps_slot_values(c, at, m) + c->n_base, c->n_new);
    }
}

/* --- Measurements --- */

/* Whether the samples of a row are shown in place of the values of its runs: each run has some, and
 * the runs alone are few. */
static bool shows_samples(const struct ps_comparison *c, const struct ps_slot *slot)
{
    const bool all = slot->n_sampled[0] == c->n_base && slot->n_sampled[1] == c->n_new;

    return all && c->n_base && slot->n_samples[0] > 1 && slot->n_samples[1] > 1 &&
           ps_rank_sum_min_p(c->n_base, c->n_new) >= PS_JUDGE_P_MIN;
}

/* Whether each run that has the result has it with its spread. */
static bool has_spread(const struct ps_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isnan(results[i].center) && isnan(results[i].variance))
            return false;
    return true;
}

/* The results by which a row is judged: what was measured, but what the tools state if a run has
 * only that, or if only that has a spread. */
static const struct ps_result *choose_results(const struct ps_comparison *c, size_t slot)
{
    const struct ps_result *measured = ps_slot_results(c, slot), *stated = measured + c->n_runs;
    bool is_lacking = false;

    for (size_t i = 0; i < c->n_runs; i++)
        is_lacking |= isnan(measured[i].center) && !isnan(stated[i].center);
    return is_lacking || (!has_spread(measured, c->n_runs) && has_spread(stated, c->n_runs))
               ? stated
               : measured;
}

static enum ps_row_basis basis_of(const struct ps_comparison *c, const struct ps_slot *slot,
                                  const struct ps_result *results)
{
    if (c->has_pairs && c->n_base > 1)
        return PS_BASIS_PAIRS;
    if (c->n_base > 1 || c->n_new > 1)
        return PS_BASIS_FILES;
    if (!has_spread(results, c->n_runs))
        return PS_BASIS_NONE;
    return slot->n_sampled[0] && slot->n_sampled[1] ? PS_BASIS_SAMPLES : PS_BASIS_SUMMARY;
}

/* The change of a value that belongs to a shift of results.h. */
static double change_of_shift(const struct ps_comparison_row *row, double shift)
{
    const double base = row->judgement.base_median, now = row->judgement.new_median;

    return base > 0 && now > 0 ? base * expm1(shift) : fmax(fabs(base), fabs(now)) * shift;
}

static void set_judgement(struct ps_comparison *c, size_t index,
                          const struct ps_result_verdict *verdict)
{
    const struct ps_slot *slot = &c->slots[c->slot_of[index]];
    const double *values = c->first_metric + index * c->n_runs;
    struct ps_comparison_row *row = &c->rows[index];
    struct ps_judgement *out = &row->judgement;

    out->noise = change_of_shift(row, verdict->noise);
    out->p_value = verdict->p_value;
    out->base_mad = ps_group_mad(values, c->n_base, out->base_median);
    out->new_mad = ps_group_mad(values + c->n_base, c->n_new, out->new_median);
    out->verdict = verdict->verdict;
    if (out->verdict >= PS_VERDICT_UP &&
        (verdict->shift * out->delta <= 0 || fabs(out->delta) <= slot->resolution))
        out->verdict = PS_VERDICT_SAME;
    if (row->change == PS_CHANGE_FAILED && row->better * out->delta > 0 &&
        out->verdict >= PS_VERDICT_UP)
        out->verdict = PS_VERDICT_NONE;
    row->seen_pct = out->base_median > 0 ? 100 * expm1(verdict->seen) : (double)NAN;
}

/* Returns the number of the family of each row. The main metrics in one unit are a family; the
 * further metrics in that unit are another one. */
static uint32_t *number_families(const struct ps_comparison *c)
{
    uint32_t *families = ps_grow(NULL, c->n_rows + 1, sizeof *families);
    PS_AUTO(ps_free_ptr)
    uint32_t *of_place = ps_alloc_array(2 * (size_t)c->texts.count + 2, sizeof *of_place);
    uint32_t n = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        uint32_t *family = &of_place[2 * c->slots[c->slot_of[i]].place + c->rows[i].is_part];

        if (!*family)
            *family = ++n;
        families[i] = *family - 1;
    }
    return families;
}

static void judge_measurements(struct ps_comparison *c)
{
    PS_AUTO(ps_free_ptr) struct ps_result_row *rows = ps_grow(NULL, c->n_rows + 1, sizeof *rows);
    PS_AUTO(ps_free_ptr) uint32_t *families = number_families(c);

    c->verdicts = ps_alloc_array(c->n_rows + 1, sizeof *c->verdicts);
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct ps_slot *slot = &c->slots[c->slot_of[i]];

        rows[i] = (struct ps_result_row){.files = choose_results(c, c->slot_of[i]),
                                         .family = families[i],
                                         .resolution = slot->resolution};
        c->rows[i].basis = basis_of(c, slot, rows[i].files);
        c->rows[i].judgement =
            (struct ps_judgement){.base_median = c->rows[i].base_medians[0],
                                  .new_median = c->rows[i].new_medians[0],
                                  .delta = c->rows[i].new_medians[0] - c->rows[i].base_medians[0],
                                  .noise = NAN,
                                  .p_value = NAN};
    }
    ps_results_judge(rows, c->n_rows, c->n_base, c->n_new, c->has_pairs ? c->pairs : NULL,
                     c->verdicts);
    for (size_t i = 0; i < c->n_rows; i++)
        set_judgement(c, i, &c->verdicts[i]);
}

static void set_shares(struct ps_comparison *c)
{
    double sum = 0;

    for (size_t i = 0; i < c->n_rows; i++)
        sum += isnan(c->rows[i].judgement.delta) ? 0 : fabs(c->rows[i].judgement.delta);
    for (size_t i = 0; i < c->n_rows; i++)
        c->rows[i].share_pct = c->measures ? (double)NAN
                               : sum > 0   ? 100 * c->rows[i].judgement.delta / sum
                                           : 0;
}

/* Describes a single group: there is no other group to compare with. */
static void describe_rows(struct ps_comparison *c)
{
    for (size_t i = 0; i < c->n_rows; i++) {
        double median = c->rows[i].new_medians[0], known[PS_GROUP_MAX];
        size_t n = copy_known(c->first_metric + i * c->n_runs, c->n_runs, known);

        c->rows[i].judgement =
            (struct ps_judgement){.new_median = median,
                                  .delta = median,
                                  .new_mad = n ? ps_group_mad(known, n, median) : (double)NAN,
                                  .noise = NAN,
                                  .p_value = NAN};
    }
}

/* Replaces the unknown values of a row for the judge, which needs finite ones: by the median of
 * their group, or else of the other group. Returns whether all are known. */
static bool fill_unknown(const struct ps_comparison *c, size_t row, double *values)
{
    const double base = c->rows[row].base_medians[0], now = c->rows[row].new_medians[0];
    bool known = true;

    for (size_t i = 0; i < c->n_runs; i++) {
        if (!isnan(values[i]))
            continue;
        known = false;
        values[i] = i < c->n_base ? base : now;
        values[i] = !isnan(values[i]) ? values[i] : isnan(base) ? now : base;
        values[i] = or_zero(values[i]);
    }
    return known;
}

/* Rows with unknown values have a difference of the known ones, and no verdict. */
static void judge_known(struct ps_comparison *c, double resolution, struct ps_judgement *judged)
{
    const size_t n = c->n_rows * c->n_runs;
    PS_AUTO(ps_free_ptr) double *values = ps_grow(NULL, n + 1, sizeof *values);
    PS_AUTO(ps_free_ptr) bool *is_known = ps_alloc_array(c->n_rows + 1, sizeof *is_known);

    memcpy(values, c->first_metric, n * sizeof *values);
    for (size_t i = 0; i < c->n_rows; i++)
        is_known[i] = fill_unknown(c, i, values + i * c->n_runs);
    ps_judge_rows(values, c->n_rows, c->n_base, c->n_new, resolution, judged, &c->rule);
    for (size_t i = 0; i < c->n_rows; i++)
        if (is_known[i] && judged[i].verdict >= PS_VERDICT_UP &&
            fabs(judged[i].delta) <= c->slots[c->slot_of[i]].resolution)
            judged[i].verdict = PS_VERDICT_SAME; /* printed with fewer digits than the others */
    for (size_t i = 0; i < c->n_rows; i++)
        if (!is_known[i])
            judged[i] = (struct ps_judgement){.base_median = c->rows[i].base_medians[0],
                                              .new_median = c->rows[i].new_medians[0],
                                              .delta = c->rows[i].new_medians[0] -
                                                       c->rows[i].base_medians[0],
                                              .noise = NAN,
                                              .p_value = NAN};
}

static void judge_rows(struct ps_comparison *c, double resolution)
{
    PS_AUTO(ps_free_ptr) struct ps_judgement *judged = ps_grow(NULL, c->n_rows + 1, sizeof *judged);

    judge_known(c, resolution, judged);
    for (size_t i = 0; i < c->n_rows; i++)
        c->rows[i].judgement = judged[i];
}

void ps_comparison_judge(struct ps_comparison *c, double resolution)
{
    end_run(c);
    if (c->has_paths)
        match_ends_of_paths(c);
    c->rows = ps_grow(NULL, c->n_slots + 1, sizeof *c->rows);
    c->slot_of = ps_grow(NULL, c->n_slots + 1, sizeof *c->slot_of);
    c->first_metric = ps_grow(NULL, c->n_slots + 1, c->n_runs * sizeof *c->first_metric);
    for (size_t i = 0; i < c->n_slots; i++) {
        if (c->slots[i].is_merged)
            continue;
        if (c->divides)
            divide_slot(c, i);
        if (c->measures)
            replace_slot(c, i);
        make_row(c, i, &c->rows[c->n_rows]);
        c->slot_of[c->n_rows] = (uint32_t)i;
        memcpy(c->first_metric + c->n_rows * c->n_runs, ps_slot_values(c, i, 0),
               c->n_runs * sizeof *c->first_metric);
        c->n_rows++;
        c->rows[c->n_rows - 1].id = (uint32_t)c->n_rows;
    }
    if (c->n_base && c->measures)
        judge_measurements(c);
    else if (c->n_base)
        judge_rows(c, resolution);
    else
        describe_rows(c);
    set_shares(c);
    free(c->values); /* only the medians of the other metrics are needed now */
    c->values = NULL;
    c->cap_values = 0;
}

const struct ps_comparison_row *ps_comparison_rows(const struct ps_comparison *c, size_t *n)
{
    *n = c->n_rows;
    return c->rows;
}

struct ps_rule ps_comparison_rule(const struct ps_comparison *c)
{
    return c->rule;
}

const double *ps_comparison_values(const struct ps_comparison *c, uint32_t id, size_t *n_base,
                                   const double **now, size_t *n_new)
{
    const struct ps_slot *slot = &c->slots[c->slot_of[id - 1]];
    const double *values = c->first_metric + (size_t)(id - 1) * c->n_runs;

    if (c->measures && shows_samples(c, slot)) {
        *n_base = slot->n_samples[0];
        *n_new = slot->n_samples[1];
        *now = slot->samples[1];
        return slot->samples[0];
    }
    *n_base = c->n_base;
    *n_new = c->n_new;
    *now = values + c->n_base;
    return values;
}

/* The interval of a row of measurements. It is computed for the difference of trimmed means, and
 * the page shows the difference of medians. If samples have two modes, the latter may be outside of
 * the interval: then the interval is widened to contain it. */
static bool find_interval(const struct ps_comparison *c, size_t index, double *low, double *high)
{
    const struct ps_comparison_row *row = &c->rows[index];
    const struct ps_result_verdict *verdict = &c->verdicts[index];

    if (isnan(verdict->p_value))
        return false;
    *low = change_of_shift(row, verdict->shift - verdict->half);
    *high = change_of_shift(row, verdict->shift + verdict->half);
    if (!isnan(row->judgement.delta)) {
        *low = fmin(*low, row->judgement.delta);
        *high = fmax(*high, row->judgement.delta);
    }
    return true;
}

bool ps_comparison_interval(const struct ps_comparison *c, uint32_t id, double *low, double *high)
{
    size_t n, m;
    const double *now, *base = ps_comparison_values(c, id, &n, &now, &m);
    double known[PS_GROUP_MAX];

    if (c->measures && c->n_base)
        return find_interval(c, id - 1, low, high);
    if (copy_known(base, n, known) < n || copy_known(now, m, known) < m)
        return false;
    return ps_shift_interval(base, n, now, m, PS_JUDGE_CONFIDENCE, low, high);
}

size_t ps_comparison_bytes(const struct ps_comparison *c)
{
    return c->n_rows *
               (sizeof *c->rows + c->n_runs * sizeof *c->first_metric + sizeof *c->slot_of) +
           c->cap_slots * sizeof *c->slots + c->cap_pending * sizeof *c->pending +
           (c->measures ? c->cap_slots * 2 * c->n_runs * sizeof *c->results +
                              c->n_rows * sizeof *c->verdicts
                        : 0) +
           c->n_classes * (sizeof *c->classes + 32) + c->texts.arena.allocated_bytes +
           c->keys.arena.allocated_bytes + c->arena.allocated_bytes;
}
