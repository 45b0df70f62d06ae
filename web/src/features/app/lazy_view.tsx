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

export function lazyView<P extends object>(
    load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
    let loaded: ComponentType<P> | null = null;
    return function Lazy(props: P) {
        const [, redraw] = useState(0);
        const [error, setError] = useState<ApiError | null>(null);
        const View = loaded;
        useEffectOn(() => {
            if (View) return; // value of this render; another instance may have loaded it since
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
