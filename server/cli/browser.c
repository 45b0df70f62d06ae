/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/browser.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

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
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
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

void ps_browser_show(const char *url)
{
    pthread_t thread;
    pid_t pid;
    int code = spawn_browser(url, &pid);

    if (code != 0)
        ps_log("cannot open the browser (xdg-open: %s); open %s yourself", strerror(code), url);
    else if (pthread_create(&thread, NULL, wait_for_browser, (void *)(intptr_t)pid) == 0)
        (void)pthread_detach(thread);
}
