/* SPDX-License-Identifier: MIT */
/* bash_line.h: the words of a command line of bash while it is typed, and the quoting of what bash
 * inserts there. Nothing is expanded or run, except ~/ at the beginning of a word. */
#ifndef PS_CLI_BASH_LINE_H
#define PS_CLI_BASH_LINE_H

#include "base/buf.h"
#include "base/mem.h"

struct ps_bash_line {
    const char *
        *words;  /* behind the name of the program, without quotes; the last one is completed */
    size_t n;    /* at least 1 */
    char quote;  /* \' or ": a quote is open in the last word; 0: none is */
    size_t kept; /* bytes at the start of the last word that bash does not replace */
    struct ps_arena arena;
};

/* Splits the line up to the cursor. breaks: $COMP_WORDBREAKS, behind which bash replaces a word.
 * False: nothing can be completed there. Call ps_bash_line_free in any case. */
bool ps_bash_line_read(const char *line, const char *breaks, struct ps_bash_line *out);
void ps_bash_line_free(struct ps_bash_line *line);

/* Appends the line by which bash replaces the last word with `word`; nothing if the open quote
 * cannot contain the word. */
void ps_bash_line_quote(const struct ps_bash_line *line, const char *word, struct ps_buf *out);

#endif
