/* SPDX-License-Identifier: MIT
 *
 * Section of a selection pane: the other runs of the shelf in which the selected function, operator
 * or kernel is among the hottest.
 */
import type { Run } from '../../base/answers';
import { offlineFile } from '../../base/offline';
import { int, pct, plural, THIN_SPACE } from '../../base/units';
import { PaneSection } from '../../components/selection_pane';
import { hotRowHref, type SearchedRow, useOccurrences } from './name_search';

const RUNS_SHOWN = 6;

interface OtherRunsProps {
    run: Run;
    /** null: the shelf cannot be searched for the selection */
    row: SearchedRow | null;
}

export function OtherRuns({ run, row }: OtherRunsProps) {
    // The run itself is one of the answer.
    const { data } = useOccurrences(offlineFile() ? null : row, RUNS_SHOWN + 1);
    if (!data || !row) return null;
    const others = data.rows.filter((one) => one.run.id !== run.id).slice(0, RUNS_SHOWN);
    if (others.length === 0) return null;
    const count = data.total - (data.rows.some((one) => one.run.id === run.id) ? 1 : 0);
    const share = (of: number) => `${pct(100 * of)}${THIN_SPACE}%`;
    return (
        <PaneSection
            title="In other runs"
            note={
                data.scanned < data.runs
                    ? `${int(data.scanned)} of ${plural(data.runs, 'run')} searched`
                    : plural(count, 'run')
            }
            right="total, % of each run"
        >
            <ul class="selection-frames">
                {others.map((one) => (
                    <li key={one.run.id}>
                        <a
                            href={hotRowHref(one.run, row.of, one)}
                            title={`${one.run.name}\nself ${share(one.self_share)} of the run`}
                        >
                            <span class="selection-label">{one.run.name}</span>
                            <span class="is-right">{share(one.total_share)}</span>
                        </a>
                    </li>
                ))}
            </ul>
        </PaneSection>
    );
}
