/* SPDX-License-Identifier: MIT
 *
 * Pane next to a table of one or two groups: the selected row in each of the runs.
 */
import type { ComponentChildren } from 'preact';
import type { ComparisonTable, Run } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { PaneHead } from '../../components/toolbar';
import { capital } from '../../model/labels';
import { useJson } from '../shared/use_json';
import { SidePane } from './side_pane';
import { comparePath, rowParams } from './state';

interface RowPaneProps<T> {
    table: ComparisonTable;
    /** id of the row, as in the URL */
    row: string;
    children: (data: T) => ComponentChildren;
}

export function RowPane<T>({ table, row, children }: RowPaneProps<T>) {
    const { data, error, loading } = useJson<T>(
        comparePath(
            route.value.query,
            `/${table.of}/${encodeURIComponent(row)}`,
            rowParams(table, route.value.query),
        ),
    );
    return (
        <SidePane label={`The selected ${table.row}`}>
            <PaneHead title={capital(table.row)} remark="selected">
                <button
                    type="button"
                    class="quiet"
                    onClick={() => replaceQuery({ row: null, sel: null })}
                >
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            {error && <Notice kind="error" title="The row could not be read" error={error} />}
            {data && !error && <div class="compare-body">{children(data)}</div>}
            <LoadingLine active={loading} />
        </SidePane>
    );
}

/** A monospaced name in a list of values. */
export function Mono({ children }: { children: string }) {
    return <span class="mono break">{children}</span>;
}

/** Heading of a list of runs: how many of them have the row. */
export function RunsHead({ children }: { children: string }) {
    return (
        <div class="named-head">
            <b>Runs</b>
            <span class="soft">{children}</span>
        </div>
    );
}

interface RunValuesProps {
    runs: Run[];
    href: (run: Run) => string;
    /** formats the value of the run with index `at`; '' if the run has no value */
    format: (at: number) => string;
}

/** Content of <dl class="compare-values">: every run with its value and a link. */
export function RunValues({ runs, href, format }: RunValuesProps) {
    return (
        <>
            {runs.map((run, i) => (
                <dd key={run.id}>
                    <a class="link ellipsis" href={href(run)} title={run.name}>
                        {run.name}
                    </a>
                    <span>{format(i)}</span>
                </dd>
            ))}
        </>
    );
}
