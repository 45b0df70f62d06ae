/* SPDX-License-Identifier: MIT
 *
 * Notices about files that were not added as runs, and about runs that were just deleted.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, asApiError, sendJson, type ApiError } from '../../base/client';
import { formatHash } from '../../base/router';
import { plural } from '../../base/units';
import { Notice } from '../../components/notice';
import { removeNotice, notices, type ShelfNotice } from '../shared/notices';
import { publishRunChange } from '../shared/shelf_state';

export function ShelfNotices() {
    if (!notices.value.length) return null;
    const failed = notices.value.filter(({ kind }) => kind === 'failed');
    const others =
        failed.length > 1 ? notices.value.filter((item) => !failed.includes(item)) : notices.value;
    return (
        <div class="news">
            {failed.length > 1 && <FailedNotice failed={failed} />}
            {others.map((item) => (
                <NoticeItem key={item.key} item={item} />
            ))}
        </div>
    );
}

/** More failures than this are folded. */
const MAX_OPEN_FAILURES = 4;

/* One notice for several files that were not added. */
function FailedNotice({ failed }: { failed: ShelfNotice[] }) {
    return (
        <Notice
            kind="error"
            title={
                <>
                    <b>{plural(failed.length, 'file')}</b> were not added
                </>
            }
            actions={
                <button
                    type="button"
                    class="link"
                    onClick={() => failed.forEach(({ key }) => removeNotice(key))}
                >
                    Dismiss
                </button>
            }
        >
            <details open={failed.length <= MAX_OPEN_FAILURES}>
                <summary>Reasons</summary>
                <ul>
                    {failed.map(({ key, name, error }) => (
                        <li key={key}>
                            <b>{name}</b>: {[error?.text, error?.hint].filter(Boolean).join('. ')}
                        </li>
                    ))}
                </ul>
            </details>
        </Notice>
    );
}

/* Notice about deleted runs. The Undo button remains until all runs are restored. */
function DeletedNotice({
    item,
    dismissButton,
}: {
    item: ShelfNotice;
    dismissButton: ComponentChildren;
}) {
    const [busy, setBusy] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    async function undo(): Promise<void> {
        setBusy(true);
        setError(null);
        try {
            for (const id of item.deleted ?? []) {
                const run = await sendJson<Run>('POST', `${API}/runs/${id}/undelete`);
                if (run) publishRunChange({ type: 'run', run });
            }
            publishRunChange({ type: 'all' });
            removeNotice(item.key);
        } catch (failure) {
            setError(asApiError(failure));
            setBusy(false);
        }
    }
    return (
        <Notice
            kind={error ? 'error' : 'info'}
            title={
                <>
                    Deleted <b>{item.name}</b>
                </>
            }
            error={error ?? undefined}
            actions={
                <>
                    <button type="button" class="link" disabled={busy} onClick={() => void undo()}>
                        Undo
                    </button>
                    {dismissButton}
                </>
            }
        />
    );
}

function NoticeItem({ item }: { item: ShelfNotice }) {
    const remove = (
        <button type="button" class="link" onClick={() => removeNotice(item.key)}>
            Dismiss
        </button>
    );
    if (item.kind === 'already') {
        return (
            <Notice
                kind="info"
                title={
                    <>
                        <b>{item.name}</b> is already on the shelf. The same file was added before.
                    </>
                }
                actions={
                    <>
                        {item.run && (
                            <a class="link" href={formatHash(['run', item.run])}>
                                Open run
                            </a>
                        )}
                        {remove}
                    </>
                }
            />
        );
    }
    if (item.kind === 'deleted') return <DeletedNotice item={item} dismissButton={remove} />;
    if (item.kind === 'left_out') {
        return (
            <Notice
                kind="info"
                title={
                    <>
                        Skipped, not a profile: <b>{item.name}</b>
                    </>
                }
                actions={remove}
            >
                <details>
                    <summary>Details</summary>
                    <ul>
                        {item.files?.map((file) => (
                            <li key={file}>{file}</li>
                        ))}
                    </ul>
                </details>
            </Notice>
        );
    }
    return (
        <Notice
            kind="error"
            title={
                <>
                    <b>{item.name}</b> was not added
                </>
            }
            error={item.error ?? undefined}
            actions={remove}
        />
    );
}
