/* SPDX-License-Identifier: MIT */
/* nearest.h: finds the known word that is most similar to a mistyped one. */
#ifndef PS_BASE_NEAREST_H
#define PS_BASE_NEAREST_H

#include <stddef.h>

/* Initialize with {.typed = ...}, offer each known word, then read `word`. */
struct ps_nearest {
    const char *typed;
    const char *word; /* most similar word so far; NULL: none is similar */
    size_t distance;  /* edit distance of `word` */
};

/* Leading dashes and case are ignored. For equal distances the first word is kept. */
void ps_nearest_offer(struct ps_nearest *nearest, const char *word);

/* The most similar of n words; NULL if none is similar. */
const char *ps_nearest_find(const char *typed, const char *const *words, size_t n);

#endif
