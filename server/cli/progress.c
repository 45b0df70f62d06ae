/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/progress.h"

#include "base/clock.h"
#include "base/format.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_AFTER_S 1.0
#define REDRAW_S      0.1
#define BAR           24

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void ps_progress_catch_interrupts(void)
{
    /* No SA_RESTART: a blocking read from a pipe must return. */
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool ps_progress_interrupted(void)
{
    return interrupted;
}

static double monotonic_s(void)
{
    return (double)ps_monotonic_ns() * 1e-9;
}

void ps_progress_start(struct ps_progress *progress, const char *subject)
{
    *progress = (struct ps_progress){
        .subject = subject, .started_s = monotonic_s(), .is_terminal = isatty(STDERR_FILENO)};
}

/* Draws "big.prof  [#######-----]  62 %, 27.1 MiB of 43.5 MiB, about 2 s left". spent: seconds. */
static void draw_bar(const struct ps_progress *progress, double done, double total,
                     uint64_t records, double spent)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    char a[48], b[48], count[64];
    ps_buf_puts(&line, "\r\033[K");
    ps_append_escaped(&line, ps_str_from_c(progress->subject));
    if (total > 0) {
        double share = done < total ? done / total : 1;
        int filled = (int)(share * BAR);
        ps_buf_printf(&line, "  [%.*s%.*s]  %.0f %%, %s of %s", filled, "########################",
                      BAR - filled, "------------------------", share * 100,
                      ps_format_bytes(done, a), ps_format_bytes(total, b));
        if (share > 0.02 && share < 1)
            ps_buf_printf(&line, ", about %.0f s left", spent / share - spent + 0.5);
    } else {
        ps_buf_printf(&line, "  %s", ps_format_bytes(done, a));
    }
    if (records)
        ps_buf_printf(&line, ", %s", ps_format_count(records, "record", count));
    fwrite(line.ptr, 1, line.len, stderr);
}

bool ps_progress_step(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct ps_progress *progress = user;
    if (progress->is_terminal) {
        double now = monotonic_s();
        if (now - progress->started_s >= FIRST_AFTER_S && now - progress->drawn_s >= REDRAW_S) {
            draw_bar(progress, (double)done, (double)total, records, now - progress->started_s);
            progress->drawn_s = now;
        }
    }
    return !interrupted;
}

void ps_progress_end(struct ps_progress *progress)
{
    if (progress->drawn_s > 0)
        fputs("\r\033[K", stderr);
    progress->drawn_s = 0;
}
