/* SPDX-License-Identifier: MIT */
/*
 * catalog_tables.h: the tables of a catalog, as schema/catalog.sql describes them.
 *
 * schema/catalog_tables.py generates the descriptions from catalog.sql, whose header explains how
 * to add a table or a column. The descriptions are used to add missing tables and columns to the
 * catalog of an older perfshelf, in a folder (layout.c) and in PostgreSQL
 * (server/replica/migrate.c), to mirror tables from PostgreSQL (server/replica/mirror_rows.c), to
 * rebuild a catalog (server/maintenance/rebuild.c), and to copy a shelf
 * (server/maintenance/transfer.c).
 */
#ifndef PS_CATALOG_CATALOG_TABLES_H
#define PS_CATALOG_CATALOG_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct ps_catalog_column {
    const char *name;
    const char *type; /* SQLite type: INTEGER, REAL or TEXT */
    bool is_nullable;
    int key;                     /* 1-based position in the primary key; 0: not part of the key */
    int since_layout;            /* first layout with this column; 0: all layouts have it */
    const char *default_literal; /* SQL literal of the DEFAULT clause; NULL: no default */
};

/* Rows that `perfshelf copy` copies to another shelf. */
enum ps_copy {
    PS_COPY_NONE,
    PS_COPY_ROWS,      /* rows that the rules of server/maintenance/transfer.c select */
    PS_COPY_WITH_RUNS, /* rows that belong to the copied runs */
};

/* Rows that a rebuild copies from the old catalog. */
enum ps_salvage {
    PS_SALVAGE_NONE, /* no rows: they can be computed from run files and labels, or are not needed
                      */
    PS_SALVAGE_ROWS, /* all rows that can be read */
    PS_SALVAGE_IF_INTACT, /* all rows, if the old catalog is not damaged */
};

struct ps_catalog_table {
    const char *name;
    const struct ps_catalog_column *columns;
    size_t n;
    enum ps_copy copy;
    enum ps_salvage salvage;
    bool is_shared; /* in a shared shelf, PostgreSQL has the authoritative rows */
};

/* All tables, in the order of catalog.sql; the last element has the name NULL. */
extern const struct ps_catalog_table ps_catalog_tables[];
extern const int ps_catalog_layout; /* number of the current layout */

#endif
