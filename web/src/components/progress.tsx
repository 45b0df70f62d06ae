/* SPDX-License-Identifier: MIT */

/** A 2 px line on the lower edge of what loads; CSS holds it back for 100 ms. */
export function LoadingLine({ active }: { active: boolean }) {
    if (!active) return null;
    return <div class="loading-line" role="progressbar" aria-label="loading" />;
}

/** The share that is done, 0 to 1; null while it is unknown. */
export function ProgressLine({ share }: { share: number | null }) {
    const percent = share === null ? undefined : Math.round(share * 100);
    return (
        <div class="progress-line" role="progressbar" aria-valuenow={percent}>
            <div
                class={share === null ? 'is-unknown' : ''}
                style={{ width: share === null ? '100%' : `${Math.min(100, share * 100)}%` }}
            />
        </div>
    );
}
