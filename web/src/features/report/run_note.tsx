/* SPDX-License-Identifier: MIT */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Note of a user on the run; of a long note only the first lines until it is expanded. */
export function RunNote({ text }: { text: string }) {
    const ref = useRef<HTMLParagraphElement | null>(null);
    const [all, setAll] = useState(false);
    const [isCut, setCut] = useState(false);
    useLayoutEffect(() => {
        const shown = ref.current;
        if (!shown || all) return;
        const measure = () => setCut(shown.scrollHeight > shown.clientHeight + 1);
        const observer = new ResizeObserver(measure);
        measure();
        observer.observe(shown);
        return () => observer.disconnect();
    }, [all]);
    return (
        <div class="run-note">
            <p ref={ref} class={all ? 'is-all' : undefined} tabIndex={all ? 0 : undefined}>
                {text}
            </p>
            {(isCut || all) && (
                <button type="button" class="link" onClick={() => setAll(!all)}>
                    {all ? 'Show less' : 'Show all'}
                </button>
            )}
        </div>
    );
}
