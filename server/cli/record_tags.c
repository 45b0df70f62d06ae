/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/record_tags.h"

#include "base/secret.h"
#include "server/cli/child.h"

#include <stdlib.h>
#include <unistd.h>

#define CUT         "..."
#define COMMAND_MAX (PS_LABEL_MAX - sizeof CUT + 1) /* bytes of the tag if truncated */
#define MASK        "(masked)"

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

/* "scheme://user:password@host" */
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
    bool told = before[0] == '-' && !strchr(before, '=') && word[0] != '-' &&
                ps_is_secret_name(ps_str_from_c(before + strspn(before, "-")));
    if (told || ps_is_token(all) || has_password(word)) {
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

char *ps_quote_command(const char *const *words, size_t n, bool mask)
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

/* --- Git checkout --- */

/* The first line of the output of git; NULL if git fails or is missing, or the folder is not a
 * checkout. */
static char *ask_git(struct ps_arena *arena, const char *const *words)
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
    char *commit = ask_git(&about->arena, head);
    if (!commit || !commit[0])
        return;
    ps_record_tags_set(about, "commit", commit);
    char *changed = ask_git(&about->arena, changes);
    if (changed && changed[0])
        ps_record_tags_set(about, "dirty", "yes");
}

/* --- All labels --- */

void ps_record_tags_set(struct ps_record_tags *about, const char *key, const char *value)
{
    for (size_t i = 0; i < about->n; i++)
        if (strcmp(about->tags[i].key, key) == 0)
            return;
    about->tags[about->n++] = (struct ps_tag){key, value};
}

/* At most PS_LABEL_MAX bytes, truncated between characters. */
static char *shorten_text(struct ps_arena *arena, const char *text)
{
    size_t len = strlen(text), most = COMMAND_MAX;
    if (len <= PS_LABEL_MAX)
        return ps_arena_printf(arena, "%s", text);
    while (most && ((unsigned char)text[most] & 0xC0) == 0x80)
        most--;
    return ps_arena_printf(arena, "%.*s" CUT, (int)most, text);
}

void ps_record_tags_fill(struct ps_record_tags *about, const struct ps_tag *given, size_t n_given,
                         const char *typed, const char *python)
{
    char host[256] = "";
    about->tags =
        ps_arena_alloc(&about->arena, (n_given + PS_RECORD_TAGS_MAX) * sizeof *about->tags);
    if (n_given)
        memcpy(about->tags, given, n_given * sizeof *given);
    about->n = n_given;
    ps_record_tags_set(about, "command", shorten_text(&about->arena, typed));
    if (gethostname(host, sizeof host - 1) == 0 && host[0])
        ps_record_tags_set(about, "host", ps_arena_printf(&about->arena, "%s", host));
    ps_record_tags_set(about, "python", ps_arena_printf(&about->arena, "%s", python));
    add_checkout(about);
}

void ps_record_tags_free(struct ps_record_tags *about)
{
    ps_arena_free(&about->arena);
}
