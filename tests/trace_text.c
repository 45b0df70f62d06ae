/* SPDX-License-Identifier: MIT */
#include "tests/trace_text.h"

#include "base/json_out.h"

struct printing {
    struct tr_trace *trace;
    const struct tr_thread *thread;
    struct ps_buf *out;
};

static void put_args(struct printing *p, struct ps_json *j, const struct tr_record *r, bool rest)
{
    struct ps_buf args = {0};

    ps_args_json(p->trace->templates[r->template].text, tr_params_at(p->trace, r->args_address),
                 rest, &args);
    ps_json_raw(j, ps_buf_slice(&args));
    ps_buf_free(&args);
}

static void print_record(struct printing *p, const struct tr_record *r)
{
    struct ps_json j = ps_json_writer(p->out);
    char ph[2] = {(char)r->phase, 0};

    ps_json_object(&j);
    ps_json_key_str(&j, "ph", ph);
    ps_json_key(&j, "pid");
    ps_json_str(&j, p->thread->pid);
    ps_json_key(&j, "tid");
    ps_json_str(&j, p->thread->tid);
    ps_json_key_int(&j, "ts", r->ts_ns);
    if (r->dur_or_id != TR_NO_DURATION && !r->is_text_id)
        ps_json_key_int(&j, "dur", r->dur_or_id);
    ps_json_key(&j, "name");
    ps_json_str(&j, r->name ? tr_text_of_id(p->trace, r->name) : (struct ps_str){NULL, 0});
    ps_json_key(&j, "cat");
    ps_json_str(&j,
                r->category ? p->trace->categories[r->category].text : (struct ps_str){NULL, 0});
    if (r->is_text_id) {
        ps_json_key(&j, "id");
        ps_json_str(&j, tr_text_of_id(p->trace, (uint32_t)r->dur_or_id));
    }
    ps_json_key(&j, "args");
    put_args(p, &j, r, false);
    ps_json_key(&j, "rest");
    put_args(p, &j, r, true);
    ps_json_end(&j);
    ps_buf_puts(p->out, "\n");
}

static void print_records(void *user, const struct tr_record *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        print_record(user, &records[i]);
}

void trace_text(struct tr_trace *trace, struct ps_buf *out)
{
    struct printing p = {.trace = trace, .out = out};

    for (uint32_t i = 0; i < trace->n_threads; i++) {
        p.thread = &trace->threads[i];
        tr_thread_visit(trace, p.thread, print_records, &p);
    }
    for (size_t i = 0; i < trace->n_headers; i++)
        ps_buf_printf(out, "header %.*s %.*s\n", (int)trace->headers[i].key.len,
                      trace->headers[i].key.ptr, (int)trace->headers[i].json.len,
                      trace->headers[i].json.ptr);
}
