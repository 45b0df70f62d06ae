/* SPDX-License-Identifier: MIT */

/** A 2 px line at the lower edge of a loading component; CSS delays it by 100 ms. */
export function LoadingLine({ active }: { active: boolean }) {
    if (!active) return null;
    return <div class="loading-line" role="progressbar" aria-label="loading" />;
}

/** Completed share, 0 to 1; null if it is unknown. */
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
