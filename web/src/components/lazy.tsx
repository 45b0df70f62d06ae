/* SPDX-License-Identifier: MIT
 *
 * A component whose code is loaded when it is first shown.
 */
import type { ComponentChildren, ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../base/client';
import { useEffectOn } from '../base/hooks';
import { LABELS } from '../base/terms';
import { Notice } from './notice';
import { LoadingLine } from './progress';

/** The component that `load` returns. Until it is loaded, a loading line or the error is shown, within
 * `frame` if there is one. */
export function lazy<P extends object>(
    load: () => Promise<ComponentType<P>>,
    frame: (body: ComponentChildren) => ComponentChildren = (body) => body,
): ComponentType<P> {
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
            <>
                {frame(
                    <>
                        {error && <Notice kind="error" title={LABELS.viewError} error={error} />}
                        <LoadingLine active={!error} />
                    </>,
                )}
            </>
        );
    };
}
