/* SPDX-License-Identifier: MIT
 *
 * Asks for the source of a profile that lacks it, by drop, file picker or paste. Warns if the
 * source has changed since the recording.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Run, SourceAnswer } from '../../base/answers';
import { type ApiError, asApiError } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { Notice } from '../../components/notice';
import { SourceFileButton } from '../../components/source_file_button';
import { hasRole } from '../login/user';
import { registerDropHandler } from '../upload/drop_target';
import { attachSource } from './attach';
import { baseName, pathForFile } from './source';

export interface WantedFile {
    path: string;
    missing: boolean;
}

/** Attaches dropped .py and .pyw files to the measured paths of the same names. If any dropped file
 * has no such path, all of them are added to the shelf instead. Returns the last error, or null. */
export function useSourceDrops(run: Run, files: readonly WantedFile[]): ApiError | null {
    const [error, setError] = useState<ApiError | null>(null);
    const latest = useRef(files);
    latest.current = files;
    useEffectOn(
        () =>
            registerDropHandler({
                accepts: (names) =>
                    names.every(
                        (name) => /\.pyw?$/.test(name) && pathForFile(name, latest.current),
                    ),
                addFiles: (dropped) => {
                    setError(null);
                    for (const file of dropped) {
                        const path = pathForFile(file.name, latest.current);
                        if (path) {
                            attachSource(run, path, file).catch((reason: unknown) =>
                                setError(asApiError(reason)),
                            );
                        }
                    }
                },
            }),
        [run.id],
    );
    return error;
}

interface SourceNoticeProps {
    run: Run;
    answer: SourceAnswer;
    dropError: ApiError | null;
}

export function SourceNotice({ run, answer, dropError }: SourceNoticeProps) {
    const { path } = answer.file;
    const { state } = answer.source;
    const [error, setError] = useState<ApiError | null>(null);
    useEffect(() => setError(null), [path, state]);
    const shownError = error ?? dropError;
    function send(body: Blob): void {
        setError(null);
        attachSource(run, path, body).catch((reason: unknown) => setError(asApiError(reason)));
    }
    if (shownError) {
        return (
            <Notice kind="error" title={`${baseName(path)} was not attached`} error={shownError} />
        );
    }
    if (state === 'changed') {
        return (
            <Notice kind="warning">
                <span class="mono">{path}</span> changed after the profile was recorded: values may
                be on the wrong lines.
            </Notice>
        );
    }
    if (state !== 'missing') return null;
    if (hasRole('uploader')) return <SourceRequest path={path} onSource={send} />;
    return <div class="source-asking">{NO_SOURCE_TEXT}</div>;
}

const NO_SOURCE_TEXT = 'The profile does not include the source.';

interface SourceRequestProps {
    path: string;
    onSource: (body: Blob) => void;
}

function SourceRequest({ path, onSource }: SourceRequestProps) {
    const [pasting, setPasting] = useState(false);
    const field = useRef<HTMLTextAreaElement | null>(null);
    useEffect(() => {
        if (pasting) field.current?.focus();
    }, [pasting]);
    return (
        <div class="source-asking" role="status">
            <span class="source-asking-words">
                {NO_SOURCE_TEXT} Drop <b class="mono">{baseName(path)}</b> here, or
            </span>
            <SourceFileButton class="button" onFile={onSource}>
                Choose file
            </SourceFileButton>
            <button
                type="button"
                class="button"
                aria-expanded={pasting}
                onClick={() => setPasting(!pasting)}
            >
                Paste
            </button>
            {path !== baseName(path) && (
                <span class="mono soft ellipsis" title={path}>
                    in the profile: {path}
                </span>
            )}
            {pasting && (
                <textarea
                    ref={field}
                    class="source-paste mono"
                    aria-label={`text of ${baseName(path)}`}
                    placeholder={`paste the text of ${baseName(path)}`}
                    spellcheck={false}
                    onPaste={(event) => {
                        const text = event.clipboardData?.getData('text/plain');
                        event.preventDefault();
                        if (text) onSource(new Blob([text]));
                    }}
                    onKeyDown={(event) => {
                        if (event.key !== 'Escape') return;
                        event.stopPropagation();
                        setPasting(false);
                    }}
                />
            )}
        </div>
    );
}
