/* SPDX-License-Identifier: MIT */
import type { OfflineFile } from '../../base/offline';

/** Line on an offline page: when and how it was made, and what was redacted. */
export function OfflineLine({ file }: { file: OfflineFile }) {
    const { made_at, made_by, redacted } = file;
    return (
        <p class="offline-line" role="note">
            <b>Offline copy</b> made {made_at.slice(0, 16).replace('T', ' ')} UTC by {made_by}.{' '}
            {redacted.length ? (
                <>
                    Redacted: <b>{redacted.join(', ')}</b>.
                </>
            ) : (
                'Nothing was redacted.'
            )}
        </p>
    );
}
