/* SPDX-License-Identifier: MIT */
/* multi_run_query.h: what the two files of SQL over several runs share: multi_run_query.c has the
 * tables, multi_run_open.c the handle. Nobody else includes it. */
#ifndef PS_CATALOG_MULTI_RUN_QUERY_H
#define PS_CATALOG_MULTI_RUN_QUERY_H

#include "server/catalog/state.h"

/* What the tables read. */
struct multi_run {
    struct ps_store *store;
    struct ps_memory *memory;
    char (*ids)[PS_ID_SIZE];
    struct ps_db **runs; /* opened when they are first read */
    size_t n;
    struct ps_db *catalog;
};

/* CREATE VIRTUAL TABLE view USING ps_multi_run(catalog|runs,"column",...); struct across is its
 * user data. */
extern const sqlite3_module ps_multi_run_module;
/* Appends a name in quotes. */
void ps_multi_run_name(struct ps_buf *out, const char *name);

#endif
