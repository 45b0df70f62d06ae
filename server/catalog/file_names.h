/* SPDX-License-Identifier: MIT */
/*
 * file_names.h: checks the names of files of a shelf, and builds paths from them.
 *
 * Names come from untrusted sources: shared databases, run files, bundles and URLs. Only this
 * module builds paths from such names. It first checks each name against the pattern of its folder.
 */
#ifndef PS_CATALOG_FILE_NAMES_H
#define PS_CATALOG_FILE_NAMES_H

#include <dirent.h>

#include "server/catalog/store.h"

/* Whether `name` (without its suffix) is a name that perfshelf uses in this folder: runs, labels,
 * originals, sources, spool or open. For other folders no name is valid. */
bool ps_file_name_is_valid(const char *folder, const char *name);

/* Builds the malloc'ed path <folder>/<name><ending>. PS_NOT_FOUND, with *path_out NULL: the name is
 * not valid in this folder. */
enum ps_status ps_store_path(const struct ps_store *store, const char *folder, const char *name,
                             const char *ending, char **path_out, struct ps_err *err);

/* The following paths contain no untrusted names. All are malloc'ed. */

/* Returns the path of a folder of the shelf, with a slash at its end. */
char *ps_store_folder_path(const struct ps_store *store, const char *folder);
/* Returns the path of an entry that readdir returned for the folder. */
char *ps_store_entry_path(const struct ps_store *store, const char *folder,
                          const struct dirent *entry);
/* Returns a new unique path: <folder>/<session>-<n><ending>. */
char *ps_store_new_path(struct ps_store *store, const char *folder, const char *ending);
/* Returns the path of a file in the top folder of the shelf. `name` must be a string literal. */
#define ps_store_file_path(store, name) ps_store_top_path(store, "" name "")
char *ps_store_top_path(const struct ps_store *store, const char *name);

#endif
