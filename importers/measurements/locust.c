/* SPDX-License-Identifier: MIT */
/*
 * locust.c: reads the statistics of Locust, a load generator: the file PREFIX_stats.csv of `locust
 * --csv PREFIX`, and what `locust --json` prints. Each kind of request is a row.
 *
 * Times are in milliseconds. Average, minimum and maximum are exact. Percentiles, and the median
 * among them, are those of times that were rounded to 1, 10, 100 or 1,000 ms by size, so they are
 * stored as additional values only. Failed requests count in all of them. The row "Aggregated" is
 * the sum of the others.
 */
#include <math.h>

#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure_document.h"
#include "importers/measurements/measure_text.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/text/text_report.h"

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes */
    COLUMNS_MAX = 64,
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_ledger ledger;
    uint64_t requests, failures;
    struct ps_str titles[COLUMNS_MAX];
    size_t n_titles;
};

/* What both forms state of a kind of request; times in ms. */
struct entry {
    struct ps_str method, name;
    struct ps_num n, failures, mean, min, max;
};

static struct ps_num seconds(struct ps_num ms)
{
    return ms.kind == PS_NUM_NONE ? ms : ps_real(ps_num_to_real(ms) / 1e3);
}

static struct ps_str name_of(struct reader *r, const struct entry *entry)
{
    return entry->method.len ? ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s %s",
                                                             entry->method.ptr, entry->name.ptr))
                             : entry->name;
}

/* Writes the response time of an entry, whose additional values were added. Requests of which all
 * failed, or that were not sent, have no time. */
static void write_entry(struct reader *r, const struct entry *entry)
{
    const double n = ps_num_to_real(entry->n), failures = ps_num_to_real(entry->failures);
    struct ps_measurement row = {
        .name = name_of(r, entry),
        .group = PS_STR(""),
        .metric = PS_STR("response time"),
        .unit = "s",
        .statistic = "mean",
        .loops = ps_int(1),
        .state = !(n > 0)        ? PS_MEASUREMENT_SKIPPED
                 : failures >= n ? PS_MEASUREMENT_FAILED
                                 : PS_MEASURED,
    };

    r->requests += n > 0 && n < 9e15 ? (uint64_t)n : 0;
    r->failures += failures > 0 && failures < 9e15 ? (uint64_t)failures : 0;
    ps_measurement_add_number(&r->builder, "requests", entry->n);
    ps_measurement_add_number(&r->builder, "failures", entry->failures);
    if (row.state == PS_MEASURED) {
        row.n = entry->n;
        row.mean = row.value = seconds(entry->mean);
        row.min = seconds(entry->min);
        row.max = seconds(entry->max);
    }
    ps_measurement_write(&r->builder, &row, "mean");
}

static void write_rate(struct reader *r, const struct entry *entry, const char *unit,
                       struct ps_num value, enum ps_better better)
{
    struct ps_measurement row = {
        .name = name_of(r, entry),
        .group = PS_STR(""),
        .metric = ps_str_from_c(unit),
        .is_part = true,
        .better = better,
        .unit = unit,
        .statistic = "mean",
        .value = value,
        .mean = value,
    };

    if (value.kind != PS_NUM_NONE)
        ps_measurement_write(&r->builder, &row, NULL);
}

static void reject(struct reader *r, const char *why)
{
    if (r->ledger.rejected++ < NOTES_MAX)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0, "row %llu %s",
                     (unsigned long long)r->ledger.read, why);
}

/* --- CSV --- */

static size_t split_line(struct reader *r, struct ps_str line, struct ps_str *cells)
{
    size_t n = 0;

    while (line.len && n < COLUMNS_MAX)
        cells[n++] = ps_printed_cell_pop(&r->builder.arena, &line);
    return n;
}

/* The cell below a title; {NULL, 0}: there is no such title. */
static struct ps_str cell_of(const struct reader *r, const struct ps_str *cells, const char *title)
{
    for (size_t i = 0; i < r->n_titles; i++)
        if (ps_str_eq_c(r->titles[i], title))
            return cells[i];
    return (struct ps_str){NULL, 0};
}

/* A number of the row; none if the cell is "N/A", absent or no finite number. */
static struct ps_num number_of(const struct reader *r, const struct ps_str *cells,
                               const char *title)
{
    struct ps_num number = PS_NO_NUM;
    struct ps_str cell = cell_of(r, cells, title);

    if (!cell.len || !ps_report_parse_number(cell, &number) || !isfinite(ps_num_to_real(number)))
        return PS_NO_NUM;
    return number;
}

/* Adds the percentiles, which have titles such as "99.9%". */
static void add_percentiles(struct reader *r, const struct ps_str *cells)
{
    for (size_t i = 0; i < r->n_titles; i++)
        if (ps_str_ends_with(r->titles[i], PS_STR("%")))
            ps_measurement_add_number(&r->builder, r->titles[i].ptr,
                                      seconds(number_of(r, cells, r->titles[i].ptr)));
}

static void read_row(struct reader *r, const struct ps_str *cells)
{
    const struct entry entry = {
        .method = cell_of(r, cells, "Type"),
        .name = cell_of(r, cells, "Name"),
        .n = number_of(r, cells, "Request Count"),
        .failures = number_of(r, cells, "Failure Count"),
        .mean = number_of(r, cells, "Average Response Time"),
        .min = number_of(r, cells, "Min Response Time"),
        .max = number_of(r, cells, "Max Response Time"),
    };

    if (!entry.method.len && ps_str_eq_c(entry.name, "Aggregated")) {
        r->ledger.other++;
        return;
    }
    if (!entry.name.len || entry.n.kind == PS_NUM_NONE || entry.failures.kind == PS_NUM_NONE) {
        reject(r, "has no name or no counts");
        return;
    }
    if (ps_num_to_real(entry.failures) < ps_num_to_real(entry.n))
        add_percentiles(r, cells);
    ps_measurement_add_number(&r->builder, "average content size",
                              number_of(r, cells, "Average Content Size"));
    write_entry(r, &entry);
    write_rate(r, &entry, "requests/s", number_of(r, cells, "Requests/s"), PS_BETTER_HIGHER);
    write_rate(r, &entry, "failures/s", number_of(r, cells, "Failures/s"), PS_BETTER_LOWER);
}

static enum ps_status read_csv(struct reader *r, struct ps_str text, struct ps_err *err)
{
    r->n_titles = split_line(r, ps_report_trim_end(ps_report_pop_line(&text)), r->titles);
    while (text.len) {
        struct ps_str line = ps_report_trim_end(ps_report_pop_line(&text)), cells[COLUMNS_MAX];

        if (!line.len)
            continue;
        r->ledger.read++;
        if (split_line(r, line, cells) != r->n_titles)
            reject(r, "has another number of cells than the title");
        else
            read_row(r, cells);
    }
    if (!r->ledger.read)
        return ps_fail(err, PS_BAD_INPUT,
                       "the table has no rows" PS_HINT
                       "the file was truncated; record it again with `locust --csv PREFIX`");
    return PS_OK;
}

/* --- JSON --- */

static bool read_object(struct reader *r, const cJSON *object)
{
    struct entry entry = {
        .method = ps_document_text(&r->builder.arena, object, "method"),
        .name = ps_document_text(&r->builder.arena, object, "name"),
        .n = ps_document_count(object, "num_requests"),
        .failures = ps_document_count(object, "num_failures"),
        .min = ps_document_number(object, "min_response_time"),
        .max = ps_document_number(object, "max_response_time"),
    };
    struct ps_num total = ps_document_number(object, "total_response_time");
    struct ps_num timeless = ps_document_count(object, "num_none_requests");
    const double timed = ps_num_to_real(entry.n) - ps_num_to_real(timeless);

    if (!entry.name.len || entry.n.kind == PS_NUM_NONE || entry.failures.kind == PS_NUM_NONE)
        return false;
    if (total.kind != PS_NUM_NONE && timed > 0) /* as Locust defines its average */
        entry.mean = ps_real(total.r / timed);
    write_entry(r, &entry);
    return true;
}

static enum ps_status read_json(struct reader *r, struct ps_buf *bytes, struct ps_err *err)
{
    cJSON *root = ps_document_parse_list(bytes, err);
    const cJSON *object;

    if (!root)
        return err->code;
    cJSON_ArrayForEach(object, root)
    {
        r->ledger.read++;
        if (!read_object(r, object))
            reject(r, "has no name or no counts");
    }
    cJSON_Delete(root);
    return PS_OK;
}

static void write_end(struct reader *r)
{
    struct ps_sink *out = r->builder.out;

    if (r->failures)
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "%llu of %llu requests failed, and their times count too",
                     (unsigned long long)r->failures, (unsigned long long)r->requests);
    ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "percentiles of Locust are those of times rounded to 1, 10, 100 or 1,000 ms");
    r->ledger.stored = r->ledger.read - r->ledger.rejected - r->ledger.other;
    ps_measurement_write_headline(&r->builder);
    out->ops->ledger(out, &r->ledger);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "rows"}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "table", &bytes, out, err);
    struct ps_str text = ps_str_trim(ps_buf_slice(&bytes));

    if (status != PS_OK)
        return status;
    ps_sink_meta(out, "tool", PS_STR("locust"));
    status = ps_str_starts_with(text, PS_STR("[")) ? read_json(&r, &bytes, err)
                                                   : read_csv(&r, text, err);
    if (status == PS_OK)
        write_end(&r);
    ps_measurement_builder_free(&r.builder);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    static const char *const words[] = {"\"num_requests\"", "\"num_failures\"",
                                        "\"total_response_time\""};
    struct ps_str body = ps_str_trim(head);

    if (ps_str_starts_with(body, PS_STR("Type,Name,Request Count,Failure Count,")))
        return PS_MATCH_SURE;
    if (!ps_str_starts_with(body, PS_STR("[")))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!ps_str_find(body, ps_str_from_c(words[i])))
            return PS_MATCH_NO;
    return PS_MATCH_SURE;
}

const struct ps_importer ps_locust = {
    .kind = "locust",
    .label = "Locust statistics",
    .description = "response times, rates and failures of each kind of request (CSV, JSON)",
    .record_command = "locust --headless -t 60s --csv result",
    .sniff = sniff,
    .load = load,
};
