/* SPDX-License-Identifier: MIT */
/* import_many_test.c: small files with very many of one thing, of which each must be imported. Work
 * that grows with the square of their number would take minutes to hours here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dump_sink.h"

enum { MANY = 400000 };

static void import(struct ps_buf *text, struct ps_buf *dump)
{
    assert_int_equal(dump_bytes(ps_buf_slice(text), 0, dump), PS_OK);
    ps_buf_free(text);
}

static void assert_has(const struct ps_buf *dump, const char *line)
{
    if (!strstr(dump->ptr, line))
        fail_msg("the import does not say: %s", line);
}

static void test_series_of_one_counter_event(void **state)
{
    struct ps_buf text = {0}, dump = {0};

    (void)state;
    ps_buf_puts(&text,
                "{\"traceEvents\":[{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"ts\":1,\"args\":{");
    ps_buf_puts(&text, "\"nested\":[1,{\"x\":2.5}],\"half\":0.5");
    for (int i = 0; i < MANY; i++)
        ps_buf_printf(&text, ",\"k%d\":%d", i, i);
    ps_buf_puts(&text, "}}]}");
    import(&text, &dump);
    assert_has(&dump, "count 1 t=0 value=0.5\n");
    assert_has(&dump, "count 2 t=0 value=0\n");
    assert_has(&dump, "count 400001 t=0 value=399999\n");
    ps_buf_free(&dump);
}

/* The name of the event is part of the name of each series. */
static void test_series_with_a_long_name(void **state)
{
    enum { KEYS = 20000 };
    struct ps_buf text = {0}, dump = {0};

    (void)state;
    ps_buf_puts(&text, "{\"traceEvents\":[{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"");
    for (int i = 0; i < 100000; i++)
        ps_buf_puts(&text, "n");
    ps_buf_puts(&text, "\",\"args\":{\"first\":1");
    for (int i = 0; i < KEYS; i++)
        ps_buf_printf(&text, ",\"k%d\":%d", i, i);
    ps_buf_puts(&text, "}}]}");
    import(&text, &dump);
    assert_has(&dump, "nnn… k19999\"");
    assert_true(dump.len < 400 * KEYS);
    ps_buf_free(&dump);
}

static void test_parameters_of_one_command(void **state)
{
    struct ps_buf text = {0}, dump = {0};

    (void)state;
    ps_buf_puts(&text, "{\"results\":[{\"command\":\"x\",\"mean\":1.0,\"times\":[1.0],"
                       "\"parameters\":{\"p\":\"0\"");
    for (int i = 0; i < MANY; i++)
        ps_buf_printf(&text, i % 2 ? ",\"k%d\":%d" : ",\"k%d\":\"%d\"", i, i);
    ps_buf_puts(&text, "}}]}");
    import(&text, &dump);
    assert_has(&dump, "parameter=\"k399998\" text=\"399998\"");
    assert_has(&dump, "parameter=\"k399999\" number=399999");
    ps_buf_free(&dump);
}

static void test_devices_of_one_trace(void **state)
{
    enum { DEVICES = 30000 };
    struct ps_buf text = {0}, dump = {0};

    (void)state;
    ps_buf_puts(&text, "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0}],\"traceEvents\":[");
    for (int i = 0; i < DEVICES; i++)
        ps_buf_printf(&text,
                      "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":%d,\"tid\":7,"
                      "\"ts\":%d,\"dur\":1,\"args\":{\"device\":%d,\"stream\":7}}",
                      i ? "," : "", i, i, i);
    ps_buf_puts(&text, "]}");
    import(&text, &dump);
    assert_has(&dump, "device=29999");
    ps_buf_free(&dump);
}

int import_many_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series_of_one_counter_event),
        cmocka_unit_test(test_series_with_a_long_name),
        cmocka_unit_test(test_parameters_of_one_command),
        cmocka_unit_test(test_devices_of_one_trace),
    };

    return cmocka_run_group_tests_name("import_many", tests, NULL, NULL);
}
