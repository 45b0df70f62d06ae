/* SPDX-License-Identifier: MIT */
/*
 * criterion.c: reads what Criterion.rs stores in `target/criterion`, from an archive of its files.
 *
 * A benchmark has four files: benchmark.json names it; estimates.json has statistics with their
 * confidence intervals; sample.json has the number of calls and the time of each sample; tukey.json
 * has fences for outliers, which are not read. Times are in ns. The time that Criterion prints is
 * the slope of a regression through the samples, or the mean if all samples have equally many
 * calls.
 */
#include "importers/measurements/criterion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/archive.h"
#include "base/intern.h"
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"

enum {
    FILE_BYTES_MAX = 64 << 20, /* bytes */
    NOTES_MAX = 50,
};

static const struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};

enum file { BENCHMARK, ESTIMATES, SAMPLE, TUKEY, N_FILES };
static const char *const file_names[N_FILES] = {"benchmark.json", "estimates.json", "sample.json",
                                                "tukey.json"};

/* The files of a benchmark. */
struct files {
    cJSON *documents[N_FILES]; /* NULL: absent, or not read */
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_intern folders; /* id: index of the files */
    struct files *benchmarks;
    size_t n, cap;
    struct ps_ledger ledger;
    uint64_t odd;
};

static const cJSON *item(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* --- Names of files --- */

static enum file file_of(const char *name)
{
    enum file i = BENCHMARK;

    while (i < N_FILES && strcmp(file_names[i], name) != 0)
        i++;
    return i;
}

bool ps_criterion_is_part(const char *path, size_t *len)
{
    const char *slash = strrchr(path, '/');
    const struct ps_str folder = {path, slash ? (size_t)(slash - path) : 0};

    if (!slash || file_of(slash + 1) == N_FILES || !ps_str_ends_with(folder, PS_STR("/new")))
        return false;
    *len = folder.len - strlen("/new");
    return true;
}

bool ps_criterion_is_content(struct ps_str head)
{
    const struct ps_str body = ps_str_trim(head);

    return ps_str_starts_with(body, PS_STR("[")) || ps_str_find(body, PS_STR("\"group_id\"")) ||
           ps_str_find(body, PS_STR("\"point_estimate\"")) ||
           ps_str_find(body, PS_STR("\"sampling_mode\""));
}

bool ps_criterion_read_folder(struct ps_str json, struct ps_str *out)
{
    const struct ps_str key = PS_STR("\"directory_name\":\"");
    const char *at = ps_str_find(json, key);
    struct ps_str rest = at ? ps_str_skip(json, (size_t)(at - json.ptr) + key.len) : json;
    const char *end = rest.len ? memchr(rest.ptr, '"', rest.len) : NULL;

    *out = (struct ps_str){rest.ptr, at && end ? (size_t)(end - rest.ptr) : 0};
    return out->len > 0;
}

/* --- Rows --- */

static double seconds_of(double ns)
{
    return ns / 1e9;
}

/* An estimate of the file, such as "mean", in seconds; none if it is absent. */
static struct ps_num estimate_of(const cJSON *estimates, const char *key)
{
    const struct ps_num ns = ps_document_number(item(estimates, key), "point_estimate");

    return ns.kind == PS_NUM_NONE ? ns : ps_real(seconds_of(ns.r));
}

/* Adds the ends of the confidence interval, as "ci_95_a" and "ci_95_b". */
static void add_interval(struct reader *r, const cJSON *estimate)
{
    const cJSON *interval = item(estimate, "confidence_interval");
    const struct ps_num level = ps_document_number(interval, "confidence_level");
    static const char *const ends[] = {"lower_bound", "upper_bound"};

    for (int i = 0; i < 2 && level.kind != PS_NUM_NONE; i++) {
        const struct ps_num ns = ps_document_number(interval, ends[i]);

        if (ns.kind != PS_NUM_NONE)
            ps_measurement_add_number(
                &r->builder, ps_arena_printf(&r->builder.arena, "ci_%g_%c", level.r * 100, 'a' + i),
                ps_real(seconds_of(ns.r)));
    }
}

/* Adds the samples. Returns the calls of each, NAN if they differ. */
static double add_samples(struct reader *r, const cJSON *sample)
{
    const cJSON *calls = item(sample, "iters"), *times = item(sample, "times");
    const cJSON *n = cJSON_IsArray(calls) ? calls->child : NULL;
    const cJSON *ns = cJSON_IsArray(times) ? times->child : NULL;
    double common = n && cJSON_IsNumber(n) ? n->valuedouble : (double)NAN;

    for (; n && ns; n = n->next, ns = ns->next) {
        if (!cJSON_IsNumber(n) || n->valuedouble <= 0 || !cJSON_IsNumber(ns) ||
            !isfinite(ns->valuedouble / n->valuedouble)) {
            r->odd++;
            continue;
        }
        ps_measurement_add_sample(&r->builder, seconds_of(ns->valuedouble / n->valuedouble));
        common = common == n->valuedouble ? common : (double)NAN;
    }
    r->odd += n || ns;
    return common;
}

/* Writes the throughput as a part of the row: {"Elements": 100} are those of one call. */
static void write_throughput(struct reader *r, const struct ps_measurement *row,
                             const cJSON *throughput)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, throughput)
    {
        const bool is_bytes = strncmp(one->string, "Bytes", 5) == 0;
        struct ps_measurement part = {
            .name = row->name,
            .benchmark = row->benchmark,
            .metric = PS_STR("throughput"),
            .better = PS_BETTER_HIGHER,
            .is_part = true,
            .statistic = row->statistic,
        };
        char *unit = ps_arena_printf(&r->builder.arena, "%.40s/s", one->string);

        if (!cJSON_IsNumber(one) || !(ps_num_to_real(row->value) > 0))
            continue;
        for (char *c = unit; *c; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        part.unit = is_bytes ? "B/s" : unit;
        part.value = ps_real(one->valuedouble / ps_num_to_real(row->value));
        ps_measurement_write(&r->builder, &part, NULL);
    }
}

/* Whether the group of the benchmark has functions, which Criterion compares with each other if
 * their values are equal. */
static bool is_alternative(const cJSON *benchmark)
{
    return cJSON_IsString(item(benchmark, "function_id"));
}

static void fill_names(struct reader *r, struct ps_measurement *row, const cJSON *benchmark)
{
    struct ps_arena *arena = &r->builder.arena;
    struct ps_str group = ps_document_text(arena, benchmark, "group_id");
    struct ps_str function = ps_document_text(arena, benchmark, "function_id");
    struct ps_str value = ps_document_text(arena, benchmark, "value_str");
    struct ps_num number = PS_NO_NUM;
    int64_t integer;

    row->name = ps_document_text(arena, benchmark, "full_id");
    row->benchmark = group;
    if (function.len)
        row->benchmark = ps_str_from_c(ps_arena_printf(arena, "%.*s/%.*s", (int)group.len,
                                                       group.ptr, (int)function.len, function.ptr));
    if (is_alternative(benchmark))
        row->group = group;
    if (!value.ptr)
        return;
    if (ps_str_parse_i64(value, &integer))
        number = ps_int(integer);
    ps_measurement_add_parameter(&r->builder, PS_STR(""), number,
                                 number.kind == PS_NUM_NONE ? value : PS_STR(""));
}

static void write_row(struct reader *r, const struct files *files)
{
    const cJSON *estimates = files->documents[ESTIMATES];
    const cJSON *benchmark = files->documents[BENCHMARK];
    struct ps_measurement row = {.metric = PS_STR("time"), .unit = "s", .statistic = "slope"};
    double calls;

    fill_names(r, &row, benchmark);
    row.value = estimate_of(estimates, "slope");
    if (row.value.kind == PS_NUM_NONE) {
        row.value = estimate_of(estimates, "mean");
        row.statistic = "mean";
    }
    row.mean = estimate_of(estimates, "mean");
    row.median = estimate_of(estimates, "median");
    row.stddev = estimate_of(estimates, "std_dev");
    calls = add_samples(r, files->documents[SAMPLE]);
    if (calls >= 1 && calls < 9e15)
        row.loops = ps_int((int64_t)calls);
    ps_measurement_compute_spread(&r->builder, &row);
    add_interval(r, item(estimates, row.statistic));
    ps_measurement_add_number(&r->builder, "median absolute deviation",
                              estimate_of(estimates, "median_abs_dev"));
    ps_measurement_write(&r->builder, &row, row.statistic);
    write_throughput(r, &row, item(benchmark, "throughput"));
}

/* --- The archive --- */

static struct files *files_of(struct reader *r, struct ps_str folder)
{
    const uint32_t id = ps_intern_add(&r->folders, folder);

    if (id == r->n) {
        PS_RESERVE_ONE(r->benchmarks, r->n, r->cap);
        r->benchmarks[r->n++] = (struct files){.documents = {NULL}};
    }
    return &r->benchmarks[id];
}

/* Reads a member, which is a JSON object unless it is tukey.json, which is not read. */
static enum ps_status read_member(struct reader *r, struct ps_archive *archive, const char *name,
                                  struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct ps_stream *member = ps_archive_member(archive);
    size_t len;

    if (ps_criterion_is_part(name, &len)) {
        struct files *files = files_of(r, (struct ps_str){name, len});
        const enum file file = file_of(strrchr(name, '/') + 1);
        struct ps_err why = PS_ERR_INIT;

        ps_read_whole(member, FILE_BYTES_MAX, "document", &bytes, r->builder.out, err);
        if (err->code == PS_OK && file != TUKEY && !files->documents[file] &&
            !(files->documents[file] = ps_document_parse(&bytes, &why)))
            ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0, "%.200s: %s", name,
                         why.text);
    }
    ps_stream_free(member);
    return err->code;
}

static enum ps_status read_members(struct reader *r, struct ps_stream *in, struct ps_err *err)
{
    struct ps_archive *archive = ps_archive_open(in, &limits);
    struct ps_str name;

    while (err->code == PS_OK && ps_archive_next(archive, &name, NULL)) {
        PS_AUTO(ps_free_ptr) char *copy = ps_strdup(name);

        read_member(r, archive, copy, err);
    }
    if (err->code == PS_OK)
        ps_archive_status(archive, err);
    ps_archive_free(archive);
    return err->code;
}

static void write_all(struct reader *r)
{
    struct ps_ledger *ledger = &r->ledger;

    ledger->unit = "benchmarks";
    ps_sink_meta(r->builder.out, "tool", PS_STR("Criterion.rs"));
    for (size_t i = 0; i < r->n; i++) {
        const struct files *files = &r->benchmarks[i];
        const bool is_complete =
            cJSON_IsString(item(files->documents[BENCHMARK], "full_id")) &&
            estimate_of(files->documents[ESTIMATES], "mean").kind != PS_NUM_NONE;

        ledger->read++;
        if (is_complete)
            write_row(r, files);
        else if (ledger->rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "%.*s has no name or no estimates", (int)r->folders.items[i].len,
                         r->folders.items[i].ptr);
    }
    ps_sink_count(r->builder.out, PS_NOTE_WARNING, r->odd,
                  "samples dropped because they are not finite numbers");
    ledger->stored = ledger->read - ledger->rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, ledger);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}};

    if (read_members(&r, in, err) == PS_OK)
        write_all(&r);
    for (size_t i = 0; i < r.n; i++)
        for (size_t k = 0; k < N_FILES; k++)
            cJSON_Delete(r.benchmarks[i].documents[k]);
    free(r.benchmarks);
    ps_intern_free(&r.folders);
    ps_measurement_builder_free(&r.builder);
    return err->code;
}

static enum ps_match sniff(struct ps_str head)
{
    return ps_is_archive(head) && ps_str_starts_with(head, PS_STR(PS_CRITERION_FOLDER))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_criterion = {
    .kind = "criterion",
    .label = "Criterion.rs result",
    .description = "the folder target/criterion of Criterion.rs, or an archive of it",
    .record_command = "cargo bench",
    .sniff = sniff,
    .load = load,
};
