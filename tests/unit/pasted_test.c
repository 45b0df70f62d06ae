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

#include "importers/clean.h"
#include "tests/dump_sink.h"

static const char *const folders[] = {"importtime",  "line_text", "memory_text",
                                      "pstats_text", "lightning", "key_averages",
                                      "measure",     "mprof",     "folded"};

static struct ps_buf slurp(const char *path)
{
    struct ps_buf bytes = {0};
    FILE *file = fopen(path, "rb");
    size_t got;

    assert_non_null(file);
    do {
        ps_buf_room(&bytes, 65536);
        got = fread(bytes.at + bytes.len, 1, 65536, file);
        bytes.len += got;
    } while (got);
    (void)fclose(file);
    return bytes;
}

/* ------------------------------------------------------------------ what is done to a text */

struct change {
    const char *name;
    size_t wrap;        /* columns; 0: not wrapped */
    const char *before; /* each line */
    const char *behind; /* each line, before its end */
    const char *end;    /* of a line */
    size_t from, to;    /* lines of each ten that are replaced by "..." */
    size_t gap;         /* of each ten lines that before which an empty one stands */
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
        n += ((unsigned char)text.at[i] & 0xc0) != 0x80;
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

        ps_buf_puts(out, change->before ? change->before : "");
        ps_buf_add(out, line.at, n);
        ps_buf_puts(out, change->behind ? change->behind : "");
        ps_buf_puts(out, end);
        line = ps_str_skip(line, n);
    } while (line.len);
}

static void make_change(const struct change *change, struct ps_str text, struct ps_buf *out)
{
    for (size_t number = 0; text.len; number++) {
        const char *end = memchr(text.at, '\n', text.len);
        struct ps_str line = {text.at, end ? (size_t)(end - text.at) : text.len};

        text = ps_str_skip(text, line.len + 1);
        if (line.len && line.at[line.len - 1] == '\r')
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

/* ------------------------------------------------------------------ what becomes of it */

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
    out.status = ps_import_stream(ps_stream_memory(bytes, 0), &dump.sink, &picked, &err);
    out.rows = dump.rows;
    out.ledger = dump.ledger;
    line = out.dump.len ? strstr(out.dump.at, "headline value=") : NULL;
    out.headline = line ? strtod(line + 15, NULL) : 0;
    return out;
}

static uint64_t warnings(const struct outcome *outcome)
{
    uint64_t n = 0;

    for (const char *at = outcome->dump.at; at && (at = strstr(at, "note warning")); at++)
        n++;
    return n;
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
           strstr(now->dump.at, "were cut out of the text") ||
           ledger->rejected > before->ledger.rejected || warnings(now) > warnings(before);
}

/* Changes of which something vanishes. */
static int try_sample(const char *folder, const char *name)
{
    struct ps_buf path = {0}, bytes;
    struct outcome before;
    int lost = 0;

    ps_buf_printf(&path, "%s/golden/%s/%s", PS_TESTS_DIR, folder, name);
    bytes = slurp(path.at);
    if (!ps_is_clean_text(ps_buf_slice(&bytes)) || strchr("{[", bytes.at[0]) ||
        !memchr(bytes.at, '\n', bytes.len)) {
        ps_buf_free(&path);
        ps_buf_free(&bytes);
        return 0;
    }
    before = import(ps_buf_slice(&bytes));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct ps_buf text = {0};
        struct outcome now;

        /* A terminal does not count what it does not show. */
        if (changes[i].wrap && memchr(bytes.at, '\033', bytes.len))
            continue;
        make_change(&changes[i], ps_buf_slice(&bytes), &text);
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
    ps_buf_free(&path);
    ps_buf_free(&bytes);
    return lost;
}

static int try_folder(const char *folder)
{
    struct ps_buf path = {0};
    const struct dirent *entry;
    int lost = 0;
    DIR *dir;

    ps_buf_printf(&path, "%s/golden/%s", PS_TESTS_DIR, folder);
    dir = opendir(path.at);
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        if (strncmp(entry->d_name, "ok_", 3) == 0 && !strstr(entry->d_name, ".dump"))
            lost += try_sample(folder, entry->d_name);
    (void)closedir(dir);
    ps_buf_free(&path);
    return lost;
}

static void test_no_row_vanishes(void **state)
{
    int lost = 0;

    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        lost += try_folder(folders[i]);
    assert_int_equal(lost, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_row_vanishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
