/* SPDX-License-Identifier: MIT */
/* words.h: the words of a command line. */
#ifndef PS_BASE_WORDS_H
#define PS_BASE_WORDS_H

#include "base/mem.h"

/* Owns `items`, but not the strings. ps_words_end appends the terminating NULL and returns
 * `items`. */
struct ps_words {
    const char **items;
    size_t n, cap;
};

void ps_words_add(struct ps_words *words, const char *word);
const char *const *ps_words_end(struct ps_words *words);
void ps_words_free(struct ps_words *words);

#endif
