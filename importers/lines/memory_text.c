/* SPDX-License-Identifier: MIT */
/*
 * memory_text.c: reads the line-by-line report of memory_profiler.
 *
 *     Filename: m.py
 *
 *     Line #    Mem usage    Increment  Occurrences   Line Contents
 *     =============================================================
 *          4     54.3 MiB      7.6 MiB           1       a = [0] * (10 ** 6)
 *
 * A report has one block for each call of a profiled function; blocks with the same location are
 * one function, with different block numbers. The report has no function names, so names are read
 * from the `def` lines. The first increment of a block is the memory that the process already had,
 * so sums exclude it.
 *
 * The block of a call also counts the calls that it made of the same function, whose blocks were
 * printed before it: the Occurrences of its first row are the number of these calls. Such a block
 * replaces theirs. So blocks are kept in memory until the log ends or KEPT_ROWS_MAX is reached.
 * Tested: versions 0.31 to 0.61, with any precision, also between other output.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/lines/line_table.h"
#include "importers/records/lines.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

enum {
    ROWS_MAX = 4 * 1000 * 1000,
    NOTES_MAX = 50,
    KEPT_ROWS_MAX = 200 * 1000,
    GAP = 3, /* number of spaces between the last value and the source */
    /* width of the column in bytes; the heading is one byte wider since a version corrected its
     * spelling */
    OCCURRENCES_WIDTH = 10,
};

struct row {
    struct ps_line_table_number number;
    bool ran;
    struct ps_num mem, increment, occurrences;
    struct ps_str source;
};

struct function {
    uint32_t file, line, blocks;
    uint32_t last_block; /* its last kept block that no other contains: index + 1; 0: none */
    struct ps_str name;  /* stored in reader.texts */
    bool is_named, is_written;
};

/* A row of a kept block. The source is stored in reader.texts. */
struct kept_row {
    struct row row;
    bool is_repaired;
};

struct kept_block {
    uint32_t function;         /* id */
    uint32_t calls;            /* Occurrences of its first row: number of calls that it has */
    uint32_t previous;         /* the block before it in the list of its function, as last_block */
    size_t first_row, end_row; /* indices in reader.kept */
    bool is_contained;
};

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_intern files, places; /* files: paths; places: "file line", by function id */
    struct function *functions;
    size_t n_functions, cap_functions;
    struct ps_buf file; /* path of the next block */
    struct ps_arena texts;
    struct kept_row *kept;
    size_t n_kept, cap_kept;
    struct kept_block *kept_blocks;
    size_t n_kept_blocks, cap_kept_blocks;
    struct {
        struct ps_line_table table;
        uint32_t file, function; /* function: id; 0 before the first row */
        bool occurrences;
    } block;
    uint64_t rows, measured, blocks, contained, repaired, mended, rejected, orphans, repaired_names;
    struct ps_report_tally gaps, mixed;
    double growth, peak;
    bool has_occurrences, has_peak;
};

/* --- Grammar --- */

/* Parses "54.3 MiB"; versions before 0.32 print "MB" for MiB. */
static bool parse_mib(struct ps_str *rest, struct ps_num *out)
{
    struct ps_str unit;

    if (!ps_report_parse_number(ps_report_pop_word(rest), out))
        return false;
    unit = ps_report_pop_word(rest);
    return ps_str_eq_c(unit, "MiB") || ps_str_eq_c(unit, "MB");
}

/* Parses the values to the left of the source. A value that is too wide for its column shifts the
 * rest to the right. */
static bool parse_metrics(struct ps_str rest, size_t width, bool occurrences, struct row *row)
{
    struct ps_str at = rest, first = ps_report_pop_word(&at);

    if ((size_t)(first.ptr - rest.ptr) >= width || !parse_mib(&rest, &row->mem) ||
        !parse_mib(&rest, &row->increment))
        return false;
    if (occurrences && !ps_report_parse_number(ps_report_pop_word(&rest), &row->occurrences))
        return false;
    for (int i = 0; i < GAP && rest.len && rest.ptr[0] == ' '; i++)
        rest = ps_str_skip(rest, 1);
    row->source = rest;
    return true;
}

enum match { NONE, ROW, BACK, INVALID }; /* BACK: of another process's table */

static enum match read_row(const struct reader *r, struct ps_str text, struct row *row)
{
    const struct ps_line_table *table = &r->block.table;
    struct ps_str rest = ps_str_skip(text, table->columns.number_offset), all = rest;
    size_t width = table->columns.source_offset - table->columns.number_offset, used;
    bool is_complete = true;

    *row = (struct row){0};
    if (!ps_line_table_parse_number(table, text, &row->number))
        return NONE;
    (void)ps_report_pop_word(&rest);
    used = (size_t)(rest.ptr - all.ptr);
    row->ran = used < width && parse_metrics(rest, width - used, r->block.occurrences, row);
    if (!row->ran) {
        row->source = ps_str_skip(all, width);
        rest.len = used < width && rest.len > width - used ? width - used : rest.len;
        is_complete = ps_report_trim_end(rest).len == 0;
    }
    if (ps_line_table_may_follow(table, &row->number, row->ran))
        return is_complete ? ROW : table->next_line ? INVALID : NONE;
    return is_complete && ps_line_table_goes_back(table, &row->number) &&
                   (row->ran || ps_report_trim_end(row->source).len)
               ? BACK
               : NONE;
}

/* Parses the header. If the heading of occurrences is wider than its column, the source begins to
 * the left of its heading. */
static bool read_header(struct ps_str text, struct ps_line_table_columns *columns,
                        bool *occurrences)
{
    static const char *const words[] = {"Mem usage", "Increment", "Line Contents", NULL};
    struct ps_str rest;
    const char *at;

    if (!ps_line_table_parse_header(text, words, columns))
        return false;
    at = ps_str_find((struct ps_str){text.ptr, columns->source_offset}, PS_STR("Occur"));
    *occurrences = at != NULL;
    if (!at)
        return true;
    rest = ps_str_skip(text, (size_t)(at - text.ptr));
    rest.len = ps_report_pop_word(&rest).len;
    if (rest.len > OCCURRENCES_WIDTH)
        columns->source_offset -= rest.len - OCCURRENCES_WIDTH;
    return true;
}

/* The name after `def`; empty if the line does not begin a function. */
static struct ps_str defined_name(struct ps_str source)
{
    struct ps_str word;
    size_t n = 0;

    while (source.len && (source.ptr[0] == ' ' || source.ptr[0] == '\t'))
        source = ps_str_skip(source, 1);
    word = ps_report_pop_word(&source);
    if (ps_str_eq_c(word, "async"))
        word = ps_report_pop_word(&source);
    if (!ps_str_eq_c(word, "def"))
        return (struct ps_str){"", 0};
    word = ps_report_pop_word(&source);
    while (n < word.len && word.ptr[n] != '(' && word.ptr[n] != '[' && word.ptr[n] != ':')
        n++;
    return (struct ps_str){word.ptr, n};
}

/* --- Blocks --- */

static uint32_t file_of(struct reader *r, struct ps_str path)
{
    uint32_t known = r->files.count, id = ps_intern_add(&r->files, path) + 1;

    if (r->files.count > known)
        r->out->ops->line_file(r->out, &(struct ps_line_file){
                                           .id = id,
                                           .path = r->files.items[id - 1],
                                           .origin = ps_line_origin(path),
                                       });
    return id;
}

/* Records the name of the current function, which the `def` line has. */
static void name_function(struct reader *r, struct ps_str name)
{
    struct function *f = r->block.function ? &r->functions[r->block.function - 1] : NULL;

    if (!f || f->is_named)
        return;
    f->is_named = true;
    f->name = ps_arena_copy(&r->texts, name);
}

static void count_at(struct ps_report_tally *tally, const struct ps_report_line *line)
{
    if (tally->count++ == 0) {
        tally->offset = line->offset;
        tally->line = line->number;
    }
}

/* --- Kept blocks --- */

static void write_function(struct reader *r, uint32_t id)
{
    struct function *f = &r->functions[id - 1];

    if (f->is_written)
        return;
    f->is_written = true;
    r->out->ops->line_function(r->out, &(struct ps_line_function){
                                           .id = id,
                                           .file = f->file,
                                           .name = f->is_named ? f->name : PS_STR(""),
                                           .first_line = f->line,
                                       });
}

static void write_row(struct reader *r, uint32_t function, const struct kept_row *kept)
{
    const struct function *f = &r->functions[function - 1];
    struct ps_line_row line = {
        .file = f->file,
        .function = function,
        .block = f->blocks,
        .line = kept->row.number.line,
        .source = kept->row.source,
    };

    if (kept->row.ran) {
        line.metrics.mem_mib = kept->row.mem;
        line.metrics.increment_mib = kept->row.increment;
        line.metrics.occurrences = kept->row.occurrences;
        r->measured++;
    }
    r->out->ops->line(r->out, &line);
    r->rows++;
    r->repaired += kept->is_repaired;
}

/* The growth of memory by the calls of a block: memory after the last row minus memory before the
 * first row. If the block has several calls, the printed increment of its first row is the memory
 * before the first call plus the changes between calls. The sum of all increments is no growth:
 * for rows that ran several times, the allocator decides at which of them memory is returned. */
static double growth_of(const struct reader *r, const struct kept_block *block)
{
    const struct row *first = NULL, *last = NULL;

    for (size_t k = block->first_row; k < block->end_row; k++) {
        if (!r->kept[k].row.ran)
            continue;
        first = first ? first : &r->kept[k].row;
        last = &r->kept[k].row;
    }
    if (!first)
        return 0;
    return ps_num_to_real(last->mem) -
           ps_num_to_real(ps_num_to_real(first->occurrences) > 1 ? first->increment : first->mem);
}

static void write_kept(struct reader *r)
{
    struct ps_arena texts = r->texts;

    for (size_t i = 0; i < r->n_kept_blocks; i++) {
        const struct kept_block *block = &r->kept_blocks[i];

        r->functions[block->function - 1].last_block = 0;
        if (block->is_contained) {
            r->contained++;
            continue;
        }
        write_function(r, block->function);
        r->functions[block->function - 1].blocks++;
        r->blocks++;
        r->growth += growth_of(r, block);
        for (size_t k = block->first_row; k < block->end_row; k++)
            write_row(r, block->function, &r->kept[k]);
    }
    r->n_kept = r->n_kept_blocks = 0;
    r->texts = (struct ps_arena){0};
    for (size_t i = 0; i < r->n_functions; i++)
        if (r->functions[i].is_named)
            r->functions[i].name = ps_arena_copy(&r->texts, r->functions[i].name);
    ps_arena_free(&texts);
}

static uint32_t calls_of(const struct reader *r, const struct kept_block *block)
{
    for (size_t k = block->first_row; k < block->end_row; k++)
        if (r->kept[k].row.ran)
            return r->kept[k].row.occurrences.kind == PS_NUM_INT &&
                           r->kept[k].row.occurrences.i < UINT32_MAX
                       ? (uint32_t)r->kept[k].row.occurrences.i
                       : 1;
    return 1;
}

/* Finds the blocks that the last block contains: the latest ones of its function, if they have one
 * call less together. */
static void find_contained(struct reader *r)
{
    struct kept_block *block = &r->kept_blocks[r->n_kept_blocks - 1];
    struct function *f = &r->functions[block->function - 1];
    uint32_t at = f->last_block, calls = 0;

    block->calls = calls_of(r, block);
    while (at && calls + 1 < block->calls) {
        calls += r->kept_blocks[at - 1].calls;
        at = r->kept_blocks[at - 1].previous;
    }
    if (calls && calls + 1 == block->calls)
        while (f->last_block != at) {
            r->kept_blocks[f->last_block - 1].is_contained = true;
            f->last_block = r->kept_blocks[f->last_block - 1].previous;
        }
    block->previous = f->last_block;
    f->last_block = (uint32_t)r->n_kept_blocks;
}

static void begin_kept(struct reader *r, uint32_t function)
{
    r->block.function = function;
    PS_RESERVE_ONE(r->kept_blocks, r->n_kept_blocks, r->cap_kept_blocks);
    r->kept_blocks[r->n_kept_blocks++] =
        (struct kept_block){.function = function, .first_row = r->n_kept};
}

static void end_kept(struct reader *r)
{
    if (!r->block.function)
        return;
    r->kept_blocks[r->n_kept_blocks - 1].end_row = r->n_kept;
    find_contained(r);
    r->block.function = 0;
    if (r->n_kept >= KEPT_ROWS_MAX)
        write_kept(r);
}

static void close_block(struct reader *r)
{
    if (!r->block.table.is_open)
        return;
    end_kept(r);
    r->block.table.is_open = false;
    r->file.len = 0;
}

static void begin_function(struct reader *r, uint32_t line)
{
    char key[32];
    uint32_t id;

    (void)snprintf(key, sizeof key, "%u %u", r->block.file, line);
    id = ps_intern_add(&r->places, ps_str_from_c(key));
    if (id == r->n_functions) {
        PS_RESERVE_ONE(r->functions, r->n_functions, r->cap_functions);
        r->functions[r->n_functions++] = (struct function){.file = r->block.file, .line = line};
    }
    begin_kept(r, id + 1);
}

static void open_block(struct reader *r, const struct ps_line_table_columns *columns,
                       bool occurrences)
{
    static const struct ps_str unknown = PS_STR("unknown file");

    close_block(r);
    r->orphans += r->file.len == 0;
    r->block.table = (struct ps_line_table){.is_open = true, .columns = *columns};
    r->block.file = file_of(r, r->file.len ? ps_buf_slice(&r->file) : unknown);
    r->block.occurrences = occurrences;
    r->has_occurrences |= occurrences;
    r->file.len = 0;
}

static void parse_row(struct reader *r, struct row *row)
{
    double mem = ps_num_to_real(row->mem);
    struct ps_str name;

    if (r->in.line.has_escapes)
        row->source = ps_report_trim_end(row->source);
    name = defined_name(row->source);
    if (!r->block.function)
        begin_function(r, row->number.line);
    if (name.len)
        name_function(r, name);
    if (row->ran && (!r->has_peak || mem > r->peak))
        r->peak = mem;
    r->has_peak |= row->ran;
    row->source = ps_arena_copy(&r->texts, row->source);
    PS_RESERVE_ONE(r->kept, r->n_kept, r->cap_kept);
    r->kept[r->n_kept++] =
        (struct kept_row){*row, r->in.line.is_repaired || r->in.line.is_rejoined};
    if (ps_line_table_add_row(&r->block.table, &row->number))
        count_at(&r->gaps, &r->in.line);
    if (r->in.line.is_repaired && r->mended++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.offset, r->in.line.number,
                     "the source text of this row contains invalid UTF-8 or was truncated");
}

static void reject_row(struct reader *r, const char *why)
{
    ps_report_count_doubtful(&r->in);
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number, "%s", why);
}

/* Handles the line if it is a row of the current block. */
static bool parse_in_block(struct reader *r, struct ps_str text)
{
    struct row row;
    enum match match = r->block.table.is_open ? read_row(r, text, &row) : NONE;

    if (match == BACK) {
        uint32_t function = r->block.function;

        count_at(&r->mixed, &r->in.line);
        end_kept(r);
        r->block.table.next_line = r->block.table.line_before_gap = 0;
        begin_kept(r, function);
    }
    if (match == ROW || match == BACK)
        parse_row(r, &row);
    if (match == INVALID) {
        (void)ps_line_table_add_row(&r->block.table, &row.number);
        reject_row(r, "the values of this row cannot be read");
    }
    return match != NONE;
}

static const struct ps_str file_mark = PS_STR("Filename: ");

/* Classifies a text in the context of the current block, or of the report. */
static enum ps_report_row classify_row(const void *reader, struct ps_str text)
{
    const struct reader *r = reader;
    struct ps_line_table_columns columns;
    struct row row;
    bool occurrences;

    if (read_header(text, &columns, &occurrences))
        return PS_ROW_FINAL;
    if (ps_str_find(text, file_mark))
        return PS_ROW_COMPLETE;
    switch (r->block.table.is_open ? read_row(r, text, &row) : NONE) {
    case ROW:
    case BACK:
        return PS_ROW_COMPLETE;
    case INVALID:
        return PS_ROW_INCOMPLETE;
    case NONE:
        break;
    }
    return PS_ROW_NONE;
}

/* Returns whether `text` continues on `next`: a header or a file name may be wrapped. A line does
 * not continue if `next` begins a table. */
static enum ps_report_line_end find_line_end(const void *reader, struct ps_str text,
                                             struct ps_str next)
{
    struct ps_str begins = PS_STR("Line #");

    return ps_str_find(next, begins) ? PS_LINE_END_COMPLETE
                                     : ps_report_find_row_end(classify_row, reader, text, next);
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;
    struct ps_line_table_columns columns;
    bool occurrences;
    const char *at;

    if (parse_in_block(r, text))
        return;
    at = ps_str_find(text, file_mark);
    if (at) {
        close_block(r);
        r->file.len = 0;
        ps_buf_add_str(&r->file, ps_report_trim_end(
                                     ps_str_skip(text, (size_t)(at - text.ptr) + file_mark.len)));
        r->repaired_names += r->in.line.is_repaired;
    } else if (read_header(text, &columns, &occurrences)) {
        open_block(r, &columns, occurrences);
    } else if (r->block.table.is_open && ps_line_table_reject(&r->block.table, text)) {
        reject_row(r, "this line inside a table is not a table row");
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        ps_report_rejoin(&r->in, classify_row, r);
        parse_line(r);
        if (r->rows + r->n_kept > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the log has more than %d rows",
                              ROWS_MAX);
        if (ps_report_check(&r->in, r->out, r->rows + r->n_kept, err) != PS_OK)
            return PS_CANCELLED;
    }
    close_block(r);
    write_kept(r);
    return ps_stream_status(r->in.in, err);
}

/* --- Reporting --- */

static void write_notes(struct reader *r)
{
    if (r->rows == 0)
        ps_sink_note(
            r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
            "the report contains no lines: the program ran no function marked with @profile");
    else
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "memory is that of the whole process, rounded as printed; the first increment "
                     "of a block is the memory already in use, and no sum includes it");
    ps_sink_count(r->out, PS_NOTE_INFO, r->contained,
                  "calls whose table is left out, because the table of the call that made them "
                  "(recursion) contains their memory");
    if (r->mixed.count)
        ps_sink_note(r->out, PS_NOTE_WARNING, r->mixed.offset, r->mixed.line,
                     "places where the line numbers go back: another process printed the rows from "
                     "there on, which are listed as a call of their own: %llu (this is the first)",
                     (unsigned long long)r->mixed.count);
    ps_sink_count(r->out, PS_NOTE_WARNING, r->orphans, "tables without a file name");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->repaired_names,
                  "file names with invalid UTF-8, which were repaired");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > NOTES_MAX ? r->rejected - NOTES_MAX : 0,
                  "more rows that cannot be read");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->mended > NOTES_MAX ? r->mended - NOTES_MAX : 0,
                  "more rows that were repaired");
    if (r->gaps.count)
        ps_sink_note(r->out, PS_NOTE_WARNING, r->gaps.offset, r->gaps.line,
                     "gaps in the line numbers, where rows were removed: %llu (this is the first)",
                     (unsigned long long)r->gaps.count);
}

static void write_all(struct reader *r)
{
    const struct {
        const char *key;
        struct ps_num value;
    } metrics[] = {
        {"functions", ps_int((int64_t)r->n_functions)},
        {"files", ps_int(r->files.count)},
        {"lines", ps_int((int64_t)r->measured)},
        {"blocks", ps_int((int64_t)r->blocks)},
        {"peak_mib", r->has_peak ? ps_real(r->peak) : (struct ps_num){0}},
        {"increment_mib", ps_real(round(r->growth * 1e6) / 1e6)},
    };

    ps_sink_meta(r->out, "tool", PS_STR("memory_profiler"));
    if (r->has_occurrences)
        ps_sink_meta(r->out, "tool_version", PS_STR("0.58+"));
    if (r->files.count)
        ps_sink_meta(r->out, "title", ps_base_name(r->files.items[0]));
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        r->out->ops->number(r->out, metrics[i].key, metrics[i].value);
    write_notes(r);
    ps_report_write_ledger(&r->in, r->out, r->rows, r->repaired, r->rejected);
    r->out->ops->headline(r->out, &(struct ps_headline){r->peak, "MiB", "peak RSS"});
}

static bool is_header(struct ps_str line)
{
    struct ps_line_table_columns columns;
    bool occurrences;

    return read_header(line, &columns, &occurrences);
}

/* Whether the unwrapped text has more complete headers. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(unwrapped, is_header) > ps_report_count_lines(head, is_header);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, find_line_end, &r);
    status = read_log(&r, err);
    if (status == PS_OK)
        write_all(&r);
    ps_report_free(&r.in);
    ps_intern_free(&r.files);
    ps_intern_free(&r.places);
    ps_buf_free(&r.file);
    ps_arena_free(&r.texts);
    free(r.kept);
    free(r.kept_blocks);
    free(r.functions);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    struct ps_line_table_columns columns;
    bool occurrences;

    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};

        head = ps_str_skip(head, line.len + 1);
        if (read_header(line, &columns, &occurrences))
            return PS_MATCH_SURE;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_memory_text = {
    .kind = "memory_profiler",
    .label = "memory_profiler report",
    .description =
        "memory of the process after each line of the functions that memory_profiler measured",
    .record_command = "python -m memory_profiler app.py > memory.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
