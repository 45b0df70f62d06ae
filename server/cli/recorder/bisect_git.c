/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "server/cli/recorder/bisect_git.h"

#include "server/cli/cli.h"
#include "server/cli/recorder/child.h"

#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORDS_MAX     24
#define LISTED        "20" /* commits of a range that are listed */
#define FIRST_BAD     "refs/bisect/bad"
#define BEYOND_GOOD   "--glob=refs/bisect/good-*"
#define OPEN_FOLDERS  16
#define ENOUGH_STATUS 2 /* of `git bisect`: only skipped commits are left */

/* --- Running git --- */

/* Runs git in a folder with the words up to NULL; appends its output. PS_OK if git was started. */
static enum ps_status run_git(struct ps_bisect_git *r, const char *folder, struct ps_buf *out,
                              int *status, struct ps_err *err, ...)
{
    const char *words[WORDS_MAX] = {"git", "-C", folder};
    size_t n = 3;
    va_list args;
    va_start(args, err);
    for (const char *word; n + 1 < WORDS_MAX && (word = va_arg(args, const char *));)
        words[n++] = word;
    va_end(args);
    words[n] = NULL;
    *status = 1;
    return ps_child_capture(r->git, words, true, out, status, err);
}

/* The output of git without its last line break; NULL if git failed. */
static const char *line_of(struct ps_bisect_git *r, const struct ps_buf *out, int status)
{
    size_t len = out->len;
    while (len && out->ptr[len - 1] == '\n')
        len--;
    return status == 0 ? ps_arena_printf(&r->arena, "%.*s", (int)len, len ? out->ptr : "") : NULL;
}

static enum ps_status fail_git(int status, const char *what, const char *where, struct ps_err *err)
{
    if (err->code != PS_OK)
        return err->code;
    if (ps_progress_interrupted()) /* the terminal interrupts git too */
        return ps_fail(err, PS_CANCELLED, "interrupted");
    return ps_fail(err, PS_IO, "`git %s` failed with status %d in %s", what, status, where);
}

/* --- The repository --- */

enum ps_status ps_bisect_git_open(struct ps_bisect_git *r, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf top = {0};
    PS_AUTO(ps_buf_free) struct ps_buf prefix = {0};
    int status;
    /* git must find the repository of each worktree by its folder */
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
    unsetenv("GIT_INDEX_FILE");
    r->git = ps_find_program("git");
    if (!r->git || access(r->git, X_OK) != 0)
        return ps_fail(err, PS_NOT_FOUND, "cannot find git" PS_HINT "install it, or check PATH");
    if (run_git(r, ".", &top, &status, err, "rev-parse", "--show-toplevel", NULL) != PS_OK)
        return err->code;
    r->top = line_of(r, &top, status);
    if (!r->top || !r->top[0])
        return ps_fail(err, PS_NOT_FOUND,
                       "the current folder is not in a checkout of git" PS_HINT
                       "run bisect in the checkout of the program");
    if (run_git(r, ".", &prefix, &status, err, "rev-parse", "--show-prefix", NULL) != PS_OK)
        return err->code;
    r->prefix = line_of(r, &prefix, status);
    return r->prefix ? PS_OK : fail_git(status, "rev-parse", r->top, err);
}

enum ps_status ps_bisect_git_resolve(struct ps_bisect_git *r, const char *what, const char *name,
                                     const char **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf commit = {0};
    int status;
    ps_buf_printf(&commit, "%s^{commit}", name);
    if (run_git(r, r->top, &text, &status, err, "rev-parse", "--verify", "-q", "--end-of-options",
                commit.ptr, NULL) != PS_OK)
        return err->code;
    *out = line_of(r, &text, status);
    return *out ? PS_OK
                : ps_fail(err, PS_NOT_FOUND,
                          "%s: no commit '%s' in this repository" PS_HINT
                          "check the name, or fetch the history that lacks it",
                          what, name);
}

static enum ps_status check_ancestor(struct ps_bisect_git *r, const char *good, const char *bad,
                                     struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    int status;
    if (strcmp(good, bad) == 0)
        return ps_fail(err, PS_BAD_REQUEST, "both ends are the commit %.12s", good);
    if (run_git(r, r->top, &text, &status, err, "merge-base", "--is-ancestor", good, bad, NULL) !=
        PS_OK)
        return err->code;
    return status == 0 ? PS_OK
                       : ps_fail(err, PS_BAD_REQUEST,
                                 "the good commit %.12s is not an ancestor of the bad one, "
                                 "%.12s" PS_HINT "name both with --good and --bad",
                                 good, bad);
}

static enum ps_status add_worktree(struct ps_bisect_git *r, const char *name, const char *commit,
                                   const char **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    int status;
    *out = ps_arena_printf(&r->arena, "%s/%s", r->root, name);
    run_git(r, r->top, &text, &status, err, "worktree", "add", "-q", "--detach", *out, commit,
            NULL);
    return err->code == PS_OK && status == 0 ? PS_OK
                                             : fail_git(status, "worktree add", r->top, err);
}

enum ps_status ps_bisect_git_begin(struct ps_bisect_git *r, const char *good, const char *bad,
                                   struct ps_err *err)
{
    const char *where = getenv("TMPDIR");
    if (check_ancestor(r, good, bad, err) != PS_OK)
        return err->code;
    char *root = ps_arena_printf(&r->arena, "%s/perfshelf-XXXXXX",
                                 where && where[0] == '/' ? where : "/tmp");
    if (!mkdtemp(root))
        return ps_fail_errno(err, "cannot create", root);
    r->root = root;
    if (add_worktree(r, "base", good, &r->base, err) == PS_OK)
        add_worktree(r, "test", bad, &r->test, err);
    return err->code;
}

enum ps_status ps_bisect_git_checkout(struct ps_bisect_git *r, const char *worktree,
                                      const char *commit, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    int status;
    run_git(r, worktree, &text, &status, err, "checkout", "-q", "--force", "--detach", commit,
            NULL);
    return err->code == PS_OK && status == 0 ? PS_OK : fail_git(status, "checkout", worktree, err);
}

/* --- The bisection --- */

/* Reads the state of the bisection. status: exit status of the last `git bisect`. */
static enum ps_status read_state(struct ps_bisect_git *r, int status, enum ps_bisect_state *state,
                                 const char **commit, struct ps_err *err)
{
    int64_t n;
    if (ps_bisect_git_candidates(r, &n, NULL, err) != PS_OK)
        return err->code;
    *state = n == 1                    ? PS_BISECT_FOUND
             : status == ENOUGH_STATUS ? PS_BISECT_ONLY_SKIPPED
                                       : PS_BISECT_NEXT;
    if (status != 0 && *state == PS_BISECT_NEXT)
        return fail_git(status, "bisect", r->test, err);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    if (run_git(r, r->test, &text, &status, err, "rev-parse", "--verify", "-q",
                *state == PS_BISECT_FOUND ? FIRST_BAD : "HEAD", NULL) != PS_OK)
        return err->code;
    *commit = line_of(r, &text, status);
    return *commit ? PS_OK : fail_git(status, "rev-parse", r->test, err);
}

enum ps_status ps_bisect_git_start(struct ps_bisect_git *r, const char *good, const char *bad,
                                   enum ps_bisect_state *state, const char **commit,
                                   struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    int status;
    if (ps_bisect_git_checkout(r, r->test, bad, err) != PS_OK ||
        run_git(r, r->test, &text, &status, err, "bisect", "start", bad, good, NULL) != PS_OK)
        return err->code;
    return read_state(r, status, state, commit, err);
}

enum ps_status ps_bisect_git_judge(struct ps_bisect_git *r, enum ps_bisect_verdict verdict,
                                   enum ps_bisect_state *state, const char **commit,
                                   struct ps_err *err)
{
    static const char *const words[] = {"good", "bad", "skip"};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    int status;
    /* a build may have changed files of the repository, which would block the next checkout */
    if (run_git(r, r->test, &text, &status, err, "reset", "-q", "--hard", NULL) != PS_OK ||
        run_git(r, r->test, &text, &status, err, "bisect", words[verdict], NULL) != PS_OK)
        return err->code;
    return read_state(r, status, state, commit, err);
}

enum ps_status ps_bisect_git_candidates(struct ps_bisect_git *r, int64_t *n, struct ps_buf *lines,
                                        struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    int status;
    if (run_git(r, r->test, &text, &status, err, "rev-list", "--count", FIRST_BAD, "--not",
                BEYOND_GOOD, NULL) != PS_OK)
        return err->code;
    const char *count = line_of(r, &text, status);
    if (!count || !ps_str_parse_i64(ps_str_from_c(count), n))
        return fail_git(status, "rev-list", r->test, err);
    if (lines)
        return run_git(r, r->test, lines, &status, err, "rev-list", "-n", LISTED, FIRST_BAD,
                       "--not", BEYOND_GOOD, NULL);
    return PS_OK;
}

const char *ps_bisect_git_about(struct ps_bisect_git *r, const char *commit, const char *format)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_err none = PS_ERR_INIT;
    int status;
    const char *option = ps_arena_printf(&r->arena, "--format=%s", format);
    if (run_git(r, r->top, &text, &status, &none, "show", "-s", "--no-show-signature", option,
                commit, NULL) != PS_OK)
        return "";
    const char *line = line_of(r, &text, status);
    return line ? line : "";
}

enum ps_status ps_bisect_git_parent(struct ps_bisect_git *r, const char *commit, const char **out,
                                    struct ps_err *err)
{
    return ps_bisect_git_resolve(r, "its parent", ps_arena_printf(&r->arena, "%s^", commit), out,
                                 err);
}

/* --- Cleaning up --- */

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

/* Removes the temporary folder with the worktrees, and says so if that fails. */
static void remove_root(const struct ps_bisect_git *r)
{
    struct ps_err note = PS_ERR_INIT;
    (void)nftw(r->root, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    if (access(r->root, F_OK) != 0)
        return;
    ps_fail(&note, PS_IO, "this temporary folder could not be removed");
    ps_print_note(r->root, &note);
}

void ps_bisect_git_close(struct ps_bisect_git *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_err none = PS_ERR_INIT;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    int status;
    if (r->root) {
        /* an impatient second Ctrl-C, which git would get too, must not leave a worktree behind */
        sigaction(SIGINT, &ignored, NULL);
        sigaction(SIGTERM, &ignored, NULL);
        remove_root(r);
        run_git(r, r->top, &text, &status, &none, "worktree", "prune", NULL);
    }
    free(r->git);
    ps_arena_free(&r->arena);
}
