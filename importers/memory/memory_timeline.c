/* SPDX-License-Identifier: MIT */
/*
 * memory_timeline.c: reads files of torch's export_memory_timeline: memory by category over time.
 *
 *   [[t, t, ...], [[0, 8 sums], [0, 8 sums], ...]]   sums in bytes, t in us (.json)
 *   [[t, action, bytes, category], ...]              changes, t in ns; -1: before the start (.raw)
 *
 * Both become one curve per category, with a point for each change. Tested with torch 2.0 to 2.15.
 */
#include <math.h>
#include <stdlib.h>

#include "base/json_in.h"
#include "importers/importer.h"
#include "importers/reading.h"
#include "importers/records/memory_curve.h"
#include "importers/records/run.h"

enum {
    CATEGORIES = 8,
    POINTS_MAX = 16 * 1000 * 1000,
    NOTES_MAX = 20,
    CHECK_INTERVAL = 65536,
};

/* in the order in which torch numbers the categories */
static const char *const categories[CATEGORIES] = {"parameter",       "optimizer state", "input",
                                                   "temporary",       "activation",      "gradient",
                                                   "autograd detail", "unknown"};

struct reader {
    struct ps_json_in json;
    struct ps_sink *out;
    int64_t *times; /* times of a file with sums, in µs */
    size_t n_times, cap_times;
    int64_t first, last;              /* first and last time, in units of `unit` seconds */
    double unit;                      /* 1e-6 or 1e-9 */
    double bytes[CATEGORIES];         /* current bytes by category */
    double written_bytes[CATEGORIES]; /* bytes by category that were last written to the sink */
    bool has_begun, complete;         /* complete: the document was read to its end */
    double peak;
    uint64_t points; /* number of points written to the sink */
    /* number of records: all; rejected; earlier than their predecessor */
    uint64_t read, invalid, backwards;
};

/* --- Reporting --- */

/* Writes a point for each category that changed; for each category if `all` is set or no point was
 * written yet. */
static void write_categories(struct reader *r, int64_t t, bool all)
{
    double sum = 0;

    if (!r->has_begun)
        r->first = t;
    for (int i = 0; i < CATEGORIES; i++) {
        sum += r->bytes[i];
        if (r->has_begun && !all && r->bytes[i] == r->written_bytes[i])
            continue;
        r->written_bytes[i] = r->bytes[i];
        r->points++;
        r->out->ops->memory(r->out, &(struct ps_memory_sample){
                                        .t_s = (double)(t - r->first) * r->unit,
                                        .kind = categories[i],
                                        .mib = ps_real(r->bytes[i] / 1048576.0),
                                    });
    }
    r->has_begun = true;
    r->last = t;
    r->peak = sum > r->peak ? sum : r->peak;
}

static void reject_record(struct reader *r, const char *what)
{
    if (r->invalid++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, ps_json_in_offset(&r->json), 0, "%s", what);
}

/* --- Reading --- */

static bool number(const struct ps_json_in *json, double *out)
{
    char text[64], *end;

    if (json->text.len == 0 || json->text.len >= sizeof text)
        return false;
    memcpy(text, json->text.ptr, json->text.len);
    text[json->text.len] = '\0';
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out) && fabs(*out) < 0x1p62;
}

static bool read_whole_number(const struct ps_json_in *json, int64_t *out)
{
    return ps_str_parse_i64(json->text, out) && *out > -((int64_t)1 << 61) &&
           *out < (int64_t)1 << 61;
}

/* Reads an array whose `[` was read. Returns the number of values, counted up to most + 1, and
 * stores the first `most` in `out`; -1: some value is not a number, or the first is not an integer.
 * Sets *first to the first value, and *good to whether the array is closed. */
static int read_numbers(struct ps_json_in *json, double *out, int most, int64_t *first, bool *good)
{
    enum ps_json_token token;
    int n = 0;
    bool odd = false;

    while ((token = ps_json_in_next(json)) == PS_JSON_NUMBER) {
        if (n == 0)
            odd |= !read_whole_number(json, first);
        if (n < most)
            odd |= !number(json, &out[n]);
        n += n <= most;
    }
    *good = token == PS_JSON_ARRAY_END;
    while (!*good && token != PS_JSON_END && token != PS_JSON_INVALID) {
        odd = true;
        if (!ps_json_in_skip_rest(json, token))
            break;
        token = ps_json_in_next(json);
        *good = token == PS_JSON_ARRAY_END;
    }
    return odd ? -1 : n;
}

/* Applies a change: [t, action, bytes, category]. */
static void apply_change(struct reader *r, int64_t t, const double *row)
{
    int category = row[3] >= 0 && row[3] < CATEGORIES ? (int)row[3] : -1;

    if (category < 0 || row[1] < 1 || row[1] > 4) {
        reject_record(r, "this row has an unknown action or category");
        return;
    }
    if (t < 0)
        t = r->has_begun ? r->last : INT64_MIN; /* before the first time */
    if (t != INT64_MIN && r->last != INT64_MIN && t < r->last) {
        r->backwards++;
        t = r->last;
    }
    if (t != r->last && r->last != INT64_MIN)
        write_categories(r, r->last, false);
    r->last = t;
    r->bytes[category] += row[2];
}

static bool check_progress(struct reader *r, struct ps_err *err)
{
    return r->read % CHECK_INTERVAL ||
           ps_reading_check(r->json.in, r->out, r->points, err) == PS_OK;
}

/* Reads rows until the document ends. The first row was already read to detect the form of the
 * file. */
static enum ps_status read_changes(struct reader *r, int64_t t, const double *first,
                                   struct ps_err *err)
{
    enum ps_json_token token;
    double row[4] = {0};
    bool good = true;

    r->unit = 1e-9;
    r->last = INT64_MIN;
    r->read = 1;
    apply_change(r, t, first);
    while (good && !r->complete) {
        token = ps_json_in_next(&r->json);
        r->complete = token == PS_JSON_ARRAY_END;
        if (r->complete || token == PS_JSON_END || token == PS_JSON_INVALID)
            break;
        r->read++;
        if (token != PS_JSON_ARRAY) {
            reject_record(r, "this row does not have four numbers");
            good = ps_json_in_skip_rest(&r->json, token);
        } else if (read_numbers(&r->json, row, 4, &t, &good) == 4) {
            apply_change(r, t, row);
        } else {
            reject_record(r, "this row does not have four numbers");
        }
        if (!check_progress(r, err))
            return err->code;
    }
    if (r->last == INT64_MIN && r->read > r->invalid)
        r->last = 0;
    if (r->last != INT64_MIN)
        write_categories(r, r->last, true);
    return PS_OK;
}

static bool read_times(struct reader *r)
{
    enum ps_json_token token;

    while ((token = ps_json_in_next(&r->json)) == PS_JSON_NUMBER && r->n_times < POINTS_MAX) {
        PS_RESERVE_ONE(r->times, r->n_times, r->cap_times);
        if (!read_whole_number(&r->json, &r->times[r->n_times]))
            r->times[r->n_times] = r->n_times ? r->times[r->n_times - 1] : 0;
        r->n_times++;
    }
    return token == PS_JSON_ARRAY_END;
}

static void parse_sums(struct reader *r, size_t at, const double *row)
{
    int64_t t = r->times[at];

    if (r->has_begun && t < r->last) {
        r->backwards++;
        t = r->last;
    }
    for (int i = 0; i < CATEGORIES; i++)
        r->bytes[i] = row[i + 1];
    write_categories(r, t, at + 1 == r->n_times);
}

static enum ps_status read_sums(struct reader *r, struct ps_err *err)
{
    enum ps_json_token token;
    double row[CATEGORIES + 1] = {0};
    int64_t ignored;
    bool good = ps_json_in_next(&r->json) == PS_JSON_ARRAY;

    r->unit = 1e-6;
    for (size_t at = 0; good && at < r->n_times; at++) {
        token = ps_json_in_next(&r->json);
        if (token != PS_JSON_ARRAY)
            break;
        r->read++;
        if (read_numbers(&r->json, row, CATEGORIES + 1, &ignored, &good) == CATEGORIES + 1 && good)
            parse_sums(r, at, row);
        else
            reject_record(r, "this row does not have the sums of eight categories");
        if (!check_progress(r, err))
            return err->code;
    }
    r->complete = good && r->read == r->n_times && ps_json_in_next(&r->json) == PS_JSON_ARRAY_END &&
                  ps_json_in_next(&r->json) == PS_JSON_ARRAY_END;
    if (r->read < r->n_times) {
        ps_sink_note(r->out, PS_NOTE_REJECTED, ps_json_in_offset(&r->json), 0,
                     "times without sums, because the file ends here: %llu",
                     (unsigned long long)(r->n_times - r->read));
        r->invalid += r->n_times - r->read;
        r->read = r->n_times;
    }
    return PS_OK;
}

/* The first array determines the form of the file: four numbers whose second is an action are a
 * change. */
static enum ps_status read_document(struct reader *r, struct ps_err *err)
{
    double first[4] = {0};

    if (ps_json_in_next(&r->json) != PS_JSON_ARRAY || ps_json_in_next(&r->json) != PS_JSON_ARRAY)
        return ps_fail_at(err, PS_BAD_INPUT, 0, "the document is not a memory timeline");
    if (!read_times(r) && r->n_times < POINTS_MAX)
        return read_sums(r, err);
    if (r->n_times >= POINTS_MAX)
        return ps_fail(err, PS_LIMIT, "the timeline has more than %d points", POINTS_MAX);
    if (r->n_times == 4 && r->times[1] >= 1 && r->times[1] <= 4) {
        for (int i = 0; i < 4; i++)
            first[i] = (double)r->times[i];
        return read_changes(r, r->times[0], first, err);
    }
    return read_sums(r, err);
}

static void write_all(struct reader *r)
{
    struct ps_ledger ledger = {
        .unit = "points",
        .read = r->read,
        .stored = r->read - r->invalid,
        .rejected = r->invalid,
    };

    ps_sink_meta(r->out, "tool", PS_STR("torch.profiler"));
    r->out->ops->number(r->out, "points", ps_int((int64_t)r->points));
    r->out->ops->number(r->out, "duration_s",
                        ps_real(r->has_begun ? (double)(r->last - r->first) * r->unit : 0));
    r->out->ops->number(r->out, "peak_mib", ps_real(r->peak / 1048576.0));
    if (!r->has_begun)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the timeline contains no points");
    if (r->backwards)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "points earlier than the point before, moved to its time: %llu",
                     (unsigned long long)r->backwards);
    if (!r->complete)
        ps_sink_note(
            r->out, PS_NOTE_WARNING, ps_json_in_offset(&r->json), 0,
            "truncated: the document ends here; perfshelf imported the data before that point");
    r->out->ops->ledger(r->out, &ledger);
    r->out->ops->headline(r->out, &(struct ps_headline){r->peak / 1048576.0, "MiB", "peak"});
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.json = {.in = in}, .out = out};
    enum ps_status status = read_document(&r, err);

    if (status == PS_OK)
        status = ps_stream_status(in, err);
    if (status == PS_OK)
        write_all(&r);
    ps_json_in_free(&r.json);
    free(r.times);
    return status;
}

/* --- Recognition --- */

/* Reads the next number and the character after it. False: there is no number, or neither ',' nor
 * ']' follows it. */
static bool next_number(struct ps_str *rest, double *out, char *behind)
{
    char text[40], *end;
    size_t n = 0;

    while (rest->len && strchr(" \t\r\n,", rest->ptr[0]) && rest->ptr[0])
        *rest = ps_str_skip(*rest, 1);
    while (n < rest->len && n < sizeof text - 1 && strchr("0123456789-", rest->ptr[n]) &&
           rest->ptr[n]) {
        text[n] = rest->ptr[n];
        n++;
    }
    text[n] = '\0';
    if (n == 0 || n == rest->len)
        return false;
    *out = strtod(text, &end);
    *rest = ps_str_skip(*rest, n);
    while (rest->len && rest->ptr[0] == ' ')
        *rest = ps_str_skip(*rest, 1);
    *behind = rest->len ? rest->ptr[0] : '\0';
    return *end == '\0' && (*behind == ',' || *behind == ']');
}

static struct ps_str skip_brackets(struct ps_str body, size_t brackets)
{
    while (brackets) {
        while (body.len && strchr(" \t\r\n,", body.ptr[0]) && body.ptr[0])
            body = ps_str_skip(body, 1);
        if (!body.len || body.ptr[0] != '[')
            return (struct ps_str){NULL, 0};
        body = ps_str_skip(body, 1);
        brackets--;
    }
    return body;
}

/* Whether the list after the times begins with a row of 1 + 8 numbers. */
static enum ps_match sniff_sums(struct ps_str rest)
{
    double value;
    char behind = '\0';
    int n = 0;

    rest = skip_brackets(ps_str_skip(rest, 1), 2);
    while (rest.len && next_number(&rest, &value, &behind) && behind == ',')
        n++;
    return behind == ']' && n == CATEGORIES ? PS_MATCH_SURE : PS_MATCH_NO;
}

static enum ps_match sniff(struct ps_str head)
{
    struct ps_str rest = skip_brackets(head, 2);
    double value, before = -1, second = 0, fourth = 0;
    char behind = ',';
    size_t n = 0;
    bool rises = true;

    while (behind == ',' && next_number(&rest, &value, &behind)) {
        rises &= value >= before;
        before = value;
        n++;
        second = n == 2 ? value : second;
        fourth = n == 4 ? value : fourth;
    }
    if (n == 4 && behind == ']' && second >= 1 && second <= 4 && fourth >= 0 &&
        fourth < CATEGORIES && skip_brackets(ps_str_skip(rest, 1), 1).ptr)
        return sniff_sums(rest) == PS_MATCH_SURE ? PS_MATCH_NO : PS_MATCH_SURE;
    if (!n || !rises)
        return PS_MATCH_NO;
    if (behind == ']')
        return sniff_sums(rest);
    /* the times extend to the end of the head */
    return n > 1000 && before > 1e12 ? PS_MATCH_LIKELY : PS_MATCH_NO;
}

const struct ps_importer ps_memory_timeline = {
    .kind = "memory-timeline",
    .label = "PyTorch memory timeline",
    .description =
        "memory by category over time, as export_memory_timeline writes it (.json, .raw.json.gz)",
    .record_command = "p.export_memory_timeline(\"memory.json\", device=\"cuda:0\")",
    .sniff = sniff,
    .load = load,
};
