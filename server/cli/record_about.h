/* SPDX-License-Identifier: MIT */
/* record_about.h: information about a recording, as tags of its run. */
#ifndef PS_CLI_RECORD_ABOUT_H
#define PS_CLI_RECORD_ABOUT_H

#include "base/buf.h"
#include "server/catalog/store.h"

struct ps_about {
    struct ps_tag *tags; /* has space for PS_ABOUT_MOST further tags */
    size_t n;
    struct ps_arena arena;
};
#define PS_ABOUT_MOST 6

/*
 * Starts with the tags of the user, which take precedence. Then adds `command` (as typed, with
 * likely secrets masked), `host`, `python` (its version), and in a git checkout `commit`, and
 * `dirty=yes` if tracked files are modified.
 */
void ps_about_fill(struct ps_about *about, const struct ps_tag *given, size_t n_given,
                   const char *typed, const char *python);
/* Sets a tag unless the user has set it. */
void ps_about_set(struct ps_about *about, const char *key, const char *value);
void ps_about_free(struct ps_about *about);

/* The words, quoted for a shell; with `mask`, likely secrets are masked. malloc'ed. */
char *ps_about_quote(const char *const *words, size_t n, bool mask);

#endif
