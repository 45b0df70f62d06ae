/* SPDX-License-Identifier: MIT */
/*
 * pasted_test.c: each sample of a format that is read line by line, as it looks after it was
 * wrapped by a terminal, pasted into an issue or written through another program. Such a text may
 * be refused, and rows may be rejected; but none may vanish without a word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>

#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/printed_table.h"
#include "importers/text/text_report.h"
#include "tests/dump_sink.h"

enum { NARROWEST = 20, WIDEST = 200 }; /* columns at which each sample is wrapped */

#define FORMAT_ROW(name) {#name, &ps_##name},
static const struct {
    const char *folder; /* of its samples */
    const struct ps_importer *importer;
} formats[] = {PS_FORMATS(FORMAT_ROW)};

/* Formats that people paste: printed text, and lines that are as simple. */
static bool is_pasted(const struct ps_importer *importer)
{
    return importer->may_share_log || importer == &ps_mprof || importer == &ps_folded;
}

static struct ps_buf slurp(const char *path)
{
    struct ps_buf bytes = {0};
    FILE *file = fopen(path, "rb");
    size_t got;

    assert_non_null(file);
    do {
        ps_buf_reserve(&bytes, 65536);
        got = fread(bytes.ptr + bytes.len, 1, 65536, file);
        bytes.len += got;
    } while (got);
    (void)fclose(file);
    return bytes;
}

/* --- Changes --- */

struct change {
    const char *name;
    size_t wrap;        /* columns; 0: not wrapped */
    const char *before; /* each line */
    const char *behind; /* each line, before its end */
    const char *end;    /* of a line */
    size_t from, to;    /* lines of each ten that are replaced by "..." */
    size_t gap;         /* of each ten lines that before which an empty one stands */
    bool trimmed;       /* blanks at the ends of lines are lost */
    bool harmless;      /* nothing is lost by it */
};

static const struct change changes[] = {
    {.name = "wrapped at 80", .wrap = 80},
    {.name = "wrapped at 120", .wrap = 120},
    {.name = "wrapped at 200", .wrap = 200},
    {.name = "quoted", .before = "> "},
    {.name = "indented", .before = "    "},
    {.name = "rank", .before = "[rank0]: "},
    {.name = "compose", .before = "web_1  | "},
    {.name = "CI", .before = "2024-01-01T00:00:00.1234567Z "},
    {.name = "journal", .before = "Nov 22 23:00:00 host app[712]: "},
    {.name = "coloured", .before = "\033[32m", .behind = "\033[0m"},
    {.name = "compose, wrapped at 80", .wrap = 80, .before = "web_1  | "},
    {.name = "CRLF", .end = "\r\n", .harmless = true},
    {.name = "CR", .end = "\r", .harmless = true},
    {.name = "empty lines", .gap = 7},
    {.name = "lines twice as far apart", .end = "\n\n"},
    {.name = "lines cut out", .from = 6, .to = 8},
};

static size_t columns(struct ps_str text, size_t most)
{
    size_t i = 0;

    for (size_t n = 0; i < text.len; i++) {
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
        if (n > most)
            break;
    }
    return i;
}

static void add_line(const struct change *change, struct ps_str line, struct ps_buf *out)
{
    const char *end = change->end ? change->end : "\n";

    do {
        size_t n = change->wrap ? columns(line, change->wrap) : line.len;
        struct ps_str piece = {line.ptr, n};

        ps_buf_puts(out, change->before ? change->before : "");
        ps_buf_add_str(out, change->trimmed ? ps_report_trim_end(piece) : piece);
        ps_buf_puts(out, change->behind ? change->behind : "");
        ps_buf_puts(out, end);
        line = ps_str_skip(line, n);
    } while (line.len);
}

static void make_change(const struct change *change, struct ps_str text, struct ps_buf *out)
{
    for (size_t number = 0; text.len; number++) {
        const char *end = memchr(text.ptr, '\n', text.len);
        struct ps_str line = {text.ptr, end ? (size_t)(end - text.ptr) : text.len};

        text = ps_str_skip(text, line.len + 1);
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (number % 10 == change->from && change->to)
            line = PS_STR("...");
        else if (number % 10 > change->from && number % 10 < change->to)
            continue;
        if (change->gap && number % 10 == change->gap)
            add_line(change, PS_STR(""), out);
        add_line(change, line, out);
    }
}

/* --- Outcomes --- */

struct outcome {
    enum ps_status status;
    uint64_t rows;
    double headline;
    struct ps_ledger ledger;
    struct ps_buf dump;
};

static struct outcome import(struct ps_str bytes)
{
    struct outcome out = {.status = PS_OK};
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    struct dump_sink dump;
    const char *line;

    dump_sink_init(&dump, &out.dump);
    out.status = ps_import_stream(ps_stream_from_memory(bytes, 0), &dump.sink, &picked, &err);
    out.rows = dump.rows;
    out.ledger = dump.ledger;
    line = out.dump.len ? strstr(out.dump.ptr, "headline value=") : NULL;
    out.headline = line ? strtod(line + 15, NULL) : 0;
    return out;
}

static uint64_t warnings(const struct outcome *outcome)
{
    uint64_t n = 0;

    for (const char *at = outcome->dump.ptr; at && (at = strstr(at, "note warning")); at++)
        n++;
    return n;
}

/* What was read: the dump without what is said of the lines that it was read from. */
static struct ps_buf rows_of(const struct outcome *outcome)
{
    struct ps_str dump = ps_buf_slice(&outcome->dump);
    struct ps_buf rows = {0};

    while (dump.len) {
        const char *end = memchr(dump.ptr, '\n', dump.len), *place;
        struct ps_str line = {dump.ptr, end ? (size_t)(end - dump.ptr) : dump.len};

        dump = ps_str_skip(dump, line.len + 1);
        if (ps_str_starts_with(line, PS_STR("note ")) ||
            ps_str_starts_with(line, PS_STR("ledger ")))
            continue;
        place = ps_str_find(line, PS_STR(" line="));
        if (place && ps_str_starts_with(line, PS_STR("import "))) {
            ps_buf_add(&rows, line.ptr, (size_t)(place - line.ptr));
            line = ps_str_skip(line, (size_t)(place - line.ptr) + 1);
            (void)ps_str_skip(line, 1);
            place = memchr(line.ptr, ' ', line.len);
            line = ps_str_skip(line, place ? (size_t)(place - line.ptr) : line.len);
        }
        /* A name that two lines share may lose its line end. */
        for (place = ps_str_find(line, PS_STR("\\u000a")); place;
             place = ps_str_find(line, PS_STR("\\u000a"))) {
            ps_buf_add(&rows, line.ptr, (size_t)(place - line.ptr));
            line = ps_str_skip(line, (size_t)(place - line.ptr) + 6);
        }
        ps_buf_add_str(&rows, line);
        ps_buf_puts(&rows, "\n");
    }
    return rows;
}

static bool same_rows(const struct outcome *a, const struct outcome *b)
{
    struct ps_buf left = rows_of(a), right = rows_of(b);
    bool same = ps_str_eq(ps_buf_slice(&left), ps_buf_slice(&right));

    ps_buf_free(&left);
    ps_buf_free(&right);
    return same;
}

/* Whether a note says what no note of the other says. */
static bool says_more(const struct outcome *now, const struct outcome *before, const char *kind)
{
    for (const char *at = now->dump.ptr; at && (at = strstr(at, kind)); at++) {
        const char *what = strstr(at, "what="), *end = what ? strchr(what, '\n') : NULL;
        struct ps_buf said = {0};
        bool known;

        if (!end)
            continue;
        ps_buf_add(&said, what, (size_t)(end - what));
        known = strstr(said.ptr, "and were joined again") || strstr(before->dump.ptr, said.ptr);
        ps_buf_free(&said);
        if (!known)
            return true;
    }
    return false;
}

static bool is_told(const struct outcome *before, const struct outcome *now, bool harmless)
{
    const struct ps_ledger *ledger = &now->ledger;

    if (harmless)
        return now->status == before->status && now->rows == before->rows &&
               now->headline == before->headline;
    if (now->status != PS_OK)
        return true;
    if (ledger->read != ledger->stored + ledger->repaired + ledger->rejected + ledger->other)
        return false;
    return (ledger->stored + ledger->repaired >= before->ledger.stored + before->ledger.repaired &&
            now->headline == before->headline) ||
           strstr(now->dump.ptr, "where rows were removed from the text") ||
           ledger->rejected > before->ledger.rejected || warnings(now) > warnings(before) ||
           says_more(now, before, "note warning");
}

/* A wrapped text gives the same rows, or says that it does not. */
static bool is_wrap_told(const struct outcome *before, const struct outcome *now)
{
    return now->status != PS_OK || same_rows(before, now) ||
           now->ledger.rejected > before->ledger.rejected ||
           says_more(now, before, "note warning") || says_more(now, before, "note repaired");
}

typedef int tries(const char *folder, const char *name, struct ps_str bytes);

/* Changes of which something vanishes. */
static int try_changes(const char *folder, const char *name, struct ps_str bytes)
{
    struct outcome before;
    int lost = 0;

    before = import(bytes);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct ps_buf text = {0};
        struct outcome now;

        /* A terminal does not count what it does not show. */
        if (changes[i].wrap && memchr(bytes.ptr, '\033', bytes.len))
            continue;
        make_change(&changes[i], bytes, &text);
        now = import(ps_buf_slice(&text));
        if (!is_told(&before, &now, changes[i].harmless)) {
            (void)fprintf(stderr, "%s/%s, %s: rows %llu, were %llu; headline %g, was %g\n", folder,
                          name, changes[i].name, (unsigned long long)now.rows,
                          (unsigned long long)before.rows, now.headline, before.headline);
            lost++;
        }
        ps_buf_free(&text);
        ps_buf_free(&now.dump);
    }
    ps_buf_free(&before.dump);
    return lost;
}

/* Where the rest of the only line that is wrapped cannot be told from other output, or nothing
 * tells that the log is wrapped. */
static const struct {
    const char *name;
    size_t from, to; /* columns */
} undecided[] = {
    {"ok_odd_lines.log", 20, 200},     /* names of several words */ {"ok_killed.log", 38, 38},
    {"ok_full_rows.log", 20, 33},      {"ok_summary_wrapped.txt", 31, 31},
    {"ok_prefixed.log", 26, 26},       {"ok_gaps.txt", 21, 21},
    {"ok_noise.txt", 67, 67},          {"ok_time_shells.txt", 45, 55},
    {"ok_time_mixed.txt", 48, 48},     {"ok_timeit.txt", 43, 43},
    {"ok_pytest_text.txt", 20, 27},    {"ok_time_v.txt", 53, 56},
    {"ok_hyperfine_table.md", 45, 46}, {"ok_time_lines.txt", 47, 52},
    {"ok_go_bench.txt", 114, 114},     {"ok_go_bench_odd.txt", 59, 59},
};

static bool is_undecided(const char *name, size_t wrap)
{
    for (size_t i = 0; i < sizeof undecided / sizeof *undecided; i++)
        if (strcmp(undecided[i].name, name) == 0 && wrap >= undecided[i].from &&
            wrap <= undecided[i].to)
            return true;
    return false;
}

static size_t widest(struct ps_str text)
{
    size_t most = 0;

    while (text.len) {
        struct ps_str line = ps_report_pop_line(&text);
        size_t n = ps_count_code_points(line);

        most = n > most ? n : most;
    }
    return most;
}

/* Widths at which something vanishes that is not told. */
static int try_widths_of(const char *folder, const char *name, struct ps_str text, bool trimmed)
{
    struct outcome before = import(text);
    size_t most = widest(text);
    int lost = 0;

    for (size_t wrap = NARROWEST; wrap < most && wrap <= WIDEST; wrap++) {
        const struct change change = {.wrap = wrap, .trimmed = trimmed};
        struct ps_buf wrapped = {0};
        struct outcome now;

        if (is_undecided(name, wrap))
            continue;
        make_change(&change, text, &wrapped);
        now = import(ps_buf_slice(&wrapped));
        if (!is_wrap_told(&before, &now)) {
            (void)fprintf(stderr, "%s/%s, wrapped%s, at %zu: rows %llu, were %llu\n", folder, name,
                          trimmed ? " and trimmed" : "", wrap, (unsigned long long)now.rows,
                          (unsigned long long)before.rows);
            lost++;
        }
        ps_buf_free(&wrapped);
        ps_buf_free(&now.dump);
    }
    ps_buf_free(&before.dump);
    return lost;
}

/* A terminal wraps what it shows of a line. */
static int try_widths(const char *folder, const char *name, struct ps_str bytes)
{
    const struct change trim = {.trimmed = true};
    struct ps_buf plain = {0}, shown = {0};
    struct ps_str text = ps_report_without_escapes(&plain, bytes);
    int lost;

    if (plain.len) { /* lines with colours are padded */
        make_change(&trim, text, &shown);
        text = ps_buf_slice(&shown);
    }
    lost = try_widths_of(folder, name, text, false);
    if (strcmp(folder, "importtime") == 0)
        lost += try_widths_of(folder, name, text, true);
    ps_buf_free(&plain);
    ps_buf_free(&shown);
    return lost;
}

static int try_sample(const char *folder, const char *name, tries *try)
{
    struct ps_buf path = {0}, bytes;
    int lost = 0;

    ps_buf_printf(&path, "%s/golden/%s/%s", PS_TESTS_DIR, folder, name);
    bytes = slurp(path.ptr);
    if (ps_is_clean_text(ps_buf_slice(&bytes)) && !strchr("{[", bytes.ptr[0]) &&
        memchr(bytes.ptr, '\n', bytes.len))
        lost = try(folder, name, ps_buf_slice(&bytes));
    ps_buf_free(&path);
    ps_buf_free(&bytes);
    return lost;
}

static int try_folder(const char *folder, tries *try)
{
    struct ps_buf path = {0};
    const struct dirent *entry;
    int lost = 0;
    DIR *dir;

    ps_buf_printf(&path, "%s/golden/%s", PS_TESTS_DIR, folder);
    dir = opendir(path.ptr);
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        if (strncmp(entry->d_name, "ok_", 3) == 0 && !strstr(entry->d_name, ".dump"))
            lost += try_sample(folder, entry->d_name, try);
    (void)closedir(dir);
    ps_buf_free(&path);
    return lost;
}

static int try_formats(tries *try)
{
    int lost = 0;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (is_pasted(formats[i].importer))
            lost += try_folder(formats[i].folder, try);
    return lost;
}

static void test_no_row_vanishes(void **state)
{
    (void)state;
    assert_int_equal(try_formats(try_changes), 0);
}

static void test_no_row_vanishes_at_any_width(void **state)
{
    (void)state;
    assert_int_equal(try_formats(try_widths), 0);
}

/* Rows of a format of words: "part", "whole" and "final". */
static enum ps_report_row classify_word(const void *format, struct ps_str text)
{
    (void)format;
    return ps_str_eq_c(text, "part")    ? PS_ROW_INCOMPLETE
           : ps_str_eq_c(text, "whole") ? PS_ROW_COMPLETE
           : ps_str_eq_c(text, "final") ? PS_ROW_FINAL
                                        : PS_ROW_NONE;
}

static void test_where_a_row_ends(void **state)
{
    static const struct {
        const char *text, *next;
        enum ps_report_line_end end;
    } cases[] = {
        {"final", "rest", PS_LINE_END_COMPLETE},  {"final", "part", PS_LINE_END_COMPLETE},
        {"whole", "rest", PS_LINE_END_UNKNOWN},   {"whole", "whole", PS_LINE_END_COMPLETE},
        {"part", "rest", PS_LINE_END_CONTINUES},  {"part", "final", PS_LINE_END_COMPLETE},
        {"words", "whole", PS_LINE_END_COMPLETE}, {"words", "rest", PS_LINE_END_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ps_report_find_row_end(classify_word, NULL, ps_str_from_c(cases[i].text),
                                                ps_str_from_c(cases[i].next)),
                         cases[i].end);
}

int pasted_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_row_vanishes),
        cmocka_unit_test(test_no_row_vanishes_at_any_width),
        cmocka_unit_test(test_where_a_row_ends),
    };
    return cmocka_run_group_tests_name("pasted", tests, NULL, NULL);
}
