/* SPDX-License-Identifier: MIT */
/* blob_files.h: files that are sent to a PostgreSQL, and what is there of them; for its tests. Each
 * asserts that it succeeds. */
#ifndef PS_TEST_BLOB_FILES_H
#define PS_TEST_BLOB_FILES_H

#include "server/replica/blobs.h"

#define MIB ((uint64_t)1 << 20)

struct file {
    int fd;
    uint64_t bytes;
    char hash[PS_CONTENT_HASH_SIZE];
};

/* Bytes that do not repeat, other ones for each seed. Close its fd. */
struct file new_file(uint64_t bytes, uint64_t seed);
enum ps_status send_file(struct ps_pg *pg, const char *session, const char *place,
                         const struct file *file, struct ps_err *err);
enum ps_status add_bytes(void *content, struct ps_str bytes,
                         struct ps_err *err); /* ps_blob_receive */
void expect_bytes(struct ps_pg *pg, const struct file *file);

/* The number that a statement answers with. */
int64_t ask(struct ps_pg *pg, const char *sql);
#define BLOBS(pg)  ask(pg, "SELECT count(*) FROM blob")
#define CHUNKS(pg) ask(pg, "SELECT count(*) FROM chunk")
#define LOOSE(pg)  ask(pg, "SELECT count(*) FROM loose")
void expect_no_blobs(struct ps_pg *pg);

/* A row of kept with this key that refers to the file, or no more. May fail. */
enum ps_status refer(struct ps_pg *pg, const char *key, const struct file *file, bool on);
bool all_are_needed(void *user, const char *session, const char *hash);
bool none_are_needed(void *user, const char *session, const char *hash);
size_t sweep(struct ps_pg *pg, ps_blob_is_needed *lives);

#endif
