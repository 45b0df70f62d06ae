/* SPDX-License-Identifier: MIT */
/* table.h: prints aligned columns. */
#ifndef PS_TEXT_TABLE_H
#define PS_TEXT_TABLE_H

#include "base/buf.h"

#define PS_TABLE_COLUMNS 12

/* Initialize with `struct ps_table t = {.columns = n, .right = 1U << 2};`, then add cells row by
 * row, starting with the header. */
struct ps_table {
    unsigned columns; /* at most PS_TABLE_COLUMNS */
    unsigned right;   /* bit i: column i is aligned to the right */
    /* maximum width of a line in columns; longer last cells are shortened in the middle. 0: no
     * limit */
    unsigned width;
    bool wraps; /* last cells are wrapped, not shortened; with a limit only */
    struct ps_buf text;
    size_t *ends; /* end offset of each cell in text */
    size_t count, cap;
};

void ps_table_cell(struct ps_table *table,
                   const char *text); /* NULL: an en dash; control characters are escaped */
void ps_table_printf(struct ps_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends the table to out; last cells are not padded. */
void ps_table_print(const struct ps_table *table, struct ps_buf *out);
/* Width of the terminal at stdout in columns, or $COLUMNS if the terminal does not know it; 0:
 * stdout is not a terminal, or the width is unknown. */
unsigned ps_terminal_width(void);
void ps_table_free(struct ps_table *table);

#endif
