/* SPDX-License-Identifier: MIT */
/*
 * page.c: inserts runs into web/offline.html. All data from profiles is encoded as base64, so that
 * a browser cannot interpret names as markup; web/src/offline/packed.ts decodes it.
 */
#include "server/share/page.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_out.h"
#include "importers/kinds.h"
#include "server/catalog/gzip_writer.h"
#include "server/catalog/temp_shelf.h"

#define NAME            "the page" /* name of the output file in error messages */
#define SHELL_BYTES_MAX ((uint64_t)64 << 20)
#define MIB             ((uint64_t)1 << 20)
#define PIECE           ((size_t)48 << 10) /* compressed bytes encoded at a time; a multiple of 3 */
#define PART_PIECES     64 /* maximum pieces in one script element: 4 MiB of base64 */

struct page {
    struct ps_store *store;
    int fd;
    uint64_t bytes; /* uncompressed bytes of the files written so far */
};

void ps_share_run_address(const char *id, struct ps_buf *out)
{
    ps_buf_printf(out, "#/run/%s", id);
}

void ps_share_compare_address(const char *base, const char *fresh, struct ps_buf *out)
{
    ps_buf_printf(out, "#/compare?%s%s%snew=%s", base[0] ? "base=" : "", base, base[0] ? "&" : "",
                  fresh);
}

/* Appends text to the page, unless err already has an error. */
static enum ps_status put_text(const struct page *page, struct ps_str text, struct ps_err *err)
{
    return err->code == PS_OK ? ps_write_all(page->fd, text, NAME, err) : err->code;
}

/* --- Files --- */

/* Compresses the file `in` to out_fd. *bytes: uncompressed bytes. */
static enum ps_status compress_and_encode(struct page *page, struct ps_stream *in, int out_fd,
                                          uint64_t *bytes, struct ps_err *err)
{
    struct ps_gzip_writer *packer = ps_gzip_writer_new(out_fd, NAME);
    struct ps_str piece;

    *bytes = 0;
    while (err->code == PS_OK && (piece = ps_stream_peek(in, 1)).len) {
        *bytes += piece.len;
        ps_gzip_writer_add(packer, piece, false, err);
        ps_stream_skip(in, piece.len);
    }
    page->bytes += *bytes;
    if (err->code == PS_OK && page->bytes > PS_SHARE_PAGE_MAX)
        (void)ps_fail(err, PS_LIMIT,
                      "the runs are larger than the %llu MiB that a page can contain" PS_HINT
                      "export a bundle instead, which has no such limit",
                      (unsigned long long)(PS_SHARE_PAGE_MAX / MIB));
    if (err->code == PS_OK)
        ps_gzip_writer_add(packer, PS_STR(""), true, err);
    ps_gzip_writer_free(packer);
    return err->code;
}

/* Appends n bytes as base64 with padding. */
static void base64(const unsigned char *from, size_t n, struct ps_buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (; n; from += 3, n -= n < 3 ? n : 3) {
        uint32_t three =
            (uint32_t)from[0] << 16 | (n > 1 ? (uint32_t)from[1] << 8 : 0) | (n > 2 ? from[2] : 0U);
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63],
                             n > 1 ? digits[three >> 6 & 63] : '=',
                             n > 2 ? digits[three & 63] : '='};

        ps_buf_add(out, four, sizeof four);
    }
}

/* Reads PIECE bytes; fewer only at the end of the file. *n: bytes read. */
static enum ps_status read_piece(int fd, unsigned char *out, size_t *n, struct ps_err *err)
{
    *n = 0;
    for (ssize_t got; *n < PIECE; *n += (size_t)got) {
        got = read(fd, out + *n, PIECE - *n);
        if (got < 0)
            return ps_fail_errno(err, "cannot read", "the packed file");
        if (got == 0)
            break;
    }
    return PS_OK;
}

/* Writes the compressed file at `packed` as script elements of PART_PIECES pieces each. `bytes`:
 * uncompressed bytes. */
static enum ps_status put_packed(struct page *page, const char *name, uint64_t bytes, int packed,
                                 struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    unsigned char piece[PIECE];
    size_t n = PIECE;

    for (unsigned i = 0; err->code == PS_OK && n == PIECE; i++) {
        read_piece(packed, piece, &n, err);
        text.len = 0;
        if (i % PART_PIECES == 0)
            ps_buf_printf(&text,
                          "%s<script type=\"application/gzip;base64\" data-file=\"%s\""
                          " data-bytes=\"%llu\">",
                          i ? "</script>\n" : "", name, (unsigned long long)bytes);
        base64(piece, n, &text);
        put_text(page, ps_buf_slice(&text), err);
    }
    return put_text(page, PS_STR("</script>\n"), err);
}

static enum ps_status put_file(void *user, const char *name, struct ps_stream *bytes,
                               struct ps_err *err)
{
    struct page *page = user;
    PS_AUTO(ps_close_fd) int write_fd = -1;
    PS_AUTO(ps_close_fd) int read_fd = -1;
    uint64_t n;

    if (ps_store_create_scratch_file(page->store, &write_fd, &read_fd, err) == PS_OK &&
        compress_and_encode(page, bytes, write_fd, &n, err) == PS_OK)
        put_packed(page, name, n, read_fd, err);
    return err->code;
}

/* --- Page --- */

/* Writes the script element that web/src/base/offline.ts reads as an OfflineFile. It contains no
 * data from profiles. */
static enum ps_status put_about(const struct page *page, const struct ps_share_copy *copy,
                                const char *start, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json;
    char when[32];
    time_t now = (time_t)(ps_wall_clock_ms() / 1000);
    struct tm utc;

    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&now, &utc));
    ps_buf_puts(&text, "<script type=\"application/json\" id=\"offline-file\">");
    json = ps_json_writer(&text);
    ps_json_object(&json);
    ps_json_key_str(&json, "start", start);
    ps_json_key_str(&json, "made_at", when);
    ps_json_key_str(&json, "made_by", "perfshelf " PS_VERSION);
    ps_json_key(&json, "redacted");
    ps_json_array(&json);
    for (unsigned i = 0; i < PS_N_REVEALS; i++)
        if (copy->redacted & 1u << i)
            ps_json_str(&json, ps_str_from_c(ps_reveal_names[i]));
    ps_json_end(&json);
    ps_json_end(&json);
    ps_buf_puts(&text, "</script>\n");
    return put_text(page, ps_buf_slice(&text), err);
}

static enum ps_status inflate_shell(struct ps_str shell, struct ps_buf *out, struct ps_err *err)
{
    static const struct ps_stream_limits limits = {SHELL_BYTES_MAX, 0};
    struct ps_stream *in;
    struct ps_str piece;
    enum ps_status status;

    if (!shell.len)
        return ps_fail(err, PS_CONFLICT,
                       "this perfshelf was built without the engine of offline pages" PS_HINT
                       "use another build of perfshelf, or build it with ./dev build engine");
    in = ps_stream_decompress(ps_stream_from_memory(shell, 0), &limits);
    while ((piece = ps_stream_peek(in, 1)).len) {
        ps_buf_add_str(out, piece);
        ps_stream_skip(in, piece.len);
    }
    status = ps_stream_status(in, err);
    ps_stream_free(in);
    return status;
}

/* Returns the part of *text before `mark`, and removes that part and the mark from *text. Without
 * the mark, returns and removes all of *text. */
static struct ps_str split_before(struct ps_str *text, struct ps_str mark)
{
    const char *at = memmem(text->ptr, text->len, mark.ptr, mark.len);
    struct ps_str found = {text->ptr, at ? (size_t)(at - text->ptr) : text->len};

    *text = ps_str_skip(*text, at ? found.len + mark.len : found.len);
    return found;
}

/* Whether one of the runs has a call graph. Only then the page includes Graphviz. */
static bool has_graph(struct ps_store *store, struct ps_err *err)
{
    char word[24], id[PS_ID_SIZE];
    bool found = false;

    for (unsigned n = 1; !found; n++) {
        struct ps_run_brief brief = {0};
        struct ps_err end = PS_ERR_INIT;

        (void)snprintf(word, sizeof word, "@%u", n);
        if (ps_store_resolve(store, word, id, &end) == PS_NOT_FOUND)
            break;
        if (ps_fail_copy(err, &end) != PS_OK ||
            ps_store_read_brief(store, id, &brief, err) != PS_OK)
            break;
        found = ps_kind_has(brief.kind, PS_HAS_CALLS);
        ps_run_brief_free(&brief);
    }
    return found;
}

enum ps_status ps_share_write_page(const struct ps_share_copy *copy, const char *start,
                                   struct ps_str shell, int fd, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf page_text = {0};
    struct page page = {copy->store, fd, 0};
    struct ps_str text, graphviz;

    if (inflate_shell(shell, &page_text, err) != PS_OK)
        return err->code;
    text = ps_buf_slice(&page_text);
    put_text(&page, split_before(&text, PS_STR("<!--graphviz-->")), err);
    graphviz = split_before(&text, PS_STR("<!--/graphviz-->"));
    if (has_graph(copy->store, err))
        put_text(&page, graphviz, err);
    put_text(&page, split_before(&text, PS_STR("<!--runs-->")), err);
    put_about(&page, copy, start, err);
    if (err->code == PS_OK)
        ps_temp_shelf_each_file(copy->store, put_file, &page, err);
    return put_text(&page, text, err);
}
