/* SPDX-License-Identifier: MIT
 *
 * Editor of an SQL statement: a text area with transparent text, over a copy of the text with
 * syntax colours.
 */
import { useEffect, useRef } from 'preact/hooks';
import { sqlPieces } from './syntax';

export interface SqlEditorHandle {
    /** Inserts text at the cursor. */
    insert: (text: string) => void;
    focus: () => void;
}

interface SqlEditorProps {
    label: string;
    value: string;
    /** Range [from, to) of the text that the server reported as wrong, in UTF-16 units; null if
     * none. */
    errorRange: [number, number] | null;
    onInput: (value: string) => void;
    onRun: () => void;
    handle: { current: SqlEditorHandle | null };
}

export function SqlEditor({ label, value, errorRange, onInput, onRun, handle }: SqlEditorProps) {
    const field = useRef<HTMLTextAreaElement | null>(null);
    const colours = useRef<HTMLPreElement | null>(null);
    useEffect(() => {
        handle.current = {
            focus: () => field.current?.focus(),
            insert: (text) => {
                const box = field.current;
                if (!box) return;
                box.focus();
                box.setRangeText(text, box.selectionStart, box.selectionEnd, 'end');
                onInput(box.value);
            },
        };
        return () => {
            handle.current = null;
        };
    });
    useEffect(() => {
        if (errorRange) field.current?.setSelectionRange(errorRange[0], errorRange[1]);
    }, [errorRange]);
    const follow = () => {
        if (!colours.current || !field.current) return;
        colours.current.scrollTop = field.current.scrollTop;
        colours.current.scrollLeft = field.current.scrollLeft;
    };
    function onKeyDown(event: KeyboardEvent): void {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            event.stopPropagation();
            onRun();
        } else if (event.key === 'Escape') field.current?.blur();
    }
    return (
        <div class="sql-editor">
            <pre ref={colours} aria-hidden="true">
                <Coloured sql={value} errorRange={errorRange} />
                {'\n'}
            </pre>
            <textarea
                ref={field}
                aria-label={label}
                aria-invalid={errorRange !== null}
                spellcheck={false}
                autocapitalize="off"
                autocomplete="off"
                wrap="off"
                value={value}
                onInput={(event) => onInput(event.currentTarget.value)}
                // On focus the shown text becomes the user's text, so that an example that is
                // loaded later does not replace it.
                onFocus={(event) => onInput(event.currentTarget.value)}
                onScroll={follow}
                onKeyDown={onKeyDown}
            />
        </div>
    );
}

function Coloured({ sql, errorRange }: { sql: string; errorRange: [number, number] | null }) {
    let at = 0;
    return (
        <>
            {sqlPieces(sql).map(({ text, kind }) => {
                const from = at;
                at += text.length;
                const name = kind ? `code-${kind}` : undefined;
                const [a, b] = errorRange ?? [0, 0];
                if (b <= from || a >= at || a === b) return <span class={name}>{text}</span>;
                const [left, right] = [Math.max(0, a - from), Math.min(text.length, b - from)];
                return (
                    <span class={name}>
                        {text.slice(0, left)}
                        <span class="sql-wrong">{text.slice(left, right)}</span>
                        {text.slice(right)}
                    </span>
                );
            })}
        </>
    );
}
