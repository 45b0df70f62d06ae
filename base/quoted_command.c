/* SPDX-License-Identifier: MIT */
#include "base/quoted_command.h"

#include "base/buf.h"
#include "base/secret.h"

#define MASK "(masked)"

/* --- Quoting --- */

static void add_quoted(struct ps_buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        ps_buf_puts(out, word);
        return;
    }
    ps_buf_puts(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            ps_buf_puts(out, "'\\''");
        else
            ps_buf_add(out, word, 1);
    ps_buf_puts(out, "'");
}

/* Whether a word contains "scheme://user:password@host". */
static bool has_password(const char *word)
{
    const char *name = strstr(word, "://"), *at;
    if (!name)
        return false;
    name += 3;
    at = memchr(name, '@', strcspn(name, "/?#"));
    return at && memchr(name, ':', (size_t)(at - name));
}

/* Appends a word with secrets masked: the value in "--api-key=abc", a word after "--api-key", and
 * anything that has the form of a token. */
static void add_masked(struct ps_buf *out, const char *before, const char *word)
{
    struct ps_str all = ps_str_from_c(word);
    size_t name = strcspn(word, "=:"); /* the colon is for "Authorization: ..." */
    struct ps_str value = ps_str_skip(all, name < all.len ? name + 1 : name);
    bool follows_secret_option = before[0] == '-' && !strchr(before, '=') && word[0] != '-' &&
                                 ps_is_secret_name(ps_str_from_c(before + strspn(before, "-")));
    if (follows_secret_option || ps_is_token(all) || has_password(word)) {
        ps_buf_puts(out, MASK);
    } else if (value.len &&
               (ps_is_token(value) || ps_is_secret_name((struct ps_str){
                                          word + strspn(word, "-"), name - strspn(word, "-")}))) {
        ps_buf_add(out, word, name + 1);
        ps_buf_puts(out, MASK);
    } else {
        add_quoted(out, word);
    }
}

char *ps_quote_command(const char *const *words, size_t n, bool mask)
{
    struct ps_buf out = {0};
    for (size_t i = 0; i < n; i++) {
        if (i)
            ps_buf_puts(&out, " ");
        if (mask)
            add_masked(&out, i ? words[i - 1] : "", words[i]);
        else
            add_quoted(&out, words[i]);
    }
    return out.ptr ? out.ptr : ps_strdup((struct ps_str){"", 0});
}

/* --- Splitting --- */

#define BLANKS " \t\n"

/* Appends the quoted text after *at, which is at the opening quote. *at moves behind the closing
 * one. Returns false if there is none. */
static bool add_quotation(const char **at, struct ps_buf *word)
{
    const char quote = *(*at)++;
    for (; **at && **at != quote; ++*at) {
        /* between double quotes a backslash quotes only these characters */
        if (quote == '"' && **at == '\\' && (*at)[1] && strchr("\"\\$`\n", (*at)[1]))
            ++*at;
        if (**at != '\n' || (*at)[-1] != '\\' || quote != '"')
            ps_buf_add(word, *at, 1);
    }
    return *(*at)++ == quote;
}

/* Appends the word at *at. */
static enum ps_status read_word(const char **at, struct ps_buf *word, struct ps_err *err)
{
    const char *start = *at;
    while (**at && !strchr(BLANKS, **at)) {
        if (**at == '\'' || **at == '"') {
            start = *at;
            if (!add_quotation(at, word))
                return ps_fail(err, PS_BAD_REQUEST, "a quote is not closed: %.40s", start);
        } else if (**at == '\\' && !(*at)[1]) {
            return ps_fail(err, PS_BAD_REQUEST, "the backslash at the end quotes nothing");
        } else {
            const bool is_quoted = **at == '\\';
            *at += is_quoted;
            if (!is_quoted || **at != '\n') /* a quoted line break continues the line */
                ps_buf_add(word, *at, 1);
            ++*at;
        }
    }
    return PS_OK;
}

enum ps_status ps_split_command(const char *line, struct ps_arena *arena, struct ps_words *out,
                                struct ps_err *err)
{
    for (const char *at = line + strspn(line, BLANKS); *at; at += strspn(at, BLANKS)) {
        PS_AUTO(ps_buf_free) struct ps_buf word = {0};
        if (read_word(&at, &word, err) != PS_OK)
            return err->code;
        ps_words_add(out, ps_arena_printf(arena, "%s", word.len ? word.ptr : ""));
    }
    return out->n ? PS_OK : ps_fail(err, PS_BAD_REQUEST, "there is no command in it");
}
