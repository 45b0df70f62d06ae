/* SPDX-License-Identifier: MIT */
/* recorder.h: the tools that `perfshelf record` knows, and how each is put between a Python and its
 * program. */
#ifndef PS_CLI_RECORDER_H
#define PS_CLI_RECORDER_H

#include "server/cli/python_command.h"

struct ps_recorder {
    const char *name;           /* "cprofile" */
    const char *ending;         /* of the file it writes */
    const char *module;         /* what Python must have, or NULL */
    const char *package;        /* that brings it; NULL: a part of Python */
    const char *launch, *outer; /* texts of launch/; NULL: none needed */
    unsigned least;             /* the first Python that will do, 307 is 3.7 */
    bool from_stderr;           /* the profile is lines of stderr, taken out of it */
    const char *nothing;        /* what to do when it measured nothing, or NULL */
};

/* NULL with err filled: no such tool. */
const struct ps_recorder *ps_recorder_find(const char *name, struct ps_err *err);

/* Asks the Python of the command whether it has what the tool needs: PS_NOT_FOUND with the command
 * that installs it. version_out: "3.12.1". */
enum ps_status ps_recorder_check(const struct ps_recorder *recorder,
                                 const struct ps_python_command *command, char version_out[24],
                                 struct ps_err *err);

/* The words that record the command into the file `out`; `typed` is the command as it was typed.
 * They live in `arena`, and as long as the command. */
void ps_recorder_words(const struct ps_recorder *recorder, const struct ps_python_command *command,
                       const char *out, const char *typed, struct ps_arena *arena,
                       struct ps_words *words);

/* Those that run it once more, to write into the file `out` who imports what (launch/importers.py).
 */
void ps_recorder_importer_words(const struct ps_python_command *command, const char *out,
                                struct ps_arena *arena, struct ps_words *words);

#endif
