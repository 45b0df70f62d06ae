/* SPDX-License-Identifier: MIT */
/*
 * http_client ADDRESS PORT CONNECTIONS SECONDS < TARGETS: so many connections that are kept alive,
 * each asking for one target after the other for so long, on one thread. A target is a line: a
 * label, a path, and what else the request says, headers, all separated by tabs.
 *
 * Prints one JSON object: per label how many answers, how many of them with which status, how many
 * bytes, and in microseconds p50, p99 and max from the first byte sent to the last received; then
 * what went wrong (`broken`: connections that could not be made or ended within an answer,
 * `malformed`: answers without a length, `refused`: neither 200 nor 304), and which part of the
 * time this program's thread was busy, and kept from running by other processes: where the sum is
 * near 1, it is the client that was measured.
 *
 * Bodies are counted and not copied (MSG_TRUNC), so that asking costs less than answering.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define HEAD_MAX   8192
#define LABELS_MAX 32
#define GRACE_US   ((int64_t)30 * 1000000) /* for what was asked before the time was over */

struct label {
    char *name;
    uint32_t *us; /* one latency an answer */
    size_t n, cap;
    uint64_t bytes, with_200, with_304;
};

struct target {
    struct label *label;
    char *request;
    size_t len;
};

struct link {
    int fd;
    size_t target, sent;
    char head[HEAD_MAX + 1];
    size_t head_len;
    uint64_t body_left;
    bool in_body;
    int status;
    int64_t began_us;
};

struct client {
    struct sockaddr_in to;
    struct target *targets;
    size_t n_targets;
    struct label labels[LABELS_MAX];
    size_t n_labels;
    struct link *links;
    size_t n_links, open;
    int epoll;
    int64_t until_us;
    uint64_t broken, malformed, refused;
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "http_client: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *need(void *memory)
{
    if (!memory)
        die("memory");
    return memory;
}

static int64_t now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* --- Targets --- */

static struct label *label_of(struct client *client, const char *name)
{
    for (size_t i = 0; i < client->n_labels; i++)
        if (strcmp(client->labels[i].name, name) == 0)
            return &client->labels[i];
    if (client->n_labels == LABELS_MAX) {
        fprintf(stderr, "http_client: more than %d labels\n", LABELS_MAX);
        exit(2);
    }
    client->labels[client->n_labels].name = need(strdup(name));
    return &client->labels[client->n_labels++];
}

static void add_target(struct client *client, char *line, const char *host)
{
    char *rest = line, *name = strsep(&rest, "\t"), *path = strsep(&rest, "\t"), *header;
    struct target target = {.label = label_of(client, name)};
    FILE *out = need(open_memstream(&target.request, &target.len));

    if (!path) {
        fprintf(stderr, "http_client: a target has no path: %s\n", line);
        exit(2);
    }
    fprintf(out, "GET %s HTTP/1.1\r\nHost: %s\r\n", path, host);
    while ((header = strsep(&rest, "\t")))
        fprintf(out, "%s\r\n", header);
    fputs("\r\n", out);
    (void)fclose(out);
    client->targets =
        need(realloc(client->targets, (client->n_targets + 1) * sizeof *client->targets));
    client->targets[client->n_targets++] = target;
}

static void read_targets(struct client *client, const char *host)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;

    while ((len = getline(&line, &cap, stdin)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0])
            add_target(client, line, host);
    }
    free(line);
    if (client->n_targets == 0) {
        fputs("http_client: no targets\n", stderr);
        exit(2);
    }
}

/* --- Connections --- */

static void watch(struct client *client, struct link *link, int how, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = link};

    if (epoll_ctl(client->epoll, how, link->fd, &event) != 0)
        die("epoll_ctl");
}

static void begin_request(struct link *link)
{
    link->sent = link->head_len = 0;
    link->in_body = false;
    link->began_us = now_us();
}

static void open_link(struct client *client, struct link *link)
{
    const int yes = 1;

    link->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->fd < 0)
        die("socket");
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(link->fd, (struct sockaddr *)&client->to, sizeof client->to) != 0 &&
        errno != EINPROGRESS)
        die("connect");
    begin_request(link);
    watch(client, link, EPOLL_CTL_ADD, EPOLLOUT);
    client->open++;
}

static void close_link(struct client *client, struct link *link)
{
    (void)close(link->fd);
    link->fd = -1;
    client->open--;
}

static void break_link(struct client *client, struct link *link, uint64_t *why)
{
    ++*why;
    close_link(client, link);
    if (now_us() < client->until_us)
        open_link(client, link);
}

static void record(struct client *client, const struct link *link)
{
    struct label *label = client->targets[link->target].label;

    label->with_200 += link->status == 200;
    label->with_304 += link->status == 304;
    client->refused += link->status != 200 && link->status != 304;
    if (label->n == label->cap) {
        label->cap = label->cap ? label->cap * 2 : 4096;
        label->us = need(realloc(label->us, label->cap * sizeof *label->us));
    }
    label->us[label->n++] = (uint32_t)(now_us() - link->began_us);
}

/* Sends what is left of the request; false when the connection is gone. */
static bool send_request(struct client *client, struct link *link)
{
    const struct target *target = &client->targets[link->target];

    while (link->sent < target->len) {
        ssize_t n =
            send(link->fd, target->request + link->sent, target->len - link->sent, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN) {
            watch(client, link, EPOLL_CTL_MOD, EPOLLOUT);
            return true;
        }
        if (n <= 0)
            return false;
        link->sent += (size_t)n;
    }
    watch(client, link, EPOLL_CTL_MOD, EPOLLIN);
    return true;
}

/* The answer is whole: the next target, or the end. */
static void next_request(struct client *client, struct link *link)
{
    record(client, link);
    link->target = (link->target + 1) % client->n_targets;
    begin_request(link);
    if (link->began_us >= client->until_us)
        close_link(client, link);
    else if (!send_request(client, link))
        break_link(client, link, &client->broken);
}

/* --- Answers --- */

/* Takes the head apart; false when it does not say how long the body is. */
static bool read_head(struct client *client, struct link *link, size_t head_len)
{
    const char *length = strcasestr(link->head, "\r\nContent-Length:");
    uint64_t have = link->head_len - head_len;

    link->status = (int)strtol(link->head + strcspn(link->head, " "), NULL, 10);
    link->body_left = link->status != 304 && length ? strtoull(length + 17, NULL, 10) : 0;
    if ((!length && link->status != 304 && link->status != 204) || have > link->body_left)
        return false;
    client->targets[link->target].label->bytes += link->body_left;
    link->body_left -= have;
    link->in_body = true;
    return true;
}

/* How many bytes came, 0 when none can now, -1 when the connection is gone. */
static ssize_t receive(struct link *link)
{
    ssize_t n =
        link->in_body
            ? recv(link->fd, NULL, link->body_left < 1 << 30 ? link->body_left : 1 << 30, MSG_TRUNC)
            : recv(link->fd, link->head + link->head_len, HEAD_MAX - link->head_len, 0);

    if (n < 0 && errno == EAGAIN)
        return 0;
    return n > 0 ? n : -1;
}

static void on_readable(struct client *client, struct link *link)
{
    ssize_t n = receive(link);
    const char *end;

    if (n < 0)
        break_link(client, link, &client->broken);
    if (n <= 0)
        return;
    if (link->in_body) {
        link->body_left -= (uint64_t)n;
    } else {
        link->head_len += (size_t)n;
        link->head[link->head_len] = '\0';
        end = strstr(link->head, "\r\n\r\n");
        if ((!end && link->head_len == HEAD_MAX) ||
            (end && !read_head(client, link, (size_t)(end + 4 - link->head)))) {
            break_link(client, link, &client->malformed);
            return;
        }
    }
    if (link->in_body && link->body_left == 0)
        next_request(client, link);
}

static void run(struct client *client)
{
    struct epoll_event events[256];

    for (size_t i = 0; i < client->n_links; i++) {
        client->links[i].target = i % client->n_targets;
        open_link(client, &client->links[i]);
    }
    while (client->open > 0 && now_us() < client->until_us + GRACE_US) {
        int n = epoll_wait(client->epoll, events, 256, 1000);

        for (int i = 0; i < n; i++) {
            struct link *link = events[i].data.ptr;

            if (events[i].events & EPOLLOUT) {
                if (!send_request(client, link))
                    break_link(client, link, &client->broken);
            } else {
                on_readable(client, link);
            }
        }
    }
    client->broken += client->open; /* asked, and never answered */
}

/* --- Report --- */

static int by_size(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static void print_label(struct label *label)
{
    size_t n = label->n;

    if (n)
        qsort(label->us, n, sizeof *label->us, by_size);
    printf(
        "\"%s\":{\"answers\":%zu,\"with_200\":%llu,\"with_304\":%llu,\"bytes\":%llu,\"p50_us\":%u,"
        "\"p99_us\":%u,\"max_us\":%u}",
        label->name, n, (unsigned long long)label->with_200, (unsigned long long)label->with_304,
        (unsigned long long)label->bytes, n ? label->us[n / 2] : 0,
        n ? label->us[n - 1 - n / 100] : 0, n ? label->us[n - 1] : 0);
}

struct spent {
    double busy_s, kept_s;
};

/* What this thread has run, and what it could have run but for others. */
static struct spent spent(void)
{
    FILE *in = fopen("/proc/self/schedstat", "re");
    unsigned long long ran, waited;

    if (!in || fscanf(in, "%llu %llu", &ran, &waited) != 2)
        die("/proc/self/schedstat");
    (void)fclose(in);
    return (struct spent){(double)ran / 1e9, (double)waited / 1e9};
}

static void report(struct client *client, double wall_s, struct spent from, struct spent to)
{
    printf("{\"wall_s\":%.3f,\"busy\":%.3f,\"kept\":%.3f,\"broken\":%llu,\"malformed\":%llu,"
           "\"refused\":%llu,"
           "\"labels\":{",
           wall_s, (to.busy_s - from.busy_s) / wall_s, (to.kept_s - from.kept_s) / wall_s,
           (unsigned long long)client->broken, (unsigned long long)client->malformed,
           (unsigned long long)client->refused);
    for (size_t i = 0; i < client->n_labels; i++) {
        printf("%s", i ? "," : "");
        print_label(&client->labels[i]);
    }
    printf("}}\n");
}

int main(int argc, char **argv)
{
    struct client client = {.to = {.sin_family = AF_INET}};
    char host[64];
    int64_t began;
    struct spent before;

    if (argc != 5 || inet_pton(AF_INET, argv[1], &client.to.sin_addr) != 1) {
        fputs("usage: http_client ADDRESS PORT CONNECTIONS SECONDS < TARGETS\n", stderr);
        return 2;
    }
    client.to.sin_port = htons((uint16_t)atoi(argv[2]));
    client.n_links = (size_t)atoi(argv[3]);
    client.links = need(calloc(client.n_links ? client.n_links : 1, sizeof *client.links));
    client.epoll = epoll_create1(EPOLL_CLOEXEC);
    (void)snprintf(host, sizeof host, "%s:%s", argv[1], argv[2]);
    read_targets(&client, host);
    before = spent();
    began = now_us();
    client.until_us = began + (int64_t)(atof(argv[4]) * 1e6);
    run(&client);
    report(&client, (double)(now_us() - began) / 1e6, before, spent());
    return 0;
}
