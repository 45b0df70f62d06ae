/* SPDX-License-Identifier: MIT */
/*
 * track.c: converts the records of one thread to tracks: columns of slices that are sorted, matched
 * (begin and end events), nested and assigned to lanes.
 *
 * Records are read page by page and written directly to columns, so that the records of a thread
 * are never in memory twice. Records that are not slices are passed to flows.c, counters.c and
 * async.c.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/trace/import.h"

/* --- Columns --- */

static void *new_column(const struct tr_track *track, uint32_t n, size_t size)
{
    return tr_scratch_grow(track->scratch, NULL, n ? n : 1, size);
}

/* Allocates the columns that are read from the file. The columns of the tree are allocated once the
 * records are released. */
struct tr_track tr_track_new(struct tr_scratch *scratch, enum ps_track_kind kind, uint32_t n)
{
    struct tr_track track = {.scratch = scratch, .kind = kind, .device = -1};

    track.stream = -1;
    track.tid = INT64_MIN;
    track.start = new_column(&track, n, sizeof *track.start);
    track.duration = new_column(&track, n, sizeof *track.duration);
    track.args_address = new_column(&track, n, sizeof *track.args_address);
    track.name_id = new_column(&track, n, sizeof *track.name_id);
    track.template = new_column(&track, n, sizeof *track.template);
    track.category = new_column(&track, n, sizeof *track.category);
    track.slice_kind = new_column(&track, n, sizeof *track.slice_kind);
    track.flags = new_column(&track, n, sizeof *track.flags);
    track.family = tr_scratch_alloc(scratch, n, sizeof *track.family);
    return track;
}

void tr_track_add_tree_columns(struct tr_track *track)
{
    track->self = new_column(track, track->n, sizeof *track->self);
    track->parent = new_column(track, track->n, sizeof *track->parent);
    track->lane = tr_scratch_alloc(track->scratch, track->n, sizeof *track->lane);
}

int64_t *tr_track_extra_column(struct tr_track *track, enum tr_extra_column which)
{
    if (!track->extra[which])
        track->extra[which] = tr_scratch_alloc(track->scratch, track->n, sizeof(int64_t));
    return track->extra[which];
}

/* Returns the complete pages between rows `from` and `to` of a column to the system. */
static void drop_rows(const struct tr_track *track, void *column, size_t size, uint32_t from,
                      uint32_t to)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = ((uintptr_t)column + from * size + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)column + to * size) & ~(page - 1);

    if (column && at < end && !tr_scratch_contains(track->scratch, column))
        (void)madvise((void *)at, end - at, MADV_DONTNEED);
}

void tr_track_drop_rows(struct tr_track *track, uint32_t from, uint32_t to)
{
    drop_rows(track, track->start, sizeof *track->start, from, to);
    drop_rows(track, track->duration, sizeof *track->duration, from, to);
    drop_rows(track, track->self, sizeof *track->self, from, to);
    drop_rows(track, track->args_address, sizeof *track->args_address, from, to);
    drop_rows(track, track->name_id, sizeof *track->name_id, from, to);
    drop_rows(track, track->template, sizeof *track->template, from, to);
    drop_rows(track, track->parent, sizeof *track->parent, from, to);
    for (int i = 0; i < TR_N_EXTRAS; i++)
        drop_rows(track, track->extra[i], sizeof *track->extra[i], from, to);
}

void tr_track_free(struct tr_track *track)
{
    void *columns[] = {track->start,    track->duration,   track->self,   track->args_address,
                       track->name_id,  track->template,   track->parent, track->lane,
                       track->category, track->slice_kind, track->flags,  track->family};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        tr_scratch_free(track->scratch, columns[i]);
    for (int i = 0; i < TR_N_EXTRAS; i++)
        tr_scratch_free(track->scratch, track->extra[i]);
    *track = (struct tr_track){.id = track->id};
}

struct ps_str tr_packed_args(const struct tr_trace *trace, uint64_t args_at)
{
    if (args_at & TR_IMPORT_ARGS)
        return ps_str_skip(ps_buf_slice(&trace->import->args), args_at & ~TR_IMPORT_ARGS);
    return tr_params_at(trace, args_at);
}

bool tr_read_slice_param(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                         int index, int64_t *out)
{
    struct tr_record record = {.template = track->template[row]};

    if (index < 0 || (track->args_address[row] & TR_IMPORT_ARGS))
        return false;
    record.args_address = track->args_address[row] & ((UINT64_C(1) << 40) - 1);
    return tr_read_param(trace, &record, index, out);
}

/* --- Order --- */

/*
 * Stable sorting of data that is nearly sorted.
 *
 * Trace writers put one sorted list after another, or each call after the calls it made. So
 * existing runs are detected (descending runs are reversed), short runs are extended by insertion,
 * and neighbouring runs are merged until one run is left.
 */

#define RUN_MIN      16
#define BYTES_SORTED 32 /* approximate bytes read and written per item */

struct sort_state {
    struct tr_scratch *scratch;
    const void *list;
    tr_less less;
    uint32_t *order, *scratch_order;
    size_t *runs; /* start index of each run, then the end index of the last run */
    size_t n_runs, cap_runs;
};

static void run_begins(struct sort_state *s, size_t at)
{
    PS_RESERVE_ONE(s->runs, s->n_runs, s->cap_runs);
    s->runs[s->n_runs++] = at;
}

static void reverse(uint32_t *order, size_t from, size_t to)
{
    while (from + 1 < to) {
        uint32_t kept = order[from];

        order[from++] = order[--to];
        order[to] = kept;
    }
}

/* Inserts [sorted, to) into the sorted range [from, sorted). */
static void insertion_sort(const struct sort_state *s, size_t from, size_t sorted, size_t to)
{
    for (; sorted < to; sorted++) {
        uint32_t item = s->order[sorted];
        size_t at = sorted;

        for (; at > from && s->less(s->list, item, s->order[at - 1]); at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = item;
    }
}

/* Returns the end of the run that begins at `from`, after putting the run into ascending order. */
static size_t extend_run(struct sort_state *s, size_t from, size_t n)
{
    size_t to = from + 1;

    if (to < n && s->less(s->list, s->order[to], s->order[from])) {
        while (to < n && s->less(s->list, s->order[to], s->order[to - 1]))
            to++;
        reverse(s->order, from, to);
    }
    while (to < n && !s->less(s->list, s->order[to], s->order[to - 1]))
        to++;
    if (to - from < RUN_MIN && to < n) {
        size_t least = n - from < RUN_MIN ? n : from + RUN_MIN;

        insertion_sort(s, from, to, least);
        to = least;
    }
    return to;
}

static void merge_runs(const struct sort_state *s, size_t from, size_t middle, size_t to)
{
    size_t left = from, right = middle, at = from;

    while (left < middle && right < to) {
        tr_scratch_count_row(s->scratch, at);
        s->scratch_order[at++] = s->less(s->list, s->order[right], s->order[left])
                                     ? s->order[right++]
                                     : s->order[left++];
    }
    memcpy(s->scratch_order + at, s->order + left, (middle - left) * sizeof *s->order);
    at += middle - left;
    memcpy(s->scratch_order + at, s->order + right, (to - right) * sizeof *s->order);
}

/* Merges each run with its right neighbour. */
static void halve_runs(struct sort_state *s)
{
    size_t n = s->n_runs - 1, kept = 0;
    uint32_t *order;

    for (size_t i = 0; i < n; i += 2) {
        size_t from = s->runs[i], middle = s->runs[i + 1];
        size_t to = i + 1 < n ? s->runs[i + 2] : middle;

        merge_runs(s, from, middle, to);
        s->runs[kept++] = from;
    }
    s->runs[kept++] = s->runs[n];
    s->n_runs = kept;
    order = s->order;
    s->order = s->scratch_order;
    s->scratch_order = order;
}

static bool is_in_order(struct tr_scratch *scratch, const void *list, size_t n, tr_less less)
{
    for (size_t i = 1; i < n; i++) {
        if (less(list, (uint32_t)i, (uint32_t)i - 1))
            return false;
        tr_scratch_count_row(scratch, i);
    }
    return true;
}

uint32_t *tr_sort_order(struct tr_scratch *scratch, const void *list, size_t n, tr_less less)
{
    struct sort_state s = {.scratch = scratch, .list = list, .less = less};

    if (is_in_order(scratch, list, n, less))
        return NULL;
    s.order = tr_scratch_grow(scratch, NULL, n, sizeof *s.order);
    for (size_t i = 0; i < n; i++)
        s.order[i] = (uint32_t)i;
    for (size_t at = 0, to; at < n; at = to) {
        to = extend_run(&s, at, n);
        run_begins(&s, at);
        tr_scratch_count_bytes(scratch, (to - at) * BYTES_SORTED);
    }
    run_begins(&s, n);
    if (s.n_runs > 2)
        s.scratch_order = tr_scratch_grow(scratch, NULL, n, sizeof *s.scratch_order);
    while (s.n_runs > 2)
        halve_runs(&s);
    tr_scratch_free(scratch, s.scratch_order);
    free(s.runs);
    return s.order;
}

static bool starts_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_track *t = list;

    return t->start[a] < t->start[b];
}

static bool encloses_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_track *t = list;

    if (t->start[a] != t->start[b])
        return t->start[a] < t->start[b];
    return t->duration[a] > t->duration[b];
}

/* Reorders [from, to) of a column; `order` maps this range onto itself. */
static void reorder_column(void *column, size_t size, const uint32_t *order, size_t from, size_t to,
                           char *scratch)
{
    char *bytes = column;

    for (size_t i = from; i < to; i++)
        memcpy(scratch + (i - from) * size, bytes + order[i] * size, size);
    memcpy(bytes + from * size, scratch, (to - from) * size);
}

static void reorder_all(struct tr_track *track, const uint32_t *order, size_t from, size_t to,
                        char *scratch)
{
    reorder_column(track->start, sizeof *track->start, order, from, to, scratch);
    reorder_column(track->duration, sizeof *track->duration, order, from, to, scratch);
    reorder_column(track->args_address, sizeof *track->args_address, order, from, to, scratch);
    reorder_column(track->name_id, sizeof *track->name_id, order, from, to, scratch);
    reorder_column(track->template, sizeof *track->template, order, from, to, scratch);
    reorder_column(track->category, sizeof *track->category, order, from, to, scratch);
    reorder_column(track->slice_kind, sizeof *track->slice_kind, order, from, to, scratch);
    reorder_column(track->flags, sizeof *track->flags, order, from, to, scratch);
    reorder_column(track->family, sizeof *track->family, order, from, to, scratch);
}

/* Returns the end of the shortest range from `from` on that `order` maps onto itself. */
static size_t closed_range_end(const uint32_t *order, size_t from)
{
    size_t farthest = order[from], i = from;

    for (; i < farthest; i++)
        farthest = order[i + 1] > farthest ? order[i + 1] : farthest;
    return i + 1;
}

void tr_track_sort(struct tr_track *track, bool by_length)
{
    uint32_t *order =
        tr_sort_order(track->scratch, track, track->n, by_length ? encloses_before : starts_before);
    size_t cap = 0;
    char *buffer = NULL;

    /* Rows are mostly out of order by a few positions only. */
    for (size_t from = 0, to; order && from < track->n; from = to) {
        to = closed_range_end(order, from);
        if (to - from > cap) {
            cap = (to - from) * 2;
            buffer = tr_scratch_grow(track->scratch, buffer, cap, sizeof(int64_t));
        }
        if (to - from > 1)
            reorder_all(track, order, from, to, buffer);
        tr_scratch_count_bytes(track->scratch, (to - from) * BYTES_SORTED);
    }
    tr_scratch_free(track->scratch, buffer);
    tr_scratch_free(track->scratch, order);
}

/* --- Begin and end events --- */

/*
 * In order of time (at equal times: file order) an E ends the innermost open B, whatever its name.
 * The arguments of E are added to the arguments of B; an argument of E replaces an argument of B
 * with the same key. A B without E is extended to the end of the trace; an E without B began before
 * the recording and is rejected.
 */

struct pair_state {
    struct tr_trace *trace;
    struct tr_track *track;
    uint32_t *open; /* rows of open B events */
    size_t n, cap;
    struct ps_buf begin, end, merged; /* JSON of the arguments */
};

static void args_json(const struct pair_state *p, uint32_t row, struct ps_buf *out)
{
    uint32_t template = p->track->template[row];

    out->len = 0;
    ps_args_json(p->trace->templates[template].text,
                 tr_packed_args(p->trace, p->track->args_address[row]), false, out);
}

/* Sets p->merged to an object with all members of p->begin that p->end lacks, then all members of
 * p->end. */
static void merge_objects(struct pair_state *p)
{
    struct ps_str rest = tr_args_object(ps_buf_slice(&p->begin));
    struct ps_str over = tr_args_object(ps_buf_slice(&p->end));
    struct tr_member member;

    p->merged.len = 0;
    ps_buf_puts(&p->merged, "{");
    while (tr_next_member(&rest, &member)) {
        if (ps_template_value(ps_buf_slice(&p->end), member.key, false).ptr)
            continue;
        if (p->merged.len > 1)
            ps_buf_puts(&p->merged, ",");
        ps_buf_add_str(&p->merged, member.text);
    }
    if (p->merged.len > 1 && over.len)
        ps_buf_puts(&p->merged, ",");
    ps_buf_add_str(&p->merged, over);
    ps_buf_puts(&p->merged, "}");
}

static void merge_args(struct pair_state *p, uint32_t begin, uint32_t end)
{
    struct tr_track *track = p->track;
    struct tr_import_state *import = p->trace->import;

    if (track->template[end] == 0)
        return;
    /* B and E have the same keys, as py-spy writes them, so the values of E replace all values of
     * B. */
    if (track->template[begin] == 0 || (track->template[begin] == track->template[end] &&
                                        track->template[end] != PS_TEMPLATE_WHOLE)) {
        track->template[begin] = track->template[end];
        track->args_address[begin] = track->args_address[end];
        return;
    }
    args_json(p, begin, &p->begin);
    args_json(p, end, &p->end);
    merge_objects(p);
    track->template[begin] = PS_TEMPLATE_WHOLE;
    track->args_address[begin] = TR_IMPORT_ARGS | import->args.len;
    ps_args_put_arguments(&import->args, ps_buf_slice(&p->merged));
}

static void pair_end(struct pair_state *p, uint32_t row)
{
    struct tr_track *track = p->track;
    uint32_t begin;

    if (track->family[row] == 'B') {
        TR_SCRATCH_PUSH(p->trace->scratch, p->open, p->n, p->cap);
        p->open[p->n++] = row;
    } else if (track->family[row] == 'E' && p->n == 0) {
        p->trace->import->remark_counts[TR_REMARK_UNOPENED]++;
        p->trace->import->rejected++;
    } else if (track->family[row] == 'E') {
        begin = p->open[--p->n];
        track->duration[begin] = track->start[row] - track->start[begin];
        if (track->name_id[begin] == 0)
            track->name_id[begin] = track->name_id[row];
        merge_args(p, begin, row);
    }
}

static void end_with_trace(struct pair_state *p)
{
    struct tr_track *track = p->track;

    for (size_t i = 0; i < p->n; i++) {
        uint32_t row = p->open[i];
        int64_t left = tr_open_until(p->trace) - track->start[row];

        track->duration[row] = left > 0 ? left : 0;
        track->flags[row] |= PS_SLICE_UNCLOSED;
    }
    p->trace->import->remark_counts[TR_REMARK_UNCLOSED] += p->n;
}

/* Removes the rows of E events and the marks of B events. Returns whether complete events (X)
 * remain. */
static bool drop_ends(struct tr_track *track)
{
    uint32_t kept = 0;
    bool complete = false;

    for (uint32_t row = 0; row < track->n; row++) {
        tr_scratch_count_row(track->scratch, row);
        if (track->family[row] == 'E')
            continue;
        complete |= track->family[row] == 0 && !(track->flags[row] & PS_SLICE_INSTANT);
        track->start[kept] = track->start[row];
        track->duration[kept] = track->duration[row];
        track->args_address[kept] = track->args_address[row];
        track->name_id[kept] = track->name_id[row];
        track->template[kept] = track->template[row];
        track->category[kept] = track->category[row];
        track->slice_kind[kept] = track->slice_kind[row];
        track->flags[kept] = track->flags[row];
        track->family[kept++] = 0;
    }
    track->n = kept;
    return complete;
}

/* Converts the B and E rows of a track (marked in the column `family`) to sorted slices. */
static void match_begin_end(struct tr_trace *trace, struct tr_track *track)
{
    struct pair_state p = {.trace = trace, .track = track};

    tr_track_sort(track, false);
    for (uint32_t row = 0; row < track->n; row++) {
        pair_end(&p, row);
        tr_scratch_count_row(track->scratch, row);
    }
    end_with_trace(&p);
    /* Rows of B events are already in tree order, including rows of length 0; with rows of X
     * events, sort also by length. */
    if (drop_ends(track))
        tr_track_sort(track, true);
    tr_scratch_free(trace->scratch, p.open);
    ps_buf_free(&p.begin);
    ps_buf_free(&p.end);
    ps_buf_free(&p.merged);
}

/* --- Lanes --- */

/*
 * Each of several overlapping intervals is put on the first free lane. A segment tree of minimum
 * end times finds this lane in O(log lanes), so that a million overlapping intervals take little
 * time.
 */

/* maximum number of lanes; an interval without a free lane shares the last lane */
#define LANES_MAX 32768u

/* Doubles the number of leaves. New lanes are free at every time. */
static void double_lanes(struct tr_lanes *lanes)
{
    uint32_t leaves = lanes->n_leaves ? lanes->n_leaves * 2 : 8;
    int64_t *ends = ps_grow(NULL, (size_t)leaves * 2, sizeof *ends);

    for (uint32_t i = 0; i < leaves; i++)
        ends[leaves + i] = i < lanes->n_leaves ? lanes->ends[lanes->n_leaves + i] : INT64_MIN;
    for (uint32_t i = leaves - 1; i > 0; i--)
        ends[i] = ends[2 * i] < ends[2 * i + 1] ? ends[2 * i] : ends[2 * i + 1];
    free(lanes->ends);
    lanes->ends = ends;
    lanes->n_leaves = leaves;
}

/* Returns the first leaf below `node` that is free at `start`; the minimum of the node is <=
 * start. */
static uint32_t first_below(const struct tr_lanes *lanes, uint32_t node, int64_t start)
{
    while (node < lanes->n_leaves) {
        node *= 2;
        if (lanes->ends[node] > start)
            node++;
    }
    return node - lanes->n_leaves;
}

/* Returns the first free leaf at or after `from`; lanes->n_leaves if there is none. */
static uint32_t find_lane(const struct tr_lanes *lanes, uint32_t from, int64_t start)
{
    uint32_t node = lanes->n_leaves + from;

    if (from >= lanes->n_leaves)
        return lanes->n_leaves;
    for (;;) {
        if (lanes->ends[node] <= start)
            return first_below(lanes, node, start);
        while (node & 1) { /* a right child: its parent has no leaves to the right of it */
            node >>= 1;
            if (node <= 1)
                return lanes->n_leaves;
        }
        node++;
    }
}

uint32_t tr_find_lane(struct tr_lanes *lanes, uint32_t from, int64_t start, int64_t end)
{
    uint32_t lane = find_lane(lanes, from, start);

    while (lane == lanes->n_leaves && lanes->n_leaves < LANES_MAX) {
        double_lanes(lanes);
        lane = find_lane(lanes, from, start);
    }
    if (lane >= lanes->n_leaves)
        lane = lanes->n_leaves - 1;
    for (uint32_t node = lanes->n_leaves + lane; node; node >>= 1) {
        int64_t least = end;

        if (node < lanes->n_leaves)
            least = lanes->ends[2 * node] < lanes->ends[2 * node + 1] ? lanes->ends[2 * node]
                                                                      : lanes->ends[2 * node + 1];
        lanes->ends[node] = least;
    }
    if (lane + 1 > lanes->n_used)
        lanes->n_used = lane + 1;
    return lane;
}

/* --- Parents, lanes and self times --- */

/*
 * Intervals are half-open: a slice that starts where another ends is its sibling. A slice that
 * starts inside another and ends after it does not fit into a tree. It keeps its times, and its
 * parent is the innermost slice that contains it completely. The slices after it are nested in the
 * slice that it overlaps until that one ends, and then in the overlapping slice. An overlap of at
 * most one unit of the file's resolution is a rounding error: such a slice is nested as its writer
 * intended.
 *
 * Every slice is on the first lane below its parent's that is free. Without overlaps that is its
 * level in the tree.
 *
 * Self time is the duration minus the union of the children, so it is never negative. Time that two
 * slices share without one containing the other counts for the slice that started first. So the
 * self times of a track add up to the time in which it has any slice.
 */

#define LANE_MAX (UINT16_MAX - 1)

struct open_slice {
    int64_t end;           /* at most that of the entry below on the stack */
    int64_t covered_until; /* the time before it belongs to children, or to what it overlaps */
    uint32_t row;          /* TR_NO_ROW: the bottom of the stack, which never ends */
    /* a row inside `row` that overlaps the entry above on the stack; TR_NO_ROW: none */
    uint32_t waiting;
    uint32_t level; /* lane of the children */
};

struct nest_state {
    struct tr_track *track;
    int64_t unit;
    struct open_slice *stack;
    size_t n, cap;
    uint32_t *apart; /* rows that get a lane below all others */
    size_t n_apart, cap_apart;
    uint32_t lanes, n_flagged;
};

static int64_t end_time_of(const struct tr_track *track, uint32_t row)
{
    return track->start[row] + track->duration[row];
}

static void push_open(struct nest_state *nest, uint32_t row, int64_t end)
{
    uint32_t level = nest->n ? nest->stack[nest->n - 1].level + 1 : 0;

    int64_t covered_until = INT64_MIN;

    if (row != TR_NO_ROW) /* it has no children yet */
        covered_until = end_time_of(nest->track, row) - nest->track->self[row];
    PS_RESERVE_ONE(nest->stack, nest->n, nest->cap);
    nest->stack[nest->n++] = (struct open_slice){.end = end,
                                                 .covered_until = covered_until,
                                                 .row = row,
                                                 .waiting = TR_NO_ROW,
                                                 .level = level};
}

/* Whether both slices are unclosed, and `row` begins where `open` ends. Unclosed slices extend to
 * the end of the trace, and contain unclosed slices that begin at that time. */
static bool are_both_unclosed(const struct nest_state *nest, const struct open_slice *open,
                              uint32_t row)
{
    return open->end == nest->track->start[row] && open->row != TR_NO_ROW &&
           nest->track->flags[row] & nest->track->flags[open->row] & PS_SLICE_UNCLOSED;
}

/* Closes the slices that ended by the start of `next`. A row that overlapped a closed slice and
 * ends later becomes the innermost open slice. */
static void close_until(struct nest_state *nest, uint32_t next)
{
    int64_t start = nest->track->start[next];

    while (nest->stack[nest->n - 1].end <= start &&
           !are_both_unclosed(nest, &nest->stack[nest->n - 1], next)) {
        struct open_slice *below = &nest->stack[--nest->n - 1];
        uint32_t row = below->waiting;

        if (row == TR_NO_ROW)
            continue;
        below->waiting = TR_NO_ROW;
        if (end_time_of(nest->track, row) > start)
            push_open(nest, row, end_time_of(nest->track, row));
    }
}

/* Returns the index of the innermost stack entry that ends at or after `end`. Ends decrease from
 * the bottom to the top of the stack. */
static size_t find_enclosing(const struct nest_state *nest, int64_t end)
{
    size_t low = 0, high = nest->n - 1;

    while (low < high) {
        size_t middle = (low + high + 1) / 2;

        if (nest->stack[middle].end >= end)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Makes row a child of the stack entry `parent`. */
static void adopt_row(struct nest_state *nest, size_t parent, uint32_t row, int64_t end)
{
    struct open_slice *open = &nest->stack[parent];
    struct tr_track *track = nest->track;
    int64_t from = track->start[row];

    track->parent[row] = open->row;
    if (from < open->covered_until)
        from = open->covered_until;
    track->self[row] = from < end_time_of(track, row) ? end_time_of(track, row) - from : 0;
    if (end > from) {
        if (open->row != TR_NO_ROW)
            track->self[open->row] -= end - from;
        open->covered_until = end;
    }
}

static void flag_overlap(struct nest_state *nest, uint32_t row, int64_t end)
{
    size_t at = find_enclosing(nest, end);
    struct open_slice *open = &nest->stack[at];

    adopt_row(nest, at, row, end);
    if (open->waiting == TR_NO_ROW || end_time_of(nest->track, open->waiting) < end)
        open->waiting = row;
    nest->track->flags[row] |= PS_SLICE_OVERLAP;
    nest->n_flagged++;
}

static void set_lane(struct nest_state *nest, uint32_t row)
{
    uint32_t level = nest->stack[nest->n - 1].level;

    if (level > LANE_MAX)
        level = LANE_MAX;
    nest->track->lane[row] = (uint16_t)level;
    if (level >= nest->lanes)
        nest->lanes = level + 1;
}

/* Whether the row is a wait on the track of a stream. Such a wait is a wait of the host, so device
 * work during the wait is not nested in it. */
static bool is_host_wait(const struct tr_track *track, uint32_t row)
{
    return track->kind == PS_TRACK_STREAM && track->slice_kind[row] == PS_SLICE_SYNC;
}

static void set_apart(struct nest_state *nest, uint32_t row)
{
    nest->track->parent[row] = TR_NO_ROW;
    nest->track->self[row] = nest->track->duration[row];
    TR_SCRATCH_PUSH(nest->track->scratch, nest->apart, nest->n_apart, nest->cap_apart);
    nest->apart[nest->n_apart++] = row;
}

static void place_row(struct nest_state *nest, uint32_t row)
{
    int64_t end = end_time_of(nest->track, row), top;

    if (is_host_wait(nest->track, row)) {
        set_apart(nest, row);
        return;
    }
    close_until(nest, row);
    top = nest->stack[nest->n - 1].end;
    if (end > top && end - top > nest->unit) {
        flag_overlap(nest, row, end);
        return;
    }
    if (end > top)
        end = top;
    adopt_row(nest, nest->n - 1, row, end);
    set_lane(nest, row);
    if (end > nest->track->start[row] || nest->track->flags[row] & PS_SLICE_UNCLOSED)
        push_open(nest, row, end);
}

/* Puts each slice on the first lane below its parent's that is free. Rounding errors are no
 * overlaps, so for what fits into the tree a lane is free one unit before its slice ends. */
static void pack_lanes(struct nest_state *nest)
{
    struct tr_track *track = nest->track;
    struct tr_lanes lanes = {0};

    for (uint32_t row = 0; row < track->n; row++) {
        int64_t start = track->start[row];
        uint32_t parent = track->parent[row], below = 0, lane;

        tr_scratch_count_row(track->scratch, row);
        if (is_host_wait(track, row))
            continue;
        if (parent != TR_NO_ROW)
            below = track->lane[parent] + 1u;
        lane = tr_find_lane(&lanes, below,
                            track->flags[row] & PS_SLICE_OVERLAP ? start : start + nest->unit,
                            end_time_of(track, row));
        track->lane[row] = (uint16_t)(lane < LANE_MAX ? lane : LANE_MAX);
    }
    nest->lanes = lanes.n_used;
    free(lanes.ends);
}

/* Assigns lanes below all others to the rows that stand apart. */
static void place_apart(struct nest_state *nest)
{
    struct tr_lanes lanes = {0};

    for (size_t i = 0; i < nest->n_apart; i++) {
        uint32_t row = nest->apart[i];
        uint32_t lane =
            tr_find_lane(&lanes, 0, nest->track->start[row], end_time_of(nest->track, row));

        lane += nest->lanes;
        nest->track->lane[row] = (uint16_t)(lane < LANE_MAX ? lane : LANE_MAX);
        tr_scratch_count_row(nest->track->scratch, i);
    }
    nest->track->n_lanes = nest->lanes + lanes.n_used;
    if (nest->track->n_lanes > UINT16_MAX)
        nest->track->n_lanes = UINT16_MAX;
    free(lanes.ends);
}

uint32_t tr_track_nest(struct tr_track *track, int64_t unit)
{
    struct nest_state nest = {.track = track, .unit = unit};

    push_open(&nest, TR_NO_ROW, INT64_MAX);
    nest.stack[0].level = 0;
    for (uint32_t row = 0; row < track->n; row++) {
        place_row(&nest, row);
        tr_scratch_count_row(track->scratch, row);
        if (end_time_of(track, row) > track->end_ns || row == 0)
            track->end_ns = end_time_of(track, row);
    }
    track->start_ns = track->n ? track->start[0] : 0;
    if (nest.n_flagged)
        pack_lanes(&nest);
    place_apart(&nest);
    free(nest.stack);
    tr_scratch_free(track->scratch, nest.apart);
    return nest.n_flagged;
}

/* --- The slice that is open at a time --- */

/* The times must be in ascending order, so that each row is opened and closed only once,
 * independent of the nesting depth. */

static void close_ended(struct tr_sweep *sweep, int64_t time)
{
    while (sweep->n && end_time_of(sweep->track, sweep->open_rows[sweep->n - 1]) <= time)
        sweep->n--;
}

uint32_t tr_sweep_advance(struct tr_sweep *sweep, int64_t time)
{
    const struct tr_track *track = sweep->track;

    for (; sweep->next_row < track->n && track->start[sweep->next_row] <= time; sweep->next_row++) {
        uint32_t row = sweep->next_row;

        tr_scratch_count_row(track->scratch, row);
        if (track->duration[row] == 0 || (sweep->accepts && !sweep->accepts(track, row)))
            continue;
        close_ended(sweep, track->start[row]);
        TR_SCRATCH_PUSH(track->scratch, sweep->open_rows, sweep->n, sweep->cap);
        sweep->open_rows[sweep->n++] = row;
    }
    close_ended(sweep, time);
    return sweep->n ? sweep->open_rows[sweep->n - 1] : TR_NO_ROW;
}

void tr_sweep_free(struct tr_sweep *sweep)
{
    if (sweep->open_rows)
        tr_scratch_free(sweep->track->scratch, sweep->open_rows);
    sweep->open_rows = NULL;
}

/* --- Records to tracks --- */

/* Maximum of times and durations, so that the sum of two cannot overflow. */
#define TIME_MAX (INT64_MAX / 4)

struct gather {
    struct tr_trace *trace;
    struct tr_import_state *import;
    struct tr_thread_facts *facts;
    uint32_t thread;
    struct tr_track track[TR_N_CLASSES];
    bool is_unsorted[TR_N_CLASSES];
    bool waits; /* the tid is not a stream, so its waits are waits of the device */
};

static const uint8_t track_kinds[TR_N_CLASSES] = {
    [TR_CLASS_THREAD] = PS_TRACK_THREAD,
    [TR_CLASS_STREAM] = PS_TRACK_STREAM,
    [TR_CLASS_ANNOTATIONS] = PS_TRACK_STREAM_ANNOTATIONS,
    [TR_CLASS_SYNC] = PS_TRACK_SYNC,
    [TR_CLASS_OVERHEAD] = PS_TRACK_OVERHEAD,
    [TR_CLASS_SPAN] = PS_TRACK_SPAN,
};

static int64_t time_of(const struct gather *g, int64_t ts)
{
    int64_t time;

    if (__builtin_sub_overflow(ts, g->import->shift_ns, &time) || time > TIME_MAX)
        return TIME_MAX;
    return time > 0 ? time : 0;
}

static int64_t duration_of(struct gather *g, int64_t duration)
{
    if (duration >= 0)
        return duration < TIME_MAX ? duration : TIME_MAX;
    g->import->remark_counts[duration == TR_NO_DURATION ? TR_REMARK_NO_DURATION
                                                        : TR_REMARK_NEGATIVE_DURATION]++;
    return 0;
}

static uint8_t kind_of(struct gather *g, const struct tr_record *r, int64_t start_ns,
                       int64_t duration_ns)
{
    const struct tr_category *category = &g->trace->categories[r->category];

    if (g->import->xla)
        return (uint8_t)tr_xla_add(g->trace, g->thread, r, start_ns, duration_ns);
    return category->is_mtia ? (uint8_t)tr_kind_of_work(tr_text_of_id(g->trace, r->name))
                             : category->kind;
}

static void put_row(struct gather *g, enum tr_track_class kind, const struct tr_record *r,
                    int64_t duration, uint8_t flags, uint8_t mark)
{
    struct tr_track *track = &g->track[kind];
    uint32_t row = track->n++;
    int64_t start = time_of(g, r->ts_ns);

    track->start[row] = start;
    track->duration[row] = duration;
    track->args_address[row] = r->args_address;
    track->name_id[row] = r->name;
    track->template[row] = r->template;
    track->category[row] = r->category;
    track->slice_kind[row] = kind_of(g, r, start, duration);
    track->flags[row] = flags;
    track->family[row] = mark;
    if (row && (start < track->start[row - 1] ||
                (start == track->start[row - 1] && duration > track->duration[row - 1])))
        g->is_unsorted[kind] = true;
}

static enum tr_track_class class_of(const struct gather *g, const struct tr_record *r)
{
    uint8_t kind = g->import->category_class[r->category];

    return kind == TR_CLASS_SYNC && !g->waits ? TR_CLASS_STREAM : kind;
}

static void put_instant(struct gather *g, const struct tr_record *r)
{
    uint8_t rest = g->import->other_fields[r->template];

    if (rest & (TR_FIELD_PROCESS | TR_FIELD_GLOBAL))
        tr_instant_add(g->trace, g->facts->process, r);
    else
        put_row(g, TR_CLASS_THREAD, r, 0, PS_SLICE_INSTANT, 0);
}

static void count_remark(struct gather *g, enum tr_remark what)
{
    g->import->remark_counts[what]++;
}

/* Handles a record that is not a slice of its thread. */
static void handle_other_record(struct gather *g, const struct tr_record *r)
{
    char ph = (char)r->phase;

    if (ph == 's' || ph == 't' || ph == 'f')
        tr_flow_add(g->trace, r);
    else if (ph == 'C')
        tr_counter_add(g->trace, g->facts->process, r);
    else if (strchr("bneSTpF", ph) && ph)
        tr_async_add(g->trace, g->facts->process, r);
    else if (ph == 'P')
        count_remark(g, TR_REMARK_SAMPLE);
    else if (ph == 'N' || ph == 'O' || ph == 'D')
        count_remark(g, TR_REMARK_OBJECT);
    else if (ph == 'V' || ph == 'v')
        count_remark(g, TR_REMARK_DUMP);
    else if (ph == 'c' || ph == '(' || ph == ')' || ph == '=')
        count_remark(g, TR_REMARK_CLOCK);
    else if (ph == 'M')
        count_remark(g, TR_REMARK_METADATA);
    else {
        count_remark(g, TR_REMARK_UNKNOWN);
        g->import->unknown_phase = ph;
    }
}

static bool is_memory(const struct gather *g, const struct tr_record *r)
{
    return r->name && r->name == g->import->memory_name;
}

static void add_records(void *user, const struct tr_record *records, size_t n)
{
    struct gather *g = user;

    for (size_t i = 0; i < n; i++) {
        const struct tr_record *r = &records[i];

        switch (r->phase) {
        case 'X':
            put_row(g, class_of(g, r), r, duration_of(g, r->dur_or_id), 0, 0);
            break;
        case 'B':
        case 'E':
            put_row(g, TR_CLASS_THREAD, r, 0, 0, (uint8_t)r->phase);
            break;
        case 'i':
        case 'I':
        case 'R':
            if (!is_memory(g, r))
                put_instant(g, r);
            break;
        default:
            handle_other_record(g, r);
        }
    }
}

static void finish_track(struct gather *g, enum tr_track_class kind)
{
    struct tr_track *track = &g->track[kind];
    struct tr_import_state *import = g->import;

    if (kind == TR_CLASS_THREAD && g->facts->has_begin_end)
        match_begin_end(g->trace, track);
    else if (g->is_unsorted[kind])
        tr_track_sort(track, true);
    tr_track_add_tree_columns(track);
    track->id = track->n ? ++import->n_tracks : 0;
    import->remark_counts[TR_REMARK_OVERLAP] += tr_track_nest(track, import->resolution_ns);
    import->n_slices += track->n;
}

static void bind_flows(struct gather *g)
{
    struct tr_track *present[TR_N_CLASSES];
    static const enum tr_track_class order[] = {TR_CLASS_STREAM,      TR_CLASS_THREAD,
                                                TR_CLASS_SYNC,        TR_CLASS_SPAN,
                                                TR_CLASS_ANNOTATIONS, TR_CLASS_OVERHEAD};
    size_t n = 0;

    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g->track[order[i]].n)
            present[n++] = &g->track[order[i]];
    tr_flows_bind(g->trace, present, n);
}

enum ps_status tr_nest_thread(struct tr_trace *trace, struct tr_thread *thread,
                              struct tr_tracks *tracks)
{
    uint32_t index = (uint32_t)(thread - trace->threads);
    struct gather g = {.trace = trace, .import = trace->import, .thread = index};

    g.facts = &g.import->threads[index];
    g.waits = tr_thread_has_only_waits(thread);
    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g.facts->n[i]) {
            g.track[i] = tr_track_new(trace->scratch, track_kinds[i], g.facts->n[i]);
            tr_track_describe(trace, index, (enum tr_track_class)i, &g.track[i]);
        }
    tr_thread_visit_once(trace, thread, add_records, &g);
    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g.facts->n[i])
            finish_track(&g, (enum tr_track_class)i);
    bind_flows(&g);
    for (int i = 0; i < TR_N_CLASSES; i++) {
        if (g.track[i].n) {
            PS_RESERVE_ONE(tracks->items, tracks->n, tracks->cap);
            tracks->items[tracks->n++] = g.track[i];
        } else
            tr_track_free(&g.track[i]);
    }
    return ps_sink_ok(trace->out) ? PS_OK : trace->out->err.code;
}
