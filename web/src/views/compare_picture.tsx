/* SPDX-License-Identifier: MIT
 *
 * The picture over a table: memory over time, steps part by part, or the icicle of a difference: the
 * trees of the runs laid over each other, as wide as the new runs say, or the base, which also draws
 * what has vanished.
 */
import { useMemo } from 'preact/hooks';
import type { ComparedTable, ComparedTree, Comparison } from '../base/compare_types';
import { route } from '../base/router';
import { int, MINUS, pct, text, THIN } from '../base/units';
import { diffPaint } from '../canvas/diff_paint';
import { FrameView } from '../components/frame_view';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { Segmented } from '../components/segmented';
import { deltaFig, figOf, wordOf } from '../model/compare';
import {
    deltaOf,
    fateOf,
    layoutDiff,
    levelOf,
    nameOf,
    type Side,
    vanished,
} from '../model/diff_tree';
import { matcher, matchSet } from '../model/search';
import { ComparedCurves } from './compare_curves';
import { comparePath, put } from './compare_state';
import { ComparedSteps } from './compare_steps';
import { useJson } from './use_json';

export const NODES = 20_000;

/* Over which tables the picture stands: those whose rows are its frames. */
const PICTURED = ['imports', 'packages', 'functions', 'operators'];

export function hasPicture({ pictures }: { pictures: string[] }, { of }: ComparedTable): boolean {
    return pictures.includes('tree') && PICTURED.includes(of);
}

/* Tables of memory by what holds it, whose runs tell it over time. */
const CURVED = ['memory', 'categories', 'processes', 'spans'];

export function ComparePicture(props: { comparison: Comparison; table: ComparedTable }) {
    const { comparison, table } = props;
    const curved = CURVED.includes(table.of) || comparison.base[0].kind === 'scalene';
    if (curved) return <ComparedCurves comparison={comparison} />;
    if (table.of === 'step_parts') return <ComparedSteps comparison={comparison} />;
    return hasPicture(comparison, table) ? <DiffPicture comparison={comparison} /> : null;
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

function DiffPicture({ comparison }: { comparison: Comparison }) {
    const { query } = route.value;
    const { data, error, loading } = useJson<ComparedTree>(
        comparePath(query, '/tree', { limit: NODES }),
    );
    const side = query.width === 'base' ? 'base' : 'new';
    const { drawn, match } = useDrawn(data, side, comparison);
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
                    onSelect={(node) => put({ frame: node >= 0 ? String(node) : null })}
                    zoom={query.zoom ?? ''}
                    onZoom={(span) => put({ zoom: span })}
                    idOf={(node) => node}
                    nodeOf={(id) => id}
                    nameOf={(node) => nameOf(drawn.tree, node)}
                    rootName={drawn.title}
                    tip={(node) => <DiffTip tree={drawn.tree} node={node} />}
                    height={164}
                    keyless
                    empty="There is nothing to draw."
                />
            )}
            <LoadingLine active={loading} />
        </section>
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

function DiffLegend({ unit }: { unit: string }) {
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

function DiffTip({ tree, node }: { tree: ComparedTree; node: number }) {
    const whole = node < 0;
    const base = whole ? tree.base : tree.base_total[node];
    const fresh = whole ? tree.new : tree.new_total[node];
    const delta = whole ? fresh - base : deltaOf(tree, node);
    const fate = whole ? 'kept' : fateOf(tree, node);
    const say = (value: number) => text(figOf(value, tree.unit));
    const sign = delta < 0 ? MINUS : '+';
    const share = base > 0 ? `${sign}${pct((100 * Math.abs(delta)) / base)}${THIN}% of base` : '';
    const level = whole ? 0 : levelOf(tree, node);
    const judged =
        VERDICTS[whole ? 0 : tree.verdict[node]] || (level ? wordOf(level > 0, tree.unit) : '');
    const foot = [FATES[fate], judged].filter(Boolean).join(', ');
    return (
        <>
            <div class="tooltip-title tip-long">{whole ? 'all' : nameOf(tree, node)}</div>
            <dl>
                <dt>base</dt>
                <dd>{fate === 'new' ? '–' : say(base)}</dd>
                <dd />
                <dt>new</dt>
                <dd>{fate === 'gone' ? '–' : say(fresh)}</dd>
                <dd />
                <dt>Δ</dt>
                <dd>{text(deltaFig(delta, tree.unit))}</dd>
                <dd>{share}</dd>
            </dl>
            {foot && <div class="tooltip-foot">{foot}</div>}
        </>
    );
}
