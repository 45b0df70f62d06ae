/* SPDX-License-Identifier: MIT */
/*
 * query_tables.h: descriptions of the tables that the statements in schema/queries return: how rows
 * can be sorted, summed and filtered, and which metrics comparisons of such rows have. A
 * description is in the head of the statement, the comment lines at its beginning.
 *
 * schema/query_tables.py generates the arrays below from the heads at build time, and fails if a
 * head is invalid. The heads of imports.sql and compare_imports.sql explain the keys of a head.
 */
#ifndef PS_QUERY_QUERY_TABLES_H
#define PS_QUERY_QUERY_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct ps_query_sort {
    const char *key;                    /* value of the parameter `sort` that selects this order */
    bool is_descending;                 /* direction if the parameter `desc` is absent */
    const char *ascending, *descending; /* SQL terms for ORDER BY, in either direction */
    const char *expression; /* SQL expression that rows are sorted by; NULL: several expressions */
};

struct ps_query_sum {
    const char *name, *expression; /* expression: an SQL aggregate over the filtered rows */
    const char *column;            /* COLUMN if the expression is sum(COLUMN), else NULL */
};

/* A parameter of the SQL statement that is bound to the URL parameter with the same name. The
 * search parameters q, regex and hide are not listed. */
struct ps_query_param {
    const char *name; /* the name with its colon: ":origin" */
    bool is_list;     /* a list, bound with a comma around each word: ",stdlib,local," */
};

struct ps_query_filter {
    const char *name;      /* name of the URL parameter */
    const char *condition; /* condition for WHERE if the parameter `name` is given */
};

enum ps_query_rows {
    PS_ROWS_ORDERED, /* each page runs the statement with LIMIT and OFFSET */
    /* the sorted ids are cached; a page looks up each of its rows by the parameter :row */
    PS_ROWS_BY_ID,
    PS_ROWS_CACHED, /* the first rows are cached as JSON */
};

struct ps_query_table {
    const char *query;
    enum ps_query_rows rows;
    /* SELECT of the number of rows without filters; NULL: the answer states 0 */
    const char *count_query;
    const struct ps_query_sort *sorts; /* n_sorts orders; the first is the default */
    const struct ps_query_sum *sums;
    const struct ps_query_param *params;
    const struct ps_query_filter *filters;
    size_t n_sorts, n_sums, n_params, n_filters;
};

/* All tables. The last element has query NULL. */
extern const struct ps_query_table ps_query_tables[];

#define PS_HEAD_METRICS 5
#define PS_HEAD_WORKS   2

struct ps_query_metric {
    /* SELECT for the total of a run as its tool states it; NULL: the sum of the rows. It differs
     * from the sum by rounding, by rows that the tool left out, and by what ran at the same time.
     */
    const char *whole;
    const char *name;  /* the column */
    const char *unit;  /* "-": no unit; "@stacks": that of the run's stacks */
    const char *title; /* label in the page */
    bool is_additive;  /* the values of all rows sum up to the total of the run */
    /* SELECT of 0 or 1: whether a run has the metric; NULL: all runs have it */
    const char *presence_query;
    /* SELECT of the resolution in a run: the value of one unit of the last digit, 0: exact; NULL:
     * exact */
    const char *resolution;
    const char *calls; /* the column that divides it per call; NULL: it has no value per call */
};

/* An amount of work that totals grow with. */
struct ps_query_work {
    const char *word;  /* "steps", "calls" ... */
    const char *query; /* SELECT: the amount in a run; 0 or NULL: unknown */
};

struct ps_query_comparison {
    const char *query, *title;
    /* nouns for a row and for the place of a row; place "": rows have no place */
    const char *row, *place;
    const char *budget_metric; /* name of the metric that budgets limit */
    /* SELECT of 0 or 1: whether a run has the table; NULL: all runs have it */
    const char *presence_query;
    /* a run without the table did not record it, so the table is left out unless all runs have it
     */
    bool needs_all_runs;
    /* SELECT of the share of the total, from 0 to 1, below which the profile of a run leaves out
     * rows; 0: it has all; 1: any row may be missing. NULL: all runs have all rows */
    const char *cut;
    bool place_is_path; /* the end of a place tells more than its begin: files, outer modules */
    bool place_is_unit; /* rows are measurements in units of their own */
    bool is_per_step;   /* values are already those of the mean step, if a run has steps */
    size_t n_works;     /* the first that all runs have is compared */
    struct ps_query_work works[PS_HEAD_WORKS];
    size_t n;
    struct ps_query_metric metrics[PS_HEAD_METRICS];
};

/* All comparisons. The last element has query NULL. */
extern const struct ps_query_comparison ps_query_comparisons[];

#endif
