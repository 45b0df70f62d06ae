/* SPDX-License-Identifier: MIT
 *
 * The runs that may be recordings of the same program: a trace and a memory snapshot that overlap by
 * the clock. Both must have been recorded on machines whose clocks agree.
 */
import type { Companion, Companions, Run } from '../../base/answers';
import { API } from '../../base/client';
import { type KindHas, kindHas } from '../../base/kinds';
import { formatSeconds, plural, text } from '../../base/units';
import { listedTags } from '../../model/environment';
import { useData } from './use_json';

export function useCompanions(run: Run): Companions | null {
    return useData<Companions>(`${API}/runs/${run.id}/companions`);
}

const seconds = (us: number): string => text(formatSeconds(us / 1e6));

/** "overlaps 1.2 s of 1.3 s, same series": why the companion is thought to be of the same program. */
export function evidenceText({ started_us, ended_us, overlap_us, same_series, tags }: Companion) {
    const common = listedTags(tags).length;
    return [
        `overlaps ${seconds(overlap_us)} of ${seconds(ended_us - started_us)}`,
        same_series ? 'same series' : '',
        common > 0 ? plural(common, 'common tag') : '',
    ]
        .filter(Boolean)
        .join(', ');
}

/** The most likely companion that has such data, and how many others overlap too. */
export function companionOf(companions: Companions | null, has: KindHas) {
    const rows = companions?.rows.filter(({ kind }) => kindHas(kind, has)) ?? [];
    return rows.length > 0 ? { companion: rows[0], others: rows.length - 1 } : null;
}
