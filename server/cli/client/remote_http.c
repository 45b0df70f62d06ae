/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/client/remote_http.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/file.h"
#include "base/mem.h"
#include "server/cli/client/libcurl.h"
#include "server/text/answer.h"

#define RESPONSE_MAX    ((size_t)512 << 20) /* maximum bytes of a response in memory */
#define ANSWER_MAX      ((size_t)4 << 10)   /* bytes of the answer of another server */
#define TRIES           9
#define TRIES_FIRST     3
#define STALL_TIMEOUT_S 90L /* longer than the server's time limit for queries */

struct ps_remote_http {
    CURL *curl;
    struct curl_slist *headers;
    char *base;
    bool has_responded; /* the server has responded at least once */
    bool has_token;     /* a token is configured */
    char curl_error[CURL_ERROR_SIZE];
};

/* State of one attempt. */
struct exchange {
    struct ps_remote_http *http;
    const struct ps_remote_request *request;
    struct ps_buf answer; /* body that is not written to the file */
    /* file for the body of a 2xx response; -1: all bodies are stored in `answer` */
    int fd;
    struct ps_err err; /* reason why the transfer was aborted */
};

static bool is_success(struct ps_remote_http *http)
{
    long status = 0;

    (void)ps_curl.curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    return status / 100 == 2;
}

static size_t receive_body(char *bytes, size_t size, size_t n, void *user)
{
    struct exchange *exchange = user;
    const struct ps_str block = {bytes, size * n};

    if (exchange->fd >= 0 && is_success(exchange->http))
        (void)ps_write_all(exchange->fd, block, "the answer", &exchange->err);
    else if (exchange->answer.len + block.len > RESPONSE_MAX)
        ps_fail(&exchange->err, PS_LIMIT, "the answer is larger than %zu MiB", RESPONSE_MAX >> 20);
    else
        ps_buf_add_str(&exchange->answer, block);
    return exchange->err.code == PS_OK ? block.len : 0;
}

/* Whether the process was interrupted, or the work of this thread (base/context.h). */
static bool is_interrupted(void)
{
    return ps_progress_interrupted() || ps_context_has_ended();
}

static enum ps_status fail_interrupted(struct ps_err *err)
{
    if (ps_context_check(err) == PS_OK)
        ps_fail(err, PS_CANCELLED, "interrupted");
    return err->code;
}

static int on_transfer(void *user, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                       curl_off_t up)
{
    const struct ps_remote_request *request = ((struct exchange *)user)->request;

    (void)down_total, (void)down, (void)up_total;
    if (!request->progress)
        return is_interrupted();
    return !ps_progress_step(request->progress, request->bytes_before + (uint64_t)up,
                             request->total, 0);
}

/* --- Opening and closing --- */

static void add_header(struct ps_remote_http *http, const char *line)
{
    http->headers = ps_curl.curl_slist_append(http->headers, line);
}

static void configure_curl(struct ps_remote_http *http, const struct ps_remote_config *config)
{
    CURL *curl = http->curl;

    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L); /* a run may have the name ".." */
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 15L);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, STALL_TIMEOUT_S);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->curl_error);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_USERAGENT, "perfshelf/" PS_VERSION);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, http->headers);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive_body);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_transfer);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    if (config->ca)
        (void)ps_curl.curl_easy_setopt(curl, CURLOPT_CAINFO, config->ca);
}

static enum ps_status check_config(const struct ps_remote_config *config, struct ps_err *err)
{
    const char *token = config->token ? config->token : "";

    for (const char *at = token; *at; at++) {
        if (*at > ' ' && *at < 0x7f)
            continue;
        return ps_fail(err, PS_BAD_REQUEST,
                       "the token contains an invalid character" PS_HINT
                       "copy the token again, without spaces or line breaks");
    }
    return PS_OK;
}

enum ps_status ps_remote_http_open(const struct ps_remote_config *config,
                                   struct ps_remote_http **out, struct ps_err *err)
{
    struct ps_remote_http *http;
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    struct ps_str base = ps_str_from_c(config->server);

    if (check_config(config, err) != PS_OK || ps_curl_load(err) != PS_OK)
        return err->code;
    if (ps_curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return ps_fail(err, PS_INTERNAL, "cannot initialize libcurl");
    while (base.ptr[base.len - 1] == '/')
        base.len--;
    http = ps_alloc(sizeof *http);
    http->base = ps_strdup(base);
    http->curl = ps_curl.curl_easy_init();
    if (!http->curl) {
        ps_remote_http_close(http);
        return ps_fail(err, PS_INTERNAL, "cannot initialize libcurl");
    }
    add_header(http, "Expect:");
    add_header(http, "Content-Type: application/octet-stream");
    http->has_token = config->token;
    if (config->token) {
        ps_buf_printf(&line, "Authorization: Bearer %s", config->token);
        add_header(http, line.ptr);
    }
    configure_curl(http, config);
    *out = http;
    return PS_OK;
}

void ps_remote_http_close(struct ps_remote_http *http)
{
    if (!http)
        return;
    ps_curl.curl_easy_cleanup(http->curl);
    ps_curl.curl_slist_free_all(http->headers);
    free(http->base);
    free(http);
}

/* --- One attempt --- */

/* Converts the error code of a response to ps_status. */
static enum ps_status status_of_code(const char *word, long http)
{
    static const enum ps_status codes[] = {
        PS_BAD_INPUT,   PS_UNKNOWN_KIND, PS_CANCELLED, PS_INTERRUPTED, PS_NOT_FOUND,   PS_CONFLICT,
        PS_BAD_REQUEST, PS_FORBIDDEN,    PS_FULL,      PS_TOO_SLOW,    PS_UNAVAILABLE,
    };

    for (size_t i = 0; word && i < sizeof codes / sizeof *codes; i++)
        if (strcmp(word, ps_status_name(codes[i])) == 0)
            return codes[i];
    return http == 413 ? PS_LIMIT : http >= 500 ? PS_IO : PS_FORBIDDEN;
}

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(ps_member(object, key));
}

void ps_remote_read_error(const cJSON *error, long http, struct ps_err *err)
{
    const char *text = text_of(error, "text"), *hint = text_of(error, "hint");
    const cJSON *at = ps_member(error, "at");
    enum ps_status code = status_of_code(text_of(error, "code"), http);

    if (!hint)
        hint = text ? "" : "check the URL of --server";
    if (text && cJSON_IsNumber(at))
        ps_fail_at(err, code, (uint64_t)at->valuedouble, "%s" PS_HINT "%s", text, hint);
    else
        ps_fail(err, code, "%s" PS_HINT "%s",
                text ? text : "the answer is not that of a perfshelf server", hint);
}

static void set_body(CURL *curl, const struct ps_remote_request *request)
{
    bool is_get = strcmp(request->method, "GET") == 0;

    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    if (is_get)
        return;
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_POST, 1L);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                                   (curl_off_t)request->body.len);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDS,
                                   request->body.ptr ? request->body.ptr : "");
}

/* Reports a failure without a response. An invalid certificate is PS_FORBIDDEN, which is not
 * retried. */
static void fail_transport(struct ps_remote_http *http, CURLcode code, struct ps_err *err)
{
    bool certificate = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
    const char *hint = "";

    if (certificate)
        hint = "name a certificate of your own with --ca FILE";
    else if (code == CURLE_GOT_NOTHING && strncmp(http->base, "http:", 5) == 0)
        hint = "if the server uses HTTPS, write https:// in its URL";
    else if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
        hint = "check the URL, and that `perfshelf serve` runs there";
    ps_fail(err, certificate ? PS_FORBIDDEN : PS_IO, "%s" PS_HINT "%s",
            http->curl_error[0] ? http->curl_error : ps_curl.curl_easy_strerror(code), hint);
}

/* Adds the server and the HTTP status to the error. */
static void add_server_to_error(const struct ps_remote_http *http, long status, struct ps_err *err)
{
    struct ps_err own = *err;

    if (own.code == PS_CANCELLED)
        return;
    *err = (struct ps_err)PS_ERR_INIT;
    if (own.has_offset)
        ps_fail_at(err, own.code, own.offset, "%s" PS_HINT "%s", own.text, own.hint);
    else if (status)
        ps_fail(err, own.code, "%s (%s answered %ld)" PS_HINT "%s", own.text, http->base, status,
                own.hint);
    else
        ps_fail(err, own.code, "%s: %s" PS_HINT "%s", http->base, own.text, own.hint);
}

/* Removes output of an earlier attempt. */
static enum ps_status truncate_output(int fd, struct ps_err *err)
{
    if (fd >= 0 && (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0))
        return ps_fail_errno(err, "cannot write", "the answer");
    return PS_OK;
}

static void read_headers(CURL *curl, const struct ps_remote_request *request)
{
    struct curl_header *found;

    for (size_t i = 0; i < request->n_headers; i++)
        if (ps_curl.curl_easy_header(curl, request->headers[i].name, 0, CURLH_HEADER, -1, &found) ==
            CURLHE_OK)
            request->headers[i].value = ps_strdup(ps_str_from_c(found->value));
}

/* Sends the request once. *status_out is the HTTP status, 0 without a response; err is set unless
 * the status is 2xx. */
static void try_once(struct ps_remote_http *http, const struct ps_remote_request *request,
                     long *status_out, struct ps_buf *out, int fd, struct ps_err *err)
{
    struct exchange exchange = {.http = http, .request = request, .fd = fd};
    struct ps_err refusal = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};
    CURLcode code;

    *status_out = 0;
    if (truncate_output(fd, err) != PS_OK)
        return;
    ps_buf_printf(&url, "%s/api/v1/%s", http->base, request->path);
    http->curl_error[0] = '\0';
    set_body(http->curl, request);
    (void)ps_curl.curl_easy_setopt(http->curl, CURLOPT_CUSTOMREQUEST, request->method);
    (void)ps_curl.curl_easy_setopt(http->curl, CURLOPT_URL, url.ptr);
    (void)ps_curl.curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, &exchange);
    (void)ps_curl.curl_easy_setopt(http->curl, CURLOPT_XFERINFODATA, &exchange);
    code = ps_curl.curl_easy_perform(http->curl);
    if (is_interrupted())
        fail_interrupted(err);
    else if (exchange.err.code != PS_OK)
        (void)ps_fail_copy(err, &exchange.err);
    else if (code != CURLE_OK)
        fail_transport(http, code, err);
    else
        (void)ps_curl.curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, status_out);
    if (code == CURLE_OK && *status_out / 100 != 2) {
        cJSON *json = cJSON_ParseWithLength(exchange.answer.ptr, exchange.answer.len);

        ps_remote_read_error(ps_member(json, "error"), *status_out, &refusal);
        cJSON_Delete(json);
    }
    if (*status_out == 401 && !http->has_token)
        ps_fail(err, refusal.code,
                "%s" PS_HINT "set PERFSHELF_TOKEN to a token; `perfshelf token add NAME` on the "
                "server creates one",
                refusal.text);
    ps_fail_copy(err, &refusal);
    if (err->code != PS_OK)
        add_server_to_error(http, *status_out, err);
    else
        read_headers(http->curl, request);
    if (err->code == PS_OK && fd < 0)
        ps_buf_add_str(out, ps_buf_slice(&exchange.answer));
    ps_buf_free(&exchange.answer);
}

/* --- Retries --- */

bool ps_remote_wait(struct ps_remote_http *http, unsigned n)
{
    const int64_t ms = (int64_t)250 << (n < 7 ? n - 1 : 6);

    if (n >= (http->has_responded ? TRIES : TRIES_FIRST))
        return false;
    for (int64_t waited = 0; waited < ms && !is_interrupted(); waited += 50)
        ps_sleep_ms(50);
    return !is_interrupted();
}

/* Whether a retry may succeed. A query that took too long would take as long again. */
static bool may_retry(long http, const struct ps_err *err)
{
    if (err->code == PS_TOO_SLOW)
        return false;
    return (http == 0 && err->code == PS_IO) || http == 429 || http == 502 || http == 503 ||
           http == 504;
}

enum ps_status ps_remote_fetch(struct ps_remote_http *http, const struct ps_remote_request *request,
                               struct ps_buf *out, int fd, struct ps_err *err)
{
    for (unsigned n = 1;; n++) {
        struct ps_err attempt_err = PS_ERR_INIT;
        long status;

        try_once(http, request, &status, out, fd, &attempt_err);
        http->has_responded |= status != 0;
        if (attempt_err.code == PS_OK)
            return PS_OK;
        if (!may_retry(status, &attempt_err) || (request->no_retry && status == 0) ||
            !ps_remote_wait(http, n)) {
            if (is_interrupted())
                return fail_interrupted(err);
            *err = attempt_err;
            return attempt_err.code;
        }
    }
}

enum ps_status ps_remote_send(struct ps_remote_http *http, const struct ps_remote_request *request,
                              cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    enum ps_status status = ps_remote_fetch(http, request, &text, -1, err);

    *out = status == PS_OK && text.len ? cJSON_ParseWithLength(text.ptr, text.len) : NULL;
    return status;
}

/* --- Other servers --- */

static size_t receive_answer(char *bytes, size_t size, size_t n, void *user)
{
    struct ps_buf *answer = user;

    if (answer->len < ANSWER_MAX)
        ps_buf_add_str(answer, (struct ps_str){bytes, size * n});
    return size * n;
}

enum ps_status ps_remote_post(const char *url, long timeout_s, long *status, struct ps_buf *answer,
                              struct ps_err *err)
{
    struct curl_slist *headers;
    CURLcode code;
    CURL *curl;

    if (ps_curl_load(err) != PS_OK)
        return err->code;
    if (ps_curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        !(curl = ps_curl.curl_easy_init()))
        return ps_fail(err, PS_INTERNAL, "cannot initialize libcurl");
    headers = ps_curl.curl_slist_append(NULL, "Content-Type:");
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 15L);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout_s);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_USERAGENT, "perfshelf/" PS_VERSION);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive_answer);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_POST, 1L);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)0);
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
    (void)ps_curl.curl_easy_setopt(curl, CURLOPT_URL, url);
    code = ps_curl.curl_easy_perform(curl);
    if (code == CURLE_OK)
        (void)ps_curl.curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
    else
        ps_fail(err, PS_IO, "%s", ps_curl.curl_easy_strerror(code));
    ps_curl.curl_easy_cleanup(curl);
    ps_curl.curl_slist_free_all(headers);
    return err->code;
}
