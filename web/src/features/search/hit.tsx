/* SPDX-License-Identifier: MIT
 *
 * A name that was found in runs, and how far the search is.
 */
import type { NameHit } from '../../base/answers';
import { int, pct, plural, THIN_SPACE } from '../../base/units';
import { ShareBar } from '../../components/share_bar';
import { fullName, type SearchState } from '../shared/name_search';

interface HitShareProps {
    hit: Pick<NameHit, 'self_share' | 'total_share'>;
    /** '%' where no header states it */
    unit?: string;
}

/** The greatest share of a name: the bar of a total is light, that of a self time strong. */
export function HitShare({ hit, unit }: HitShareProps) {
    const share = Math.max(hit.self_share, hit.total_share);
    return (
        <ShareBar share={share} tone={hit.self_share < share ? 'total' : 'self'}>
            {pct(100 * share)}
            {unit && <span class="unit">{THIN_SPACE + unit}</span>}
        </ShareBar>
    );
}

/** Text about both shares of a hit. */
export function shareText({ self_share, total_share, hottest }: NameHit): string {
    const self = `${pct(100 * self_share)} % self`;
    const total = total_share > self_share ? `, ${pct(100 * total_share)} % total` : '';
    return `at most ${self}${total}; hottest in ${hottest.name}`;
}

/** Name, number of runs and share, for a line of results. */
export function NameOfHit({ hit }: { hit: NameHit }) {
    return (
        <>
            <span class="ellipsis mono" title={fullName(hit)}>
                {fullName(hit)}
            </span>
            {hit.of === 'lines' && <span class="faint">{hit.module}</span>}
            <span class="hit-runs">{hit.runs === 1 ? 'in 1 run' : `in ${int(hit.runs)} runs`}</span>
            <span class="hit-share" title={shareText(hit)}>
                <HitShare hit={hit} unit="%" />
            </span>
        </>
    );
}

interface SearchProgressProps {
    state: SearchState<{ scanned: number; unreadable: number; runs: number }>;
}

/** How many runs the answer is about, while or if these are not all. */
export function SearchProgress({ state: { data, error, loading } }: SearchProgressProps) {
    if (error) return <p class="search-progress is-slower">{error.message}</p>;
    if (!data || data.scanned >= data.runs) return null;
    const of = `${int(data.scanned)} of ${plural(data.runs, 'run')}`;
    return (
        <p class="search-progress" role="status">
            {`Searched ${of}${loading ? ' so far' : ''}`}
            {data.unreadable > 0 && `; ${int(data.unreadable)} cannot be read`}
        </p>
    );
}
