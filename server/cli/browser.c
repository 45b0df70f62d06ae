/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/* Nothing of ours goes into the browser: not our signal mask, not our terminal. */
static int spawn_browser(const char *url)
{
    char program[] = "xdg-open";
    char *argv[] = {program, (char *)(uintptr_t)url, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    pid_t pid;
    int code;

    sigemptyset(&none);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    code = posix_spawnp(&pid, program, &files, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return code;
}

void ps_browser_show(const char *url)
{
    int code = spawn_browser(url);

    if (code != 0)
        ps_log("cannot open the browser (xdg-open: %s); open %s yourself", strerror(code), url);
}
