/* SPDX-License-Identifier: MIT */
/* child.h: programs run with their words as they are, never through a shell. */
#ifndef PS_CLI_CHILD_H
#define PS_CLI_CHILD_H

#include "base/buf.h"
#include "base/err.h"

/* Words of a command. NULL-terminated by ps_words_end; `at` is malloc'ed, the words are not. */
struct ps_words {
    const char **at;
    size_t n, cap;
};

void ps_words_add(struct ps_words *words, const char *word);
const char *const *ps_words_end(struct ps_words *words);
void ps_words_free(struct ps_words *words);

struct ps_child {
    const char *path; /* the file to run */
    const char *const *argv;
    int import_log;     /* >= 0: lines of imports among its stderr go there, all else to ours */
    bool out_to_stderr; /* our stdout is for us alone */
    bool silent;        /* it has nothing to read, and what it says is dropped */
};

/*
 * Runs it on our terminal and waits. Interrupts of the terminal are the child's: it has them
 * already, we only note them; a signal sent to us alone is passed on. status_out: what it exited
 * with, 128 + n after signal n.
 */
enum ps_status ps_child_run(const struct ps_child *child, int *status_out, struct ps_err *err);
/* Whether somebody wanted the last ps_child_run to end. */
bool ps_child_interrupted(void);

/* Appends what it writes to stdout, of a program that asks nothing and says little. quiet: its
 * stderr is dropped. */
enum ps_status ps_child_ask(const char *path, const char *const *argv, bool quiet,
                            struct ps_buf *out, int *status_out, struct ps_err *err);

/* The file that `name` means: itself when it holds a slash, else the first executable one in PATH.
 * malloc'ed, or NULL. */
char *ps_child_find(const char *name);

#endif
