/* SPDX-License-Identifier: MIT */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { pushQuery, route } from '../../base/router';
import { THIN_SPACE, formatFixed, formatSeconds, plural, int, text } from '../../base/units';
import { coloursByOrigin, formsOfModules, paintOf, tintsOfNames } from '../../canvas/tree_paint';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { FrameView } from '../../components/frame_view';
import { setSearch } from '../../components/hit_steps';
import { childLists, type FrameLayout } from '../../model/frames';
import { ORIGINS } from '../../model/tint';
import { shareText, type TipData } from '../../model/tip';
import { layoutTree, nameOf } from '../../model/tree';
import { tipOf, weightRows } from '../../model/tree_tip';
import { ROW_GROUPS } from '../shared/row_actions';
import { type ImportData, rowOfNode } from './data';
import { moduleActions } from './module_actions';
import type { Mode } from './toolbar';
import { TreemapView } from './treemap_view';

const ROOT_NAME = 'python -X importtime';

interface PictureProps {
    run: Run;
    data: ImportData;
    mode: Mode;
    hidden: Uint8Array | null;
    match: Uint8Array | null;
    /** of the icicle */
    layout: FrameLayout;
    /** threshold in µs, and the time that it applies to: a cumulative threshold applies to the
     * icicle, a self threshold to the treemap */
    minUs: number;
    by: 'self' | 'cumulative';
    /** index of the node, or -1 */
    selected: number;
    onSelect: (node: number) => void;
}

/** Layout of the icicle in one of its two orders. */
export function useIcicle(
    data: ImportData,
    mode: Mode,
    hidden: Uint8Array | null,
    minCumulativeUs: number,
): FrameLayout {
    const widestFirst = mode !== 'order';
    return useMemo(
        () => layoutTree(data.tree, { widestFirst, hidden, minWidth: minCumulativeUs }),
        [data, widestFirst, hidden, minCumulativeUs],
    );
}

/** The icicle in one of its two orders, or the treemap. */
export function ImportsPicture(props: PictureProps) {
    const { run, data, mode, hidden, match, layout, minUs, by, selected, onSelect } = props;
    const query = route.value.query;
    const paint = useMemo(() => {
        const { tree } = data;
        const secondsText = (us: number) => text(formatSeconds(us / 1e6));
        return paintOf(tree, layout, {
            title: ROOT_NAME,
            whole: secondsText(data.total),
            colours: coloursByOrigin(tree),
            tintOf: tintsOfNames(tree),
            formsOf: formsOfModules(tree),
            valueText: (node) => secondsText(tree.cumulative[node]),
        });
    }, [data, layout]);
    return (
        <div class="picture">
            {mode === 'treemap' ? (
                <TreemapView
                    tree={data.tree}
                    hidden={hidden}
                    minUs={by === 'self' ? minUs : 0}
                    match={match}
                    selected={selected}
                    onSelect={onSelect}
                    zoom={query.pkg ?? ''}
                    onZoom={(pkg) => pushQuery({ pkg })}
                    rootName={ROOT_NAME}
                    tip={(node) => importTip(data, layout, node)}
                    height={290}
                />
            ) : (
                <FrameView
                    label="Icicle of the imports"
                    tree={data.tree}
                    layout={layout}
                    paint={paint}
                    match={match}
                    hasSteps
                    onClearSearch={() => setSearch({ q: null })}
                    selected={selected}
                    onSelect={onSelect}
                    zoom={query.zoom ?? ''}
                    onZoom={(zoom) => pushQuery({ zoom })}
                    actions={(node) => frameActions(run, data, node)}
                    tip={(node) => importTip(data, layout, node)}
                    height={290}
                    empty="This log has no import times. Record one with python -X importtime."
                />
            )}
            {data.tree.floor !== undefined && (
                <div class="picture-note">
                    {plural(data.tree.cut, 'module')} below {formatFixed(data.tree.floor / 1000, 3)}
                    {THIN_SPACE}ms not drawn; the table lists all modules
                </div>
            )}
        </div>
    );
}

/** The actions of a module, with its import path. */
export function frameActions(run: Run, data: ImportData, node: number): readonly Action[] {
    const { tree } = data;
    const importPath = (): string => {
        const modules: string[] = [];
        for (let at = node; at >= 0; at = tree.parent[at]) modules.push(nameOf(tree, at));
        return modules.reverse().join('\n');
    };
    const copyPath = {
        text: 'Copy import path',
        key: 'y',
        group: ROW_GROUPS.copy,
        button: true,
        run: () => copyAndConfirm(importPath(), 'Import path'),
    };
    return moduleActions(run, rowOfNode(data, node), [copyPath]).actions;
}

const childStarts = new WeakMap<ImportData, Int32Array>();

function childCount(data: ImportData, node: number): number {
    let starts = childStarts.get(data);
    if (!starts) {
        starts = childLists(data.tree.parent, data.tree.n).start;
        childStarts.set(data, starts);
    }
    return starts[node + 1] - starts[node];
}

/** Without a module: of the complete run. */
function importTip(data: ImportData, layout: FrameLayout, node: number): TipData {
    const { tree, total, sumSelf, totalName, sumName } = data;
    const format = (us: number): string => `${formatFixed(us / 1000, 3)}${THIN_SPACE}ms`;
    const base = `percentages of ${totalName}`;
    if (node < 0)
        return tipOf(tree, layout, node, {
            root: ROOT_NAME,
            rows: [
                { label: totalName, value: format(total), share: shareText(total, total) },
                { label: sumName, value: format(sumSelf), share: shareText(sumSelf, total) },
            ],
            foot: [`${int(tree.n)} modules · ${base}`],
        });
    // The width of a frame can differ from the time that is printed.
    const printed = { ...tree, total: tree.cumulative };
    const up = tree.parent[node];
    const direct = plural(childCount(data, node), 'direct import');
    return tipOf(tree, layout, node, {
        root: ROOT_NAME,
        rows: weightRows(printed, node, {
            total: 'cumulative',
            self: 'self',
            whole: total,
            format,
        }),
        foot: [
            up >= 0 ? `first importer ${tree.frames.name[up]}` : '',
            `${ORIGINS[data.origins[node]]} · depth ${data.depth[node]} · ${direct} · ${base}`,
            tree.self[node] < 0 ? 'a negative self time is drawn as 0' : '',
        ],
    });
}
