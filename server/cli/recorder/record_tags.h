/* SPDX-License-Identifier: MIT */
/* record_tags.h: what is known about a recording, as tags of its run. */
#ifndef PS_CLI_RECORD_TAGS_H
#define PS_CLI_RECORD_TAGS_H

#include "server/catalog/store.h"
#include "server/cli/recorder/machine_facts.h"

#define PS_RECORD_TAGS_MAX 24 /* maximum number of tags besides those of the user */

/* Information about a recording, as tags of its run. */
struct ps_record_tags {
    struct ps_tag *tags; /* array with space for PS_RECORD_TAGS_MAX more tags than the user set */
    size_t n;
    char *load; /* value of the tag load; NULL: the user has set it */
    struct ps_arena arena;
};

/* What a Python says about itself; "" if it is unknown. */
struct ps_python_facts {
    char version[24]; /* "3.12.1" */
    char build[200];  /* "CPython GCC 12.2.0 main Feb  4 2025 14:57:36", then options */
};

/* Starts with the tags of the user, which take precedence. Then adds `command` (as typed, with
 * likely secrets masked), `host`, `python` and `python_build`, in a git checkout of the current
 * folder `commit`, and `dirty=yes` if tracked files are modified; then the facts about the machine
 * for which a run has space. */
void ps_record_tags_fill(struct ps_record_tags *about, const struct ps_tag *user_tags,
                         size_t n_user_tags, const char *typed,
                         const struct ps_python_facts *python);
/* Sets the tag load to that of now. Call it before each recording. */
void ps_record_tags_set_load(struct ps_record_tags *about);
/* Sets a tag unless the user has set it. The strings are not copied. */
void ps_record_tags_set(struct ps_record_tags *about, const char *key, const char *value);

#endif
