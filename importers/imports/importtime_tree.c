/* SPDX-License-Identifier: MIT */
/*
 * importtime_tree.c: computes what several rows of a log imply.
 *
 * A row is written when its import ends, so children precede their parent, and a subtree is a
 * sequence of timed rows that ends in its root. Cached rows are not part of the tree; only their
 * importer is searched for.
 */
#include "importers/imports/importtime.h"

#include <stdlib.h>

#include "importers/python_origin.h"

void ps_it_sum_add(struct ps_it_sum *sum, struct ps_num value)
{
    if (value.kind == PS_NUM_REAL) {
        sum->part += value.r;
        sum->real = true;
    } else if (value.kind == PS_NUM_INT) {
        sum->whole += value.i;
    }
}

struct ps_num ps_it_sum_value(const struct ps_it_sum *sum)
{
    if (sum->real || sum->whole > INT64_MAX || sum->whole < INT64_MIN)
        return ps_real((double)sum->whole + sum->part);
    return ps_int((int64_t)sum->whole);
}

static struct ps_num plus(struct ps_num a, struct ps_num b)
{
    struct ps_it_sum sum = {0};

    ps_it_sum_add(&sum, a);
    ps_it_sum_add(&sum, b);
    return ps_it_sum_value(&sum);
}

/* Makes `id` the parent of the pending rows with a greater depth. Counts the row as uneven if its
 * self time and its children's cumulative times do not add up to its own cumulative time; each
 * number was rounded up separately. */
static void adopt(struct ps_it_log *log, uint32_t id)
{
    struct ps_it_row *row = &log->rows[id - 1];
    struct ps_it_sum parts = {0};
    double excess;

    ps_it_sum_add(&parts, row->self);
    while (log->n_pending && log->rows[log->pending[log->n_pending - 1] - 1].depth > row->depth) {
        struct ps_it_row *child = &log->rows[log->pending[--log->n_pending] - 1];

        child->parent = child->importer = id;
        child->gap = child->depth != row->depth + 1;
        ps_it_sum_add(&parts, child->cumulative);
        row->children++;
    }
    excess = ps_num_real(ps_it_sum_value(&parts)) - ps_num_real(row->cumulative);
    if ((excess < 0 || excess > row->children) && log->uneven.count++ == 0)
        log->uneven.line = row->line;
    PS_PUSH_ROOM(log->pending, log->n_pending, log->cap_pending);
    log->pending[log->n_pending++] = id;
}

struct ps_it_row *ps_it_add(struct ps_it_log *log, const struct ps_it_line *line,
                            struct ps_str name)
{
    uint32_t id, module = ps_intern_id(&log->modules, name);
    struct ps_it_row *row;
    bool first = module == log->module_package_n;

    if (first) {
        PS_PUSH_ROOM(log->module_package, log->module_package_n, log->module_package_cap);
        log->module_package[log->module_package_n++] =
            ps_intern_id(&log->packages, ps_python_top_level(name));
    }
    PS_PUSH_ROOM(log->rows, log->n, log->cap);
    row = &log->rows[log->n++];
    id = (uint32_t)log->n;
    *row = (struct ps_it_row){
        .self = line->self,
        .cumulative = line->cumulative,
        .line = log->lines,
        .module = module,
        .package = log->module_package[module],
        .interpreter = log->headers ? log->headers : 1,
        .spaces = (uint32_t)line->spaces,
        .width = (uint32_t)(line->spaces + line->name.len),
        .cached = line->kind == PS_IT_CACHED,
        .first = first,
        .depth = (int32_t)(line->spaces / 2),
    };
    if (!row->cached)
        adopt(log, id);
    else if (row->spaces == 0 || row->width % 2)
        row->depth = -1;
    else
        row->depth = (int32_t)(row->width / 2);
    return row;
}

/* The width of a self time in a chart. */
static int64_t drawn(struct ps_num self)
{
    if (ps_num_real(self) <= 0)
        return 0;
    return self.kind == PS_NUM_INT ? self.i : self.r < 9e18 ? (int64_t)self.r : INT64_MAX;
}

/* Computes sizes, totals and levels; then `start`: the root of a subtree starts `level` positions
 * after the first of its rows in the log. */
static void order(struct ps_it_log *log)
{
    uint32_t place = 0;

    for (size_t i = 0; i < log->n; i++) {
        struct ps_it_row *row = &log->rows[i],
                         *parent = row->parent ? &log->rows[row->parent - 1] : NULL;
        int64_t self = drawn(row->self);

        if (row->cached)
            continue;
        row->size++;
        if (__builtin_add_overflow(row->total, self, &row->total))
            row->total = INT64_MAX;
        if (parent) {
            parent->size += row->size;
            if (__builtin_add_overflow(parent->total, row->total, &parent->total))
                parent->total = INT64_MAX;
        }
        row->start = ++place - row->size + 1;
    }
    for (size_t i = log->n; i-- > 0;) {
        struct ps_it_row *row = &log->rows[i];

        if (row->parent && !row->cached)
            row->level = log->rows[row->parent - 1].level + 1;
        if (!row->cached)
            row->start += row->level;
    }
}

/* Whether CPython imports the module before `site` on every platform, from 3.7 on. */
static bool is_core(struct ps_str module)
{
    static const char *const core[] = {"_frozen_importlib_external",
                                       "zipimport",
                                       "encodings",
                                       "codecs",
                                       "abc",
                                       "io",
                                       "_io",
                                       "_signal",
                                       "_bootlocale",
                                       "_codecs",
                                       "_abc",
                                       "marshal",
                                       "posix",
                                       "nt",
                                       "winreg"};

    if (ps_str_starts(module, PS_STR("encodings.")))
        return true;
    for (size_t i = 0; i < sizeof core / sizeof *core; i++)
        if (ps_str_is(module, core[i]))
            return true;
    return false;
}

/* Start-up consists of the first core roots of each interpreter, and `site` if it follows them. */
static void find_startup(struct ps_it_log *log)
{
    uint32_t interpreter = 0;
    size_t last = 0; /* rows of this interpreter before this one belong to start-up */
    bool open = false;

    for (size_t i = 0; i < log->n; i++) {
        struct ps_it_row *row = &log->rows[i];
        struct ps_str module = log->modules.items[row->module];

        if (row->interpreter != interpreter) {
            interpreter = row->interpreter;
            last = i;
            open = true;
        }
        if (!open || row->cached || row->parent || row->depth > 0)
            continue;
        open = is_core(module);
        row->startup = open || ps_str_is(module, "site");
        for (; row->startup && last < i; last++)
            log->rows[last].startup = true;
    }
}

/* Sets *out to the ids of the timed rows in order of `start`. Returns their number; release *out
 * with free(). */
static size_t by_start(const struct ps_it_log *log, uint32_t **out)
{
    size_t timed = 0;

    *out = ps_alloc_array(log->n + 1, sizeof **out);
    for (size_t i = 0; i < log->n; i++)
        if (!log->rows[i].cached) {
            (*out)[log->rows[i].start - 1] = (uint32_t)i + 1;
            timed++;
        }
    return timed;
}

static void count_package(struct ps_it_log *log, struct ps_it_row *row, uint32_t id, uint32_t open)
{
    struct ps_it_package *package = &log->package[row->package];

    package->modules++;
    package->self = plus(package->self, row->self);
    row->topmost = open == 0;
    if (row->topmost) {
        package->inclusive = plus(package->inclusive, row->cumulative);
        package->first = package->first ? package->first : id;
    }
}

/* Walks the imports in order of `start`, with a stack of the open ones: a row is topmost if its
 * package is not on the stack. */
static void count_packages(struct ps_it_log *log)
{
    uint32_t *walk, *stack = ps_alloc_array(log->n + 1, sizeof *stack);
    uint32_t *open = ps_alloc_array(log->packages.count + 1, sizeof *open);
    size_t n = by_start(log, &walk), deep = 0;

    log->package = ps_alloc_array(log->packages.count + 1, sizeof *log->package);
    for (uint32_t i = 0; i < log->packages.count; i++)
        log->package[i].self = log->package[i].inclusive = ps_int(0);
    for (size_t i = 0; i < n; i++) {
        struct ps_it_row *row = &log->rows[walk[i] - 1];

        while (deep && stack[deep - 1] != row->parent)
            open[log->rows[stack[--deep] - 1].package]--;
        count_package(log, row, walk[i], open[row->package]);
        open[row->package]++;
        stack[deep++] = walk[i];
    }
    free(walk);
    free(stack);
    free(open);
}

/* The program's own package is that of its last root that is neither in the standard library nor a
 * well-known package. */
static void find_origins(struct ps_it_log *log)
{
    uint32_t last = 0, installed = 0, own = 0;

    for (uint32_t i = 0; i < log->packages.count; i++)
        log->package[i].origin = ps_python_module_origin(log->packages.items[i]);
    for (uint32_t id = 1; id <= log->n; id++) {
        const struct ps_it_row *row = &log->rows[id - 1];

        if (row->cached || row->parent || row->startup || row->depth > 0)
            continue;
        last = id;
        if (log->package[row->package].origin == PS_ORIGIN_UNKNOWN)
            own = id;
        else if (log->package[row->package].origin == PS_ORIGIN_THIRD_PARTY)
            installed = id;
    }
    for (uint32_t i = 0; i < log->packages.count; i++)
        if (log->package[i].origin == PS_ORIGIN_UNKNOWN)
            log->package[i].origin =
                own && log->rows[own - 1].package == i ? PS_ORIGIN_OWN : PS_ORIGIN_THIRD_PARTY;
    log->title = own ? own : installed ? installed : last;
}

static void count_row(struct ps_it_log *log, uint32_t id)
{
    struct ps_it_row *row = &log->rows[id - 1];

    if (row->cached) {
        log->cached++;
        log->estimated += row->estimated;
        return;
    }
    log->timed++;
    log->roots += !row->parent;
    log->gaps += row->gap;
    row->unfinished = !row->parent && row->depth > 0;
    log->unfinished += row->unfinished;
    log->startup_modules += row->startup;
    log->negative_self += ps_num_real(row->self) < 0;
    log->max_depth = (uint32_t)row->depth > log->max_depth ? (uint32_t)row->depth : log->max_depth;
    if (!log->deepest || row->level > log->rows[log->deepest - 1].level)
        log->deepest = id;
}

void ps_it_understand(struct ps_it_log *log)
{
    struct ps_it_sum all = {0}, self = {0}, startup = {0}, program = {0};

    order(log);
    find_startup(log);
    ps_it_find_importers(log);
    count_packages(log);
    find_origins(log);
    for (uint32_t id = 1; id <= log->n; id++) {
        const struct ps_it_row *row = &log->rows[id - 1];

        count_row(log, id);
        ps_it_sum_add(&self, row->self);
        if (row->cached || row->parent)
            continue;
        ps_it_sum_add(&all, row->cumulative);
        ps_it_sum_add(row->startup ? &startup : &program, row->cumulative);
    }
    ps_it_add_edges(log);
    log->total_us = ps_it_sum_value(&all);
    log->self_us = ps_it_sum_value(&self);
    log->startup_us = ps_it_sum_value(&startup);
    log->program_us = ps_it_sum_value(&program);
}

void ps_it_free(struct ps_it_log *log)
{
    free(log->rows);
    free(log->pending);
    free(log->module_package);
    free(log->package);
    free(log->edges);
    ps_intern_free(&log->edge_names);
    ps_intern_free(&log->modules);
    ps_intern_free(&log->packages);
}
