/* SPDX-License-Identifier: MIT */
/* unsampled_lines.c: reads the lines above a sampled line, and what their text can do. */
#include "server/query/conclusion/unsampled_lines.h"

static bool has_any(struct ps_str source, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ps_str_find(source, ps_str_from_c(words[i])))
            return true;
    return false;
}

static bool has_call(struct ps_str source)
{
    return ps_str_find(source, PS_STR("(")) != NULL;
}

static bool has_search(struct ps_str source)
{
    return ps_str_find(source, PS_STR(" in "));
}

static bool has_operation(struct ps_str source)
{
    static const char *const words[] = {
        " in ", " + ",  " - ",  " * ",  " / ",  " // ", " % ", " @ ", " ** ",
        " == ", " != ", " < ",  " > ",  " <= ", " >= ", " & ", " | ", " ^ ",
        " += ", " -= ", " *= ", " /= ", " @= ", " |= ", " &= "};

    return has_any(source, words, sizeof words / sizeof *words);
}

/* Whether samples may fall on the line: it calls, or is the head of a loop or a comprehension. */
static bool is_sampled(struct ps_str source)
{
    return has_call(source) || ps_str_starts_with(source, PS_STR("for ")) ||
           ps_str_starts_with(source, PS_STR("async ")) || ps_str_find(source, PS_STR(" for ")) ||
           ps_str_find(source, PS_STR("await ")) || ps_str_find(source, PS_STR("yield"));
}

static size_t indent_of(struct ps_str text)
{
    size_t n = 0;

    while (n < text.len && (text.ptr[n] == ' ' || text.ptr[n] == '\t'))
        n++;
    return n;
}

/* Reads the sampled line. False: its text is unknown, or it is the head of a loop, after which no
 * other line of the loop runs. */
static bool read_sampled(struct ps_stmt *stmt, struct ps_arena *arena, int64_t line,
                         struct ps_str *text, struct ps_err *err)
{
    if (!ps_stmt_step(stmt, err) || ps_col_int(stmt, 0) != line)
        return false;
    *text = ps_arena_copy(arena, ps_col_text(stmt, 1));
    return ps_str_trim(*text).len && !ps_str_ends_with(ps_str_trim(*text), PS_STR(":"));
}

enum ps_status ps_unsampled_lines_find(struct ps_db *db, struct ps_arena *arena, int64_t file,
                                       int64_t function, int64_t line,
                                       struct ps_unsampled_lines *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_str sampled;
    size_t indent;
    bool only_searches;

    *out = (struct ps_unsampled_lines){0};
    ps_db_prepare(db, ps_query_sql("lines_above"), &stmt, err);
    ps_bind_int(stmt, ":file", file);
    ps_bind_int(stmt, ":function", function);
    ps_bind_int(stmt, ":line", line);
    if (!read_sampled(stmt, arena, line, &sampled, err))
        return err->code;
    indent = indent_of(sampled);
    only_searches = has_call(sampled);
    while (ps_stmt_step(stmt, err)) {
        const struct ps_str text = ps_col_text(stmt, 1), source = ps_str_trim(text);

        if (!source.len || source.ptr[0] == '#')
            continue;
        /* A deeper line may be of a loop that has ended, which has its own samples. */
        if (ps_col_real(stmt, 2) > 0 || is_sampled(source) || indent_of(text) > indent)
            break;
        indent = indent_of(text);
        if (only_searches ? !has_search(source) : !has_operation(source))
            continue;
        out->first = ps_col_int(stmt, 0);
        out->last = out->last ? out->last : out->first;
        out->source = ps_arena_copy(arena, source);
    }
    return err->code;
}
