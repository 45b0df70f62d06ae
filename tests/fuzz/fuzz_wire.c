/* SPDX-License-Identifier: MIT */
/*
 * fuzz_wire.c: messages of Protocol Buffers. The same fields come out of a stream in big and in
 * small blocks, and of memory.
 */
#include "base/wire.h"
#include "importers/messages/perfetto_messages.h"
#include "tests/fuzz/fuzz.h"

/* Adds what is read to a number that depends on the order. */
static void mix(uint64_t *sum, uint64_t value)
{
    *sum = (*sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t read_packet(struct ps_str bytes)
{
    struct pf_track_event event;
    struct ps_wire_fault fault;
    struct ps_str text;
    uint64_t number = 0, sum = 0;

    FUZZ_HOLDS(ps_wire_read(&pf_track_event_message, bytes, &event, &fault) == !fault.what);
    FUZZ_HOLDS(!fault.what || fault.at < bytes.len);
    mix(&sum, event.has);
    mix(&sum, event.name.len);
    while (ps_wire_next_int(&event.flow_ids, &number) ||
           ps_wire_next_int(&event.category_iids, &number))
        mix(&sum, number);
    while (ps_wire_next_string(&event.categories, &text))
        mix(&sum, text.len);
    return sum;
}

/* Enters every second message. */
static uint64_t read_stream(struct ps_str bytes, size_t block)
{
    struct ps_stream *in = ps_stream_from_memory(bytes, block);
    struct ps_wire_stream s;
    struct ps_wire_header field;
    struct ps_str message;
    uint64_t sum = 0, last = 0;

    ps_wire_stream_open(&s, in);
    for (;;) {
        if (!ps_wire_stream_next(&s, &field)) {
            if (s.fault.what || !s.depth)
                break;
            ps_wire_stream_leave(&s);
            continue;
        }
        FUZZ_HOLDS(field.offset >= last && field.offset < bytes.len);
        last = field.offset;
        mix(&sum, field.number);
        mix(&sum, field.value);
        if (field.type == PS_WIRE_BYTES && field.number % 2 && ps_wire_stream_bytes(&s, &message))
            mix(&sum, read_packet(message));
        else if (field.type == PS_WIRE_BYTES && !(field.number % 2))
            (void)ps_wire_stream_enter(&s);
    }
    mix(&sum, s.fault.at);
    mix(&sum, s.fault.what != NULL);
    FUZZ_HOLDS(!s.fault.what || s.fault.at <= bytes.len);
    ps_stream_free(in);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_str input = {(const char *)bytes, len};

    FUZZ_HOLDS(read_stream(input, 0) == read_stream(input, 7));
    (void)read_packet(input);
    return 0;
}
