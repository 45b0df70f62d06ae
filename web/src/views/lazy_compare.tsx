/* SPDX-License-Identifier: MIT
 *
 * The comparison, whose code is fetched when it is first shown.
 */
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../base/client';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';

type View = typeof import('./compare_view').CompareView;

let loaded: View | null = null;

interface LazyProps {
    tab: string | undefined;
    view: string | undefined;
}

export function LazyCompare({ tab, view }: LazyProps) {
    const [, redraw] = useState(0);
    const [error, setError] = useState<ApiError | null>(null);
    useEffect(() => {
        if (loaded) return;
        import('./compare_view')
            .then(({ CompareView }) => {
                loaded = CompareView;
                redraw((n) => n + 1);
            })
            .catch((reason: unknown) => setError(asApiError(reason)));
    }, []);
    if (loaded) {
        const CompareView = loaded;
        return <CompareView tab={tab} view={view} />;
    }
    return (
        <main class="report">
            {error && <Notice kind="error" title="This view could not be loaded" error={error} />}
            <LoadingLine active={!error} />
        </main>
    );
}
