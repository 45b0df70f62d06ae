/* SPDX-License-Identifier: MIT */
/* scrub.c: learns and replaces names of people and machines. */
#include "server/share/scrub.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* minimum bytes of a name that is searched for as a word; a shorter name is replaced only where a
 * key or a path identifies it */
#define LEAST_WORD 3

/* Names of accounts and machines that identify no person and no machine. */
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
        if (name.len == strlen(common[i]) && strncasecmp(name.ptr, common[i], name.len) == 0)
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

void ps_scrub_record_example(struct ps_scrub *scrub, enum ps_reveal category, struct ps_str value,
                             const char *became)
{
    struct ps_scrub_examples *seen = &scrub->examples[__builtin_ctz((unsigned)category)];
    uint32_t before = seen->values.count, id = ps_intern_add(&seen->values, value);

    if (id == before && id < PS_REVEAL_EXAMPLES)
        seen->replacements[id] = ps_strdup(ps_str_from_c(became));
}

void ps_scrub_append_number(struct ps_intern *table, struct ps_str value, const char *word,
                            struct ps_buf *out)
{
    ps_buf_printf(out, "%s%u", word, ps_intern_add(table, value) + 1);
}

static char lower_char(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns the number of a name, from 1; adds a new name. Names of accounts and machines are not
 * case-sensitive. */
static uint32_t number_of(struct ps_names *names, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf small = {0};

    ps_buf_add_str(&small, name);
    for (size_t i = 0; i < small.len; i++)
        small.ptr[i] = lower_char(small.ptr[i]);
    return ps_intern_add(&names->words, ps_buf_slice(&small)) + 1;
}

void ps_scrub_person(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out)
{
    ps_buf_printf(out, "person%u", number_of(&scrub->people, name));
}

void ps_scrub_host(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out)
{
    ps_buf_printf(out, "host%u", number_of(&scrub->hosts, name));
}

void ps_scrub_process_group(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out)
{
    size_t digits = 0;

    while (digits < name.len && is_digit(name.ptr[digits]))
        digits++;
    if (!(scrub->redacted_categories & PS_REVEAL_ARGUMENTS) || digits == name.len ||
        ps_str_eq_c(name, "default_pg") || ps_str_eq_c(name, "undefined"))
        ps_buf_add_str(out, name);
    else
        ps_scrub_append_number(&scrub->process_groups, name, "group", out);
}

/* --- Learning --- */

static void learn_name(struct ps_scrub *scrub, enum ps_reveal category, struct ps_names *names,
                       struct ps_str name, const char *word)
{
    char became[40];

    if (!name.len)
        return;
    (void)snprintf(became, sizeof became, "%s%u", word, number_of(names, name));
    ps_scrub_record_example(scrub, category, name, became);
    if (name.len >= LEAST_WORD && name.len < 64 && !is_common(name)) {
        names->lengths |= UINT64_C(1) << name.len;
        names->first_bytes[(unsigned char)lower_char(name.ptr[0])] = true;
    }
}

void ps_scrub_learn_person(struct ps_scrub *scrub, struct ps_str name)
{
    learn_name(scrub, PS_REVEAL_PEOPLE, &scrub->people, name, "person");
}

/* Learns a domain from a URL, a mail address or an IPv4 address. Does not learn its first part
 * alone, which may be an ordinary word. */
static void learn_domain(struct ps_scrub *scrub, struct ps_str name)
{
    if (!ps_str_eq_c(name, "localhost") && !ps_str_eq_c(name, "127.0.0.1"))
        learn_name(scrub, PS_REVEAL_HOSTS, &scrub->hosts, name, "host");
}

/* Learns the name of a machine. For a name with a domain, also learns the first part alone. */
void ps_scrub_learn_host(struct ps_scrub *scrub, struct ps_str name)
{
    const char *dot = name.len ? memchr(name.ptr, '.', name.len) : NULL;

    learn_domain(scrub, name);
    if (dot && !is_digit(name.ptr[0]))
        learn_name(scrub, PS_REVEAL_HOSTS, &scrub->hosts,
                   (struct ps_str){name.ptr, (size_t)(dot - name.ptr)}, "host");
}

/* If a folder of home folders, such as /home/, begins at `at`, returns the offset of the account
 * name behind it; otherwise 0. */
size_t ps_scrub_find_home(struct ps_str text, size_t at)
{
    static const struct ps_str homes[] = {
        PS_STR("/home/"),      PS_STR("/homes/"),      PS_STR("/home2/"),
        PS_STR("/users/"),     PS_STR("\\users\\"),    PS_STR("\\\\users\\\\"),
        PS_STR("/scratch/"),   PS_STR("/run/media/"),  PS_STR("\\documents and settings\\"),
        PS_STR("/afs/"),       PS_STR("%2fhome%2f"),   PS_STR("%2fusers%2f"),
        PS_STR("%5cusers%5c"), PS_STR("/export/home/")};
    struct ps_str rest = ps_str_skip(text, at);

    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (rest.len > homes[i].len && strncasecmp(rest.ptr, homes[i].ptr, homes[i].len) == 0)
            return at + homes[i].len;
    return 0;
}

/* Returns the length of the name at the start of `text`; 0: the name is the last part of the text
 * and has an extension, so it is a file. */
static size_t name_length(struct ps_str text)
{
    size_t n = 0;

    while (n < text.len && !strchr("/\\\"'<>|:;,()[]{}%\n\t", text.ptr[n]))
        n++;
    if (n == text.len && n && memchr(text.ptr, '.', n))
        return 0;
    while (n && text.ptr[n - 1] == ' ')
        n--;
    return n;
}

/* Learns the account name from a path: /home/NAME, /home/m/NAME, /afs/CELL/user/m/NAME. If the name
 * contains a space, it may be a word followed by other text, so the first word is learned, too. */
static void learn_home(struct ps_scrub *scrub, struct ps_str rest, bool afs)
{
    struct ps_str name = {rest.ptr, name_length(rest)};
    size_t n = name.len;
    const char *blank;

    for (int skipped = 0; n && n < rest.len && rest.ptr[n] == '/' && skipped < (afs ? 5 : 2);
         skipped++) {
        struct ps_str next = ps_str_skip(rest, n + 1);

        if (n > 1 && !afs)
            break;
        rest = next;
        n = name_length(rest);
        if (n > 1 || afs)
            name = (struct ps_str){rest.ptr, n};
        if (n > 2 && afs && !ps_str_eq_c(name, "user") && !ps_str_eq_c(name, "users") &&
            !ps_str_eq_c(name, "home"))
            break;
    }
    ps_scrub_learn_person(scrub, name);
    blank = name.len ? memchr(name.ptr, ' ', name.len) : NULL;
    if (blank)
        ps_scrub_learn_person(scrub, (struct ps_str){name.ptr, (size_t)(blank - name.ptr)});
}

/* Returns the host of a URL, without login and port. `rest`: the URL after "://". */
static struct ps_str url_authority(struct ps_str rest)
{
    size_t n = 0;
    const char *mark;

    while (n < rest.len && !strchr("/?#\"'<>() \n\t,;\\", rest.ptr[n]))
        n++;
    rest.len = n;
    if ((mark = n ? memrchr(rest.ptr, '@', n) : NULL))
        rest = ps_str_skip(rest, (size_t)(mark - rest.ptr) + 1);
    if ((mark = rest.len ? memchr(rest.ptr, ':', rest.len) : NULL))
        rest.len = (size_t)(mark - rest.ptr);
    return rest;
}

/* Learns the user and the host from USER:PASSWORD@HOST. */
static void learn_url(struct ps_scrub *scrub, struct ps_str rest)
{
    struct ps_str host = url_authority(rest);
    struct ps_str user = {rest.ptr, 0};

    learn_domain(scrub, host);
    if (!host.len || host.ptr == rest.ptr)
        return;
    while (rest.ptr + user.len + 1 < host.ptr && rest.ptr[user.len] != ':')
        user.len++;
    ps_scrub_learn_person(scrub, user);
}

/* Whether \\HOST\share begins at `at`. */
static bool is_unc(struct ps_str text, size_t at)
{
    return at + 3 < text.len && text.ptr[at + 1] == '\\' && is_alnum(text.ptr[at + 2]) &&
           (!at || strchr(" \"'=(,;", text.ptr[at - 1]));
}

/* Returns the length of NAME in ~NAME/ at `at`; 0: there is no such path. */
static size_t tilde_length(struct ps_str text, size_t at)
{
    size_t n = 1;

    while (at + n < text.len && (is_alnum(text.ptr[at + n]) || strchr("_.-", text.ptr[at + n])))
        n++;
    return n > 1 && !is_digit(text.ptr[at + 1]) && at + n < text.len && text.ptr[at + n] == '/' &&
                   (!at || !is_alnum(text.ptr[at - 1]))
               ? n - 1
               : 0;
}

static bool is_address_char(char c)
{
    return is_alnum(c) || strchr("._%+-", c);
}

/* Learns the user and the domain of the mail address whose @ is at `at`. */
static void learn_mail(struct ps_scrub *scrub, struct ps_str text, size_t at)
{
    size_t from = at, to = at + 1;
    const char *dot;

    while (from && is_address_char(text.ptr[from - 1]))
        from--;
    while (to < text.len && (is_alnum(text.ptr[to]) || strchr(".-", text.ptr[to])))
        to++;
    dot = memchr(text.ptr + at, '.', to - at);
    if (from == at || !dot || dot + 2 >= text.ptr + to || (from && text.ptr[from - 1] == ':'))
        return; /* USER:PASSWORD@HOST: the text before the @ is a password */
    ps_scrub_learn_person(scrub, (struct ps_str){text.ptr + from, at - from});
    learn_domain(scrub, (struct ps_str){text.ptr + at + 1, to - at - 1});
}

/* Returns the length of the IPv4 address at `at`; 0: there is none. */
static size_t ip_length(struct ps_str text, size_t at)
{
    size_t i = at;

    if (at && (is_alnum(text.ptr[at - 1]) || text.ptr[at - 1] == '.'))
        return 0;
    for (int part = 0; part < 4; part++) {
        int value = 0;
        size_t from = i;

        if (part && (i >= text.len || text.ptr[i++] != '.'))
            return 0;
        from = i;
        while (i < text.len && is_digit(text.ptr[i]) && i - from < 4)
            value = value * 10 + (text.ptr[i++] - '0');
        if (i == from || value > 255)
            return 0;
    }
    return i < text.len && (is_alnum(text.ptr[i]) || text.ptr[i] == '.') ? 0 : i - at;
}

void ps_scrub_learn(struct ps_scrub *scrub, struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        struct ps_str rest = ps_str_skip(text, i);
        size_t home = strchr("/\\%", text.ptr[i]) && text.ptr[i] ? ps_scrub_find_home(text, i) : 0,
               n;

        if (home) {
            learn_home(scrub, ps_str_skip(text, home), ps_str_starts_with(rest, PS_STR("/afs/")));
        } else if (text.ptr[i] == ':' && ps_str_starts_with(rest, PS_STR("://"))) {
            learn_url(scrub, ps_str_skip(rest, 3));
        } else if (text.ptr[i] == '\\' && is_unc(text, i)) {
            n = name_length(ps_str_skip(rest, 2));
            learn_domain(scrub, (struct ps_str){rest.ptr + 2, n});
        } else if (text.ptr[i] == '~' && (n = tilde_length(text, i))) {
            ps_scrub_learn_person(scrub, (struct ps_str){rest.ptr + 1, n});
        } else if (text.ptr[i] == '@') {
            learn_mail(scrub, text, i);
        } else if (is_digit(text.ptr[i]) && (n = ip_length(text, i))) {
            learn_domain(scrub, (struct ps_str){rest.ptr, n});
            i += n - 1;
        }
    }
}

/* --- Replacing --- */

/* Whether a word may begin at `at`. A word may follow an escape such as %2F. */
static bool begins_word(struct ps_str text, size_t at)
{
    return !at || !is_alnum(text.ptr[at - 1]) || (at > 2 && text.ptr[at - 3] == '%');
}

/* Returns the length of the longest learned name that is a word at `at`; 0: there is none. */
static size_t word_at(const struct ps_names *names, struct ps_str text, size_t at)
{
    char small[64];

    if (!names->first_bytes[(unsigned char)lower_char(text.ptr[at])] || !begins_word(text, at))
        return 0;
    for (size_t i = 0; i < sizeof small && at + i < text.len; i++)
        small[i] = lower_char(text.ptr[at + i]);
    for (uint64_t left = names->lengths; left;) {
        unsigned n = 63 - (unsigned)__builtin_clzll(left);

        left &= ~(UINT64_C(1) << n);
        if (n <= text.len - at && (n == text.len - at || !is_alnum(text.ptr[at + n])) &&
            ps_intern_find(&names->words, (struct ps_str){small, n}) != PS_INTERN_NONE)
            return n;
    }
    return 0;
}

static size_t replace_word(struct ps_scrub *scrub, struct ps_str text, size_t at,
                           struct ps_buf *out)
{
    size_t n;

    if ((scrub->redacted_categories & PS_REVEAL_HOSTS) && (n = word_at(&scrub->hosts, text, at))) {
        ps_scrub_host(scrub, (struct ps_str){text.ptr + at, n}, out);
        return n;
    }
    if ((scrub->redacted_categories & PS_REVEAL_PEOPLE) &&
        (n = word_at(&scrub->people, text, at))) {
        ps_scrub_person(scrub, (struct ps_str){text.ptr + at, n}, out);
        return n;
    }
    return 0;
}

void ps_scrub_words(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out)
{
    for (size_t i = 0; i < text.len;) {
        size_t home =
                   scrub->redacted_categories & PS_REVEAL_PEOPLE ? ps_scrub_find_home(text, i) : 0,
               n;

        if (home && (n = name_length(ps_str_skip(text, home)))) {
            ps_buf_add(out, text.ptr + i, home - i);
            ps_scrub_person(scrub, (struct ps_str){text.ptr + home, n}, out);
            i = home + n;
        } else if ((n = replace_word(scrub, text, i, out))) {
            i += n;
        } else {
            ps_buf_add(out, text.ptr + i++, 1);
        }
    }
}

void ps_scrub_free(struct ps_scrub *scrub)
{
    for (size_t i = 0; i < PS_N_REVEALS; i++) {
        for (size_t k = 0; k < PS_REVEAL_EXAMPLES; k++)
            free(scrub->examples[i].replacements[k]);
        ps_intern_free(&scrub->examples[i].values);
    }
    ps_intern_free(&scrub->folders);
    ps_intern_free(&scrub->arguments);
    ps_intern_free(&scrub->process_groups);
    ps_intern_free(&scrub->people.words);
    ps_intern_free(&scrub->hosts.words);
    *scrub = (struct ps_scrub){0};
}
