/* SPDX-License-Identifier: MIT */
/* python_command.h: a command line that runs a Python program, taken apart so that a tool can be
 * put between Python and the program. */
#ifndef PS_CLI_PYTHON_COMMAND_H
#define PS_CLI_PYTHON_COMMAND_H

#include "server/cli/child.h"

enum ps_program_kind { PS_PROGRAM_FILE, PS_PROGRAM_MODULE, PS_PROGRAM_CODE };

struct ps_python_command {
    const char *python;    /* as it was named: Python finds its own folder by that */
    const char *path;      /* its file */
    struct ps_words flags; /* of Python itself: -X dev */
    enum ps_program_kind kind;
    const char *target;      /* app.py, or the module of -m, or the text of -c */
    const char *const *args; /* of the program */
    size_t n_args;
    struct ps_arena arena;
};

/*
 * Understands `python [FLAG...] FILE|-m MODULE|-c CODE ...`, and a file whose first lines name a
 * Python (what pip and uv install). PS_NOT_FOUND, PS_BAD_REQUEST with text and hint otherwise. The
 * words must outlive `out`, which is valid for ps_python_command_free in any case.
 */
enum ps_status ps_python_command_read(const char *const *words, size_t n,
                                      struct ps_python_command *out, struct ps_err *err);
void ps_python_command_free(struct ps_python_command *command);

/* "app.py", "pytest": what the program is called, without folders. */
const char *ps_python_command_name(const struct ps_python_command *command);

#endif
