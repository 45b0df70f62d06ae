/* SPDX-License-Identifier: MIT */
/* table.h: aligned columns for people. */
#ifndef PS_CLI_TABLE_H
#define PS_CLI_TABLE_H

#include "base/buf.h"

#define PS_TABLE_COLUMNS 12

/* `struct ps_table t = {.columns = n, .right = 1U << 2};` then cells row by row, the header first.
 */
struct ps_table {
    unsigned columns; /* at most PS_TABLE_COLUMNS */
    unsigned right;   /* bit i: column i is aligned to the right */
    unsigned width;   /* of a line; longer last cells are shortened in their middle. 0: no limit */
    struct ps_buf text;
    size_t *ends; /* of each cell in text */
    size_t count, cap;
};

void ps_table_cell(struct ps_table *table,
                   const char *text); /* NULL is an en dash; see ps_plain_text */
void ps_table_printf(struct ps_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends the lines to out; the last cell of a line is not padded. */
void ps_table_print(const struct ps_table *table, struct ps_buf *out);
/* The width of the terminal that stdout is, else of $COLUMNS; 0: stdout is none. */
unsigned ps_terminal_width(void);
void ps_table_free(struct ps_table *table);

#endif
