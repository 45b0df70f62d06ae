/* SPDX-License-Identifier: MIT */
/* record_about.h: what is known of a recording beside its profile, as tags of its run. */
#ifndef PS_CLI_RECORD_ABOUT_H
#define PS_CLI_RECORD_ABOUT_H

#include "base/buf.h"
#include "server/catalog/store.h"

struct ps_about {
    struct ps_tag *tags; /* room for PS_ABOUT_MOST more than were given */
    size_t n;
    struct ps_arena arena;
};
#define PS_ABOUT_MOST 6

/*
 * Begins with the tags that the person gave, of which each wins over ours. Ours: `command` as it
 * was typed with what looks like a secret masked, `host`, `python` (its version), and where the
 * current folder is a git checkout `commit`, with `dirty=yes` when tracked files differ from it.
 */
void ps_about_fill(struct ps_about *about, const struct ps_tag *given, size_t n_given,
                   const char *typed, const char *python);
/* Sets a tag of ours, unless the person gave one of this name. */
void ps_about_set(struct ps_about *about, const char *key, const char *value);
void ps_about_free(struct ps_about *about);

/* The words as a shell takes them; with `mask` without what looks like a secret. malloc'ed. */
char *ps_about_quote(const char *const *words, size_t n, bool mask);

#endif
