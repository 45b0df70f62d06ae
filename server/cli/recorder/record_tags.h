/* SPDX-License-Identifier: MIT */
/* record_tags.h: what is known about a recording, as tags of its run. */
#ifndef PS_CLI_RECORD_TAGS_H
#define PS_CLI_RECORD_TAGS_H

#include "server/catalog/store.h"

#define PS_RECORD_TAGS_MAX 8 /* maximum number of tags besides those of the user */

/* Information about a recording, as tags of its run. */
struct ps_record_tags {
    struct ps_tag *tags; /* array with space for PS_RECORD_TAGS_MAX more tags than the user set */
    size_t n;
    struct ps_arena arena;
};

/* Starts with the tags of the user, which take precedence. Then adds `command` (as typed, with
 * likely secrets masked), `host`, `python` (its version,
 * unless it is empty), and in a git checkout of the current folder `commit`, and
 * `dirty=yes` if tracked files are modified. */
void ps_record_tags_fill(struct ps_record_tags *about, const struct ps_tag *user_tags,
                         size_t n_user_tags, const char *typed, const char *python);
/* Sets a tag unless the user has set it. The strings are not copied. */
void ps_record_tags_set(struct ps_record_tags *about, const char *key, const char *value);

#endif
