/* SPDX-License-Identifier: MIT
 *
 * A message: an error with its cause, position and hint, or a warning above the data that it is
 * about.
 */
import type { ComponentChildren } from 'preact';
import { int } from '../base/units';
import { capital } from '../model/labels';
import { CodeText } from './text';

interface ErrorLike {
    text: string;
    at: number | null;
    hint: string | null;
}

interface NoticeProps {
    kind: 'error' | 'warning' | 'info';
    title?: ComponentChildren;
    error?: ErrorLike;
    children?: ComponentChildren;
    /** Links under the text. */
    actions?: ComponentChildren;
}

export function Notice({ kind, title, error, children, actions }: NoticeProps) {
    return (
        <div class={`notice is-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
            {title && <div class="notice-title">{title}</div>}
            {error && <div>{errorText(error)}</div>}
            {error?.hint && (
                <div>
                    <CodeText text={capital(error.hint)} />
                </div>
            )}
            {children}
            {actions && <div class="notice-actions">{actions}</div>}
        </div>
    );
}

function errorText({ text, at }: ErrorLike): string {
    const sentence = capital(text).replace(/\.$/, '');
    if (at === null || /\bbyte \d/.test(text)) return `${sentence}.`;
    return `${sentence}, at byte ${int(at)}.`;
}
