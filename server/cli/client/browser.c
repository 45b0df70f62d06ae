/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/client/browser.h"

#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "server/cli/client/port_owner.h"

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

/* Whether a browser could be seen: the user has a display, or has named a browser for terminals. */
static bool has_display(void)
{
    return environment("DISPLAY") || environment("WAYLAND_DISPLAY") || environment("BROWSER");
}

/* Starts the browser with an empty signal mask and with stdin, stdout and stderr at /dev/null.
 * Returns 0 or an error number. */
static int spawn_browser(const char *url, pid_t *pid)
{
    char program[] = "xdg-open";
    char *argv[] = {program, (char *)(uintptr_t)url, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    int code;

    sigemptyset(&none);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    /* Ctrl-C and a closed terminal end the server, not the browser. */
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    code = posix_spawnp(pid, program, &files, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return code;
}

/* Reaps the browser process, so that no zombie remains while a server runs. */
static void *wait_for_browser(void *pid)
{
    (void)waitpid((pid_t)(intptr_t)pid, NULL, 0);
    return NULL;
}

static bool is_loopback_url(const char *url)
{
    const char *host = strstr(url, "://");

    return host && (strncmp(host, "://127.", 7) == 0 || strncmp(host, "://localhost:", 13) == 0);
}

/* Logs the address for a user who sits at another machine, and how that machine reaches a server on
 * the loopback of this one. */
static void log_tunnel(const char *url, const char *connection)
{
    const struct passwd *user = getpwuid(geteuid());
    char address[64] = "", option[16] = "";
    unsigned ssh_port = 22;
    char shelf[128];
    unsigned port;

    /* $SSH_CONNECTION: address and port of the client, address and port of this machine */
    if (sscanf(connection, "%*s %*u %63s %u", address, &ssh_port) < 1)
        (void)gethostname(address, sizeof address - 1);
    if (ssh_port != 22)
        (void)snprintf(option, sizeof option, "-p %u ", ssh_port);
    (void)snprintf(shelf, sizeof shelf, "%.*s", (int)strcspn(url, "#"), url);
    shelf[strlen(shelf) - 1] = 0; /* the slash */
    port = ps_port_of(shelf);
    ps_log("this is an SSH session. On your own machine run `ssh -N -L %u:127.0.0.1:%u %s%s%s%s`, "
           "then open %s there",
           port, port, option, user ? user->pw_name : "", user ? "@" : "", address, url);
}

void ps_browser_show(const char *url)
{
    const char *connection = environment("SSH_CONNECTION");
    pthread_t thread;
    pid_t pid;
    int code;

    if (!has_display() && connection && is_loopback_url(url)) {
        log_tunnel(url, connection);
        return;
    }
    if (!has_display()) {
        ps_log("there is no display for a browser; open %s yourself", url);
        return;
    }
    code = spawn_browser(url, &pid);
    if (code != 0)
        ps_log("cannot open the browser (xdg-open: %s); open %s yourself", strerror(code), url);
    else if (pthread_create(&thread, NULL, wait_for_browser, (void *)(intptr_t)pid) == 0)
        (void)pthread_detach(thread);
}
