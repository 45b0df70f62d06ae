/* SPDX-License-Identifier: MIT */
/* across.h: what the two files of SQL over several runs share: across.c has the tables,
 * across_open.c the handle. Nobody else includes it. */
#ifndef PS_STORE_ACROSS_H
#define PS_STORE_ACROSS_H

#include "server/store/db_impl.h"

/* What the tables read. */
struct across {
    struct ps_store *store;
    struct ps_memory *memory;
    char (*ids)[PS_ID_SIZE];
    struct ps_db **runs; /* opened when they are first read */
    size_t n;
    struct ps_db *catalog;
};

/* CREATE VIRTUAL TABLE view USING ps_across(catalog|runs,"column",...); struct across is its user
 * data. */
extern const sqlite3_module ps_across_module;
/* Appends a name in quotes. */
void ps_across_name(struct ps_buf *out, const char *name);

#endif
