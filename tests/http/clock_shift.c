/* SPDX-License-Identifier: MIT */
/* clock_shift.c: preloaded into a server, its wall clock is ahead by the seconds that the file
 * $CLOCK_SHIFT holds, which a test changes while the server runs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void)
{
    const char *path = getenv("CLOCK_SHIFT");
    FILE *file = path ? fopen(path, "re") : NULL;
    long seconds = 0;

    if (file && fscanf(file, "%ld", &seconds) != 1)
        seconds = 0;
    if (file)
        (void)fclose(file);
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    const int code = (int)syscall(SYS_clock_gettime, clock, out);

    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += shift();
    return code;
}

time_t time(time_t *out)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
