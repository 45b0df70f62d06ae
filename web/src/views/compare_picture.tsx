/* SPDX-License-Identifier: MIT
 *
 * The icicle of a difference: the trees of the runs laid over each other. As wide as the new runs
 * say, or the base, which also draws what has vanished.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { axisText, showAxis } from '../base/axis';
import { API, type ApiError, asApiError, getJson, isAbort } from '../base/client';
import type { ComparedTable, Comparison } from '../base/compare_types';
import { route } from '../base/router';
import type { FlameAnswer } from '../base/trace_types';
import type { Run } from '../base/types';
import { int, MINUS, pct, THIN } from '../base/units';
import { diffPaint } from '../canvas/diff_paint';
import { FrameView } from '../components/frame_view';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { Segmented } from '../components/segmented';
import { type DiffTree, diffTree, layoutDiff, type PathTree, vanished } from '../model/diff_tree';
import type { ImportTree } from '../model/icicle';
import { matcher, matchSet } from '../model/search';
import { put } from './compare_state';
import { axisOfRun, isStacks } from './trace_data';

/** Runs of a group that are laid over each other; more tell little more of a picture. */
const RUNS = 7;
const NODES = 20_000;
const NS_PER_US = 1000;

interface Picture {
    path: (run: Run) => string;
    read: (answer: unknown) => PathTree;
    modules: boolean;
}

const IMPORTS: Picture = {
    path: (run) => `${API}/runs/${run.id}/imports/tree?limit=${NODES}`,
    read: (answer) => {
        const tree = answer as ImportTree;
        return {
            n: tree.n,
            parent: tree.parent,
            total: tree.total_us.map((us) => us * NS_PER_US),
            nameOf: (node) => tree.names[node],
            floor: (tree.cut?.below_us ?? 0) * NS_PER_US,
        };
    },
    modules: true,
};

function flame(view: string): Picture {
    return {
        path: (run) => `${API}/runs/${run.id}/${view}limit=${NODES}`,
        read: (answer) => {
            const { n, parent, total, name, names, cut } = answer as FlameAnswer;
            const least = () => total.reduce((low, ns) => Math.min(low, ns), Infinity);
            const nameOf = (node: number) => names[name[node]];
            return { n, parent, total, nameOf, floor: cut > 0 && n > 0 ? least() : 0 };
        },
        modules: false,
    };
}

const STACKS = flame('stack_flame?');
const SLICES = flame('flame?on=cpu&');
const TRACES = ['torch-trace', 'trace', 'nsys'];

/* Which picture stands over a table, or none. */
function pictureOf(run: Run, of: string): Picture | null {
    if (run.kind === 'importtime') return IMPORTS;
    if (isStacks(run)) return STACKS;
    return TRACES.includes(run.kind) && of === 'operators' ? SLICES : null;
}

export function ComparePicture(props: { comparison: Comparison; table: ComparedTable }) {
    const picture = pictureOf(props.comparison.base[0], props.table.of);
    return picture && <DiffPicture comparison={props.comparison} picture={picture} />;
}

/* The trees of both groups, all of them or none. */
function useTree(comparison: Comparison, picture: Picture) {
    const [tree, setTree] = useState<DiffTree | null>(null);
    const [error, setError] = useState<ApiError | null>(null);
    useEffect(() => {
        const control = new AbortController();
        const read = async (run: Run) =>
            picture.read(await getJson(picture.path(run), { signal: control.signal }));
        const group = (runs: Run[]) => Promise.all(runs.slice(0, RUNS).map(read));
        setError(null);
        Promise.all([group(comparison.base), group(comparison.new)])
            .then(([base, fresh]) => setTree(diffTree(base, fresh)))
            .catch((reason: unknown) => {
                if (!isAbort(reason)) setError(asApiError(reason));
            });
        return () => control.abort();
    }, [comparison, picture]);
    return { tree, error };
}

function signedText(delta: number): string {
    const value = axisText(Math.abs(delta));
    return delta === 0 ? value : (delta < 0 ? MINUS : '+') + value;
}

function DiffPicture({ comparison, picture }: { comparison: Comparison; picture: Picture }) {
    showAxis(axisOfRun(comparison.new[0]));
    const { tree, error } = useTree(comparison, picture);
    const { width, zoom, frame, q = '', regex } = route.value.query;
    const side = width === 'base' ? 'base' : 'fresh';
    const layout = useMemo(() => tree && layoutDiff(tree, side), [tree, side]);
    const total = side === 'base' ? tree?.baseTotal : tree?.freshTotal;
    const runs = side === 'base' ? comparison.base : comparison.new;
    const word = `${side === 'base' ? 'base' : 'new'}${runs.length > 1 ? ', Σ of medians' : ''}`;
    const title = `${word}, ${axisText(total ?? 0)}`;
    const paint = useMemo(
        () =>
            tree && layout
                ? diffPaint({ tree, layout, title, say: signedText, modules: picture.modules })
                : null,
        [tree, layout, title],
    );
    const match = useMemo(() => {
        const search = matcher(q, regex === '1');
        return tree && !search.empty ? matchSet(search, tree.n, (i) => tree.names[i]) : null;
    }, [tree, q, regex]);
    const picked = Number(frame ?? -1);
    return (
        <section class="picture compare-picture" aria-label="Difference">
            <PictureHead comparison={comparison} tree={tree} side={side} />
            {error && <Notice kind="error" title="The picture could not be read" error={error} />}
            {tree && layout && paint && !error && (
                <FrameView
                    label="Difference"
                    layout={layout}
                    paint={paint}
                    match={match?.set ?? null}
                    selected={picked < tree.n ? picked : -1}
                    onSelect={(node) => put({ frame: node >= 0 ? String(node) : null })}
                    zoom={zoom ?? ''}
                    onZoom={(span) => put({ zoom: span })}
                    idOf={(node) => node}
                    nodeOf={(id) => id}
                    nameOf={(node) => tree.names[node]}
                    rootName={title}
                    tip={(node) => <DiffTip tree={tree} node={node} />}
                    height={164}
                    keyless
                    empty="There is nothing to draw."
                />
            )}
            <LoadingLine active={!tree && !error} />
        </section>
    );
}

interface PictureHeadProps {
    comparison: Comparison;
    tree: DiffTree | null;
    side: 'base' | 'fresh';
}

function PictureHead({ comparison, tree, side }: PictureHeadProps) {
    const most = Math.max(comparison.base.length, comparison.new.length);
    const gone = tree ? vanished(tree) : [];
    const lost = gone.reduce((sum, node) => sum + (tree?.base[node] ?? 0), 0);
    const names = gone.slice(0, 12).map((node) => tree?.names[node]);
    return (
        <div class="compare-picture-head">
            <Segmented
                label="width of frames"
                value={side}
                options={[
                    { value: 'fresh', text: 'Width: new' },
                    { value: 'base', text: 'Width: base', tip: 'also draws what has vanished' },
                ]}
                onChange={(value) =>
                    put({ width: value === 'base' ? 'base' : null, zoom: null, frame: null })
                }
            />
            <span class="soft wide-only">
                colour = Δ of the total against base
                {most > RUNS && `, of ${RUNS} runs a side`}
            </span>
            {gone.length > 0 && (
                <span class="soft ellipsis" title={names.join('\n')}>
                    {int(gone.length)} vanished, {axisText(lost)}: {names.join(', ')}
                </span>
            )}
            <span class="spacer" />
            <DiffLegend />
        </div>
    );
}

function DiffLegend() {
    return (
        <span class="diff-legend">
            faster
            <span aria-hidden="true">
                {[1, 2, 3, 4, 5, 6, 7].map((step) => (
                    <i key={step} style={{ background: `var(--diff-${step})` }} />
                ))}
            </span>
            slower
            <i class="is-new" aria-hidden="true" />
            new
        </span>
    );
}

function DiffTip({ tree, node }: { tree: DiffTree; node: number }) {
    const base = node < 0 ? tree.baseTotal : tree.base[node];
    const fresh = node < 0 ? tree.freshTotal : tree.fresh[node];
    const delta = fresh - base;
    const share =
        base > 0
            ? ` (${delta < 0 ? MINUS : '+'}${pct((100 * Math.abs(delta)) / base)}${THIN}% of base)`
            : '';
    const fate = node < 0 ? 'kept' : tree.fate[node];
    const noise = node < 0 ? 0 : tree.noise[node];
    return (
        <>
            <div class="tooltip-title tip-long">{node < 0 ? 'all' : tree.names[node]}</div>
            <dl>
                <dt>base</dt>
                <dd>{fate === 'new' ? '–' : axisText(base)}</dd>
                <dt>new</dt>
                <dd>{fate === 'gone' ? '–' : axisText(fresh)}</dd>
                <dt>Δ</dt>
                <dd>{signedText(delta) + share}</dd>
            </dl>
            {(noise > 0 || fate !== 'kept') && (
                <div class="tooltip-foot">
                    {fate === 'new' && 'new on this path'}
                    {fate === 'gone' && 'vanished from this path'}
                    {fate === 'kept' &&
                        `${Math.abs(delta) <= noise ? 'within' : 'above the'} noise of ±${THIN}${axisText(noise)}`}
                </div>
            )}
        </>
    );
}
