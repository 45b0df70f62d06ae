/* SPDX-License-Identifier: MIT */
/*
 * pprof_write.c: writes a pprof profile to the sink.
 *
 * The samples have no order of time. So the samples of a track, which is a sample type, a thread
 * and a set of labels, are sorted by their stacks and merged: a track has one slice for each node
 * of its call tree. Values below 0 have tracks of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "importers/records/run.h"
#include "importers/records/stacks.h"
#include "importers/stacks/pprof.h"
#include "importers/text/clean.h"

#define SUM_MAX    (INT64_MAX / 8) /* of the weights of a sample type */
#define TRACKS_MAX 60000
#define FEW_ITEMS  16384 /* that qsort sorts sooner */
/* Labels divide a tree of more nodes only if it grows by less than a quarter. */
#define DIVIDED_NODES_MAX 4000000
/* A label that is a number with more values is a quantity, such as the size of a block. */
#define NUMBERS_MAX 16

/* What the values of a column measure. */
struct measure {
    struct ps_str name, unit; /* as the run has them */
    bool is_time, is_count;
    int64_t factor;  /* value * factor / divisor is the weight */
    int64_t divisor; /* above 1 if the sum of the weights is too large */
    double scale;    /* weight / scale is a value in `unit` */
    size_t column;   /* whose values it has */
    bool is_computed;
    __int128 positive, negative; /* sums of the weights without the divisor */
};

/* A value, and where it belongs: (set << 32 | node of its stack). */
struct placed {
    uint64_t place;
    int64_t value;
};

struct writer {
    struct pprof *p;
    struct st_stacks stacks;
    struct measure measures[PPROF_TYPES_MAX + 1];
    size_t n_measures, chosen; /* chosen: the default */
    struct pprof_nodes tree;   /* of frames */
    uint32_t *path;            /* frames of the current stack of a walk, the root first */
    uint32_t *path_nodes;      /* its nodes, which ascend */
    size_t cap_path, cap_path_nodes;
    uint32_t n_path, path_end; /* path_end: the innermost one */
    uint32_t no_frame;         /* id of the frame of empty stacks */
    struct st_emitter *emitter;
    int64_t span;                            /* of the longest track of the default */
    struct ps_str *track_names, *track_tids; /* [set] */
    uint32_t *track_process;
    uint32_t *set_of_track; /* [track] */
    size_t cap_set_of_track;
    struct ps_arena arena;
};

static void writer_free(struct writer *w)
{
    st_free(&w->stacks);
    pprof_nodes_free(&w->tree);
    free(w->path);
    free(w->path_nodes);
    free(w->track_names);
    free(w->track_tids);
    free(w->track_process);
    free(w->set_of_track);
    ps_arena_free(&w->arena);
}

/* A string of the file as valid text. */
static struct ps_str clean_string(struct writer *w, int64_t index)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_clean_text(&text, ps_truncate_text(pprof_string(w->p, index), 1000));
    return ps_arena_copy(&w->arena, ps_buf_slice(&text));
}

/* --- What is measured --- */

static bool is_lower_word(struct ps_str text, const char *word)
{
    if (text.len != strlen(word))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? text.ptr[i] | 32 : text.ptr[i]) != word[i])
            return false;
    return true;
}

/* Reads a unit of memory: the number of bytes; 0: it is none. */
static int64_t bytes_of_unit(struct ps_str unit)
{
    static const struct {
        const char *word;
        int64_t bytes;
    } units[] = {
        {"byte", 1},
        {"bytes", 1},
        {"b", 1},
        {"kilobyte", 1 << 10},
        {"kilobytes", 1 << 10},
        {"kb", 1 << 10},
        {"kib", 1 << 10},
        {"megabyte", 1 << 20},
        {"megabytes", 1 << 20},
        {"mb", 1 << 20},
        {"mib", 1 << 20},
        {"gigabyte", 1 << 30},
        {"gigabytes", 1 << 30},
        {"gb", 1 << 30},
        {"gib", 1 << 30},
    };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is_lower_word(unit, units[i].word))
            return units[i].bytes;
    return 0;
}

static bool is_count_unit(struct ps_str unit)
{
    return !unit.len || is_lower_word(unit, "count") || is_lower_word(unit, "counts") ||
           is_lower_word(unit, "samples") || is_lower_word(unit, "none");
}

/* What a sample type counts, in the plural: "objects" of "inuse_objects", "goroutines" of
 * "goroutine". */
static struct ps_str noun_of_count(struct ps_str name)
{
    static const struct {
        const char *singular, *plural;
    } nouns[] = {
        {"object", "objects"},       {"goroutine", "goroutines"},   {"allocation", "allocations"},
        {"thread", "threads"},       {"contention", "contentions"}, {"event", "events"},
        {"exception", "exceptions"},
    };
    struct ps_str word = name;

    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '_' || name.ptr[i - 1] == '-') {
            word = ps_str_skip(name, i);
            break;
        }
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (is_lower_word(word, nouns[i].singular) || is_lower_word(word, nouns[i].plural))
            return ps_str_from_c(nouns[i].plural);
    return name;
}

/* Sets unit, factor and scale from the unit of the file. */
static void set_unit(struct measure *m, struct ps_str unit)
{
    static const int64_t ns[] = {[0] = 1, [3] = 1000, [6] = 1000000, [9] = 1000000000};
    enum st_unit known;
    int power;

    m->factor = m->divisor = 1;
    m->scale = 1;
    m->is_count = is_count_unit(unit);
    if (m->is_count) {
        m->unit = is_lower_word(m->name, "sample") || !m->name.len ? PS_STR("samples")
                                                                   : noun_of_count(m->name);
    } else if (bytes_of_unit(unit)) {
        m->factor = bytes_of_unit(unit);
        m->unit = PS_STR("B");
    } else if (st_parse_unit(unit, &known, &power) && known == ST_TIME) {
        m->is_time = true;
        m->factor = ns[power];
        m->scale = 1e9;
        m->unit = PS_STR("s");
    } else {
        m->unit = unit;
    }
    m->unit = ps_truncate_text(m->unit, 60);
}

/* Makes the name of a measure different from those before it: by its unit, then by a number. */
static void name_measure(struct writer *w, struct measure *m, struct ps_str unit)
{
    struct ps_str name = m->name.len ? m->name : unit.len ? unit : PS_STR("samples");
    unsigned number = 1;

    m->name = name;
    for (size_t i = 0; i < w->n_measures;) {
        if (!ps_str_eq(w->measures[i].name, m->name)) {
            i++;
            continue;
        }
        m->name =
            ps_str_from_c(number == 1 ? ps_arena_printf(&w->arena, "%.*s (%.*s)", (int)name.len,
                                                        name.ptr, (int)unit.len, unit.ptr)
                                      : ps_arena_printf(&w->arena, "%.*s (%.*s) %u", (int)name.len,
                                                        name.ptr, (int)unit.len, unit.ptr, number));
        number++;
        i = 0;
    }
}

/* Chooses the divisor of weights, so that their sum fits. */
static void limit_sum(struct measure *m)
{
    const __int128 sum = m->positive - m->negative;

    while (sum / m->divisor > SUM_MAX) {
        m->divisor *= 10;
        m->scale /= 10;
    }
}

static void add_measure(struct writer *w, size_t column, struct pprof_type type, int64_t factor)
{
    const struct pprof_column *c = &w->p->columns[column];
    const struct ps_str unit = clean_string(w, type.unit);
    struct measure *m = &w->measures[w->n_measures];

    *m = (struct measure){.column = column, .name = clean_string(w, type.name)};
    set_unit(m, unit);
    name_measure(w, m, unit);
    if (factor) {
        m->is_computed = true;
        m->factor *= factor;
    }
    m->positive = c->positive * m->factor;
    m->negative = c->negative * m->factor;
    limit_sum(m);
    w->n_measures++;
}

/* Period of a sampler in units of its type; 0: unknown, or so large that products might not fit. */
static int64_t usable_period(const struct pprof *p)
{
    return p->period > 0 && p->period < INT64_C(4000000000) ? p->period : 0;
}

static void read_measures(struct writer *w)
{
    struct pprof *p = w->p;
    struct measure period = {.name = PS_STR("")};
    bool only_counts = true;

    for (size_t c = 0; c < p->n_types; c++) {
        add_measure(w, c, p->types[c], 0);
        only_counts &= w->measures[c].is_count;
    }
    set_unit(&period, clean_string(w, p->period_type.unit));
    if (only_counts && period.is_time && usable_period(p))
        add_measure(w, 0, p->period_type, usable_period(p));
}

static bool is_zero(const struct writer *w, size_t measure)
{
    return !w->p->columns[w->measures[measure].column].samples;
}

/* Whether a time is that of a clock, which counts waiting too: "wall-time" of ddtrace. */
static bool is_wall(const struct measure *m)
{
    return m->is_time && ps_str_find(m->name, PS_STR("wall"));
}

/* Chooses the default: that of the file, else the first time of a clock, else the first time, else
 * the last of all, as pprof does, each if it is not 0 everywhere. */
static void choose_default(struct writer *w)
{
    struct pprof *p = w->p;
    size_t stated = w->n_measures, time = w->n_measures, any = w->n_measures;
    bool has_wall = false;

    for (size_t i = w->n_measures; i-- > 0;) {
        const struct measure *m = &w->measures[i];

        if (p->default_type && !m->is_computed && p->types[i].name == p->default_type)
            stated = i;
        if (!is_zero(w, i)) {
            time = m->is_time && (!has_wall || is_wall(m)) ? i : time;
            has_wall |= is_wall(m);
            any = any < w->n_measures ? any : i;
        }
    }
    w->chosen = time < w->n_measures ? time : any < w->n_measures ? any : 0;
    if (stated < w->n_measures && !is_zero(w, stated))
        w->chosen = stated;
    else if (stated < w->n_measures && any < w->n_measures)
        ps_sink_note(p->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "the file shows %.*s by default, which is 0 in all samples: %.*s is shown",
                     (int)w->measures[stated].name.len, w->measures[stated].name.ptr,
                     (int)w->measures[w->chosen].name.len, w->measures[w->chosen].name.ptr);
}

/* --- Labels --- */

/* The letters of a key, in lower case: "Thread ID" and "thread_id" are the same. */
static void simplify_key(struct ps_str key, char out[32])
{
    size_t n = 0;

    for (size_t i = 0; i < key.len && n < 31; i++) {
        const char c =
            key.ptr[i] >= 'A' && key.ptr[i] <= 'Z' ? (char)(key.ptr[i] | 32) : key.ptr[i];

        if (c != ' ' && c != '_' && c != '-' && c != '.')
            out[n++] = c;
    }
    out[n] = '\0';
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static const char *const names_of_threads[] = {"threadname", "thread", NULL};
static const char *const ids_of_threads[] = {"threadid", "tid", "osthreadid", "threadnativeid",
                                             NULL};
static const char *const ids_of_processes[] = {"processid", "pid", NULL};

/* Whether a key says when or in which request a sample was taken: nearly each has its own value. */
static bool is_moment(const char *key, struct ps_str unit)
{
    return strstr(key, "timestamp") || strstr(key, "spanid") || strstr(key, "traceid") ||
           (is_lower_word(unit, "nanoseconds") && strstr(key, "time"));
}

/* Whether a key is a number that has so many values that nobody selects one of them. */
static bool is_quantity(const struct pprof_key *key)
{
    for (size_t v = 0; v < key->n_values; v++)
        if (key->values[v].text)
            return false;
    return key->n_values > NUMBERS_MAX;
}

/* Sums the samples whose values of a key differ, and says so. */
static void sum_key(struct writer *w, size_t key, const char *why)
{
    const struct ps_str name = clean_string(w, w->p->keys[key].name);

    ps_sink_note(w->p->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 "samples cannot be selected by the label %.*s, which has %zu values: %s",
                 (int)name.len, name.ptr, w->p->keys[key].n_values, why);
    pprof_sum_key(w->p, key);
}

/* Finds the keys that name threads, and sums those that never divide; then sums keys until there
 * are few enough tracks. */
static void choose_divisions(struct writer *w)
{
    struct pprof *p = w->p;
    size_t n_used = 0, key;

    for (size_t k = 0; k < p->n_keys; k++) {
        char word[32];

        simplify_key(pprof_string(p, p->keys[k].name), word);
        p->keys[k].is_thread = is_one_of(word, names_of_threads) ||
                               is_one_of(word, ids_of_threads) || is_one_of(word, ids_of_processes);
        p->keys[k].is_moment = is_moment(word, pprof_string(p, p->keys[k].unit));
        if (!p->keys[k].is_summed && p->keys[k].is_moment)
            pprof_sum_key(p, k);
        if (!p->keys[k].is_summed && !p->keys[k].is_thread && is_quantity(&p->keys[k]))
            sum_key(w, k, "so many numbers are a quantity, whose totals are kept");
    }
    for (size_t i = 0; i < w->n_measures; i++)
        n_used += (size_t)(w->measures[i].positive > 0) + (size_t)(w->measures[i].negative < 0);
    while (p->n_sets > PPROF_SETS_MAX || p->n_sets * n_used > TRACKS_MAX) {
        key = pprof_key_to_sum(p, false);
        key = key == SIZE_MAX ? pprof_key_to_sum(p, true) : key;
        sum_key(w, key, "the file has too many sets of labels");
    }
}

static struct ps_str label_text(struct writer *w, const struct pprof_key *key, uint32_t value)
{
    const struct pprof_label_value *v = &key->values[value];

    if (v->text)
        return clean_string(w, v->text);
    return ps_str_from_c(ps_arena_printf(&w->arena, "%lld", (long long)v->number));
}

static enum ps_label_role role_of(const struct pprof_key *key)
{
    return key->is_summed   ? PS_LABEL_IS_SUMMED
           : key->is_thread ? PS_LABEL_IS_THREAD
                            : PS_LABEL_DIVIDES;
}

static int by_total(const void *a, const void *b)
{
    const struct placed *x = a, *y = b; /* place: index of the value */

    const double of_x = fabs((double)x->value), of_y = fabs((double)y->value);

    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Writes the values of a key with the greatest totals of a measure, above or below 0. */
static void write_values(struct writer *w, size_t key_index, size_t measure)
{
    const struct pprof_key *key = &w->p->keys[key_index];
    const struct measure *m = &w->measures[measure];
    const double by = m->scale * (double)m->divisor;
    PS_AUTO(ps_free_ptr) struct placed *order = ps_grow(NULL, key->n_values + 1, sizeof *order);
    size_t n = 0;

    for (size_t v = 0; v < key->n_values && m->column < w->p->width; v++)
        if (key->samples[v * w->p->width + m->column])
            order[n++] = (struct placed){v, key->totals[v * w->p->width + m->column]};
    qsort(order, n, sizeof *order, by_total);
    for (size_t i = 0; i < n && i < PPROF_VALUES_SHOWN; i++) {
        const size_t v = (size_t)order[i].place;
        struct ps_sample_label_value row = {
            .label = (uint32_t)key_index + 1,
            .sample_type = (uint32_t)measure + 1,
            .value = label_text(w, key, (uint32_t)v),
            .total = ps_real((double)order[i].value * (double)m->factor / by),
            .samples = key->samples[v * w->p->width + m->column]};

        w->p->out->ops->sample_label_value(w->p->out, &row);
    }
}

static void write_labels(struct writer *w)
{
    struct pprof *p = w->p;

    for (size_t k = 0; k < p->n_keys; k++) {
        const struct pprof_key *key = &p->keys[k];
        struct ps_sample_label row = {.id = (uint32_t)k + 1,
                                      .key = clean_string(w, key->name),
                                      .unit = clean_string(w, key->unit),
                                      .n_values = (int64_t)key->n_values,
                                      .samples = key->n_samples,
                                      .role = role_of(key)};

        p->out->ops->sample_label(p->out, &row);
        if (key->has_too_many)
            ps_sink_note(p->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                         "the label %.*s has more than %d values, such as an id or a time has: "
                         "they are not kept",
                         (int)row.key.len, row.key.ptr, PPROF_LABEL_VALUES_MAX);
        for (size_t i = 0; i < w->n_measures && !key->is_moment; i++)
            write_values(w, k, i);
    }
}

/* --- Threads --- */

/* Names the thread of a set of labels: "MainThread · task=load". */
static void name_set(struct writer *w, uint32_t set)
{
    struct pprof *p = w->p;
    PS_AUTO(ps_buf_free) struct ps_buf labels = {0};
    const char *prefix = "";
    struct ps_str thread = PS_STR(""), tid = PS_STR(""), pid = PS_STR("");

    for (uint32_t i = 0; i < p->sets[set].n; i++) {
        const struct pprof_label *label = &p->labels[p->sets[set].first + i];
        const struct pprof_key *key = &p->keys[label->key];
        const struct ps_str text = label_text(w, key, label->value);
        char word[32];

        simplify_key(pprof_string(p, key->name), word);
        if (is_one_of(word, names_of_threads)) {
            thread = text;
        } else if (is_one_of(word, ids_of_processes)) {
            pid = text;
        } else if (is_one_of(word, ids_of_threads)) {
            tid = tid.len && strcmp(word, "threadnativeid") == 0 ? tid : text;
        } else {
            ps_buf_puts(&labels, " · ");
            ps_clean_text(&labels, pprof_string(p, key->name));
            ps_buf_puts(&labels, "=");
            ps_buf_add_str(&labels, text);
        }
    }
    w->track_process[set] = st_process_id(&w->stacks, pid, PS_STR(""));
    w->track_tids[set] = tid;
    if (!thread.len && tid.len) {
        prefix = "thread ";
        thread = tid;
    } else if (!thread.len) {
        thread = PS_STR("all threads");
    }
    w->track_names[set] =
        ps_str_from_c(ps_arena_printf(&w->arena, "%s%.*s%.*s", prefix, (int)thread.len, thread.ptr,
                                      (int)labels.len, labels.len ? labels.ptr : ""));
}

static void name_sets(struct writer *w)
{
    const size_t n = w->p->n_sets + 1;

    w->track_names = ps_alloc_array(n, sizeof *w->track_names);
    w->track_tids = ps_alloc_array(n, sizeof *w->track_tids);
    w->track_process = ps_alloc_array(n, sizeof *w->track_process);
    for (uint32_t set = 0; set < w->p->n_sets; set++)
        name_set(w, set);
}

/* --- The tree of frames --- */

enum { FOUND_USER = 1, IS_CUT = 2, IS_SHARED = 4 };

/* Makes the tree of frames from that of locations: a location may have several frames, and several
 * locations the same. Below a location that drop_frames removes there is nothing, but not at the
 * root of a stack: as pprof, it keeps such locations until another one was found.
 *
 * A node of frames that belongs to one node of locations only has new children, unless their frame
 * is that of several locations. Only the others (IS_SHARED) are searched, as that is slow.
 *
 * The tree of locations is large. So the key of its nodes becomes their node in the tree of frames,
 * by which values then refer to their stacks, and it is freed. */
static enum ps_status make_tree(struct writer *w, struct ps_err *err)
{
    struct pprof *p = w->p;
    PS_AUTO(ps_free_ptr) uint8_t *state = ps_alloc_array(p->stacks.n + 1, sizeof *state);

    pprof_nodes_finish(&p->stacks);
    if (p->stacks.n)
        p->stacks.items[0].key = 0;
    for (size_t i = 1; i < p->stacks.n; i++) {
        struct pprof_node *node = &p->stacks.items[i];
        const struct pprof_location *location = &p->locations[node->key];
        const bool is_pruned = location->is_pruned || location->is_pruned_below;
        uint32_t at = p->stacks.items[node->parent].key;
        uint32_t (*child)(struct pprof_nodes *, uint32_t, uint32_t);

        if (w->tree.n + location->n_frames > ST_ROWS_MAX)
            return ps_fail(err, PS_LIMIT, "the stacks have more than %u different paths",
                           ST_ROWS_MAX);
        state[i] = state[node->parent] | (location->is_unique ? 0 : IS_SHARED);
        child = state[i] & IS_SHARED ? pprof_child : pprof_new_child;
        if (!(state[i] & IS_CUT) && !(location->is_pruned && state[i] & FOUND_USER))
            for (uint32_t f = 0; f < location->n_frames; f++)
                at = child(&w->tree, at, p->frames[location->first_frame + f]);
        if (is_pruned && state[i] & FOUND_USER)
            state[i] |= IS_CUT;
        state[i] |= is_pruned ? 0 : FOUND_USER;
        node->key = at;
    }
    for (size_t c = 0; c < PPROF_TYPES_MAX && p->stacks.n; c++)
        for (size_t i = 0; i < p->columns[c].n; i++)
            p->columns[c].items[i].node = p->stacks.items[p->columns[c].items[i].node].key;
    pprof_nodes_free(&p->stacks);
    pprof_nodes_finish(&w->tree);
    return PS_OK;
}

/* Returns the place of each node in the order of a walk, in which each subtree is in one piece. */
static uint32_t *place_nodes(const struct pprof_nodes *tree)
{
    PS_AUTO(ps_free_ptr) uint32_t *next = ps_alloc_array(tree->n + 1, sizeof *next);
    uint32_t *places = ps_alloc_array(tree->n + 1, sizeof *places);

    for (size_t i = 0; i < tree->n; i++)
        next[i] = 1; /* nodes of the subtree */
    for (size_t i = tree->n; i-- > 1;)
        next[tree->items[i].parent] += next[i];
    for (size_t i = 1; i < tree->n; i++) {
        const uint32_t parent = tree->items[i].parent, size = next[i],
                       behind = places[parent] + next[parent];

        /* children are placed from the end of the subtree of their parent */
        places[i] = behind - size;
        next[parent] -= size;
    }
    return places;
}

/* Sorts the nodes of the tree of frames in the order of a walk, so that parents precede their
 * children and neighbours share most of their ancestors. */
static void sort_nodes(struct writer *w)
{
    struct pprof *p = w->p;
    PS_AUTO(ps_free_ptr) uint32_t *places = place_nodes(&w->tree);
    struct pprof_node *items = ps_grow(NULL, w->tree.n + 1, sizeof *items);

    for (size_t i = 0; i < w->tree.n; i++)
        items[places[i]] = (struct pprof_node){i ? places[w->tree.items[i].parent] : UINT32_MAX,
                                               w->tree.items[i].key};
    free(w->tree.items);
    w->tree.items = items;
    for (size_t c = 0; c < PPROF_TYPES_MAX; c++)
        for (size_t i = 0; i < p->columns[c].n; i++)
            p->columns[c].items[i].node = places[p->columns[c].items[i].node];
}

/* --- Tracks --- */

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    return (x->place > y->place) - (x->place < y->place);
}

/* Sorts by place: many items by 16 bits at a time. */
static void sort_placed(struct placed *items, struct placed *scratch, size_t n)
{
    PS_AUTO(ps_free_ptr) size_t *starts = NULL;

    if (n < FEW_ITEMS) {
        qsort(items, n, sizeof *items, by_place);
        return;
    }
    starts = ps_alloc_array(65537, sizeof *starts);
    for (unsigned shift = 0; shift < 64; shift += 16) {
        memset(starts, 0, 65537 * sizeof *starts);
        for (size_t i = 0; i < n; i++)
            starts[(items[i].place >> shift & 0xffff) + 1]++;
        for (size_t i = 0; i < 65536; i++)
            starts[i + 1] += starts[i];
        for (size_t i = 0; i < n; i++)
            scratch[starts[items[i].place >> shift & 0xffff]++] = items[i];
        memcpy(items, scratch, n * sizeof *items);
    }
}

/* Divides a weight by the divisor, and rounds it. */
static int64_t weight_of(const struct measure *m, int64_t value)
{
    const __int128 weight = (__int128)value * m->factor;
    const __int128 half = m->divisor / 2;

    return (int64_t)((weight + (weight < 0 ? -half : half)) / m->divisor);
}

/* The values of a measure in the order of tracks and stacks; those of one stack are one. */
static struct placed *sort_values(struct writer *w, const struct measure *m, size_t *n)
{
    struct pprof_column *c = &w->p->columns[m->column];
    PS_AUTO(ps_free_ptr) struct placed *scratch = ps_grow(NULL, c->n + 1, sizeof *scratch);
    struct placed *items = ps_grow(NULL, c->n + 1, sizeof *items);
    size_t merged = 0;

    for (size_t i = 0; i < c->n; i++)
        items[i] = (struct placed){(uint64_t)c->items[i].set << 32 | c->items[i].node,
                                   weight_of(m, c->items[i].value)};
    sort_placed(items, scratch, c->n);
    for (size_t i = 0; i < c->n; i++) {
        if (merged && items[merged - 1].place == items[i].place)
            items[merged - 1].value += items[i].value;
        else
            items[merged++] = items[i];
    }
    *n = merged;
    return items;
}

/* Number of nodes of the current path up to `node`, which is one of them, or 0. */
static uint32_t depth_in_path(const struct writer *w, uint32_t node)
{
    uint32_t low = 0, high = w->n_path;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (w->path_nodes[middle] <= node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Makes the path that of a node, which is behind the node before. Its ancestors up to that one are
 * ancestors of both, so only the others are visited. Returns their number. */
static uint32_t move_path(struct writer *w, uint32_t node)
{
    uint32_t n_added = 0, shared, up = node;

    for (; up > w->path_end; up = w->tree.items[up].parent)
        n_added++;
    shared = up ? depth_in_path(w, up) : 0;
    w->path_end = node;
    w->n_path = shared + n_added;
    w->path = ps_grow_to(w->path, &w->cap_path, w->n_path, sizeof *w->path);
    w->path_nodes = ps_grow_to(w->path_nodes, &w->cap_path_nodes, w->n_path, sizeof *w->path_nodes);
    for (uint32_t at = w->n_path; at-- > shared; node = w->tree.items[node].parent) {
        w->path[at] = w->tree.items[node].key;
        w->path_nodes[at] = node;
    }
    return n_added;
}

/* Number of nodes of the trees of all sets of labels together, of the sample type that has most
 * values. */
static size_t count_divided_nodes(struct writer *w)
{
    const struct measure *most = &w->measures[0];
    PS_AUTO(ps_free_ptr) struct placed *items = NULL;
    size_t n, n_nodes = 0;

    for (size_t i = 1; i < w->n_measures; i++)
        if (w->p->columns[w->measures[i].column].n > w->p->columns[most->column].n)
            most = &w->measures[i];
    items = sort_values(w, most, &n);
    for (size_t i = 0; i < n; i++) {
        if (i && items[i].place >> 32 != items[i - 1].place >> 32)
            w->n_path = w->path_end = 0;
        n_nodes += move_path(w, (uint32_t)(items[i].place & UINT32_MAX));
    }
    w->n_path = w->path_end = 0;
    return n_nodes;
}

/* Sums labels as long as they divide a large tree into many times its nodes. Threads remain. */
static void limit_division(struct writer *w)
{
    const size_t quarter_more = w->tree.n + w->tree.n / 4,
                 n_most = quarter_more > DIVIDED_NODES_MAX ? quarter_more : DIVIDED_NODES_MAX;
    size_t key;

    while (w->p->n_sets > 1 && w->p->n_sets * w->tree.n > n_most &&
           (key = pprof_key_to_sum(w->p, false)) != SIZE_MAX && count_divided_nodes(w) > n_most)
        sum_key(w, key, "the stacks of each would be too many nodes");
}

/* Adds the stack of a value. */
static enum ps_status add_stack(struct writer *w, uint32_t track, const struct placed *item,
                                struct ps_err *err)
{
    (void)move_path(w, (uint32_t)(item->place & UINT32_MAX));
    return st_add_stack(&w->stacks, track, w->n_path ? w->path : &w->no_frame,
                        w->n_path ? w->n_path : 1, llabs(item->value), err);
}

/* Returns the track for values of a sign, and adds it if there is none. */
static uint32_t track_of(struct writer *w, size_t measure, uint32_t set, bool is_negative,
                         uint32_t *track, struct ps_err *err)
{
    if (*track != UINT32_MAX || st_add_track(&w->stacks, w->track_process[set], w->track_names[set],
                                             w->track_tids[set], track, err) != PS_OK)
        return *track;
    w->stacks.tracks[*track].sample_type = (uint32_t)measure + 1;
    w->stacks.tracks[*track].is_negative = is_negative;
    w->stacks.tracks[*track].place = set;
    w->set_of_track =
        ps_grow_to(w->set_of_track, &w->cap_set_of_track, *track, sizeof *w->set_of_track);
    w->set_of_track[*track] = set;
    return *track;
}

/* Writes the tracks of a set. */
static void write_set(struct writer *w, size_t measure, uint32_t tracks[2])
{
    if (measure == w->chosen && tracks[0] != UINT32_MAX &&
        w->stacks.tracks[tracks[0]].next_start > w->span)
        w->span = w->stacks.tracks[tracks[0]].next_start;
    for (size_t i = 0; i < 2; i++)
        if (tracks[i] != UINT32_MAX)
            st_write_typed(w->emitter, tracks[i]);
    tracks[0] = tracks[1] = UINT32_MAX;
    w->n_path = w->path_end = 0;
}

static void free_column(struct pprof_column *column)
{
    free(column->items);
    column->items = NULL;
    column->n = 0;
}

/* Writes the tracks of a measure. */
static enum ps_status write_tracks(struct writer *w, size_t measure, struct ps_err *err)
{
    uint32_t tracks[2] = {UINT32_MAX, UINT32_MAX}; /* [is negative] */
    uint64_t set = UINT64_MAX;
    size_t n;
    PS_AUTO(ps_free_ptr) struct placed *items = sort_values(w, &w->measures[measure], &n);

    if (measure > 0 || w->n_measures == w->p->n_types) /* else a computed measure has them too */
        free_column(&w->p->columns[w->measures[measure].column]);
    w->stacks.weight = 0; /* of this measure: its sum fits */
    for (size_t i = 0; i < n && err->code == PS_OK; i++) {
        const bool is_negative = items[i].value < 0;

        if (items[i].place >> 32 != set)
            write_set(w, measure, tracks);
        set = items[i].place >> 32;
        if (items[i].value && track_of(w, measure, (uint32_t)set, is_negative, &tracks[is_negative],
                                       err) != UINT32_MAX)
            add_stack(w, tracks[is_negative], &items[i], err);
    }
    write_set(w, measure, tracks);
    return err->code;
}

/* --- Writing --- */

/* A sum of weights in the unit of the measure. */
static struct ps_num number_of(const struct measure *m, __int128 sum)
{
    const double by = m->scale * (double)m->divisor;

    return by == 1 && sum <= INT64_MAX && sum >= INT64_MIN ? ps_int((int64_t)sum)
                                                           : ps_real((double)sum / by);
}

static void write_types(struct writer *w)
{
    for (size_t i = 0; i < w->n_measures; i++) {
        const struct measure *m = &w->measures[i];
        struct ps_sample_type row = {.id = (uint32_t)i + 1,
                                     .name = m->name,
                                     .unit = m->unit,
                                     .scale = m->scale,
                                     .file_column = m->is_computed ? -1 : (int32_t)m->column,
                                     .total = number_of(m, m->positive + m->negative),
                                     .negative = number_of(m, -m->negative),
                                     .samples = w->p->columns[m->column].samples,
                                     .is_default = i == w->chosen};

        w->p->out->ops->sample_type(w->p->out, &row);
    }
}

static void write_track_labels(struct writer *w)
{
    struct pprof *p = w->p;

    for (uint32_t t = 0; t < w->stacks.n_tracks && ps_sink_ok(p->out); t++) {
        const struct pprof_set *set = &p->sets[w->set_of_track[t]];

        for (uint32_t i = 0; i < set->n; i++) {
            const struct pprof_label *label = &p->labels[set->first + i];
            struct ps_track_label row = {.track = t + 1,
                                         .label = label->key + 1,
                                         .value =
                                             label_text(w, &p->keys[label->key], label->value)};

            p->out->ops->track_label(p->out, &row);
        }
    }
}

static void write_headline(struct writer *w)
{
    const struct measure *m = &w->measures[w->chosen];
    struct ps_headline headline = {.value = ps_num_to_real(number_of(m, m->positive + m->negative)),
                                   .unit = ps_arena_copy(&w->arena, m->unit).ptr,
                                   .label = ps_arena_copy(&w->arena, m->name).ptr};

    w->p->out->ops->headline(w->p->out, &headline);
}

/* Notes what the profile says of itself, and what its numbers are. */
static void write_facts(struct writer *w)
{
    struct pprof *p = w->p;
    PS_AUTO(ps_buf_free) struct ps_buf below_0 = {0}; /* names of measures */

    for (size_t i = 0; i < p->n_comments && i < 20; i++)
        ps_sink_note(p->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0, "comment of the file: %s",
                     clean_string(w, p->comments[i]).ptr);
    if (p->doc_url)
        ps_sink_note(p->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "the file says that its documentation is at %s",
                     clean_string(w, p->doc_url).ptr);
    for (size_t i = 0; i < w->n_measures; i++) {
        const struct measure *m = &w->measures[i];

        if (m->negative)
            ps_buf_printf(&below_0, "%s%.*s", below_0.len ? ", " : "", (int)m->name.len,
                          m->name.ptr);
        if (m->divisor > 1)
            ps_sink_note(p->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                         "the values of %s sum up to more than 64 bits hold: they are rounded to "
                         "multiples of %lld",
                         m->name.ptr, (long long)m->divisor);
        if (m->is_computed)
            ps_sink_note(p->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                         "the file only counts samples: %s is their number times the period of "
                         "%s",
                         m->name.ptr, ps_format_seconds((double)m->factor / 1e9, (char[48]){0}));
    }
    if (below_0.len)
        ps_sink_note(p->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "some values of %.*s are below 0, so the file is a difference of profiles: "
                     "tables sum all values, flame graphs show those above 0",
                     (int)below_0.len, below_0.ptr);
}

static void write_faults(struct pprof *p)
{
    ps_sink_count(p->out, PS_NOTE_REJECTED, p->n_rejected, "samples that could not be read");
    ps_sink_count(p->out, PS_NOTE_REPAIRED, p->n_padded,
                  "samples with fewer values than the file has sample types; the others are 0");
    ps_sink_count(p->out, PS_NOTE_WARNING, p->n_deep,
                  "stacks with more than 10,000 frames; their innermost frames are left out");
    ps_sink_count(
        p->out, PS_NOTE_WARNING, p->n_unknown_locations,
        "locations that samples refer to and the file does not have; they are shown as ?");
    ps_sink_count(p->out, PS_NOTE_WARNING, p->n_bad_strings,
                  "references to strings that the file does not have");
    ps_sink_count(p->out, PS_NOTE_WARNING, p->n_dropped_labels, "labels that could not be kept");
    if (p->width > p->n_types)
        ps_sink_note(p->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "samples have %zu values, but the file has %zu sample types; the last values "
                     "are left out",
                     p->width, p->n_types);
}

static void write_rest(struct writer *w)
{
    struct pprof *p = w->p;
    const struct ps_ledger ledger = {
        .unit = "samples",
        .read = p->n_samples,
        .stored = p->n_samples - p->n_rejected - p->n_padded,
        .repaired = p->n_padded,
        .rejected = p->n_rejected,
    };

    write_track_labels(w);
    write_facts(w);
    write_faults(p);
    p->out->ops->meta(p->out, "tool", PS_STR("pprof"));
    if (p->time_ns > 0)
        ps_sink_recorded(p->out, p->time_ns / 1000,
                         p->time_ns / 1000 + (p->duration_ns > 0 ? p->duration_ns / 1000 : 0));
    p->out->ops->ledger(p->out, &ledger);
    write_headline(w);
}

/* Gives empty stacks a frame, if there are any. */
static void name_no_frame(struct writer *w)
{
    struct pprof *p = w->p;
    bool any = false;

    for (size_t c = 0; c < p->n_types && !any; c++)
        for (size_t i = 0; i < p->columns[c].n && !any; i++)
            any = !p->columns[c].items[i].node;
    if (any)
        w->no_frame = st_frame_id(&w->stacks, PS_STR(PS_NO_FRAME));
}

/* Writes the tracks of all measures. */
static enum ps_status write_measures(struct writer *w, struct ps_err *err)
{
    struct pprof *p = w->p;
    const struct measure *chosen = &w->measures[w->chosen];

    w->emitter = st_begin_typed(&w->stacks);
    for (size_t i = 0; i < w->n_measures && err->code == PS_OK; i++)
        write_tracks(w, i, err);
    w->stacks.n_samples = p->n_samples - p->n_rejected;
    st_end_typed(w->emitter, (int64_t)(chosen->positive / chosen->divisor), w->span,
                 chosen->scale >= 1 && !chosen->is_time ? (int64_t)chosen->scale : 1);
    return err->code;
}

enum ps_status pprof_write(struct pprof *p, struct ps_err *err)
{
    PS_AUTO(writer_free) struct writer w = {.p = p, .stacks = {.out = p->out}};

    read_measures(&w);
    choose_default(&w);
    choose_divisions(&w);
    pprof_name_frames(p, &w.stacks);
    if (make_tree(&w, err) != PS_OK)
        return err->code;
    sort_nodes(&w);
    limit_division(&w);
    name_no_frame(&w);
    name_sets(&w);
    write_types(&w);
    write_labels(&w);
    if (write_measures(&w, err) == PS_OK)
        write_rest(&w);
    return err->code;
}
