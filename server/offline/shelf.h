/* SPDX-License-Identifier: MIT */
/* shelf.h: a read-only store of files in memory (files.h) instead of a folder: /catalog.db,
 * /runs/<id>.db and /sources/<sha256>, as written by ps_temp_shelf_each_file. */
#ifndef PS_OFFLINE_SHELF_H
#define PS_OFFLINE_SHELF_H

#include "server/catalog/store.h"

/* Opens the store; its files must have been added before. The store is never closed. */
enum ps_status ps_shelf_open(struct ps_store **out, struct ps_err *err);

#endif
