/* SPDX-License-Identifier: MIT */
/* sources.h: finds the source files of a line-level profile on this machine and attaches them to
 * its run. */
#ifndef PS_CLI_SOURCES_H
#define PS_CLI_SOURCES_H

#include "server/catalog/store.h"

#include <time.h>

/* Origin of a profile, which determines where its sources are searched. */
struct ps_provenance {
    const char *profile;      /* path of the profile; NULL: read from a pipe */
    const char *root;         /* --source-root; NULL: the paths that the profile recorded */
    struct timespec modified; /* of the profile; later sources have changed */
};

/* A measured file whose source the profile does not contain. */
struct ps_wanted_source {
    const char *path; /* path in the profile */
    bool is_attached; /* a source was attached before */
};
/* Attaches the file at fd as `path`; fd remains the caller's. */
typedef enum ps_status ps_attach_source(void *user, const char *path, int fd, bool changed,
                                        struct ps_err *err);

/*
 * Finds and attaches the wanted sources. Below from->root, the recorded path is tried, then ever
 * shorter suffixes of it, and no file outside of the root is read. Without a root, only the
 * recorded path is tried, relative to the folder of the profile and to the current folder, and
 * sources that are attached already are kept. Only regular files that are Python by name or first
 * line are used, since a profile may name any file. Never fails: changed and
 * refused sources, and with a root also missing ones, are reported on stderr as notes.
 */
void ps_cli_attach_files(const struct ps_provenance *from, const struct ps_wanted_source *wanted,
                         size_t n, ps_attach_source *attach, void *user);
/* Like ps_cli_attach_files, for all measured files of a run in the store. */
void ps_cli_attach_sources(struct ps_store *store, const char *run,
                           const struct ps_provenance *from);

#endif
