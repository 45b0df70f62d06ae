/* SPDX-License-Identifier: MIT */
/* recorder.h: the profilers that `perfshelf record` supports, and how each is inserted between
 * Python and its program. */
#ifndef PS_CLI_RECORDER_H
#define PS_CLI_RECORDER_H

#include "server/cli/commands/python_command.h"
#include "server/cli/recorder/record_tags.h"

struct ps_recorder {
    const char *name;           /* "cprofile" */
    const char *ending;         /* extension of the output file */
    const char *module;         /* required Python module, or NULL */
    const char *package;        /* package that contains the module; NULL: the standard library */
    const char *launch, *outer; /* scripts in launch/, outer starts launch; NULL: none */
    unsigned python_min;        /* minimum Python version; 307 is 3.7 */
    bool any_program;           /* records any program, without a profiler; only `name` and `ending`
                                   are set */
    bool is_serving;            /* any program is a client of an engine; it writes the files */
    bool from_stderr;           /* the profile is extracted from stderr */
    const char *empty_hint;     /* hint if no function was measured, or NULL */
};

/* memory: of `torch`, the recorder of memory snapshots. NULL and err if the profiler is unknown. */
const struct ps_recorder *ps_recorder_find(const char *name, bool memory, struct ps_err *err);

/* Checks that the Python of the command has the required module: PS_NOT_FOUND with the command that
 * installs it. out: what the Python says about itself. */
enum ps_status ps_recorder_check(const struct ps_recorder *recorder,
                                 const struct ps_python_command *command,
                                 struct ps_python_facts *out, struct ps_err *err);

/* Appends the command line that records the command into the file `out`; `typed` is the command as
 * typed, with secrets masked. The strings are in `arena` or belong to the command. */
void ps_recorder_add_command(const struct ps_recorder *recorder,
                             const struct ps_python_command *command, const char *out,
                             const char *typed, struct ps_arena *arena, struct ps_words *words);

/* Appends a command line that runs the program once more and writes all importers of each module to
 * the file `out` (launch/importers.py). */
void ps_recorder_add_importers_command(const struct ps_python_command *command, const char *out,
                                       struct ps_arena *arena, struct ps_words *words);

#endif
