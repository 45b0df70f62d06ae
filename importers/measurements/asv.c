/* SPDX-License-Identifier: MIT */
/*
 * asv.c: reads the results of airspeed velocity (asv), version 2 of its format (asv 0.4 and later).
 *
 * A result is for one commit, machine and environment. Each benchmark is an array whose columns
 * `result_columns` names; missing columns at its end are absent. Values are lists over the product
 * of the parameters, the last of which changes fastest; parameters are the repr of Python objects.
 * A value is the median of samples, with all digits; quartiles and the 99 % interval have five.
 * null: the benchmark failed; NaN: it was skipped, or measured NaN. Samples are only stored if the
 * user requested it. Units and names of parameters are in benchmarks.json. Without that file the
 * unit follows from the name, as asv chooses the type of a benchmark.
 */
#include "importers/measurements/asv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/archive.h"
#include "base/intern.h"
#include "base/json_out.h"
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes; at most PS_STREAM_PEEK_MAX */
    DESCRIPTIONS_BYTES_MAX = 64 << 20,
    NOTES_MAX = 50,
    PARAMETERS_MAX = 64,
    ROWS_MAX = 1000000,
    FAILED_ROWS_MAX = 100000,   /* of benchmarks without results, whose rows are only a product */
    NAME_BYTES_MAX = 256 << 20, /* of all rows, as a file with long parameters has many products */
};

static const struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};

/* Columns of a benchmark that are read. */
enum column {
    RESULT,
    PARAMS,
    VERSION,
    CI_LOW,
    CI_HIGH,
    Q1,
    Q3,
    NUMBER,
    REPEAT,
    SAMPLES,
    N_COLUMNS
};
static const char *const column_names[N_COLUMNS] = {
    "result",     "params",     "version",      "stats_ci_99_a", "stats_ci_99_b",
    "stats_q_25", "stats_q_75", "stats_number", "stats_repeat",  "samples"};

struct reader {
    struct ps_measurement_builder builder;
    const cJSON *descriptions; /* benchmarks.json, or NULL */
    struct ps_intern names;    /* of the descriptions; filled by find_description */
    const cJSON **by_name;     /* by the id of the name */
    size_t n_by_name, by_name_cap;
    const cJSON *next; /* the description after the one found last */
    uint64_t read, rejected, failed, skipped, odd, n_rows, n_failed_rows, name_bytes;
    bool guesses_unit; /* the unit of a tracked value is not known */
};

/* A benchmark of the result. */
struct benchmark {
    const char *name;
    const cJSON *columns[N_COLUMNS]; /* NULL: absent */
    const cJSON *description;        /* NULL: there is none */
    const char *unit, *metric;
    size_t n_parameters, n_rows;
    uint64_t name_bytes; /* of the name of a row at most */
};

static const cJSON *item(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* --- Types of benchmarks --- */

/* The types of asv. A benchmark has the type whose prefix its function or class has. */
static const struct type {
    const char *name, *function, *class, *unit, *metric;
} types[] = {
    {"time", "time_", "Time", "s", "time"},
    {"time", "timeraw_", "Timeraw", "s", "time"},
    {"peakmemory", "peakmem_", "PeakMem", "B", "peak memory"},
    {"memory", "mem_", "Mem", "B", "memory"},
    {"track", "track_", "Track", "", NULL},
};
#define N_TYPES (sizeof types / sizeof *types)

static bool has_class_prefix(const char *word, const char *prefix)
{
    const size_t n = strlen(prefix);

    return strncmp(word, prefix, n) == 0 && ((word[n] >= 'A' && word[n] <= 'Z') || word[n] == '_');
}

/* The type of a benchmark by the last part of its name; NULL: none. */
static const struct type *type_of_name(const char *name)
{
    const char *dot = strrchr(name, '.'), *word = dot ? dot + 1 : name;

    for (size_t i = 0; i < N_TYPES; i++)
        if (strncmp(word, types[i].function, strlen(types[i].function)) == 0 ||
            has_class_prefix(word, types[i].class))
            return &types[i];
    return NULL;
}

static const struct type *type_of_description(const cJSON *description)
{
    const cJSON *name = item(description, "type");

    for (size_t i = 0; cJSON_IsString(name) && i < N_TYPES; i++)
        if (strcmp(types[i].name, name->valuestring) == 0)
            return &types[i];
    return NULL;
}

/* Our word for a unit of asv. */
static const char *unit_of_word(const char *word)
{
    return strcmp(word, "seconds") == 0 ? "s"
           : strcmp(word, "bytes") == 0 ? "B"
           : strcmp(word, "unit") == 0  ? ""
                                        : word;
}

static void choose_unit(struct reader *r, struct benchmark *b)
{
    const struct type *type = type_of_description(b->description);
    const cJSON *unit = item(b->description, "unit");

    type = type ? type : type_of_name(b->name);
    b->unit = type ? type->unit : "";
    b->metric = type ? type->metric : NULL;
    if (cJSON_IsString(unit))
        b->unit =
            ps_arena_copy(&r->builder.arena, ps_document_text_of(&r->builder.arena, unit)).ptr;
    b->unit = unit_of_word(b->unit);
    r->guesses_unit |= !r->descriptions && !b->unit[0];
}

/* --- Parameters --- */

/* The value of a parameter whose repr is `text`: a number, else the content of a string without
 * escapes, else the repr itself. */
static void add_parameter(struct reader *r, struct ps_str name, const char *text)
{
    struct ps_str value = ps_str_from_c(text);
    char *end = NULL;
    const double number = strtod(text, &end);
    struct ps_num none = {0};
    int64_t integer;

    if (ps_str_parse_i64(value, &integer)) {
        ps_measurement_add_parameter(&r->builder, name, ps_int(integer), PS_STR(""));
        return;
    }
    if (end != text && !*end && isfinite(number) && !strpbrk(text, "xX")) {
        ps_measurement_add_parameter(&r->builder, name, ps_real(number), PS_STR(""));
        return;
    }
    if (value.len >= 2 && (text[0] == '\'' || text[0] == '"') && text[value.len - 1] == text[0] &&
        !strchr(text, '\\'))
        value = (struct ps_str){text + 1, value.len - 2};
    ps_measurement_add_parameter(&r->builder, name, none, value);
}

static struct ps_str parameter_name(struct reader *r, const struct benchmark *b, size_t i)
{
    struct ps_str name = ps_document_text_of(
        &r->builder.arena, cJSON_GetArrayItem(item(b->description, "param_names"), (int)i));

    if (name.len)
        return name;
    return ps_str_from_c(ps_arena_printf(&r->builder.arena, "param%zu", i + 1));
}

static const char *parameter_text(const cJSON *value)
{
    return cJSON_IsString(value) ? value->valuestring : "";
}

/* Adds the parameters of a row, and returns "name(10, 'str')". */
static struct ps_str add_parameters(struct reader *r, const struct benchmark *b,
                                    const cJSON *const *values)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_buf_puts(&name, b->name);
    for (size_t i = 0; i < b->n_parameters; i++) {
        const char *text = parameter_text(values[i]);

        ps_buf_printf(&name, "%s%s", i ? ", " : "(", text);
        add_parameter(r, parameter_name(r, b, i), text);
    }
    ps_buf_puts(&name, b->n_parameters ? ")" : "");
    return ps_arena_copy(&r->builder.arena, ps_buf_slice(&name));
}

static size_t longest_of(const cJSON *list)
{
    const cJSON *value;
    size_t longest = 0;

    cJSON_ArrayForEach(value, list)
    {
        const size_t len = strlen(parameter_text(value));

        longest = len > longest ? len : longest;
    }
    return longest;
}

/* Counts the rows of the product. Returns why the parameters are invalid, else NULL. */
static const char *count_rows(struct benchmark *b)
{
    const cJSON *list;

    b->n_rows = 1;
    b->n_parameters = 0;
    b->name_bytes = strlen(b->name);
    cJSON_ArrayForEach(list, b->columns[PARAMS])
    {
        if (!cJSON_IsArray(list) || !list->child)
            return "has a parameter without values";
        if (++b->n_parameters > PARAMETERS_MAX)
            return "has too many parameters";
        b->n_rows *= (size_t)cJSON_GetArraySize(list);
        if (b->n_rows > ROWS_MAX)
            return "has too many parameter sets";
        b->name_bytes += longest_of(list);
    }
    return NULL;
}

/* Counts the rows of all benchmarks. Returns why those of the benchmark are too many, else NULL. */
static const char *check_limits(struct reader *r, const struct benchmark *b)
{
    const bool has_results = cJSON_IsArray(b->columns[RESULT]);
    const uint64_t n_rows = r->n_rows + b->n_rows;
    const uint64_t n_failed = r->n_failed_rows + (has_results ? 0 : b->n_rows);
    const uint64_t bytes = r->name_bytes + b->n_rows * b->name_bytes;

    if (n_rows > ROWS_MAX)
        return "exceeds the number of rows that are read";
    if (n_failed > FAILED_ROWS_MAX)
        return "has no results and too many parameter sets";
    if (bytes > NAME_BYTES_MAX)
        return "has too many parameter sets with long values";
    r->n_rows = n_rows;
    r->n_failed_rows = n_failed;
    r->name_bytes = bytes;
    return NULL;
}

/* --- Rows --- */

/* Positions in the lists of a benchmark, which move from row to row. */
struct cursor {
    const cJSON *at[N_COLUMNS];          /* of the current row; NULL: absent */
    const cJSON *values[PARAMETERS_MAX]; /* of the parameters */
};

static void begin_rows(const struct benchmark *b, struct cursor *cursor)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        cursor->at[i] = cJSON_IsArray(b->columns[i]) ? b->columns[i]->child : NULL;
    for (size_t i = 0; i < b->n_parameters; i++)
        cursor->values[i] = cJSON_GetArrayItem(b->columns[PARAMS], (int)i)->child;
}

static void next_row(const struct benchmark *b, struct cursor *cursor)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        cursor->at[i] = cursor->at[i] ? cursor->at[i]->next : NULL;
    for (size_t i = b->n_parameters; i-- > 0;) {
        cursor->values[i] = cursor->values[i]->next;
        if (cursor->values[i])
            return;
        cursor->values[i] = cJSON_GetArrayItem(b->columns[PARAMS], (int)i)->child;
    }
}

static struct ps_num number_of(const cJSON *value)
{
    return cJSON_IsNumber(value) && isfinite(value->valuedouble) ? ps_real(value->valuedouble)
                                                                 : PS_NO_NUM;
}

/* An end of the 99 % interval, which is infinite for one sample. */
static void add_interval_end(struct reader *r, const char *key, const cJSON *end)
{
    const double value = ps_document_special(end);

    ps_measurement_add_number(&r->builder, key, number_of(end));
    if (isinf(value))
        ps_measurement_add_text(&r->builder, key,
                                value > 0 ? PS_STR("Infinity") : PS_STR("-Infinity"));
}

static void add_samples(struct reader *r, const cJSON *samples)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, samples)
    {
        if (cJSON_IsNumber(one) && isfinite(one->valuedouble))
            ps_measurement_add_sample(&r->builder, one->valuedouble);
        else
            r->odd++;
    }
}

/* Fills in the state of a row without a finite number. `value` NULL: all rows failed. */
static void fill_state(struct reader *r, const struct benchmark *b, struct ps_measurement *row,
                       const cJSON *value)
{
    const double special = ps_document_special(value);

    if (isinf(special) || (isnan(special) && cJSON_IsString(value))) {
        row->state = PS_MEASUREMENT_SKIPPED;
        ps_measurement_add_text(&r->builder, "error",
                                isinf(special) ? (special > 0 ? PS_STR("the value is Infinity")
                                                              : PS_STR("the value is -Infinity"))
                                : b->metric    ? PS_STR("skipped for these parameters")
                                               : PS_STR("the value is NaN, or it was skipped"));
        r->skipped++;
        return;
    }
    row->state = PS_MEASUREMENT_FAILED;
    ps_measurement_add_text(&r->builder, "error", PS_STR("the benchmark failed"));
    r->failed++;
}

static void write_row(struct reader *r, const struct benchmark *b, const struct cursor *cursor)
{
    const cJSON *value = cursor->at[RESULT];
    const bool has_samples = cJSON_IsArray(cursor->at[SAMPLES]);
    struct ps_measurement row = {
        .name = add_parameters(r, b, cursor->values),
        .benchmark = ps_str_from_c(b->name),
        .metric = ps_str_from_c(b->metric),
        .unit = b->unit,
        .statistic = "single",
        .value = number_of(value),
    };

    if (row.value.kind == PS_NUM_NONE)
        fill_state(r, b, &row, value);
    row.n = ps_document_count_of(cursor->at[REPEAT]);
    row.loops = ps_document_count_of(cursor->at[NUMBER]);
    row.q1 = number_of(cursor->at[Q1]);
    row.q3 = number_of(cursor->at[Q3]);
    if (row.n.kind != PS_NUM_NONE || has_samples) {
        row.statistic = "median";
        row.median = row.value;
        if (has_samples) {
            add_samples(r, cursor->at[SAMPLES]);
            ps_measurement_compute_spread(&r->builder, &row);
        }
    }
    add_interval_end(r, "ci_99_a", cursor->at[CI_LOW]);
    add_interval_end(r, "ci_99_b", cursor->at[CI_HIGH]);
    ps_measurement_add_text(&r->builder, "benchmark version",
                            ps_document_text_of(&r->builder.arena, b->columns[VERSION]));
    ps_measurement_write(&r->builder, &row, row.statistic);
}

static const cJSON *find_by_name(struct reader *r, const char *name)
{
    const cJSON *one;
    uint32_t id;

    if (!r->n_by_name)
        cJSON_ArrayForEach(one, r->descriptions)
        {
            if (ps_intern_add(&r->names, ps_str_from_c(one->string)) < r->n_by_name)
                continue; /* the first one of a name counts */
            PS_RESERVE_ONE(r->by_name, r->n_by_name, r->by_name_cap);
            r->by_name[r->n_by_name++] = one;
        }
    id = ps_intern_find(&r->names, ps_str_from_c(name));
    return id == PS_INTERN_NONE ? NULL : r->by_name[id];
}

static void free_names(struct reader *r)
{
    ps_intern_free(&r->names);
    free(r->by_name);
}

/* Finds the description of a benchmark; descriptions and results are usually in the same order. */
static const cJSON *find_description(struct reader *r, const char *name)
{
    const cJSON *found = r->next;

    if (!found || strcmp(found->string, name) != 0)
        found = find_by_name(r, name);
    if (found)
        r->next = found->next;
    return found;
}

static void fill_columns(struct benchmark *b, const cJSON *names, const cJSON *values)
{
    const cJSON *name, *value = values->child;

    cJSON_ArrayForEach(name, names)
    {
        for (size_t i = 0; value && cJSON_IsString(name) && i < N_COLUMNS; i++)
            if (strcmp(name->valuestring, column_names[i]) == 0)
                b->columns[i] = value;
        value = value ? value->next : NULL;
    }
}

/* Writes the rows of a benchmark. Returns why it has none, else NULL. */
static const char *write_benchmark(struct reader *r, const cJSON *names, const cJSON *values)
{
    struct benchmark b = {.name = values->string};
    struct cursor cursor;
    const char *why;

    if (!cJSON_IsArray(values))
        return "is not a list";
    fill_columns(&b, names, values);
    if ((why = count_rows(&b)))
        return why;
    if (cJSON_IsArray(b.columns[RESULT]) &&
        (size_t)cJSON_GetArraySize(b.columns[RESULT]) != b.n_rows)
        return "has another number of values than of parameter sets";
    if ((why = check_limits(r, &b)))
        return why;
    b.description = find_description(r, b.name);
    choose_unit(r, &b);
    begin_rows(&b, &cursor);
    for (size_t i = 0; i < b.n_rows && ps_sink_ok(r->builder.out); i++, next_row(&b, &cursor))
        write_row(r, &b, &cursor);
    return NULL;
}

/* --- The environment --- */

static void write_text(struct reader *r, const char *key, struct ps_str text)
{
    if (text.len)
        ps_sink_meta(r->builder.out, key, text);
}

/* "numpy 2.1.0, pandas": the packages that the environment requires. */
static void write_packages(struct reader *r, const cJSON *requirements)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *one;

    cJSON_ArrayForEach(one, requirements)
    {
        ps_buf_printf(&text, "%s%s", text.len ? ", " : "", one->string);
        if (cJSON_IsString(one) && one->valuestring[0])
            ps_buf_printf(&text, " %s", one->valuestring);
    }
    write_text(r, "packages", ps_buf_slice(&text));
}

/* Runs of one machine and environment are a series. */
static void write_series(struct reader *r, const cJSON *root)
{
    struct ps_str machine = ps_document_text(&r->builder.arena, item(root, "params"), "machine");
    struct ps_str environment = ps_document_text(&r->builder.arena, root, "env_name");

    write_text(r, "series",
               ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s%s%.*s", (int)machine.len,
                                             machine.len ? machine.ptr : "",
                                             machine.len ? ", " : "", (int)environment.len,
                                             environment.len ? environment.ptr : "")));
}

/* `ram` is bytes, or kB in old files, or what the user typed; the file does not say which. */
static void write_memory(struct reader *r, struct ps_str ram)
{
    int64_t number;

    if (ps_str_parse_i64(ram, &number) && number < (int64_t)1 << 30)
        ram = ps_str_from_c(
            ps_arena_printf(&r->builder.arena, "%.*s (unknown unit)", (int)ram.len, ram.ptr));
    write_text(r, "memory", ram);
}

static void write_environment(struct reader *r, const cJSON *root)
{
    static const char *const keys[][2] = {{"machine", "host"},
                                          {"arch", "machine"},
                                          {"cpu", "cpu"},
                                          {"num_cpu", "cores"},
                                          {"os", "system"}};
    const struct ps_num date = ps_document_count(root, "date");
    struct ps_arena *arena = &r->builder.arena;

    ps_sink_meta(r->builder.out, "tool", PS_STR("asv"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        write_text(r, keys[i][1], ps_document_text(arena, item(root, "params"), keys[i][0]));
    write_memory(r, ps_document_text(arena, item(root, "params"), "ram"));
    write_text(r, "python", ps_document_text(arena, root, "python"));
    write_text(r, "environment", ps_document_text(arena, root, "env_name"));
    write_packages(r, item(root, "requirements"));
    write_text(r, "commit", ps_document_text(arena, root, "commit_hash"));
    if (date.kind == PS_NUM_INT && date.i > 0 && date.i < INT64_MAX / 1000)
        r->builder.out->ops->number(r->builder.out, "committed_us", ps_int(date.i * 1000));
    write_series(r, root);
}

/* --- The file --- */

static void write_notes(struct reader *r)
{
    ps_sink_count(r->builder.out, PS_NOTE_WARNING, r->failed, "benchmarks that failed");
    ps_sink_count(r->builder.out, PS_NOTE_INFO, r->skipped,
                  "benchmarks that were skipped, or whose value is NaN or infinite");
    ps_sink_count(r->builder.out, PS_NOTE_WARNING, r->odd,
                  "samples dropped because they are not finite numbers");
    if (!r->descriptions)
        ps_sink_note(r->builder.out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "units follow from the names of the benchmarks%s; add the folder `results` "
                     "for those in its benchmarks.json",
                     r->guesses_unit ? ", those of tracked values are unknown" : "");
}

static void write_all(struct reader *r, const cJSON *root)
{
    struct ps_ledger ledger = {.unit = "benchmarks"};
    const cJSON *values;

    write_environment(r, root);
    r->next = r->descriptions ? r->descriptions->child : NULL;
    cJSON_ArrayForEach(values, item(root, "results"))
    {
        const char *why = write_benchmark(r, item(root, "result_columns"), values);

        ledger.read++;
        if (why && ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "benchmark %.200s %s", values->string, why);
    }
    write_notes(r);
    ledger.stored = ledger.read - ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &ledger);
}

static enum ps_status check_format(const cJSON *root, struct ps_err *err)
{
    if (!cJSON_IsObject(item(root, "results")))
        return ps_fail(err, PS_BAD_INPUT,
                       "the document has no \"results\"" PS_HINT
                       "add a file of the folder results of asv, or the folder");
    if (!cJSON_IsArray(item(root, "result_columns")))
        return ps_fail(err, PS_BAD_INPUT,
                       "this is a result of asv in an old format" PS_HINT
                       "run `asv update` in the project, and add the file again");
    return PS_OK;
}

static enum ps_status read_document(struct ps_stream *in, struct ps_sink *out, cJSON **document,
                                    struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};

    if (ps_read_whole(in, FILE_BYTES_MAX, "document", &bytes, out, err) == PS_OK)
        *document = ps_document_parse_special(&bytes, err);
    return err->code;
}

/* Reads the members of an archive of descriptions and a result. */
static enum ps_status read_members(struct ps_stream *in, struct ps_sink *out, cJSON *documents[2],
                                   struct ps_err *err)
{
    struct ps_archive *archive = ps_archive_open(in, &limits);
    struct ps_str name;
    size_t n = 0;

    while (err->code == PS_OK && n < 2 && ps_archive_next(archive, &name, NULL)) {
        struct ps_stream *member = ps_archive_member(archive);

        read_document(member, out, &documents[n++], err);
        ps_stream_free(member);
    }
    if (err->code == PS_OK && ps_archive_status(archive, err) == PS_OK && n < 2)
        ps_fail(err, PS_BAD_INPUT, "the archive has no result of asv");
    ps_archive_free(archive);
    return err->code;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}};
    cJSON *documents[2] = {NULL, NULL}; /* descriptions, result */

    if (ps_is_archive(ps_stream_peek(in, PS_ARCHIVE_HEAD_SIZE)))
        read_members(in, out, documents, err);
    else
        read_document(in, out, &documents[1], err);
    if (err->code == PS_OK && check_format(documents[1], err) == PS_OK) {
        r.descriptions = documents[0];
        write_all(&r, documents[1]);
    }
    for (size_t i = 0; i < 2; i++)
        cJSON_Delete(documents[i]);
    free_names(&r);
    ps_measurement_builder_free(&r.builder);
    return err->code;
}

bool ps_asv_is_result(struct ps_str head)
{
    struct ps_str body = ps_str_trim(head);

    return ps_str_starts_with(body, PS_STR("{")) && ps_str_find(body, PS_STR("\"commit_hash\"")) &&
           ps_str_find(body, PS_STR("\"results\"")) && ps_str_find(body, PS_STR("\"params\"")) &&
           (ps_str_find(body, PS_STR("\"env_name\"")) ||
            ps_str_find(body, PS_STR("\"requirements\"")));
}

bool ps_asv_is_benchmarks(struct ps_str head)
{
    struct ps_str body = ps_str_trim(head);

    return ps_str_starts_with(body, PS_STR("{")) && ps_str_find(body, PS_STR("\"param_names\"")) &&
           ps_str_find(body, PS_STR("\"params\"")) && ps_str_find(body, PS_STR("\"type\""));
}

static enum ps_match sniff(struct ps_str head)
{
    if (ps_is_archive(head))
        return ps_str_starts_with(head, PS_STR(PS_ASV_DESCRIPTIONS "\0")) ? PS_MATCH_SURE
                                                                          : PS_MATCH_NO;
    return ps_asv_is_result(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

/* --- Descriptions --- */

/* Whether the names of the parameters are those that asv gives if a benchmark names none. */
static bool are_default_names(const cJSON *names)
{
    const cJSON *name;
    int i = 1;

    cJSON_ArrayForEach(name, names)
    {
        char expected[32];

        (void)snprintf(expected, sizeof expected, "param%d", i++);
        if (!cJSON_IsString(name) || strcmp(name->valuestring, expected) != 0)
            return false;
    }
    return true;
}

static void write_description(const char *name, const cJSON *description, struct ps_json *json)
{
    const struct type *type = type_of_name(name), *stated = type_of_description(description);
    const cJSON *unit = item(description, "unit"), *names = item(description, "param_names"), *one;
    const bool other_type = stated && (!type || strcmp(type->name, stated->name) != 0);
    const bool other_unit = cJSON_IsString(unit) &&
                            (!stated || strcmp(unit_of_word(unit->valuestring), stated->unit) != 0);
    const bool other_names = cJSON_IsArray(names) && !are_default_names(names);

    if (!other_type && !other_unit && !other_names)
        return;
    ps_json_key(json, name);
    ps_json_object(json);
    if (other_type)
        ps_json_key_str(json, "type", stated->name);
    if (other_unit)
        ps_json_key_str(json, "unit", unit->valuestring);
    if (other_names) {
        ps_json_key(json, "param_names");
        ps_json_array(json);
        cJSON_ArrayForEach(one, names)
            ps_json_str(json, ps_str_from_c(cJSON_IsString(one) ? one->valuestring : ""));
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void select_descriptions(const cJSON *result, const cJSON *benchmarks, struct ps_buf *out)
{
    struct reader r = {.descriptions = benchmarks, .next = benchmarks->child};
    struct ps_json json = ps_json_writer(out);
    const cJSON *values;

    ps_json_object(&json);
    cJSON_ArrayForEach(values, item(result, "results"))
    {
        const cJSON *description = find_description(&r, values->string);

        if (description)
            write_description(values->string, description, &json);
    }
    ps_json_end(&json);
    free_names(&r);
}

static enum ps_status add_member(struct ps_archive_writer *archive, const char *name,
                                 struct ps_str bytes, struct ps_err *err)
{
    struct ps_stream *in = ps_stream_from_memory(bytes, 0);

    ps_archive_writer_add(archive, name, bytes.len, in, err);
    ps_stream_free(in);
    return err->code;
}

cJSON *ps_asv_read_benchmarks(struct ps_stream *in)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};

    ps_buf_add_str(&bytes, ps_stream_peek(in, DESCRIPTIONS_BYTES_MAX));
    return ps_document_parse(&bytes, PS_ERR_IGNORED);
}

enum ps_status ps_asv_pack(struct ps_stream *in, const char *name, const cJSON *benchmarks, int fd,
                           struct ps_err *err)
{
    const struct ps_str bytes = ps_stream_peek(in, FILE_BYTES_MAX);
    PS_AUTO(ps_buf_free) struct ps_buf copy = {0};
    PS_AUTO(ps_buf_free) struct ps_buf selected = {0};
    struct ps_archive_writer *archive;
    cJSON *result;

    if (ps_stream_status(in, err) != PS_OK)
        return err->code;
    ps_buf_add_str(&copy, bytes);
    /* the importer reports what is wrong with a damaged result */
    result = ps_document_parse(&copy, PS_ERR_IGNORED);
    select_descriptions(result, benchmarks, &selected);
    cJSON_Delete(result);
    archive = ps_archive_writer_new(fd);
    if (add_member(archive, PS_ASV_DESCRIPTIONS, ps_buf_slice(&selected), err) == PS_OK)
        add_member(archive, name, bytes, err);
    return ps_archive_writer_end(archive, err);
}

const struct ps_importer ps_asv = {
    .kind = "asv",
    .label = "asv result",
    .description = "benchmarks of one commit by airspeed velocity (JSON), or its folder of results",
    .record_command = "asv run",
    .sniff = sniff,
    .load = load,
};
