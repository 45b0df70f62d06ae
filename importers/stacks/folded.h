/* SPDX-License-Identifier: MIT */
/* folded.h: one line of folded stacks, shared by folded.c and folded_line.c. */
#ifndef PS_IMPORTERS_FOLDED_H
#define PS_IMPORTERS_FOLDED_H

#include "importers/stacks/stacks.h"

/* "main;a b;c 12": frames and what the last word counts. */
struct st_folded_line {
    struct ps_str stack, count; /* count is empty: the line has none */
};
/* A line without what a paste puts around it: blanks, and the "> " of a quotation. */
struct ps_str st_folded_text(struct ps_str line);
/* text without its end of line and the blanks before it. */
struct st_folded_line st_folded_cut(struct ps_str text);
/* Of a line with two counts, the first is taken off the stack. False: it has none. */
bool st_folded_cut_again(struct st_folded_line *line);

/* Whether a bracket or a quotation mark in the text is not closed; whether the text closes one that
 * was opened before it. */
bool st_folded_open(struct ps_str text);
bool st_folded_closes(struct ps_str text);

/* "# mode: cpu": key and value of a comment; false: not of that form. */
bool st_folded_comment(struct ps_str text);
bool st_folded_header(struct ps_str text, struct ps_str *key, struct ps_str *value);

/* What the first frames of a stack say of process and thread. n: how many frames that takes. */
struct st_folded_thread {
    uint32_t n;
    struct ps_str pid, process, tid, thread; /* slices of the frames; empty: not said */
    bool austin;
};
struct st_folded_thread st_folded_thread_of(struct ps_str stack);

/* What is known of a file from its first lines. */
struct st_folded_guess {
    size_t lines, good, nested; /* without blanks and comments; with a count; of those with ';' */
    size_t prose;               /* lines of words that no frame has: a text with numbers in it */
    size_t pairs, torch;        /* with two counts; as torch's export_stacks writes them */
    bool austin;                /* written by austin */
};
struct st_folded_guess st_folded_look(struct ps_str head);

#endif
