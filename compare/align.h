/* SPDX-License-Identifier: MIT */
/* align.h: aligns two sequences of lines. */
#ifndef PS_COMPARE_ALIGN_H
#define PS_COMPARE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ps_align_line {
    uint32_t text; /* only items with equal text can match */
    int64_t line;  /* ascending; 0: unknown */
    uint32_t id;   /* for the caller; not used here */
};

#define PS_ALIGN_NONE UINT32_MAX

/* Finds a longest common subsequence of a and b; of several, one in which most items keep their
 * line. match[k]: the index in a of b[k], or PS_ALIGN_NONE. If n == m and all texts are equal,
 * items are matched in order. If the sequences are too long (product of the lengths above 4
 * million, after removing equal items at both ends), only items with equal text and line are
 * matched. */
void ps_align(const struct ps_align_line *a, size_t n, const struct ps_align_line *b, size_t m,
              uint32_t *match);

#endif
