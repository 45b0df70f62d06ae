/* SPDX-License-Identifier: MIT */
/*
 * catalog_tables.h: the tables of a catalog, as schema/catalog.sql describes them.
 *
 * schema/catalog_tables.py generates the descriptions from that file, which has the only list of
 * the tables and their columns. Its head explains how to add one. From the descriptions follow: how
 * the catalog of an older perfshelf gets what it lacks, in a folder (layout.c) and in PostgreSQL
 * (server/replica/migrate.c); which tables a PostgreSQL mirrors (server/replica/mirror_rows.c);
 * what a rebuild takes from the old catalog (server/maintenance/rebuild.c), and what a copy of a
 * shelf takes (server/maintenance/transfer.c).
 */
#ifndef PS_CATALOG_CATALOG_TABLES_H
#define PS_CATALOG_CATALOG_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct ps_catalog_column {
    const char *name;
    const char *type; /* of SQLite: INTEGER, REAL or TEXT */
    bool is_nullable;
    int key;              /* its place in the primary key, from 1; 0: it is not part of it */
    int since;            /* the first layout that has it; 0: it has always been there */
    const char *fallback; /* the literal of its DEFAULT; NULL: none */
};

/* What a copy of a shelf takes. */
enum ps_copy {
    PS_COPY_NONE,
    PS_COPY_ROWS,      /* its rows, by the rules of server/maintenance/transfer.c */
    PS_COPY_WITH_RUNS, /* the rows of the runs that are copied */
};

/* What a rebuild takes from the old catalog. */
enum ps_salvage {
    PS_SALVAGE_NONE,     /* nothing: the rows follow from run files and labels, or are not kept */
    PS_SALVAGE_ROWS,     /* all rows that can be read */
    PS_SALVAGE_IF_WHOLE, /* all rows, if the old catalog is not damaged */
};

struct ps_catalog_table {
    const char *name;
    const struct ps_catalog_column *columns;
    size_t n;
    enum ps_copy copy;
    enum ps_salvage salvage;
    bool is_shared; /* servers of one shelf share it, in PostgreSQL */
};

/* In the order of catalog.sql; ends with a table without a name. */
extern const struct ps_catalog_table ps_catalog_tables[];
extern const int ps_catalog_layout; /* the number of the present layout */

#endif
