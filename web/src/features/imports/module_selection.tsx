/* SPDX-License-Identifier: MIT
 *
 * The pane of the selected module: its times, the heaviest chain of imports through it, the module
 * that imported it first, and what it imported.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { formatFixed, THIN_SPACE } from '../../base/units';
import { Swatch } from '../../components/origin_legend';
import { type PaneFrame, SelectionPane } from '../../components/selection_pane';
import { foldStack, selectionFacts } from '../../model/selection';
import { ORIGINS } from '../../model/tint';
import { OtherRuns } from '../shared/other_runs';
import type { ImportData } from './data';
import { frameActions } from './picture';

const msText = (us: number): string => `${formatFixed(us / 1000, 3)}${THIN_SPACE}ms`;

interface ModuleSelectionProps {
    run: Run;
    data: ImportData;
    /** index of the node */
    node: number;
    onSelect: (node: number) => void;
}

export function ModuleSelection({ run, data, node, onSelect }: ModuleSelectionProps) {
    const { tree, total, totalName } = data;
    const [isFolded, setFolded] = useState(true);
    const facts = useMemo(() => {
        return selectionFacts({ ...tree, total: tree.cumulative }, node);
    }, [tree, node]);
    const originOf = (at: number) => ORIGINS[data.origins[at]];
    const frameOf = (at: number): PaneFrame => ({
        key: at,
        name: tree.frames.name[at],
        swatch: <Swatch origin={originOf(at)} />,
        text: msText(tree.cumulative[at]),
        value: tree.cumulative[at],
        isSelected: at === node,
        onSelect: () => onSelect(at),
    });
    const libraryOf = (at: number): string | null =>
        at !== node && ['third-party', 'stdlib'].includes(originOf(at))
            ? tree.packages[tree.package[at]]
            : null;
    const rows = isFolded
        ? foldStack(facts.stack, libraryOf)
        : facts.stack.map((at) => ({ node: at }));
    const [self, cumulative] = [tree.self[node], tree.cumulative[node]];
    return (
        <SelectionPane
            head={{ name: tree.frames.name[node], swatch: <Swatch origin={originOf(node)} /> }}
            actions={frameActions(run, data, node)}
            base={{ value: total, text: `${totalName} ${msText(total)}` }}
            instance={{
                title: 'This import',
                values: [
                    { label: 'Cumulative', text: msText(cumulative), value: cumulative },
                    { label: 'Self', text: msText(self), value: self, tone: 'self' },
                ],
            }}
            stack={{
                title: 'Heaviest chain',
                noun: 'module',
                rows: rows.map((row) =>
                    'fold' in row
                        ? { key: `fold ${row.node}`, fold: row.fold.replace('frames', 'modules') }
                        : frameOf(row.node),
                ),
                count: facts.stack.length,
                isFolded,
                onFold: setFolded,
            }}
            callers={{
                title: 'First importer',
                rows: facts.callers.map((one) => frameOf(one.node)),
            }}
            callees={{ title: 'Imports', rows: facts.callees.map((one) => frameOf(one.node)) }}
            otherRuns={<OtherRuns run={run} row={{ of: 'imports', row: tree.frames.name[node] }} />}
            onClose={() => onSelect(-1)}
        />
    );
}
