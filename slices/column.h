/* SPDX-License-Identifier: MIT */
/*
 * column.h: a list of int64 packed into bytes that can be read at random.
 *
 * One byte of code, eight of base (little endian), then the values less the base in as few whole
 * bytes (1, 2, 4, 8) as they all fit; 0 bytes: all are the base. Where they are multiples of one
 * number, as times of a sampler are of its interval, and fewer bytes do without it, it stands
 * behind the base. Lists that are mostly 0 are kept as the rows (16 bit) and values that are not.
 * Frame of reference coding: Goldstein, Ramakrishnan, Shaft, "Compressing relations and indexes",
 * ICDE 1998.
 */
#ifndef PS_SLICES_COLUMN_H
#define PS_SLICES_COLUMN_H

#include "base/buf.h"

/* Appends n <= 65536 values. */
void ps_column_pack(const int64_t *values, size_t n, struct ps_buf *out);
/* All n of them. False: the bytes are not such a list of n. */
bool ps_column_unpack(struct ps_str packed, size_t n, int64_t *out);
/* `count` of them from `first` on. */
bool ps_column_part(struct ps_str packed, size_t n, size_t first, size_t count, int64_t *out);
/* The one at i < n. */
bool ps_column_at(struct ps_str packed, size_t n, size_t i, int64_t *out);

#endif
