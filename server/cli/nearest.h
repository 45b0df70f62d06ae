/* SPDX-License-Identifier: MIT */
/* nearest.h: which of the known words a mistyped one was meant to be. */
#ifndef PS_CLI_NEAREST_H
#define PS_CLI_NEAREST_H

#include <stddef.h>

/* Begin with {.typed = ...}, offer each known word, then read `word`. */
struct ps_nearest {
    const char *typed;
    const char *word; /* the nearest of those offered; NULL: none is near */
    size_t distance;  /* of it */
};

/* Leading dashes and case count for nothing. Of words at the same distance the first is kept. */
void ps_nearest_offer(struct ps_nearest *nearest, const char *word);

/* The nearest of n words, or NULL. */
const char *ps_nearest_of(const char *typed, const char *const *words, size_t n);

#endif
