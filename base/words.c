/* SPDX-License-Identifier: MIT */
#include "base/words.h"

#include <stdlib.h>

void ps_words_add(struct ps_words *words, const char *word)
{
    PS_RESERVE_ONE(words->items, words->n, words->cap);
    words->items[words->n++] = word;
}

const char *const *ps_words_end(struct ps_words *words)
{
    PS_RESERVE_ONE(words->items, words->n, words->cap);
    words->items[words->n] = NULL;
    return words->items;
}

void ps_words_free(struct ps_words *words)
{
    free(words->items);
    *words = (struct ps_words){0};
}
