/* SPDX-License-Identifier: MIT */
/*
 * importtime.c: reads the log that `python -X importtime` and PYTHONPROFILEIMPORTTIME write to
 * stderr, from Python 3.7 to 3.15.
 *
 * The log may be mixed with other output: every line is checked for a row. Other lines are counted;
 * rows that cannot be parsed are listed in the ledger with their position. After the last row, the
 * importer computes the tree, the order, the packages and the importers of cached modules, then
 * writes them to the sink. Tested: CPython 3.7, 3.8, 3.10 to 3.15 with all options.
 */
#include <math.h>
#include <stdlib.h>

#include "base/python_origin.h"
#include "importers/imports/importtime.h"
#include "importers/records/imports.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

/* --- Lines --- */

/*
 *     import time: self [us] | cumulative | imported package        the header
 *     import time: <self> | <cumulative> | <2 * depth spaces><name>
 *     import time: cached    | cached     | <name, right-aligned>   -X importtime=2, Python 3.14 on
 *
 * `perfshelf record --importers` adds a line for every import:
 *
 *     import edges: <number of lines that follow>
 *     import edge: <importer> | <imported module>
 *     import edge in a function: <importer> | <imported module>
 *
 * Other programs write to the same stream, so a row may begin anywhere in a line; it always extends
 * to the end of the line. If a row could begin at several positions, the first one that parses as a
 * timed row is used, else the first one that parses as a cached row.
 */

enum {
    DIGITS_MAX = 300, /* maximum number of digits that fit a double */
    HEAD = 64 * 1024,
    ROW_BYTES_MAX = 1024,
};

static const char begin[] = "import time:";

static bool skip_blanks(struct ps_str *s)
{
    size_t n = 0;

    while (n < s->len && s->ptr[n] == ' ')
        n++;
    *s = ps_str_skip(*s, n);
    return n > 0;
}

static bool skip_word(struct ps_str *s, struct ps_str word)
{
    if (!ps_str_starts_with(*s, word))
        return false;
    *s = ps_str_skip(*s, word.len);
    return true;
}

static struct ps_num nearest_double(struct ps_str digits)
{
    char text[DIGITS_MAX + 2];

    memcpy(text, digits.ptr, digits.len);
    text[digits.len] = '\0';
    return ps_real(strtod(text, NULL));
}

/* Parses -?[0-9]+ after spaces. Sets *beyond if the number does not fit 64 bits. False: there is no
 * number, or it exceeds a double. */
static bool read_number(struct ps_str *s, struct ps_num *out, bool *beyond)
{
    struct ps_str digits;
    int64_t value;
    size_t n;

    skip_blanks(s);
    n = s->len > 0 && s->ptr[0] == '-';
    while (n < s->len && s->ptr[n] >= '0' && s->ptr[n] <= '9')
        n++;
    digits = (struct ps_str){s->ptr, n};
    if (n > DIGITS_MAX || n == 0 || (n == 1 && s->ptr[0] == '-'))
        return false;
    *s = ps_str_skip(*s, n);
    if (ps_str_parse_i64(digits, &value)) {
        *out = ps_int(value);
        return true;
    }
    *out = nearest_double(digits);
    *beyond = true;
    return isfinite(out->r);
}

static bool read_timed(struct ps_str s, struct ps_importtime_line *out)
{
    struct ps_importtime_line line = {.kind = PS_IMPORTTIME_TIMED};

    if (!read_number(&s, &line.self, &line.is_out_of_range) || !skip_word(&s, PS_STR(" |")) ||
        !read_number(&s, &line.cumulative, &line.is_out_of_range) || !skip_word(&s, PS_STR(" | ")))
        return false;
    line.name = s;
    skip_blanks(&s);
    line.n_spaces = (size_t)(s.ptr - line.name.ptr) & ~(size_t)1;
    line.name = ps_str_skip(line.name, line.n_spaces);
    *out = line;
    return true;
}

static bool read_cached(struct ps_str s, struct ps_importtime_line *out)
{
    struct ps_importtime_line line = {.kind = PS_IMPORTTIME_CACHED};

    for (int field = 0; field < 2; field++) {
        skip_blanks(&s);
        if (!skip_word(&s, PS_STR("cached")))
            return false;
        skip_blanks(&s);
        if (!skip_word(&s, PS_STR("|")))
            return false;
    }
    if (!skip_word(&s, PS_STR(" ")))
        return false;
    line.name = s;
    skip_blanks(&s);
    line.n_spaces = (size_t)(s.ptr - line.name.ptr);
    line.name = s;
    *out = line;
    return true;
}

/* Whether the text after the first "import time:" looks like the fields of a row that cannot be
 * parsed. */
static bool is_invalid_row(struct ps_str rest, bool ended)
{
    skip_blanks(&rest);
    if (rest.len == 0)
        return !ended;
    return rest.ptr[0] == '-' || (rest.ptr[0] >= '0' && rest.ptr[0] <= '9') ||
           ps_str_starts_with(rest, PS_STR("cached"));
}

static bool is_header(struct ps_str text)
{
    static const char header[] = "import time: self [us] | cumulative | imported package";
    size_t n = sizeof header - 1;

    return text.len >= n && memcmp(text.ptr + text.len - n, header, n) == 0;
}

/* Parses the lines of the recorder, after a prefix that a container puts before each line. */
static bool read_edge(struct ps_str text, bool ended, struct ps_importtime_line *out)
{
    const char *at = ps_str_find(text, PS_STR("import edge")), *bar;
    struct ps_str rest = ps_str_skip(text, at ? (size_t)(at - text.ptr) : text.len);

    if (skip_word(&rest, PS_STR("import edges: "))) {
        out->kind = PS_IMPORTTIME_EDGES;
        out->self.kind = PS_NUM_INT;
        return ended && ps_str_parse_i64(rest, &out->self.i) && out->self.i >= 0;
    }
    out->is_in_function = skip_word(&rest, PS_STR("import edge in a function: "));
    bar = out->is_in_function || skip_word(&rest, PS_STR("import edge: "))
              ? ps_str_find(rest, PS_STR(" | "))
              : NULL;
    if (!bar || !ended)
        return false;
    out->kind = PS_IMPORTTIME_EDGE;
    out->importer = (struct ps_str){rest.ptr, (size_t)(bar - rest.ptr)};
    out->name = ps_str_skip(rest, out->importer.len + 3);
    return true;
}

struct ps_importtime_line ps_importtime_parse_line(struct ps_str text, bool ended)
{
    struct ps_str mark = {begin, sizeof begin - 1}, rest = text;
    struct ps_importtime_line found = {.kind = PS_IMPORTTIME_OTHER};
    const char *first = ps_str_find(text, mark);
    struct ps_importtime_line edge = {.kind = PS_IMPORTTIME_OTHER};

    if (!first && read_edge(text, ended, &edge))
        return edge;
    for (const char *at = first; at; at = ps_str_find(rest, mark)) {
        rest = ps_str_skip(text, (size_t)(at - text.ptr) + mark.len);
        if (read_timed(rest, &found))
            return found;
        if (found.kind == PS_IMPORTTIME_OTHER)
            (void)read_cached(rest, &found);
    }
    if (found.kind == PS_IMPORTTIME_CACHED)
        return found;
    if (first && is_header(text))
        found.kind = PS_IMPORTTIME_HEADER;
    else if (first &&
             is_invalid_row(ps_str_skip(text, (size_t)(first - text.ptr) + mark.len), ended))
        found.kind = PS_IMPORTTIME_INVALID;
    else if (!ended && text.len && ps_str_starts_with(mark, text))
        found.kind = PS_IMPORTTIME_INVALID;
    return found;
}

/* --- Imports that the recorder saw --- */

/*
 * Each edge becomes a cached row, which has an importer but no time. The recorder lists every
 * import of a module, including the first.
 */

/* Returns an array: for each id of edge_names the id of the first timed row with that name, or
 * PS_IMPORTTIME_NO_ROW. Release it with free(). */
static uint32_t *find_first_rows(struct ps_importtime_log *log)
{
    uint32_t *row_of = ps_alloc_array((size_t)log->edge_names.count + 1, sizeof *row_of);

    for (size_t i = log->n; i-- > 0;) {
        const struct ps_importtime_row *row = &log->rows[i];
        struct ps_str name = log->modules.items[row->module];

        if (!row->is_cached && ps_intern_find(&log->edge_names, name) != PS_INTERN_NONE)
            row_of[ps_intern_add(&log->edge_names, name)] = (uint32_t)i + 1;
    }
    return row_of;
}

/* Adds edges as cached rows at the end of the log, unless an edge line is missing from the log. */
static void add_recorded_edges(struct ps_importtime_log *log)
{
    uint32_t *row_of = find_first_rows(log);
    bool whole = log->n_edges == log->n_announced_edges;

    for (size_t i = 0; i < log->n_edges; i++) {
        const struct ps_importtime_edge *edge = &log->edges[i];
        uint32_t to = row_of[edge->module];

        if (!whole || to == PS_IMPORTTIME_NO_ROW)
            continue;
        PS_RESERVE_ONE(log->rows, log->n, log->cap);
        log->rows[log->n++] = (struct ps_importtime_row){
            .line = edge->line,
            .module = log->rows[to - 1].module,
            .package = log->rows[to - 1].package,
            .importer = row_of[edge->importer],
            .interpreter = log->rows[to - 1].interpreter,
            .depth = -1,
            .is_cached = true,
            .is_recorded = true,
            .is_in_function = edge->is_in_function,
        };
    }
    free(row_of);
}

/* --- Importers of cached modules --- */

/*
 * Python 3.14 is meant to indent a cached row by two spaces per level, but passes the indentation
 * as the width of the name. So the name is right-aligned in 2 * level columns, and a name that
 * fills them has no indentation. With k > 0 spaces before a name of n bytes the level is exactly (k
 * + n) / 2; without spaces it is at most n / 2. Imports only begin between two timed rows: from a
 * timed row of depth a to the next one of depth b, the levels never decrease and are in [a, max(a,
 * b + 1)]. If the bounds are equal, the level is exact; else the lower bound is used and marked as
 * estimated (correct for 84 % of such rows in simulated logs).
 */

struct gap {
    size_t from, to; /* indices of the cached rows between two timed rows */
    uint32_t low, high;
};

static bool is_exact(const struct ps_importtime_row *row, const struct gap *gap)
{
    return row->depth >= 0 && (uint32_t)row->depth >= gap->low && (uint32_t)row->depth <= gap->high;
}

/* Sets `level` and `is_estimated` of each row in the gap. `high`: scratch array with an element for
 * each row of the log. */
static void bound_levels(struct ps_importtime_log *log, const struct gap *gap, uint32_t *high)
{
    uint32_t low = gap->low, top = gap->high;

    for (size_t i = gap->to; i-- > gap->from;) {
        const struct ps_importtime_row *row = &log->rows[i];
        uint32_t most = is_exact(row, gap) ? (uint32_t)row->depth : row->width / 2;

        if (row->depth < 0 || is_exact(row, gap))
            top = most < top ? most : top;
        high[i] = top;
    }
    for (size_t i = gap->from; i < gap->to; i++) {
        struct ps_importtime_row *row = &log->rows[i];

        if (is_exact(row, gap) && (uint32_t)row->depth > low)
            low = (uint32_t)row->depth;
        row->level = row->depth >= 0 ? (uint32_t)row->depth : low;
        row->is_estimated = row->depth < 0 && low != high[i];
    }
}

static void find_levels(struct ps_importtime_log *log)
{
    uint32_t *high = ps_alloc_array(log->n + 1, sizeof *high);
    struct gap gap = {0};

    for (size_t i = 0; i <= log->n; i++) {
        const struct ps_importtime_row *row = i < log->n ? &log->rows[i] : NULL;

        if (row && row->is_cached)
            continue;
        gap.to = i;
        gap.high = row && (uint32_t)row->depth + 1 > gap.low ? (uint32_t)row->depth + 1 : gap.low;
        bound_levels(log, &gap, high);
        gap.from = i + 1;
        gap.low = row ? (uint32_t)row->depth : 0;
    }
    free(high);
}

/* Finds the row with this depth among the open ones, which are in ascending order of depth. Returns
 * its id, or PS_IMPORTTIME_NO_ROW. */
static uint32_t find_open_row(const struct ps_importtime_log *log, const uint32_t *open, size_t n,
                              uint32_t depth)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;
        uint32_t here = (uint32_t)log->rows[open[middle] - 1].depth;

        if (here == depth)
            return open[middle];
        if (here < depth)
            low = middle + 1;
        else
            n = middle;
    }
    return PS_IMPORTTIME_NO_ROW;
}

/* Iterates backward over the log, with a stack of the timed rows whose import had not ended: the
 * importer of a cached row is the row on the stack with the next lower level. */
static void find_importers(struct ps_importtime_log *log)
{
    uint32_t *open = ps_alloc_array(log->n + 1, sizeof *open);
    size_t n = 0;

    find_levels(log);
    for (size_t i = log->n; i-- > 0;) {
        struct ps_importtime_row *row = &log->rows[i];

        if (row->is_cached) {
            if (row->level > 0)
                row->importer = find_open_row(log, open, n, row->level - 1);
            continue;
        }
        while (n && log->rows[open[n - 1] - 1].depth >= row->depth)
            n--;
        open[n++] = (uint32_t)i + 1;
    }
    free(open);
}

/* --- Tree, order, start-up and packages --- */

/*
 * A row is written when its import ends, so children precede their parent, and a subtree is a
 * sequence of timed rows that ends in its root. Cached rows are not part of the tree; only their
 * importer is searched for.
 */

void ps_importtime_sum_add(struct ps_importtime_sum *sum, struct ps_num value)
{
    if (value.kind == PS_NUM_REAL) {
        sum->fraction += value.r;
        sum->is_real = true;
    } else if (value.kind == PS_NUM_INT) {
        sum->integer += value.i;
    }
}

struct ps_num ps_importtime_sum_value(const struct ps_importtime_sum *sum)
{
    if (sum->is_real || sum->integer > INT64_MAX || sum->integer < INT64_MIN)
        return ps_real((double)sum->integer + sum->fraction);
    return ps_int((int64_t)sum->integer);
}

static struct ps_num add_num(struct ps_num a, struct ps_num b)
{
    struct ps_importtime_sum sum = {0};

    ps_importtime_sum_add(&sum, a);
    ps_importtime_sum_add(&sum, b);
    return ps_importtime_sum_value(&sum);
}

/* Makes `id` the parent of the pending rows with a greater depth. Counts the row in
 * log->time_mismatches if its self time plus its children's cumulative times differ from its
 * cumulative time by more than rounding: each number was rounded up separately. */
static void adopt_pending(struct ps_importtime_log *log, uint32_t id)
{
    struct ps_importtime_row *row = &log->rows[id - 1];
    struct ps_importtime_sum parts = {0};
    double excess;

    ps_importtime_sum_add(&parts, row->self);
    while (log->n_pending &&
           log->rows[log->pending_rows[log->n_pending - 1] - 1].depth > row->depth) {
        struct ps_importtime_row *child = &log->rows[log->pending_rows[--log->n_pending] - 1];

        child->parent = child->importer = id;
        child->skips_level = child->depth != row->depth + 1;
        ps_importtime_sum_add(&parts, child->cumulative);
        row->n_children++;
    }
    excess = ps_num_to_real(ps_importtime_sum_value(&parts)) - ps_num_to_real(row->cumulative);
    if ((excess < 0 || excess > row->n_children) && log->time_mismatches.count++ == 0)
        log->time_mismatches.line = row->line;
    PS_RESERVE_ONE(log->pending_rows, log->n_pending, log->cap_pending);
    log->pending_rows[log->n_pending++] = id;
}

struct ps_importtime_row *ps_importtime_add_row(struct ps_importtime_log *log,
                                                const struct ps_importtime_line *line,
                                                struct ps_str name)
{
    uint32_t id, module = ps_intern_add(&log->modules, name);
    struct ps_importtime_row *row;
    bool first = module == log->n_package_of_module;

    if (first) {
        PS_RESERVE_ONE(log->package_of_module, log->n_package_of_module,
                       log->cap_package_of_module);
        log->package_of_module[log->n_package_of_module++] =
            ps_intern_add(&log->packages, ps_python_top_level(name));
    }
    PS_RESERVE_ONE(log->rows, log->n, log->cap);
    row = &log->rows[log->n++];
    id = (uint32_t)log->n;
    *row = (struct ps_importtime_row){
        .self = line->self,
        .cumulative = line->cumulative,
        .line = log->n_lines,
        .module = module,
        .package = log->package_of_module[module],
        .interpreter = log->n_headers ? log->n_headers : 1,
        .spaces = (uint32_t)line->n_spaces,
        .width = (uint32_t)(line->n_spaces + line->name.len),
        .is_cached = line->kind == PS_IMPORTTIME_CACHED,
        .is_first_of_module = first,
        .depth = (int32_t)(line->n_spaces / 2),
    };
    if (!row->is_cached)
        adopt_pending(log, id);
    else if (row->spaces == 0 || row->width % 2)
        row->depth = -1;
    else
        row->depth = (int32_t)(row->width / 2);
    return row;
}

/* The width of a self time in a chart, in microseconds; at least 0. */
static int64_t chart_width(struct ps_num self)
{
    if (ps_num_to_real(self) <= 0)
        return 0;
    return self.kind == PS_NUM_INT ? self.i : self.r < 9e18 ? (int64_t)self.r : INT64_MAX;
}

/* Computes `subtree_size`, `total` and `level` of each row, then `start_order`: the position of the
 * row in preorder. The log is in postorder. So `start_order` is the log position of the first row
 * of the row's subtree, plus the level of the row. */
static void compute_order(struct ps_importtime_log *log)
{
    uint32_t place = 0;

    for (size_t i = 0; i < log->n; i++) {
        struct ps_importtime_row *row = &log->rows[i],
                                 *parent = row->parent ? &log->rows[row->parent - 1] : NULL;
        int64_t self = chart_width(row->self);

        if (row->is_cached)
            continue;
        row->subtree_size++;
        if (__builtin_add_overflow(row->total, self, &row->total))
            row->total = INT64_MAX;
        if (parent) {
            parent->subtree_size += row->subtree_size;
            if (__builtin_add_overflow(parent->total, row->total, &parent->total))
                parent->total = INT64_MAX;
        }
        row->start_order = ++place - row->subtree_size + 1;
    }
    for (size_t i = log->n; i-- > 0;) {
        struct ps_importtime_row *row = &log->rows[i];

        if (row->parent && !row->is_cached)
            row->level = log->rows[row->parent - 1].level + 1;
        if (!row->is_cached)
            row->start_order += row->level;
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

    if (ps_str_starts_with(module, PS_STR("encodings.")))
        return true;
    for (size_t i = 0; i < sizeof core / sizeof *core; i++)
        if (ps_str_eq_c(module, core[i]))
            return true;
    return false;
}

/* Start-up consists of the first core roots of each interpreter, and `site` if it follows them. */
static void find_startup(struct ps_importtime_log *log)
{
    uint32_t interpreter = 0;
    size_t last = 0; /* index of the first row that is not yet known to be start-up */
    bool open = false;

    for (size_t i = 0; i < log->n; i++) {
        struct ps_importtime_row *row = &log->rows[i];
        struct ps_str module = log->modules.items[row->module];

        if (row->interpreter != interpreter) {
            interpreter = row->interpreter;
            last = i;
            open = true;
        }
        if (!open || row->is_cached || row->parent || row->depth > 0)
            continue;
        open = is_core(module);
        row->is_startup = open || ps_str_eq_c(module, "site");
        for (; row->is_startup && last < i; last++)
            log->rows[last].is_startup = true;
    }
}

/* Sets *out to the ids of the timed rows in order of `start_order`. Returns their number; release
 * *out with free(). */
static size_t sort_by_start(const struct ps_importtime_log *log, uint32_t **out)
{
    size_t timed = 0;

    *out = ps_alloc_array(log->n + 1, sizeof **out);
    for (size_t i = 0; i < log->n; i++)
        if (!log->rows[i].is_cached) {
            (*out)[log->rows[i].start_order - 1] = (uint32_t)i + 1;
            timed++;
        }
    return timed;
}

static void count_package(struct ps_importtime_log *log, struct ps_importtime_row *row, uint32_t id,
                          uint32_t open)
{
    struct ps_importtime_package *package = &log->package[row->package];

    package->n_modules++;
    package->self = add_num(package->self, row->self);
    row->is_topmost = open == 0;
    if (row->is_topmost) {
        package->inclusive = add_num(package->inclusive, row->cumulative);
        package->first_row = package->first_row ? package->first_row : id;
    }
}

/* Iterates over the imports in order of `start_order`, with a stack of the imports that have not
 * ended: a row is topmost if its package is not on the stack. */
static void count_packages(struct ps_importtime_log *log)
{
    uint32_t *walk, *stack = ps_alloc_array(log->n + 1, sizeof *stack);
    uint32_t *open = ps_alloc_array(log->packages.count + 1, sizeof *open);
    size_t n = sort_by_start(log, &walk), deep = 0;

    log->package = ps_alloc_array(log->packages.count + 1, sizeof *log->package);
    for (uint32_t i = 0; i < log->packages.count; i++)
        log->package[i].self = log->package[i].inclusive = ps_int(0);
    for (size_t i = 0; i < n; i++) {
        struct ps_importtime_row *row = &log->rows[walk[i] - 1];

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

/* Sets the origins of packages. The user's own package is the package of the last root that is
 * neither in the standard library nor a well-known package. */
static void find_origins(struct ps_importtime_log *log)
{
    uint32_t last = 0, installed = 0, own = 0;

    for (uint32_t i = 0; i < log->packages.count; i++)
        log->package[i].origin = ps_python_module_origin(log->packages.items[i]);
    for (uint32_t id = 1; id <= log->n; id++) {
        const struct ps_importtime_row *row = &log->rows[id - 1];

        if (row->is_cached || row->parent || row->is_startup || row->depth > 0)
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
    log->title_row = own ? own : installed ? installed : last;
}

static void count_row(struct ps_importtime_log *log, uint32_t id)
{
    struct ps_importtime_row *row = &log->rows[id - 1];

    if (row->is_cached) {
        log->n_cached++;
        log->n_estimated += row->is_estimated;
        return;
    }
    log->n_timed++;
    log->n_roots += !row->parent;
    log->n_skipped_levels += row->skips_level;
    row->is_unfinished = !row->parent && row->depth > 0;
    log->n_unfinished += row->is_unfinished;
    log->n_startup_modules += row->is_startup;
    log->n_negative_self += ps_num_to_real(row->self) < 0;
    log->max_depth = (uint32_t)row->depth > log->max_depth ? (uint32_t)row->depth : log->max_depth;
    if (!log->deepest_row || row->level > log->rows[log->deepest_row - 1].level)
        log->deepest_row = id;
}

void ps_importtime_compute_derived(struct ps_importtime_log *log)
{
    struct ps_importtime_sum all = {0}, self = {0}, startup = {0}, program = {0};

    compute_order(log);
    find_startup(log);
    find_importers(log);
    count_packages(log);
    find_origins(log);
    for (uint32_t id = 1; id <= log->n; id++) {
        const struct ps_importtime_row *row = &log->rows[id - 1];

        count_row(log, id);
        ps_importtime_sum_add(&self, row->self);
        if (row->is_cached || row->parent)
            continue;
        ps_importtime_sum_add(&all, row->cumulative);
        ps_importtime_sum_add(row->is_startup ? &startup : &program, row->cumulative);
    }
    add_recorded_edges(log);
    log->total_us = ps_importtime_sum_value(&all);
    log->self_us = ps_importtime_sum_value(&self);
    log->startup_us = ps_importtime_sum_value(&startup);
    log->program_us = ps_importtime_sum_value(&program);
}

void ps_importtime_free(struct ps_importtime_log *log)
{
    free(log->rows);
    free(log->pending_rows);
    free(log->package_of_module);
    free(log->package);
    free(log->edges);
    ps_intern_free(&log->edge_names);
    ps_intern_free(&log->modules);
    ps_intern_free(&log->packages);
}

/* --- Writing to the sink --- */

enum { CHAIN_LENGTH_MAX = 256 }; /* maximum number of names of the deepest chain in the summary */

static void write_packages(const struct ps_importtime_log *log, struct ps_sink *out)
{
    for (uint32_t i = 0; i < log->packages.count; i++) {
        const struct ps_importtime_package *package = &log->package[i];

        out->ops->package(out, &(struct ps_package){
                                   .id = i + 1,
                                   .name = log->packages.items[i],
                                   .origin = package->origin,
                                   .n_modules = package->n_modules,
                                   .self_us = package->self,
                                   .inclusive_us = package->inclusive,
                                   .first_import = package->first_row,
                               });
    }
}

static void write_row(const struct ps_importtime_log *log, uint32_t id, struct ps_sink *out)
{
    const struct ps_importtime_row *row = &log->rows[id - 1];
    struct ps_import import = {
        .id = id,
        .parent = row->parent,
        .importer = row->importer,
        .is_importer_estimated = row->is_estimated,
        .depth = row->depth,
        .start_order = row->start_order,
        .module = log->modules.items[row->module],
        .package = row->package + 1,
        .self_us = row->self,
        .cumulative_us = row->cumulative,
        .total_us = row->total,
        .is_cached = row->is_cached,
        .is_startup = row->is_startup,
        .is_recorded = row->is_recorded,
        .is_in_function = row->is_in_function,
        .is_unfinished = row->is_unfinished,
        .is_topmost = row->is_topmost,
        .is_first_of_module = row->is_first_of_module,
        .n_children = row->n_children,
        .interpreter = row->interpreter,
        .line = row->line,
    };

    out->ops->import(out, &import);
}

static void write_deepest(const struct ps_importtime_log *log, struct ps_sink *out)
{
    struct ps_str names[CHAIN_LENGTH_MAX];
    size_t n = log->deepest_row ? log->rows[log->deepest_row - 1].level + 1 : 0, skip = 0;
    uint32_t id = log->deepest_row;

    if (n > CHAIN_LENGTH_MAX) {
        skip = n - CHAIN_LENGTH_MAX; /* an ellipsis replaces the middle of the chain */
        n = CHAIN_LENGTH_MAX;
    }
    for (size_t i = n; i-- > 0;) {
        names[i] = log->modules.items[log->rows[id - 1].module];
        if (skip && i == CHAIN_LENGTH_MAX / 2) {
            names[i] = PS_STR("\xe2\x80\xa6");
            for (; skip; skip--)
                id = log->rows[id - 1].parent;
        }
        id = log->rows[id - 1].parent;
    }
    out->ops->list(out, "deepest", names, n);
}

static void write_metrics(const struct ps_importtime_log *log, struct ps_sink *out)
{
    const struct {
        const char *key;
        struct ps_num value;
    } metrics[] = {
        {"total_us", log->total_us},
        {"self_us", log->self_us},
        {"modules", ps_int(log->n_timed)},
        {"cached", ps_int(log->n_cached)},
        {"max_depth", ps_int(log->max_depth)},
        {"startup_us", log->startup_us},
        {"program_us", log->program_us},
        {"startup_modules", ps_int(log->n_startup_modules)},
        {"roots", ps_int(log->n_roots)},
        {"negative_self", ps_int(log->n_negative_self)},
        {"interpreters", ps_int(log->n_headers ? log->n_headers : log->n > 0)},
    };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        out->ops->number(out, metrics[i].key, metrics[i].value);
    write_deepest(log, out);
}

static void note_doubt(struct ps_sink *out, enum ps_severity severity, uint64_t n, const char *what,
                       const char *so)
{
    if (n)
        ps_sink_note(out, severity, PS_NOTE_NO_OFFSET, 0, "%s: %llu; %s", what,
                     (unsigned long long)n, so);
}

static void note_doubts(const struct ps_importtime_log *log, struct ps_sink *out)
{
    note_doubt(out, PS_NOTE_WARNING, log->n_negative_self, "imports with negative self time",
               "threads imported at the same time, and the log does not separate them: nesting and "
               "self times are unreliable");
    note_doubt(out, PS_NOTE_WARNING, log->n_headers > 1 ? log->n_headers : 0,
               "interpreters that wrote into this log",
               "where they ran at the same time, nesting may be wrong");
    if (log->time_mismatches.count)
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, log->time_mismatches.line,
                     "imports whose cumulative time differs from self time plus children: %llu "
                     "(this is the first); lines were lost, or threads or processes are mixed",
                     (unsigned long long)log->time_mismatches.count);
    note_doubt(out, PS_NOTE_WARNING, log->n_skipped_levels,
               "imports more than one level below their parent", "the lines between are missing");
    note_doubt(out, PS_NOTE_WARNING, log->n_unfinished, "imports whose parent import never ended",
               "the program was killed or the log was truncated; they are shown as roots");
    note_doubt(out, PS_NOTE_INFO, log->n_estimated, "cached rows whose importer is estimated",
               "the log allows several importers");
}

static void note_edges(const struct ps_importtime_log *log, struct ps_sink *out)
{
    uint64_t n = log->n_edges;

    if (n != log->n_announced_edges)
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the list of importers should have %llu lines and has %llu; perfshelf ignored "
                     "the incomplete list",
                     (unsigned long long)log->n_announced_edges, (unsigned long long)n);
}

static void note_lines(const struct ps_importtime_log *log, const struct ps_report_reader *in,
                       struct ps_sink *out)
{
    if (log->n == 0 && log->other_lines.count)
        ps_sink_note(out, PS_NOTE_WARNING, log->other_lines.offset, log->other_lines.line,
                     "no import found: rows of the log may be truncated or wrapped");
    if (log->other_lines.count)
        ps_sink_note(out, PS_NOTE_INFO, log->other_lines.offset, log->other_lines.line,
                     "lines of other output: %llu (this is the first)",
                     (unsigned long long)log->other_lines.count);
    if (!log->is_complete && log->n && log->rows[log->n - 1].line == log->n_lines)
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, log->n_lines,
                     "the log ends without a newline: the last name may be truncated");
    ps_report_write_ledger(in, out, log->n, log->n_repaired, log->n_rejected);
}

/* Writes packages, rows, metrics and notes to the sink, and the ledger of the lines of `in`. */
static void write_log(const struct ps_importtime_log *log, const struct ps_report_reader *in,
                      struct ps_sink *out)
{
    ps_sink_meta(out, "tool", PS_STR("CPython -X importtime"));
    if (log->n_cached) /* only importtime=2, which is new in 3.14, logs cached modules */
        ps_sink_meta(out, "tool_version", PS_STR("3.14+"));
    if (log->title_row && log->modules.items[log->rows[log->title_row - 1].module].len)
        ps_sink_meta(out, "title", log->modules.items[log->rows[log->title_row - 1].module]);
    write_packages(log, out);
    for (uint32_t id = 1; id <= log->n && ps_sink_ok(out); id++)
        write_row(log, id, out);
    write_metrics(log, out);
    note_doubts(log, out);
    note_edges(log, out);
    note_lines(log, in, out);
    out->ops->headline(out,
                       &(struct ps_headline){ps_num_to_real(log->total_us) / 1e6, "s", "import"});
}

/* --- Reading the log --- */

enum {
    NAME_BYTES_MAX = 64 * 1024,
    ROWS_MAX = 4 * 1000 * 1000,
    PS_NOTES_MAX = 50, /* maximum number of notes of one kind that are written one by one */
};

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_importtime_log log;
};

static bool count_line(struct ps_importtime_tally *tally, const struct ps_report_line *line)
{
    if (tally->count++ == 0) {
        tally->offset = line->offset;
        tally->line = line->number;
    }
    return tally->count <= PS_NOTES_MAX;
}

/* Returns a description of the repair of a row, apart from the joining of wrapped lines; NULL: the
 * row was not repaired. */
static const char *describe_repair(const struct ps_importtime_line *row,
                                   const struct ps_report_line *line)
{
    if (row->is_out_of_range)
        return "a number beyond 64 bits was replaced by the nearest 64-bit number";
    if (row->name.len > NAME_BYTES_MAX)
        return "the module name was truncated to 64 KiB";
    if (ps_report_trim_end(row->name).len == 0)
        return "the module name is missing";
    return line->is_repaired ? "the module name contains invalid UTF-8" : NULL;
}

static void add_row(struct reader *r, const struct ps_importtime_line *row)
{
    const struct ps_report_line *line = &r->in.line;
    const char *repair = describe_repair(row, line);

    ps_importtime_add_row(&r->log, row, ps_truncate_text(row->name, NAME_BYTES_MAX));
    r->log.n_repaired += repair || line->is_rejoined;
    if (repair && count_line(&r->log.repairs, line))
        ps_sink_note(r->out, PS_NOTE_REPAIRED, line->offset, line->number, "%s", repair);
}

static void reject_row(struct reader *r)
{
    const struct ps_report_line *line = &r->in.line;

    r->log.n_rejected++;
    if (count_line(&r->log.rejects, line))
        ps_sink_note(r->out, PS_NOTE_REJECTED, line->offset, line->number, "%s",
                     line->has_newline ? "the fields of this import row cannot be read"
                                       : "the log ends inside this row");
}

static void add_edge(struct reader *r, const struct ps_importtime_line *row)
{
    struct ps_importtime_log *log = &r->log;

    if (r->in.line.is_repaired) {
        reject_row(r);
        return;
    }
    PS_RESERVE_ONE(log->edges, log->n_edges, log->cap_edges);
    log->edges[log->n_edges++] = (struct ps_importtime_edge){
        .importer = ps_intern_add(&log->edge_names, row->importer),
        .module = ps_intern_add(&log->edge_names, row->name),
        .line = log->n_lines,
        .is_in_function = row->is_in_function,
    };
}

/* Whether the text ends inside the prefix of a row, or inside the header. */
static bool ends_in_row_prefix(struct ps_str text)
{
    static const struct ps_str row = PS_STR("import time:"),
                               header =
                                   PS_STR("import time: self [us] | cumulative | imported package");
    const char *at = ps_str_find(text, row);
    struct ps_str rest = ps_str_skip(text, at ? (size_t)(at - text.ptr) : text.len);

    return at && (ps_report_trim_end(rest).len == row.len || ps_str_starts_with(header, rest));
}

/* Classifies a line. If a terminal wrapped a row before the name, the name is on the next line;
 * module names have no spaces. */
static enum ps_report_row classify_line(const void *reader, struct ps_str text)
{
    struct ps_importtime_line row = ps_importtime_parse_line(text, true);
    struct ps_str name = ps_report_trim_end(row.name);

    (void)reader;
    switch (row.kind) {
    case PS_IMPORTTIME_TIMED:
    case PS_IMPORTTIME_CACHED:
        return name.len == 0                     ? PS_ROW_INCOMPLETE
               : memchr(name.ptr, ' ', name.len) ? PS_ROW_NONE
                                                 : PS_ROW_COMPLETE;
    case PS_IMPORTTIME_INVALID:
        return PS_ROW_INCOMPLETE;
    case PS_IMPORTTIME_HEADER:
    case PS_IMPORTTIME_EDGES:
        return PS_ROW_FINAL;
    case PS_IMPORTTIME_EDGE:
        return PS_ROW_COMPLETE;
    case PS_IMPORTTIME_OTHER:
        break;
    }
    return ends_in_row_prefix(text) ? PS_ROW_INCOMPLETE : PS_ROW_NONE;
}

static void read_line(struct reader *r)
{
    const struct ps_report_line *line = &r->in.line;
    struct ps_importtime_line row = ps_importtime_parse_line(line->text, line->has_newline);

    r->log.n_lines = line->number;
    r->log.is_complete = line->has_newline;
    switch (row.kind) {
    case PS_IMPORTTIME_TIMED:
    case PS_IMPORTTIME_CACHED:
        add_row(r, &row);
        return;
    case PS_IMPORTTIME_INVALID:
        reject_row(r);
        return;
    case PS_IMPORTTIME_EDGE:
        add_edge(r, &row);
        return;
    case PS_IMPORTTIME_EDGES:
        if (__builtin_add_overflow(r->log.n_announced_edges, (uint64_t)row.self.i,
                                   &r->log.n_announced_edges))
            r->log.n_announced_edges = UINT64_MAX;
        return;
    case PS_IMPORTTIME_HEADER:
        r->log.n_headers++;
        return;
    case PS_IMPORTTIME_OTHER:
        (void)count_line(&r->log.other_lines, line);
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        ps_report_rejoin(&r->in, classify_line, NULL);
        read_line(r);
        if (r->log.n + r->log.n_edges > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the log has more than %d rows",
                              ROWS_MAX);
        if (ps_report_check(&r->in, r->out, r->log.n, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static void note_row_limits(struct reader *r)
{
    if (r->log.rejects.count > PS_NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                     "more import rows that cannot be read: %llu",
                     (unsigned long long)(r->log.rejects.count - PS_NOTES_MAX));
    if (r->log.repairs.count > PS_NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, PS_NOTE_NO_OFFSET, 0,
                     "more repaired import rows: %llu",
                     (unsigned long long)(r->log.repairs.count - PS_NOTES_MAX));
}

static bool is_timed(struct ps_str line)
{
    return ps_importtime_parse_line(line, true).kind == PS_IMPORTTIME_TIMED;
}

static bool is_row(struct ps_str line)
{
    enum ps_importtime_kind kind = ps_importtime_parse_line(line, true).kind;

    return kind == PS_IMPORTTIME_TIMED || kind == PS_IMPORTTIME_CACHED ||
           kind == PS_IMPORTTIME_HEADER;
}

/* With a long prefix or in a narrow terminal, rows are only recognised after the text is
 * unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return !ps_report_count_lines(head, is_row) && ps_report_count_lines(unwrapped, is_timed);
}

/* Number of rows in the text whose fields are on one line, or, if `joined`, of those on one or more
 * lines up to the next "import time:". */
static size_t count_named_rows(struct ps_str text, bool joined)
{
    char row[ROW_BYTES_MAX];
    size_t n = 0, len = 0;

    while (text.len || len) {
        struct ps_str line = text.len ? ps_report_pop_line(&text) : PS_STR("");
        bool begins = ps_str_starts_with(line, PS_STR("import time:"));

        if (len && (begins || !joined || !text.len)) {
            if (!begins && joined && line.len < sizeof row - len) {
                memcpy(row + len, line.ptr, line.len);
                len += line.len;
            }
            n += classify_line(NULL, (struct ps_str){row, len}) == PS_ROW_COMPLETE;
            len = 0;
        }
        if ((begins || len) && line.len < sizeof row - len) {
            memcpy(row + len, line.ptr, line.len);
            len += line.len;
        }
    }
    return n;
}

static bool is_narrow(struct ps_str head)
{
    size_t joined = count_named_rows(head, true);

    return joined > 2 * count_named_rows(head, false);
}

static enum ps_report_line_end ends_row(const void *reader, struct ps_str text, struct ps_str next)
{
    return ps_report_find_row_end(classify_line, reader, text, next);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    if (is_narrow(ps_stream_peek(in, HEAD)))
        ps_report_join_rows(&r.in);
    else
        ps_report_unwrap(&r.in, is_wrapped, ends_row, NULL);
    if (!r.in.joins_wide_lines && !r.in.joins_incomplete)
        ps_report_detect_wrap(&r.in, classify_line, NULL);
    status = read_log(&r, err);
    if (status == PS_OK) {
        note_row_limits(&r);
        ps_importtime_compute_derived(&r.log);
        write_log(&r.log, &r.in, out);
    }
    ps_importtime_free(&r.log);
    ps_report_free(&r.in);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    return ps_report_count_lines(head, is_row) || is_narrow(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

const struct ps_importer ps_importtime = {
    .kind = "importtime",
    .label = "Import-time log",
    .description = "time of each import of a program, Python 3.7 and later",
    .record_command = "python -X importtime -c 'import app' 2> app.log",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
