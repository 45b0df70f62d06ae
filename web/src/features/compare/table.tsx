/* SPDX-License-Identifier: MIT
 *
 * One table of a comparison with its toolbar, next to a pane. The pane shows the steps from base to
 * new, or details of the selected row.
 */
import type { Comparison, ComparisonRow, ComparisonTable, Metric } from '../../base/answers';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { kindHas } from '../../base/kinds';
import { replaceQuery, route } from '../../base/router';
import { Menu } from '../../components/menu';
import { viewportWidth } from '../../components/viewport';
import { ModeSwitch } from '../shared/mode_switch';
import { changeLabel, scaleOf, changeWord } from '../../model/compare';
import { type ColumnInputs, compareColumns, intervalReach, isImports } from './columns';
import { fitColumns } from './fit_columns';
import type { RowName } from './diff_tree';
import { type LargestRows, useLargestRows } from './largest_rows';
import { ComparePane } from './pane';
import { compareActions } from './row_menu';
import { CompareRows, NoRowsYet, useSearch } from './rows';
import { sidePaneWidth } from './side_pane';
import { isSingle, metricOf } from './state';

interface CompareTableProps {
    comparison: Comparison;
    table: ComparisonTable;
    /** Shows only rows that one of the groups lacks. */
    onlyChanges?: boolean;
    /** Called when the user selects a row in the table. */
    onPick?: (row: RowName) => void;
    /** Called when the server has joined the rows; from then on, requests for this table are
     * fast. */
    onReady?: () => void;
}

function useColumns(of: Omit<ColumnInputs, 'scale' | 'maxDelta' | 'reach'>, top: ComparisonRow[]) {
    const { table, metric, search, single } = of;
    const room = viewportWidth.value - sidePaneWidth();
    return useMemoOn(() => {
        const values = top.flatMap((row) => [row.base ?? 0, row.new ?? 0]);
        const scale = scaleOf(
            metric.unit,
            Math.max(0, ...values.map(Math.abs)),
            values.every(Number.isInteger),
        );
        const maxDelta = Math.max(0, ...top.map(({ delta }) => Math.abs(delta ?? 0)));
        return {
            scale,
            columns: fitColumns(
                compareColumns({ ...of, scale, maxDelta, reach: intervalReach(top) }),
                room,
            ),
        };
    }, [table, metric, search, single, top, room]);
}

/** The first request makes the server join and test the rows; all other requests are sent after
 * it. */
export function CompareTable(props: CompareTableProps) {
    const metric = metricOf(props.table, route.value.query);
    const { top, error } = useLargestRows<ComparisonRow>(props.table);
    const ready = top !== null;
    useEffectOn(() => {
        if (ready) props.onReady?.();
    }, [ready]);
    if (!top) return <NoRowsYet error={error} />;
    return <TableBody {...props} metric={metric} top={top} />;
}

type TableBodyProps = CompareTableProps & { metric: Metric; top: LargestRows<ComparisonRow> };

function TableBody(props: TableBodyProps) {
    const { comparison, table, onlyChanges = false, metric, top, onPick } = props;
    const { verdict, change = onlyChanges ? 'added,removed' : undefined } = route.value.query;
    const single = isSingle(comparison, table);
    const search = useSearch();
    const { scale, columns } = useColumns({ table, metric, search, single }, top.rows);
    return (
        <CompareRows<ComparisonRow>
            {...{ table, metric, columns, onPick }}
            filters={{ verdict, change }}
            menus={
                <>
                    {table.of === 'functions' && kindHas(comparison.new[0].kind, 'stacks') && (
                        <ModeSwitch cleared={['row', 'frame']} />
                    )}
                    {!single && <VerdictMenu unit={metric.unit} isMixed={table.place === 'unit'} />}
                    <ChangeMenu table={table} onlyChanges={onlyChanges} />
                </>
            }
            actions={(row) => compareActions(comparison, table, row)}
            rowClass={(row) => (row.verdict === 'same' ? 'is-quiet' : '')}
            empty={onlyChanges ? `No ${table.row} was added or removed.` : undefined}
        >
            <ComparePane {...{ comparison, table, metric, scale, top }} />
        </CompareRows>
    );
}

interface Choice {
    value: string | null;
    text: string;
}

function ChoiceMenu({ label, name, choices }: { label: string; name: string; choices: Choice[] }) {
    const now = route.value.query[name] ?? null;
    const shown = choices.find(({ value }) => value === now)?.text ?? now ?? '';
    return (
        <Menu
            label={
                <>
                    <span class="faint">{label}</span> {shown}
                </>
            }
            items={choices.map(({ value, text }) => ({
                text,
                checked: value === now,
                onPick: () => replaceQuery({ [name]: value, row: null }),
            }))}
        />
    );
}

/* isMixed: rows have units of their own, so that more is slower for some. */
function VerdictMenu({ unit, isMixed }: { unit: string; isMixed: boolean }) {
    const [up, down] = isMixed
        ? ['more or slower', 'less or faster']
        : [changeWord(true, unit), changeWord(false, unit)];
    return (
        <ChoiceMenu
            label="verdict"
            name="verdict"
            choices={[
                { value: null, text: 'any' },
                { value: 'up,down', text: isMixed ? 'changed' : `${up} or ${down}` },
                { value: 'up', text: up },
                { value: 'down', text: down },
                { value: 'same', text: 'within noise' },
                { value: 'few', text: isMixed ? 'too few samples' : 'too few runs' },
            ]}
        />
    );
}

function ChangeMenu({ table, onlyChanges }: { table: ComparisonTable; onlyChanges: boolean }) {
    const isImport = isImports(table);
    const label = (change: 'added' | 'removed') => (isImport ? changeLabel(change, true) : change);
    const both = { value: null, text: onlyChanges ? 'added or removed' : 'any' };
    const more = [
        { value: 'moved', text: isImport ? 'other first importer' : 'moved' },
        { value: 'kept', text: 'in both, same place' },
    ];
    return (
        <ChoiceMenu
            label="change"
            name="change"
            choices={[
                both,
                { value: 'added', text: label('added') },
                { value: 'removed', text: label('removed') },
                ...(onlyChanges ? [] : more),
            ]}
        />
    );
}
