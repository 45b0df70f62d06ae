/* SPDX-License-Identifier: MIT
 *
 * A component whose code is loaded when it is first shown.
 */
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { LABELS } from '../../base/terms';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';

function lazyView<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
    let loaded: ComponentType<P> | null = null;
    return function Lazy(props: P) {
        const [, redraw] = useState(0);
        const [error, setError] = useState<ApiError | null>(null);
        const View = loaded;
        useEffectOn(() => {
            // The value at the first render; another instance may have loaded the view since.
            if (View) return;
            load()
                .then((view) => {
                    loaded = view;
                    redraw((n) => n + 1);
                })
                .catch((reason: unknown) => setError(asApiError(reason)));
        }, []);
        if (View) return <View {...props} />;
        return (
            <main class="report">
                {error && <Notice kind="error" title={LABELS.viewError} error={error} />}
                <LoadingLine active={!error} />
            </main>
        );
    };
}

export const LazyCompare = lazyView(() =>
    import('../compare/view').then((module) => module.CompareView),
);

export const LazySearch = lazyView(() =>
    import('../search/view').then((module) => module.SearchView),
);

export const LazySql = lazyView(() => import('../sql/shelf').then((module) => module.SqlShelf));

export const LazyTrend = lazyView(() => import('../trend/view').then((module) => module.TrendView));
