/* SPDX-License-Identifier: MIT */
/* headline.h: the metrics of the summary of a run. */
#ifndef PS_QUERY_COMPARE_HEADLINE_H
#define PS_QUERY_COMPARE_HEADLINE_H

/* The unit of a metric of the summary, by the end of its name; "" if there is none. Static. */
const char *ps_summary_metric_unit(const char *name);

#endif
