/* SPDX-License-Identifier: MIT */
/* recording.h: records one command with a recorder, any number of times, and adds the profiles to a
 * shelf. The command runs in the current folder. */
#ifndef PS_CLI_RECORDING_H
#define PS_CLI_RECORDING_H

#include "server/cli/commands/import_profile.h"
#include "server/cli/recorder/child.h"
#include "server/cli/recorder/record_tags.h"
#include "server/cli/recorder/recorder.h"

struct ps_client;

struct ps_recording {
    /* Set these before ps_recording_prepare. `options` are the labels. */
    const struct ps_options *options;
    const char *recorder_name;
    const char *const *words; /* the command */
    size_t n_words;
    const char *timed; /* name of what `time` measures; NULL: the command */
    bool in_series;    /* without --series the series is named after the command */
    bool no_input, drops_output, out_to_stderr; /* as of struct ps_child */

    const struct ps_recorder *recorder;
    struct ps_python_command command; /* empty if the recorder records any program */
    char *typed;                      /* the command line, with secrets masked */
    struct ps_label label;
    struct ps_record_tags tags;
    const char *filename; /* "app.prof" */
    /* temporary folder, and the file that the profiler writes */
    char *folder, *file;
    bool is_file_kept;
    char *importers;             /* temporary file for --importers, or NULL */
    double real_s, cpu_s;        /* time of the last command, with its profiler */
    struct ps_child_usage usage; /* all that the last command used */
    struct ps_arena arena;
};

/* Reads the command and checks the recorder, without running the command. Call ps_recording_free in
 * any case. */
enum ps_status ps_recording_prepare(struct ps_recording *recording, struct ps_err *err);
/* Creates the temporary folder. */
enum ps_status ps_recording_open(struct ps_recording *recording, struct ps_err *err);
/* Runs the command once; its profile is in recording->file afterwards. is_first: with --importers,
 * also runs it for the importers. *exit_status: 128 + n after signal n. */
enum ps_status ps_recording_run(struct ps_recording *recording, bool is_first, int *exit_status,
                                struct ps_err *err);
/* Whether the last command wrote a profile. */
bool ps_recording_has_profile(const struct ps_recording *recording);
/* Adds the profile, with the tags of the recording. Returns 0, or 1 after reporting a failure. */
int ps_recording_add(struct ps_recording *recording, struct ps_client *client,
                     struct ps_imported_runs *runs);
/* Copies the profile to another file. */
enum ps_status ps_recording_copy(const struct ps_recording *recording, int fd, const char *path,
                                 struct ps_err *err);
/* Keeps the profile, which was not added, and prints a note that names its file. copy: a file that
 * has the same bytes, so that the temporary one is not needed; or NULL. */
void ps_recording_keep(struct ps_recording *recording, const char *copy);
/* Prints a note that the command failed or was interrupted, and what became of its `profile`. */
void ps_recording_print_exit(const char *subject, int exit_status, const char *profile);
/* Names the processes that still run after the commands, such as a server that one of them started.
 * Call it after the last recording. */
void ps_recording_report_left(void);
/* Removes the temporary folder, unless it has a profile that is kept. PS_OK, or the reason why it
 * is still there. */
enum ps_status ps_recording_close(struct ps_recording *recording, struct ps_err *err);
void ps_recording_free(struct ps_recording *recording);

#endif
