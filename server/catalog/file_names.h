/* SPDX-License-Identifier: MIT */
/*
 * file_names.h: the names that files of a shelf have, and the paths made of them.
 *
 * Names come from databases that others write to, from run files, bundles and URLs. No other code
 * of this folder joins a name to a path: here each is checked against the pattern of its folder
 * first.
 */
#ifndef PS_CATALOG_FILE_NAMES_H
#define PS_CATALOG_FILE_NAMES_H

#include <dirent.h>

#include "server/catalog/store.h"

/* Whether perfshelf gives such a name (without its ending) to a file of this folder: runs, labels,
 * originals, sources, spool or open. Names in other folders are never valid. */
bool ps_file_name_is(const char *folder, const char *name);

/* The path of that file, malloc'ed. PS_NOT_FOUND, with *path_out NULL: no file of the folder can
 * have this name. */
enum ps_status ps_store_path(const struct ps_store *store, const char *folder, const char *name,
                             const char *ending, char **path_out, struct ps_err *err);

/* Paths without a name from elsewhere; malloc'ed. */

/* A folder of the shelf; the path ends with a slash. */
char *ps_store_folder(const struct ps_store *store, const char *folder);
/* An entry that readdir returned for the folder. */
char *ps_store_entry(const struct ps_store *store, const char *folder, const struct dirent *entry);
/* A name that nobody else has: <folder>/<session>-<n><ending>. */
char *ps_store_new_path(struct ps_store *store, const char *folder, const char *ending);
/* A file of the shelf's folder itself, by a name that is a string literal. */
#define ps_store_file(store, name) ps_store_top_file(store, "" name "")
char *ps_store_top_file(const struct ps_store *store, const char *name);

#endif
