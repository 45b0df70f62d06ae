/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/recorder/recording.h"

#include "base/content.h"
#include "base/file.h"
#include "base/quoted_command.h"
#include "server/cli/cli.h"
#include "server/cli/client/remote_import.h"
#include "server/cli/recorder/serving_recording.h"
#include "server/cli/recorder/time_report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN_NAME_MAX 60

/* --- Labels --- */

static char *clear_controls(char *line)
{
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return line;
}

/* The program and its arguments in one line, with secrets masked: "app.py --fast", "-c 'import
 * json'". */
static char *program_line(struct ps_recording *r)
{
    const struct ps_python_command *command = &r->command;
    if (r->recorder->any_program)
        return clear_controls(ps_arena_printf(&r->arena, "%s", r->typed));
    const bool is_code = command->kind == PS_PROGRAM_CODE;
    PS_AUTO(ps_free_ptr) char *code = is_code ? ps_quote_command(&command->target, 1, true) : NULL;
    PS_AUTO(ps_free_ptr) char *args = ps_quote_command(command->args, command->n_args, true);
    return clear_controls(ps_arena_printf(&r->arena, "%s%s%s%s", is_code ? "-c " : "",
                                          is_code ? code : ps_python_command_name(command),
                                          args[0] ? " " : "", args));
}

/* The line, or at most its first RUN_NAME_MAX bytes, truncated between characters, and "…". */
static const char *run_name(struct ps_recording *r, const char *line)
{
    size_t len = strlen(line);
    if (len <= RUN_NAME_MAX)
        return line;
    for (len = RUN_NAME_MAX; ((unsigned char)line[len] & 0xC0) == 0x80;)
        len--;
    return ps_arena_printf(&r->arena, "%.*s…", (int)len, line);
}

/* Like run_name; if the name was truncated, a hash of the line distinguishes similar
 * command lines. */
static const char *series_name(struct ps_recording *r, const char *line)
{
    const char *name = run_name(r, line);
    char hash[PS_CONTENT_HASH_SIZE];
    struct ps_content_hash content;
    if (name == line)
        return line;
    ps_content_hash_begin(&content);
    ps_content_hash_add(&content, ps_str_from_c(line));
    ps_content_hash_end(&content, hash);
    return ps_arena_printf(&r->arena, "%s %.8s", name, hash);
}

static const char *program_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file name of the profile: "app.prof" for app.py. */
static const char *file_name(struct ps_recording *r)
{
    const char *name = r->recorder->any_program ? program_name(r->words[0])
                                                : ps_python_command_name(&r->command),
               *dot = strrchr(name, '.');
    int len =
        (int)(dot && dot > name && strcmp(dot, ".py") == 0 ? (size_t)(dot - name) : strlen(name));
    return ps_arena_printf(&r->arena, "%.*s%s", len > 100 ? 100 : len, name, r->recorder->ending);
}

static void fill_label(struct ps_recording *r, const struct ps_python_facts *python)
{
    const struct ps_options *options = r->options;
    const char *line = program_line(r);
    ps_record_tags_fill(&r->tags, options->tags, options->n_tags, r->typed, python);
    r->filename = file_name(r);
    r->label.name = options->name ? options->name : run_name(r, line);
    r->label.series = options->series ? options->series
                      : r->in_series  ? series_name(r, line)
                                      : NULL;
    r->label.note = options->note;
    r->label.user_name = ps_cli_login_name();
}

/* --- Preparation --- */

/* Finds the program of a recorder that records any. */
static enum ps_status find_program(struct ps_recording *r, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = ps_find_program(r->words[0]);
    if (!path || access(path, X_OK) != 0)
        return ps_fail(err, PS_NOT_FOUND, "cannot find the program '%s'" PS_HINT "%s", r->words[0],
                       strchr(r->words[0], '/') ? "check that the file exists and is executable"
                                                : "check its name and PATH");
    r->command.path = ps_arena_printf(&r->arena, "%s", path);
    return PS_OK;
}

enum ps_status ps_recording_prepare(struct ps_recording *r, struct ps_err *err)
{
    struct ps_python_facts python = {"", ""};
    r->recorder = ps_recorder_find(r->recorder_name, r->options->memory, err);
    if (!r->recorder)
        return err->code;
    if (r->options->importers && !r->recorder->from_stderr)
        return ps_fail(err, PS_BAD_REQUEST, "--importers works only with the recorder importtime");
    if (r->options->memory && strcmp(r->recorder->name, "torch") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "--memory works only with the recorder torch");
    if (ps_serving_check_options(r->options, r->recorder->is_serving, err) != PS_OK)
        return err->code;
    r->typed = ps_quote_command(r->words, r->n_words, true);
    if (r->recorder->any_program)
        find_program(r, err);
    else if (ps_python_command_read(r->words, r->n_words, &r->command, err) == PS_OK)
        ps_recorder_check(r->recorder, &r->command, &python, err);
    if (err->code == PS_OK && !r->recorder->any_program && r->command.kind == PS_PROGRAM_FILE &&
        access(r->command.target, F_OK) != 0)
        ps_fail_errno(err, "cannot open", r->command.target);
    if (err->code == PS_OK)
        fill_label(r, &python);
    return err->code;
}

enum ps_status ps_recording_open(struct ps_recording *r, struct ps_err *err)
{
    const char *where = getenv("TMPDIR");
    char *folder = ps_arena_printf(&r->arena, "%s/perfshelf-XXXXXX",
                                   where && where[0] == '/' ? where : "/tmp");
    if (!mkdtemp(folder))
        return ps_fail_errno(err, "cannot create", folder);
    r->folder = folder;
    r->file = ps_arena_printf(&r->arena, "%s/%s", folder, r->filename);
    if (r->options->importers)
        r->importers = ps_arena_printf(&r->arena, "%s/importers", folder);
    return PS_OK;
}

/* --- One recording --- */

static enum ps_status run_command(struct ps_recording *r, int fd, int *exit_status,
                                  struct ps_err *err)
{
    PS_AUTO(ps_words_free) struct ps_words words = {0};
    struct ps_child_usage usage = {.real_ns = 0};
    for (size_t i = 0; r->recorder->any_program && i < r->n_words; i++)
        ps_words_add(&words, r->words[i]);
    if (!r->recorder->any_program)
        ps_recorder_add_command(r->recorder, &r->command, r->file, r->typed, &r->arena, &words);
    const struct ps_child child = {
        .path = r->command.path,
        .argv = ps_words_end(&words),
        .import_log = r->recorder->from_stderr ? fd : -1,
        .out_to_stderr = r->out_to_stderr,
        .no_input = r->no_input,
        .drops_output = r->drops_output,
        .usage = &usage,
    };
    if (r->recorder->is_serving)
        return ps_serving_record(r->options, &child, fd, exit_status, &r->arena, &r->filename, err);
    if (ps_child_run(&child, exit_status, err) != PS_OK)
        return err->code;
    r->usage = usage;
    r->real_s = (double)usage.real_ns * 1e-9;
    r->cpu_s = (double)(usage.user_us + usage.system_us) * 1e-6;
    return r->recorder->any_program
               ? ps_time_report_write(fd, r->timed ? r->timed : r->typed, &usage, *exit_status, err)
               : PS_OK;
}

static enum ps_status copy_file(int from, int to, const char *path, struct ps_err *err)
{
    static char block[1 << 16];
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0)
        if (ps_write_all(to, (struct ps_str){block, (size_t)n}, path, err) != PS_OK)
            return err->code;
    return n == 0 ? PS_OK : ps_fail_errno(err, "cannot read", "the profile");
}

/* Appends all importers of each module to the log of a recording. They are recorded by a separate
 * run of the program, since recording them would change the import times. Only the first recording
 * starts this run; --repeat uses its result for all recordings. */
static enum ps_status add_importers(struct ps_recording *r, bool is_first, struct ps_err *err)
{
    PS_AUTO(ps_words_free) struct ps_words words = {0};
    int exit_status = 0;
    ps_recorder_add_importers_command(&r->command, r->importers, &r->arena, &words);
    const struct ps_child child = {
        .path = r->command.path, .argv = ps_words_end(&words), .import_log = -1, .is_silent = true};
    if (is_first && ps_child_run(&child, &exit_status, err) != PS_OK)
        return err->code;
    PS_AUTO(ps_close_fd) int from = open(r->importers, O_RDONLY | O_CLOEXEC);
    PS_AUTO(ps_close_fd) int to = open(r->file, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (from < 0)
        return ps_fail(err, PS_NOT_FOUND,
                       "the second run wrote no list of importers: the program calls os._exit() or "
                       "exec, or was stopped");
    if (to < 0)
        return ps_fail_errno(err, "cannot write", r->file);
    return copy_file(from, to, r->file, err);
}

enum ps_status ps_recording_run(struct ps_recording *r, bool is_first, int *exit_status,
                                struct ps_err *err)
{
    PS_AUTO(ps_close_fd)
    int fd = open(r->file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    struct ps_err note = PS_ERR_INIT;
    if (fd < 0)
        return ps_fail_errno(err, "cannot write", r->file);
    fflush(stdout);
    ps_record_tags_set_load(&r->tags);
    if (run_command(r, fd, exit_status, err) != PS_OK)
        return err->code;
    if (r->importers && !ps_child_interrupted() && add_importers(r, is_first, &note) != PS_OK)
        ps_print_note("record importtime", &note);
    return PS_OK;
}

bool ps_recording_has_profile(const struct ps_recording *r)
{
    struct stat about;
    return stat(r->file, &about) == 0 && about.st_size > 0;
}

/* Imports the profile. Its sources are searched from the current folder. */
int ps_recording_add(struct ps_recording *r, struct ps_client *client,
                     struct ps_imported_runs *runs)
{
    struct ps_err err = PS_ERR_INIT;
    struct stat about;
    PS_AUTO(ps_close_fd) int fd = open(r->file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        ps_fail_errno(&err, "cannot open", r->file);
        return ps_print_failure(r->file, &err);
    }
    struct ps_label label = r->label;
    label.tags = r->tags.tags;
    label.n_tags = r->tags.n;
    const struct ps_import_profile profile = {.fd = fd,
                                              .path = r->filename,
                                              .filename = r->filename,
                                              .provenance = {r->filename, NULL, about.st_mtim}};
    return ps_client_import(client, &label, &profile, r->options->json, runs);
}

enum ps_status ps_recording_copy(const struct ps_recording *r, int fd, const char *path,
                                 struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int from = open(r->file, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return ps_fail_errno(err, "cannot read", r->file);
    return copy_file(from, fd, path, err);
}

void ps_recording_keep(struct ps_recording *r, const char *copy)
{
    struct ps_err note = PS_ERR_INIT;
    r->is_file_kept = !copy;
    ps_fail(&note, PS_IO, "the recording is kept in this file" PS_HINT "`perfshelf add` adds it");
    ps_print_note(copy ? copy : r->file, &note);
}

void ps_recording_print_exit(const char *subject, int exit_status, const char *profile)
{
    struct ps_err note = PS_ERR_INIT;
    if (exit_status == 0 && !ps_child_interrupted())
        return;
    if (ps_child_interrupted())
        ps_fail(&note, PS_CANCELLED, "the command was interrupted; %s", profile);
    else if (exit_status > 128)
        ps_fail(&note, PS_IO, "the command was killed by signal %d; %s", exit_status - 128,
                profile);
    else
        ps_fail(&note, PS_IO, "the command exited with status %d; %s", exit_status, profile);
    ps_print_note(subject, &note);
}

void ps_recording_report_left(void)
{
    PS_AUTO(ps_buf_free) struct ps_buf left = {0};
    struct ps_err note = PS_ERR_INIT;
    if (!ps_child_list_left(&left))
        return;
    ps_fail(&note, PS_IO,
            "the command has ended, but processes that it started still run: %s" PS_HINT
            "`kill PID` ends such a process",
            left.ptr);
    ps_print_note("record", &note);
}

enum ps_status ps_recording_close(struct ps_recording *r, struct ps_err *err)
{
    if (!r->folder)
        return PS_OK;
    if (!r->is_file_kept)
        unlink(r->file);
    if (r->importers)
        unlink(r->importers);
    if (!r->is_file_kept && rmdir(r->folder) != 0) /* the program wrote another file into it */
        ps_fail_errno(err, "cannot remove", r->folder);
    r->folder = NULL;
    return err->code;
}

void ps_recording_free(struct ps_recording *r)
{
    ps_python_command_free(&r->command);
    ps_arena_free(&r->tags.arena);
    ps_arena_free(&r->arena);
    free(r->typed);
}
