/* SPDX-License-Identifier: MIT */
/* demo_shelf.h: a shelf of its own for each test, and demo profiles on it. */
#ifndef PS_TEST_DEMO_SHELF_H
#define PS_TEST_DEMO_SHELF_H

#include "server/catalog/store.h"

/* Set-up and end of a test, whose state is its store, in the folder demo_shelf. */
extern char demo_shelf[64];
int make_demo_shelf(void **state);
int remove_demo_shelf(void **state);

/* A profile of demo/profiles, by mei, recorded on build7. */
void add_demo(struct ps_store *store, const char *file, char id[PS_ID_SIZE]);

#endif
