/* SPDX-License-Identifier: MIT */
/*
 * test_shelf.h: a shelf in a temporary folder, for tests that put many odd profiles on one:
 * recognition, importer, run file and its publication, in this process and without a sandbox.
 */
#ifndef PS_TESTS_TEST_SHELF_H
#define PS_TESTS_TEST_SHELF_H

#include "importers/importer.h"
#include "importers/records/run.h"
#include "server/catalog/store.h"

struct test_shelf {
    struct ps_store *store;
    char dir[200];
    uint64_t published; /* so far: each gets an id of its own */
};

/* In $TMPDIR, else /tmp. Aborts when that cannot be. */
void test_shelf_open(struct test_shelf *shelf);
/* Removes the folder; only the process that opened it. */
void test_shelf_close(struct test_shelf *shelf);

/* What an importer said beside its rows. */
struct import_outcome {
    const struct ps_importer *picked; /* NULL: nobody knew the bytes */
    struct ps_ledger ledger;
    bool has_ledger;
    uint64_t last_note; /* greatest offset of a note; 0 without one */
};

/* Reads what lies in fd as an import does, and keeps nothing of it. */
enum ps_status test_shelf_read(int fd, struct import_outcome *said, struct ps_err *err);
/* Imports what lies in fd into a new part, which is the caller's after PS_OK. */
enum ps_status test_shelf_import(struct test_shelf *shelf, int fd, struct import_outcome *said,
                                 struct ps_part **part, struct ps_err *err);
/* Publishes a part, and frees it either way. */
enum ps_status test_shelf_publish(struct test_shelf *shelf, struct ps_part *part, const char *kind,
                                  char id_out[PS_ID_SIZE], struct ps_err *err);

/* A file without a name that holds these bytes; the caller closes it. Aborts without memory. */
int memory_file(struct ps_str bytes);

#endif
