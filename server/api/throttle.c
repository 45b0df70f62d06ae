/* SPDX-License-Identifier: MIT */
#include "server/api/throttle.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void ps_throttle_init(struct ps_throttle *throttle)
{
    memset(throttle->entries, 0, sizeof throttle->entries);
    pthread_mutex_init(&throttle->lock, NULL);
}

void ps_throttle_free(struct ps_throttle *throttle)
{
    pthread_mutex_destroy(&throttle->lock);
}

/* Stores the key under which failures of an address are counted. One user usually has a complete
 * IPv6 network of 2^64 addresses, so the key of an IPv6 address is its /64 network. An IPv4 address
 * mapped to IPv6 has the key of the IPv4 address. */
static void address_key(const char *address, char out[64])
{
    struct in6_addr six;

    (void)snprintf(out, 64, "%s", address);
    if (inet_pton(AF_INET6, address, &six) != 1)
        return;
    if (IN6_IS_ADDR_V4MAPPED(&six)) {
        (void)inet_ntop(AF_INET, &six.s6_addr[12], out, 64);
        return;
    }
    memset(&six.s6_addr[8], 0, 8);
    (void)inet_ntop(AF_INET6, &six, out, 64);
}

static struct ps_throttle_entry *find_address(struct ps_throttle *throttle, const char *key)
{
    for (size_t i = 0; i < PS_THROTTLE_ADDRESSES; i++)
        if (throttle->entries[i].failures && strcmp(throttle->entries[i].address, key) == 0)
            return &throttle->entries[i];
    return NULL;
}

static struct ps_throttle_entry *oldest_entry(struct ps_throttle *throttle)
{
    struct ps_throttle_entry *found = throttle->entries;

    for (size_t i = 1; i < PS_THROTTLE_ADDRESSES; i++)
        if (throttle->entries[i].since_s < found->since_s)
            found = &throttle->entries[i];
    return found;
}

unsigned ps_throttle_wait_s(struct ps_throttle *throttle, const char *address, int64_t now_s)
{
    const struct ps_throttle_entry *entry;
    unsigned wait = 0;
    char key[64];

    address_key(address, key);
    pthread_mutex_lock(&throttle->lock);
    entry = find_address(throttle, key);
    if (entry && entry->failures >= PS_THROTTLE_TRIES &&
        now_s - entry->since_s < PS_THROTTLE_PERIOD_S)
        wait = (unsigned)(PS_THROTTLE_PERIOD_S - (now_s - entry->since_s));
    pthread_mutex_unlock(&throttle->lock);
    return wait;
}

void ps_throttle_count_failure(struct ps_throttle *throttle, const char *address, int64_t now_s)
{
    struct ps_throttle_entry *entry;
    char key[64];

    address_key(address, key);
    pthread_mutex_lock(&throttle->lock);
    entry = find_address(throttle, key);
    if (!entry || now_s - entry->since_s >= PS_THROTTLE_PERIOD_S) {
        entry = entry ? entry : oldest_entry(throttle);
        *entry = (struct ps_throttle_entry){.since_s = now_s};
        memcpy(entry->address, key, sizeof key);
    }
    entry->failures++;
    pthread_mutex_unlock(&throttle->lock);
}
