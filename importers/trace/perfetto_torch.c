/* SPDX-License-Identifier: MIT */
/*
 * perfetto_torch.c: what PyTorch's traces have of their own.
 *
 * PyTorch writes slices in groups: the begins of all slices of a group, then their ends in the same
 * order. Perfetto sorts events by time, and takes an end for that of the slice that began last. If
 * one slice begins at the nanosecond at which another one of its thread ends, Perfetto makes the
 * second a part of the first. The order of the file says which end belongs to which begin.
 *
 * A file in which time never goes back at an end may also be one whose events are in the order of
 * time. Ends are held back until it is known.
 */
#include "importers/trace/perfetto.h"

#define NO_SIGN INT64_C(0x7fffffff)

int64_t pf_torch_id(const struct pf_reader *r, int64_t id)
{
    return r->trace.is_torch && id == NO_SIGN ? -1 : id;
}

/* PyTorch gives overhead and waits no category: its JSON has one. */
static uint16_t find_category(struct pf_reader *r, uint32_t thread, struct ps_str args)
{
    if (r->trace.threads[thread].pid_number == -1)
        return tr_fill_word(&r->trace, PS_STR("overhead"));
    return ps_str_find(args, PS_STR("\"cuda_sync_kind\""))
               ? tr_fill_word(&r->trace, PS_STR("cuda_sync"))
               : 0;
}

/* Makes a begin and its end one record. `at`: index in `open`. */
static void close_slice(struct pf_reader *r, size_t at, int64_t end_ns)
{
    struct pf_torch *torch = &r->torch;
    struct tr_record *record = torch->open[at].record;

    record->phase = 'X';
    record->dur_or_id = end_ns - record->ts_ns;
    r->trace.last_ns = end_ns > r->trace.last_ns ? end_ns : r->trace.last_ns;
    if (at == torch->first)
        torch->first++;
    else
        memmove(&torch->open[at], &torch->open[at + 1], (--torch->n - at) * sizeof *torch->open);
}

/* Index in `open` of the slice that the end belongs to; torch.n: none. */
static size_t find_begin(const struct pf_torch *torch, const struct pf_held_end *end)
{
    size_t at = torch->first;

    if (torch->is_grouped)
        return at < torch->n && torch->open[at].thread == end->thread &&
                       torch->open[at].record->ts_ns <= end->ts_ns
                   ? at
                   : torch->n;
    for (at = torch->n; at > torch->first; at--)
        if (torch->open[at - 1].thread == end->thread)
            return at - 1;
    return torch->n;
}

static enum ps_status apply_end(struct pf_reader *r, const struct pf_held_end *end)
{
    size_t at = find_begin(&r->torch, end);
    struct tr_record record = {
        .ts_ns = end->ts_ns, .dur_or_id = TR_NO_DURATION, .phase = TR_PHASE_NAMED_END};

    if (at == r->torch.n)
        return tr_fill_record(&r->trace, end->thread, record, PS_STR(""));
    close_slice(r, at, end->ts_ns);
    return PS_OK;
}

enum ps_status pf_torch_flush(struct pf_reader *r)
{
    struct pf_torch *torch = &r->torch;

    for (size_t i = 0; i < torch->n_held && r->err->code == PS_OK; i++)
        (void)apply_end(r, &torch->held[i]);
    torch->n_held = 0;
    return r->err->code;
}

enum ps_status pf_torch_begin(struct pf_reader *r, uint32_t thread)
{
    struct pf_torch *torch = &r->torch;
    struct tr_record *record = tr_fill_last(&r->trace, thread);

    if (torch->n_held && pf_torch_flush(r) != PS_OK)
        return r->err->code;
    if (!record->category) {
        record->category = find_category(r, thread, r->trace.templates[record->template].text);
        r->trace.threads[thread].is_torch |= r->trace.categories[record->category].is_torch;
    }
    if (torch->first == torch->n)
        torch->first = torch->n = 0;
    TR_SCRATCH_PUSH(r->trace.scratch, torch->open, torch->n, torch->cap);
    torch->open[torch->n++] = (struct pf_open){record, thread};
    torch->last_ns = record->ts_ns;
    return PS_OK;
}

enum ps_status pf_torch_end(struct pf_reader *r, uint32_t thread, int64_t ts_ns)
{
    struct pf_torch *torch = &r->torch;
    struct pf_held_end end = {ts_ns, thread};

    if (torch->is_grouped)
        return apply_end(r, &end);
    TR_SCRATCH_PUSH(r->trace.scratch, torch->held, torch->n_held, torch->cap_held);
    torch->held[torch->n_held++] = end;
    torch->is_grouped = ts_ns < torch->last_ns;
    torch->last_ns = ts_ns;
    return torch->is_grouped ? pf_torch_flush(r) : PS_OK;
}

void pf_torch_free(struct pf_reader *r)
{
    tr_scratch_free(r->trace.scratch, r->torch.open);
    tr_scratch_free(r->trace.scratch, r->torch.held);
}
