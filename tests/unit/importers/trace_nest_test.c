/* SPDX-License-Identifier: MIT */
/* From events to rows: sorting, nesting, overlaps, B and E, asynchronous events, flows, counters,
 * memory, the ledger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "importers/records/run.h"
#include "importers/records/trace.h"
#include "importers/trace/lanes.h"
#include "importers/trace/memory.h"
#include "importers/trace/nest.h"
#include "importers/trace/sort_order.h"
#include "importers/trace/track.h"
#include "tests/dump_sink.h"

/* What a trace becomes, in short lines. */
struct rows {
    struct dump_sink dump; /* first: the sink */
    struct ps_sink_ops ops;
    struct ps_buf out, args;
    struct ps_str *texts, *templates;
    size_t n_texts, n_templates;
    uint32_t tracks;
    enum ps_track_kind kind;
};

static void remember(struct ps_str **list, size_t *n, uint32_t id, struct ps_str text)
{
    *list = ps_grow(*list, (size_t)id + 1, sizeof **list);
    for (; *n <= id; (*n)++)
        (*list)[*n] = (struct ps_str){NULL, 0};
    (*list)[id] = (struct ps_str){ps_strdup(text), text.len};
}

static void on_text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    struct rows *rows = (struct rows *)sink;

    assert_int_equal(row->id, rows->n_texts ? rows->n_texts : 1);
    remember(&rows->texts, &rows->n_texts, row->id, row->text);
}

static void on_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    struct rows *rows = (struct rows *)sink;

    remember(&rows->templates, &rows->n_templates, row->id, row->text);
}

static struct ps_str text_of(const struct rows *rows, int64_t id)
{
    assert_true(id == 0 || (size_t)id < rows->n_texts);
    return id ? rows->texts[id] : (struct ps_str){"", 0};
}

static void on_process(struct ps_sink *sink, const struct ps_process *row)
{
    struct rows *rows = (struct rows *)sink;

    ps_buf_printf(&rows->out, "process %u pid %.*s '%.*s' sort %d device %d\n", row->id,
                  (int)row->pid.len, row->pid.ptr, (int)row->name.len, row->name.ptr,
                  (int)row->sort_key, (int)row->device);
}

static void on_track(struct ps_sink *sink, const struct ps_track *row)
{
    struct rows *rows = (struct rows *)sink;

    ps_buf_printf(&rows->out, "track %u of %u kind %d '%.*s' lanes %u\n", row->id, row->process,
                  (int)row->kind, (int)row->name.len, row->name.ptr, row->n_lanes);
    rows->kind = row->kind;
}

static void put_args(struct rows *rows, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i);
    size_t at = (size_t)ps_chunk_value(chunk, PS_COL_ARGS_AT, i);

    if (!template)
        return;
    assert_true((size_t) template <rows->n_templates);
    ps_buf_puts(&rows->out, " ");
    ps_args_json(rows->templates[template], ps_str_skip(chunk->args, at), false, &rows->out);
}

/* "name start+duration self lane<parent flags args" */
static void on_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct rows *rows = (struct rows *)sink;

    for (uint32_t i = 0; i < chunk->n; i++) {
        struct ps_str name = text_of(rows, ps_chunk_value(chunk, PS_COL_NAME, i));
        int64_t parent = ps_chunk_value(chunk, PS_COL_PARENT, i);

        ps_buf_printf(&rows->out, "%.*s %d+%d %d %d", (int)name.len, name.ptr,
                      (int)ps_chunk_value(chunk, PS_COL_START, i),
                      (int)ps_chunk_value(chunk, PS_COL_DURATION, i),
                      (int)ps_chunk_value(chunk, PS_COL_SELF, i),
                      (int)ps_chunk_value(chunk, PS_COL_DEPTH, i));
        if (parent)
            ps_buf_printf(&rows->out, "<%d", (int)(chunk->first + i - parent));
        if (ps_chunk_value(chunk, PS_COL_FLAGS, i))
            ps_buf_printf(&rows->out, " f%d", (int)ps_chunk_value(chunk, PS_COL_FLAGS, i));
        put_args(rows, chunk, i);
        ps_buf_puts(&rows->out, "\n");
    }
}

static void on_flow(struct ps_sink *sink, const struct ps_flow *row)
{
    struct rows *rows = (struct rows *)sink;
    struct ps_str kind = text_of(rows, row->kind);

    ps_buf_printf(&rows->out, "flow %.*s %d/%d -> %d/%d at %d -> %d\n", (int)kind.len, kind.ptr,
                  (int)(row->from_slice >> 32), (int)(row->from_slice & UINT32_MAX),
                  (int)(row->to_slice >> 32), (int)(row->to_slice & UINT32_MAX), (int)row->from_ns,
                  (int)row->to_ns);
}

static void on_counter(struct ps_sink *sink, const struct ps_counter *row)
{
    struct rows *rows = (struct rows *)sink;

    ps_buf_printf(&rows->out, "counter %u of %u '%.*s'\n", row->id, row->process,
                  (int)row->name.len, row->name.ptr);
}

static void on_count(struct ps_sink *sink, uint32_t counter, int64_t t_ns, double value)
{
    struct rows *rows = (struct rows *)sink;

    ps_buf_printf(&rows->out, "count %u %d = %g\n", counter, (int)t_ns, value);
}

static void free_list(struct ps_str *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free((void *)(uintptr_t)list[i].ptr);
    free(list);
}

static void import(struct rows *rows, struct ps_str json)
{
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    const struct ps_ledger *l = &rows->dump.ledger;

    memset(rows, 0, sizeof *rows);
    dump_sink_init(&rows->dump, NULL);
    rows->ops = *rows->dump.sink.ops;
    rows->ops.text = on_text;
    rows->ops.args_template = on_template;
    rows->ops.process = on_process;
    rows->ops.track = on_track;
    rows->ops.slices = on_slices;
    rows->ops.flow = on_flow;
    rows->ops.counter = on_counter;
    rows->ops.counter_value = on_count;
    rows->dump.sink.ops = &rows->ops;
    assert_int_equal(
        ps_import_stream(ps_stream_from_memory(json, 4096), &rows->dump.sink, &picked, &err),
        PS_OK);
    assert_true(rows->dump.has_ledger && rows->dump.has_headline);
    assert_int_equal(l->read, l->stored + l->repaired + l->rejected + l->other);
}

static void release(struct rows *rows)
{
    free_list(rows->texts, rows->n_texts);
    free_list(rows->templates, rows->n_templates);
    ps_buf_free(&rows->out);
}

/* The lines that the events become, without the process. */
static void check_all(const char *json, const char *expected, const char *from)
{
    struct rows rows;
    const char *at;

    import(&rows, ps_str_from_c(json));
    at = strstr(rows.out.ptr ? rows.out.ptr : "", from);
    assert_string_equal(at ? at : "", expected);
    release(&rows);
}

static void check(const char *json, const char *expected)
{
    check_all(json, expected, "track ");
}

#define X(name, ts, dur)                                                                           \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur "}"

static void slices_nest_half_open(void **state)
{
    (void)state;
    check("[" X("b", 15, 5) "," X("a", 10, 10) "," X("c", 20, 3) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\n"
          "a 0+10000 5000 0\nb 5000+5000 5000 1<0\nc 10000+3000 3000 0\n");
    check("[" X("inner", 0, 5) "," X("outer", 0, 10) "," X("same", 0, 10) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 3\n"
          "outer 0+10000 0 0\nsame 0+10000 5000 1<0\ninner 0+5000 5000 2<1\n");
}

static void slices_without_length_exist(void **state)
{
    (void)state;
    check("[" X("a", 1, 0) "," X("b", 1, 0) "," X("c", 1, 5) "," X("d", 6, 0) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\n"
          "c 0+5000 5000 0\na 0+0 0 1<0\nb 0+0 0 1<0\nd 5000+0 0 0\n");
}

static void what_overlaps_has_the_first_free_lane(void **state)
{
    (void)state;
    check("[" X("a", 0, 10) "," X("b", 5, 10) "," X("c", 14, 3) "," X("d", 11, 2) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 3\n"
          "a 0+10000 10000 0\nb 5000+10000 3000 1 f4\nd 11000+2000 2000 2<1\n"
          "c 14000+3000 2000 0 f4\n");
    check("[" X("p", 0, 30) "," X("a", 2, 10) "," X("b", 8, 10) "," X("c", 9, 1) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 4\n"
          "p 0+30000 14000 0\na 2000+10000 9000 1<0\nb 8000+10000 6000 2<0 f4\n"
          "c 9000+1000 1000 3<1\n");
}

/* profiler.step() is called in one step and returns in the next. */
static void steps_are_on_one_lane(void **state)
{
    (void)state;
    check("[" X("main", 0, 100) "," X("s1", 10, 30) "," X("fit", 12, 20) "," X("mm", 13, 10) "," X(
              "step()", 39, 3) "," X("s2", 41, 30) "," X("fit", 43, 20) "," X("mm", 44, 10) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 4\n"
          "main 0+100000 39000 0\ns1 10000+30000 10000 1<0\nfit 12000+20000 10000 2<1\n"
          "mm 13000+10000 10000 3<2\nstep() 39000+3000 2000 2<0 f4\ns2 41000+30000 9000 1<0 f4\n"
          "fit 43000+20000 10000 2<5\nmm 44000+10000 10000 3<6\n");
}

static void rounding_is_no_overlap(void **state)
{
    (void)state;
    check("[" X("a", 0, 10) "," X("b", 5, 6) "," X("c", 10, 5) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\n"
          "a 0+10000 5000 0\nb 5000+6000 6000 1<0\nc 10000+5000 5000 0\n");
    check("[" X("a", 0, 10) "," X("b", 5, 6) "," X("c", 10.001, 5) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\n"
          "a 0+10000 10000 0\nb 5000+6000 1000 1 f4\nc 10001+5000 4001 0 f4\n");
}

#define E(ph, name, ts)                                                                            \
    "{\"ph\":\"" ph "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts "}"

static void ends_close_the_innermost(void **state)
{
    (void)state;
    check("[" E("B", "a", 1) "," E("B", "b", 2) "," E("E", "a", 3) "," E("E", "b", 4) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\na 0+3000 2000 0\nb 1000+1000 1000 1<0\n");
    check("[" E("B", "a", 1) "," E("E", "a", 1) "," E("B", "b", 1) "," E("B", "c", 1) "," E(
              "E", "c", 1) "," E("E", "b", 5) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\n"
          "a 0+0 0 0\nb 0+4000 4000 0\nc 0+0 0 1<1\n");
    check("[" E("E", "a", 9) "," E("B", "b", 2) "," E("B", "a", 1) "," E("E", "b", 4) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\na 0+8000 6000 0\nb 1000+2000 2000 1<0\n");
}

static void what_is_not_ended_lasts_to_the_end(void **state)
{
    struct rows rows;

    (void)state;
    check("[" E("B", "a", 1) "," E("B", "b", 2) "," E("E", "b", 3) "," X("c", 4, 2) "]",
          "track 1 of 1 kind 0 'thread 1' lanes 2\n"
          "a 0+5000 2000 0 f2\nb 1000+1000 1000 1<0\nc 3000+2000 2000 1<0\n");
    import(&rows,
           PS_STR("[" E("E", "z", 1) "," E("B", "a", 2) "," E("E", "a", 3) "," E("E", "a", 4) "]"));
    assert_int_equal(rows.dump.ledger.rejected, 2);
    assert_int_equal(rows.dump.ledger.stored, 2);
    release(&rows);
}

static void arguments_of_the_end_win(void **state)
{
    (void)state;
    check("[{\"ph\":\"B\",\"name\":\"a\",\"ts\":1,\"pid\":1,\"tid\":1,\"args\":{\"x\":1,\"z\":\"q,}"
          "\"}},"
          "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":1,\"args\":{\"y\":2,\"x\":9}}]",
          "track 1 of 1 kind 0 'thread 1' lanes 1\n"
          "a 0+4000 4000 0 {\"z\":\"q,}\",\"y\":2,\"x\":9}\n");
    check("[{\"ph\":\"B\",\"name\":\"a\",\"ts\":1,\"pid\":1,\"tid\":1,\"args\":{\"x\":1}},"
          "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":1,\"args\":{\"x\":9}}]",
          "track 1 of 1 kind 0 'thread 1' lanes 1\na 0+4000 4000 0 {\"x\":9}\n");
}

static void instants_stand_where_they_belong(void **state)
{
    (void)state;
    check(
        "[" X("a", 0, 10) ",{\"ph\":\"i\",\"name\":\"t\",\"ts\":3,\"pid\":1,\"tid\":1},"
                          "{\"ph\":\"i\",\"name\":\"p\",\"ts\":4,\"pid\":1,\"tid\":1,\"s\":\"p\"}]",
        "track 1 of 1 kind 0 'thread 1' lanes 2\na 0+10000 10000 0\nt 3000+0 0 1<0 f1\n"
        "track 2 of 1 kind 4 'instants' lanes 1\np 4000+0 0 0 f1 {}\n");
}

#define A(ph, name, id, ts)                                                                        \
    "{\"ph\":\"" ph "\",\"cat\":\"c\",\"name\":\"" name "\",\"id\":\"" id                          \
    "\",\"pid\":1,\"tid\":1,\"ts\":" #ts "}"

static void asynchronous_events_meet_by_id(void **state)
{
    (void)state;
    check("[" A("b", "op", "x", 0) "," A("b", "op", "y", 2) "," A("b", "in", "x", 3) "," A(
              "n", "now", "x", 4) "," A("e", "in", "x", 5) "," A("e", "op", "x",
                                                                 9) "," A("e", "op", "y", 7) "]",
          "track 1 of 1 kind 3 'op' lanes 4\n"
          "op 0+9000 0 0 f8\nop 2000+5000 0 1 f8\nin 3000+2000 0 2<0 f8\nnow 4000+0 0 3<2 f9\n");
    check("[" A("S", "op", "a", 0) "," A("T", "op", "a", 1) "," A("F", "op", "a", 5) "," A(
              "b", "open", "z", 2) "," A("e", "none", "w", 3) "]",
          "track 1 of 1 kind 3 'op' lanes 2\nop 0+5000 0 0 f8\nop 1000+0 0 1<0 f9\n"
          "track 2 of 1 kind 3 'open' lanes 1\nopen 2000+3000 0 0 f10\n");
}

static void flows_join_slices(void **state)
{
    (void)state;
    check_all(
        "[" X(
            "launch", 0,
            5) ","
               "{\"ph\":\"X\",\"name\":\"work\",\"ts\":10,\"dur\":5,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"c\",\"name\":\"n\",\"id\":7,\"ts\":12,\"pid\":"
               "1,\"tid\":2},"
               "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"n\",\"id\":7,\"ts\":1,\"pid\":1,\"tid\":1},"
               "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"n\",\"id\":8,\"ts\":1,\"pid\":1,\"tid\":1},"
               "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"n\",\"id\":8,\"ts\":6,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"n\",\"id\":9,\"ts\":6,\"pid\":1,\"tid\":2}]",
        "flow c 1/0 -> 2/0 at 1000 -> 12000\nflow c 1/0 -> 2/0 at 1000 -> 6000\n", "flow ");
}

static void slices_that_are_bound_are_flows(void **state)
{
    (void)state;
    check_all("[{\"ph\":\"X\",\"name\":\"out\",\"ts\":0,\"dur\":2,\"pid\":1,\"tid\":1,"
              "\"bind_id\":\"0xabc\",\"flow_out\":true},"
              "{\"ph\":\"X\",\"name\":\"in\",\"ts\":5,\"dur\":2,\"pid\":1,\"tid\":1,"
              "\"bind_id\":\"0xabc\",\"flow_in\":true}]",
              "flow flow 1/0 -> 1/1 at 0 -> 5000\n", "flow ");
}

static void counters_are_series(void **state)
{
    (void)state;
    check_all("[{\"ph\":\"C\",\"name\":\"mem\",\"ts\":5,\"pid\":1,\"args\":{\"a\":10,\"b\":20.5,"
              "\"e\":1e-3,\"t\":\"x\"}},"
              "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":2,\"pid\":1,\"args\":{\"b\":\"7\",\"a\":-3}},"
              "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":2,\"pid\":1,\"id\":\"x\",\"args\":{\"\":1}}]",
              "counter 1 of 1 'mem a'\ncounter 2 of 1 'mem b'\ncounter 3 of 1 'mem e'\n"
              "counter 4 of 1 'mem [x]'\n"
              "count 1 0 = -3\ncount 1 3000 = 10\ncount 2 0 = 7\ncount 2 3000 = 20.5\n"
              "count 3 3000 = 0.001\ncount 4 0 = 1\n",
              "counter ");
}

static void names_come_from_metadata(void **state)
{
    (void)state;
    check_all("[" X("a", 0, 1) ",{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,"
                               "\"args\":{\"name\":\"python \\u00e9\"}},"
                               "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,"
                               "\"args\":{\"name\":\"old\"}},"
                               "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,"
                               "\"args\":{\"name\":\"new\"}}]",
              "process 1 pid 1 'python \303\251' sort 0 device -1\n"
              "track 1 of 1 kind 0 'new' lanes 1\na 0+1000 1000 0\n",
              "process ");
}

/* Whether the lane above that of a slice was occupied when the slice began. */
static bool is_below_another(const struct tr_track *t, uint32_t at)
{
    for (uint32_t b = 0; b < t->n; b++)
        if (b != at && t->lane[b] + 1u == t->lane[at] && t->start[b] <= t->start[at] &&
            t->start[at] <= t->start[b] + t->duration[b])
            return true;
    return false;
}

/* Whatever overlaps whatever: no time is negative, lost or counted twice. Lanes hold one slice at a
 * time, children are below their parents, and no lane above a slice is empty. */
static void check_lanes(const struct tr_track *t)
{
    int64_t self = 0, covered = 0, until = 0;

    for (uint32_t a = 0; a < t->n; a++) {
        int64_t end = t->start[a] + t->duration[a];

        assert_true(t->self[a] >= 0 && t->self[a] <= t->duration[a]);
        assert_true(t->lane[a] < t->n_lanes);
        if (t->parent[a] != TR_NO_ROW)
            assert_true(t->parent[a] < a && t->lane[t->parent[a]] < t->lane[a]);
        assert_true(t->lane[a] == 0 || is_below_another(t, a));
        self += t->self[a];
        if (end > until)
            covered += end - (t->start[a] > until ? t->start[a] : until);
        until = end > until ? end : until;
        for (uint32_t b = a + 1; b < t->n && t->start[b] < end; b++)
            assert_true(t->lane[a] != t->lane[b] || t->duration[b] == 0);
    }
    assert_int_equal(self, covered);
}

static void any_overlap_is_kept(void **state)
{
    uint32_t seed = 7;

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct tr_track track = tr_track_new(NULL, PS_TRACK_THREAD, 200);

        track.n = 200;
        for (uint32_t i = 0; i < track.n; i++) {
            seed = seed * 1664525u + 1013904223u;
            track.start[i] = seed >> 8 & 0xff;
            track.duration[i] = seed >> 18 & (round % 2 ? 0x3f : 0xff);
            track.flags[i] = 0;
            track.slice_kind[i] = 0;
        }
        tr_track_sort(&track, true);
        for (uint32_t i = 1; i < track.n; i++)
            assert_true(track.start[i - 1] < track.start[i] ||
                        (track.start[i - 1] == track.start[i] &&
                         track.duration[i - 1] >= track.duration[i]));
        tr_track_add_tree_columns(&track);
        tr_track_nest(&track, 0);
        check_lanes(&track);
        tr_track_free(&track);
    }
}

static bool less(const void *list, uint32_t a, uint32_t b)
{
    const uint32_t *keys = list;

    return keys[a] < keys[b];
}

static void sorting_is_stable(void **state)
{
    enum { N = 3000 };
    uint32_t keys[N], seed = 3;

    (void)state;
    for (int round = 0; round < 60; round++) {
        uint32_t *order;

        for (uint32_t i = 0; i < N; i++) {
            seed = seed * 1664525u + 1013904223u;
            keys[i] = round % 4 == 0 ? N - i : round % 4 == 1 ? i % 700 : seed >> 20;
            keys[i] += round % 4 == 3 && i % 100 ? i * 10 : 0;
        }
        order = tr_sort_order(NULL, keys, N, less);
        assert_non_null(order);
        for (uint32_t i = 1; i < N; i++)
            assert_true(keys[order[i - 1]] < keys[order[i]] ||
                        (keys[order[i - 1]] == keys[order[i]] && order[i - 1] < order[i]));
        free(order);
    }
    assert_null(tr_sort_order(NULL, keys, 0, less));
}

static void first_free_lanes(void **state)
{
    struct tr_lanes lanes = {0};

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(tr_find_lane(&lanes, 0, 0, 10 + i), i);
    assert_int_equal(tr_find_lane(&lanes, 0, 10, 50), 0);
    assert_int_equal(tr_find_lane(&lanes, 0, 12, 50), 1);
    assert_int_equal(tr_find_lane(&lanes, 3, 20, 50), 3);
    assert_int_equal(tr_find_lane(&lanes, 3, 12, 50), 100);
    assert_int_equal(lanes.n_used, 101);
    free(lanes.ends);
}

int trace_nest_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_nest_half_open),
        cmocka_unit_test(slices_without_length_exist),
        cmocka_unit_test(what_overlaps_has_the_first_free_lane),
        cmocka_unit_test(steps_are_on_one_lane),
        cmocka_unit_test(rounding_is_no_overlap),
        cmocka_unit_test(ends_close_the_innermost),
        cmocka_unit_test(what_is_not_ended_lasts_to_the_end),
        cmocka_unit_test(arguments_of_the_end_win),
        cmocka_unit_test(instants_stand_where_they_belong),
        cmocka_unit_test(asynchronous_events_meet_by_id),
        cmocka_unit_test(flows_join_slices),
        cmocka_unit_test(slices_that_are_bound_are_flows),
        cmocka_unit_test(counters_are_series),
        cmocka_unit_test(names_come_from_metadata),
        cmocka_unit_test(any_overlap_is_kept),
        cmocka_unit_test(sorting_is_stable),
        cmocka_unit_test(first_free_lanes),
    };

    return cmocka_run_group_tests_name("trace_nest", tests, NULL, NULL);
}
