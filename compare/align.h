/* SPDX-License-Identifier: MIT */
/* align.h: two sequences of lines, matched in order. */
#ifndef PS_COMPARE_ALIGN_H
#define PS_COMPARE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ps_aligned {
    uint32_t text; /* only equal ones can match */
    int64_t line;  /* ascending; 0 unknown */
    uint32_t id;   /* the caller's */
};

#define PS_ALIGN_NONE UINT32_MAX

/* A longest common subsequence of a and b; among those one in which most keep their line. match[k]:
 * the index in a of b[k], or PS_ALIGN_NONE. Where neither text nor line tells more than the order
 * does, as many match in order. Sequences that are too long for that (their product above 4
 * million, after what is equal at both ends) match only what keeps text and line. */
void ps_align(const struct ps_aligned *a, size_t n, const struct ps_aligned *b, size_t m,
              uint32_t *match);

#endif
