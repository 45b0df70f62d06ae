/* SPDX-License-Identifier: MIT */
/* sniff_test.c: which files are profiles, asked of one process, which may end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "server/jobs/sniff.h"

#define LOG "import time: self [us] | cumulative | imported package\nimport time:  1 |  1 | a\n"

static const struct ps_sandbox_limits limits = {PS_SANDBOX_MEMORY_BYTES, PS_SANDBOX_CPU_S,
                                                PS_SANDBOX_FILE_BYTES};

static bool always(void *user)
{
    (void)user;
    return true;
}

static int fresh(void **state)
{
    struct ps_sniffer *sniffer = ps_alloc(sizeof *sniffer);

    *sniffer = (struct ps_sniffer){&limits, always, NULL, {.socket = -1}};
    *state = sniffer;
    return 0;
}

static int end(void **state)
{
    ps_sniffer_end(*state);
    free(*state);
    return 0;
}

/* Of a file of this text, at whose end the caller stands. */
static enum ps_status sniff(struct ps_sniffer *sniffer, const char *text, struct ps_err *err)
{
    FILE *file = tmpfile();
    struct ps_sniffed found;
    enum ps_status status;

    assert_non_null(file);
    (void)fputs(text, file);
    (void)fflush(file);
    *err = (struct ps_err)PS_ERR_INIT;
    status = ps_sniffer_check(sniffer, fileno(file), &found, err);
    assert_int_equal(status, err->code);
    (void)fclose(file);
    return status;
}

static void one_process_looks_at_many(void **state)
{
    struct ps_sniffer *sniffer = *state;
    struct ps_err err;
    pid_t pid;

    assert_int_equal(sniff(sniffer, LOG, &err), PS_OK);
    pid = sniffer->child.pid;
    assert_true(pid > 0);
    assert_int_equal(sniff(sniffer, "nothing to see\n", &err), PS_UNKNOWN_KIND);
    assert_true(err.text[0] && err.hint[0]);
    assert_int_equal(sniff(sniffer, "", &err), PS_UNKNOWN_KIND);
    assert_string_equal(err.text, "the file is empty");
    assert_int_equal(sniff(sniffer, LOG, &err), PS_OK);
    assert_int_equal(sniffer->child.pid, pid);
}

/* Once it is dead, or stopped. */
static void send_signal(const struct ps_sniffer *sniffer, int signal, int which)
{
    siginfo_t what;

    assert_int_equal(kill(sniffer->child.pid, signal), 0);
    assert_int_equal(waitid(P_PID, (id_t)sniffer->child.pid, &what, which | WNOWAIT), 0);
}

static void another_one_takes_its_place(void **state)
{
    struct ps_sniffer *sniffer = *state;
    struct ps_err err;

    assert_int_equal(sniff(sniffer, LOG, &err), PS_OK);
    send_signal(sniffer, SIGKILL, WEXITED);
    assert_int_equal(sniff(sniffer, LOG, &err), PS_OK);
    send_signal(sniffer, SIGSTOP, WSTOPPED);
    assert_int_equal(sniff(sniffer, LOG, &err), PS_INTERRUPTED);
    assert_non_null(strstr(err.text, "stopped by signal"));
    assert_int_equal(sniffer->child.pid, 0);
    assert_int_equal(sniff(sniffer, "nothing to see\n", &err), PS_UNKNOWN_KIND);
}

int sniff_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_process_looks_at_many, fresh, end),
        cmocka_unit_test_setup_teardown(another_one_takes_its_place, fresh, end),
    };

    return cmocka_run_group_tests_name("sniff", tests, NULL, NULL);
}
