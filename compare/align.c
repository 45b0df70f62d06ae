/* SPDX-License-Identifier: MIT */
#include "compare/align.h"

#include <stdlib.h>

#include "base/mem.h"

#define CELLS_MAX ((size_t)4 << 20)
#define MATCH     65536u /* greater than the sum of all bonuses for equal lines */

static bool lines_equal(const struct ps_align_line *a, const struct ps_align_line *b)
{
    return a->text == b->text && a->line == b->line;
}

static bool all_one_text(const struct ps_align_line *a, size_t n, const struct ps_align_line *b)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].text != a[0].text || b[i].text != a[0].text)
            return false;
    return true;
}

/* Matches items with equal text and line. Both sequences are sorted by line. */
static void match_same(const struct ps_align_line *a, size_t n, const struct ps_align_line *b,
                       size_t m, uint32_t offset, uint32_t *match)
{
    for (size_t i = 0, k = 0; i < n && k < m;) {
        if (lines_equal(&a[i], &b[k]))
            match[k++] = offset + (uint32_t)i++;
        else if (a[i].line < b[k].line)
            i++;
        else
            k++;
    }
}

static uint32_t greater_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t match_weight(const struct ps_align_line *a, const struct ps_align_line *b)
{
    return a->text != b->text ? 0 : MATCH + (a->line == b->line);
}

/* Dynamic programming: best[i * (m + 1) + k] is the best score of a[i..] and b[k..]. */
static void match_best(const struct ps_align_line *a, size_t n, const struct ps_align_line *b,
                       size_t m, uint32_t offset, uint32_t *match)
{
    size_t width = m + 1;
    PS_AUTO(ps_free_ptr) uint32_t *best = ps_alloc_array((n + 1) * width, sizeof *best);

    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            uint32_t pair = match_weight(&a[i], &b[k]), *at = &best[i * width + k];

            *at = greater_of(at[width], at[1]);
            if (pair)
                *at = greater_of(*at, at[width + 1] + pair);
        }
    for (size_t i = 0, k = 0; i < n && k < m;) {
        const uint32_t *at = &best[i * width + k];
        uint32_t pair = match_weight(&a[i], &b[k]);

        if (pair && *at == at[width + 1] + pair)
            match[k++] = offset + (uint32_t)i++;
        else if (*at == at[width])
            i++;
        else
            k++;
    }
}

void ps_align(const struct ps_align_line *a, size_t n, const struct ps_align_line *b, size_t m,
              uint32_t *match)
{
    size_t first = 0;
    bool in_order = n == m && all_one_text(a, n, b);

    for (size_t k = 0; k < m; k++)
        match[k] = in_order ? (uint32_t)k : PS_ALIGN_NONE;
    if (in_order)
        return;
    for (; first < n && first < m && lines_equal(&a[first], &b[first]); first++)
        match[first] = (uint32_t)first;
    while (n > first && m > first && a[n - 1].text == b[m - 1].text &&
           a[n - 1].text != a[first].text)
        match[--m] = (uint32_t)--n;
    a += first, b += first, match += first;
    if ((n - first + 1) * (m - first + 1) > CELLS_MAX)
        match_same(a, n - first, b, m - first, (uint32_t)first, match);
    else
        match_best(a, n - first, b, m - first, (uint32_t)first, match);
}
