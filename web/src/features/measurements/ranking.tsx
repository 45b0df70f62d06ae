/* SPDX-License-Identifier: MIT
 *
 * Commands or benchmarks from the fastest to the slowest, and how many times faster the fastest is.
 */
import { useMemo } from 'preact/hooks';
import type { Page, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import type { MeasurementRow } from '../../base/rows';
import { formatFixed, text } from '../../base/units';
import { type RankedRow, type Ranking, rankMeasurements } from '../../model/ranking';
import { objectsOf } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { formatNumber, formatSpread } from './values';

/* Rows that are read, and rows of a group that are shown. */
const READ_ROWS = 1000;
const SHOWN_ROWS = 8;

interface RankingsProps {
    run: Run;
    selected: number | null;
    onSelect: (id: number) => void;
}

export function Rankings({ run, selected, onSelect }: RankingsProps) {
    const path = `${API}/runs/${run.id}/measurements`;
    const data = useData<Page>(withParams(path, { sort: 'id', desc: false, limit: READ_ROWS }));
    const rankings = useMemo(() => rankMeasurements(objectsOf<MeasurementRow>(data)), [data]);
    if (!rankings.length) return null;
    return (
        <div class="rankings">
            {rankings.map((ranking) => (
                <RankingTable
                    key={ranking.rows[0].row.id}
                    ranking={ranking}
                    selected={selected}
                    onSelect={onSelect}
                />
            ))}
        </div>
    );
}

/** `1.67 ± 0.12`, with the digits of hyperfine. */
function ratioText({ ratio, ratioStddev }: RankedRow<MeasurementRow>): string {
    const error = ratioStddev === null ? '' : ` ± ${formatFixed(ratioStddev, 2)}`;
    return formatFixed(ratio, 2) + error;
}

function timeText(row: MeasurementRow): string {
    const { ranked_value: value, ranked_spread: spread, unit, resolution } = row;
    if (value === null) return '–';
    const shown = text(formatNumber(value, unit, resolution));
    return spread === null ? shown : `${shown} ± ${text(formatSpread(spread, value, unit))}`;
}

interface RankingTableProps extends Omit<RankingsProps, 'run'> {
    ranking: Ranking<MeasurementRow>;
}

function RankingTable({ ranking, selected, onSelect }: RankingTableProps) {
    const { group, rows } = ranking;
    const [fastest] = rows;
    const hidden = rows.length - SHOWN_ROWS;
    const statistics = [...new Set(rows.map(({ row }) => row.ranked_by))].join(', ');
    return (
        <section class="ranking" aria-label={`Ranking${group && ` of ${group}`}`}>
            <p class="ranking-head">
                <b>{group || 'Ranking'}</b> <span class="soft">{statistics}, fastest first</span>
            </p>
            <ol>
                {rows.slice(0, SHOWN_ROWS).map((one) => (
                    <li key={one.row.id}>
                        <button
                            type="button"
                            class={
                                one.row.id === selected ? 'ranking-row is-selected' : 'ranking-row'
                            }
                            onClick={() => onSelect(one.row.id)}
                        >
                            <span class="cut mono" title={one.row.name}>
                                {one.row.name}
                            </span>
                            <span class="is-right">{timeText(one.row)}</span>
                            <span class="ranking-bar" aria-hidden>
                                <span style={{ width: `${100 * one.share}%` }} />
                            </span>
                            <span>
                                {one === fastest ? (
                                    <b>fastest</b>
                                ) : (
                                    <>
                                        <b>{ratioText(one)}</b> times as long
                                        {!one.isClear && ', no clear difference'}
                                    </>
                                )}
                            </span>
                        </button>
                    </li>
                ))}
            </ol>
            {hidden > 0 && <p class="soft ranking-more">and {hidden} slower, see the table</p>}
        </section>
    );
}
