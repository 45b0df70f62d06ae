/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz_import.h"

#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"

struct judge {
    struct ps_sink sink;
    uint32_t imports, packages, functions, listed;
    struct ps_ledger ledger;
    bool has_ledger, has_headline;
};

static void check_text(struct ps_str text)
{
    FUZZ_HOLDS(ps_utf8_valid(text));
}

static void on_meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    (void)sink;
    (void)key;
    check_text(value);
}

static void on_number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    (void)sink;
    (void)key;
    (void)value;
}

static void on_list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    (void)sink;
    (void)key;
    for (size_t i = 0; i < n; i++)
        check_text(items[i]);
}

static void on_note(struct ps_sink *sink, const struct ps_note *note)
{
    (void)sink;
    check_text(note->what);
}

static void on_package(struct ps_sink *sink, const struct ps_package *package)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(package->id == ++judge->packages);
    FUZZ_HOLDS(judge->imports == 0);
    check_text(package->name);
}

static void on_import(struct ps_sink *sink, const struct ps_import *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->imports);
    FUZZ_HOLDS(row->parent == 0 || row->parent > row->id);
    FUZZ_HOLDS(row->importer == 0 || row->importer > row->id);
    FUZZ_HOLDS(row->package >= 1 && row->package <= judge->packages);
    FUZZ_HOLDS(row->cached == (row->start == 0));
    FUZZ_HOLDS(row->total_us >= 0);
    check_text(row->module);
}

static void on_function(struct ps_sink *sink, const struct ps_function *f)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(f->id == ++judge->functions);
    FUZZ_HOLDS(f->listed || f->n_callers == 0);
    FUZZ_HOLDS(!f->listed || ++judge->listed == f->id);
    for (uint32_t i = 0; i < f->n_callers; i++) {
        FUZZ_HOLDS(f->callers[i].caller >= 1);
        FUZZ_HOLDS(f->callers[i].caller != f->id || f->cycle > 0);
    }
    for (uint32_t i = 1; i < f->n_callees; i++)
        FUZZ_HOLDS(f->callees[i - 1] < f->callees[i]);
    check_text(f->file);
    check_text(f->name);
}

static void on_ledger(struct ps_sink *sink, const struct ps_ledger *ledger)
{
    struct judge *judge = (struct judge *)sink;

    judge->has_ledger = true;
    FUZZ_HOLDS(ledger->read ==
               ledger->stored + ledger->repaired + ledger->rejected + ledger->other);
}

static void on_headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    struct judge *judge = (struct judge *)sink;

    (void)headline;
    judge->has_headline = true;
}

static bool on_progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    (void)sink;
    (void)done;
    (void)total;
    (void)records;
    return true;
}

void fuzz_import(const struct ps_importer *importer, struct ps_str bytes, size_t block)
{
    static const struct ps_sink_ops ops = {
        .meta = on_meta,
        .number = on_number,
        .list = on_list,
        .note = on_note,
        .package = on_package,
        .import = on_import,
        .function = on_function,
        .ledger = on_ledger,
        .headline = on_headline,
        .progress = on_progress,
    };
    struct judge judge = {.sink = {.ops = &ops}};
    struct ps_err err = PS_ERR_INIT;
    struct ps_stream *in = ps_stream_utf8(ps_stream_memory(bytes, block));
    enum ps_status status = importer->load(in, &judge.sink, &err);

    FUZZ_HOLDS(status == err.code);
    FUZZ_HOLDS(status != PS_INTERNAL && status != PS_CANCELLED);
    if (status == PS_OK)
        FUZZ_HOLDS(judge.has_ledger && judge.has_headline);
    else
        FUZZ_HOLDS(err.text[0] != '\0');
    ps_stream_free(in);
}
