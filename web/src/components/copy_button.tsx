/* SPDX-License-Identifier: MIT */
import { useEffect, useRef, useState } from 'preact/hooks';

const CONFIRMATION_MS = 1500;

/** Copies a text; returns whether that worked. The clipboard API needs https or localhost; otherwise
 * execCommand still works. */
export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = document.createElement('textarea');
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand('copy');
        area.remove();
        return done;
    }
}

interface CopyButtonProps {
    text: string | (() => string);
    label?: string;
    class?: string;
    tip?: string;
}

/** Copies a text and confirms in place, without changing the button's width. */
export function CopyButton({ text, label = 'copy', class: name = 'link', tip }: CopyButtonProps) {
    const [confirmation, setConfirmation] = useState<string | null>(null);
    const timer = useRef(0);
    useEffect(() => () => clearTimeout(timer.current), []);
    async function copy(): Promise<void> {
        const done = await copyText(typeof text === 'string' ? text : text());
        setConfirmation(done ? 'copied' : 'not copied');
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setConfirmation(null), CONFIRMATION_MS);
    }
    return (
        <button type="button" class={`copy-button ${name}`} title={tip} onClick={() => void copy()}>
            <span class={confirmation ? 'is-hidden' : ''}>{label}</span>
            <span class="copy-said" aria-live="polite">
                {confirmation}
            </span>
        </button>
    );
}
