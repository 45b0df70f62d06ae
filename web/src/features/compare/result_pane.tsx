/* SPDX-License-Identifier: MIT
 *
 * What a comparison of benchmarks shows beside its rows: how many changed, and both distributions of one.
 */
import type { ComparisonTable, Page } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { int } from '../../base/units';
import { PaneHead } from '../../components/toolbar';
import { distributionSteps } from '../../model/distribution';
import { useData } from '../shared/use_json';
import { SidePane } from './side_pane';
import { comparePath, rowParams } from './state';

interface Outcome {
    text: string;
    filter: { verdict?: string; change?: string };
    tone: string;
}

const OUTCOMES: Outcome[] = [
    { text: 'more or slower', filter: { verdict: 'up' }, tone: 'is-slower' },
    { text: 'less or faster', filter: { verdict: 'down' }, tone: 'is-faster' },
    { text: 'within noise', filter: { verdict: 'same' }, tone: '' },
    { text: 'too few samples', filter: { verdict: 'few' }, tone: '' },
    { text: 'only in new', filter: { change: 'added' }, tone: '' },
    { text: 'only in base', filter: { change: 'removed' }, tone: '' },
    { text: 'failed or skipped', filter: { change: 'failed' }, tone: 'is-slower' },
];

/** Numbers of rows by their verdict; a click shows only these rows. */
export function OutcomesPane({ table, total }: { table: ComparisonTable; total: number }) {
    return (
        <SidePane label="Rows by verdict">
            <PaneHead title="Rows by verdict" remark={`${int(total)} rows`} />
            <div class="compare-body outcomes">
                {OUTCOMES.map((outcome) => (
                    <OutcomeRow key={outcome.text} {...{ outcome, table, total }} />
                ))}
            </div>
        </SidePane>
    );
}

interface OutcomeRowProps {
    outcome: Outcome;
    table: ComparisonTable;
    total: number;
}

function OutcomeRow({ outcome, table, total }: OutcomeRowProps) {
    const { text, filter, tone } = outcome;
    const { query } = route.value;
    const params = { ...rowParams(table, query), ...filter, limit: 0 };
    const page = useData<Page>(comparePath(query, `/${table.of}`, params));
    if (!page?.total) return null;
    const isChosen =
        query.verdict === filter.verdict &&
        query.change === filter.change &&
        query.row === undefined;
    const next = isChosen ? {} : filter;
    return (
        <button
            type="button"
            class="outcome"
            aria-pressed={isChosen}
            onClick={() =>
                replaceQuery({
                    verdict: next.verdict ?? null,
                    change: next.change ?? null,
                    row: null,
                })
            }
        >
            <b>{int(page.total)}</b>
            <span>{text}</span>
            <span class={`outcome-track ${tone}`} aria-hidden="true">
                <i style={{ width: `${(100 * page.total) / Math.max(1, total)}%` }} />
            </span>
        </button>
    );
}

const WIDTH = 1000;
const HEIGHT = 96;
const MAX_STEPS = 400;

interface DistributionPairProps {
    base: number[];
    fresh: number[];
    format: (value: number) => string;
}

/** The cumulative distributions of two groups of samples on one axis. */
export function DistributionPair({ base, fresh, format }: DistributionPairProps) {
    const least = Math.min(...base, ...fresh);
    const most = Math.max(...base, ...fresh);
    if (base.length < 2 || fresh.length < 2 || !(most > least)) return null;
    const x = (value: number) =>
        (20 + ((value - least) / (most - least)) * (WIDTH - 40)).toFixed(1);
    const path = (values: number[]) =>
        distributionSteps(values, MAX_STEPS).reduce(
            (all, { value, share }) => `${all}H${x(value)}V${((1 - share) * HEIGHT).toFixed(2)}`,
            `M0 ${HEIGHT}`,
        );
    return (
        <div class="distribution-pair">
            <div class="named-head">
                <b>Distribution</b>
                <span class="soft">
                    cumulative share: <span class="pair-base">base</span>,{' '}
                    <span class="pair-new">new</span>
                </span>
            </div>
            <svg
                viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
                preserveAspectRatio="none"
                role="img"
                aria-label="cumulative distributions of the samples of both groups"
            >
                {[0, 0.5, 1].map((share) => (
                    <line key={share} x1={0} x2={WIDTH} y1={share * HEIGHT} y2={share * HEIGHT} />
                ))}
                <path class="pair-base" d={`${path(base)}H${WIDTH}`} />
                <path class="pair-new" d={`${path(fresh)}H${WIDTH}`} />
            </svg>
            <div class="histogram-ends">
                <span>{format(least)}</span>
                <span>{format(most)}</span>
            </div>
        </div>
    );
}
