/* SPDX-License-Identifier: MIT */
/*
 * column.h: packs a list of int64 into bytes that allow random access.
 *
 * Layout: one byte of code, eight bytes of base (little endian), then each value minus the base in
 * the smallest width (0, 1, 2, 4 or 8 bytes) that fits all of them; width 0: all values are the
 * base. If the differences have a common divisor, such as the interval of a sampler, and dividing
 * by it reduces the width, the divisor follows the base. Lists that are mostly 0 are stored as the
 * rows (16 bit) and values of the other entries. Frame of reference coding: Goldstein,
 * Ramakrishnan, Shaft, "Compressing relations and indexes", ICDE 1998.
 */
#ifndef PS_SLICES_COLUMN_H
#define PS_SLICES_COLUMN_H

#include "base/buf.h"

/* Packs n <= 65536 values and appends the bytes to out. */
void ps_column_pack(const int64_t *values, size_t n, struct ps_buf *out);
/* Unpacks all n values. False: the bytes are not a packed list of n values. */
bool ps_column_unpack(struct ps_str packed, size_t n, int64_t *out);
/* Unpacks `count` values from index `first` on. */
bool ps_column_unpack_range(struct ps_str packed, size_t n, size_t first, size_t count,
                            int64_t *out);
/* Unpacks the value at i < n. */
bool ps_column_unpack_one(struct ps_str packed, size_t n, size_t i, int64_t *out);

#endif
