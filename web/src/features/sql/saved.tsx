/* SPDX-License-Identifier: MIT
 *
 * Statements that users saved on the shelf for all users: for runs of one kind, or for queries over
 * the shelf.
 */
import { useState } from 'preact/hooks';
import type { SavedQuery } from '../../base/answers';
import { API, type ApiError, asApiError, sendJson, withParams } from '../../base/client';
import { offlineFile } from '../../base/offline';
import { Dialog } from '../../components/dialog';
import { Menu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { hasRole } from '../login/user';
import { useData } from '../shared/use_json';

interface SavedProps {
    /** kind of the runs; '' for statements over the shelf */
    kind: string;
    sql: string;
    onRun: (sql: string) => void;
}

export function SavedMenu({ kind, sql, onRun }: SavedProps) {
    const [stamp, setStamp] = useState(0);
    const [open, setOpen] = useState(false);
    const path = withParams(`${API}/queries`, { kind });
    const data = useData<{ rows: SavedQuery[] }>(path, stamp);
    const rows = data?.rows ?? [];
    if (offlineFile()) return null;
    const items = rows.map((one) => ({
        text: one.name,
        note: one.who,
        onPick: () => onRun(one.sql),
    }));
    const save = { text: 'Save or remove …', onPick: () => setOpen(true) };
    return (
        <>
            <Menu
                label="Saved"
                tip="for everybody on this shelf"
                items={hasRole('uploader') ? [...items, save] : items}
                filter={rows.length > 8}
            />
            {open && (
                <SaveDialog
                    kind={kind}
                    sql={sql}
                    rows={rows}
                    onChange={() => setStamp(stamp + 1)}
                    onClose={() => setOpen(false)}
                />
            )}
        </>
    );
}

interface SaveDialogProps {
    kind: string;
    sql: string;
    rows: SavedQuery[];
    onChange: () => void;
    onClose: () => void;
}

function SaveDialog({ kind, sql, rows, onChange, onClose }: SaveDialogProps) {
    const [name, setName] = useState('');
    const [error, setError] = useState<ApiError | null>(null);
    const change = (doing: Promise<unknown>, then: () => void) => {
        setError(null);
        doing.then(
            () => {
                onChange();
                then();
            },
            (reason: unknown) => setError(asApiError(reason)),
        );
    };
    const body = { kind, sql, name: name.trim() };
    return (
        <Dialog label="Save the statement" onClose={onClose}>
            <h2>Save the statement</h2>
            <form
                class="sql-save"
                onSubmit={(event) => {
                    event.preventDefault();
                    change(sendJson('POST', `${API}/queries`, body), onClose);
                }}
            >
                <span class="field">
                    <input
                        type="text"
                        data-focus
                        aria-label="Name"
                        placeholder={kind ? `a name, for ${kind} runs` : 'a name, for the shelf'}
                        value={name}
                        onInput={(event) => setName(event.currentTarget.value)}
                    />
                </span>
                <button type="submit" class="primary" disabled={!name.trim() || !sql.trim()}>
                    Save
                </button>
            </form>
            {error && (
                <Notice kind="error" title="The saved statement was not changed" error={error} />
            )}
            {rows.map((one) => (
                <div key={one.id} class="sql-saved">
                    <span class="ellipsis" title={one.sql}>
                        {one.name}
                    </span>
                    <span class="soft">{one.who}</span>
                    <button
                        type="button"
                        class="link"
                        aria-label={`remove ${one.name}`}
                        onClick={() =>
                            change(sendJson('DELETE', `${API}/queries/${one.id}`), () => undefined)
                        }
                    >
                        remove
                    </button>
                </div>
            ))}
        </Dialog>
    );
}
