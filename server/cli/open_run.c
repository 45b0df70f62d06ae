/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/open_run.h"

#include "server/cli/browser.h"
#include "server/cli/serve.h"

#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ANSWER_S 2

/* ADDR and PORT of "ADDR:PORT", as the server understands them; NULL when it is none. */
static struct addrinfo *find_address(const char *where)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    const char *colon = strrchr(where, ':');
    struct ps_str host = {where, colon ? (size_t)(colon - where) : 0};
    if (!colon)
        return NULL;
    if (host.len > 1 && host.at[0] == '[')
        host = (struct ps_str){host.at + 1, host.len - 2};
    PS_AUTO(ps_free_ptr) char *name = ps_strdup(host);
    if (getaddrinfo(host.len ? name : "127.0.0.1", colon + 1, &hints, &found) != 0)
        return NULL;
    return found;
}

static int connect_to(const char *where)
{
    const struct timeval wait = {ANSWER_S, 0};
    struct addrinfo *found = find_address(where);
    int fd = found ? socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        if (connect(fd, found->ai_addr, found->ai_addrlen) != 0)
            ps_close_fd(&fd);
    }
    if (found)
        freeaddrinfo(found);
    return fd;
}

/* Whether a server answers there and its shelf has this run: another shelf has not. */
static bool is_served(const char *where, const char *run)
{
    PS_AUTO(ps_buf_free) struct ps_buf ask = {0};
    PS_AUTO(ps_close_fd) int fd = connect_to(where);
    char answer[16] = "";
    size_t got = 0;
    ssize_t n;
    if (fd < 0)
        return false;
    ps_buf_printf(&ask,
                  "GET /api/v1/runs/%s HTTP/1.1\r\nHost: localhost\r\n"
                  "Connection: close\r\n\r\n",
                  run);
    if (send(fd, ask.at, ask.len, MSG_NOSIGNAL) != (ssize_t)ask.len)
        return false;
    while (got < sizeof answer - 1 && (n = recv(fd, answer + got, sizeof answer - 1 - got, 0)) > 0)
        got += (size_t)n;
    return strncmp(answer, "HTTP/1.1 200", 12) == 0;
}

int ps_cli_open_run(const struct ps_options *options, const char *run)
{
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};
    if (is_served(options->listen, run)) {
        ps_buf_printf(&url, "http://%s/#/run/%s", options->listen, run);
        ps_browser_show(url.at);
        return 0;
    }
    return ps_cli_serve(&(struct ps_serve_options){.data = options->data,
                                                   .store = options->store,
                                                   .listen = options->listen,
                                                   .open = true,
                                                   .run = run});
}
