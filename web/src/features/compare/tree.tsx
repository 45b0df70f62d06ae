/* SPDX-License-Identifier: MIT
 *
 * The icicle above a table of one or two groups: their merged call trees. Its frames and the table
 * rows select each other.
 */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type {
    Comparison,
    ComparisonTable,
    ComparisonTree,
    Group,
    GroupTree,
    Run,
} from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { pushQuery, route } from '../../base/router';
import { text } from '../../base/units';
import { FRAME_ROW, type FramePaint } from '../../canvas/frame_canvas';
import { formsOfFunctions, formsOfModules } from '../../canvas/tree_paint';
import type { Action } from '../../components/actions';
import { FrameView } from '../../components/frame_view';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { formatValueOf, inUnit } from '../../model/compare';
import type { FrameLayout } from '../../model/frames';
import { matcher } from '../../model/search';
import { nodeOfId } from '../../model/tree_ids';
import { nameOf, searchTree, type Tree } from '../../model/tree';
import { tipOf } from '../../model/tree_tip';
import { CertaintyLegend } from '../calls/tree_pane';
import { type Answer, useJson } from '../shared/use_json';
import type { RowName } from './diff_tree';
import { selectFrame, useFrameOfRow } from './link';
import { perWords } from './per_switch';
import { PictureBox, pictureHeight } from './side_pane';
import { comparePath, perOf } from './state';

const MAX_NODES = 20_000;

/* Tables that can have this picture, because their rows are frames of the call tree. */
const TABLES_WITH_TREE = ['imports', 'packages', 'functions', 'operators', 'lines'];

type Pictures = Pick<Comparison, 'pictures' | 'no_tree'>;

export function hasPicture({ pictures }: Pictures, { of }: ComparisonTable): boolean {
    return pictures.includes('tree') && TABLES_WITH_TREE.includes(of);
}

/** Says why a table that could have a picture has none. */
export function NoPicture({ report, table }: { report: Pictures; table: ComparisonTable }) {
    if (!report.no_tree || !TABLES_WITH_TREE.includes(table.of)) return null;
    return <p class="compare-no-picture">No picture: {report.no_tree}.</p>;
}

type AnyTree = ComparisonTree | GroupTree;

/** Response of GET /compare/tree for the groups in the URL, per step like the rows of the table. A
 * tree has no values per call: it is then per step if possible. */
export function useTree<T extends AnyTree>(table: ComparisonTable): Answer<T> {
    const { query } = route.value;
    const per = perOf(table, query) !== 'run' && table.per.includes('step') ? 'step' : 'run';
    return useJson<T>(comparePath(query, '/tree', { of: table.of, per, limit: MAX_NODES }));
}

/** Sums of rounded rows are this close to the total that the tool states. */
const ROUNDING = 0.005;

/** Total of a tree with what it is of. It is the total that the tool states if the sum of the frames
 * differs only by rounding, so that the page shows one total; else the sum of all threads. */
export function totalText(
    { unit, per }: AnyTree,
    total: number,
    [{ kind }]: Run[],
    headline: Group | undefined,
    headlineUnit = '',
): string {
    const stated = headline ? mean(headline.values) : NaN;
    const sum = inUnit(total, unit, headlineUnit);
    if (per === 'run' && sum !== null && Math.abs(sum - stated) <= ROUNDING * Math.abs(stated))
        return text(formatValueOf(stated, headlineUnit));
    const threads = kindHas(kind, 'slices') || kindHas(kind, 'imports') ? 'all threads, ' : '';
    return `${threads}${text(formatValueOf(total, unit))}${perWords(per)}`;
}

const mean = (values: number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

/** A tree with its layout and paint. */
export interface Drawing<T extends Tree = Tree> {
    tree: T;
    title: string;
    /** width of the frame of each node */
    width: readonly number[];
    layout: FrameLayout;
    paint: FramePaint;
}

/** Forms of the names of a tree of runs like this one. */
export function formsOfKind(tree: Tree, { kind }: Run) {
    return kindHas(kind, 'imports') ? formsOfModules(tree) : formsOfFunctions(tree);
}

export interface PictureProps {
    table: ComparisonTable;
    /** the row that was selected in the table */
    wantedRow: RowName | null;
}

/** Frames that are marked because of a selection elsewhere. */
export interface PictureMark {
    /** whether the frames of a name are marked; null or undefined: the search marks */
    mark?: ((name: string) => boolean) | null;
    /** what is marked, for the head */
    markText?: string | null;
    /** true: the picture is below the tables */
    isBelow?: boolean;
}

interface TreePictureProps<T extends Tree> extends PictureProps, PictureMark {
    label: string;
    answer: Answer<unknown>;
    /** drawing of the answer; null while loading */
    drawing: Drawing<T> | null;
    /** heading above the frames */
    head: ComponentChildren;
    tip: (tree: T, node: number) => Omit<Parameters<typeof tipOf>[3], 'root'>;
    /** what the menu of a frame offers */
    actions?: (tree: T, node: number) => readonly Action[];
}

export function TreePicture<T extends Tree>(props: TreePictureProps<T>) {
    const { label, table, wantedRow, answer, drawing, head, tip, mark, isBelow, actions } = props;
    const { error, loading } = answer;
    const tree = drawing?.tree ?? null;
    const { q = '', regex, frame, zoom } = route.value.query;
    const match = useMemo(() => {
        if (mark && tree) {
            return { set: Uint8Array.from({ length: tree.n }, (_, i) => +mark(nameOf(tree, i))) };
        }
        return tree && searchTree(tree, matcher(q, regex === '1'));
    }, [tree, q, regex, mark]);
    useFrameOfRow(tree, drawing?.width ?? [], wantedRow);
    return (
        <PictureBox label={label} isBelow={isBelow}>
            {head}
            {error && <Notice kind="error" title="The picture could not be read" error={error} />}
            {tree && drawing && !error && (
                <FrameView
                    label={label}
                    tree={tree}
                    layout={drawing.layout}
                    paint={drawing.paint}
                    match={match?.set ?? null}
                    selected={nodeOfId(tree, frame)}
                    onSelect={(node) => void selectFrame(table, tree, node)}
                    zoom={zoom ?? ''}
                    onZoom={(span) => pushQuery({ zoom: span })}
                    tip={(node) =>
                        tipOf(tree, drawing.layout, node, { root: 'all', ...tip(tree, node) })
                    }
                    height={Math.min(pictureHeight(), drawing.layout.rows * FRAME_ROW + 20)}
                    actions={actions && ((node) => actions(tree, node))}
                    keyless
                    empty="Neither run has a call tree to draw."
                />
            )}
            <LoadingLine active={loading} />
        </PictureBox>
    );
}

/** Certainty legend of a picture whose frames have bounds; shown only in wide windows. */
export function TreeCertaintyLegend({ tree: { certainty } }: { tree: Tree }) {
    return (
        certainty && (
            <span class="wide-only">
                <CertaintyLegend certainty={certainty} />
            </span>
        )
    );
}
