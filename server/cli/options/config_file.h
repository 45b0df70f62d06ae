/* SPDX-License-Identifier: MIT */
/*
 * config_file.h: reads the configuration files. settings.h decides which of their values are used.
 *
 * A line is "KEY = VALUE", empty, or a comment that begins with #. A comment may also follow a
 * value, behind a space. A key is the name of an option without its dashes, if the option has
 * is_key (commands.h). Keys whose option may be repeated may be repeated. Paths are absolute or
 * begin with ~/, which is the home folder.
 */
#ifndef PS_CLI_CONFIG_FILE_H
#define PS_CLI_CONFIG_FILE_H

#include "base/err.h"
#include "base/mem.h"

struct ps_option_row;

#define PS_CONFIG_SYSTEM   "/etc/perfshelf/config"
#define PS_CONFIG_VARIABLE "PERFSHELF_CONFIG"

struct ps_config_entry {
    const struct ps_option_row *option; /* the first row with this name */
    const char *value;                  /* never empty */
    unsigned line;                      /* from 1 */
};

enum ps_config_state {
    PS_CONFIG_READ,
    PS_CONFIG_MISSING,
    PS_CONFIG_UNREACHABLE, /* a folder of the path cannot be searched */
};

struct ps_config_file {
    const char *path;
    enum ps_config_state state;
    struct ps_config_entry *entries;
    size_t n;
};

/* Values of an earlier file replace those of a later one. */
struct ps_config {
    struct ps_config_file files[2];
    size_t n;
};

/* Reads the file $PERFSHELF_CONFIG; if that is empty, no file; if it is not set, the files of the
 * user ($XDG_CONFIG_HOME/perfshelf/config, else ~/.config/perfshelf/config) and of the system.
 * Everything is allocated in the arena. The message of a failure begins with FILE:LINE. */
enum ps_status ps_config_read(struct ps_arena *arena, struct ps_config *out, struct ps_err *err);

/* The first value of an option, such as "--server", in a file; NULL: it has none. */
const char *ps_config_value(const struct ps_config_file *file, const char *option);

#endif
