/* SPDX-License-Identifier: MIT
 *
 * Loads a run, and shows one of its views in a report or in a panel.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { ApiError, asApiError, getJson, isAbort } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { LABELS } from '../../base/terms';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { hideTooltip } from '../../components/tooltip';
import { cachedRuns, cacheRun, onRunChange } from '../shared/shelf_state';
import { loadView, loadedView, runPath, type TabSpec } from './tabs';

const RUN_DELETED = new ApiError(404, 'not_found', 'The run was deleted.', null, null);

/* The run: at first as the shelf last received it, then as the server returns it. */
export function useRun(id: string): { run: Run | null; error: ApiError | null } {
    const [run, setRun] = useState<Run | null>(cachedRuns.get(id) ?? null);
    const [error, setError] = useState<ApiError | null>(null);
    useEffect(() => {
        const control = new AbortController();
        setRun(cachedRuns.get(id) ?? null);
        setError(null);
        getJson<Run>(runPath(id), { signal: control.signal })
            .then((found) => {
                cacheRun(found);
                setRun(found);
            })
            .catch((reason: unknown) => {
                if (!isAbort(reason)) setError(asApiError(reason));
            });
        return () => control.abort();
    }, [id]);
    useEffect(
        () =>
            onRunChange((change) => {
                if (change.type === 'run' && change.run.id === id) setRun(change.run);
                if (change.type === 'gone' && change.id === id) setError(RUN_DELETED);
            }),
        [id],
    );
    return { run, error };
}

export function TabBody({ spec, run }: { spec: TabSpec; run: Run }) {
    const [, redraw] = useState(0);
    const [error, setError] = useState<ApiError | null>(null);
    const View = loadedView(spec);
    useEffectOn(() => {
        hideTooltip();
        setError(null);
        // `View` is the value of this render: another component may have loaded the view since.
        if (View) return;
        loadView(spec)
            .then(() => redraw((n) => n + 1))
            .catch((reason: unknown) => setError(asApiError(reason)));
    }, [spec]);
    if (error) return <Notice kind="error" title={LABELS.viewError} error={error} />;
    if (!View) return <LoadingLine active />;
    return <View key={`${run.id} ${spec.id}`} run={run} />;
}
