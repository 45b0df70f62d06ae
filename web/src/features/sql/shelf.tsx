/* SPDX-License-Identifier: MIT
 *
 * SQL over the catalog, and over the runs that the URL parameter `runs` lists.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { replaceQuery, route } from '../../base/router';
import { useTyped } from '../../base/typed_fields';
import { setStatus } from '../../components/status_line';
import runSchema from '../../../../schema/run.sql';
import shelfSchema from '../../../../schema/shelf_views.sql';
import { SHELF_EXAMPLES } from './examples';
import { SqlView } from './view';
import { multiRunViews, viewsOf } from './views';

const CATALOG_VIEWS = viewsOf(shelfSchema);
const VIEWS = [...CATALOG_VIEWS, ...multiRunViews(viewsOf(runSchema))];

export function SqlShelf() {
    const urlRuns = route.value.query.runs ?? '';
    const scope = useMemo(
        () => ({ runs: urlRuns.split(',').flatMap((id) => id.trim() || []) }),
        [urlRuns],
    );
    useEffect(() => {
        document.title = 'SQL · perfshelf';
        setStatus(null, null, null);
    }, []);
    return (
        <main class="report">
            <SqlView
                scope={scope}
                views={VIEWS}
                examples={SHELF_EXAMPLES}
                kind=""
                picker={<RunsField urlRuns={urlRuns} />}
                emptyText={(view) =>
                    urlRuns || CATALOG_VIEWS.includes(view) ? 'no rows' : 'no runs named'
                }
            />
        </main>
    );
}

/** Field with the list of runs. The text is applied on Enter and on blur. */
function RunsField({ urlRuns }: { urlRuns: string }) {
    const [typed, setTyped] = useTyped(urlRuns);
    const text = typed ?? urlRuns;
    const commit = () => {
        if (text.trim() !== urlRuns) replaceQuery({ runs: text.trim() || null });
    };
    return (
        <label
            class="sql-runs"
            title="ids, names, series:NAME or tag:K=V, separated by commas; empty: catalog only"
        >
            <span>Runs</span>
            <span class="field">
                <input
                    type="text"
                    value={text}
                    placeholder="series:NAME, tag:K=V, ids"
                    onInput={(event) => setTyped(event.currentTarget.value)}
                    onBlur={commit}
                    onKeyDown={(event) => event.key === 'Enter' && commit()}
                />
            </span>
        </label>
    );
}
