/* SPDX-License-Identifier: MIT */
/*
 * bisect_git.h: the git repository of a bisection. Two worktrees in a temporary folder hold the
 * compared commits; `git bisect` runs in one of them, so that neither the checkout of the user nor
 * a bisection in it is touched.
 */
#ifndef PS_CLI_BISECT_GIT_H
#define PS_CLI_BISECT_GIT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

struct ps_bisect_git {
    char *git;               /* path of the program */
    const char *top;         /* folder of the repository; in the arena */
    const char *prefix;      /* the current folder below it, "" or with a slash at its end */
    const char *root;        /* temporary folder; NULL: there is none */
    const char *base, *test; /* the worktrees; names of one length, so that paths cost the same */
    struct ps_arena arena;
};

enum ps_bisect_verdict { PS_BISECT_GOOD, PS_BISECT_BAD, PS_BISECT_SKIP };
enum ps_bisect_state { PS_BISECT_NEXT, PS_BISECT_FOUND, PS_BISECT_ONLY_SKIPPED };

/* Finds git and the repository of the current folder. Call ps_bisect_git_close in any case. */
enum ps_status ps_bisect_git_open(struct ps_bisect_git *repository, struct ps_err *err);
/* The full name of a commit. what: for the message, such as "--good". */
enum ps_status ps_bisect_git_resolve(struct ps_bisect_git *repository, const char *what,
                                     const char *name, const char **out, struct ps_err *err);
/* Checks that `bad` descends from `good`; creates both worktrees, base at `good`, test at `bad`. */
enum ps_status ps_bisect_git_begin(struct ps_bisect_git *repository, const char *good,
                                   const char *bad, struct ps_err *err);
/* Checks out a commit in a worktree. Changes of tracked files there are lost. */
enum ps_status ps_bisect_git_checkout(struct ps_bisect_git *repository, const char *worktree,
                                      const char *commit, struct ps_err *err);
/* Starts `git bisect` in the worktree `test`. *commit: which one is checked out there to be
 * judged; of PS_BISECT_FOUND the first bad one. */
enum ps_status ps_bisect_git_start(struct ps_bisect_git *repository, const char *good,
                                   const char *bad, enum ps_bisect_state *state,
                                   const char **commit, struct ps_err *err);
/* Judges the commit that is checked out in `test`. */
enum ps_status ps_bisect_git_judge(struct ps_bisect_git *repository, enum ps_bisect_verdict verdict,
                                   enum ps_bisect_state *state, const char **commit,
                                   struct ps_err *err);
/* Number of commits that can still be the first bad one; appends the newest ones, one a line. */
enum ps_status ps_bisect_git_candidates(struct ps_bisect_git *repository, int64_t *n,
                                        struct ps_buf *lines, struct ps_err *err);
/* Subject, author and date of a commit, such as "2026-11-20"; "" if they cannot be read. */
const char *ps_bisect_git_about(struct ps_bisect_git *repository, const char *commit,
                                const char *format);
/* The first parent of a commit. */
enum ps_status ps_bisect_git_parent(struct ps_bisect_git *repository, const char *commit,
                                    const char **out, struct ps_err *err);
/* Removes the worktrees, and what `git bisect` keeps of them. */
void ps_bisect_git_close(struct ps_bisect_git *repository);

#endif
