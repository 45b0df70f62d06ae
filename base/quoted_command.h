/* SPDX-License-Identifier: MIT */
/* quoted_command.h: command lines as text: quoted for a shell, masked, and split into words. */
#ifndef PS_BASE_QUOTED_COMMAND_H
#define PS_BASE_QUOTED_COMMAND_H

#include "base/err.h"
#include "base/words.h"

/* The words as one line, quoted for a shell; with `mask`, likely secrets are masked. malloc'ed. */
char *ps_quote_command(const char *const *words, size_t n, bool mask);

/* Splits a line into words by the quoting of a POSIX shell: '...', "..." and backslashes. Nothing
 * is expanded: $, *, ~ and ` stand for themselves, and so do the operators of a shell. The words
 * are allocated in `arena`. PS_BAD_REQUEST: a quote is not closed, or there is no word. */
enum ps_status ps_split_command(const char *line, struct ps_arena *arena, struct ps_words *out,
                                struct ps_err *err);

#endif
