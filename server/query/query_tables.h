/* SPDX-License-Identifier: MIT */
/*
 * query_tables.h: what the heads of the statements in schema/queries say of the tables that they
 * answer: how rows can be sorted, summed and filtered, and what comparisons of such rows measure.
 *
 * schema/query_tables.py generates the descriptions at build time, and fails when a head is wrong.
 * The heads of imports.sql and compare_imports.sql explain the lines of a head.
 */
#ifndef PS_QUERY_QUERY_TABLES_H
#define PS_QUERY_QUERY_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct ps_query_sort {
    const char *key;                    /* the value of the parameter sort */
    bool is_descending;                 /* unless the parameter desc says otherwise */
    const char *ascending, *descending; /* terms for ORDER BY */
    const char *expression; /* SQL of the values that rows are sorted by; NULL: several */
};

struct ps_query_sum {
    const char *name, *expression; /* an aggregate over the filtered rows */
    const char *column;            /* of sum(COLUMN); NULL: another expression */
};

/* A parameter of the statement that has the value of a filter. q, regex and hide are not listed. */
struct ps_query_param {
    const char *name; /* with its colon: ":origin" */
    bool is_list;     /* words with commas around each: ",stdlib,local," */
};

struct ps_query_filter {
    const char *name;      /* of the parameter */
    const char *condition; /* for WHERE, if the parameter is given */
};

enum ps_query_rows {
    PS_ROWS_ORDERED, /* a page is a statement with LIMIT and OFFSET */
    PS_ROWS_BY_ID,   /* the order of ids is cached; a page is a look-up of each row by :row */
    PS_ROWS_CACHED,  /* all rows are computed at once, and cached as JSON */
};

struct ps_query_table {
    const char *query; /* the name of the statement */
    enum ps_query_rows rows;
    const char *count_query; /* SELECT for the number of rows before filtering; NULL: none */
    const struct ps_query_sort *sorts; /* the first is the default */
    const struct ps_query_sum *sums;
    const struct ps_query_param *params;
    const struct ps_query_filter *filters;
    size_t n_sorts, n_sums, n_params, n_filters;
};

/* Ends with a table without a query. */
extern const struct ps_query_table ps_query_tables[];

#define PS_HEAD_METRICS 4

struct ps_query_metric {
    const char *name;           /* the column */
    const char *unit;           /* "-": none; "@headline": that of the run's headline */
    const char *title;          /* for people */
    bool is_additive;           /* rows sum to the whole */
    const char *presence_query; /* SELECT: whether a run has it; NULL: all do */
    const char *resolution; /* SELECT for what the last digit of a value stands for; NULL: exact */
};

struct ps_query_comparison {
    const char *query, *title;
    const char *row, *place;    /* what a row is, and what its place is; "": it has none */
    const char *budget;         /* the metric that a budget limits */
    const char *presence_query; /* SELECT: whether a run has the table at all; NULL: all do */
    size_t n;
    struct ps_query_metric metrics[PS_HEAD_METRICS];
};

/* Ends with a comparison without a query. */
extern const struct ps_query_comparison ps_query_comparisons[];

#endif
