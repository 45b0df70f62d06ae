/* SPDX-License-Identifier: MIT */
/* sort.c: qsort and qsort_r as a stable merge sort, like in glibc, so that rows have the same order
 * as in responses of a server. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct merge_state {
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *user;
    char *scratch;
};

static void merge_sort(const struct merge_state *m, char *at, size_t n)
{
    size_t half = n / 2, taken = 0;
    char *left = at, *right = at + half * m->size, *end = at + n * m->size, *out = m->scratch;

    if (n < 2)
        return;
    merge_sort(m, left, half);
    merge_sort(m, right, n - half);
    while (taken < half && right < end) {
        bool from_right = m->compare(left, right, m->user) > 0;

        memcpy(out, from_right ? right : left, m->size);
        out += m->size;
        if (from_right)
            right += m->size;
        else
            left += m->size, taken++;
    }
    /* The remaining elements of the right half are already at their final position. */
    memcpy(out, left, (half - taken) * m->size);
    memcpy(at, m->scratch, (size_t)(out - m->scratch) + (half - taken) * m->size);
}

void qsort_r(void *at, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
             void *user)
{
    struct merge_state m = {size, compare, user, ps_grow(NULL, n, size)};

    merge_sort(&m, at, n);
    free(m.scratch);
}

static int without_user(const void *a, const void *b, void *compare)
{
    return (*(int (**)(const void *, const void *))compare)(a, b);
}

void qsort(void *at, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    qsort_r(at, n, size, without_user, &compare);
}
