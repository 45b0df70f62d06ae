/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define WORD_MAX   48 /* characters; a longer word matches none */
#define PREFIX_MIN 3  /* minimum length of a typed word that matches as a prefix */
#define LIMIT_MAX  3  /* maximum edit distance, also for long words */

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Damerau-Levenshtein distance (optimal string alignment): letters that are inserted, deleted,
 * replaced, or swapped with their neighbour count 1 each. */
static size_t distance_of(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= m; j++)
        last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] =
                min_of(min_of(last[j], row[j - 1]) + 1, last[j - 1] + !is_same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
                row[j] = min_of(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[m];
}

static bool begins_with(const char *word, const char *typed, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_same(word[i], typed[i]))
            return false;
    return true;
}

void ps_nearest_offer(struct ps_nearest *nearest, const char *word)
{
    const char *a = nearest->typed + strspn(nearest->typed, "-");
    const char *b = word + strspn(word, "-");
    const size_t n = strlen(a), m = strlen(b), longer = n > m ? n : m, shorter = min_of(n, m);
    const size_t limit = longer < 6 ? 1 : min_of(longer / 3, LIMIT_MAX);
    size_t distance;

    if (n == 0 || longer > WORD_MAX)
        return;
    distance = distance_of(a, n, b, m);
    if ((distance > limit || distance >= shorter) &&
        !(n >= PREFIX_MIN && n < m && begins_with(b, a, n)))
        return;
    if (nearest->word && nearest->distance <= distance)
        return;
    nearest->word = word;
    nearest->distance = distance;
}

const char *ps_nearest_find(const char *typed, const char *const *words, size_t n)
{
    struct ps_nearest nearest = {.typed = typed};

    for (size_t i = 0; i < n; i++)
        ps_nearest_offer(&nearest, words[i]);
    return nearest.word;
}
