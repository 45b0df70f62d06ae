/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/options/bash_line.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 65536

/* What is read of a word. */
struct word_reader {
    struct ps_buf text; /* without quotes */
    char quote;         /* the open quote, or 0 */
    bool was_quoted;    /* a quote was closed */
    size_t kept;        /* length of `text` at the last break or at the open quote */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Reads one character, or two if the first is a backslash. Returns the rest of the line. */
static const char *read_character(const char *at, const char *breaks, struct word_reader *word)
{
    const char c = *at;

    if (word->quote && c == word->quote) {
        word->quote = 0;
        word->was_quoted = true;
        return at + 1;
    }
    if (!word->quote && (c == '\'' || c == '"')) {
        word->quote = c;
        word->kept = word->text.len;
        return at + 1;
    }
    if (c == '\\' && at[1] && (!word->quote || (word->quote == '"' && strchr("$`\"\\", at[1])))) {
        ps_buf_add(&word->text, at + 1, 1);
        return at + 2;
    }
    ps_buf_add(&word->text, at, 1);
    if (!word->quote && strchr(breaks, c))
        word->kept = word->text.len;
    return at + 1;
}

/* Copies a word; ~/ at its beginning becomes the home folder, if it was not quoted. */
static const char *copy_word(struct ps_bash_line *line, const struct word_reader *word, bool tilde)
{
    const char *home = getenv("HOME");
    const struct ps_str text = {word->text.len ? word->text.ptr : "", word->text.len};

    if (tilde && home)
        return ps_arena_printf(&line->arena, "%s%.*s", home, (int)text.len - 1, text.ptr + 1);
    return ps_arena_copy(&line->arena, text).ptr;
}

/* Whether a word before the command assigns a variable: A=1 perfshelf. */
static bool is_assignment(const char *word)
{
    const char *equals = strchr(word, '=');

    return equals && equals > word && !memchr(word, '/', (size_t)(equals - word));
}

bool ps_bash_line_read(const char *line, const char *breaks, struct ps_bash_line *out)
{
    const size_t len = strlen(line);
    bool has_command = false, is_last = false;

    *out = (struct ps_bash_line){.n = 0};
    if (len > LINE_MAX_BYTES)
        return false;
    out->words = ps_arena_alloc(&out->arena, (len + 2) * sizeof *out->words);
    while (!is_last) {
        struct word_reader word = {.quote = 0};
        const char *text;
        bool tilde;

        while (is_blank(*line))
            line++;
        tilde = line[0] == '~' && line[1] == '/';
        while (*line && (word.quote || !is_blank(*line)))
            line = read_character(line, breaks, &word);
        is_last = !*line;
        /* bash replaces the word as it was typed, so the home folder is not written out there. */
        text = copy_word(out, &word, tilde && !is_last);
        out->quote = word.quote;
        out->kept = word.kept;
        ps_buf_free(&word.text);
        if (is_last && word.was_quoted)
            return false; /* bash and readline disagree on where this word begins */
        if (has_command)
            out->words[out->n++] = text;
        else
            has_command = !is_assignment(text);
    }
    return out->n > 0;
}

void ps_bash_line_free(struct ps_bash_line *line)
{
    ps_arena_free(&line->arena);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c & 0x80) || strchr("_./:=@%+,-", c);
}

void ps_bash_line_quote(const struct ps_bash_line *line, const char *word, struct ps_buf *out)
{
    /* History expansion also takes place in double quotes. */
    if ((line->quote == '"' && strpbrk(word, "\\\"$`!")) ||
        (line->quote == '\'' && strchr(word, '\'')) || strlen(word) < line->kept)
        return;
    for (const char *at = word + line->kept; *at; at++) {
        if (!line->quote && !is_plain(*at))
            ps_buf_puts(out, "\\");
        ps_buf_add(out, at, 1);
    }
    ps_buf_puts(out, "\n");
}
