/* SPDX-License-Identifier: MIT
 *
 * State of a trend in the URL: `#/trend?runs=series:NAME&by=&of=&row=&place=&metric=&step=&kind=&names=&x=&y=`.
 */
import type { Run, Trend } from '../../base/answers';
import { API, sendJson, withParams } from '../../base/client';
import { navigate, type Query } from '../../base/router';
import { publishRunChange } from '../shared/shelf_state';
import type { Groups } from './points';

const TREND_KEYS = ['runs', 'by', 'of', 'row', 'place', 'metric', 'step', 'kind'];

/** Path of the API for the trend in the URL. While the URL has a table but no row, the trend is
 * that of the headline. */
export function trendPath(query: Query, format?: string): string {
    const trendQuery: Query = {};
    for (const key of TREND_KEYS) if (query[key]) trendQuery[key] = query[key];
    if (!query.row) {
        delete trendQuery.of;
        if (query.of) delete trendQuery.metric;
    }
    return withParams(`${API}/trend`, format ? { ...trendQuery, format } : trendQuery);
}

export function openComparison({ of, row, step }: Trend, groups: Groups): void {
    const query = {
        base: groups.base.join(','),
        new: groups.new.join(','),
        ...(step ? { step } : {}),
    };
    if (of && row) navigate(['compare', of], { ...query, q: row });
    else navigate(['compare'], query);
}

/** Pins a run as the baseline of its series, or unpins it. */
export async function pinBaseline(id: string, pin: boolean): Promise<void> {
    const run = await sendJson<Run>(pin ? 'PUT' : 'DELETE', `${API}/runs/${id}/baseline`);
    if (run) publishRunChange({ type: 'run', run });
}
