/* SPDX-License-Identifier: MIT
 *
 * The SQL tab: a statement over the public views of the run, its answer below, what can be asked
 * for beside it. The URL holds the statement, so a link shows the same answer.
 */
import schema from '../../../schema/run.sql';
import type { Run } from '../base/types';
import { EXAMPLES } from '../model/sql_examples';
import { viewsOf } from '../model/sql_views';
import { SqlView } from './sql_view';

const VIEWS = viewsOf(schema);

export function SqlTab({ run }: { run: Run }) {
    return <SqlView scope={{ run: run.id }} views={VIEWS} examples={EXAMPLES} kind={run.kind} />;
}
