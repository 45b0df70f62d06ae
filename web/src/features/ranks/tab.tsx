/* SPDX-License-Identifier: MIT
 *
 * The Ranks tab: a heat map of ranks by steps, who came last in each collective, and the ranks of one
 * step on a common clock. URL: m (metric), rel=0 (absolute colours), sort, rank, step (numbers as in
 * the files), c (collective), call (the call on which ranks are aligned), v=means.
 */
import { useEffect, useMemo } from 'preact/hooks';
import type {
    AlignedCall,
    RankCalls,
    RankMetric,
    RankStep,
    RanksAnswer,
    Run,
} from '../../base/answers';
import { getJson, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { formatHash, goTo, replaceQuery, route } from '../../base/router';
import { int, plural } from '../../base/units';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { setStatus } from '../../components/status_line';
import { CodeText } from '../../components/text';
import { Spacer, Toolbar } from '../../components/toolbar';
import { absoluteBounds, heatRows, type RankSort } from '../../model/ranks';
import { lacksHint, lacksPart } from '../../model/run_lacks';
import { chosenStep } from '../shared/chosen_step';
import { StepButton } from '../shared/step_button';
import { useJson } from '../shared/use_json';
import { viewPath } from '../trace/data';
import { AlignedRanks } from './aligned';
import { Arrivals } from './arrivals';
import { HeatFormula, HeatLegend, HeatMap } from './heat_map';
import { type HeatScene, stepNumber } from './heat_paint';
import { WorkerMeans } from './means';
import { METRIC_TITLES, Says } from './says';

const SORTS: { value: RankSort; text: string }[] = [
    { value: 'rank', text: 'by rank' },
    { value: 'host', text: 'by host' },
    { value: 'slowest', text: 'slowest first' },
];

function numberOf(text: string | undefined): number | null {
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}

/* Index of the rank and the step in the URL. By default the rank that others wait for, and the step
 * in the middle. */
function selectionOf({ ranks, steps, latest }: RanksAnswer): { rank: number; step: number } {
    const { query } = route.value;
    const rank = ranks.findIndex((row) => String(row.rank) === query.rank);
    const step = steps.findIndex((name, i) => stepNumber(name, i) === query.step);
    return {
        rank: rank >= 0 ? rank : (latest?.index ?? 0),
        step: step >= 0 ? step : steps.length >> 1,
    };
}

/* Both timelines side by side, aligned on the call of two ranks: the selected or latest one, and
 * the one that waits most for it. */
function sideHrefOf(
    run: Run,
    { ranks }: RanksAnswer,
    data: RankStep | null,
    rank: number,
    call: number | null,
): string | null {
    const tracksOf = (index: number) => `rank:${ranks[index].rank}`;
    const calls = (data?.ranks ?? []).flatMap((row) =>
        row.calls.map((one): AlignedCall & { index: number } => ({ ...one, index: row.index })),
    );
    const wanted = call ?? [...calls].sort((a, b) => b.wait_ns - a.wait_ns)[0]?.call ?? null;
    const same = calls.filter((one) => one.call === wanted).sort((a, b) => b.wait_ns - a.wait_ns);
    const own = same.find(({ index }) => index === rank) ?? same.at(-1);
    const other = same.find(({ index }) => index !== own?.index);
    if (!own || !other) return null;
    return formatHash(['compare', 'side', 'timeline'], {
        base: run.id,
        new: run.id,
        align: `event:${own.slice}:${other.slice}`,
        'base.slice': String(own.slice),
        'new.slice': String(other.slice),
        'base.tracks': tracksOf(own.index),
        'new.tracks': tracksOf(other.index),
    });
}

function statusOf(answer: RanksAnswer): string {
    const { matching, ranks, ranks_in_files, repeated_rank, steps_omitted } = answer;
    const { by_sequence, by_order, disagreeing, unmatched, omitted, on_host } = matching;
    const how = [
        by_sequence > 0 ? `${int(by_sequence)} calls matched by sequence number` : '',
        by_order > 0 ? `${int(by_order)} by order, verified at their ends` : '',
        disagreeing > 0 ? `${int(disagreeing)} dropped, since their ends disagree` : '',
        unmatched > 0 ? `${int(unmatched)} not matched` : '',
        omitted > 0 ? `${int(omitted)} later calls omitted` : '',
        steps_omitted > 0 ? `${plural(steps_omitted, 'later step')} omitted` : '',
        on_host ? 'times are those of the host' : '',
        ranks_in_files || repeated_rank !== null
            ? ''
            : 'ranks are not in the files: workers are numbered',
        repeated_rank === null ? '' : `two files state rank ${repeated_rank}: workers are numbered`,
    ];
    return [plural(ranks.length, 'trace'), ...how.filter(Boolean)].join(' · ');
}

function moved(scene: HeatScene, key: string): { row: number; step: number } | null {
    const { rows, answer, row, step } = scene;
    const nextRow = (by: number): number => {
        let at = row + by;
        while (rows[at]?.missing > 0) at += by;
        return rows[at] ? at : row;
    };
    const last = answer.steps.length - 1;
    if (key === 'ArrowUp') return { row: nextRow(-1), step };
    if (key === 'ArrowDown') return { row: nextRow(1), step };
    if (key === 'ArrowLeft') return { row, step: Math.max(0, step - 1) };
    if (key === 'ArrowRight') return { row, step: Math.min(last, step + 1) };
    return null;
}

/** Path of a view of the ranks, whose steps are those that were chosen for the run. */
function ranksPath(run: Run, name: string, params: Record<string, string | number | undefined>) {
    const steps = chosenStep(run).value ?? undefined;
    return withParams(viewPath(run, name), { ...params, steps });
}

function Ranks({ run, answer }: { run: Run; answer: RanksAnswer }) {
    const { query } = route.value;
    const relative = query.rel !== '0';
    const sort = SORTS.find(({ value }) => value === query.sort)?.value ?? 'rank';
    const rows = useMemo(() => heatRows(answer, sort), [answer, sort]);
    const bounds = useMemo(() => absoluteBounds(answer), [answer]);
    const { rank, step } = selectionOf(answer);
    const ownStep = chosenStep(run).value;
    const hasSteps = answer.steps.length > 0;
    const scene: HeatScene = {
        answer,
        rows,
        relative,
        row: rows.findIndex(({ ranks }) => ranks.includes(rank)),
        step: hasSteps ? step : -1,
    };
    const collective = numberOf(query.c);
    const call = numberOf(query.call);
    const { data, error } = useJson<RankStep>(
        hasSteps ? ranksPath(run, 'ranks/step', { step, rank }) : null,
    );
    const sideHref = sideHrefOf(run, answer, data, rank, call);
    const pick = (nextRank: number, nextStep: number): void =>
        replaceQuery({
            rank: String(answer.ranks[nextRank].rank),
            step: stepNumber(answer.steps[nextStep], nextStep),
            ...(nextStep !== step && { call: null }),
        });
    /* Shows the call of the collective with the longest wait. */
    const pickCollective = async (next: number): Promise<void> => {
        const path = ranksPath(run, 'ranks/calls', { collective: next, limit: 1 });
        const { rows: calls } = await getJson<RankCalls>(path);
        const worst = calls.at(0);
        replaceQuery({
            c: String(next),
            call: worst && worst.step !== null ? String(worst.call) : null,
            ...(worst &&
                worst.step !== null && {
                    step: stepNumber(answer.steps[worst.step], worst.step),
                    ...(worst.last !== null && { rank: String(answer.ranks[worst.last].rank) }),
                }),
        });
    };
    const toggleSort = () => replaceQuery({ sort: sort === 'slowest' ? null : 'slowest' });
    const onKey = (event: KeyboardEvent): void => {
        const next = moved(scene, event.key);
        if (next && scene.row >= 0 && rows[next.row].ranks.length > 0)
            pick(next.row === scene.row ? rank : rows[next.row].ranks[0], next.step);
        else if (event.key === 'Enter' && sideHref) goTo(sideHref);
        else return;
        event.preventDefault();
    };
    useKeys('Ranks', [{ key: 's', label: 'slowest rank first', run: toggleSort }]);
    useEffect(() => setStatus(undefined, statusOf(answer)), [answer]);
    return (
        <>
            <Says answer={answer} />
            {hasSteps && (
                <>
                    <Toolbar label="heat map">
                        <Segmented<RankMetric>
                            label="metric"
                            value={answer.metric}
                            options={answer.metrics.map((value) => ({
                                value,
                                text: METRIC_TITLES[value],
                            }))}
                            onChange={(m) => replaceQuery({ m })}
                        />
                        <Segmented
                            label="colours"
                            value={relative ? 'rel' : 'ms'}
                            options={[
                                { value: 'rel', text: 'against the median of the step' },
                                { value: 'ms', text: 'ms' },
                            ]}
                            onChange={(value) => replaceQuery({ rel: value === 'ms' ? '0' : null })}
                        />
                        <Segmented<RankSort>
                            label="order"
                            value={sort}
                            options={SORTS}
                            onChange={(value) =>
                                replaceQuery({ sort: value === 'rank' ? null : value })
                            }
                        />
                        {ownStep && <StepButton step={ownStep} runs={[run]} />}
                        <Spacer />
                        <HeatLegend scene={scene} bounds={bounds} />
                    </Toolbar>
                    <HeatMap scene={scene} onPick={pick} onKey={onKey} />
                    <HeatFormula scene={scene} />
                </>
            )}
            {!hasSteps && (
                <Notice kind="info" title="The traces have no steps">
                    Call p.step() after each step of the training loop to compare ranks step by
                    step, or choose a range that repeats as the step, below the conclusion.
                </Notice>
            )}
            {error && <Notice kind="error" title="The step could not be read" error={error} />}
            <div class="rank-panes">
                <Arrivals
                    answer={answer}
                    selected={collective}
                    onSelect={(next) => void pickCollective(next)}
                />
                {hasSteps && (
                    <AlignedRanks
                        answer={answer}
                        step={step}
                        data={data}
                        rank={rank}
                        call={call}
                        sideHref={sideHref}
                        onPick={(next) => pick(next, step)}
                        onWholeStep={() => replaceQuery({ call: null, c: null })}
                    />
                )}
            </div>
        </>
    );
}

export function RanksTab({ run }: { run: Run }) {
    const { m, v } = route.value.query;
    const isLacking = lacksPart(run, 'steps of ranks');
    const { data, error, loading } = useJson<RanksAnswer>(
        isLacking ? null : ranksPath(run, 'ranks', { m }),
    );
    const view = v === 'means' ? 'means' : 'steps';
    return (
        <div class="tab-body ranks">
            <div class="rank-views">
                <Segmented
                    label="view"
                    value={view}
                    options={[
                        { value: 'steps', text: 'Step by step' },
                        { value: 'means', text: 'Means' },
                    ]}
                    onChange={(value) => replaceQuery({ v: value === 'means' ? 'means' : null })}
                />
            </div>
            {error && <Notice kind="error" title="The ranks could not be read" error={error} />}
            {isLacking && view === 'steps' && (
                <Notice kind="info" title="Steps of ranks are not in this run">
                    <CodeText text={lacksHint(run)} />
                </Notice>
            )}
            {view === 'means' ? (
                <WorkerMeans run={run} />
            ) : (
                data && <Ranks run={run} answer={data} />
            )}
            <LoadingLine active={loading} />
        </div>
    );
}
