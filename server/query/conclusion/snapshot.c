/* SPDX-License-Identifier: MIT */
/* snapshot.c: the conclusion of a memory snapshot of PyTorch: why an allocation failed, else the
 * peak; and who holds the memory, as for stacks. */
#include <math.h>
#include <stdlib.h>

#include "server/query/conclusion/conclusion.h"

/* of the reserved bytes: from this share of unused memory on, fragmentation is a cause */
#define UNUSED_SHARE 0.2

static const struct ps_report_link flame_link = {.tab = "stack-flame"};

struct device {
    int64_t number, ooms;
    double peak, asked, driver_free, reserved, live; /* bytes; those of the first failure */
    int64_t events;
};

/* False: the snapshot has no device, or an error. */
static bool read_device(struct ps_db *db, struct device *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_snapshot"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return false;
    *out = (struct device){.number = ps_col_int(stmt, 0),
                           .peak = ps_col_real(stmt, 1),
                           .ooms = ps_col_int(stmt, 2),
                           .asked = ps_col_real(stmt, 3),
                           .driver_free = ps_col_real(stmt, 4),
                           .reserved = ps_col_real(stmt, 5),
                           .live = ps_col_real(stmt, 6),
                           .events = ps_col_int(stmt, 7)};
    return true;
}

static void say_failure(struct ps_conclusion *c, const struct device *device)
{
    double unused = device->reserved - device->live;
    struct ps_cause *cause;

    ps_say(c, &c->verdict, "An allocation of ");
    ps_say_value(&c->verdict, ps_link_none, device->asked, "bytes");
    ps_say(c, &c->verdict, " failed on GPU %lld: the driver had ", (long long)device->number);
    ps_say_value(&c->verdict, ps_link_none, device->driver_free, "bytes");
    ps_say(c, &c->verdict, " free.");
    ps_say(c, &c->sentence, " PyTorch had reserved ");
    ps_say_value(&c->sentence, ps_link_none, device->reserved, "bytes");
    ps_say(c, &c->sentence, ", of which ");
    ps_say_value(&c->sentence, ps_link_none, unused, "bytes");
    ps_say(c, &c->sentence, " were not in use.");
    if (unused < UNUSED_SHARE * device->reserved && unused < device->asked)
        return;
    cause = ps_conclusion_add(c, "fragmentation", unused, NAN);
    ps_say(c, &cause->title, "Reserved memory that no allocation used");
    ps_say_value(&cause->evidence, ps_link_none, device->reserved, "bytes");
    ps_say(c, &cause->evidence, " reserved when the allocation failed");
    ps_cause_save(cause, 0, unused);
    cause->advice = "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: free memory of several "
                    "segments can then serve one allocation.";
}

static void say_peak(struct ps_conclusion *c, const struct device *device)
{
    ps_say(c, &c->verdict, "Memory peaks at ");
    ps_say_value(&c->verdict, flame_link, device->peak, "bytes");
    ps_say(c, &c->verdict, " on GPU %lld.", (long long)device->number);
}

/* Memory without a stack cannot be attributed, so nothing is said about what it could save. */
static void mark_unknown(struct ps_conclusion *c)
{
    for (size_t i = 0; i < c->n_causes; i++) {
        struct ps_cause *cause = &c->causes[i];

        if (!cause->title.n || !ps_str_eq_c(cause->title.parts[0].text, "(no Python stack)"))
            continue;
        ps_cause_save(cause, NAN, NAN);
        cause->advice = "Call torch.cuda.memory._record_memory_history() before the model is "
                        "created, so that its memory has a stack.";
    }
}

static void append_sentence(struct ps_sentence *to, const struct ps_sentence *from)
{
    for (size_t i = 0; i < from->n; i++) {
        PS_RESERVE_ONE(to->parts, to->n, to->cap);
        to->parts[to->n++] = from->parts[i];
    }
}

enum ps_status ps_conclude_snapshot(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    struct ps_sentence owner, details;
    struct device device;

    if (ps_conclude_live_set(db, out, err) != PS_OK)
        return err->code;
    owner = out->verdict; /* who holds most: said after the new verdict */
    details = out->sentence;
    out->verdict = out->sentence = (struct ps_sentence){0};
    if (read_device(db, &device, err)) {
        mark_unknown(out);
        out->base = "of the peak";
        if (device.ooms)
            say_failure(out, &device);
        else
            say_peak(out, &device);
        if (device.peak > 0) {
            ps_say(out, &out->sentence, device.ooms ? " At the peak, " : " ");
            append_sentence(&out->sentence, &owner);
            append_sentence(&out->sentence, &details);
        }
    } else {
        ps_say(out, &out->verdict, "The snapshot has no memory.");
    }
    free(owner.parts);
    free(details.parts);
    return err->code;
}
