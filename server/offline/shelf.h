/* SPDX-License-Identifier: MIT */
/* shelf.h: a store over files in memory (files.h), where server/store has a folder: /catalog.db,
 * /runs/<id>.db and /sources/<sha256>, as ps_private_files shows them. It only reads. */
#ifndef PS_OFFLINE_SHELF_H
#define PS_OFFLINE_SHELF_H

#include "server/catalog/store.h"

/* Once the files are there. It is never closed. */
enum ps_status ps_shelf_open(struct ps_store **out, struct ps_err *err);

#endif
