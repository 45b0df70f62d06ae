/* SPDX-License-Identifier: MIT
 *
 * Dialogs that edit and delete one or several runs, for the shelf and for a report.
 */
import { useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, asApiError, sendJson, type ApiError } from '../../base/client';
import { int, plural } from '../../base/units';
import { Dialog } from '../../components/dialog';
import { Markdown } from '../../components/markdown';
import { Notice } from '../../components/notice';
import { formatTags, parseTags } from '../../model/shelf_rows';
import { addNotice } from '../shared/notices';
import { publishRunChange } from '../shared/shelf_state';

interface DialogProps {
    runs: Run[];
    onClose: () => void;
    onDone?: () => void;
}

export interface RunChanges {
    name?: string;
    series?: string;
    note?: string;
    tags?: Record<string, string>;
}

export async function patchRun(run: Run, changes: RunChanges): Promise<void> {
    const changed = await sendJson<Run>('PATCH', `${API}/runs/${run.id}`, changes);
    if (changed) publishRunChange({ type: 'run', run: changed });
}

export async function deleteRun(run: Run): Promise<void> {
    await sendJson('DELETE', `${API}/runs/${run.id}`);
    publishRunChange({ type: 'gone', id: run.id });
}

/* Shows a notice with Undo, which restores the deleted runs. */
function addDeletedNotice(runs: Run[]): void {
    const deleted = runs.map((run) => run.id);
    const name = runs.length === 1 ? runs[0].name : plural(runs.length, 'run');
    addNotice({
        key: `deleted ${deleted[0]}`,
        kind: 'deleted',
        name,
        error: null,
        run: null,
        deleted,
    });
}

/* `each` calls `act` for one run after the other. On failure the dialog remains open and names the
 * run. */
function useRunBatch(runs: Run[], done: () => void) {
    const [busy, setBusy] = useState(false);
    const [failure, setFailure] = useState<{ run: Run; error: ApiError } | null>(null);
    async function each(act: (run: Run) => Promise<void>): Promise<void> {
        setBusy(true);
        setFailure(null);
        for (const run of runs) {
            try {
                await act(run);
            } catch (error) {
                setFailure({ run, error: asApiError(error) });
                setBusy(false);
                return;
            }
        }
        done();
    }
    const notice = failure && (
        <Notice kind="error" title={`${failure.run.name} was not changed`} error={failure.error} />
    );
    return { busy, each, notice };
}

export function DeleteDialog({ runs, onClose, onDone }: DialogProps) {
    const { busy, each, notice } = useRunBatch(runs, () => {
        addDeletedNotice(runs);
        onDone?.();
        onClose();
    });
    const title =
        runs.length === 1 ? `Delete ${runs[0].name}?` : `Delete ${plural(runs.length, 'run')}?`;
    return (
        <Dialog label="Delete" onClose={onClose}>
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    void each(deleteRun);
                }}
            >
                <h2>{title}</h2>
                <p>
                    {runs.length === 1 ? 'The run is' : 'The runs are'} deleted for all users of the
                    shelf. You can undo this for one day.
                </p>
                {runs.length > 1 && (
                    <ul class="dialog-list">
                        {runs.map((run) => (
                            <li key={run.id} class="ellipsis">
                                {run.name}
                            </li>
                        ))}
                    </ul>
                )}
                {notice}
                <div class="dialog-actions">
                    <button type="button" class="button" onClick={onClose}>
                        Cancel
                    </button>
                    <button type="submit" class="button danger" disabled={busy} data-focus>
                        Delete
                    </button>
                </div>
            </form>
        </Dialog>
    );
}

interface FieldProps {
    label: string;
    value: string;
    onInput: (value: string) => void;
    placeholder?: string;
    autofocus?: boolean;
}

function Field({ label, value, onInput, placeholder, autofocus }: FieldProps) {
    return (
        <label>
            {label}
            <span class="field">
                <input
                    type="text"
                    value={value}
                    placeholder={placeholder}
                    data-focus={autofocus || undefined}
                    onInput={(event) => onInput(event.currentTarget.value)}
                />
            </span>
        </label>
    );
}

function NoteField({ label, value, onInput, placeholder }: FieldProps) {
    const [isPreview, setPreview] = useState(false);
    return (
        <div class="note-field">
            <label>
                {label} <span class="soft">Markdown</span>
                <span class="field is-text" hidden={isPreview}>
                    <textarea
                        rows={6}
                        value={value}
                        placeholder={placeholder}
                        onInput={(event) => onInput(event.currentTarget.value)}
                    />
                </span>
            </label>
            {isPreview && (
                <div class="note-preview">
                    <Markdown text={value} />
                </div>
            )}
            <button
                type="button"
                class="link"
                aria-pressed={isPreview}
                disabled={!value.trim()}
                onClick={() => setPreview(!isPreview)}
            >
                {isPreview ? 'Edit' : 'Preview'}
            </button>
        </div>
    );
}

/** For one run: name, series, tags and note, with their current values. For several runs: a series
 * and a note to set, and tags to add. */
export function EditDialog({ runs, onClose, onDone }: DialogProps) {
    const one = runs.length === 1 ? runs[0] : null;
    const [name, setName] = useState(one?.name ?? '');
    const [series, setSeries] = useState(one?.series ?? '');
    const [tags, setTags] = useState(one ? formatTags(one.tags) : '');
    const [note, setNote] = useState(one?.note ?? '');
    const { busy, each, notice } = useRunBatch(runs, () => {
        onDone?.();
        onClose();
    });

    function changesOf(run: Run): RunChanges {
        const typed = parseTags(tags);
        const changes: RunChanges = one
            ? { name: name.trim() || run.name, series: series.trim(), tags: typed }
            : { tags: { ...run.tags, ...typed } };
        if (!one && series.trim()) changes.series = series.trim();
        if (one ? note.trim() !== run.note : note.trim()) changes.note = note.trim();
        return changes;
    }

    return (
        <Dialog label="Edit" onClose={onClose}>
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    void each((run) => patchRun(run, changesOf(run)));
                }}
            >
                <h2>{one ? 'Edit run' : `Edit ${int(runs.length)} runs`}</h2>
                {one && <Field label="Name" value={name} onInput={setName} autofocus />}
                <Field
                    label="Series"
                    value={series}
                    onInput={setSeries}
                    placeholder={one ? 'none' : 'unchanged'}
                    autofocus={!one}
                />
                <Field
                    label={one ? 'Tags' : 'Add tags'}
                    value={tags}
                    onInput={setTags}
                    placeholder="branch=main, python=3.13"
                />
                <NoteField
                    label="Note"
                    value={note}
                    onInput={setNote}
                    placeholder={one ? 'none' : 'unchanged'}
                />
                {notice}
                <div class="dialog-actions">
                    <button type="button" class="button" onClick={onClose}>
                        Cancel
                    </button>
                    <button type="submit" class="primary" disabled={busy}>
                        Save
                    </button>
                </div>
            </form>
        </Dialog>
    );
}
