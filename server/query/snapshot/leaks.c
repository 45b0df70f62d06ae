/* SPDX-License-Identifier: MIT */
#include "server/query/snapshot/leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/query/snapshot/marks.h"
#include "slices/slices.h"

#define STEPS_MAX    1000
#define POINTS_MAX   65536 /* points of the curve in which cycles are found */
#define ROWS_MAX     1000
#define ROWS_DEFAULT 200
#define CYCLES_MIN   3
#define DEPTH_MIN    0.05 /* of the maximum */
/* A curve has risen above HIGH of its range, without its trend, before it falls below LOW. */
#define HIGH 0.65
#define LOW  0.35

/* --- Cycles --- */

static int by_length(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Whether the distances between the valleys are about equal. */
static bool is_regular(const size_t *valleys, size_t n)
{
    PS_AUTO(ps_free_ptr) size_t *lengths = ps_alloc_array(n, sizeof *lengths);
    size_t median;

    for (size_t i = 0; i + 1 < n; i++)
        lengths[i] = valleys[i + 1] - valleys[i];
    qsort(lengths, n - 1, sizeof *lengths, by_length);
    median = lengths[(n - 1) / 2];
    return 2 * lengths[0] >= median && lengths[n - 2] <= 2 * median;
}

size_t ps_snapshot_find_cycles(const int64_t *live, size_t n, size_t *valleys, size_t max)
{
    double slope = n > 1 ? ((double)live[n - 1] - (double)live[0]) / (double)(n - 1) : 0;
    double least = 0, most = 0, highest = 0;
    bool is_high = false;
    size_t n_valleys = 0, lowest = 0, n_rises = 0;

    for (size_t i = 0; i < n; i++) {
        double value = (double)live[i] - slope * (double)i;

        least = i == 0 || value < least ? value : least;
        most = i == 0 || value > most ? value : most;
        highest = (double)live[i] > highest ? (double)live[i] : highest;
    }
    if (most - least < DEPTH_MIN * highest || most <= least)
        return 0;
    for (size_t i = 0; i < n; i++) {
        double value = (double)live[i] - slope * (double)i;
        double height = (value - least) / (most - least);

        if (is_high) {
            is_high = height > LOW;
            lowest = i;
        } else if (value < (double)live[lowest] - slope * (double)lowest) {
            lowest = i;
        }
        if (is_high || height <= HIGH)
            continue;
        is_high = true;
        if (n_rises++ && n_valleys < max)
            valleys[n_valleys++] = lowest;
    }
    if (n_valleys + 1 < CYCLES_MIN || n_valleys < 2 || n_valleys == max ||
        !is_regular(valleys, n_valleys))
        return 0;
    return n_valleys;
}

int64_t ps_snapshot_growth(const int64_t *bytes_per_step, size_t n)
{
    PS_AUTO(ps_free_ptr) size_t *sorted = ps_alloc_array(n + 1, sizeof *sorted);

    for (size_t i = 0; i < n; i++) {
        if (bytes_per_step[i] <= 0)
            return 0;
        sorted[i] = (size_t)bytes_per_step[i];
    }
    if (n < 3)
        return 0;
    qsort(sorted, n, sizeof *sorted, by_length);
    return (int64_t)sorted[(n - 1) / 2];
}

/* --- Steps --- */

void ps_snapshot_steps_free(struct ps_snapshot_steps *steps)
{
    free(steps->items);
    free(steps->name);
    *steps = (struct ps_snapshot_steps){.items = NULL};
}

/* Makes steps from their borders, which ascend: a step before the first border and one behind the
 * last are incomplete. Borders outside of from..to are left out. */
static void make_steps(const int64_t *borders, size_t n, int64_t from, int64_t to,
                       struct ps_snapshot_steps *out)
{
    int64_t at = from;

    out->items = ps_alloc_array(n + 1, sizeof *out->items);
    for (size_t i = 0; i < n; i++) {
        if (borders[i] <= at || borders[i] >= to)
            continue;
        out->items[out->n++] = (struct ps_snapshot_step){at, borders[i], at == from};
        at = borders[i];
    }
    if (at < to)
        out->items[out->n++] = (struct ps_snapshot_step){at, to, true};
}

/* Finds the steps between annotations of the name that is most frequent. */
static enum ps_status find_annotated(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                     int64_t from, struct ps_snapshot_steps *out,
                                     struct ps_err *err)
{
    PS_AUTO(ps_snapshot_marks_free) struct ps_snapshot_marks marks = {.items = NULL};
    PS_AUTO(ps_free_ptr) uint32_t *counts = NULL;
    PS_AUTO(ps_free_ptr) int64_t *borders = NULL;
    const struct ps_snapshot_mark_at *most = NULL;
    size_t n_counts = 0, n = 0;

    ps_snapshot_marks_read(db, device, &marks, err);
    for (size_t i = 0; i < marks.n && err->code == PS_OK; i++) {
        const struct ps_snapshot_mark_at *mark = &marks.items[i];

        if (mark->kind != PS_SNAPSHOT_MARK_ANNOTATION || mark->event < from)
            continue;
        counts = ps_grow_to(counts, &n_counts, mark->text, sizeof *counts);
        counts[mark->text]++;
        if (!most || counts[mark->text] > counts[most->text])
            most = mark;
    }
    if (err->code != PS_OK || !most || counts[most->text] < 2 || counts[most->text] >= STEPS_MAX)
        return err->code;
    borders = ps_alloc_array(marks.n, sizeof *borders);
    for (size_t i = 0; i < marks.n; i++)
        if (marks.items[i].kind == PS_SNAPSHOT_MARK_ANNOTATION &&
            marks.items[i].text == most->text && marks.items[i].event >= from)
            borders[n++] = marks.items[i].event;
    make_steps(borders, n, from, device->events, out);
    out->source = PS_SNAPSHOT_STEPS_ANNOTATIONS;
    out->name = ps_strdup(most->name);
    return err->code;
}

/* Reads the curve of the live bytes: the maximum of each of n points. */
static enum ps_status read_curve(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                 int64_t from, int64_t *curve, size_t n, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    size_t last = 0;

    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, device->id, &events, err);
    for (size_t c = 0; c < events.n_chunks && err->code == PS_OK; c++) {
        const int64_t *index, *live;

        if (events.chunks[c].last < from)
            continue;
        index = ps_snapshot_column(&events, c, PS_SNAPSHOT_EVENT_INDEX, err);
        live = ps_snapshot_column(&events, c, PS_SNAPSHOT_EVENT_LIVE, err);
        if (!index || !live)
            return err->code;
        for (size_t i = 0; i < events.chunks[c].n; i++) {
            int64_t value = ps_snapshot_add(device->live_before, live[i]);
            size_t point;

            if (index[i] < from || index[i] >= device->events)
                continue;
            point = (size_t)((index[i] - from) * (int64_t)n / (device->events - from));
            while (last < point) { /* points without events have the value before */
                curve[last + 1] = curve[last];
                last++;
                if (last == point)
                    curve[point] = value;
            }
            curve[point] = value > curve[point] ? value : curve[point];
        }
    }
    while (last + 1 < n) {
        curve[last + 1] = curve[last];
        last++;
    }
    return err->code;
}

static enum ps_status find_cycles(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                  int64_t from, struct ps_snapshot_steps *out, struct ps_err *err)
{
    int64_t length = device->events - from;
    size_t n = (size_t)(length < POINTS_MAX ? length : POINTS_MAX), n_valleys;
    PS_AUTO(ps_free_ptr) int64_t *curve = ps_alloc_array(n + 1, sizeof *curve);
    size_t valleys[STEPS_MAX];
    int64_t borders[STEPS_MAX];

    if (read_curve(db, device, from, curve, n, err) != PS_OK)
        return err->code;
    n_valleys = ps_snapshot_find_cycles(curve, n, valleys, STEPS_MAX);
    if (!n_valleys)
        return err->code;
    for (size_t i = 0; i < n_valleys; i++)
        borders[i] = from + (int64_t)valleys[i] * length / (int64_t)n;
    make_steps(borders, n_valleys, from, device->events, out);
    out->source = PS_SNAPSHOT_STEPS_CYCLES;
    return err->code;
}

enum ps_status ps_snapshot_steps_find(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                      int64_t from, struct ps_snapshot_steps *out,
                                      struct ps_err *err)
{
    *out = (struct ps_snapshot_steps){.items = NULL};
    if (err->code != PS_OK || from >= device->events)
        return err->code;
    find_annotated(db, device, from, out, err);
    if (err->code == PS_OK && !out->n)
        find_cycles(db, device, from, out, err);
    return err->code;
}

/* Reads the parameter steps: absent, annotation, or a number of equal steps. */
static enum ps_status param_steps(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                  struct ps_params params, int64_t from,
                                  struct ps_snapshot_steps *out, struct ps_err *err)
{
    const char *word = ps_param_get(params, "steps");
    int64_t n;

    if (!word || !word[0])
        return ps_snapshot_steps_find(db, device, from, out, err);
    if (strcmp(word, "annotation") == 0) {
        if (find_annotated(db, device, from, out, err) == PS_OK && !out->n)
            ps_fail(err, PS_BAD_REQUEST, "steps: GPU %lld has no annotations that repeat",
                    (long long)device->number);
        return err->code;
    }
    if (ps_param_int(params, "steps", 1, STEPS_MAX, 1, &n, err) != PS_OK)
        return err->code;
    out->source = PS_SNAPSHOT_STEPS_GIVEN;
    out->items = ps_alloc_array((size_t)n, sizeof *out->items);
    for (int64_t i = 0; i < n; i++) {
        int64_t length = device->events - from;
        struct ps_snapshot_step step = {from + length * i / n, from + length * (i + 1) / n, false};

        if (step.from < step.to)
            out->items[out->n++] = step;
    }
    return err->code;
}

/* --- Rows --- */

struct row {
    uint32_t node;
    int64_t bytes, count;
    int64_t *bytes_per_step, *count_per_step;
};

struct leaks {
    const struct ps_snapshot_stacks *stacks;
    int64_t from;
    const struct ps_snapshot_steps *steps;
    struct row *rows;       /* at first by node, then the largest first */
    size_t n_rows, n_shown; /* n_shown: rows with sums of steps */
    uint32_t *row_of_node;  /* row + 1; 0: none */
    int64_t *sums;
    int64_t bytes, count;
};

static void leaks_free(struct leaks *l)
{
    free(l->rows);
    free(l->row_of_node);
    free(l->sums);
}

static bool add_to_node(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct leaks *l = user;
    struct row *sum;

    if (row->start < l->from)
        return true;
    sum = &l->rows[ps_snapshot_node(l->stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags)];
    sum->bytes = ps_snapshot_add(sum->bytes, row->bytes);
    sum->count++;
    l->bytes = ps_snapshot_add(l->bytes, row->bytes);
    l->count++;
    return true;
}

static bool add_to_steps(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct leaks *l = user;
    uint32_t index =
        l->row_of_node[ps_snapshot_node(l->stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags)];
    size_t low = 0, high = l->steps->n;

    if (!index || row->start < l->from)
        return true;
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (l->steps->items[mid].to <= row->start)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < l->steps->n && l->steps->items[low].from <= row->start) {
        struct row *sum = &l->rows[index - 1];

        sum->bytes_per_step[low] = ps_snapshot_add(sum->bytes_per_step[low], row->bytes);
        sum->count_per_step[low]++;
    }
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The growth of a row: steps that are incomplete do not count, nor does the first complete one,
 * which allocates what stays. */
static int64_t growth_of(const struct ps_snapshot_steps *steps, const int64_t *bytes_per_step,
                         size_t *n_steps)
{
    size_t first = 0, end = steps->n;

    while (end > 0 && steps->items[end - 1].is_incomplete)
        end--;
    while (first < end && steps->items[first].is_incomplete)
        first++;
    first += first < end;
    *n_steps = end - first;
    return ps_snapshot_growth(bytes_per_step + first, end - first);
}

/* Sums what began at or after l->from and is live at the end, by stack; for the `limit` largest
 * stacks also by step. */
static enum ps_status read_rows(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                size_t limit, struct leaks *l, struct ps_err *err)
{
    size_t n_nodes = l->stacks->trees[PS_SNAPSHOT_PYTHON].n_nodes;

    l->rows = ps_alloc_array(n_nodes + 1, sizeof *l->rows);
    l->row_of_node = ps_alloc_array(n_nodes + 1, sizeof *l->row_of_node);
    ps_snapshot_each_live(db, device->id, device->events - 1, add_to_node, l, err);
    for (uint32_t node = 0; node <= n_nodes; node++) {
        l->rows[l->n_rows] = l->rows[node];
        l->rows[l->n_rows].node = node;
        l->n_rows += l->rows[l->n_rows].count > 0;
    }
    if (l->n_rows)
        qsort(l->rows, l->n_rows, sizeof *l->rows, by_bytes);
    l->n_shown = l->n_rows < limit ? l->n_rows : limit;
    l->sums = ps_alloc_array(2 * l->n_shown * l->steps->n + 1, sizeof *l->sums);
    for (size_t i = 0; i < l->n_shown; i++) {
        l->rows[i].bytes_per_step = l->sums + 2 * i * l->steps->n;
        l->rows[i].count_per_step = l->rows[i].bytes_per_step + l->steps->n;
        l->row_of_node[l->rows[i].node] = (uint32_t)i + 1;
    }
    return ps_snapshot_each_live(db, device->id, device->events - 1, add_to_steps, l, err);
}

enum ps_status ps_snapshot_growth_find(struct ps_db *db,
                                       const struct ps_snapshot_device_row *device,
                                       const struct ps_snapshot_stacks *stacks,
                                       struct ps_snapshot_growth_row *out, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_steps_free) struct ps_snapshot_steps steps = {.items = NULL};
    PS_AUTO(leaks_free) struct leaks l = {.stacks = stacks, .steps = &steps};

    *out = (struct ps_snapshot_growth_row){.node = 0};
    if (ps_snapshot_steps_find(db, device, 0, &steps, err) != PS_OK || !steps.n ||
        read_rows(db, device, ROWS_DEFAULT, &l, err) != PS_OK)
        return err->code;
    out->has_steps = true;
    for (size_t i = 0; i < l.n_shown; i++) {
        size_t n_steps;
        int64_t growth = growth_of(&steps, l.rows[i].bytes_per_step, &n_steps);

        if (growth > out->bytes)
            *out = (struct ps_snapshot_growth_row){l.rows[i].node, growth, n_steps, true};
    }
    return err->code;
}

static void write_steps(const struct ps_snapshot_steps *steps, struct ps_json *json)
{
    static const char *const sources[] = {NULL, "annotations", "given", "cycles"};
    int64_t number = 0;

    ps_json_key_str(json, "step_source", sources[steps->source]);
    ps_json_key_str(json, "step_name", steps->name);
    ps_json_key(json, "steps");
    ps_json_array(json);
    for (size_t i = 0; i < steps->n; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "%lld", (long long)++number);
        ps_json_object(json);
        ps_json_key_str(json, "name", name);
        ps_json_key_int(json, "from", steps->items[i].from);
        ps_json_key_int(json, "to", steps->items[i].to);
        ps_json_key_bool(json, "incomplete", steps->items[i].is_incomplete);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_row(const struct leaks *l, const struct ps_snapshot_groups *groups,
                      const struct row *row, struct ps_json *json)
{
    size_t n_steps;
    int64_t growth = growth_of(l->steps, row->bytes_per_step, &n_steps);

    ps_json_object(json);
    ps_snapshot_write_node(l->stacks, PS_SNAPSHOT_PYTHON, row->node, json);
    ps_json_key_int(json, "group", groups->of_node[row->node]);
    ps_json_key_int(json, "bytes", row->bytes);
    ps_json_key_int(json, "count", row->count);
    ps_json_key_int_or_null(json, "growth", growth, growth > 0);
    for (int k = 0; k < 2; k++) {
        const int64_t *values = k ? row->count_per_step : row->bytes_per_step;

        ps_json_key(json, k ? "count_per_step" : "bytes_per_step");
        ps_json_array(json);
        for (size_t i = 0; i < l->steps->n; i++)
            ps_json_int(json, values[i]);
        ps_json_end(json);
    }
    ps_json_end(json);
}

enum ps_status ps_view_snapshot_leaks(struct ps_db *db, const struct ps_view *view, int64_t id,
                                      struct ps_params params, struct ps_answer *answer,
                                      struct ps_err *err)
{
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};
    PS_AUTO(ps_snapshot_steps_free) struct ps_snapshot_steps steps = {.items = NULL};
    PS_AUTO(leaks_free) struct leaks l = {.steps = &steps};
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_snapshot_device_row device;
    int64_t limit, rest_bytes, rest_count;

    (void)view, (void)id;
    ps_snapshot_param_device(db, params, &device, err);
    ps_param_int(params, "from", 0, device.events > 0 ? device.events - 1 : 0, 0, &l.from, err);
    ps_param_int(params, "limit", 0, ROWS_MAX, ROWS_DEFAULT, &limit, err);
    if (err->code != PS_OK || param_steps(db, &device, params, l.from, &steps, err) != PS_OK ||
        ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK ||
        ps_snapshot_groups_read(db, &device, stacks, &groups, err) != PS_OK)
        return err->code;
    l.stacks = stacks;
    if (read_rows(db, &device, (size_t)limit, &l, err) != PS_OK)
        return err->code;
    rest_bytes = l.bytes;
    rest_count = l.count;
    ps_json_object(&json);
    ps_json_key_int(&json, "device", device.number);
    ps_json_key_int(&json, "from", l.from);
    write_steps(&steps, &json);
    ps_json_key_int(&json, "bytes", l.bytes);
    ps_json_key_int(&json, "count", l.count);
    ps_json_key(&json, "rows");
    ps_json_array(&json);
    for (size_t i = 0; i < l.n_shown; i++) {
        write_row(&l, &groups, &l.rows[i], &json);
        rest_bytes = ps_snapshot_add(rest_bytes, -l.rows[i].bytes);
        rest_count -= l.rows[i].count;
    }
    ps_json_end(&json);
    ps_json_key(&json, "omitted");
    ps_json_object(&json);
    ps_json_key_int(&json, "rows", (int64_t)(l.n_rows - l.n_shown));
    ps_json_key_int(&json, "bytes", rest_bytes);
    ps_json_key_int(&json, "count", rest_count);
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}
