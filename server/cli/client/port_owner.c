/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/client/port_owner.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "base/mem.h"
#include "server/cli/client/server_record.h"

#define STATE_LISTEN 0x0A /* TCP_LISTEN of the kernel */
#define ADDRESS_HEX  33   /* an IPv6 address in hexadecimal, with NUL */

/* A listening socket: a line of /proc/net/tcp or /proc/net/tcp6. */
struct listening_socket {
    unsigned long inode;
    unsigned user_id;
};

unsigned ps_port_of(const char *address)
{
    const char *colon = strrchr(address, ':');
    unsigned port = 0;

    return colon && sscanf(colon, ":%u", &port) == 1 ? port : 0;
}

/* Writes an address as /proc/net/tcp and tcp6 do: words of 32 bits in the order of this machine.
 * "": no numeric address of the family. */
static void write_hex(int family, const char *host, char out[ADDRESS_HEX])
{
    uint32_t words[4];
    const int n = family == AF_INET ? 1 : 4;

    out[0] = 0;
    if (inet_pton(family, host, words) != 1)
        return;
    for (int i = 0; i < n; i++)
        (void)snprintf(out + 8 * i, 9, "%08X", words[i]);
}

/* Whether a socket at `local` keeps others from listening at `wanted`: the addresses are equal, or
 * one of them means all addresses. `wanted` "" is an address of the other family, which an IPv6
 * socket for all addresses includes. */
static bool is_in_the_way(const char *local, const char *wanted)
{
    const bool is_any = strspn(local, "0") == strlen(local);

    return is_any || strcmp(local, wanted) == 0 ||
           (wanted[0] && strspn(wanted, "0") == strlen(wanted));
}

static bool find_in_table(const char *path, const char *wanted, unsigned port,
                          struct listening_socket *out)
{
    FILE *table = fopen(path, "re");
    char line[512], local[ADDRESS_HEX];
    unsigned local_port, state;
    bool found = false;

    while (table && !found && fgets(line, sizeof line, table))
        found =
            sscanf(line, " %*d: %32[0-9A-F]:%X %*[0-9A-F]:%*X %X %*X:%*X %*X:%*X %*X %u %*d %lu",
                   local, &local_port, &state, &out->user_id, &out->inode) == 5 &&
            state == STATE_LISTEN && local_port == port && is_in_the_way(local, wanted);
    if (table)
        (void)fclose(table);
    return found;
}

static bool find_socket(const char *address, struct listening_socket *out)
{
    const unsigned port = ps_port_of(address);
    char host[256], four[ADDRESS_HEX], six[ADDRESS_HEX];
    const char *start = address[0] == '[' ? address + 1 : address;
    const size_t len = strcspn(start, address[0] == '[' ? "]" : ":");

    (void)snprintf(host, sizeof host, "%.*s", (int)len, start);
    if (!host[0] || strcmp(host, "localhost") == 0)
        (void)snprintf(host, sizeof host, "127.0.0.1");
    write_hex(AF_INET, host, four);
    write_hex(AF_INET6, host, six);
    return find_in_table("/proc/net/tcp", four, port, out) ||
           find_in_table("/proc/net/tcp6", six, port, out);
}

/* Whether a process has the socket open. False also if its descriptors cannot be read. */
static bool has_socket(const char *pid, unsigned long inode)
{
    char folder[64], wanted[64], target[64];
    DIR *list;
    struct dirent *entry;
    bool found = false;

    (void)snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    (void)snprintf(folder, sizeof folder, "/proc/%.20s/fd", pid);
    list = opendir(folder);
    while (list && !found && (entry = readdir(list))) {
        const ssize_t n = readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1);

        target[n > 0 ? n : 0] = 0;
        found = strcmp(target, wanted) == 0;
    }
    if (list)
        (void)closedir(list);
    return found;
}

/* Appends "NAME (process PID)"; false if no readable process has the socket. */
static bool describe_process(unsigned long inode, struct ps_buf *out)
{
    char path[64], name[64] = "";
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    bool found = false;

    while (processes && !found && (entry = readdir(processes))) {
        if (entry->d_name[strspn(entry->d_name, "0123456789")] || !has_socket(entry->d_name, inode))
            continue;
        (void)snprintf(path, sizeof path, "/proc/%.20s/comm", entry->d_name);
        PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t n = fd < 0 ? 0 : read(fd, name, sizeof name - 1);

        found = n > 1;
        if (found) {
            ps_append_escaped(out, (struct ps_str){name, (size_t)n - (name[n - 1] == '\n')});
            ps_buf_printf(out, " (process %s)", entry->d_name);
        }
    }
    if (processes)
        (void)closedir(processes);
    return found;
}

void ps_port_owner_describe(const char *address, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf shelf = {0};
    struct listening_socket socket = {0};
    const bool is_known = find_socket(address, &socket);

    if (!is_known || !describe_process(socket.inode, out)) {
        const struct passwd *user = is_known ? getpwuid(socket.user_id) : NULL;

        if (user && socket.user_id != geteuid())
            ps_buf_printf(out, "a program of the user %s", user->pw_name);
        else
            ps_buf_puts(out, "another program");
    }
    if (ps_server_find_shelf(ps_port_of(address), &shelf)) {
        ps_buf_puts(out, ", which serves the shelf ");
        ps_append_escaped(out, ps_buf_slice(&shelf));
    }
}
