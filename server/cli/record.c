/* SPDX-License-Identifier: MIT */
/* record.c: runs a Python program with a profiler and adds the profile to the shelf. */
#define _POSIX_C_SOURCE 200809L
#include "base/buf.h"
#include "base/content.h"
#include "base/file.h"
#include "base/secret.h"
#include "server/catalog/store.h"
#include "server/cli/browser.h"
#include "server/cli/child.h"
#include "server/cli/cli.h"
#include "server/cli/conclusion.h"
#include "server/cli/import_profile.h"
#include "server/cli/open.h"
#include "server/cli/option_values.h"
#include "server/cli/options.h"
#include "server/cli/out_file.h"
#include "server/cli/progress.h"
#include "server/cli/recorder.h"
#include "server/cli/remote_import.h"
#include "server/cli/runs.h"
#include "server/cli/server_record.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN_NAME_MAX 60
#define TAGS_MAX     6
#define ELLIPSIS     "..."
#define COMMAND_MAX                                                                                \
    (PS_LABEL_MAX - sizeof ELLIPSIS + 1) /* bytes before ELLIPSIS in a truncated tag */
#define MASK "(masked)"

/* --- Masked command --- */

static void add_quoted(struct ps_buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        ps_buf_puts(out, word);
        return;
    }
    ps_buf_puts(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            ps_buf_puts(out, "'\\''");
        else
            ps_buf_add(out, word, 1);
    ps_buf_puts(out, "'");
}

/* Whether a word contains "scheme://user:password@host". */
static bool has_password(const char *word)
{
    const char *name = strstr(word, "://"), *at;
    if (!name)
        return false;
    name += 3;
    at = memchr(name, '@', strcspn(name, "/?#"));
    return at && memchr(name, ':', (size_t)(at - name));
}

/* Appends a word with secrets masked: the value in "--api-key=abc", a word after "--api-key", and
 * anything that has the form of a token. */
static void add_masked(struct ps_buf *out, const char *before, const char *word)
{
    struct ps_str all = ps_str_from_c(word);
    size_t name = strcspn(word, "=:"); /* the colon is for "Authorization: ..." */
    struct ps_str value = ps_str_skip(all, name < all.len ? name + 1 : name);
    bool follows_secret_option = before[0] == '-' && !strchr(before, '=') && word[0] != '-' &&
                                 ps_is_secret_name(ps_str_from_c(before + strspn(before, "-")));
    if (follows_secret_option || ps_is_token(all) || has_password(word)) {
        ps_buf_puts(out, MASK);
    } else if (value.len &&
               (ps_is_token(value) || ps_is_secret_name((struct ps_str){
                                          word + strspn(word, "-"), name - strspn(word, "-")}))) {
        ps_buf_add(out, word, name + 1);
        ps_buf_puts(out, MASK);
    } else {
        add_quoted(out, word);
    }
}

/* The words as one line, quoted for a shell; with `mask`, likely secrets are masked. malloc'ed. */
static char *quote_command(const char *const *words, size_t n, bool mask)
{
    struct ps_buf out = {0};
    for (size_t i = 0; i < n; i++) {
        if (i)
            ps_buf_puts(&out, " ");
        if (mask)
            add_masked(&out, i ? words[i - 1] : "", words[i]);
        else
            add_quoted(&out, words[i]);
    }
    return out.ptr ? out.ptr : ps_strdup((struct ps_str){"", 0});
}

/* --- Tags --- */

/* Information about a recording, as tags of its run. */
struct record_tags {
    struct ps_tag *tags; /* array with space for TAGS_MAX more tags than the user set */
    size_t n;
    struct ps_arena arena;
};

/* Sets a tag unless the user has set it. */
static void set_tag(struct record_tags *about, const char *key, const char *value)
{
    for (size_t i = 0; i < about->n; i++)
        if (strcmp(about->tags[i].key, key) == 0)
            return;
    about->tags[about->n++] = (struct ps_tag){key, value};
}

/* The first line of the output of git; NULL if git fails or is missing, or the folder is not a
 * checkout. */
static char *run_git(struct ps_arena *arena, const char *const *words)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_free_ptr) char *git = ps_find_program("git");
    int status = 1;
    if (!git || ps_child_capture(git, words, true, &out, &status, PS_ERR_IGNORED) != PS_OK ||
        status != 0)
        return NULL;
    size_t len = out.len ? strcspn(out.ptr, "\n") : 0;
    return ps_arena_printf(arena, "%.*s", (int)len, out.len ? out.ptr : "");
}

static void add_checkout(struct record_tags *about)
{
    static const char *const head[] = {"git", "rev-parse", "--verify", "-q", "HEAD", NULL};
    static const char *const changes[] = {"git",         "--no-optional-locks",  "status",
                                          "--porcelain", "--untracked-files=no", NULL};
    char *commit = run_git(&about->arena, head);
    if (!commit || !commit[0])
        return;
    set_tag(about, "commit", commit);
    char *changed = run_git(&about->arena, changes);
    if (changed && changed[0])
        set_tag(about, "dirty", "yes");
}

/* A copy of the text. If it is longer than PS_LABEL_MAX bytes, it is truncated between characters
 * and ends with ELLIPSIS. */
static char *shorten_text(struct ps_arena *arena, const char *text)
{
    size_t len = strlen(text), most = COMMAND_MAX;
    if (len <= PS_LABEL_MAX)
        return ps_arena_printf(arena, "%s", text);
    while (most && ((unsigned char)text[most] & 0xC0) == 0x80)
        most--;
    return ps_arena_printf(arena, "%.*s" ELLIPSIS, (int)most, text);
}

/* Starts with the tags of the user, which take precedence. Then adds `command` (as typed, with
 * likely secrets masked), `host`, `python` (its version), and in a git checkout `commit`, and
 * `dirty=yes` if tracked files are modified. */
static void fill_tags(struct record_tags *about, const struct ps_tag *user_tags, size_t n_user_tags,
                      const char *typed, const char *python)
{
    char host[256] = "";
    about->tags = ps_arena_alloc(&about->arena, (n_user_tags + TAGS_MAX) * sizeof *about->tags);
    if (n_user_tags)
        memcpy(about->tags, user_tags, n_user_tags * sizeof *user_tags);
    about->n = n_user_tags;
    set_tag(about, "command", shorten_text(&about->arena, typed));
    if (gethostname(host, sizeof host - 1) == 0 && host[0])
        set_tag(about, "host", ps_arena_printf(&about->arena, "%s", host));
    set_tag(about, "python", ps_arena_printf(&about->arena, "%s", python));
    add_checkout(about);
}

struct recording {
    const struct ps_options *options;
    const struct ps_recorder *recorder;
    struct ps_python_command command;
    char *subject; /* subject of messages: "record cprofile" */
    char *typed;   /* the command line, with secrets masked */
    char version[24];
    unsigned repeat;
    struct ps_client *client;
    struct ps_label label;
    struct record_tags tags;
    const char *filename; /* "app.prof" */
    /* temporary folder, and the file that the profiler writes; deleted at the end */
    char *folder, *file;
    char *importers; /* temporary file for --importers, or NULL */
    struct ps_imported_runs imported_runs;
    struct ps_arena arena;
};

/* --- Preparation --- */

/* The program and its arguments in one line, with secrets masked: "app.py --fast", "-c 'import
 * json'". */
static char *program_line(struct recording *r)
{
    const struct ps_python_command *command = &r->command;
    const bool is_code = command->kind == PS_PROGRAM_CODE;
    PS_AUTO(ps_free_ptr) char *code = is_code ? quote_command(&command->target, 1, true) : NULL;
    PS_AUTO(ps_free_ptr) char *args = quote_command(command->args, command->n_args, true);
    char *line =
        ps_arena_printf(&r->arena, "%s%s%s%s", is_code ? "-c " : "",
                        is_code ? code : ps_python_command_name(command), args[0] ? " " : "", args);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return line;
}

/* The line, or at most its first RUN_NAME_MAX bytes, truncated between characters, and "…". */
static const char *run_name(struct recording *r, const char *line)
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
static const char *series_name(struct recording *r, const char *line)
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

/* The file name of the profile: "app.prof" for app.py. */
static const char *file_name(struct recording *r)
{
    const char *name = ps_python_command_name(&r->command), *dot = strrchr(name, '.');
    int len =
        (int)(dot && dot > name && strcmp(dot, ".py") == 0 ? (size_t)(dot - name) : strlen(name));
    return ps_arena_printf(&r->arena, "%.*s%s", len > 100 ? 100 : len, name, r->recorder->ending);
}

static void fill_label(struct recording *r)
{
    const struct ps_options *options = r->options;
    const char *line = program_line(r);
    fill_tags(&r->tags, options->tags, options->n_tags, r->typed, r->version);
    r->filename = file_name(r);
    r->label.name = options->name ? options->name : run_name(r, line);
    r->label.series = options->series ? options->series
                      : r->repeat > 1 ? series_name(r, line)
                                      : NULL;
    r->label.note = options->note;
    r->label.user_name = ps_cli_login_name();
}

/* The file name of recording `i` (from 1) for -o: "out.prof", or "out.3.prof" for the third of
 * several recordings. */
static const char *output_name(struct recording *r, unsigned i)
{
    const char *out = r->options->output, *slash = strrchr(out, '/');
    const char *dot = strrchr(slash ? slash + 1 : out, '.');
    size_t len = dot && dot > out && dot[-1] != '/' ? (size_t)(dot - out) : strlen(out);
    if (r->repeat == 1)
        return out;
    return ps_arena_printf(&r->arena, "%.*s.%u%s", (int)len, out, i, out + len);
}

/* Checks -o before the program runs, which may take hours. */
static enum ps_status check_output(struct recording *r, struct ps_err *err)
{
    if (!r->options->output)
        return PS_OK;
    if (strcmp(r->options->output, "-") == 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "-o - is not possible: standard output belongs to the program" PS_HINT
                       "name a file");
    for (unsigned i = 1; err->code == PS_OK && i <= r->repeat; i++)
        ps_out_file_check(output_name(r, i), r->options->force, err);
    return err->code;
}

static enum ps_status prepare_recording(struct recording *r, struct ps_err *err)
{
    const struct ps_options *options = r->options;
    int64_t repeat;
    r->subject = ps_arena_printf(&r->arena, "record %s", options->operands[0]);
    r->recorder = ps_recorder_find(options->operands[0], err);
    if (r->recorder && options->importers && !r->recorder->from_stderr)
        return ps_fail(err, PS_BAD_REQUEST, "--importers works only with the recorder importtime");
    if (!r->recorder ||
        ps_options_parse_count("--repeat", options->repeat, PS_REPEAT_MAX, &repeat, err) != PS_OK)
        return err->code;
    r->repeat = repeat ? (unsigned)repeat : 1;
    r->typed = quote_command(options->operands + 1, options->n_operands - 1, true);
    if (ps_python_command_read(options->operands + 1, options->n_operands - 1, &r->command, err) !=
            PS_OK ||
        check_output(r, err) != PS_OK ||
        ps_recorder_check(r->recorder, &r->command, r->version, err) != PS_OK)
        return err->code;
    fill_label(r);
    return PS_OK;
}

static enum ps_status make_folder(struct recording *r, struct ps_err *err)
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

static enum ps_status run_program(struct recording *r, int fd, int *exit_status, struct ps_err *err)
{
    PS_AUTO(ps_words_free) struct ps_words words = {0};
    ps_recorder_add_command(r->recorder, &r->command, r->file, r->typed, &r->arena, &words);
    const struct ps_child child = {
        .path = r->command.path,
        .argv = ps_words_end(&words),
        .import_log = r->recorder->from_stderr ? fd : -1,
        .out_to_stderr = r->options->json,
    };
    return ps_child_run(&child, exit_status, err);
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

/* Appends all importers of each module to the log of recording `i`. They are recorded by a separate
 * run of the program, since recording them would change the import times. Only the first recording
 * starts this run; --repeat uses its result for all recordings. */
static enum ps_status add_importers(struct recording *r, unsigned i, struct ps_err *err)
{
    PS_AUTO(ps_words_free) struct ps_words words = {0};
    int exit_status = 0;
    ps_recorder_add_importers_command(&r->command, r->importers, &r->arena, &words);
    const struct ps_child child = {
        .path = r->command.path, .argv = ps_words_end(&words), .import_log = -1, .is_silent = true};
    if (i == 1 && ps_child_run(&child, &exit_status, err) != PS_OK)
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

/* Copies the profile to the file of -o. */
static enum ps_status copy_to_output(struct recording *r, unsigned i, struct ps_err *err)
{
    if (!r->options->output)
        return PS_OK;
    PS_AUTO(ps_close_fd) int from = open(r->file, O_RDONLY | O_CLOEXEC);
    PS_AUTO(ps_out_file_close) struct ps_out_file out = PS_OUT_FILE_INIT;
    if (from < 0)
        return ps_fail_errno(err, "cannot read", r->file);
    if (ps_out_file_open(output_name(r, i), r->options->force, &out, err) != PS_OK ||
        copy_file(from, out.fd, out.path, err) != PS_OK)
        return err->code;
    return ps_out_file_commit(&out, err);
}

/* Prints a note about the exit status if the program failed. */
static void report_exit(const struct recording *r, int exit_status, const char *profile)
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
    ps_print_note(r->subject, &note);
}

static int fail_no_profile(const struct recording *r, int exit_status)
{
    struct ps_err err = PS_ERR_INIT;
    report_exit(r, exit_status, "it wrote no profile");
    if (exit_status != 0)
        return exit_status;
    ps_fail(&err, PS_NOT_FOUND,
            "the command wrote no profile" PS_HINT
            "a program that calls os._exit() or exec ends before its profile is written");
    return ps_print_failure(r->subject, &err);
}

/* Imports the profile. Its sources are searched from the current folder. */
static int add_to_shelf(struct recording *r, unsigned i)
{
    struct ps_err err = PS_ERR_INIT;
    struct stat about;
    PS_AUTO(ps_close_fd) int fd = open(r->file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        ps_fail_errno(&err, "cannot open", r->file);
        return ps_print_failure(r->subject, &err);
    }
    struct ps_label label = r->label;
    if (r->repeat > 1)
        set_tag(&r->tags, "repeat", ps_arena_printf(&r->arena, "%u/%u", i, r->repeat));
    label.tags = r->tags.tags;
    label.n_tags = r->tags.n;
    const struct ps_import_profile profile = {.fd = fd,
                                              .path = r->filename,
                                              .filename = r->filename,
                                              .provenance = {r->filename, NULL, about.st_mtim}};
    return ps_client_import(r->client, &label, &profile, r->options->json, &r->imported_runs);
}

static int store_profile(struct recording *r, unsigned i, int exit_status)
{
    struct ps_err err = PS_ERR_INIT;
    struct stat about;
    if (stat(r->file, &about) != 0 || about.st_size == 0)
        return fail_no_profile(r, exit_status);
    int status = copy_to_output(r, i, &err) == PS_OK ? 0 : ps_print_failure(r->subject, &err);
    ps_progress_catch_interrupts();
    size_t n_tags = r->tags.n;
    bool is_stored = add_to_shelf(r, i) == 0;
    r->tags.n = n_tags;
    report_exit(r, exit_status,
                is_stored ? "its profile is on the shelf" : "its profile cannot be imported");
    return exit_status ? exit_status : is_stored ? status : 1;
}

/* Records once. Returns the exit status of the command or, if the command succeeded, the status of
 * the import. */
static int record_once(struct recording *r, unsigned i)
{
    struct ps_err err = PS_ERR_INIT;
    int exit_status = 0;
    PS_AUTO(ps_close_fd)
    int fd = open(r->file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) {
        ps_fail_errno(&err, "cannot write", r->file);
        return ps_print_failure(r->subject, &err);
    }
    fflush(stdout);
    if (run_program(r, fd, &exit_status, &err) != PS_OK) {
        ps_print_failure(r->subject, &err);
        return exit_status ? exit_status : 1;
    }
    if (r->importers && !ps_child_interrupted() && add_importers(r, i, &err) != PS_OK)
        ps_print_note(r->subject, &err);
    return store_profile(r, i, exit_status);
}

/* --- All recordings --- */

static int record_all(struct recording *r)
{
    int status = 0;
    for (unsigned i = 1; i <= r->repeat && status == 0 && !ps_child_interrupted(); i++)
        status = record_once(r, i);
    return status;
}

/* If no function was measured, prints a note on how to mark one. */
static void report_no_functions(const struct recording *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_run_free) cJSON *sources = NULL;
    struct ps_err note = PS_ERR_INIT, none = PS_ERR_INIT;
    if (!r->recorder->empty_hint || !r->imported_runs.n)
        return;
    ps_buf_printf(&path, "runs/%s/sources", r->imported_runs.id);
    if (ps_client_read(r->client, path.ptr, &sources, &none) != PS_OK ||
        cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(sources, "rows")) > 0)
        return;
    ps_fail(&note, PS_NOT_FOUND, "no function was measured" PS_HINT "%s", r->recorder->empty_hint);
    ps_print_note(r->subject, &note);
}

static int record_to(struct recording *r)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(r->options);
    if (!client)
        return 1;
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};
    r->client = client;
    r->imported_runs.url =
        r->options->json && ps_server_find_url(r->options, &url) ? url.ptr : NULL;
    if (make_folder(r, &err) != PS_OK)
        return ps_print_failure(r->subject, &err);
    int status = record_all(r);
    unlink(r->file);
    if (r->importers)
        unlink(r->importers);
    if (rmdir(r->folder) != 0) { /* the program wrote another file into it */
        ps_fail_errno(&err, "cannot remove", r->folder);
        ps_print_note(r->subject, &err);
    }
    report_no_functions(r);
    ps_cli_print_verdict(client, r->options, &r->imported_runs);
    ps_server_print_url(r->options, &r->imported_runs);
    return status;
}

int ps_cli_record(const struct ps_options *options)
{
    struct recording r = {.options = options};
    struct ps_err err = PS_ERR_INIT;
    int status;
    if (prepare_recording(&r, &err) == PS_OK)
        status = record_to(&r);
    else
        status = ps_print_failure(r.subject, &err) + (err.code == PS_BAD_REQUEST);
    if (options->open && r.imported_runs.n && ps_cli_show_page(options, r.imported_runs.id) != 0 &&
        status == 0)
        status = 1;
    ps_python_command_free(&r.command);
    ps_arena_free(&r.tags.arena);
    ps_arena_free(&r.arena);
    free(r.typed);
    return status;
}
