/* SPDX-License-Identifier: MIT */
/*
 * pstats_text.c: reads the printed report of cProfile (`python -m cProfile app.py`,
 * Stats.print_stats(), %prun), also between other output.
 *
 * Times have three decimals; callers are unknown. A log may hold several reports, each with its own
 * functions. Tables of callers and callees are skipped.
 */
#include "base/python_origin.h"
#include "importers/functions/function_table.h"
#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

enum {
    ROWS_MAX = 4 * 1000 * 1000,
    NOTES_MAX = 50,
};

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_function_tables tables;
    uint64_t repaired, mended, rejected;
};

/* The path of a request, which Werkzeug's profiler prints above its report: "PATH: '/items'". */
static bool parse_path(struct ps_str text, struct ps_str *path)
{
    text = ps_report_trim_end(text);
    if (!ps_str_starts_with(text, PS_STR("PATH: ")) || text.len < 9 ||
        !memchr("'\"", text.ptr[6], 2) || text.ptr[text.len - 1] != text.ptr[6])
        return false;
    *path = (struct ps_str){text.ptr + 7, text.len - 8};
    return true;
}

static void parse_line(struct reader *r)
{
    const struct ps_report_line *line = &r->in.line;
    const uint32_t n_reports = r->tables.n_reports;
    enum ps_function_table_line what = ps_function_tables_parse(&r->tables, line);
    struct ps_str path;

    if (r->tables.n_reports > n_reports)
        r->tables.next_table.title = (struct ps_str){NULL, 0};
    else if (parse_path(line->text, &path))
        r->tables.next_table.title = ps_arena_copy(&r->tables.arena, path);
    r->repaired += what == PS_FUNCTION_LINE_ROW && (line->is_repaired || line->is_rejoined);
    if (what == PS_FUNCTION_LINE_ROW && line->is_repaired && r->mended++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, line->offset, line->number,
                     "the name in this row contains invalid UTF-8 or was truncated");
    if (what == PS_FUNCTION_LINE_INVALID)
        ps_report_count_doubtful(&r->in);
    if (what == PS_FUNCTION_LINE_INVALID && r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, line->offset, line->number,
                     "this line inside a table is not a table row");
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        ps_report_rejoin(&r->in, ps_function_tables_classify, &r->tables);
        parse_line(r);
        if (r->tables.n > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the log has more than %d rows",
                              ROWS_MAX);
        if (ps_report_check(&r->in, r->out, r->tables.n, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

/* Writes the title: the script, which is the user's own module with the largest cumulative time. */
static void write_title(struct reader *r)
{
    const struct ps_function_tables *t = &r->tables;
    const struct ps_function_table_row *title = NULL;

    for (uint32_t i = 0; i < t->n; i++) {
        const struct ps_function_table_row *row = &t->rows[i];
        enum ps_origin origin = ps_line_origin(t->files.items[row->file]);

        if (!ps_str_eq_c(t->names.items[row->name], "<module>") || origin != PS_ORIGIN_OWN)
            continue;
        if (!title || ps_num_to_real(row->cumtime) > ps_num_to_real(title->cumtime))
            title = row;
    }
    if (title)
        ps_sink_meta(r->out, "title", ps_base_name(t->files.items[title->file]));
}

static void write_summary(struct reader *r, const struct ps_function_table *longest)
{
    const struct ps_function_tables *t = &r->tables;
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"total_tt_s", ps_real(longest ? ps_function_table_seconds(t, longest) : 0)},
        {"total_calls", longest ? longest->ncalls : (struct ps_num){0}},
        {"primitive_calls", longest ? longest->primitive_calls : (struct ps_num){0}},
        {"functions", ps_int(t->n)},
        {"files", ps_int(t->files.count)},
        {"reports", ps_int(t->n_reports)},
        {"report", ps_int(longest ? longest - t->reports + 1 : 0)},
        {"of_functions", longest ? longest->n_profile_functions : (struct ps_num){0}},
        {"rounded", ps_int(1)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
}

static void write_notes(struct reader *r)
{
    const struct ps_function_tables *t = &r->tables;
    uint64_t reduced = 0;

    for (uint32_t i = 0; i < t->n_reports; i++)
        reduced += t->reports[i].n_profile_functions.kind != PS_NUM_NONE;
    ps_sink_note(r->out, t->n ? PS_NOTE_INFO : PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 t->n ? "read from a printed report: times are rounded to milliseconds and callers "
                        "are missing; the dump (-o out.prof) has exact times and callers"
                      : "the report lists no functions");
    ps_sink_count(r->out, PS_NOTE_INFO, t->n_reports > 1 ? t->n_reports : 0, "reports in this log");
    ps_sink_count(r->out, PS_NOTE_WARNING, reduced,
                  "reports printed with a restriction, which lack functions");
    ps_sink_count(r->out, PS_NOTE_INFO, t->n_relation_tables,
                  "tables of callers or callees, which perfshelf skips");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->mended > NOTES_MAX ? r->mended - NOTES_MAX : 0,
                  "more rows with repaired text");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > NOTES_MAX ? r->rejected - NOTES_MAX : 0,
                  "more lines that are not table rows");
}

static enum ps_status write_all(struct reader *r, struct ps_err *err)
{
    const struct ps_function_tables *t = &r->tables;
    const struct ps_function_table *longest = ps_function_tables_longest(t);
    const struct ps_headline headline = {longest ? ps_function_table_seconds(t, longest) : 0, "s",
                                         "tottime"};

    ps_sink_meta(r->out, "tool", PS_STR("pstats"));
    write_title(r);
    if (!ps_function_tables_write(t, r->out))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    write_summary(r, longest);
    write_notes(r);
    ps_report_write_ledger(&r->in, r->out, t->n, r->repaired, r->rejected);
    r->out->ops->headline(r->out, &headline);
    return PS_OK;
}

static bool is_header(struct ps_str line)
{
    size_t column;

    return ps_function_table_parse_header(line, &column);
}

/* Whether there are more complete headers when the text is unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(unwrapped, is_header) > ps_report_count_lines(head, is_header);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, ps_function_tables_find_end, &r.tables);
    status = read_log(&r, err);
    if (status == PS_OK)
        status = write_all(&r, err);
    ps_report_free(&r.in);
    ps_function_tables_free(&r.tables);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    size_t column;

    return ps_function_table_parse_header(head, &column) ? PS_MATCH_SURE : PS_MATCH_NO;
}

const struct ps_importer ps_pstats_text = {
    .kind = "pstats-text",
    .label = "Printed cProfile report",
    .description =
        "the function table that cProfile, pstats and %prun print, also inside other output "
        "(rounded, without callers)",
    .record_command = "python -m cProfile -s cumulative app.py > report.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
