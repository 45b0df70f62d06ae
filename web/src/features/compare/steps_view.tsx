/* SPDX-License-Identifier: MIT
 *
 * Two traces step by step: the parts of a step and the operators as tables, the way from base to new
 * and every step beside them, and the icicle of a step below.
 */
import { useMemo } from 'preact/hooks';
import type { Comparison, ComparisonRow, ComparisonTable, TraceOverview } from '../../base/answers';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { PaneHead } from '../../components/toolbar';
import { partText, readDefinition } from '../../model/breakdown';
import { cellText, deltaText, scaleOf, type Scale } from '../../model/compare';
import { useData } from '../shared/use_json';
import { viewPath } from '../trace/data';
import { DefinitionSwitch } from '../trace/definition_switch';
import { useLargestRows } from './largest_rows';
import { SelectedRow } from './pane';
import { differsInWork, perWords } from './per_switch';
import { DiffPicture } from './picture';
import { NoRowsYet } from './rows';
import { SidePane } from './side_pane';
import { isSingle, PARTS_TABLE, readSelection, selectionKey } from './state';
import { StepChart, type StepSide } from './step_chart';
import { countedSteps } from './step_columns';
import { frameRuleOf, partRows, partRowsOfMeans, sumOfParts } from './step_parts';
import { OperatorsTable, PartsTable, partsRemark } from './step_tables';
import { largestSteps, waterfall } from './waterfall';
import { WaterfallView } from './waterfall_view';

export interface StepOverviews {
    base: TraceOverview;
    fresh: TraceOverview;
}

/** The steps of the first run of each group; null while they load, or without parts of a step. */
export function useStepOverviews(comparison: Comparison): StepOverviews | null {
    const hasSteps = comparison.tables.some(({ of }) => of === PARTS_TABLE);
    const pathOf = (side: 'base' | 'new') =>
        hasSteps ? viewPath(comparison[side][0], 'overview') : null;
    const base = useData<TraceOverview>(pathOf('base'));
    const fresh = useData<TraceOverview>(pathOf('new'));
    return useMemo(() => base && fresh && { base, fresh }, [base, fresh]);
}

interface StepsViewProps {
    comparison: Comparison;
    table: ComparisonTable;
    overviews: StepOverviews | null;
    onReady: () => void;
}

export function StepsView(props: StepsViewProps) {
    const { comparison, table, overviews } = props;
    const { top, error } = useLargestRows<ComparisonRow>(table);
    const definition = readDefinition(route.value.query.parts);
    const isDefault = definition.id === 'tensorboard';
    const rows = useMemo(() => {
        if (isDefault) return top && partRows(top.rows);
        const { base, fresh } = overviews ?? {};
        return (
            base && fresh && partRowsOfMeans(base.mean[definition.id], fresh.mean[definition.id])
        );
    }, [top, overviews, definition, isDefault]);
    useKeys('Steps', [
        {
            key: 'Escape',
            label: 'clear the selection',
            run: () => replaceQuery({ sel: null, frame: null }),
        },
    ]);
    if (!rows || !top) return <NoRowsYet error={error} />;
    return (
        <StepsBody
            {...props}
            key={comparison.base[0].id}
            rows={rows}
            single={!isDefault || isSingle(comparison, table)}
            rowId={(name) => top.rows.find((row) => row.name === name)?.id}
        />
    );
}

interface StepsBodyProps extends StepsViewProps {
    rows: ComparisonRow[];
    single: boolean;
    rowId: (name: string) => number | undefined;
}

function StepsBody(props: StepsBodyProps) {
    const { comparison, table, overviews, rows, single, rowId, onReady } = props;
    const definition = readDefinition(route.value.query.parts);
    const selection = readSelection(route.value.query);
    const part = selection?.of === 'part' ? selection.name : null;
    const operators = useOperators(comparison);
    const scale = scaleOf(table.metrics[0].unit, 0, false);
    const select = (of: 'part' | 'operator', name: string | null) =>
        pushQuery({ sel: name === null ? null : selectionKey(of, name), frame: null });
    const rowOfPart = part !== null && !single ? rowId(part) : undefined;
    const sum = useMemo(() => sumOfParts(rows), [rows]);
    useEffectOn(onReady, []);
    const mark = useMemoOn(() => {
        if (selection?.of === 'operator') return (name: string) => name === selection.name;
        const rule = part === null ? null : frameRuleOf(part);
        return rule && ((name: string) => rule.pattern.test(name));
    }, [route.value.query.sel]);
    return (
        <div class="tab-body compare-steps">
            <div class="panes">
                <section class="pane pane-main">
                    <div class="pane-head steps-head">
                        <b>Parts of a step</b>
                        <span class="pane-remark ellipsis" title={definition.description}>
                            {isSingle(comparison, table) &&
                                overviews &&
                                partsRemark(
                                    [overviews.base, overviews.fresh].map(
                                        (one) => countedSteps(one).length,
                                    ),
                                )}
                        </span>
                        <span class="spacer" />
                        <DefinitionSwitch definition={definition} />
                    </div>
                    <PartsTable
                        {...{ comparison, table, rows, scale, single }}
                        selected={part}
                        onSelect={(name) => select('part', name)}
                    />
                    {operators && (
                        <OperatorsTable
                            comparison={comparison}
                            table={operators}
                            single={isSingle(comparison, operators)}
                            stepDelta={sum.delta ?? 0}
                            selected={selection?.of === 'operator' ? selection.name : null}
                            onSelect={(name) => select('operator', name)}
                        />
                    )}
                </section>
                {rowOfPart === undefined ? (
                    <StepsPane {...{ comparison, rows, scale, part, overviews }} />
                ) : (
                    <SelectedRow
                        {...{ comparison, table, scale }}
                        metric={table.metrics[0]}
                        row={String(rowOfPart)}
                    />
                )}
            </div>
            {operators && comparison.pictures.includes('tree') && (
                <DiffPicture
                    comparison={comparison}
                    table={operators}
                    wantedRow={null}
                    isBelow
                    mark={mark}
                    markText={
                        part === null ? null : (frameRuleOf(part)?.text ?? 'no frame has this part')
                    }
                />
            )}
        </div>
    );
}

/* The operators, per step; also per run if both sides have the same number of steps. */
function useOperators({ tables }: Comparison): ComparisonTable | null {
    return useMemo(() => {
        const table = tables.find(({ of }) => of === 'operators');
        if (!table) return null;
        const differs = table.work !== null && differsInWork(table.work);
        const per = table.per.filter((one) => one === 'step' || (one === 'run' && !differs));
        return { ...table, per };
    }, [tables]);
}

function sidesOf(comparison: Comparison, overviews: StepOverviews): [StepSide, StepSide] {
    const side = (name: 'base' | 'new', overview: TraceOverview): StepSide => {
        const runs = comparison[name];
        const label = runs.length > 1 ? `${name}, first run` : name;
        return { side: name, label, run: runs[0], overview };
    };
    return [side('base', overviews.base), side('new', overviews.fresh)];
}

interface StepsPaneProps {
    comparison: Comparison;
    rows: ComparisonRow[];
    scale: Scale;
    part: string | null;
    overviews: StepOverviews | null;
}

function StepsPane({ comparison, rows, scale, part, overviews }: StepsPaneProps) {
    const definition = readDefinition(route.value.query.parts);
    const sum = sumOfParts(rows);
    const named = rows.map((row) => ({ ...row, name: partText(row.name).label }));
    const chart = waterfall(sum.base ?? 0, sum.new ?? 0, largestSteps(named));
    const selected = rows.find(({ name }) => name === part)?.id ?? null;
    const sides = useMemo(
        () => overviews && sidesOf(comparison, overviews),
        [comparison, overviews],
    );
    const cut = chart.axisFrom > 0 ? `axis from ${cellText(chart.axisFrom, scale)}` : '';
    return (
        <SidePane label="From base to new">
            <PaneHead title="From base to new" remark={`by part, ${scale.unit}${perWords('step')}`}>
                <span class="soft">{cut}</span>
            </PaneHead>
            <div class="compare-body">
                <WaterfallView
                    chart={chart}
                    format={(value) => cellText(value, scale)}
                    formatDelta={(value) => deltaText(value, scale)}
                    selected={selected}
                    isPlain
                    onPick={(id) => {
                        const row = rows.find((one) => one.id === id);
                        if (row) pushQuery({ sel: selectionKey('part', row.name), frame: null });
                    }}
                />
            </div>
            <PaneHead title="Every step" remark="ms">
                <PartColours rows={rows} />
            </PaneHead>
            <div class="steps-chart-body">
                {sides && <StepChart sides={sides} definition={definition} part={part} />}
            </div>
        </SidePane>
    );
}

/** Number of parts in the legend. */
const LEGEND_PARTS = 3;

/* Legend of the largest parts. */
function PartColours({ rows }: { rows: ComparisonRow[] }) {
    const size = ({ base, new: fresh }: ComparisonRow) => (base ?? 0) + (fresh ?? 0);
    const largest = [...rows].sort((a, b) => size(b) - size(a)).slice(0, LEGEND_PARTS);
    return (
        <span class="part-legend">
            {largest.map(({ name }) => {
                const { label, family } = partText(name);
                return (
                    <span key={name}>
                        <i class={`swatch is-family-${family}`} /> {label}
                    </span>
                );
            })}
        </span>
    );
}
