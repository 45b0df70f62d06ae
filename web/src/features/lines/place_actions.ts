/* SPDX-License-Identifier: MIT
 *
 * What a person can do with a function or a file of a line-level profile.
 */
import type { Run } from '../../base/answers';
import { type Query, route } from '../../base/router';
import type { LineFileRow, LineFunctionRow } from '../../base/rows';
import type { Action, RowActions } from '../../components/actions';
import { rowActions, viewAction } from '../shared/row_actions';

/** Query of the Lines tab that selects a function. */
export function linesQuery({ id, file_id, first_line }: LineFunctionRow): Query {
    const query: Query = { file: String(file_id), fn: String(id) };
    if (first_line !== null) query.line = String(first_line);
    return query;
}

const linesAction = (run: Run, query: Query): Action[] =>
    route.peek().path[2] === 'lines' ? [] : viewAction(run, 'lines', 'Show its lines', query);

export function lineFunctionActions(run: Run, row: LineFunctionRow): RowActions {
    const { file, first_line: line } = row;
    const name = row.function ?? 'unnamed';
    return rowActions(run, { name, file, line }, linesAction(run, linesQuery(row)));
}

export function lineFileActions(run: Run, { id, file }: LineFileRow): RowActions {
    return rowActions(run, { name: file, file }, linesAction(run, { file: String(id) }));
}
