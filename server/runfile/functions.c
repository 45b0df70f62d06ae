/* SPDX-License-Identifier: MIT */
/*
 * functions.c: SQL functions for searching and for names of frames.
 *
 *   ps_frame_function(name)             the name that the lines of a function share (frame_name.h)
 *   ps_frame_group(name, is_package)    the name of the file or of the package of a function
 *   ps_case_numbers(name)               the numbers among the parameters of a test (test_case.h)
 *   ps_command_failed(codes, status, signal)  whether a run of a command failed
 *   ps_words('pandas -test', name, file)  true if every word occurs in one of the texts, and no
 * word after a minus does; case-insensitive regexp(pattern, text)               called for X REGEXP
 * P; PCRE2, with a limit on the work of one match
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <strings.h>

#include "base/frame_name.h"
#include "base/python_path.h"
#include "base/test_case.h"
#include "server/runfile/handle.h"

#define MATCH_LIMIT 200000 /* maximum steps of one match; a pattern that needs more is an error */

static const char *next_of(const char *at, const char *end, char c)
{
    return at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
}

/* Whether `hay` contains `needle`, ignoring the case of ASCII letters. For speed, compares only
 * where the first character of the needle occurs: a shelf of 100,000 runs is searched after each
 * key press. */
static bool contains_text(struct ps_str hay, struct ps_str needle)
{
    const char c = needle.len ? needle.ptr[0] : '\0', folded = (char)(c | 0x20);
    const char *end, *one, *two = NULL;

    if (!needle.len || hay.len < needle.len)
        return !needle.len;
    end = hay.ptr + (hay.len - needle.len) + 1;
    one = next_of(hay.ptr, end, c);
    if (folded >= 'a' && folded <= 'z')
        two = next_of(hay.ptr, end, (char)(c ^ 0x20));
    while ((one || two) && !ps_context_has_ended()) {
        const bool is_one = !two || (one && one < two);
        const char *at = is_one ? one : two;

        if (strncasecmp(at, needle.ptr, needle.len) == 0)
            return true;
        *(is_one ? &one : &two) = next_of(at + 1, end, *at);
    }
    return false;
}

static bool any_contains(sqlite3_value **texts, int n, struct ps_str needle)
{
    for (int i = 0; i < n; i++) {
        const char *at = (const char *)sqlite3_value_text(texts[i]);

        if (at && contains_text((struct ps_str){at, (size_t)sqlite3_value_bytes(texts[i])}, needle))
            return true;
    }
    return false;
}

static struct ps_str next_word(const char **at)
{
    struct ps_str word;

    *at += strspn(*at, " \t");
    word = (struct ps_str){*at, strcspn(*at, " \t")};
    *at += word.len;
    return word;
}

static struct ps_str text_of(sqlite3_value *value)
{
    const char *at = (const char *)sqlite3_value_text(value);

    return at ? (struct ps_str){at, (size_t)sqlite3_value_bytes(value)} : (struct ps_str){"", 0};
}

/* The place of a name without a file of its own: from the last " (", as samplers write it. */
static struct ps_str place_of_name(struct ps_str name)
{
    for (size_t i = name.len; i-- > 1;)
        if (name.ptr[i] == '(' && name.ptr[i - 1] == ' ')
            return ps_str_skip(name, i - 1);
    return name;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the number stands in the place as a line: `app.py:20`, `conv.py(438)`. */
static bool has_line(struct ps_str place, struct ps_str line)
{
    for (size_t i = 1; i + line.len <= place.len; i++) {
        const char before = place.ptr[i - 1];

        if ((before == ':' || before == '(') && memcmp(place.ptr + i, line.ptr, line.len) == 0 &&
            (i + line.len == place.len || !is_digit(place.ptr[i + line.len])))
            return true;
    }
    return false;
}

static bool is_number(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_digit(text.ptr[i]))
            return false;
    return text.len > 0;
}

/* Whether a word occurs in the name, which is the first text, or in the file, which is the second.
 * `file:word` is searched in the file only, `line:20` in the place that is part of a name. */
static bool word_occurs(sqlite3_value **texts, int n, struct ps_str word)
{
    static const char file[] = "file:", line[] = "line:";
    const size_t prefix = sizeof file - 1;
    const struct ps_str rest = ps_str_skip(word, word.len > prefix ? prefix : 0);

    if (word.len > prefix && n && strncasecmp(word.ptr, file, prefix) == 0)
        return n > 1 ? any_contains(texts + 1, n - 1, rest)
                     : contains_text(place_of_name(text_of(texts[0])), rest);
    if (is_number(rest) && n && word.len > prefix && strncasecmp(word.ptr, line, prefix) == 0)
        return has_line(place_of_name(text_of(texts[0])), rest);
    return any_contains(texts, n, word);
}

static void sql_words(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *at = n ? (const char *)sqlite3_value_text(values[0]) : NULL;
    bool match = true;

    for (struct ps_str word; match && at && (word = next_word(&at)).len;) {
        bool without = word.len > 1 && word.ptr[0] == '-';

        match = word_occurs(values + 1, n - 1, ps_str_skip(word, without)) != without;
    }
    if (ps_context_has_ended())
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    else
        sqlite3_result_int(context, match);
}

static void free_regex(void *regex)
{
    pcre2_code_free(regex);
}

static pcre2_code *compile_pattern(sqlite3_context *context, sqlite3_value *pattern)
{
    pcre2_code *regex = sqlite3_get_auxdata(context, 0);
    PCRE2_SIZE at;
    int code;

    if (regex)
        return regex;
    regex = pcre2_compile((PCRE2_SPTR)sqlite3_value_text(pattern),
                          (PCRE2_SIZE)sqlite3_value_bytes(pattern),
                          PCRE2_UTF | PCRE2_CASELESS | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
    if (!regex)
        return NULL;
    (void)pcre2_jit_compile(regex,
                            PCRE2_JIT_COMPLETE); /* may fail: matching is only slower without it */
    sqlite3_set_auxdata(context, 0, regex, free_regex);
    return sqlite3_get_auxdata(context, 0);
}

static void match_regexp(sqlite3_context *context, int n, sqlite3_value **values)
{
    pcre2_code *regex;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    int code;

    (void)n;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
        sqlite3_value_type(values[1]) == SQLITE_NULL)
        return;
    regex = compile_pattern(context, values[0]);
    if (!regex) {
        sqlite3_result_error(context, "invalid regular expression", -1);
        return;
    }
    data = pcre2_match_data_create(1, NULL);
    limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(limits, MATCH_LIMIT);
    code = pcre2_match(regex, (PCRE2_SPTR)sqlite3_value_text(values[1]),
                       (PCRE2_SIZE)sqlite3_value_bytes(values[1]), 0, 0, data, limits);
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_JIT_STACKLIMIT)
        sqlite3_result_error(context, "the regular expression takes too long", -1);
    else
        sqlite3_result_int(context, code > 0 || code == 0);
}

enum ps_status ps_regex_check(const char *pattern, struct ps_err *err)
{
    PCRE2_SIZE at;
    int code;
    pcre2_code *regex = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                      PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
    char text[160] = "";

    if (regex) {
        pcre2_code_free(regex);
        return PS_OK;
    }
    (void)pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof text);
    return ps_fail_at(err, PS_BAD_REQUEST, at, "regular expression: %s", text);
}

static void write_frame_function(sqlite3_context *context, int n, sqlite3_value **values)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    const char *text = (const char *)sqlite3_value_text(values[0]);
    struct ps_frame_name name;

    (void)n;
    if (!text)
        return;
    name = ps_frame_name_parse((struct ps_str){text, (size_t)sqlite3_value_bytes(values[0])});
    ps_frame_name_write_function(&name, &out);
    sqlite3_result_text64(context, out.ptr ? out.ptr : "", out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void write_frame_group(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *text = (const char *)sqlite3_value_text(values[0]);
    struct ps_frame_name name;
    struct ps_str group;

    (void)n;
    if (!text)
        return;
    name = ps_frame_name_parse((struct ps_str){text, (size_t)sqlite3_value_bytes(values[0])});
    group = sqlite3_value_int(values[1]) ? ps_frame_package(&name) : ps_path_file_name(name.file);
    sqlite3_result_text64(context, group.ptr ? group.ptr : "", group.len, SQLITE_TRANSIENT,
                          SQLITE_UTF8);
}

/* ps_case_numbers(NAME): "300" of "test_codec[crc-300]", several joined by "-". */
static void write_case_numbers(sqlite3_context *context, int n, sqlite3_value **values)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    const char *text = (const char *)sqlite3_value_text(values[0]);
    const struct ps_str name = {text, text ? (size_t)sqlite3_value_bytes(values[0]) : 0};
    struct ps_str number;
    double value;
    size_t from = 0;

    (void)n;
    while (ps_test_case_next_number(name, &from, &number, &value)) {
        ps_buf_puts(&out, out.len ? "-" : "");
        ps_buf_add_str(&out, number);
    }
    sqlite3_result_text64(context, out.ptr ? out.ptr : "", out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* ps_command_failed(EXIT_CODES, EXIT_STATUS, SIGNAL): 1 if a run of the command failed. The codes
 * of its runs are a text such as "0 1 signal"; each of the three may be NULL. */
static void judge_command(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *codes = (const char *)sqlite3_value_text(values[0]);

    (void)n;
    sqlite3_result_int(context, (codes && strpbrk(codes, "123456789s")) ||
                                    sqlite3_value_int(values[1]) != 0 ||
                                    sqlite3_value_type(values[2]) != SQLITE_NULL);
}

void ps_result_num(sqlite3_context *context, struct ps_num n)
{
    if (n.kind == PS_NUM_INT)
        sqlite3_result_int64(context, n.i);
    else if (n.kind == PS_NUM_REAL)
        sqlite3_result_double(context, n.r);
}

void ps_register_functions(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

    sqlite3_create_function_v2(db, "ps_words", -1, flags, NULL, sql_words, NULL, NULL, NULL);
    sqlite3_create_function_v2(db, "ps_frame_function", 1, flags, NULL, write_frame_function, NULL,
                               NULL, NULL);
    sqlite3_create_function_v2(db, "ps_frame_group", 2, flags, NULL, write_frame_group, NULL, NULL,
                               NULL);
    sqlite3_create_function_v2(db, "ps_case_numbers", 1, flags, NULL, write_case_numbers, NULL,
                               NULL, NULL);
    sqlite3_create_function_v2(db, "ps_command_failed", 3, flags, NULL, judge_command, NULL, NULL,
                               NULL);
    sqlite3_create_function_v2(db, "regexp", 2, flags, NULL, match_regexp, NULL, NULL, NULL);
}
