/* SPDX-License-Identifier: MIT */
#include "importers/serving/join.h"

#include <stdlib.h>

#include "base/hash_table.h"
#include "slices/intervals.h"

enum {
    REPEATS_MAX = 16,  /* a key that occurs more often in a list does not vote */
    AGREE_PERCENT = 90 /* of the keys of the common part */
};

/* A key of a list, and where it is. */
struct place {
    int64_t key; /* first member, the sort key */
    int64_t index;
};

/* The places of the votes for shifts. */
struct votes {
    struct vote {
        int64_t shift; /* first member, the sort key: index in a minus index in b */
    } * items;
    size_t n, cap;
};

static struct place *sort_keys(const uint64_t *keys, size_t n)
{
    struct place *places = ps_alloc_array(n + 1, sizeof *places);

    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){(int64_t)keys[i], (int64_t)i};
    ps_sort_records(places, n, sizeof *places);
    return places;
}

static size_t count_equal(const struct place *places, size_t n, size_t at)
{
    size_t same = 1;

    while (at + same < n && places[at + same].key == places[at].key)
        same++;
    return same;
}

/* Each pair of equal rare keys is a vote for the shift between them. */
static void collect_votes(const struct place *a, size_t n_a, const struct place *b, size_t n_b,
                          struct votes *votes)
{
    size_t i = 0, k = 0;

    while (i < n_a && k < n_b) {
        const size_t same_a = count_equal(a, n_a, i), same_b = count_equal(b, n_b, k);

        if (a[i].key == b[k].key && same_a <= REPEATS_MAX && same_b <= REPEATS_MAX)
            for (size_t x = 0; x < same_a * same_b; x++) {
                PS_RESERVE_ONE(votes->items, votes->n, votes->cap);
                votes->items[votes->n++].shift = a[i + x / same_b].index - b[k + x % same_b].index;
            }
        if (a[i].key == b[k].key) {
            i += same_a;
            k += same_b;
        } else if (a[i].key < b[k].key) {
            i += same_a;
        } else {
            k += same_b;
        }
    }
}

/* The shift with the most votes; false: there are none. */
static bool elect_shift(struct votes *votes, int64_t *shift)
{
    size_t best = 0;

    ps_sort_records(votes->items, votes->n, sizeof *votes->items);
    for (size_t i = 0, same; i < votes->n; i += same) {
        for (same = 1;
             i + same < votes->n && votes->items[i + same].shift == votes->items[i].shift;)
            same++;
        if (same > best) {
            best = same;
            *shift = votes->items[i].shift;
        }
    }
    return best > 0;
}

size_t sv_match_order(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, size_t *matches)
{
    PS_AUTO(ps_free_ptr) struct place *sorted_a = sort_keys(a, n_a);
    PS_AUTO(ps_free_ptr) struct place *sorted_b = sort_keys(b, n_b);
    struct votes votes = {0};
    size_t common = 0, n = 0;
    int64_t shift = 0;
    bool has_shift;

    for (size_t i = 0; i < n_b; i++)
        matches[i] = SV_NO_MATCH;
    collect_votes(sorted_a, n_a, sorted_b, n_b, &votes);
    has_shift = elect_shift(&votes, &shift) || n_a == n_b;
    free(votes.items);
    for (size_t i = 0; has_shift && i < n_b; i++) {
        const int64_t index = (int64_t)i + shift;

        if (index < 0 || (size_t)index >= n_a)
            continue;
        common++;
        if (a[index] != b[i])
            continue;
        matches[i] = (size_t)index;
        n++;
    }
    if (n * 100 >= common * AGREE_PERCENT && n * 2 >= (n_a < n_b ? n_a : n_b))
        return n;
    for (size_t i = 0; i < n_b; i++)
        matches[i] = SV_NO_MATCH;
    return 0;
}
