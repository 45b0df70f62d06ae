/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/options/option_values.h"
#include "server/replica/replica.h"

#include "base/format.h"
#include "server/replica/url.h"

#include <errno.h>
#include <stdio.h>

/* Whether the message begins with the subject and a colon, such as "@99: the shelf has fewer runs".
 */
static bool begins_with_subject(const char *text, const char *subject)
{
    const size_t len = strlen(subject);
    return len && strncmp(text, subject, len) == 0 && strncmp(text + len, ": ", 2) == 0;
}

/* Prints one line in one write, so that lines of several processes do not mix. */
static void print_line(const char *subject, const char *word, const struct ps_err *err)
{
    char text[sizeof err->text + sizeof err->hint + 64];
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    ps_err_format(err, text, sizeof text);
    ps_buf_puts(&line, "perfshelf: ");
    if (word[0] || !begins_with_subject(text, subject)) {
        ps_append_escaped(&line, ps_str_from_c(subject));
        ps_buf_printf(&line, "%s%s", subject[0] ? ": " : "", word);
    }
    ps_append_escaped(&line, ps_str_from_c(text));
    ps_buf_puts(&line, "\n");
    fflush(stdout);
    fwrite(line.ptr, 1, line.len, stderr);
}

int ps_print_failure(const char *subject, const struct ps_err *err)
{
    print_line(subject, "", err);
    return 1;
}

void ps_print_skipped(const char *subject, const struct ps_err *err)
{
    print_line(subject, "skipped: ", err);
}

void ps_print_note(const char *subject, const struct ps_err *note)
{
    print_line(subject, "note: ", note);
}

void ps_print(const struct ps_buf *text)
{
    if (text->len)
        fwrite(text->ptr, 1, text->len, stdout);
}

int ps_flush_stdout(int status)
{
    static bool is_reported;
    if (is_reported || (fflush(stdout) == 0 && !ferror(stdout)))
        return is_reported ? 1 : status;
    is_reported = true;
    struct ps_err err = PS_ERR_INIT;
    ps_fail_errno(&err, "cannot write", "standard output");
    return ps_print_failure("", &err);
}

int ps_print_shelf_failure(const struct ps_options *options, const struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *place = options->store ? ps_pg_place(options->store) : NULL;
    return ps_print_failure(place ? place : options->data, err);
}

static enum ps_status check_default_shelf(const char *dir, struct ps_err *err)
{
    if (ps_store_exists(dir))
        return PS_OK;
    return ps_fail(err, PS_NOT_FOUND,
                   "there is no shelf yet" PS_HINT
                   "`perfshelf add FILE` creates it, and `perfshelf demo` shows samples");
}

enum ps_status ps_check_shelf(const char *dir, struct ps_err *err)
{
    if (ps_store_exists(dir))
        return PS_OK;
    return ps_fail(err, PS_NOT_FOUND,
                   "there is no shelf" PS_HINT
                   "check --data; `perfshelf add` and `perfshelf serve` create a shelf");
}

void ps_print_created(const char *dir)
{
    struct ps_err note = PS_ERR_INIT;
    ps_fail(&note, PS_NOT_FOUND, "created a new shelf");
    ps_print_note(dir, &note);
}

static enum ps_status open_shelf(const struct ps_options *options, struct ps_store **out,
                                 bool *created, struct ps_err *err)
{
    const bool creates =
        options->command == PS_COMMAND_ADD || options->command == PS_COMMAND_OPEN ||
        options->command == PS_COMMAND_RECORD || options->command == PS_COMMAND_BISECT;
    uint64_t cache = 0;
    enum ps_status status = ps_options_read_cache(options, &cache, err);
    *created = creates && !options->store && !ps_store_exists(options->data);
    if (status == PS_OK && !options->store && !creates)
        status = options->is_default_shelf ? check_default_shelf(options->data, err)
                                           : ps_check_shelf(options->data, err);
    return status == PS_OK ? ps_store_open_shared(options->store, options->data, cache, out, err)
                           : status;
}

struct ps_store *ps_cli_open_store(const struct ps_options *options)
{
    struct ps_store *store = NULL;
    struct ps_err err = PS_ERR_INIT;
    bool created = false;
    if (open_shelf(options, &store, &created, &err) != PS_OK) {
        ps_print_shelf_failure(options, &err);
        return NULL;
    }
    if (created)
        ps_print_created(options->data);
    return store;
}

void ps_store_close_ptr(struct ps_store **store)
{
    ps_store_close(*store);
}
