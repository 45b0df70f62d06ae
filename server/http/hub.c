/* SPDX-License-Identifier: MIT */
/*
 * hub.c: feeds wait as suspended connections and need no thread.
 *
 * One lock protects the list and every feed. While holding it, the read callback of libmicrohttpd
 * suspends its connection if there is no data, and a sender resumes it, so no wake-up is lost.
 * libmicrohttpd never calls this code while it holds a lock that suspending or resuming needs.
 */
#define _GNU_SOURCE /* memmem */
#include "server/http/hub.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/buf.h"
#include "server/http/feed.h"
#include "server/http/libmicrohttpd.h"

struct ps_feed {
    struct ps_hub *hub;
    struct ps_feed *next, **link;
    uint64_t topic;
    char *address, *user_name, *secret;
    struct ps_buf out; /* bytes from `sent` on are not sent yet */
    size_t sent;
    bool is_ending, is_waiting;
    struct MHD_Connection *connection; /* set when the reply is sent */
};

struct ps_hub {
    pthread_mutex_t lock;
    struct ps_feed *feeds;
    size_t n;
    struct ps_hub_limits limits;
    bool is_closed;
};

struct ps_hub *ps_hub_create(const struct ps_hub_limits *limits)
{
    struct ps_hub *hub = ps_alloc(sizeof *hub);

    hub->limits = *limits;
    pthread_mutex_init(&hub->lock, NULL);
    return hub;
}

void ps_hub_free(struct ps_hub *hub)
{
    if (hub)
        pthread_mutex_destroy(&hub->lock);
    free(hub);
}

static bool is_full(size_t n, size_t most)
{
    return most && n >= most;
}

/* The caller holds the lock. */
static enum ps_status check_limits(const struct ps_hub *hub, const struct ps_feed_owner *owner,
                                   struct ps_err *err)
{
    size_t n_of_address = 0, n_of_user = 0;

    for (const struct ps_feed *feed = hub->feeds; feed; feed = feed->next) {
        n_of_address += owner->address[0] && strcmp(feed->address, owner->address) == 0;
        n_of_user += owner->user_name[0] && strcmp(feed->user_name, owner->user_name) == 0;
    }
    if (hub->is_closed)
        return ps_fail(err, PS_UNAVAILABLE, "the server is stopping");
    if (is_full(n_of_address, hub->limits.per_address))
        return ps_fail(err, PS_UNAVAILABLE, "%zu event streams of %s are open already",
                       n_of_address, owner->address);
    if (is_full(n_of_user, hub->limits.per_user))
        return ps_fail(err, PS_UNAVAILABLE, "%zu event streams of %s are open already", n_of_user,
                       owner->user_name);
    if (is_full(hub->n, hub->limits.total))
        return ps_fail(err, PS_UNAVAILABLE, "too many open event streams: %zu", hub->n);
    return PS_OK;
}

/* The caller holds the lock. */
static struct ps_feed *add_feed(struct ps_hub *hub, uint64_t topic,
                                const struct ps_feed_owner *owner)
{
    struct ps_feed *feed = ps_alloc(sizeof *feed);

    *feed = (struct ps_feed){
        .hub = hub,
        .topic = topic,
        .address = ps_strdup(ps_str_from_c(owner->address)),
        .user_name = ps_strdup(ps_str_from_c(owner->user_name)),
        .secret = ps_strdup(ps_str_from_c(owner->secret)),
        .next = hub->feeds,
        .link = &hub->feeds,
    };
    if (hub->feeds)
        hub->feeds->link = &feed->next;
    hub->feeds = feed;
    hub->n++;
    /* Send data at once after the headers: clients treat the stream as open only then. */
    ps_buf_puts(&feed->out, ": perfshelf\n\n");
    return feed;
}

enum ps_status ps_hub_subscribe(struct ps_hub *hub, uint64_t topic,
                                const struct ps_feed_owner *owner, struct ps_feed **out,
                                struct ps_err *err)
{
    enum ps_status status;

    *out = NULL;
    pthread_mutex_lock(&hub->lock);
    status = check_limits(hub, owner, err);
    if (status == PS_OK)
        *out = add_feed(hub, topic, owner);
    pthread_mutex_unlock(&hub->lock);
    return status;
}

void ps_feed_free(struct ps_feed *feed)
{
    struct ps_hub *hub;

    if (!feed)
        return;
    hub = feed->hub;
    pthread_mutex_lock(&hub->lock);
    *feed->link = feed->next;
    if (feed->next)
        feed->next->link = feed->link;
    hub->n--;
    pthread_mutex_unlock(&hub->lock);
    ps_buf_free(&feed->out);
    free(feed->address);
    free(feed->user_name);
    free(feed->secret);
    free(feed);
}

/* The caller holds the lock. */
static void wake_feed(struct ps_feed *feed)
{
    if (feed->is_waiting)
        ps_mhd.MHD_resume_connection(feed->connection);
    feed->is_waiting = false;
}

static void push_text(struct ps_feed *feed, struct ps_str text)
{
    if (feed->is_ending)
        return;
    if (feed->out.len - feed->sent + text.len > PS_FEED_MAX)
        feed->is_ending = true;
    else
        ps_buf_add_str(&feed->out, text);
    wake_feed(feed);
}

static struct ps_buf event_text(const char *event, struct ps_str data)
{
    struct ps_buf text = {0};

    ps_buf_printf(&text, "event: %s\ndata: ", event);
    ps_buf_add_str(&text, data);
    ps_buf_puts(&text, "\n\n");
    return text;
}

static void push_all(struct ps_hub *hub, uint64_t topic, struct ps_str text)
{
    pthread_mutex_lock(&hub->lock);
    for (struct ps_feed *feed = hub->feeds; feed; feed = feed->next)
        if (feed->topic == PS_TOPIC_ALL || topic == PS_TOPIC_ALL || feed->topic == topic)
            push_text(feed, text);
    pthread_mutex_unlock(&hub->lock);
}

void ps_hub_send(struct ps_hub *hub, uint64_t topic, const char *event, struct ps_str data)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = event_text(event, data);

    push_all(hub, topic, ps_buf_slice(&text));
}

void ps_feed_send(struct ps_feed *feed, const char *event, struct ps_str data)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = event_text(event, data);

    pthread_mutex_lock(&feed->hub->lock);
    push_text(feed, ps_buf_slice(&text));
    pthread_mutex_unlock(&feed->hub->lock);
}

/* Lists the distinct secrets of all feeds, each with its NUL. */
static void list_secrets(struct ps_hub *hub, struct ps_buf *out)
{
    pthread_mutex_lock(&hub->lock);
    for (const struct ps_feed *feed = hub->feeds; feed; feed = feed->next) {
        const size_t len = strlen(feed->secret) + 1;

        if (len > 1 && !(out->len && memmem(out->ptr, out->len, feed->secret, len)))
            ps_buf_add(out, feed->secret, len);
    }
    pthread_mutex_unlock(&hub->lock);
}

static void end_feeds_of(struct ps_hub *hub, const char *secret)
{
    pthread_mutex_lock(&hub->lock);
    for (struct ps_feed *feed = hub->feeds; feed; feed = feed->next) {
        if (strcmp(feed->secret, secret) != 0)
            continue;
        feed->is_ending = true;
        wake_feed(feed);
    }
    pthread_mutex_unlock(&hub->lock);
}

void ps_hub_ping(struct ps_hub *hub, bool (*is_valid)(void *user, const char *secret), void *user)
{
    PS_AUTO(ps_buf_free) struct ps_buf secrets = {0};

    list_secrets(hub, &secrets);
    for (size_t at = 0; at < secrets.len; at += strlen(secrets.ptr + at) + 1)
        if (!is_valid(user, secrets.ptr + at))
            end_feeds_of(hub, secrets.ptr + at);
    push_all(hub, PS_TOPIC_ALL, PS_STR(": ping\n\n"));
}

void ps_feed_end(struct ps_feed *feed)
{
    pthread_mutex_lock(&feed->hub->lock);
    feed->is_ending = true;
    wake_feed(feed);
    pthread_mutex_unlock(&feed->hub->lock);
}

static void end_feeds(struct ps_hub *hub, bool all, uint64_t topic)
{
    pthread_mutex_lock(&hub->lock);
    hub->is_closed = hub->is_closed || all;
    for (struct ps_feed *feed = hub->feeds; feed; feed = feed->next) {
        if (!all && feed->topic != topic)
            continue;
        feed->is_ending = true;
        wake_feed(feed);
    }
    pthread_mutex_unlock(&hub->lock);
}

void ps_hub_end_topic(struct ps_hub *hub, uint64_t topic)
{
    end_feeds(hub, false, topic);
}

void ps_hub_close(struct ps_hub *hub)
{
    end_feeds(hub, true, PS_TOPIC_ALL);
}

size_t ps_hub_count_feeds(struct ps_hub *hub)
{
    size_t n;

    pthread_mutex_lock(&hub->lock);
    n = hub->n;
    pthread_mutex_unlock(&hub->lock);
    return n;
}

/* Callback of libmicrohttpd for up to `max` bytes. Returning 0 after a suspend means: call again
 * when resumed. */
static ssize_t read_feed(void *cls, uint64_t pos, char *buf, size_t max)
{
    struct ps_feed *feed = cls;
    struct ps_str rest;
    ssize_t n;

    (void)pos;
    pthread_mutex_lock(&feed->hub->lock);
    rest = ps_str_skip(ps_buf_slice(&feed->out), feed->sent);
    n = (ssize_t)(rest.len < max ? rest.len : max);
    if (n > 0) {
        memcpy(buf, rest.ptr, (size_t)n);
        feed->sent += (size_t)n;
    } else if (feed->is_ending) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        ps_mhd.MHD_suspend_connection(feed->connection);
        feed->is_waiting = true;
    }
    if (feed->sent == feed->out.len)
        feed->sent = feed->out.len = 0;
    pthread_mutex_unlock(&feed->hub->lock);
    return n;
}

static void close_feed(void *cls)
{
    ps_feed_free(cls);
}

struct MHD_Response *ps_feed_create_response(struct ps_feed *feed,
                                             struct MHD_Connection *connection)
{
    feed->connection = connection;
    return ps_mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_feed, feed,
                                                    close_feed);
}
