/* SPDX-License-Identifier: MIT */
/* device_use.c: the view utilisation: how busy devices were in a range, and a breakdown of the time
 * of the range. */
#include "server/query/trace/utilisation/overview.h"

/* Writes the key "share": for each of px equal parts of the range, the share that the intervals
 * `busy` cover, scaled to 0..255. */
static void write_share(struct ps_json *json, const struct ps_intervals *busy,
                        const struct ps_range_sums *sums, int64_t px)
{
    double width = (double)(sums->to_ns - sums->from_ns) / (double)px;

    ps_json_key(json, "share");
    ps_json_array(json);
    for (int64_t x = 0; x < px; x++) {
        int64_t from = sums->from_ns + (int64_t)((double)x * width);
        int64_t to = x + 1 < px ? sums->from_ns + (int64_t)((double)(x + 1) * width) : sums->to_ns;
        double share =
            to > from ? (double)ps_intervals_length(busy, from, to) / (double)(to - from) : 0;

        ps_json_int(json, (int64_t)(share * 255 + 0.5));
    }
    ps_json_end(json);
}

static void write_device(struct ps_json *json, const struct ps_device_sums *device,
                         const struct ps_range_sums *sums, int64_t px)
{
    int64_t from = sums->from_ns, to = sums->to_ns;
    struct ps_device_use use = ps_device_use_compute(device->kernels, device->n_kernels, from, to);
    struct ps_intervals busy = {0};

    ps_intervals_add_all(&busy, &device->compute);
    ps_intervals_add_all(&busy, &device->communication);
    ps_intervals_join(&busy);
    ps_json_object(json);
    ps_json_key_int(json, "worker", device->worker);
    ps_json_key_int(json, "device", device->device);
    ps_json_key_real(json, "busy",
                     (double)ps_intervals_length(&busy, from, to) / (double)(to - from));
    ps_json_key_real(json, "sm_efficiency", use.sm_efficiency);
    ps_json_key_real(json, "occupancy", use.occupancy);
    write_share(json, &busy, sums, px);
    ps_json_key_int(json, "communication_ns",
                    ps_intervals_length(&device->communication, from, to));
    ps_json_key_int(json, "overlap_ns",
                    ps_intervals_common_length(&device->communication, &device->compute, from, to));
    ps_intervals_add_all(&busy, &device->copies);
    ps_intervals_join(&busy);
    ps_json_key_int(json, "idle_ns", to - from - ps_intervals_length(&busy, from, to));
    ps_json_end(json);
    ps_intervals_free(&busy);
}

/* Reads the parameters from_ns and to_ns. If one is absent, the start or end of ps_steps_span is
 * used. */
static enum ps_status read_range(struct ps_db *db, struct ps_params params,
                                 struct ps_range_sums *sums, struct ps_err *err)
{
    struct ps_range steps;

    ps_steps_span(db, &steps, err);
    ps_param_int(params, "from_ns", INT64_MIN / 4, INT64_MAX / 4, steps.from_ns, &sums->from_ns,
                 err);
    ps_param_int(params, "to_ns", INT64_MIN / 4, INT64_MAX / 4, steps.to_ns, &sums->to_ns, err);
    if (sums->from_ns > sums->to_ns)
        ps_fail(err, PS_BAD_REQUEST, "from_ns is greater than to_ns");
    return err->code;
}

enum ps_status ps_view_utilisation(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_range_sums_free) struct ps_range_sums sums = {0};
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t px = 0;

    (void)view, (void)id;
    read_range(db, params, &sums, err);
    ps_param_int(params, "px", 1, 8192, 100, &px, err);
    if (sums.from_ns < sums.to_ns)
        ps_range_sums_read(db, &sums, err);
    if (err->code != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key_int(&json, "from_ns", sums.from_ns);
    ps_json_key_int(&json, "to_ns", sums.to_ns);
    ps_json_key(&json, "devices");
    ps_json_array(&json);
    for (size_t i = 0; i < sums.n_devices; i++)
        write_device(&json, &sums.devices[i], &sums, px);
    ps_json_end(&json);
    ps_json_parts(&json, &sums);
    ps_json_end(&json);
    return PS_OK;
}
