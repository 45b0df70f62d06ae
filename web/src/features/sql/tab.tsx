/* SPDX-License-Identifier: MIT
 *
 * The SQL tab: a statement over the public views of the run, its result below, and the
 * documentation of the views next to it. The URL contains the statement, so a link shows the same
 * result.
 */
import type { Run } from '../../base/answers';
import schema from '../../../../schema/run.sql';
import { RUN_EXAMPLES } from './examples';
import { SqlView } from './view';
import { viewsOf } from './views';

const VIEWS = viewsOf(schema);

export function SqlTab({ run }: { run: Run }) {
    return (
        <SqlView
            scope={{ run: run.id }}
            run={run}
            views={VIEWS}
            examples={RUN_EXAMPLES}
            kind={run.kind}
        />
    );
}
