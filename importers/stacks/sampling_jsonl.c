/* SPDX-License-Identifier: MIT */
/*
 * sampling_jsonl.c: reads the file that `python -m profiling.sampling run --jsonl` of Python 3.15
 * writes.
 *
 * Each line is a JSON object: meta, tables of strings and frames, sums of samples per frame, end.
 * The file has no stacks, so callers are unknown. A function has an entry for each expression that
 * was seen running; they are added up. Calls are samples; times are samples times the interval. A
 * sample in which a function calls itself is counted in the cumulative sums of several expressions.
 * In version 0 a table is one object; in version 1 it is split into several objects.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "base/python_origin.h"
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/reading.h"
#include "importers/records/functions.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

enum {
    LINE_MAX_BYTES = 64 << 20, /* bytes */
    IDS_MAX = 4 << 20,         /* maximum id of a string or frame */
    NOTES_MAX = 20,
};

struct frame {
    bool known;
    struct ps_str path, function;
    int64_t line;
};

struct row {
    struct frame frame;
    int64_t self, cumulative; /* samples */
    uint32_t entries;
};

struct reader {
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_str *texts; /* by id; {NULL, 0}: not in the file */
    size_t n_texts;
    struct frame *frames; /* by id */
    size_t n_frames;
    struct ps_intern keys, files; /* keys: path and function of the rows */
    struct row *rows;
    size_t n_rows, row_cap;
    struct ps_buf mode;
    double interval_s;
    int64_t samples;
    bool has_meta, has_sums, has_ended;
    uint64_t offset, line; /* byte offset and line number of the current record */
    uint64_t entries, stored, rejected, more_runs;
};

static void reject_record(struct reader *r, const char *why)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->offset, r->line, "%s", why);
}

/* Reads an integer of at least 0 from an object; -1: the object has no such integer. */
static int64_t read_count_member(const cJSON *object, const char *key)
{
    struct ps_num n = ps_document_count(object, key);

    return n.kind == PS_NUM_INT && n.i >= 0 ? n.i : -1;
}

/* --- Tables --- */

/* Grows an array of *n elements of `size` bytes so that index `id` is valid; new elements are zero.
 * False: `id` is out of range. */
static bool grow_to_id(void *array, size_t *n, int64_t id, size_t size)
{
    char **at = array;
    size_t want = *n ? *n : 64;

    if (id < 0 || id >= IDS_MAX)
        return false;
    while (want <= (size_t)id)
        want *= 2;
    if (want > *n) {
        *at = ps_grow(*at, want, size);
        memset(*at + *n * size, 0, (want - *n) * size);
        *n = want;
    }
    return true;
}

static void parse_texts(struct reader *r, const cJSON *list)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        int64_t id = read_count_member(item, "str_id");
        struct ps_str text = ps_document_text(&r->arena, item, "value");

        if (!text.ptr || !grow_to_id(&r->texts, &r->n_texts, id, sizeof *r->texts))
            reject_record(r, "a string record has no number");
        else
            r->texts[id] = ps_arena_copy(&r->arena, text);
    }
}

static struct ps_str text_of(const struct reader *r, int64_t id)
{
    bool known = id >= 0 && (size_t)id < r->n_texts && r->texts[id].ptr;

    return known ? r->texts[id] : PS_STR("(not in file)");
}

static void parse_frames(struct reader *r, const cJSON *list)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        int64_t id = read_count_member(item, "frame_id");

        if (!grow_to_id(&r->frames, &r->n_frames, id, sizeof *r->frames)) {
            reject_record(r, "a frame record has no number");
            continue;
        }
        r->frames[id] = (struct frame){
            .known = true,
            .path = text_of(r, read_count_member(item, "path_str_id")),
            .function = text_of(r, read_count_member(item, "func_str_id")),
            .line = read_count_member(item, "line"),
        };
    }
}

/* --- Sums --- */

/* Returns the row of a frame, adding it if it is new. Frames of one function share a row. */
static struct row *row_of(struct reader *r, const struct frame *frame)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    uint32_t known = r->keys.count, id;

    ps_buf_add_str(&key, frame->path);
    ps_buf_add(&key, "", 1);
    ps_buf_add_str(&key, frame->function);
    id = ps_intern_add(&r->keys, ps_buf_slice(&key));
    if (id == known) {
        PS_RESERVE_ONE(r->rows, r->n_rows, r->row_cap);
        r->rows[r->n_rows++] = (struct row){.frame = *frame};
    }
    return &r->rows[id];
}

static void parse_entry(struct reader *r, const cJSON *entry)
{
    int64_t id = read_count_member(entry, "frame_id"), self = read_count_member(entry, "self");
    int64_t cumulative = read_count_member(entry, "cumulative"), samples, below;
    struct row *row;

    r->entries++;
    if (id < 0 || (size_t)id >= r->n_frames || !r->frames[id].known || self < 0 || cumulative < 0) {
        reject_record(r, "sample counts that are not numbers or belong to an unknown frame");
        return;
    }
    row = row_of(r, &r->frames[id]);
    if (__builtin_add_overflow(row->self, self, &samples) ||
        __builtin_add_overflow(row->cumulative, cumulative, &below)) {
        reject_record(r, "the sum of samples exceeds 64 bits");
        return;
    }
    if (r->frames[id].line < row->frame.line) /* the first line that was seen */
        row->frame.line = r->frames[id].line;
    row->self = samples;
    row->cumulative = below;
    row->entries++;
    r->stored++;
}

static void parse_sums(struct reader *r, const cJSON *record)
{
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "kind"));
    const cJSON *entry, *entries = cJSON_GetObjectItemCaseSensitive(record, "entries");

    if (!kind || strcmp(kind, "frame") != 0)
        return;
    r->has_sums = true;
    cJSON_ArrayForEach(entry, entries) parse_entry(r, entry);
}

/* --- Records --- */

static void parse_meta(struct reader *r, const cJSON *record)
{
    const char *mode = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "mode"));
    struct ps_num usec = ps_document_number(record, "sample_interval_usec");

    if (r->has_meta) {
        r->more_runs++;
        return;
    }
    r->has_meta = true;
    r->interval_s = usec.kind == PS_NUM_REAL && usec.r > 0 && usec.r < 1e12 ? usec.r / 1e6 : 0;
    ps_buf_puts(&r->mode, mode ? mode : "");
}

static void parse_record(struct reader *r, const cJSON *record)
{
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "type"));

    if (!type)
        reject_record(r, "a record has no type");
    else if (strcmp(type, "meta") == 0)
        parse_meta(r, record);
    else if (r->more_runs)
        return;
    else if (strcmp(type, "string_table") == 0)
        parse_texts(r, cJSON_GetObjectItemCaseSensitive(record, "strings"));
    else if (strcmp(type, "str_def") == 0)
        parse_texts(r, cJSON_GetObjectItemCaseSensitive(record, "defs"));
    else if (strcmp(type, "frame_table") == 0)
        parse_frames(r, cJSON_GetObjectItemCaseSensitive(record, "frames"));
    else if (strcmp(type, "frame_def") == 0)
        parse_frames(r, cJSON_GetObjectItemCaseSensitive(record, "defs"));
    else if (strcmp(type, "agg") == 0)
        parse_sums(r, record);
    else if (strcmp(type, "end") == 0) {
        r->has_ended = true;
        r->samples = read_count_member(record, "samples_total");
    }
}

static enum ps_status parse_line(struct reader *r, const struct ps_line *line, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct ps_err wrong = PS_ERR_INIT;
    cJSON *record;

    r->offset = line->offset;
    r->line++;
    if (line->is_truncated)
        return ps_fail_at(err, PS_LIMIT, line->offset, "a line is longer than %d bytes",
                          LINE_MAX_BYTES);
    ps_buf_add_str(&bytes, line->text);
    if (bytes.len == 0 || strspn(bytes.ptr, " \t\r") >= bytes.len)
        return PS_OK;
    record = ps_document_parse(&bytes, &wrong);
    if (!record && wrong.code == PS_LIMIT) {
        *err = wrong;
        return err->code;
    }
    if (record)
        parse_record(r, record);
    else
        reject_record(r, "this line is not a complete JSON object");
    cJSON_Delete(record);
    return PS_OK;
}

static enum ps_status read_lines(struct reader *r, struct ps_stream *in, struct ps_err *err)
{
    enum ps_status status = PS_OK;
    struct ps_line line;

    while (status == PS_OK && ps_stream_read_line(in, LINE_MAX_BYTES, &line)) {
        status = parse_line(r, &line, err);
        if (status == PS_OK)
            status = ps_reading_check(in, r->out, r->entries, err);
    }
    return status == PS_OK ? ps_stream_status(in, err) : status;
}

/* --- Reporting --- */

static void write_function(struct reader *r, uint32_t id)
{
    const struct row *row = &r->rows[id - 1];
    struct ps_function function = {
        .id = id,
        .file = row->frame.path,
        .name = row->frame.function,
        .file_key = ps_intern_add(&r->files, row->frame.path) + 1,
        .line = ps_int(row->frame.line < 0 ? 0 : row->frame.line),
        .ncalls = ps_int(row->cumulative),
        .primitive_calls = ps_int(row->self),
        .tottime_s = ps_real((double)row->self * r->interval_s),
        .cumtime_s = ps_real((double)row->cumulative * r->interval_s),
        .origin = ps_python_file_origin(row->frame.path),
        .has_entry = true,
    };

    r->out->ops->function(r->out, &function);
}

static void write_summary(struct reader *r)
{
    double self = 0, cumulative = 0;

    for (size_t i = 0; i < r->n_rows; i++) {
        self += (double)r->rows[i].self;
        cumulative += (double)r->rows[i].cumulative;
    }
    r->out->ops->number(r->out, "total_tt_s", ps_real(self * r->interval_s));
    r->out->ops->number(r->out, "total_calls", ps_real(cumulative));
    r->out->ops->number(r->out, "primitive_calls", ps_real(self));
    r->out->ops->number(r->out, "functions", ps_int((int64_t)r->n_rows));
    r->out->ops->number(r->out, "files", ps_int(r->files.count));
    r->out->ops->number(r->out, "sampled", ps_int(1));
    r->out->ops->number(r->out, "flat", ps_int(1)); /* callers are unknown */
    r->out->ops->headline(r->out, &(struct ps_headline){self * r->interval_s, "s", "tottime"});
}

/* Returns the number of rows that were added up from several expressions and that called a
 * function: only these can count a sample twice. */
static uint64_t upper_bounds(const struct reader *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->n_rows; i++)
        n += r->rows[i].entries > 1 && r->rows[i].cumulative > r->rows[i].self;
    return n;
}

static void write_notes(struct reader *r)
{
    uint64_t bounds = upper_bounds(r);

    if (bounds)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "functions with several expressions: %llu; a recursive one may be counted "
                     "several times in its cumulative samples",
                     (unsigned long long)bounds);
    ps_sink_note(
        r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
        "written by a sampling profiler: calls are samples, and a line number is the first line "
        "that was seen. The file has no callers; record with --gecko to keep them");
    if (!r->has_ended)
        ps_sink_note(
            r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
            "the recording has no end record: the file was truncated, or the program was stopped");
    if (r->interval_s <= 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the file does not contain the sampling interval: times are 0");
    if (r->more_runs)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "more recordings in this file, which were skipped: %llu",
                     (unsigned long long)r->more_runs);
}

static void write_all(struct reader *r)
{
    struct ps_ledger ledger = {
        /* the numbers include rejected records that are not entries */
        .unit = "entries",
        .read = r->stored + r->rejected,
        .stored = r->stored,
        .rejected = r->rejected,
    };
    bool mended;

    ps_sink_meta(r->out, "tool", PS_STR("CPython profiling.sampling"));
    ps_sink_meta(r->out, "writer", PS_STR("sampling"));
    if (r->mode.len)
        ps_sink_meta(r->out, "mode", ps_display_text(&r->arena, ps_buf_slice(&r->mode), &mended));
    for (uint32_t id = 1; id <= r->n_rows; id++)
        write_function(r, id);
    write_summary(r);
    write_notes(r);
    r->out->ops->ledger(r->out, &ledger);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.out = out};
    enum ps_status status = read_lines(&r, in, err);

    if (status == PS_OK && !r.has_sums) {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the recording ends before its sample counts" PS_HINT
                         "the program was stopped early; record again with `python -m "
                         "profiling.sampling run --jsonl -o app.jsonl app.py`");
    } else if (status == PS_OK && r.n_rows == 0) {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the sampling profiler took no samples" PS_HINT
                         "record a longer run, or sample more often with -r");
    } else if (status == PS_OK) {
        write_all(&r);
    }
    ps_arena_free(&r.arena);
    ps_intern_free(&r.keys);
    ps_intern_free(&r.files);
    ps_buf_free(&r.mode);
    free(r.texts);
    free(r.frames);
    free(r.rows);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    const char *end = head.len ? memchr(head.ptr, '\n', head.len) : NULL;
    struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};

    if (!line.len || line.ptr[0] != '{')
        return PS_MATCH_NO;
    return ps_str_find(line, PS_STR("\"meta\"")) && ps_str_find(line, PS_STR("\"run_id\"")) &&
                   ps_str_find(line, PS_STR("\"sample_interval_usec\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_sampling_jsonl = {
    .kind = "pstats",
    .label = "Sampled functions (JSON lines)",
    .description =
        "samples of each function and line, as Python 3.15's profiling.sampling sums them "
        "(without callers)",
    .record_command = "python -m profiling.sampling run --jsonl -o app.jsonl app.py",
    .sniff = sniff,
    .load = load,
};
