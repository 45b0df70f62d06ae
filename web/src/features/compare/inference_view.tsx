/* SPDX-License-Identifier: MIT
 *
 * Two runs of serving engines, phase by phase: medians of the steps, and the kernels or operators of
 * the median step. URL: ph (phase), by=operator, each=token (per is of the tables).
 */
import { useMemo } from 'preact/hooks';
import type {
    Comparison,
    Inference,
    InferenceParts,
    InferencePhase,
    Run,
} from '../../base/answers';
import { withParams } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import type { TraceSummary } from '../../base/trace_types';
import { formatFixed, int, MINUS, pct, signed, THIN_SPACE } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { FamilySwatch } from '../../components/family_swatch';
import { arraySource } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Says } from '../../components/says';
import { Segmented } from '../../components/segmented';
import { Toolbar } from '../../components/toolbar';
import { familyOf } from '../../model/family';
import { isHostOnly, OUTSIDE_OPERATORS } from '../../model/inference';
import {
    type Both,
    inferenceDiffSays,
    type InferencePer,
    type PartDiff,
    partDiffs,
    phaseIn,
    sharedPhases,
    tokensOf,
} from '../../model/inference_diff';
import { capital } from '../../model/labels';
import { ms } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { viewPath } from '../trace/data';
import { DiffBar } from './columns';
import { SMALL_SHARE } from './waterfall';
import { deviceWord } from '../../model/device';

export const PHASES_TAB = 'phases';

type Tone = 'slower' | 'faster' | 'faint';

const dash = <span class="zero">–</span>;

const stepsOf = (run: Run): number =>
    (run.summary as unknown as Partial<TraceSummary>).serving_steps ?? 0;

/** Whether both sides are one run with steps of a serving engine. */
export const hasPhases = ({ base, new: fresh }: Comparison): boolean =>
    [base, fresh].every((runs) => runs.length === 1 && stepsOf(runs[0]) > 0);

/** A number of a phase in both runs. */
interface Fact {
    label: string;
    tip?: string;
    of: (phase: InferencePhase) => number | null;
    text: (value: number) => string;
    /** true: more is better */
    isRate?: boolean;
}

const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;
const factsOf = (device: string): Fact[] => [
    { label: `${device} busy`, tip: 'median step', of: ({ busy_ns }) => busy_ns, text: time },
    { label: 'Host', tip: 'median of the annotations', of: ({ host_ns }) => host_ns, text: time },
    {
        label: 'To the next step',
        tip: 'median of the times from the first work of a step to that of the next',
        of: ({ period_ns }) => period_ns,
        text: time,
    },
    {
        label: 'Tokens a second',
        tip: 'tokens of a step by the time to the next step, median',
        of: ({ tokens_per_s }) => tokens_per_s,
        text: int,
        isRate: true,
    },
    {
        label: `Tokens a second of ${device}`,
        tip: 'tokens of a step by its busy time, median',
        of: ({ tokens_per_busy_s }) => tokens_per_busy_s,
        text: int,
        isRate: true,
    },
    { label: 'Tokens', tip: 'of a step, median', of: ({ tokens }) => tokens, text: int },
    { label: 'Requests', tip: 'of a step, median', of: ({ requests }) => requests, text: int },
    { label: 'Steps', of: ({ steps }) => steps, text: int },
];

function percentText(base: number, fresh: number): string {
    if (base <= 0) return '';
    const percent = (100 * (fresh - base)) / base;
    return `${percent > 0 ? '+' : percent < 0 ? MINUS : ''}${pct(Math.abs(percent))}${THIN_SPACE}%`;
}

function PhaseFacts({ base, fresh }: { base: InferencePhase; fresh: InferencePhase }) {
    return (
        <table class="phase-facts">
            <thead>
                <tr>
                    <th />
                    <th>Base</th>
                    <th>New</th>
                    <th>Δ</th>
                </tr>
            </thead>
            <tbody>
                {factsOf(deviceWord()).map(({ label, tip, of, text }) => {
                    const [old, now] = [of(base), of(fresh)];
                    if (old === null && now === null) return null;
                    return (
                        <tr key={label} title={tip}>
                            <th>{label}</th>
                            <td>{old === null ? dash : text(old)}</td>
                            <td>{now === null ? dash : text(now)}</td>
                            <td>{old === null || now === null ? dash : percentText(old, now)}</td>
                        </tr>
                    );
                })}
            </tbody>
        </table>
    );
}

function toneOf({ delta }: PartDiff, most: number): Tone {
    if (delta === 0 || Math.abs(delta) < SMALL_SHARE * most) return 'faint';
    return delta > 0 ? 'slower' : 'faster';
}

function timeColumn(side: 'base' | 'new', unit: string, scale: number): GridColumn<PartDiff> {
    return {
        key: side,
        title: capital(side),
        unit,
        width: 100,
        align: 'right',
        numeric: true,
        hideBelow: 560,
        render: (row) =>
            row[`${side}_calls`] === 0 && row[side] === 0
                ? dash
                : formatFixed(row[side] / scale, 3),
    };
}

function columnsOf(
    { by, time: of }: InferenceParts,
    per: InferencePer,
    most: number,
): GridColumn<PartDiff>[] {
    const unnamed = of === 'host' ? OUTSIDE_OPERATORS : 'no operator known';
    const [unit, scale] = per === 'token' ? ['µs a token', 1e3] : ['ms', 1e6];
    return [
        {
            key: 'name',
            title: by === 'operator' ? 'Operator' : 'Kernel',
            width: 'rest',
            least: 150,
            render: ({ name, family, isFamily }) =>
                isFamily ? (
                    <b class="named">
                        <FamilySwatch family={family} /> {familyOf(family).label}
                    </b>
                ) : (
                    <span class="named phase-part" title={name}>
                        <span class={name ? 'mono' : 'soft'}>{name || unnamed}</span>
                    </span>
                ),
        },
        timeColumn('base', unit, scale),
        timeColumn('new', unit, scale),
        {
            key: 'delta',
            title: 'Δ',
            unit,
            width: 110,
            align: 'right',
            numeric: true,
            title_tip: 'new − base; families and their rows with the largest change first',
            render: (row) => <span class={toneOf(row, most)}>{signed(row.delta / scale, 3)}</span>,
        },
        {
            key: 'bar',
            title: 'faster · slower',
            width: 140,
            hideBelow: 900,
            cellClass: 'diff-cell',
            render: (row) => <DiffBar delta={row.delta} maxDelta={most} tone={toneOf(row, most)} />,
        },
        {
            key: 'calls',
            title: 'calls',
            width: 110,
            align: 'right',
            numeric: true,
            hideBelow: 700,
            render: ({ base_calls, new_calls }) =>
                base_calls === new_calls
                    ? int(base_calls)
                    : `${int(base_calls)} → ${int(new_calls)}`,
        },
        {
            key: 'state',
            title: 'in',
            width: 64,
            hideBelow: 500,
            render: ({ state }) => (state === 'both' ? '' : state),
        },
    ];
}

interface PhasesProps {
    runs: Both<Inference>;
    parts: Both<InferenceParts>;
}

function Phases({ runs, parts }: PhasesProps) {
    const { query } = route.value;
    const phases = useMemo(() => sharedPhases(runs), [runs]);
    const phase = phases.find((name) => name === query.ph) ?? phases.at(0) ?? null;
    const tokens = useMemo(() => phase && tokensOf(runs, phase), [runs, phase]);
    const per: InferencePer = query.each === 'token' && tokens ? 'token' : 'step';
    const rows = useMemo(() => {
        const share = per === 'token' && tokens ? tokens : { base: 1, new: 1 };
        return phase ? partDiffs(parts, phase, share) : [];
    }, [parts, phase, per, tokens]);
    const by = query.by === 'operator' ? 'operator' : 'kernel';
    const most = Math.max(1, ...rows.map(({ delta }) => Math.abs(delta)));
    const columns = useMemo(() => columnsOf(parts.base, per, most), [parts, per, most]);
    const source = useMemo(() => arraySource(rows), [rows]);
    const [base, fresh] = phase
        ? [phaseIn(runs.base, phase), phaseIn(runs.new, phase)]
        : [null, null];
    if (!phase || !base || !fresh)
        return <Notice kind="info" title="No phase of one run is in the other" />;
    const [first, second] = inferenceDiffSays(runs, rows, phase);
    return (
        <>
            <Says first={first} second={second} />
            <Toolbar label="phases">
                <Segmented
                    label="phase"
                    value={phase}
                    options={phases.map((value) => ({ value, text: value }))}
                    onChange={(ph) => replaceQuery({ ph })}
                />
                {!isHostOnly(runs.base) && (
                    <Segmented
                        label="parts"
                        value={by}
                        options={[
                            { value: 'kernel', text: 'kernels' },
                            { value: 'operator', text: 'operators' },
                        ]}
                        onChange={(next) => replaceQuery({ by: next === 'kernel' ? null : next })}
                    />
                )}
                <Segmented<InferencePer>
                    label="per"
                    value={per}
                    options={[
                        { value: 'step', text: 'per step' },
                        {
                            value: 'token',
                            text: 'per token',
                            disabled: !tokens,
                            tip: tokens
                                ? `${int(tokens.base)} and ${int(tokens.new)} tokens`
                                : 'the annotations do not state the tokens of both runs',
                        },
                    ]}
                    onChange={(next) => replaceQuery({ each: next === 'step' ? null : next })}
                />
            </Toolbar>
            <div class="phase-panes">
                <PhaseFacts base={base} fresh={fresh} />
                <section class="pane pane-main">
                    <DataGrid<PartDiff>
                        label="parts of the median step in both runs"
                        columns={columns}
                        source={source}
                        rowKey={({ key }) => key}
                        rowClass={({ isFamily }) => (isFamily ? 'is-family-row' : '')}
                    />
                </section>
            </div>
        </>
    );
}

export function InferenceComparison({ comparison }: { comparison: Comparison }) {
    const by = route.value.query.by === 'operator' ? 'operator' : 'kernel';
    const pathOf = (side: 'base' | 'new', view: string) => viewPath(comparison[side][0], view);
    const base = useJson<Inference>(pathOf('base', 'inference'));
    const fresh = useJson<Inference>(pathOf('new', 'inference'));
    const baseParts = useJson<InferenceParts>(
        withParams(pathOf('base', 'inference/parts'), { by }),
    );
    const newParts = useJson<InferenceParts>(withParams(pathOf('new', 'inference/parts'), { by }));
    const all = [base, fresh, baseParts, newParts];
    const error = all.map((answer) => answer.error).find(Boolean);
    const runs = useMemo(
        () => (base.data && fresh.data ? { base: base.data, new: fresh.data } : null),
        [base.data, fresh.data],
    );
    const parts = useMemo(
        () =>
            baseParts.data && newParts.data ? { base: baseParts.data, new: newParts.data } : null,
        [baseParts.data, newParts.data],
    );
    return (
        <div class="tab-body inference">
            {error && <Notice kind="error" title="The steps could not be read" error={error} />}
            {runs && parts && <Phases runs={runs} parts={parts} />}
            <LoadingLine active={all.some(({ loading }) => loading)} />
        </div>
    );
}
