/* SPDX-License-Identifier: MIT */
#include "server/share/selection.h"

#include <stdio.h>

#include "server/query/compare/groups.h"
#include "server/share/page.h"

static enum ps_status add_runs_of_words(struct ps_store *store, const char *words,
                                        struct ps_share_selection *out, struct ps_err *err)
{
    size_t n = 0;
    enum ps_status status = ps_query_find_runs(store, words, out->ids + out->n, &n, err);

    out->n += n;
    return status;
}

void ps_share_sanitize_file_name(const char *name, char out[PS_SHARE_NAME_SIZE])
{
    size_t n = 0;

    for (; *name && n + 1 < PS_SHARE_NAME_SIZE; name++)
        out[n++] = (unsigned char)*name < ' ' || strchr("/\\:*?\"<>|", *name) ? '-' : *name;
    for (; n && ((unsigned char)*name & 0xc0) == 0x80; name--) /* a truncated character */
        n--;
    out[n] = '\0';
}

static enum ps_status name_it(struct ps_store *store, struct ps_share_selection *out,
                              struct ps_err *err)
{
    struct ps_run_brief brief;

    if (out->is_comparison || out->n > 1) {
        ps_share_sanitize_file_name(out->is_comparison ? "comparison" : "runs", out->name);
        ps_share_sanitize_file_name(out->name, out->kind);
        return PS_OK;
    }
    if (ps_store_read_brief(store, out->ids[0], &brief, err) != PS_OK)
        return err->code;
    ps_share_sanitize_file_name(brief.name[0] ? brief.name : brief.kind, out->name);
    ps_share_sanitize_file_name(brief.kind, out->kind);
    ps_run_brief_free(&brief);
    return PS_OK;
}

enum ps_status ps_share_select_runs(struct ps_store *store, const char *runs, const char *base,
                                    const char *fresh, struct ps_share_selection *out,
                                    struct ps_err *err)
{
    enum ps_status status = PS_OK;

    out->n = out->n_base = 0;
    out->is_comparison = fresh != NULL;
    if (!runs == !fresh || (base && !fresh))
        return ps_fail(err, PS_BAD_REQUEST,
                       "no runs to share" PS_HINT "give runs, or the two groups of a comparison");
    if (base && base[0])
        status = add_runs_of_words(store, base, out, err);
    out->n_base = out->n;
    if (status == PS_OK)
        status = add_runs_of_words(store, runs ? runs : fresh, out, err);
    return status == PS_OK ? name_it(store, out, err) : status;
}

const char *ps_share_file_ending(bool html)
{
    return html ? ".html" : ".perfshelf";
}

/* Returns the name of the run, or its kind if a category is redacted whose values the name may
 * contain: any category except source lines. */
const char *ps_share_choose_file_name(const struct ps_share_selection *picked,
                                      const struct ps_share_options *form)
{
    return form->redacted_categories & ~(unsigned)PS_REVEAL_SOURCE ? picked->kind : picked->name;
}

static void put_ids(const struct ps_share_selection *picked, size_t from, size_t to,
                    struct ps_buf *out)
{
    ps_buf_puts(out, "");
    for (size_t i = from; i < to; i++)
        ps_buf_printf(out, "%s%s", i > from ? "," : "", picked->ids[i]);
}

/* Appends the URL fragment that the page opens first. Several runs without a comparison are shown
 * as one group. */
static void put_start(const struct ps_share_selection *picked, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf base = {0};
    PS_AUTO(ps_buf_free) struct ps_buf fresh = {0};

    put_ids(picked, 0, picked->n_base, &base);
    put_ids(picked, picked->n_base, picked->n, &fresh);
    if (picked->is_comparison || picked->n > 1)
        ps_share_compare_address(base.ptr, fresh.ptr, out);
    else
        ps_share_run_address(picked->ids[0], out);
}

static enum ps_status write_page(struct ps_store *store, const struct ps_share_selection *picked,
                                 const struct ps_share_options *form, int fd, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf start = {0};
    struct ps_share_copy copy;

    if (ps_share_copy_runs(store, picked->ids, picked->n, form->redacted_categories, &copy, err) !=
        PS_OK)
        return err->code;
    put_start(picked, &start);
    ps_share_write_page(&copy, start.ptr, form->shell, fd, err);
    ps_share_copy_free(&copy);
    return err->code;
}

enum ps_status ps_share_write_file(struct ps_store *store, const struct ps_share_selection *picked,
                                   const struct ps_share_options *form, int fd, struct ps_err *err)
{
    const struct ps_bundle_options what = {.ids = picked->ids,
                                           .n = picked->n,
                                           .is_comparison = picked->is_comparison,
                                           .n_base = picked->n_base,
                                           .redacted_categories = form->redacted_categories,
                                           .includes_originals = form->includes_originals};

    return form->is_html ? write_page(store, picked, form, fd, err)
                         : ps_bundle_write(store, &what, fd, err);
}
