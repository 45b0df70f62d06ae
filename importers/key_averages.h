/* SPDX-License-Identifier: MIT */
/*
 * key_averages.h: what the files key_averages*.c share. For them alone.
 *
 * key_averages.c finds tables and their rows, _cells.c reads headers and cells, _report.c tells the
 * sink.
 */
#ifndef PS_IMPORTERS_KEY_AVERAGES_H
#define PS_IMPORTERS_KEY_AVERAGES_H

#include "importers/importer.h"
#include "importers/printed_table.h"
#include "importers/text_report.h"

/* What a column holds. */
enum ps_ka_column {
    PS_KA_OTHER = 0, /* Node ID and what later versions add */
    PS_KA_NAME,
    PS_KA_OVERLOAD,
    PS_KA_SHAPES,
    PS_KA_SOURCE,
    PS_KA_FIGURE, /* the first of enum ps_operator_figure */
};

struct ps_ka_header {
    unsigned char column[PS_TABLE_COLUMNS]; /* enum ps_ka_column, figures from PS_KA_FIGURE on */
    double flops;                           /* what a number in its column stands for */
    size_t calls, source;                   /* columns; source PS_TABLE_COLUMNS: none */
    struct ps_str device;                   /* "CUDA"; empty: none. Of the line */
};

/* The columns of a header line. False: it is none. */
bool ps_ka_header(const struct ps_table_spans *spans, struct ps_str line, struct ps_ka_header *out);

/* A figure as the tool prints it, in the unit of its column: none for "--", "NaN" and blank. False:
 * it is no such thing. */
bool ps_ka_figure(enum ps_operator_figure figure, struct ps_str cell, double flops,
                  struct ps_num *out);

/* "36.507ms" in ns. */
bool ps_ka_time(struct ps_str text, int64_t *out);

struct ps_ka_table {
    uint32_t first, n; /* in rows */
    struct ps_num self_s, device_s;
    struct ps_str ordered, device; /* texts of the reader */
    bool by_shape, by_stack;
    uint32_t falls; /* figures by which the rows fall, a bit each */
};

struct ps_ka_row {
    struct ps_str name, overload, shapes, source; /* in the arena */
    bool cut;                                     /* the name was */
    struct ps_num figures[PS_N_OPERATOR_FIGURES];
};

struct ps_ka_reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_ka_table *tables;
    uint32_t n_tables, cap_tables;
    struct ps_ka_row *rows;
    uint32_t n, cap;

    enum { PS_KA_OUTSIDE, PS_KA_RULED, PS_KA_HEADED, PS_KA_INSIDE } state;
    struct ps_table_spans spans;
    struct ps_ka_header header;
    struct ps_str titles[PS_TABLE_COLUMNS]; /* of the columns, in the arena */
    struct ps_buf row;                      /* pieces of a row that newlines split */
    struct ps_buf before;                   /* the line before, outside of tables */
    unsigned pieces;
    uint64_t row_at, row_line;
    bool row_mended;
    uint64_t repaired, mended, rejected;
    uint64_t cut; /* names */
};

void ps_ka_report(struct ps_ka_reader *r);

#endif
