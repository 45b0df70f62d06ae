/* SPDX-License-Identifier: MIT */
/* sources.h: the sources that a line-level profile measured, found on this machine and attached to
 * its run. */
#ifndef PS_CLI_SOURCES_H
#define PS_CLI_SOURCES_H

#include "server/catalog/store.h"

#include <time.h>

/* Where a profile came from, and with that where its sources may lie. */
struct ps_provenance {
    const char *profile;     /* its path; NULL: from a pipe */
    const char *root;        /* --source-root; NULL: the paths that the profile recorded */
    struct timespec written; /* a source written later has changed since the profile was made */
};

/* A measured file whose text the profile does not carry. */
struct ps_wanted {
    const char *path; /* as the profile names it */
    bool attached;    /* some text is there already */
};
/* Attaches the file at fd as `path`; fd stays the caller's. */
typedef enum ps_status ps_attach_one(void *user, const char *path, int fd, bool changed,
                                     struct ps_err *err);

/*
 * Finds these files and attaches them. Below `root` the recorded path is looked for, then ever
 * shorter tails of it, and nothing outside of it is read; without `root` the recorded path itself,
 * from the profile's folder and from the current one, and what is attached already stays. Only
 * regular files that are Python by name or first line are taken, since a profile may name any file.
 * Never fails: what is missing, changed or refused is told on stderr as a note.
 */
void ps_cli_attach_all(const struct ps_provenance *from, const struct ps_wanted *wanted, size_t n,
                       ps_attach_one *attach, void *user);
/* The same to a run of the shelf, of all files that it measured. */
void ps_cli_attach(struct ps_store *store, const char *run, const struct ps_provenance *from);

#endif
