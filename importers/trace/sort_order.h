/* SPDX-License-Identifier: MIT */
/* sort_order.h: the stable order of items that are nearly sorted. */
#ifndef PS_TRACE_SORT_ORDER_H
#define PS_TRACE_SORT_ORDER_H

#include "importers/trace/scratch.h"

#define TR_BYTES_SORTED 32 /* approximate bytes that sorting reads and writes per item */

/* Returns the indices of n items in stable sorted order; NULL if the items are already in order.
 * Release the array with tr_scratch_free. */
typedef bool (*tr_less)(const void *list, uint32_t a, uint32_t b);
uint32_t *tr_sort_order(struct tr_scratch *scratch, const void *list, size_t n, tr_less less);

#endif
