/* SPDX-License-Identifier: MIT */
/*
 * go_bench.c: reads the output of `go test -bench`, also of `go test -json`, anywhere in a log.
 *
 * A line is a name, the number of iterations and pairs of a value and its unit. Lines with equal
 * names of one package are repetitions (-count), which become the samples of one row for each unit.
 * Lines such as "pkg: example.com/shop" apply to the lines below them. Units of ns, such as ns/op,
 * become seconds, as the double that is nearest to the printed digits; other units remain as they
 * are printed. The number after the last hyphen of a name is GOMAXPROCS. benchstat shows medians,
 * and so does the value of a row.
 * Tested: go 1.26.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/environment.h"
#include "importers/records/measurements.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

enum {
    LINES_MAX = 1000 * 1000, /* of results */
    NAME_BYTES_MAX = 4096,
    LINE_BYTES_MAX = 64 * 1024, /* of the output of a package */
};

#define NONE UINT32_MAX

/* The values of one unit of a benchmark. */
struct series {
    struct ps_str unit; /* in the arena */
    double *samples;
    size_t n_samples, samples_cap;
    double loops;      /* of the first sample */
    bool loops_differ; /* between samples */
    double resolution;
    uint32_t next; /* series of the same benchmark */
};

struct benchmark {
    struct ps_str package, name;     /* in the arena */
    uint32_t first, last;            /* series */
    enum ps_measurement_state state; /* what the last "---" line said of it */
    struct ps_str error;
};

/* The lines of a package: go test -json mixes those of several packages. */
struct output {
    struct ps_str package;
    struct ps_buf line;    /* begin of a line whose end is in a later event */
    struct ps_buf pending; /* name of a benchmark whose values are on a later line; empty: none */
    size_t indent;         /* bytes before that name, which a container puts before each line */
    bool is_verbose;       /* -v or -json: messages are above the "---" line, else below it */
    struct ps_buf message; /* the last message since a test began */
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    struct ps_intern names; /* benchmark i has name i: package, line feed, name */
    struct benchmark *benchmarks;
    size_t n_benchmarks, benchmarks_cap;
    struct ps_intern keys; /* series i has key i: number of the benchmark, unit */
    struct series *series;
    size_t n_series, series_cap;
    struct ps_intern packages; /* output i is of package i; 0 is that of plain text */
    struct output *outputs;
    size_t n_outputs, outputs_cap;
    struct ps_intern higher, lower; /* units of which higher or lower values are better */
    struct ps_intern facts;         /* facts of the environment that were written */
    uint32_t failed;                /* benchmark of the last "---" line; NONE: no error expected */
    uint64_t lines, stored, repaired;
};

/* --- Lines --- */

struct result {
    struct ps_str name;
    double iterations;
    struct ps_str pairs; /* "787.4 ns/op 12.70 MB/s" */
};

static struct ps_str pop_word(struct ps_str *rest)
{
    struct ps_str word;

    while (rest->len && (rest->ptr[0] == ' ' || rest->ptr[0] == '\t'))
        *rest = ps_str_skip(*rest, 1);
    word = (struct ps_str){rest->ptr, 0};
    while (word.len < rest->len && rest->ptr[word.len] != ' ' && rest->ptr[word.len] != '\t')
        word.len++;
    *rest = ps_str_skip(*rest, word.len);
    return word;
}

/* Finds `word` at the start of the line or after a blank, where a log may put a time before it. */
static bool find_word(struct ps_str line, const char *word, struct ps_str *from)
{
    struct ps_str rest = line;
    const char *found;

    while ((found = ps_str_find(rest, ps_str_from_c(word)))) {
        const size_t at = (size_t)(found - line.ptr);

        *from = ps_str_skip(line, at);
        if (at == 0 || found[-1] == ' ' || found[-1] == '\t')
            return true;
        rest = ps_str_skip(line, at + 1);
    }
    return false;
}

/* Whether all of the text is pairs of a value and a unit, at least one. */
static bool are_pairs(struct ps_str text)
{
    size_t n = 0;

    for (;; n++) {
        struct ps_str value = pop_word(&text), unit = pop_word(&text);
        struct ps_printed_number number;

        if (value.len == 0)
            return n > 0;
        if (unit.len == 0 || !ps_printed_number_parse(value, 0, &number))
            return false;
    }
}

/* Reads the iterations and pairs of a line, after its name. */
static bool parse_values(struct ps_str rest, struct result *out)
{
    const struct ps_str word = pop_word(&rest);
    int64_t iterations;

    if (!word.len || word.ptr[0] < '0' || word.ptr[0] > '9' ||
        !ps_str_parse_i64(word, &iterations) || !are_pairs(rest))
        return false;
    out->iterations = (double)iterations;
    out->pairs = rest;
    return true;
}

/* Finds the name of a benchmark in a line: "Benchmark" and something that is no lower letter. */
static bool parse_name(struct ps_str line, struct ps_str *name, struct ps_str *rest)
{
    const size_t prefix = strlen("Benchmark");

    if (!find_word(line, "Benchmark", rest))
        return false;
    *name = pop_word(rest);
    return name->len > prefix && name->len <= NAME_BYTES_MAX &&
           (name->ptr[prefix] < 'a' || name->ptr[prefix] > 'z');
}

static bool parse_result(struct ps_str line, struct result *out)
{
    struct ps_str rest;

    return parse_name(line, &out->name, &rest) && parse_values(rest, out);
}

/* --- Values --- */

static uint32_t add_benchmark(struct reader *r, struct ps_str package, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    uint32_t id;

    ps_buf_add_str(&key, package);
    ps_buf_puts(&key, "\n");
    ps_buf_add_str(&key, name);
    id = ps_intern_add(&r->names, ps_buf_slice(&key));
    if (id == r->n_benchmarks) {
        PS_RESERVE_ONE(r->benchmarks, r->n_benchmarks, r->benchmarks_cap);
        r->benchmarks[r->n_benchmarks++] = (struct benchmark){
            .package = package,
            .name = ps_str_skip(r->names.items[id], package.len + 1),
            .first = NONE,
            .last = NONE,
        };
    }
    return id;
}

static struct series *add_series(struct reader *r, uint32_t benchmark, struct ps_str unit)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    struct benchmark *b = &r->benchmarks[benchmark];
    uint32_t id;

    ps_buf_printf(&key, "%u ", (unsigned)benchmark);
    ps_buf_add_str(&key, unit);
    id = ps_intern_add(&r->keys, ps_buf_slice(&key));
    if (id == r->n_series) {
        PS_RESERVE_ONE(r->series, r->n_series, r->series_cap);
        r->series[r->n_series++] = (struct series){
            .unit = ps_str_skip(r->keys.items[id], key.len - unit.len), .next = NONE};
        if (b->first == NONE)
            b->first = id;
        else
            r->series[b->last].next = id;
        b->last = id;
    }
    return &r->series[id];
}

/* Finds the word "ns" or "sec" above the line of a unit, as in "ns/op", "p99-ns/op" or "build-sec":
 * a time. Returns the word, or {NULL, 0}. */
static struct ps_str find_time(struct ps_str unit)
{
    const char *line = unit.len ? memchr(unit.ptr, '/', unit.len) : NULL;
    const size_t end = line ? (size_t)(line - unit.ptr) : unit.len;

    for (size_t from = 0, to; from < end; from = to + 1) {
        struct ps_str word;

        for (to = from; to < end && unit.ptr[to] != '-' && unit.ptr[to] != '*'; to++)
            ;
        word = (struct ps_str){unit.ptr + from, to - from};
        if (ps_str_eq_c(word, "ns") || ps_str_eq_c(word, "sec"))
            return word;
    }
    return (struct ps_str){NULL, 0};
}

static void add_result(struct reader *r, struct ps_str package, const struct result *result)
{
    const uint32_t benchmark = add_benchmark(r, package, result->name);
    struct ps_str rest = result->pairs;

    for (;;) {
        struct ps_str value = pop_word(&rest), unit = pop_word(&rest);
        struct ps_printed_number number;
        struct series *series;

        if (!value.len)
            break;
        if (!ps_printed_number_parse(value, ps_str_eq_c(find_time(unit), "ns") ? -9 : 0, &number))
            continue;
        series = add_series(r, benchmark, unit);
        if (!series->n_samples)
            series->loops = result->iterations;
        series->loops_differ |=
            series->loops < result->iterations || series->loops > result->iterations;
        if (number.resolution > series->resolution)
            series->resolution = number.resolution;
        PS_RESERVE_ONE(series->samples, series->n_samples, series->samples_cap);
        series->samples[series->n_samples++] = number.value;
    }
    r->lines++;
    r->stored++;
}

/* Writes a fact of the environment; the first of several counts. */
static bool write_fact(struct reader *r, const char *key, struct ps_str value)
{
    const uint32_t before = r->facts.count;

    if (ps_intern_add(&r->facts, ps_str_from_c(key)) == before)
        ps_sink_meta(r->builder.out, key, ps_truncate_text(value, NAME_BYTES_MAX));
    return true;
}

/* Parses "pkg: example.com/shop". Other facts, such as "commit: 1a2b", count as lines of others. */
static bool parse_fact(struct reader *r, struct output *output, struct ps_str line)
{
    static const struct {
        const char *word, *fact;
    } own[] = {{"goos: ", "system"}, {"goarch: ", "machine"}, {"cpu: ", "cpu"}};
    const char *colon = line.len ? memchr(line.ptr, ':', line.len) : NULL;
    const struct ps_environment_key *key;
    struct ps_str rest;

    if (find_word(line, "pkg: ", &rest)) {
        const struct ps_str name = ps_str_trim(ps_str_skip(rest, 5));

        output->package = ps_arena_copy(&r->builder.arena, ps_truncate_text(name, NAME_BYTES_MAX));
        return true;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (find_word(line, own[i].word, &rest))
            return write_fact(r, own[i].fact, ps_str_trim(ps_str_skip(rest, strlen(own[i].word))));
    if (!colon)
        return false;
    rest = ps_str_trim(ps_str_skip(line, (size_t)(colon - line.ptr) + 1));
    key = ps_environment_find_key((struct ps_str){line.ptr, (size_t)(colon - line.ptr)});
    if (key && rest.len)
        (void)write_fact(r, key->name, rest);
    return false;
}

/* Parses "Unit rows/op better=higher". */
static bool parse_unit(struct reader *r, struct ps_str line)
{
    struct ps_str rest, unit, word;

    if (!find_word(line, "Unit ", &rest))
        return false;
    rest = ps_str_skip(rest, 5);
    unit = pop_word(&rest);
    while ((word = pop_word(&rest)).len) {
        if (ps_str_eq_c(word, "better=higher"))
            (void)ps_intern_add(&r->higher, unit);
        else if (ps_str_eq_c(word, "better=lower"))
            (void)ps_intern_add(&r->lower, unit);
        else if (!ps_str_find(word, PS_STR("=")))
            return false;
    }
    return true;
}

static bool is_below(struct ps_str name, struct ps_str parent)
{
    return name.len > parent.len && ps_str_starts_with(name, parent) && name.ptr[parent.len] == '/';
}

/* Parses "--- FAIL: BenchmarkX", "--- SKIP: BenchmarkX/small". A benchmark also fails because of
 * one below it; then only the latter counts. */
static bool parse_state(struct reader *r, const struct output *output, struct ps_str line)
{
    struct ps_str rest, name;
    bool fails = find_word(line, "--- FAIL: ", &rest);
    struct benchmark *last = r->failed == NONE ? NULL : &r->benchmarks[r->failed];

    if (!fails && !find_word(line, "--- SKIP: ", &rest))
        return false;
    rest = ps_str_skip(rest, strlen("--- FAIL: "));
    if (!parse_name(rest, &name, &rest))
        return false;
    if (last && is_below(name, last->name))
        last->state = PS_MEASURED;
    r->failed = add_benchmark(r, output->package, name);
    r->benchmarks[r->failed].state = fails ? PS_MEASUREMENT_FAILED : PS_MEASUREMENT_SKIPPED;
    if (output->message.len)
        r->benchmarks[r->failed].error =
            ps_arena_copy(&r->builder.arena, ps_buf_slice(&output->message));
    r->stored++;
    return true;
}

/* Reads a message, "    shop_test.go:38: no disk", or the line where a test begins. */
static void parse_message(struct reader *r, struct output *output, struct ps_str line)
{
    const struct ps_str text = ps_truncate_text(ps_str_trim(line), NAME_BYTES_MAX);
    const bool is_message = text.len && ps_str_starts_with(line, PS_STR("    "));

    if (ps_str_starts_with(line, PS_STR("=== RUN"))) {
        output->is_verbose = true;
        output->message.len = 0;
    } else if (output->is_verbose && is_message) {
        output->message.len = 0;
        ps_buf_add_str(&output->message, text);
    } else if (!output->is_verbose && is_message && r->failed != NONE) {
        r->benchmarks[r->failed].error = ps_arena_copy(&r->builder.arena, text);
    }
    r->failed = NONE;
}

static void parse_line(struct reader *r, struct output *output, struct ps_str line)
{
    struct result result;
    struct ps_str name, rest;

    if (parse_result(line, &result)) {
        output->pending.len = 0;
        r->failed = NONE;
        add_result(r, output->package, &result);
    } else if (output->pending.len &&
               parse_values(ps_report_without_prefix(line, output->indent), &result)) {
        /* The benchmark wrote lines of its own between its name and its values. */
        result.name = ps_buf_slice(&output->pending);
        add_result(r, output->package, &result);
        r->repaired++;
        output->pending.len = 0;
    } else if (parse_state(r, output, line)) {
        output->pending.len = 0;
    } else if (parse_name(line, &name, &rest) && rest.len && memchr(rest.ptr, '\t', rest.len)) {
        output->pending.len = 0;
        ps_buf_add_str(&output->pending, name);
        output->indent = (size_t)(name.ptr - line.ptr);
    } else if (parse_fact(r, output, line) || parse_unit(r, line)) {
        r->stored++;
    } else {
        parse_message(r, output, line);
    }
}

/* --- Events of go test -json --- */

static struct output *add_output(struct reader *r, struct ps_str package)
{
    const uint32_t id = ps_intern_add(&r->packages, package);

    if (id == r->n_outputs) {
        PS_RESERVE_ONE(r->outputs, r->n_outputs, r->outputs_cap);
        r->outputs[r->n_outputs++] = (struct output){.package = r->packages.items[id]};
    }
    return &r->outputs[id];
}

/* Appends the output of an event to the line of its package, and parses the complete lines. */
static void add_event(struct reader *r, struct output *output, struct ps_str text)
{
    while (text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        const size_t n = end ? (size_t)(end - text.ptr) : text.len;

        if (output->line.len + n <= LINE_BYTES_MAX)
            ps_buf_add(&output->line, text.ptr, n);
        text = ps_str_skip(text, end ? n + 1 : n);
        if (!end)
            return;
        parse_line(r, output, ps_buf_slice(&output->line));
        output->line.len = 0;
    }
}

static bool parse_event(struct reader *r, struct ps_str line)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0}; /* a log may have millions of events */
    struct ps_err err = {0};
    struct ps_str text, package;
    cJSON *event;

    if (!ps_str_starts_with(line, PS_STR("{\"")) || !ps_str_find(line, PS_STR("\"Action\":")))
        return false;
    ps_buf_add_str(&bytes, line);
    event = ps_document_parse(&bytes, &err);
    if (!event)
        return false;
    text = ps_document_text(&arena, event, "Output");
    package = ps_document_text(&arena, event, "Package");
    if (text.ptr)
        add_event(r, add_output(r, package.ptr ? package : PS_STR("")), text);
    cJSON_Delete(event);
    return true;
}

/* A result may continue on the next line, where its next metric is. */
static enum ps_report_row classify_row(const void *format, struct ps_str text)
{
    struct result result;
    struct ps_str name, rest;
    struct ps_printed_number number;

    (void)format;
    if (parse_result(text, &result))
        return PS_ROW_COMPLETE;
    if (find_word(text, "--- ", &rest) || find_word(text, "=== ", &rest) ||
        ps_str_eq_c(text, "PASS") || ps_str_eq_c(text, "FAIL"))
        return PS_ROW_FINAL;
    if (!parse_name(text, &name, &rest))
        return PS_ROW_NONE;
    if (!rest.len) /* go test -v prints the name before the result */
        return PS_ROW_FINAL;
    name = pop_word(&rest); /* the iterations */
    if (name.len && !ps_printed_number_parse(name, 0, &number))
        return PS_ROW_NONE;
    for (bool is_value = true; (name = pop_word(&rest)).len; is_value = !is_value)
        if (is_value && !ps_printed_number_parse(name, 0, &number))
            return PS_ROW_NONE;
    return PS_ROW_INCOMPLETE;
}

/* Number of values in the usual units in the results of a text. */
static size_t count_usual(struct ps_str text)
{
    static const char *const usual[] = {"ns/op", "MB/s", "B/op", "allocs/op"};
    size_t n = 0;

    while (text.len) {
        struct result result;
        struct ps_str word;

        if (!parse_result(ps_report_pop_line(&text), &result))
            continue;
        while ((word = pop_word(&result.pairs)).len)
            for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
                n += ps_str_eq_c(word, usual[i]);
    }
    return n;
}

/* Whether the unwrapped text has more values. */
static bool is_cut(struct ps_str head, struct ps_str unwrapped)
{
    return count_usual(unwrapped) > count_usual(head);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    (void)add_output(r, PS_STR(""));
    ps_report_detect_wrap(&r->in, classify_row, NULL);
    ps_report_warn_wrapped(&r->in, r->builder.out, is_cut);
    while (ps_report_read_line(&r->in)) {
        if (!parse_event(r, r->in.line.text)) {
            ps_report_rejoin(&r->in, classify_row, NULL);
            parse_line(r, &r->outputs[0], ps_report_visible_text(r->in.line.text));
        }
        if (r->lines > LINES_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the file has more than %d results",
                              LINES_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->lines, err) != PS_OK)
            return PS_CANCELLED;
    }
    for (size_t i = 0; i < r->n_outputs; i++)
        parse_line(r, &r->outputs[i], ps_buf_slice(&r->outputs[i].line));
    return ps_stream_status(r->in.in, err);
}

/* --- Rows --- */

/* Adds the parameters of "BenchmarkJoin/n=10/short-2": n, the second part and GOMAXPROCS. Returns
 * the name without them. */
static struct ps_str add_parameters(struct reader *r, struct ps_str full)
{
    struct ps_str rest = full, benchmark;
    struct ps_num procs = PS_NO_NUM;
    const char *slash;

    for (size_t at = full.len; at > 1 && full.ptr[at - 1] != '/'; at--) {
        if (full.ptr[at - 1] != '-')
            continue;
        if (ps_report_parse_number(ps_str_skip(full, at), &procs) && procs.kind == PS_NUM_INT)
            rest.len = at - 1;
        else
            procs = PS_NO_NUM;
        break;
    }
    slash = memchr(rest.ptr, '/', rest.len);
    benchmark = (struct ps_str){rest.ptr, slash ? (size_t)(slash - rest.ptr) : rest.len};
    while (slash) {
        struct ps_str part = ps_str_skip(rest, (size_t)(slash - rest.ptr) + 1), name = PS_STR("");
        const char *equals;
        struct ps_num number = PS_NO_NUM;

        rest = part;
        slash = part.len ? memchr(part.ptr, '/', part.len) : NULL;
        part.len = slash ? (size_t)(slash - part.ptr) : part.len;
        equals = part.len ? memchr(part.ptr, '=', part.len) : NULL;
        if (equals) {
            name = (struct ps_str){part.ptr, (size_t)(equals - part.ptr)};
            part = ps_str_skip(part, name.len + 1);
        }
        (void)ps_report_parse_number(part, &number);
        ps_measurement_add_parameter(&r->builder, name, number, part);
    }
    if (procs.kind != PS_NUM_NONE)
        ps_measurement_add_parameter(&r->builder, PS_STR("GOMAXPROCS"), procs, PS_STR(""));
    return benchmark;
}

/* The name with its package before it, as Go writes names of other packages. */
static struct ps_str qualify(struct reader *r, struct ps_str package, struct ps_str name)
{
    if (!package.len)
        return name;
    return ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s.%.*s", (int)package.len,
                                         package.ptr, (int)name.len, name.ptr));
}

static enum ps_better better_of(const struct reader *r, struct ps_str unit)
{
    if (ps_intern_find(&r->higher, unit) != PS_INTERN_NONE)
        return PS_BETTER_HIGHER;
    if (ps_intern_find(&r->lower, unit) != PS_INTERN_NONE)
        return PS_BETTER_LOWER;
    if (ps_str_eq_c(unit, "MB/s") || ps_str_eq_c(unit, "B/s"))
        return PS_BETTER_HIGHER;
    if (find_time(unit).len || ps_str_eq_c(unit, "B/op") || ps_str_eq_c(unit, "allocs/op"))
        return PS_BETTER_LOWER;
    return PS_BETTER_NEITHER;
}

/* "time" for "ns/op". Other units of time are written as benchstat does: "p99-sec" for "p99-ns". */
static struct ps_str name_metric(struct reader *r, struct ps_str unit)
{
    const struct ps_str word = find_time(unit);
    const int before = word.ptr ? (int)(word.ptr - unit.ptr) : 0;

    if (ps_str_eq_c(unit, "ns/op") || ps_str_eq_c(unit, "sec/op"))
        return PS_STR("time");
    if (!ps_str_eq_c(word, "ns"))
        return unit;
    return ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*ssec%.*s", before, unit.ptr,
                                         (int)unit.len - before - 2, unit.ptr + before + 2));
}

static void begin_row(struct reader *r, const struct benchmark *benchmark,
                      struct ps_measurement *row)
{
    row->name = qualify(r, benchmark->package, benchmark->name);
    row->group = PS_STR("");
    row->benchmark = qualify(r, benchmark->package, add_parameters(r, benchmark->name));
    row->statistic = "median";
}

static void write_series(struct reader *r, const struct benchmark *benchmark,
                         const struct series *series, bool is_part)
{
    const struct ps_str time = find_time(series->unit);
    struct ps_measurement row = {
        .metric = name_metric(r, series->unit),
        .better = better_of(r, series->unit),
        .is_part = is_part,
        .unit = time.len ? "s"
                : ps_str_eq_c(series->unit, "B/op")
                    ? "B"
                    : ps_arena_printf(&r->builder.arena, "%.*s", (int)series->unit.len,
                                      series->unit.ptr),
        .loops = series->loops_differ ? PS_NO_NUM : ps_int((int64_t)series->loops),
        .resolution = series->resolution,
    };

    begin_row(r, benchmark, &row);
    for (size_t i = 0; i < series->n_samples; i++)
        ps_measurement_add_sample(&r->builder, series->samples[i]);
    ps_measurement_compute_spread(&r->builder, &row);
    row.value = row.median;
    if (!is_part && benchmark->state != PS_MEASURED)
        ps_measurement_add_text(&r->builder, "error",
                                benchmark->error.ptr ? benchmark->error : PS_STR("failed"));
    ps_measurement_write(&r->builder, &row, is_part ? NULL : row.statistic);
}

static void write_benchmark(struct reader *r, const struct benchmark *benchmark)
{
    struct ps_measurement row = {.metric = PS_STR("time"),
                                 .better = PS_BETTER_LOWER,
                                 .unit = "s",
                                 .state = benchmark->state};

    for (uint32_t i = benchmark->first; i != NONE; i = r->series[i].next)
        write_series(r, benchmark, &r->series[i], i != benchmark->first);
    if (benchmark->first != NONE || benchmark->state == PS_MEASURED)
        return;
    begin_row(r, benchmark, &row);
    ps_measurement_add_text(&r->builder, "error", benchmark->error);
    ps_measurement_write(&r->builder, &row, NULL);
}

static void write_all(struct reader *r)
{
    ps_sink_meta(r->builder.out, "tool", PS_STR("go test -bench"));
    for (size_t i = 0; i < r->n_benchmarks; i++)
        write_benchmark(r, &r->benchmarks[i]);
    ps_measurement_write_headline(&r->builder);
    ps_report_write_ledger(&r->in, r->builder.out, r->stored, r->repaired, 0);
}

static void free_reader(struct reader *r)
{
    for (size_t i = 0; i < r->n_series; i++)
        free(r->series[i].samples);
    for (size_t i = 0; i < r->n_outputs; i++) {
        ps_buf_free(&r->outputs[i].line);
        ps_buf_free(&r->outputs[i].pending);
        ps_buf_free(&r->outputs[i].message);
    }
    free(r->benchmarks);
    free(r->series);
    free(r->outputs);
    ps_intern_free(&r->names);
    ps_intern_free(&r->keys);
    ps_intern_free(&r->packages);
    ps_intern_free(&r->higher);
    ps_intern_free(&r->lower);
    ps_intern_free(&r->facts);
    ps_report_free(&r->in);
    ps_measurement_builder_free(&r->builder);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .in = {.in = in}, .failed = NONE};
    enum ps_status status = read_log(&r, err);

    if (status == PS_OK && r.lines == 0)
        status = ps_fail(err, PS_BAD_INPUT,
                         "the text contains no result of a benchmark" PS_HINT
                         "run `go test -run '^$' -bench . -count 10 > bench.txt` again");
    else if (status == PS_OK)
        write_all(&r);
    free_reader(&r);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    if (ps_str_find(head, PS_STR("\"Action\":")) && ps_str_find(head, PS_STR("Benchmark")))
        return ps_str_find(head, PS_STR(" ns/op")) ? PS_MATCH_SURE : PS_MATCH_NO;
    if (!ps_str_find(head, PS_STR("Benchmark")))
        return PS_MATCH_NO;
    while (head.len) {
        struct ps_str line = ps_report_pop_line(&head);
        struct result result;

        if (parse_result(ps_str_trim(line), &result))
            return PS_MATCH_SURE;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_go_bench = {
    .kind = "go-bench",
    .label = "Output of go test -bench",
    .description = "time of one operation of each benchmark, with its repetitions, allocations and "
                   "own metrics, as text or as `go test -json`, in any log",
    .record_command = "go test -run '^$' -bench . -benchmem -count 10 > bench.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
