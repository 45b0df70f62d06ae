/* SPDX-License-Identifier: MIT */
/*
 * catalog_tables.h: the tables of a catalog, as schema/catalog.sql describes them.
 *
 * schema/catalog_tables.py generates the descriptions from that file, which has the only list of
 * the tables and their columns. Its header explains how to add one. The descriptions determine: how
 * the catalog of an older perfshelf gets missing tables and columns, in a folder (layout.c) and in
 * PostgreSQL (server/replica/migrate.c); which tables are mirrored from PostgreSQL
 * (server/replica/mirror_rows.c); which rows a rebuild copies from the old catalog
 * (server/maintenance/rebuild.c) and `perfshelf copy` copies to another shelf
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
    int key;              /* position in the primary key, from 1; 0: not part of the key */
    int since_layout;     /* first layout with this column; 0: all layouts have it */
    const char *fallback; /* literal of its DEFAULT; NULL: no default */
};

/* Rows that `perfshelf copy` copies to another shelf. */
enum ps_copy {
    PS_COPY_NONE,
    PS_COPY_ROWS,      /* rows, by the rules of server/maintenance/transfer.c */
    PS_COPY_WITH_RUNS, /* rows of the runs that are copied */
};

/* Rows that a rebuild copies from the old catalog. */
enum ps_salvage {
    PS_SALVAGE_NONE,     /* none: the rows are derived from run files and labels, or are not kept */
    PS_SALVAGE_ROWS,     /* all rows that can be read */
    PS_SALVAGE_IF_WHOLE, /* all rows, if the old catalog is not damaged */
};

struct ps_catalog_table {
    const char *name;
    const struct ps_catalog_column *columns;
    size_t n;
    enum ps_copy copy;
    enum ps_salvage salvage;
    bool is_shared; /* the servers of one shelf share it, in PostgreSQL */
};

/* In the order of catalog.sql; ends with a table without a name. */
extern const struct ps_catalog_table ps_catalog_tables[];
extern const int ps_catalog_layout; /* number of the current layout */

#endif
