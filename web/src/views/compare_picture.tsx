/* SPDX-License-Identifier: MIT
 *
 * The picture over a table: memory over time, steps part by part, or the icicle of a difference: the
 * trees of the runs laid over each other, as wide as the new runs say, or the base, which also draws
 * what has vanished.
 */
import { useMemo } from 'preact/hooks';
import type { ComparedTable, ComparedTree, Comparison, GroupTree } from '../base/compare_types';
import { route } from '../base/router';
import { int, MINUS, pct, text, THIN } from '../base/units';
import { diffPaint } from '../canvas/diff_paint';
import { FRAME_ROW } from '../canvas/frame_canvas';
import { FrameView } from '../components/frame_view';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { Segmented } from '../components/segmented';
import { BOUNDED, UNKNOWN } from '../model/call_tree';
import { deltaFig, figOf, wordOf } from '../model/compare';
import {
    certaintyOf,
    deltaRange,
    fateOf,
    layoutDiff,
    levelOf,
    nameOf,
    placeOf,
    type RowName,
    type Side,
    vanished,
} from '../model/diff_tree';
import type { FrameLayout } from '../model/frames';
import { matcher, matchSet } from '../model/search';
import { CertaintyLegend } from './calltree_pane';
import { ComparedCurves } from './compare_curves';
import { selectFrame, useFrameOfRow } from './compare_link';
import { comparePath, metricOf, put } from './compare_state';
import { ComparedSteps } from './compare_steps';
import { useJson } from './use_json';

export const NODES = 20_000;

/* Over which tables the picture stands: those whose rows are its frames. */
const PICTURED = ['imports', 'packages', 'functions', 'operators', 'lines'];

export function hasPicture({ pictures }: { pictures: string[] }, { of }: ComparedTable): boolean {
    return pictures.includes('tree') && PICTURED.includes(of);
}

/** Why there is no picture over a table that might have one. */
export function NoPicture({ report, table }: { report: NoTree; table: ComparedTable }) {
    if (!report.no_tree || !PICTURED.includes(table.of)) return null;
    return <p class="compare-no-picture">No picture: {report.no_tree}.</p>;
}

type NoTree = Pick<Comparison, 'no_tree'>;

/* Tables of memory by what holds it, whose runs tell it over time. */
const CURVED = ['memory', 'categories', 'processes', 'spans'];

function isCurved({ base: [{ kind }] }: Comparison, table: ComparedTable): boolean {
    const metric = metricOf(table, route.value.query);
    return CURVED.includes(table.of) || (kind === 'scalene' && metric !== table.metrics[0]);
}

interface ComparePictureProps {
    comparison: Comparison;
    table: ComparedTable;
    /** what was picked in the table */
    wanted: RowName | null;
}

export function ComparePicture(props: ComparePictureProps) {
    const { comparison, table } = props;
    if (isCurved(comparison, table)) return <ComparedCurves comparison={comparison} />;
    if (table.of === 'step_parts') return <ComparedSteps comparison={comparison} />;
    if (!hasPicture(comparison, table)) return <NoPicture report={comparison} table={table} />;
    return <DiffPicture {...props} />;
}

function titleOf(tree: ComparedTree, side: Side, comparison: Comparison): string {
    const mean = comparison[side].length > 1 ? ', mean of its runs' : '';
    return `${side}${mean}, ${text(figOf(tree[side], tree.unit))}`;
}

function useDrawn(tree: ComparedTree | null, side: Side, comparison: Comparison) {
    const { q = '', regex } = route.value.query;
    const drawn = useMemo(() => {
        if (!tree) return null;
        const layout = layoutDiff(tree, side);
        const title = titleOf(tree, side, comparison);
        const say = (delta: number) => text(deltaFig(delta, tree.unit));
        const modules = comparison.base[0].kind === 'importtime';
        return { tree, layout, title, paint: diffPaint({ tree, layout, title, say, modules }) };
    }, [tree, side, comparison]);
    const match = useMemo(() => {
        const search = matcher(q, regex === '1');
        return tree && !search.empty ? matchSet(search, tree.n, (i) => nameOf(tree, i)) : null;
    }, [tree, q, regex]);
    return { drawn, match };
}

function DiffPicture({ comparison, table, wanted }: ComparePictureProps) {
    const { query } = route.value;
    const { data, error, loading } = useJson<ComparedTree>(
        comparePath(query, '/tree', { limit: NODES }),
    );
    const side = query.width === 'base' ? 'base' : 'new';
    const { drawn, match } = useDrawn(data, side, comparison);
    useFrameOfRow(data, (side === 'base' ? data?.base_total : data?.new_total) ?? [], wanted);
    const picked = Number(query.frame ?? -1);
    return (
        <section class="picture compare-picture" aria-label="Difference">
            <PictureHead tree={data} side={side} />
            {error && <Notice kind="error" title="The picture could not be read" error={error} />}
            {drawn && !error && (
                <FrameView
                    label="Difference"
                    layout={drawn.layout}
                    paint={drawn.paint}
                    match={match?.set ?? null}
                    selected={picked < drawn.tree.n ? picked : -1}
                    onSelect={(node) => void selectFrame(table, drawn.tree, node)}
                    zoom={query.zoom ?? ''}
                    onZoom={(span) => put({ zoom: span })}
                    idOf={(node) => node}
                    nodeOf={(id) => id}
                    nameOf={(node) => nameOf(drawn.tree, node)}
                    rootName={drawn.title}
                    tip={(node) => <DiffTip tree={drawn.tree} node={node} />}
                    height={pictureHeight(drawn.layout, 164)}
                    keyless
                    empty="There is nothing to draw."
                />
            )}
            <LoadingLine active={loading} />
        </section>
    );
}

/** As many rows as there are, up to what a picture may take. */
export function pictureHeight({ rows }: FrameLayout, most: number): number {
    return Math.min(most, rows * FRAME_ROW + 20);
}

/** Of pictures whose frames have bounds. */
export function SureLegend({ tree: { n, certainty } }: { tree: GroupTree }) {
    return (
        certainty && (
            <span class="wide-only">
                <CertaintyLegend tree={{ n, certainty }} />
            </span>
        )
    );
}

function PictureHead({ tree, side }: { tree: ComparedTree | null; side: Side }) {
    const gone = tree ? vanished(tree) : [];
    const lost = gone.reduce((sum, node) => sum + (tree?.base_total[node] ?? 0), 0);
    const names = tree ? gone.slice(0, 12).map((node) => nameOf(tree, node)) : [];
    return (
        <div class="compare-picture-head">
            <Segmented
                label="width of frames"
                value={side}
                options={[
                    { value: 'new', text: 'Width: new' },
                    { value: 'base', text: 'Width: base', tip: 'also draws what has vanished' },
                ]}
                onChange={(value) =>
                    put({ width: value === 'base' ? 'base' : null, zoom: null, frame: null })
                }
            />
            <span class="soft wide-only">colour = Δ of the total against base</span>
            {tree && <SureLegend tree={tree} />}
            {gone.length > 0 && (
                <span class="soft ellipsis" title={names.join('\n')}>
                    {int(gone.length)} vanished, {text(figOf(lost, tree?.unit ?? ''))}:{' '}
                    {names.join(', ')}
                </span>
            )}
            <span class="spacer" />
            <DiffLegend unit={tree?.unit ?? 's'} />
        </div>
    );
}

export function DiffLegend({ unit }: { unit: string }) {
    return (
        <span class="diff-legend">
            {wordOf(false, unit)}
            <span aria-hidden="true">
                {[1, 2, 3, 4, 5, 6, 7].map((step) => (
                    <i key={step} style={{ background: `var(--diff-${step})` }} />
                ))}
            </span>
            {wordOf(true, unit)}
            <i class="is-new" aria-hidden="true" />
            new
        </span>
    );
}

const FATES = { new: 'new on this path', gone: 'vanished from this path', kept: '' };
const VERDICTS = ['', 'too few runs for a test', 'within noise', '', ''];

/** A total with its bounds, where it has any. */
export function boundsText(total: number, low: number, certainty: number, unit: string): string {
    const most = text(figOf(total, unit));
    if (certainty === UNKNOWN) return `? of ${most}`;
    return certainty === BOUNDED ? `[${text(figOf(low, unit))}–${most}]` : most;
}

export const MEANINGS = [
    '',
    'bounded: the sums per caller leave room between the two values',
    'unknown: it is on the path already (recursion)',
];

function sidesOf(tree: ComparedTree, node: number) {
    if (node < 0) {
        const delta = tree.new - tree.base;
        return {
            base: tree.base,
            fresh: tree.new,
            certainty: 0,
            lows: [0, 0],
            range: [delta, delta],
        };
    }
    const [base, fresh] = [tree.base_total[node], tree.new_total[node]];
    const lows = [tree.base_low?.[node] ?? base, tree.new_low?.[node] ?? fresh];
    return { base, fresh, certainty: certaintyOf(tree, node), lows, range: deltaRange(tree, node) };
}

function DiffTip({ tree, node }: { tree: ComparedTree; node: number }) {
    const { base, fresh, certainty, lows, range } = sidesOf(tree, node);
    const fate = node < 0 ? 'kept' : fateOf(tree, node);
    const level = node < 0 ? 0 : levelOf(tree, node);
    const judged =
        VERDICTS[node < 0 ? 0 : tree.verdict[node]] || (level ? wordOf(level > 0, tree.unit) : '');
    const foot = [FATES[fate], judged, MEANINGS[certainty]].filter(Boolean).join(', ');
    const place = node < 0 ? null : placeOf(tree, node);
    const say = (value: number) => text(deltaFig(value, tree.unit));
    const delta = fresh - base;
    const share =
        base > 0 && certainty === 0
            ? `${delta < 0 ? MINUS : '+'}${pct((100 * Math.abs(delta)) / base)}${THIN}% of base`
            : '';
    return (
        <>
            <div class="tooltip-title tip-long">{node < 0 ? 'all' : nameOf(tree, node)}</div>
            {place && <div class="soft mono tip-place">{place}</div>}
            <dl>
                <dt>base</dt>
                <dd>{fate === 'new' ? '–' : boundsText(base, lows[0], certainty, tree.unit)}</dd>
                <dd />
                <dt>new</dt>
                <dd>{fate === 'gone' ? '–' : boundsText(fresh, lows[1], certainty, tree.unit)}</dd>
                <dd />
                <dt>Δ</dt>
                <dd>{certainty === 0 ? say(delta) : `${say(range[0])} to ${say(range[1])}`}</dd>
                <dd>{share}</dd>
            </dl>
            {foot && <div class="tooltip-foot">{foot}</div>}
        </>
    );
}
