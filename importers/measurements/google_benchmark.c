/* SPDX-License-Identifier: MIT */
/*
 * google_benchmark.c: reads the JSON of Google Benchmark, from C++ and from its Python package.
 *
 * The file has one object for each repetition, and one for each aggregate of the repetitions. All
 * objects of a benchmark have the same run_name. Here they become one row whose samples are the
 * repetitions in their order. real_time and cpu_time are times of one iteration in `time_unit`,
 * which may differ between rows. They are divided by the number of such units in a second, so they
 * are the doubles that are nearest to the file's values in seconds. The other numbers of an object
 * are counters of the benchmark.
 * Tested: 1.7.1 and 1.9.5, and a file of 2019.
 */
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/reading.h"
#include "importers/records/environment.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"
#include "importers/text/text_report.h"

enum {
    FILE_BYTES_MAX = 512 << 20, /* bytes */
    NOTES_MAX = 50,
};

#define END UINT32_MAX /* no further object in a list */

/* An object of "benchmarks", in the list of a benchmark or of the complexities of a family. */
struct entry {
    const cJSON *object;
    uint64_t number;         /* in the file, from 1 */
    struct ps_str aggregate; /* name of the statistic; {NULL, 0}: the object is a repetition */
    uint32_t next;
};

struct list {
    uint32_t first, last;
};

struct lists {
    struct ps_intern keys; /* key i has the list items[i] */
    struct list *items;
    size_t n, cap;
};

struct reader {
    struct ps_measurement_builder builder;
    struct entry *entries;
    size_t n_entries, entries_cap;
    struct lists benchmarks;   /* by run_name, threads and the indexes of the family */
    struct lists complexities; /* by family */
    struct ps_intern names;    /* names of the rows written */
    uint32_t *name_counts;     /* number of benchmarks with name i */
    size_t n_name_counts, name_counts_cap;
    struct ps_ledger ledger;
};

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static struct ps_str text_member(const cJSON *object, const char *key)
{
    const cJSON *item = member(object, key);

    return cJSON_IsString(item) ? ps_str_from_c(item->valuestring) : (struct ps_str){NULL, 0};
}

static bool is_true(const cJSON *object, const char *key)
{
    return cJSON_IsTrue(member(object, key));
}

/* Whether the repetition has no times, because the benchmark skipped it. */
static bool is_skipped(const cJSON *object)
{
    return is_true(object, "error_occurred") || is_true(object, "skipped");
}

/* Number of units of the object's times in a second; 0: unknown unit. */
static double units_per_second(const cJSON *object)
{
    static const struct {
        const char *unit;
        double in_second;
    } units[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};
    struct ps_str unit = text_member(object, "time_unit");

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps_str_eq_c(unit, units[i].unit))
            return units[i].in_second;
    return 0;
}

/* --- Names --- */

/* The name of the benchmark of an object, with its parameters. */
static struct ps_str run_name(struct ps_arena *arena, const cJSON *object)
{
    struct ps_str name = ps_document_text(arena, object, "run_name");

    return name.ptr ? name : ps_document_text(arena, object, "name");
}

/* Removes the first part of *rest, up to a slash outside of template arguments. */
static struct ps_str pop_part(struct ps_str *rest)
{
    struct ps_str part = {rest->ptr, 0};
    size_t depth = 0;

    while (part.len < rest->len && (depth || rest->ptr[part.len] != '/')) {
        depth += rest->ptr[part.len] == '<';
        depth -= depth && rest->ptr[part.len] == '>';
        part.len++;
    }
    *rest = ps_str_skip(*rest, part.len + 1);
    return part;
}

/* Splits "rows:10" into a name and its value; a C++ name such as "std::sort" has none. */
static bool split_named(struct ps_str part, struct ps_str *name, struct ps_str *value)
{
    const char *colon = part.len ? memchr(part.ptr, ':', part.len) : NULL;
    size_t at = colon ? (size_t)(colon - part.ptr) : 0;

    if (!at || at + 1 == part.len || part.ptr[at + 1] == ':')
        return false;
    *name = (struct ps_str){part.ptr, at};
    *value = ps_str_skip(part, at + 1);
    return true;
}

static bool is_clock(struct ps_str part)
{
    return ps_str_eq_c(part, "manual_time") || ps_str_eq_c(part, "real_time") ||
           ps_str_eq_c(part, "process_time");
}

static bool is_setting(struct ps_str name)
{
    return ps_str_eq_c(name, "iterations") || ps_str_eq_c(name, "repeats") ||
           ps_str_eq_c(name, "min_time") || ps_str_eq_c(name, "min_warmup_time");
}

static void add_parameter(struct reader *r, struct ps_str name, struct ps_str value)
{
    struct ps_num number = PS_NO_NUM;

    (void)ps_report_parse_number(value, &number);
    ps_measurement_add_parameter(&r->builder, name, number, value);
}

/* Adds the parameters of "BM_sort/100/rows:10/iterations:20/manual_time/threads:2". The words that
 * say how the benchmark was measured are additional values. Returns the name without both:
 * "BM_sort". Its parts end at the first number or named value. */
static struct ps_str add_parameters(struct reader *r, struct ps_str full)
{
    struct ps_str rest = full, benchmark = pop_part(&rest);
    bool has_parameters = false;

    while (rest.len) {
        struct ps_str part = pop_part(&rest), name = PS_STR(""), value = part;
        struct ps_num number = PS_NO_NUM;

        if (is_clock(part)) {
            ps_measurement_add_text(&r->builder, "clock", part);
            has_parameters = true;
        } else if (split_named(part, &name, &value) && is_setting(name)) {
            ps_measurement_add_text(
                &r->builder, ps_arena_printf(&r->builder.arena, "%.*s", (int)name.len, name.ptr),
                value);
            has_parameters = true;
        } else if (has_parameters || name.len || ps_report_parse_number(part, &number)) {
            add_parameter(r, name, value);
            has_parameters = true;
        } else {
            benchmark.len = (size_t)(part.ptr - full.ptr) + part.len;
        }
    }
    return benchmark;
}

/* The name of a row: the run_name, numbered if earlier benchmarks have the same. */
static struct ps_str unique_name(struct reader *r, struct ps_str name)
{
    const uint32_t first = ps_intern_add(&r->names, name);
    struct ps_str unique = name;

    if (first < r->n_name_counts) {
        do
            unique = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s (%u)", (int)name.len,
                                                   name.ptr, ++r->name_counts[first]));
        while (ps_intern_add(&r->names, unique) < r->n_name_counts);
    }
    PS_RESERVE_ONE(r->name_counts, r->n_name_counts, r->name_counts_cap);
    r->name_counts[r->n_name_counts++] = 1;
    return unique;
}

/* --- Values --- */

/* A metric of a benchmark: a member of its objects. */
struct metric {
    const char *key;
    struct ps_str name;
    const char *unit;
    enum ps_better better;
    bool is_time;
};

static struct ps_num value_of(const cJSON *object, const struct metric *metric, bool is_time)
{
    const struct ps_num value = ps_document_number(object, metric->key);

    if (value.kind == PS_NUM_NONE || !is_time)
        return value;
    return ps_real(ps_num_to_real(value) / units_per_second(object));
}

/* Adds the value of an aggregate to the row; aggregates that a row has no column for become
 * additional values. cv and other percentages are fractions in the file, whatever its time_unit. */
static void add_aggregate(struct reader *r, const struct entry *entry, const struct metric *metric,
                          struct ps_measurement *row)
{
    const struct ps_str name = entry->aggregate;
    const bool is_fraction =
        ps_str_eq_c(text_member(entry->object, "aggregate_unit"), "percentage") ||
        ps_str_eq_c(name, "cv");
    const struct ps_num value = value_of(entry->object, metric, metric->is_time && !is_fraction);

    if (row->n.kind == PS_NUM_NONE)
        row->n = ps_document_count(entry->object, "iterations");
    if (ps_str_eq_c(name, "mean"))
        row->mean = value;
    else if (ps_str_eq_c(name, "median"))
        row->median = value;
    else if (ps_str_eq_c(name, "stddev"))
        row->stddev = value;
    else
        ps_measurement_add_number(
            &r->builder, ps_arena_printf(&r->builder.arena, "%.*s", (int)name.len, name.ptr),
            value);
}

/* Adds the samples and the aggregates of a metric to the row. */
static void add_values(struct reader *r, const struct list *list, const struct metric *metric,
                       struct ps_measurement *row)
{
    bool same_loops = true;

    for (uint32_t i = list->first; i != END; i = r->entries[i].next) {
        const cJSON *object = r->entries[i].object;
        const struct ps_num value = value_of(object, metric, metric->is_time);
        const struct ps_num loops = ps_document_count(object, "iterations");

        if (r->entries[i].aggregate.ptr) {
            add_aggregate(r, &r->entries[i], metric, row);
        } else if (!is_skipped(object) && value.kind != PS_NUM_NONE) {
            same_loops = same_loops && (r->builder.n_samples == 0 ||
                                        ps_num_to_real(loops) == ps_num_to_real(row->loops));
            row->loops = loops;
            ps_measurement_add_sample(&r->builder, ps_num_to_real(value));
        }
    }
    if (!same_loops)
        row->loops = PS_NO_NUM;
    if (r->builder.n_samples)
        row->n = ps_int((int64_t)r->builder.n_samples);
    ps_measurement_compute_spread(&r->builder, row);
    row->statistic = "mean";
    row->value = row->mean;
    if (row->value.kind == PS_NUM_NONE && row->median.kind != PS_NUM_NONE) {
        row->statistic = "median";
        row->value = row->median;
    }
}

/* Adds what the library computed for the family of a benchmark: the function of its size that fits
 * best, its factors, and the deviation as a fraction. */
static void add_complexity(struct reader *r, const struct list *list)
{
    for (uint32_t i = list->first; i != END; i = r->entries[i].next) {
        const cJSON *object = r->entries[i].object;
        const double in_second = units_per_second(object);
        struct ps_num real = ps_document_number(object, "real_coefficient");
        struct ps_num cpu = ps_document_number(object, "cpu_coefficient");

        ps_measurement_add_text(&r->builder, "big_o",
                                ps_document_text(&r->builder.arena, object, "big_o"));
        if (real.kind != PS_NUM_NONE && in_second > 0)
            ps_measurement_add_number(&r->builder, "real_coefficient (s)",
                                      ps_real(ps_num_to_real(real) / in_second));
        if (cpu.kind != PS_NUM_NONE && in_second > 0)
            ps_measurement_add_number(&r->builder, "cpu_coefficient (s)",
                                      ps_real(ps_num_to_real(cpu) / in_second));
        ps_measurement_add_number(&r->builder, "rms", ps_document_number(object, "rms"));
    }
}

/* The key of the list of complexities of an object: its family, or the name in old files. */
static struct ps_str family_key(struct ps_arena *arena, const cJSON *object, struct ps_str name)
{
    const cJSON *family = member(object, "family_index");

    if (!cJSON_IsNumber(family))
        return name;
    return ps_str_from_c(ps_arena_printf(arena, "/%.0f", family->valuedouble));
}

/* Adds the additional values of the main row: label, errors, complexity. */
static void add_rest(struct reader *r, const struct list *list, struct ps_measurement *row)
{
    const cJSON *first = r->entries[list->first].object;
    const uint32_t family =
        ps_intern_find(&r->complexities.keys, family_key(&r->builder.arena, first, row->benchmark));
    struct ps_str label = {NULL, 0}, error = {NULL, 0};
    int64_t failed = 0, measured = 0;

    for (uint32_t i = list->first; i != END; i = r->entries[i].next) {
        const cJSON *object = r->entries[i].object;
        const bool failure = is_true(object, "error_occurred");

        if (!label.ptr)
            label = ps_document_text(&r->builder.arena, object, "label");
        if (!is_skipped(object)) {
            measured += !r->entries[i].aggregate.ptr;
            continue;
        }
        failed++;
        if (!error.ptr)
            error = ps_document_text(&r->builder.arena, object,
                                     failure ? "error_message" : "skip_message");
        if (row->state != PS_MEASUREMENT_FAILED)
            row->state = failure ? PS_MEASUREMENT_FAILED : PS_MEASUREMENT_SKIPPED;
    }
    ps_measurement_add_text(&r->builder, "label", label);
    ps_measurement_add_text(&r->builder, "error", error);
    if (measured && failed)
        ps_measurement_add_number(&r->builder, "skipped repetitions", ps_int(failed));
    if (row->value.kind != PS_NUM_NONE)
        row->state = PS_MEASURED;
    if (family != PS_INTERN_NONE)
        add_complexity(r, &r->complexities.items[family]);
}

/* Writes a further metric of the benchmark of `main`, whose run_name is `full`. */
static void write_part(struct reader *r, const struct list *list, const struct metric *metric,
                       const struct ps_measurement *main, struct ps_str full)
{
    struct ps_measurement row = {.name = main->name,
                                 .group = PS_STR(""),
                                 .metric = metric->name,
                                 .better = metric->better,
                                 .is_part = true,
                                 .unit = metric->unit};

    row.benchmark = add_parameters(r, full);
    add_values(r, list, metric, &row);
    ps_measurement_write(&r->builder, &row, NULL);
}

static bool is_member_of_library(const char *key)
{
    static const char *const keys[] = {
        "name",          "family_index",     "per_family_instance_index",
        "run_name",      "run_type",         "repetitions",
        "threads",       "repetition_index", "aggregate_name",
        "iterations",    "aggregate_unit",   "error_occurred",
        "error_message", "skipped",          "skip_message",
        "real_time",     "cpu_time",         "time_unit",
        "label"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* Describes a counter. The file does not say the unit of a user's counter, nor which values of it
 * are better. */
static struct metric describe_counter(struct reader *r, const char *key)
{
    static const struct {
        const char *key, *unit;
        enum ps_better better;
    } known[] = {
        {"items_per_second", "items/s", PS_BETTER_HIGHER},
        {"bytes_per_second", "B/s", PS_BETTER_HIGHER},
        {"allocs_per_iter", "", PS_BETTER_LOWER},
        {"max_bytes_used", "B", PS_BETTER_LOWER},
        {"total_allocated_bytes", "B", PS_BETTER_LOWER},
        {"net_heap_growth", "B", PS_BETTER_LOWER},
    };
    struct metric metric = {.key = key, .unit = "", .better = PS_BETTER_NEITHER};
    bool mended;

    metric.name = ps_display_text(&r->builder.arena, ps_str_from_c(key), &mended);
    if (ps_str_eq_c(metric.name, "time") || ps_str_eq_c(metric.name, "CPU time"))
        metric.name = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s (counter)", key));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(key, known[i].key) == 0) {
            metric.unit = known[i].unit;
            metric.better = known[i].better;
        }
    return metric;
}

/* The first object with values, whose members are the metrics of the benchmark. */
static const cJSON *first_measured(const struct reader *r, const struct list *list)
{
    for (uint32_t i = list->first; i != END; i = r->entries[i].next)
        if (!is_skipped(r->entries[i].object))
            return r->entries[i].object;
    return NULL;
}

static void write_parts(struct reader *r, const struct list *list,
                        const struct ps_measurement *main, struct ps_str full)
{
    static const struct metric cpu = {.key = "cpu_time",
                                      .name = PS_STR("CPU time"),
                                      .unit = "s",
                                      .better = PS_BETTER_LOWER,
                                      .is_time = true};
    const cJSON *object = first_measured(r, list), *item;

    if (ps_document_number(object, cpu.key).kind != PS_NUM_NONE)
        write_part(r, list, &cpu, main, full);
    cJSON_ArrayForEach(item, object)
    {
        if (cJSON_IsNumber(item) && isfinite(item->valuedouble) &&
            !is_member_of_library(item->string) && member(object, item->string) == item) {
            const struct metric metric = describe_counter(r, item->string);

            write_part(r, list, &metric, main, full);
        }
    }
}

/* Whether the benchmark was skipped or has a time: repetitions, their mean or their median. */
static bool is_complete(const struct reader *r, const struct list *list)
{
    for (uint32_t i = list->first; i != END; i = r->entries[i].next) {
        const struct ps_str aggregate = r->entries[i].aggregate;

        if (!aggregate.ptr || ps_str_eq_c(aggregate, "mean") || ps_str_eq_c(aggregate, "median"))
            return true;
    }
    return false;
}

static void write_benchmark(struct reader *r, const struct list *list)
{
    static const struct metric time = {.key = "real_time",
                                       .name = PS_STR("time"),
                                       .unit = "s",
                                       .better = PS_BETTER_LOWER,
                                       .is_time = true};
    struct ps_measurement row = {
        .group = PS_STR(""), .metric = time.name, .better = time.better, .unit = time.unit};
    const struct ps_str full = run_name(&r->builder.arena, r->entries[list->first].object);

    row.name = unique_name(r, full);
    row.benchmark = add_parameters(r, full);
    add_values(r, list, &time, &row);
    add_rest(r, list, &row);
    ps_measurement_write(&r->builder, &row, row.statistic);
    if (row.state == PS_MEASURED)
        write_parts(r, list, &row, full);
}

/* --- The document --- */

/* Appends an object to the list of its key. */
static void append_entry(struct reader *r, struct lists *lists, struct ps_str key,
                         struct entry entry)
{
    const uint32_t at = (uint32_t)r->n_entries, id = ps_intern_add(&lists->keys, key);

    entry.next = END;
    PS_RESERVE_ONE(r->entries, r->n_entries, r->entries_cap);
    r->entries[r->n_entries++] = entry;
    if (id == lists->n) {
        PS_RESERVE_ONE(lists->items, lists->n, lists->cap);
        lists->items[lists->n++] = (struct list){at, at};
        return;
    }
    r->entries[lists->items[id].last].next = at;
    lists->items[id].last = at;
}

static struct ps_str benchmark_key(struct ps_arena *arena, const cJSON *object, struct ps_str name)
{
    static const char *const keys[] = {"threads", "family_index", "per_family_instance_index"};
    struct ps_str key = name;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        key = ps_str_from_c(ps_arena_printf(arena, "%.*s\n%.0f", (int)key.len, key.ptr,
                                            ps_num_to_real(ps_document_number(object, keys[i]))));
    return key;
}

static bool remove_end(struct ps_str *name, const char *end)
{
    const bool has_end = ps_str_ends_with(*name, ps_str_from_c(end));

    name->len -= has_end ? strlen(end) : 0;
    return has_end;
}

/* In files before 1.5, which have no run_type, only the end of the name tells aggregates. Removes
 * that end from *name if an earlier benchmark has the rest as its name. */
static struct ps_str remove_aggregate(const struct reader *r, struct ps_arena *arena,
                                      const cJSON *object, struct ps_str *name)
{
    static const char *const ends[] = {"_mean", "_median", "_stddev"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct ps_str rest = *name;

        if (remove_end(&rest, ends[i]) &&
            ps_intern_find(&r->benchmarks.keys, benchmark_key(arena, object, rest)) !=
                PS_INTERN_NONE) {
            *name = rest;
            return ps_str_from_c(ends[i] + 1);
        }
    }
    return (struct ps_str){NULL, 0};
}

/* Puts an object of "benchmarks" into its list. Returns why it cannot be read; NULL: it can. */
static const char *add_object(struct reader *r, const cJSON *object)
{
    struct ps_arena *arena = &r->builder.arena;
    struct ps_str name = text_member(object, "run_name");
    struct entry entry = {.object = object, .number = r->ledger.read, .aggregate = {NULL, 0}};

    if (!name.ptr)
        name = text_member(object, "name");
    if (!name.len)
        return "has no name";
    if (member(object, "big_o") || member(object, "rms")) {
        if (!remove_end(&name, "_BigO"))
            (void)remove_end(&name, "_RMS");
        append_entry(r, &r->complexities, family_key(arena, object, name), entry);
        return NULL;
    }
    if (ps_str_eq_c(text_member(object, "run_type"), "aggregate"))
        entry.aggregate = text_member(object, "aggregate_name");
    else if (!member(object, "run_type"))
        entry.aggregate = remove_aggregate(r, arena, object, &name);
    if (!is_skipped(object) && (units_per_second(object) <= 0 ||
                                ps_document_number(object, "real_time").kind == PS_NUM_NONE))
        return "has no time, or a time in an unknown unit";
    if (ps_str_eq_c(text_member(object, "run_type"), "aggregate") && !entry.aggregate.ptr)
        return "is an aggregate without a name";
    append_entry(r, &r->benchmarks, benchmark_key(arena, object, name), entry);
    return NULL;
}

/* Rejects the object with this number and, if it is in a list, those after it in the list. */
static void reject(struct reader *r, uint64_t number, const struct list *list, const char *why)
{
    if (r->ledger.rejected < NOTES_MAX)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0, "object %llu %s",
                     (unsigned long long)number, why);
    r->ledger.rejected++;
    for (uint32_t i = list ? r->entries[list->first].next : END; i != END; i = r->entries[i].next)
        r->ledger.rejected++;
}

static void write_all(struct reader *r, const cJSON *benchmarks)
{
    const cJSON *object;

    cJSON_ArrayForEach(object, benchmarks)
    {
        const char *why;

        r->ledger.read++;
        why = add_object(r, object);
        if (why)
            reject(r, r->ledger.read, NULL, why);
    }
    for (size_t i = 0; i < r->benchmarks.n; i++) {
        const struct list *list = &r->benchmarks.items[i];

        if (is_complete(r, list))
            write_benchmark(r, list);
        else
            reject(r, r->entries[list->first].number, list,
                   "is an aggregate of a benchmark whose repetitions and their mean are missing");
    }
    if (r->ledger.read == 0)
        ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the file contains no benchmarks: none matched the filter, or the program "
                     "ended early");
    r->ledger.stored = r->ledger.read - r->ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &r->ledger);
}

/* Writes a number or a text of the context. */
static void write_fact(struct reader *r, const cJSON *item, const char *key)
{
    const struct ps_num number = ps_document_count_of(item);
    struct ps_str text = ps_document_text_of(&r->builder.arena, item);

    if (number.kind == PS_NUM_INT)
        text = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%lld", (long long)number.i));
    if (text.len)
        ps_sink_meta(r->builder.out, key, text);
}

/* Users add facts of their own to the context with --benchmark_context; those that are facts of the
 * environment are stored as such. */
static void write_own_facts(struct reader *r, const cJSON *context)
{
#define KEY(name, label, group, weight, is_listed) name,
    static const char *const keys[] = {PS_ENVIRONMENT_FACTS(KEY)};
#undef KEY

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], "load") != 0)
            write_fact(r, member(context, keys[i]), keys[i]);
}

/* The list has the load averages of the last 1, 5 and 15 minutes. */
static void write_load(struct reader *r, const cJSON *context)
{
    const cJSON *load = cJSON_GetArrayItem(member(context, "load_avg"), 0);

    if (cJSON_IsNumber(load) && isfinite(load->valuedouble))
        ps_sink_meta(r->builder.out, "load",
                     ps_str_from_c(ps_arena_printf(&r->builder.arena, "%g", load->valuedouble)));
}

static void write_meta(struct reader *r, const cJSON *context)
{
    static const struct {
        const char *from, *to;
    } facts[] = {{"library_version", "tool_version"},
                 {"date", "recorded_at"},
                 {"host_name", "host"},
                 {"num_cpus", "cores"},
                 {"library_build_type", "build_type"}};

    ps_sink_meta(r->builder.out, "tool", PS_STR("Google Benchmark"));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        write_fact(r, member(context, facts[i].from), facts[i].to);
    write_load(r, context);
    write_own_facts(r, context);
    if (ps_str_eq_c(text_member(context, "library_build_type"), "debug"))
        ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the library was built as debug, so times may be too long");
    if (is_true(context, "cpu_scaling_enabled"))
        ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the frequency of the CPU was scaled, so times may be noisy");
}

static void free_lists(struct lists *lists)
{
    ps_intern_free(&lists->keys);
    free(lists->items);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "objects"}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "document", &bytes, out, err);
    const cJSON *benchmarks;
    cJSON *root;

    if (status != PS_OK)
        return status;
    root = ps_document_parse(&bytes, err);
    if (!root)
        return err->code;
    benchmarks = member(root, "benchmarks");
    if (cJSON_IsArray(benchmarks)) {
        write_meta(&r, member(root, "context"));
        write_all(&r, benchmarks);
    } else {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the document has no \"benchmarks\"" PS_HINT
                         "add the file that `--benchmark_out=result.json` wrote");
    }
    cJSON_Delete(root);
    free(r.entries);
    free(r.name_counts);
    free_lists(&r.benchmarks);
    free_lists(&r.complexities);
    ps_intern_free(&r.names);
    ps_measurement_builder_free(&r.builder);
    return status;
}

/* The context precedes the benchmarks, except in files that another program wrote again. */
static enum ps_match sniff(struct ps_str head)
{
    const struct ps_str body = ps_str_trim(head);

    if (!ps_str_starts_with(body, PS_STR("{")) || !ps_str_find(body, PS_STR("\"benchmarks\"")))
        return PS_MATCH_NO;
    if (ps_str_find(body, PS_STR("\"library_build_type\"")) ||
        ps_str_find(body, PS_STR("\"mhz_per_cpu\"")) ||
        (ps_str_find(body, PS_STR("\"real_time\"")) && ps_str_find(body, PS_STR("\"time_unit\""))))
        return PS_MATCH_SURE;
    return PS_MATCH_NO;
}

const struct ps_importer ps_google_benchmark = {
    .kind = "google-benchmark",
    .label = "Google Benchmark result",
    .description = "time of one iteration of each benchmark, with its repetitions and counters "
                   "(JSON)",
    .record_command = "./bench --benchmark_out=result.json --benchmark_repetitions=10",
    .sniff = sniff,
    .load = load,
};
