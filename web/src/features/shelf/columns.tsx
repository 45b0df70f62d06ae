/* SPDX-License-Identifier: MIT
 *
 * The columns of the shelf, and the row of an import in progress.
 */
import type { Run } from '../../base/answers';
import { formatHash, setQuery } from '../../base/router';
import {
    DASH,
    bytesText,
    clock,
    formatValueIn,
    int,
    pct,
    plural,
    signed,
    when,
} from '../../base/units';
import { CheckBox } from '../../components/check_box';
import type { GridColumn } from '../../components/grid_types';
import { KindMark } from '../../components/kind_mark';
import { MiddleCut } from '../../components/middle_cut';
import { ProgressLine } from '../../components/progress';
import { Tag } from '../../components/tag';
import { FormattedValueText } from '../../components/text';
import { PHONE_PX } from '../../components/viewport';
import { listedTags } from '../../model/environment';
import { countedResults } from '../../model/results';
import { NOISE_PCT, secondsLeft, type RunningImport, type ShelfRow } from '../../model/shelf_rows';
import { ledgerText } from '../report/ledger_text';
import { TrendSpark } from '../trend/link';

const NARROW_PX = 1000;

export interface Checks {
    has: (id: string) => boolean;
    toggle: (run: Run, withShift: boolean) => void;
    all: boolean | null;
    toggleAll: () => void;
}

export function runHref(run: Run): string {
    return formatHash(['run', run.id]);
}

type Column = GridColumn<ShelfRow>;

/* Wraps a cell renderer for runs; rows that are not runs get empty cells. */
function runCell(render: (run: Run) => ReturnType<Column['render']>): Column['render'] {
    return (row) => (row.type === 'run' ? render(row.run) : null);
}

function checkColumn(checks: Checks): Column {
    return {
        key: 'check',
        title: '',
        width: 34,
        cellClass: 'check-cell',
        head: () => <CheckBox label="all shown" checked={checks.all} onChange={checks.toggleAll} />,
        render: runCell((run) => (
            <CheckBox
                label={run.name}
                checked={checks.has(run.id)}
                focusable={false}
                onChange={(_, withShift) => checks.toggle(run, withShift)}
            />
        )),
    };
}

function whenColumn(isUnderDay: boolean): Column {
    return {
        key: 'when',
        title: 'Added',
        // Below the heading of its day, a run shows only the time.
        width: isUnderDay ? 64 : 128,
        align: 'right',
        sortKey: 'created_at',
        numeric: true,
        render: runCell((run) => (
            <span class="soft" title={run.created_at}>
                {isUnderDay ? clock(new Date(run.created_at)) : when(run.created_at)}
            </span>
        )),
    };
}

/* Columns with the name, kind and tags of a run. */
const RUN_COLUMNS: Column[] = [
    {
        key: 'kind',
        title: 'Kind',
        width: 60,
        hideBelow: PHONE_PX,
        sortKey: 'kind',
        cellClass: 'kind-cell',
        render: runCell((run) => <KindMark kind={run.kind} />),
    },
    {
        key: 'name',
        title: 'Name',
        width: 'rest',
        sortKey: 'name',
        render: runCell((run) => (
            <>
                <a
                    class="row-name"
                    href={runHref(run)}
                    tabIndex={-1}
                    title={nameTip(run)}
                    aria-label={run.name}
                >
                    <MiddleCut text={run.name} />
                </a>
                {run.baseline && (
                    <span class="baseline-mark" title={`the baseline of ${run.series}`}>
                        baseline
                    </span>
                )}
            </>
        )),
    },
    {
        key: 'series',
        title: 'Series',
        term: 'series',
        width: 132,
        sortKey: 'series',
        render: runCell(seriesCell),
    },
    {
        key: 'tags',
        title: 'Tags',
        width: 208,
        hideBelow: NARROW_PX,
        cellClass: 'tags-cell',
        render: runCell(tagsCell),
    },
];

/* Columns with the headline value, and its trend over the previous runs. */
const VALUE_COLUMNS: Column[] = [
    {
        key: 'headline',
        title: 'Headline',
        term: 'headline',
        width: 104,
        sortKey: 'headline',
        numeric: true,
        cellClass: 'headline-cell',
        render: runCell(headlineCell),
    },
    {
        key: 'label',
        title: '',
        width: 112,
        hideBelow: PHONE_PX,
        cellClass: 'label-cell',
        render: runCell(headlineLabel),
    },
    {
        key: 'trend',
        title: 'Trend',
        width: 88,
        hideBelow: NARROW_PX,
        cellClass: 'trend-cell',
        render: runCell((run) => <TrendSpark run={run} />),
    },
    {
        key: 'delta',
        title: 'Δ',
        unit: '% previous',
        width: 112,
        align: 'right',
        hideBelow: NARROW_PX,
        title_tip: 'change from the previous run of the series, in percent',
        render: runCell((run) => <DeltaPct run={run} />),
    },
];

/* Columns about the import: size of the original, ledger, user. */
const IMPORT_COLUMNS: Column[] = [
    {
        key: 'size',
        title: 'Size',
        width: 88,
        align: 'right',
        sortKey: 'bytes',
        numeric: true,
        hideBelow: NARROW_PX,
        title_tip: 'size of the original file',
        render: runCell((run) => <span class="soft">{bytesText(run.bytes)}</span>),
    },
    {
        key: 'ledger',
        title: 'Ledger',
        term: 'ledger',
        width: 96,
        hideBelow: NARROW_PX,
        render: runCell(ledgerCell),
    },
    {
        key: 'who',
        title: 'Added by',
        width: 84,
        sortKey: 'who',
        hideBelow: NARROW_PX,
        render: runCell((run) => <span class="soft">{run.who}</span>),
    },
];

export function shelfColumns(checks: Checks, isUnderDay: boolean): Column[] {
    return [
        checkColumn(checks),
        ...RUN_COLUMNS,
        ...VALUE_COLUMNS,
        ...IMPORT_COLUMNS,
        whenColumn(isUnderDay),
    ];
}

function nameTip(run: Run): string {
    return run.note ? `${run.name}\n\n${run.note}` : run.name;
}

function seriesCell(run: Run) {
    if (!run.series) return null;
    const only = () => setQuery({ series: run.series });
    return (
        <button
            type="button"
            class="cell-link"
            tabIndex={-1}
            title={`only ${run.series}`}
            onClick={only}
        >
            {run.series}
        </button>
    );
}

/* Tags that do not fit into the line are hidden as a whole; the tooltip has all. */
function tagsCell(run: Run) {
    const tags = listedTags(run.tags);
    return (
        <span
            class="tags-line"
            title={tags.map(([name, value]) => (value ? `${name}=${value}` : name)).join('\n')}
        >
            {tags.map(([name, value]) => (
                <Tag
                    key={name}
                    name={name}
                    value={value}
                    onClick={() => setQuery({ tag: `${name}=${value}` })}
                />
            ))}
        </span>
    );
}

function headlineCell(run: Run) {
    if (!run.headline) return <span class="zero">{DASH}</span>;
    const { value, unit, label } = run.headline;
    const isCount = unit === label && Number.isInteger(value);
    const formatted = isCount ? { value: int(value), unit: '' } : formatValueIn(value, unit);
    return (
        <>
            <b>{formatted.value}</b>
            <span class="unit">{formatted.unit}</span>
        </>
    );
}

/* The mean of several benchmarks says little without their number. */
function headlineLabel({ headline, summary }: Run) {
    if (!headline) return null;
    const { value, unit, label } = headline;
    if (unit === label) return value === 1 ? label.replace(/s$/, '') : label;
    const counted = countedResults(summary);
    if (!counted || counted.count < 2) return label;
    return <span title={label}>{counted.words}</span>;
}

function DeltaPct({ run: { delta_pct: value, no_delta: why } }: { run: Run }) {
    if (why !== null) {
        return (
            <small class="faint" title={`no difference: ${why}`}>
                other metric
            </small>
        );
    }
    if (value === null) return null;
    if (Math.abs(value) < NOISE_PCT) return <span class="faint">{signed(value, 1)}</span>;
    const slower = value > 0;
    return (
        <span class={slower ? 'slower' : 'faster'} title={slower ? 'slower' : 'faster'}>
            {slower ? '▲' : '▼'} {signed(value, 1)}
        </span>
    );
}

function ledgerCell(run: Run) {
    const { short, flagged, identity } = ledgerText(run.ledger);
    return (
        <span class={flagged ? 'ledger-word warn' : 'ledger-word'} title={identity}>
            {short}
        </span>
    );
}

function sizesText(done: number, total: number): string {
    const [value, unit] = bytesText(total).split('\u202f');
    const [doneValue, doneUnit] = bytesText(done).split('\u202f');
    return doneUnit === unit
        ? `${doneValue} of ${value} ${unit}`
        : `${bytesText(done)} of ${bytesText(total)}`;
}

function progressText(incoming: RunningImport, nowMs: number): string {
    const { state, done, total, records } = incoming;
    if (state === 'waiting') return 'waiting to be sent';
    if (state === 'queued') return 'waiting for another import';
    const verb = state === 'sending' ? 'sending' : 'importing';
    if (total <= 0) return verb;
    const parts = [
        `${verb}, ${pct((done / total) * 100).replace(/\.\d$/, '')} %: ${sizesText(done, total)}`,
    ];
    if (state === 'running') parts[0] += ' read';
    if (records > 0) parts.push(plural(records, 'record'));
    const left = secondsLeft(incoming, nowMs);
    if (left !== null && left >= 1) parts.push(`about ${int(Math.ceil(left))} s left`);
    return parts.join(', ');
}

interface RunningImportLineProps {
    incoming: RunningImport;
    isUnderDay: boolean;
    /** null if the user may not cancel it */
    onCancel: (() => void) | null;
}

/** Row of an import in progress, at the position that the run will have. */
export function RunningImportLine({ incoming, isUnderDay, onCancel }: RunningImportLineProps) {
    const { kind, name, done, total, state } = incoming;
    const isWaiting = state === 'waiting' || state === 'queued';
    const share = isWaiting ? 0 : total > 0 ? done / total : null;
    return (
        <div class={isUnderDay ? 'incoming' : 'incoming has-dates'}>
            <span class="incoming-kind">{kind && <KindMark kind={kind} />}</span>
            <span class="incoming-name mono" title={name}>
                {name}
            </span>
            <span class="incoming-words" aria-live="off">
                <span class="ellipsis">{progressText(incoming, Date.now())}</span>
                <ProgressLine share={share} />
            </span>
            {onCancel && (
                <button type="button" class="link" onClick={onCancel}>
                    Cancel
                </button>
            )}
        </div>
    );
}

/** Text of the difference between two single values. */
export function deltaText(by: number, unit: string, share: number | null) {
    const formatted = formatValueIn(Math.abs(by), unit);
    const sign = by < 0 ? '−' : '+';
    return (
        <>
            {by === 0 ? '' : sign}
            <FormattedValueText value={formatted} />
            {share !== null && ` (${signed(share, 1)} %)`}
        </>
    );
}
