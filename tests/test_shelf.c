/* SPDX-License-Identifier: MIT */
#include "tests/test_shelf.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/records/run.h"
#include "server/runwrite/run_writer.h"
#include "tests/dump_sink.h"

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    abort();
}

void test_shelf_open(struct test_shelf *shelf)
{
    const char *tmp = getenv("TMPDIR");
    struct ps_err err = PS_ERR_INIT;

    *shelf = (struct test_shelf){.published = 0};
    (void)snprintf(shelf->dir, sizeof shelf->dir, "%s/ps-try-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    must(mkdtemp(shelf->dir) != NULL, shelf->dir);
    must(ps_store_open(shelf->dir, &shelf->store, &err) == PS_OK, err.text);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

void test_shelf_close(struct test_shelf *shelf)
{
    ps_store_close(shelf->store);
    must(nftw(shelf->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, shelf->dir);
}

int memory_file(struct ps_str bytes)
{
    int fd = memfd_create("profile", MFD_CLOEXEC);

    must(fd >= 0, "memfd_create");
    for (size_t at = 0; at < bytes.len;) {
        ssize_t n = pwrite(fd, bytes.ptr + at, bytes.len - at, (off_t)at);

        must(n > 0, "pwrite");
        at += (size_t)n;
    }
    return fd;
}

/* The sink's own words are kept, and two of them heard. */
struct heard {
    const struct ps_sink_ops *sink;
    struct import_outcome *said;
};
static _Thread_local struct heard heard;

static void on_note(struct ps_sink *sink, const struct ps_note *note)
{
    if (note->has_offset && note->offset > heard.said->last_note)
        heard.said->last_note = note->offset;
    heard.sink->note(sink, note);
}

static void on_ledger(struct ps_sink *sink, const struct ps_ledger *ledger)
{
    heard.said->ledger = *ledger;
    heard.said->has_ledger = true;
    heard.sink->ledger(sink, ledger);
}

static int scratch(void *user, struct ps_err *err)
{
    int fd = memfd_create("scratch", MFD_CLOEXEC);

    (void)user;
    if (fd < 0)
        ps_fail_errno(err, "cannot make", "memory");
    return fd;
}

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    (void)user, (void)done, (void)total, (void)records;
    return true;
}

static uint64_t rewind_file(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);

    must(size >= 0 && lseek(fd, 0, SEEK_SET) == 0, "lseek");
    return (uint64_t)size;
}

static enum ps_status load(struct ps_sink *sink, int fd, struct import_outcome *said,
                           struct ps_err *err)
{
    struct ps_sink_ops ops = *sink->ops;
    enum ps_status status;

    *said = (struct import_outcome){.picked = NULL};
    heard = (struct heard){sink->ops, said};
    ops.note = on_note;
    ops.ledger = on_ledger;
    sink->ops = &ops;
    status = ps_import_stream(ps_stream_from_fd(fd, rewind_file(fd)), sink, &said->picked, err);
    sink->ops = heard.sink;
    if (status == PS_OK && !ps_sink_ok(sink)) {
        *err = sink->err;
        status = err->code;
    }
    return status;
}

enum ps_status test_shelf_read(int fd, struct import_outcome *said, struct ps_err *err)
{
    struct dump_sink sink;

    dump_sink_init(&sink, NULL);
    return load(&sink.sink, fd, said, err);
}

enum ps_status test_shelf_import(struct test_shelf *shelf, int fd, struct import_outcome *said,
                                 struct ps_part **part, struct ps_err *err)
{
    struct ps_writer_options writing = {.progress = on_progress, .create_scratch = scratch};
    struct ps_writer *writer = NULL;
    enum ps_status status;

    writing.input_bytes = rewind_file(fd);
    status = ps_part_create(shelf->store, part, err);
    if (status != PS_OK)
        return status;
    status = ps_writer_open(ps_part_path(*part), &writing, &writer, err);
    if (status == PS_OK)
        status = load(ps_writer_sink(writer), fd, said, err);
    if (status == PS_OK)
        status = ps_writer_end(writer, err);
    ps_writer_free(writer);
    if (status != PS_OK) {
        ps_part_abort(*part);
        *part = NULL;
    }
    return status;
}

enum ps_status test_shelf_publish(struct test_shelf *shelf, struct ps_part *part, const char *kind,
                                  char id_out[PS_ID_SIZE], struct ps_err *err)
{
    struct ps_original original = {.bytes = 1};
    const struct ps_tag tag = {"t", "v"};
    const struct ps_new_run run = {"name", "file", "series", "who", &tag, 1, 0, NULL, false, NULL};
    struct ps_published_run published;
    enum ps_status status;

    (void)snprintf(original.sha256, sizeof original.sha256, "%016llx%048d",
                   (unsigned long long)++shelf->published, 0);
    status = ps_part_publish(part, &run, kind, &original, &published, err);
    if (status == PS_OK)
        memcpy(id_out, published.id, PS_ID_SIZE);
    free(published.name);
    return status;
}
