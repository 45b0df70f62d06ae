/* SPDX-License-Identifier: MIT */
/* parser_output.c: the threads and the times of the records that parse.c and pattern.c read. */
#include <stdio.h>

#include "importers/trace/pages.h"

static struct ps_str text_of_key(const struct tr_key *key, char digits[32])
{
    if (key->is_text)
        return key->text;
    return (struct ps_str){digits, (size_t)snprintf(digits, 32, "%lld", (long long)key->number)};
}

uint32_t tr_local_thread(struct tr_parser *p, const struct tr_key *pid, const struct tr_key *tid)
{
    struct tr_thread_cache *cache = NULL;
    char pid_digits[32], tid_digits[32];
    uint32_t thread;

    if (!pid->is_text && !tid->is_text) {
        cache = &p->threads[((uint64_t)pid->number * 31 + (uint64_t)tid->number) % 16];
        if (cache->is_used && cache->pid == pid->number && cache->tid == tid->number)
            return cache->thread;
    }
    p->scratch.len = 0;
    tr_thread_key(&p->scratch, text_of_key(pid, pid_digits), text_of_key(tid, tid_digits));
    thread = ps_intern_add(&p->local.threads, ps_buf_slice(&p->scratch));
    if (cache)
        *cache = (struct tr_thread_cache){pid->number, tid->number, thread, true};
    return thread;
}

bool tr_zero_time(int64_t origin_us, int64_t *out)
{
    return !__builtin_mul_overflow(origin_us, INT64_C(-1000), out);
}

void tr_extend_times(struct tr_parser *p, const struct tr_record *r)
{
    int64_t end = r->ts_ns + (r->phase == 'X' && r->dur_or_id != TR_NO_DURATION ? r->dur_or_id : 0);
    struct tr_parser_output *local = &p->local;
    int64_t zero;

    if (tr_zero_time(p->origin_us, &zero) && r->ts_ns == zero) {
        local->n_zero++;
        local->zero_end_ns = end > local->zero_end_ns ? end : local->zero_end_ns;
        return;
    }
    local->first_ns = r->ts_ns < local->first_ns ? r->ts_ns : local->first_ns;
    local->last_ns = end > local->last_ns ? end : local->last_ns;
}
