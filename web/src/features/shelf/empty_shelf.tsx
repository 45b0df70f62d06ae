/* SPDX-License-Identifier: MIT
 *
 * First page: the shelf while it is empty. Samples, how to add files, the main recorders, and what
 * the samples show.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Format, Sample, Shelf } from '../../base/answers';
import { asApiError, type ApiError } from '../../base/client';
import { kindOf, type KindHas } from '../../base/kinds';
import { useKeys } from '../../base/keys';
import { bytesText, formatValueIn, plural } from '../../base/units';
import { copyText } from '../../components/copy_button';
import { KindMark } from '../../components/kind_mark';
import { Notice } from '../../components/notice';
import { loadSamples, samples } from './samples';
import { isLocal } from './status';

const FORMATS_HREF = '/docs/formats';

interface Recorder {
    question: string;
    answer: ComponentChildren;
    command: string;
    /** The first format whose kind has these data is what comes out. */
    has: KindHas;
    /** What precedes the command of the tool itself. */
    or: string;
}

const RECORDERS: Recorder[] = [
    {
        question: 'What does the start cost?',
        answer: 'Every import, its own time and with all it pulls in.',
        command: 'perfshelf record importtime -- python app.py',
        has: 'imports',
        or: 'or without perfshelf',
    },
    {
        question: 'Which function is slow?',
        answer: 'Every call, with callers and callees, as pstats prints it.',
        command: 'perfshelf record cprofile -- python app.py',
        has: 'calls',
        or: 'or',
    },
    {
        question: 'What does the GPU wait for?',
        answer: 'A training or serving step: operators, kernels, memory, stacks.',
        command: 'perfshelf record torch -- python train.py',
        has: 'torch',
        or: 'or, with torch.profiler,',
    },
    {
        question: 'Which line is it?',
        answer: (
            <>
                Each line of the functions you mark with <code>@profile</code>.
            </>
        ),
        command: 'perfshelf record lines -- python app.py',
        has: 'line_times',
        or: 'needs line_profiler; or',
    },
];

const COPIED_MS = 1500;

/* Copies the command of a row; returns the row whose command was just copied. */
function useCopied(commands: string[]): [copied: number | null, copy: (row: number) => void] {
    const [copied, setCopied] = useState<number | null>(null);
    const timer = useRef(0);
    useEffect(() => () => clearTimeout(timer.current), []);
    async function copy(row: number): Promise<void> {
        if (!(await copyText(commands[row]))) return;
        setCopied(row);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setCopied(null), COPIED_MS);
    }
    return [copied, (row) => void copy(row)];
}

interface CommandBarProps {
    command: string;
    isCopied: boolean;
    onCopy: () => void;
}

function CommandBar({ command, isCopied, onCopy }: CommandBarProps) {
    return (
        <div class="command-bar">
            <span aria-hidden="true">$</span>
            <code>{command}</code>
            <button
                type="button"
                class={isCopied ? 'is-copied' : ''}
                aria-label={`Copy ${command}`}
                onClick={onCopy}
            >
                <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
            </button>
        </div>
    );
}

/* The formats that the recorders do not write. */
function otherFormats(formats: Format[], shown: (Format | undefined)[]): string[] {
    return formats.filter((format) => !shown.includes(format)).map(({ label }) => label);
}

function Recorders({ formats }: { formats: Format[] }) {
    const [copied, copy] = useCopied(RECORDERS.map(({ command }) => command));
    const found = RECORDERS.map(({ has }) => formats.find((format) => format.has.includes(has)));
    useKeys(
        'First page',
        RECORDERS.map((_, i) => ({
            key: String(i + 1),
            label: 'copy the command of a recorder',
            run: () => copy(i),
        })),
    );
    return (
        <section class="first-recorders">
            <h2>
                <b>Record one yourself</b>
                <span>the run appears here by itself while this page is open</span>
                <a class="spaced" href="/docs/getting-started" target="_blank" rel="noopener">
                    all recorders
                </a>
            </h2>
            {RECORDERS.map((recorder, i) => (
                <div class="first-recorder" key={recorder.command}>
                    <div>
                        <h3>{recorder.question}</h3>
                        <p>{recorder.answer}</p>
                    </div>
                    <div>
                        <CommandBar
                            command={recorder.command}
                            isCopied={copied === i}
                            onCopy={() => copy(i)}
                        />
                        <p class="first-tool">
                            {found[i] && (
                                <>
                                    <span>
                                        {recorder.or} <code>{found[i].record}</code>
                                    </span>
                                    <KindMark kind={found[i].kind} long />
                                </>
                            )}
                        </p>
                    </div>
                </div>
            ))}
            <p class="first-formats">
                <b>Also read</b> {otherFormats(formats, found).join(', ')}.{' '}
                <a class="link" href={FORMATS_HREF} target="_blank" rel="noopener">
                    All {formats.length} formats and how to record them
                </a>
            </p>
        </section>
    );
}

function SampleRow({ sample }: { sample: Sample }) {
    const { value, unit } = formatValueIn(sample.headline.value, sample.headline.unit);
    return (
        <tr>
            <td>
                <KindMark kind={sample.kind} />
            </td>
            <td>
                <div class="ellipsis">{sample.name}</div>
                <div class="ellipsis soft">{sample.shows}</div>
            </td>
            <td title={sample.headline.label}>
                <b>{value}</b> <span class="unit">{unit}</span>
            </td>
        </tr>
    );
}

function SampleTable({ rows }: { rows: Sample[] }) {
    const kinds = new Set(rows.map(({ kind }) => kindOf(kind).name)).size;
    return (
        <section class="first-samples">
            <h2>
                <b>What the samples show</b>
                <span>
                    {plural(rows.length, 'run')} of {plural(kinds, 'kind')}
                </span>
            </h2>
            <div class="first-rows">
                <table>
                    <thead>
                        <tr>
                            <th>Kind</th>
                            <th>
                                Run <span>and what to see in it</span>
                            </th>
                            <th>Headline</th>
                        </tr>
                    </thead>
                    <tbody>
                        {rows.map((sample) => (
                            <SampleRow key={sample.file} sample={sample} />
                        ))}
                    </tbody>
                </table>
            </div>
            <p class="first-next">
                <b>Then</b> open a run with <kbd>↵</kbd>, select two with <kbd>space</kbd> and press{' '}
                <kbd>c</kbd> to compare them, press <kbd>?</kbd> for every key.
            </p>
        </section>
    );
}

/* Who can read what is added, by the address of the server. */
function AccessSentence({ listen, needsToken }: { listen: string; needsToken: boolean }) {
    if (!isLocal(listen) || needsToken)
        return (
            <p>
                This shelf is served at <code>{location.host}</code>. Everyone with a token of it
                can read what you add.
            </p>
        );
    return (
        <p>
            Nothing leaves this machine: the shelf is served at <code>{listen}</code> only.
        </p>
    );
}

interface WelcomeProps {
    shelf: Shelf;
    needsToken: boolean;
    onAdd: () => void;
}

function Welcome({ shelf, needsToken, onAdd }: WelcomeProps) {
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    const rows = samples.value;
    const isRemote = !isLocal(shelf.listen) || needsToken;
    async function load(): Promise<void> {
        setBusy(true);
        setError(null);
        try {
            await loadSamples();
        } catch (reason) {
            setError(asApiError(reason));
            setBusy(false);
        }
    }
    return (
        <section class="first-drop">
            <div class="first-words">
                <h1>The shelf is empty. Drop a profile anywhere on this page.</h1>
                <p>
                    Any file that a Python profiler writes, also <code>.gz</code>, <code>.zip</code>{' '}
                    and whole folders. The content decides the format.
                </p>
                <AccessSentence listen={shelf.listen} needsToken={needsToken} />
                <p class="first-also">
                    also: paste text with <kbd>ctrl</kbd> <kbd>V</kbd>
                    {isRemote ? (
                        <>
                            {' '}
                            · <code>perfshelf add FILE… --server {location.origin}</code> ·{' '}
                            <code>
                                curl --fail-with-body --data-binary @run.prof{' '}
                                {`'${location.origin}/api/v1/runs?wait=1'`}
                            </code>
                        </>
                    ) : (
                        <>
                            {' '}
                            · <code>perfshelf add FILE…</code> ·{' '}
                            <code>some-tool | perfshelf add -</code>
                        </>
                    )}
                </p>
            </div>
            <div class="first-buttons">
                <button
                    type="button"
                    class="primary"
                    disabled={isBusy || !rows.length}
                    onClick={() => void load()}
                >
                    Load sample profiles
                </button>
                <button type="button" class="button" onClick={onAdd}>
                    Choose files…
                </button>
                {rows.length > 0 && (
                    <small>
                        {plural(rows.length, 'run')},{' '}
                        {bytesText(rows.reduce((sum, { bytes }) => sum + bytes, 0))}, no download,
                        removed in one click
                    </small>
                )}
            </div>
            {error && <Notice kind="error" title="The samples were not loaded" error={error} />}
        </section>
    );
}

interface EmptyShelfProps {
    formats: Format[];
    shelf: Shelf;
    /** Whether the shelf requires an access token. */
    needsToken: boolean;
    /** null if the user may not add runs */
    onAdd: (() => void) | null;
}

export function EmptyShelf({ formats, shelf, needsToken, onAdd }: EmptyShelfProps) {
    if (!onAdd)
        return (
            <div class="empty-shelf">
                <section class="first-drop">
                    <div class="first-words">
                        <h1>The shelf is empty.</h1>
                        <p>
                            Your token can read runs, not add them. Ask the person who gave you the
                            token to add profiles or to load the samples, or for a token with the
                            role uploader.
                        </p>
                    </div>
                </section>
            </div>
        );
    return (
        <div class="empty-shelf">
            <Welcome shelf={shelf} needsToken={needsToken} onAdd={onAdd} />
            <div class="first-columns">
                <Recorders formats={formats} />
                {samples.value.length > 0 && <SampleTable rows={samples.value} />}
            </div>
        </div>
    );
}
