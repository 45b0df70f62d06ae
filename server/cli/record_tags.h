/* SPDX-License-Identifier: MIT */
/* record_tags.h: information about a recording, as tags of its run. */
#ifndef PS_CLI_RECORD_ABOUT_H
#define PS_CLI_RECORD_ABOUT_H

#include "base/buf.h"
#include "server/catalog/store.h"

struct ps_record_tags {
    struct ps_tag *tags; /* has space for PS_RECORD_TAGS_MAX further tags */
    size_t n;
    struct ps_arena arena;
};
#define PS_RECORD_TAGS_MAX 6

/*
 * Starts with the tags of the user, which take precedence. Then adds `command` (as typed, with
 * likely secrets masked), `host`, `python` (its version), and in a git checkout `commit`, and
 * `dirty=yes` if tracked files are modified.
 */
void ps_record_tags_fill(struct ps_record_tags *about, const struct ps_tag *given, size_t n_given,
                         const char *typed, const char *python);
/* Sets a tag unless the user has set it. */
void ps_record_tags_set(struct ps_record_tags *about, const char *key, const char *value);
void ps_record_tags_free(struct ps_record_tags *about);

/* The words, quoted for a shell; with `mask`, likely secrets are masked. malloc'ed. */
char *ps_quote_command(const char *const *words, size_t n, bool mask);

#endif
