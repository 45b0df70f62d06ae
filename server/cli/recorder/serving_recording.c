/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/recorder/serving_recording.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/clock.h"
#include "base/hash_table.h"
#include "importers/importer.h"
#include "importers/kinds.h"
#include "importers/records/requests.h"
#include "importers/serving/job.h"
#include "server/cli/cli.h"
#include "server/cli/client/remote_http.h"
#include "server/cli/recorder/changed_files.h"
#include "server/jobs/serving_files.h"

#define SUBJECT        "record serving"
#define START_TIMEOUT  120  /* s */
#define STOP_TIMEOUT   1800 /* s: engines write their traces before they answer */
#define TRACE_WAIT_MS  60000
#define TRACE_PAUSE_MS 500 /* a trace that does not grow for so long is complete */
#define HEAD_MAX       ((uint64_t)64 << 20)

/* A file of the recording. */
struct found_file {
    char *path;
    const char *shown; /* its name in the archive, in the arena */
    uint64_t offset, size;
    int role; /* enum ps_serving_role; -1: a result that is no part of a serving job */
};

struct serving {
    const struct ps_options *options;
    struct ps_buf engine; /* address without what follows the port; empty: none */
    struct ps_folder_state before;
    const char *const *words; /* the command, which may name folders of results */
    struct found_file *files;
    size_t n, cap;
    struct ps_arena *arena;
};

static void serving_free(struct serving *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->files[i].path);
    free(s->files);
    ps_folder_state_free(&s->before);
    ps_buf_free(&s->engine);
}

/* --- Options --- */

enum ps_status ps_serving_check_options(const struct ps_options *options, bool is_serving,
                                        struct ps_err *err)
{
    const struct {
        const char *name, *value;
    } of_serving[] = {{"--engine", options->engine},
                      {"--results", options->results},
                      {"--traces", options->traces},
                      {"--engine-log", options->engine_log}};

    for (size_t i = 0; i < sizeof of_serving / sizeof *of_serving; i++)
        if (of_serving[i].value && !is_serving)
            return ps_fail(err, PS_BAD_REQUEST, "%s works only with the recorder serving",
                           of_serving[i].name);
    if (options->engine && strncmp(options->engine, "http://", 7) != 0 &&
        strncmp(options->engine, "https://", 8) != 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "--engine is an address such as http://127.0.0.1:8000, not '%s'",
                       options->engine);
    if (options->engine_log && access(options->engine_log, R_OK) != 0)
        return ps_fail_errno(err, "cannot read", options->engine_log);
    return PS_OK;
}

/* Clients are given the address of the API, http://HOST:PORT/v1; the profiler is beside it. */
static void set_engine(struct serving *s)
{
    struct ps_str url = ps_str_from_c(s->options->engine ? s->options->engine : "");

    while (ps_str_ends_with(url, PS_STR("/")))
        url.len--;
    if (ps_str_ends_with(url, PS_STR("/v1")))
        url.len -= 3;
    ps_buf_add_str(&s->engine, url);
    ps_buf_puts(&s->engine, "");
}

/* --- The profiler of the engine --- */

static enum ps_status fail_refused(const struct serving *s, const char *path, long status,
                                   const struct ps_buf *answer, struct ps_err *err)
{
    const size_t shown = answer->len < 120 ? answer->len : 120;
    const size_t line = shown ? strcspn(answer->ptr, "\r\n") : 0;

    if (status == 404 || status == 405)
        return ps_fail(err, PS_NOT_FOUND,
                       "the engine at %s has no profiler: it answered %ld to POST %s" PS_HINT
                       "start vLLM with --profiler-config '{\"profiler\": \"torch\", "
                       "\"torch_profiler_dir\": \"DIR\"}', or SGLang with "
                       "SGLANG_TORCH_PROFILER_DIR=DIR",
                       s->engine.ptr, status, path);
    return ps_fail(err, PS_IO, "the engine at %s answered %ld to POST %s%s%.*s", s->engine.ptr,
                   status, path, line ? ": " : "", (int)(line < shown ? line : shown),
                   shown ? answer->ptr : "");
}

static enum ps_status post(const struct serving *s, const char *path, long timeout_s,
                           struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf url = {0}, answer = {0};
    struct ps_err failure = PS_ERR_INIT;
    long status = 0;

    ps_buf_printf(&url, "%s%s", s->engine.ptr, path);
    if (ps_remote_post(url.ptr, timeout_s, &status, &answer, &failure) != PS_OK)
        return ps_fail(
            err, failure.code, "no answer to POST %s: %s" PS_HINT "%s", url.ptr, failure.text,
            failure.hint[0] ? failure.hint : "start the engine first, and check --engine");
    ps_buf_puts(&answer, "");
    return status / 100 == 2 ? PS_OK : fail_refused(s, path, status, &answer, err);
}

/* Returns whether it was stopped; a failure is a note. */
static bool stop_profiler(const struct serving *s)
{
    struct ps_err failure = PS_ERR_INIT, note = PS_ERR_INIT;

    if (post(s, "/stop_profile", STOP_TIMEOUT, &failure) == PS_OK)
        return true;
    ps_fail(&note, failure.code,
            "the profiler of the engine may still run: %s" PS_HINT
            "`curl -X POST %s/stop_profile` stops it",
            failure.text, s->engine.ptr);
    ps_print_note(SUBJECT, &note);
    return false;
}

/* --- Files --- */

/* The file at `path` from an offset, decompressed; NULL if it cannot be read. *fd: to close. */
static struct ps_stream *open_content(const char *path, uint64_t offset, int *fd)
{
    const struct ps_stream_limits limits = {.max_inflated = HEAD_MAX};

    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || lseek(*fd, (off_t)offset, SEEK_SET) < 0)
        return NULL;
    return ps_stream_to_utf8(ps_stream_decompress(ps_stream_from_fd(*fd, 0), &limits));
}

/* Whether the file is part of a serving job, or another result of measurements. */
static bool is_of_recording(const char *path, uint64_t offset, int *role)
{
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_stream *in = open_content(path, offset, &fd);
    struct ps_err unknown = PS_ERR_INIT;
    const struct ps_importer *importer = NULL;
    const bool is_known = in && ps_importer_pick(in, &importer, &unknown) == PS_OK;

    ps_stream_free(in);
    *role = ps_serving_facts_of(is_known ? importer : NULL).role;
    return *role >= 0 || (is_known && ps_kind_has(importer->kind, PS_HAS_RESULTS));
}

static void add_file(struct serving *s, const struct ps_file_state *file, uint64_t offset, int role)
{
    const char *path = strncmp(file->path, "./", 2) == 0 ? file->path + 2 : file->path;

    while (*path == '/' || strncmp(path, "../", 3) == 0)
        path += *path == '/' ? 1 : 3;
    PS_RESERVE_ONE(s->files, s->n, s->cap);
    s->files[s->n++] = (struct found_file){.path = ps_strdup(ps_str_from_c(file->path)),
                                           .shown = ps_arena_printf(s->arena, "%s", path),
                                           .offset = offset,
                                           .size = file->size - offset,
                                           .role = role};
}

/* Adds the folders in which results may be: that of --results, else the current one and what the
 * words of the command name, such as --result-dir=DIR. */
static void add_roots(const struct serving *s, struct ps_folder_state *state)
{
    if (s->options->results)
        ps_folder_state_add(state, s->options->results);
    else
        ps_folder_state_add(state, ".");
    for (size_t i = 1; !s->options->results && s->words[i]; i++) {
        const char *value = strchr(s->words[i], '=');

        value = s->words[i][0] == '-' && value ? value + 1 : s->words[i];
        if (value[0] && value[0] != '-' && strcmp(value, ".") != 0)
            ps_folder_state_add(state, value);
    }
    if (s->options->traces)
        ps_folder_state_add(state, s->options->traces);
}

static void note_cut(const struct ps_folder_state *state)
{
    struct ps_err note = PS_ERR_INIT;

    if (!state->is_cut)
        return;
    ps_fail(&note, PS_LIMIT,
            "more than %d files: the others are not searched for results" PS_HINT
            "name the folder of the client with --results DIR",
            PS_CHANGED_MAX);
    ps_print_note(SUBJECT, &note);
}

/* Replaces the list of files by those that have changed since the start. */
static void find_files(struct serving *s)
{
    PS_AUTO(ps_folder_state_free) struct ps_folder_state now = {0};

    for (size_t i = 0; i < s->n; i++)
        free(s->files[i].path);
    s->n = 0;
    add_roots(s, &now);
    ps_folder_state_sort(&now);
    for (size_t i = 0; i < now.n; i++) {
        uint64_t offset;
        int role;

        if (ps_file_has_changed(&s->before, &now.items[i], &offset) &&
            is_of_recording(now.items[i].path, offset, &role))
            add_file(s, &now.items[i], offset, role);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct found_file *)a)->shown, ((const struct found_file *)b)->shown);
}

static uint64_t size_of_traces(const struct serving *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += s->files[i].role == PS_SERVING_TRACE ? s->files[i].size : 0;
    return sum;
}

/* Engines may write their traces after they answered. Waits until there is one and none grows. */
static void wait_for_traces(struct serving *s)
{
    const int64_t until_ms = ps_monotonic_ms() + TRACE_WAIT_MS;
    struct ps_err note = PS_ERR_INIT;
    uint64_t size, last = 0;

    while ((size = size_of_traces(s)) == 0 || size != last) {
        if (ps_monotonic_ms() >= until_ms)
            break;
        last = size;
        ps_sleep_ms(TRACE_PAUSE_MS);
        find_files(s);
    }
    if (size)
        return;
    ps_fail(&note, PS_NOT_FOUND,
            "the engine wrote no trace into %s" PS_HINT
            "check that this is the folder of its profiler, on this machine",
            s->options->traces);
    ps_print_note(SUBJECT, &note);
}

/* Adds the lines that the log of the engine gained. */
static void add_log(struct serving *s, const struct ps_folder_state *log)
{
    PS_AUTO(ps_folder_state_free) struct ps_folder_state now = {0};
    struct ps_err note = PS_ERR_INIT;
    uint64_t offset;
    int role;

    if (!s->options->engine_log)
        return;
    ps_folder_state_add(&now, s->options->engine_log);
    if (now.n && ps_file_has_changed(log, &now.items[0], &offset) &&
        is_of_recording(s->options->engine_log, offset, &role)) {
        for (size_t i = 0; i < s->n; i++) /* the current folder may have the log too */
            if (strcmp(s->files[i].path, now.items[0].path) == 0)
                return;
        add_file(s, &now.items[0], offset, role);
        return;
    }
    ps_fail(&note, PS_NOT_FOUND,
            "%s gained no lines about iterations" PS_HINT
            "vLLM logs them with --enable-logging-iteration-details, SGLang with "
            "--decode-log-interval 1",
            s->options->engine_log);
    ps_print_note(SUBJECT, &note);
}

/* --- Output --- */

static enum ps_status open_part(const struct found_file *file, int *fd, struct ps_stream **in,
                                struct ps_err *err)
{
    *fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || lseek(*fd, (off_t)file->offset, SEEK_SET) < 0)
        return ps_fail_errno(err, "cannot read", file->path);
    *in = ps_stream_from_fd(*fd, file->size);
    return PS_OK;
}

/* The folder that makes the archive one serving job; "": its files are runs of their own. */
static const char *find_job_folder(const struct serving *s)
{
    size_t n[PS_SERVING_TRACE + 1] = {0};

    for (size_t i = 0; i < s->n; i++) {
        if (s->files[i].role < 0)
            return "";
        n[s->files[i].role]++;
    }
    return n[PS_SERVING_CLIENT] + n[PS_SERVING_ENGINE] == 0 ? ""
           : n[PS_SERVING_TRACE]                            ? PS_SERVING_TRACE_FOLDER
                                                            : PS_SERVING_FOLDER;
}

static enum ps_status write_files(const struct serving *s, int fd, struct ps_err *err)
{
    const char *folder = find_job_folder(s);
    struct ps_archive_writer *tar = s->n > 1 ? ps_archive_writer_new(fd) : NULL;

    for (size_t i = 0; i < s->n && err->code == PS_OK; i++) {
        PS_AUTO(ps_close_fd) int part = -1;
        struct ps_stream *in = NULL;

        if (open_part(&s->files[i], &part, &in, err) == PS_OK && tar)
            ps_archive_writer_add(tar, ps_arena_printf(s->arena, "%s%s", folder, s->files[i].shown),
                                  s->files[i].size, in, err);
        else if (in)
            ps_stream_spool(in, fd, err);
        ps_stream_free(in);
    }
    if (tar)
        ps_archive_writer_end(tar, err);
    return err->code;
}

static bool has_result(const struct serving *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->files[i].role != PS_SERVING_TRACE && s->files[i].role != PS_SERVING_ENGINE)
            return true;
    return false;
}

/* Fails if there is no file, and notes that only those of the engine are there. */
static enum ps_status check_found(const struct serving *s, const struct ps_folder_state *searched,
                                  struct ps_err *err)
{
    static const char hint[] = "name its folder with --results DIR, and let it write a file: "
                               "vllm bench serve --save-result --save-detailed, "
                               "sglang.bench_serving --output-file FILE --output-details, "
                               "aiperf profile --export-level records";
    const char *where = s->options->results ? s->options->results : "the current folder";
    struct ps_err note = PS_ERR_INIT;

    if (has_result(s))
        return PS_OK;
    note_cut(searched);
    if (!s->n)
        return ps_fail(err, PS_NOT_FOUND,
                       "the client wrote no result that perfshelf reads into %s" PS_HINT "%s",
                       where, hint);
    ps_fail(&note, PS_NOT_FOUND, "the client wrote no result into %s" PS_HINT "%s", where, hint);
    ps_print_note(SUBJECT, &note);
    return PS_OK;
}

enum ps_status ps_serving_record(const struct ps_options *options, const struct ps_child *client,
                                 int fd, int *exit_status, struct ps_arena *arena,
                                 const char **name, struct ps_err *err)
{
    PS_AUTO(serving_free)
    struct serving s = {.options = options, .words = client->argv, .arena = arena};
    PS_AUTO(ps_folder_state_free) struct ps_folder_state log = {0};
    bool has_profiler = options->engine != NULL;

    set_engine(&s);
    add_roots(&s, &s.before);
    ps_folder_state_sort(&s.before);
    if (options->engine_log)
        ps_folder_state_add(&log, options->engine_log);
    if (has_profiler && post(&s, "/start_profile", START_TIMEOUT, err) != PS_OK)
        return err->code;
    ps_child_run(client, exit_status, err);
    if (has_profiler)
        has_profiler = stop_profiler(&s);
    if (err->code != PS_OK)
        return err->code;
    find_files(&s);
    if (has_profiler && options->traces)
        wait_for_traces(&s);
    add_log(&s, &log);
    if (check_found(&s, &s.before, err) != PS_OK)
        return err->code;
    qsort(s.files, s.n, sizeof *s.files, by_name); /* of several traces the first rank is read */
    if (s.n == 1) {
        const char *slash = strrchr(s.files[0].shown, '/');

        *name = slash ? slash + 1 : s.files[0].shown;
    }
    return write_files(&s, fd, err);
}
