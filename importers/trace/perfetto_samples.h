/* SPDX-License-Identifier: MIT */
/* perfetto_samples.h: reads samples of stacks in Perfetto's traces, and writes them as stacks. */
#ifndef PS_TRACE_PERFETTO_SAMPLES_H
#define PS_TRACE_PERFETTO_SAMPLES_H

#include "importers/trace/perfetto.h"

struct pf_samples *pf_samples_new(struct ps_sink *out);
void pf_samples_free(struct pf_samples *samples);

void pf_read_sample_interned(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_interned_data *data);
void pf_read_sample_defaults(struct pf_reader *r, struct pf_sequence *sequence,
                             struct ps_str bytes);
/* False: the packet has nothing that a run of samples needs. */
bool pf_read_samples(struct pf_reader *r, struct pf_sequence *sequence,
                     const struct pf_trace_packet *packet);
bool pf_has_samples(const struct pf_samples *samples);
/* Writes the run and its ledger when all packets are read. */
enum ps_status pf_samples_write(struct pf_reader *r);

#endif
