/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/recorder/record_tags.h"

#include "server/cli/recorder/child.h"

#include <unistd.h>

#define ELLIPSIS   "..."
#define LATER_TAGS 4 /* that a recording sets after these: ab, pair, order or repeat */
#define COMMAND_MAX                                                                                \
    (PS_LABEL_MAX - sizeof ELLIPSIS + 1) /* bytes before ELLIPSIS in a truncated tag */

void ps_record_tags_set(struct ps_record_tags *about, const char *key, const char *value)
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

static void add_checkout(struct ps_record_tags *about)
{
    static const char *const head[] = {"git", "rev-parse", "--verify", "-q", "HEAD", NULL};
    static const char *const changes[] = {"git",         "--no-optional-locks",  "status",
                                          "--porcelain", "--untracked-files=no", NULL};
    char *commit = run_git(&about->arena, head);
    if (!commit || !commit[0])
        return;
    ps_record_tags_set(about, "commit", commit);
    char *changed = run_git(&about->arena, changes);
    if (changed && changed[0])
        ps_record_tags_set(about, "dirty", "yes");
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

/* Sets a fact about the machine, unless later tags of the recording may need the space. */
static void add_machine_fact(void *user, const char *key, const char *value)
{
    struct ps_record_tags *about = user;

    if (about->n + LATER_TAGS < PS_TAGS_MAX)
        ps_record_tags_set(about, key, shorten_text(&about->arena, value));
}

/* Adds the tag load, whose value each recording changes. */
static void add_load(struct ps_record_tags *about)
{
    const size_t n = about->n;

    about->load = ps_arena_alloc(&about->arena, PS_LOAD_SIZE);
    ps_machine_load_read(about->load);
    if (about->load[0] && n + LATER_TAGS < PS_TAGS_MAX)
        ps_record_tags_set(about, "load", about->load);
    if (about->n == n)
        about->load = NULL;
}

void ps_record_tags_set_load(struct ps_record_tags *about)
{
    if (about->load)
        ps_machine_load_read(about->load);
}

void ps_record_tags_fill(struct ps_record_tags *about, const struct ps_tag *user_tags,
                         size_t n_user_tags, const char *typed,
                         const struct ps_python_facts *python)
{
    char host[256] = "";
    about->tags =
        ps_arena_alloc(&about->arena, (n_user_tags + PS_RECORD_TAGS_MAX) * sizeof *about->tags);
    if (n_user_tags)
        memcpy(about->tags, user_tags, n_user_tags * sizeof *user_tags);
    about->n = n_user_tags;
    ps_record_tags_set(about, "command", shorten_text(&about->arena, typed));
    if (gethostname(host, sizeof host - 1) == 0 && host[0])
        ps_record_tags_set(about, "host", ps_arena_printf(&about->arena, "%s", host));
    if (python->version[0])
        ps_record_tags_set(about, "python", ps_arena_printf(&about->arena, "%s", python->version));
    add_checkout(about);
    if (python->build[0])
        add_machine_fact(about, "python_build", python->build);
    ps_machine_facts_read(&about->arena, add_machine_fact, about);
    add_load(about);
}
