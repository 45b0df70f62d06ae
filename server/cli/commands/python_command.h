/* SPDX-License-Identifier: MIT */
/* python_command.h: parses a command line that runs a Python program, so that a profiler can be
 * inserted between Python and the program. */
#ifndef PS_CLI_PYTHON_COMMAND_H
#define PS_CLI_PYTHON_COMMAND_H

#include "server/cli/recorder/child.h"

enum ps_program_kind { PS_PROGRAM_FILE, PS_PROGRAM_MODULE, PS_PROGRAM_CODE };

struct ps_python_command {
    const char *python;    /* argv[0] for Python, which finds its installation by that name */
    const char *path;      /* executable file of `python` */
    struct ps_words flags; /* options of Python itself: -X dev */
    enum ps_program_kind kind;
    const char *target;      /* app.py, the module of -m, or the code of -c */
    const char *const *args; /* arguments of the program */
    size_t n_args;
    struct ps_arena arena;
};

/*
 * Parses `python [FLAG...] FILE|-m MODULE|-c CODE ...`, or a script whose first lines name a Python
 * (as installed by pip and uv). PS_NOT_FOUND, PS_BAD_REQUEST with text and hint otherwise. `words`
 * must stay valid as long as `out`. Call ps_python_command_free in any case.
 */
enum ps_status ps_python_command_read(const char *const *words, size_t n,
                                      struct ps_python_command *out, struct ps_err *err);
void ps_python_command_free(struct ps_python_command *command);

/* The name of the program without folders, such as "app.py" or "pytest"; "code" for -c. */
const char *ps_python_command_name(const struct ps_python_command *command);

#endif
