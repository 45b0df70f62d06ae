/* SPDX-License-Identifier: MIT */
/* scrub.c: names of people and machines, learned and replaced. */
#include "server/share/scrub.h"

#include <stdio.h>
#include <stdlib.h>

#define LEAST_WORD                                                                                 \
    3 /* shorter names are replaced only where a key or a path says what they are                  \
       */

/* Accounts that are nobody's, and machines that are no particular ones. */
static const char *const common[] = {
    "root",    "user",      "users", "ubuntu",  "runner",    "test",     "app",     "dev",
    "build",   "builder",   "admin", "jenkins", "work",      "circleci", "vagrant", "ec2-user",
    "jovyan",  "docker",    "data",  "nobody",  "guest",     "default",  "public",  "shared",
    "home",    "python",    "code",  "project", "workspace", "service",  "vscode",  "codespace",
    "gitpod",  "localhost", "host",  "node",    "server",    "local",    "unknown", "worker",
    "train",   "model",     "main",  "conda",   "none",      "null",     "git",     "info",
    "support", "noreply",   "mail",  "contact", "team",      "debian",   "centos"};

static bool is_common(struct ps_str name)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (ps_str_is(name, common[i]))
            return true;
    return false;
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void ps_scrub_see(struct ps_scrub *scrub, enum ps_reveal category, struct ps_str value,
                  const char *became)
{
    struct ps_seen *seen = &scrub->seen[__builtin_ctz((unsigned)category)];
    uint32_t before = seen->values.count, id = ps_intern_id(&seen->values, value);

    if (id == before && id < PS_REVEAL_EXAMPLES)
        seen->became[id] = ps_strdup(ps_str_of(became));
}

void ps_scrub_number(struct ps_intern *table, struct ps_str value, const char *word,
                     struct ps_buf *out)
{
    ps_buf_printf(out, "%s%u", word, ps_intern_id(table, value) + 1);
}

/* --- learning --------------------------------------------------------------------------------- */

static void learn(struct ps_scrub *scrub, enum ps_reveal category, struct ps_names *names,
                  struct ps_str name, const char *word)
{
    char became[40];

    if (!name.len)
        return;
    (void)snprintf(became, sizeof became, "%s%u", word, ps_intern_id(&names->words, name) + 1);
    ps_scrub_see(scrub, category, name, became);
    if (name.len >= LEAST_WORD && name.len < 64 && !is_common(name)) {
        names->lengths |= UINT64_C(1) << name.len;
        names->first[(unsigned char)name.at[0]] = true;
    }
}

void ps_scrub_learn_person(struct ps_scrub *scrub, struct ps_str name)
{
    learn(scrub, PS_REVEAL_PEOPLE, &scrub->people, name, "person");
}

/* Of a URL, a mail address, or four numbers: its first part may be a word like any. */
static void learn_domain(struct ps_scrub *scrub, struct ps_str name)
{
    if (!ps_str_is(name, "localhost") && !ps_str_is(name, "127.0.0.1"))
        learn(scrub, PS_REVEAL_HOSTS, &scrub->hosts, name, "host");
}

/* With its domain also the first part alone. */
void ps_scrub_learn_host(struct ps_scrub *scrub, struct ps_str name)
{
    const char *dot = name.len ? memchr(name.at, '.', name.len) : NULL;

    learn_domain(scrub, name);
    if (dot && !is_digit(name.at[0]))
        learn(scrub, PS_REVEAL_HOSTS, &scrub->hosts,
              (struct ps_str){name.at, (size_t)(dot - name.at)}, "host");
}

/* Where the name of an account begins behind the folder of all homes; 0: not at `at`. */
static size_t home_at(struct ps_str text, size_t at)
{
    static const struct ps_str homes[] = {PS_STR("/home/"), PS_STR("/Users/"), PS_STR("\\Users\\"),
                                          PS_STR("\\\\Users\\\\"), PS_STR("/users/")};
    struct ps_str rest = ps_str_skip(text, at);

    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (ps_str_starts(rest, homes[i]))
            return at + homes[i].len;
    return 0;
}

static size_t name_length(struct ps_str text)
{
    size_t n = 0;

    while (n < text.len && !strchr("/\\\"'<>|:;,()[]{}\n\t", text.at[n]))
        n++;
    while (n && text.at[n - 1] == ' ')
        n--;
    return n < text.len ? n : 0; /* the last part of a path is a file */
}

/* The machine of a URL, without whoever logs in and the port. */
static struct ps_str authority(struct ps_str rest)
{
    size_t n = 0;
    const char *mark;

    while (n < rest.len && !strchr("/?#\"'<>() \n\t,;\\", rest.at[n]))
        n++;
    rest.len = n;
    if ((mark = n ? memrchr(rest.at, '@', n) : NULL))
        rest = ps_str_skip(rest, (size_t)(mark - rest.at) + 1);
    if ((mark = rest.len ? memchr(rest.at, ':', rest.len) : NULL))
        rest.len = (size_t)(mark - rest.at);
    return rest;
}

static bool is_address_char(char c)
{
    return is_alnum(c) || strchr("._%+-", c);
}

/* An address of mail around the @ at `at`. */
static void learn_mail(struct ps_scrub *scrub, struct ps_str text, size_t at)
{
    size_t from = at, to = at + 1;
    const char *dot;

    while (from && is_address_char(text.at[from - 1]))
        from--;
    while (to < text.len && (is_alnum(text.at[to]) || strchr(".-", text.at[to])))
        to++;
    dot = memchr(text.at + at, '.', to - at);
    if (from == at || !dot || dot + 2 >= text.at + to)
        return;
    ps_scrub_learn_person(scrub, (struct ps_str){text.at + from, at - from});
    learn_domain(scrub, (struct ps_str){text.at + at + 1, to - at - 1});
}

/* Four numbers with dots between them at `at`: how long, else 0. */
static size_t ip_length(struct ps_str text, size_t at)
{
    size_t i = at;

    if (at && (is_alnum(text.at[at - 1]) || text.at[at - 1] == '.'))
        return 0;
    for (int part = 0; part < 4; part++) {
        int value = 0;
        size_t from = i;

        if (part && (i >= text.len || text.at[i++] != '.'))
            return 0;
        from = i;
        while (i < text.len && is_digit(text.at[i]) && i - from < 4)
            value = value * 10 + (text.at[i++] - '0');
        if (i == from || value > 255)
            return 0;
    }
    return i < text.len && (is_alnum(text.at[i]) || text.at[i] == '.') ? 0 : i - at;
}

void ps_scrub_learn(struct ps_scrub *scrub, struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        struct ps_str rest = ps_str_skip(text, i);
        size_t home = text.at[i] == '/' || text.at[i] == '\\' ? home_at(text, i) : 0, n;

        if (home) {
            rest = ps_str_skip(text, home);
            rest.len = name_length(rest);
            ps_scrub_learn_person(scrub, rest);
        } else if (text.at[i] == ':' && ps_str_starts(rest, PS_STR("://"))) {
            learn_domain(scrub, authority(ps_str_skip(rest, 3)));
        } else if (text.at[i] == '@') {
            learn_mail(scrub, text, i);
        } else if (is_digit(text.at[i]) && (n = ip_length(text, i))) {
            learn_domain(scrub, (struct ps_str){rest.at, n});
            i += n - 1;
        }
    }
}

/* --- replacing -------------------------------------------------------------------------------- */

/* The longest of the names that stands at `at` as a word; 0: none. */
static size_t word_at(const struct ps_names *names, struct ps_str text, size_t at)
{
    if (!names->first[(unsigned char)text.at[at]] || (at && is_alnum(text.at[at - 1])))
        return 0;
    for (uint64_t left = names->lengths; left;) {
        unsigned n = 63 - (unsigned)__builtin_clzll(left);
        struct ps_str word = {text.at + at, n};

        left &= ~(UINT64_C(1) << n);
        if (n <= text.len - at && (n == text.len - at || !is_alnum(text.at[at + n])) &&
            ps_intern_find(&names->words, word) != PS_INTERN_NONE)
            return n;
    }
    return 0;
}

static size_t replace(struct ps_scrub *scrub, struct ps_str text, size_t at, struct ps_buf *out)
{
    size_t n;

    if ((scrub->redact & PS_REVEAL_HOSTS) && (n = word_at(&scrub->hosts, text, at))) {
        ps_scrub_number(&scrub->hosts.words, (struct ps_str){text.at + at, n}, "host", out);
        return n;
    }
    if ((scrub->redact & PS_REVEAL_PEOPLE) && (n = word_at(&scrub->people, text, at))) {
        ps_scrub_number(&scrub->people.words, (struct ps_str){text.at + at, n}, "person", out);
        return n;
    }
    return 0;
}

void ps_scrub_words(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out)
{
    for (size_t i = 0; i < text.len;) {
        size_t home = scrub->redact & PS_REVEAL_PEOPLE ? home_at(text, i) : 0, n;

        if (home && (n = name_length(ps_str_skip(text, home)))) {
            ps_buf_add(out, text.at + i, home - i);
            ps_scrub_number(&scrub->people.words, (struct ps_str){text.at + home, n}, "person",
                            out);
            i = home + n;
        } else if ((n = replace(scrub, text, i, out))) {
            i += n;
        } else {
            ps_buf_add(out, text.at + i++, 1);
        }
    }
}

void ps_scrub_command(struct ps_scrub *scrub, struct ps_str line, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf word = {0};
    const char *blank = line.len ? memchr(line.at, ' ', line.len) : NULL;
    size_t n = blank ? (size_t)(blank - line.at) : line.len;

    if (!(scrub->redact & PS_REVEAL_ARGUMENTS) || !blank) {
        ps_scrub_text(scrub, line, out);
        return;
    }
    ps_scrub_text(scrub, (struct ps_str){line.at, n}, &word);
    ps_buf_puts(&word, " (");
    ps_scrub_number(&scrub->arguments, ps_str_skip(line, n), "arguments ", &word);
    ps_buf_puts(&word, ")");
    ps_scrub_see(scrub, PS_REVEAL_ARGUMENTS, line, word.at);
    ps_buf_str(out, ps_buf_slice(&word));
}

void ps_scrub_free(struct ps_scrub *scrub)
{
    for (size_t i = 0; i < PS_REVEALS; i++) {
        for (size_t k = 0; k < PS_REVEAL_EXAMPLES; k++)
            free(scrub->seen[i].became[k]);
        ps_intern_free(&scrub->seen[i].values);
    }
    ps_intern_free(&scrub->folders);
    ps_intern_free(&scrub->arguments);
    ps_intern_free(&scrub->people.words);
    ps_intern_free(&scrub->hosts.words);
    *scrub = (struct ps_scrub){0};
}
