/* SPDX-License-Identifier: MIT
 *
 * Dialog to export runs to a file for other people: the sensitive data in the runs, a checkbox to
 * redact each category of data, and the two file formats.
 */
import { useState } from 'preact/hooks';
import { withParams, type Params } from '../../base/client';
import { int } from '../../base/units';
import { Dialog } from '../../components/dialog';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { useJson } from '../shared/use_json';

interface Reveal {
    what: string;
    values: number;
    examples: { value: string; becomes: string }[];
}

/** By category: its label, and the data that redaction keeps. */
const CATEGORY_TEXTS: Record<string, [string, string]> = {
    paths: ['Paths', 'folders; names of files and paths below site-packages are kept'],
    hosts: ['Host names', 'names and addresses of machines'],
    people: ['People', 'names of users in home folders and labels, and who added the run'],
    arguments: ['Arguments', 'command lines, secrets, the environment, arguments of slices'],
    source: ['Source', 'lines of source and attached files'],
    labels: ['Labels', 'name, series, note and tags'],
};

interface ShareProps {
    /** `/api/v1/runs/ID` or `/api/v1/compare` */
    path: string;
    /** only for a comparison: the groups */
    params?: Params;
    title: string;
    onClose: () => void;
}

export function ShareDialog({ path, params = {}, title, onClose }: ShareProps) {
    const [redact, setRedact] = useState<string[]>([]);
    const { data, error } = useJson<{ reveals: Reveal[] }>(withParams(`${path}/reveals`, params));
    const hrefOf = (as: string) =>
        withParams(`${path}/export`, { ...params, as, redact: redact.join(',') || null });
    const toggle = (what: string) =>
        setRedact((old) =>
            old.includes(what) ? old.filter((one) => one !== what) : [...old, what],
        );
    return (
        <Dialog label="Share" class="dialog share" onClose={onClose}>
            <h2 class="ellipsis" title={title}>
                Share {title}
            </h2>
            <p>
                Save the run as a file for people without access to this shelf. Select what to
                remove.
            </p>
            {error && (
                <Notice
                    kind="error"
                    title="The run could not be searched for private data"
                    error={error}
                />
            )}
            {!data && !error && <LoadingLine active />}
            {data && (
                <ul class="share-list">
                    {data.reveals.map((reveal) => (
                        <RevealRow
                            key={reveal.what}
                            reveal={reveal}
                            checked={redact.includes(reveal.what)}
                            onToggle={() => toggle(reveal.what)}
                        />
                    ))}
                </ul>
            )}
            <p class="share-note">
                {redact.length > 0
                    ? 'Values are not changed. The original is not in the file.'
                    : 'Nothing is removed.'}
            </p>
            <div class="dialog-actions">
                <button type="button" class="button" onClick={onClose} data-focus>
                    Close
                </button>
                <a class="button" href={hrefOf('html')} download>
                    One HTML file
                </a>
                <a class="button" href={hrefOf('bundle')} download>
                    Bundle for another shelf
                </a>
            </div>
        </Dialog>
    );
}

interface RowProps {
    reveal: Reveal;
    checked: boolean;
    onToggle: () => void;
}

function RevealRow({ reveal, checked, onToggle }: RowProps) {
    const { what, values, examples } = reveal;
    const [label, more] = CATEGORY_TEXTS[what] ?? [what, ''];
    return (
        <li>
            <label class="share-what">
                <input type="checkbox" checked={checked} onChange={onToggle} />
                <span>
                    <b>{label}</b> <span class="share-more">{more}</span>
                </span>
                <span class="share-count num">{values > 0 ? int(values) : 'none'}</span>
            </label>
            {examples.length > 0 && (
                <ul class="share-examples" aria-label={`${label}: examples`}>
                    {examples.map(({ value, becomes }) => (
                        <li key={value} class="ellipsis" title={value}>
                            <span class={checked ? 'share-gone' : ''}>{value}</span>
                            {checked && <span class="share-becomes"> → {becomes}</span>}
                        </li>
                    ))}
                </ul>
            )}
        </li>
    );
}
