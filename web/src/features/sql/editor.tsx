/* SPDX-License-Identifier: MIT
 *
 * Editor of an SQL statement: a text area with transparent text, over a copy of the text with
 * syntax colours.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { sizedPane, Splitter } from '../../components/splitter';
import { type Completions, completionsAt, completionText } from './complete';
import { sqlPieces } from './syntax';
import type { ViewDoc } from './views';

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
    /** Views whose names and columns are completed. */
    views: ViewDoc[];
    handle: { current: SqlEditorHandle | null };
}

/* An open list of completions: the marked item, and the place of the cursor in px. */
interface OpenList extends Completions {
    at: number;
    left: number;
    top: number;
}

const LINE_PX = 19;
const PADDING_PX = 8;
const LIST_ID = 'sql-completions';

/* Where the list is drawn: below the character at `index`. */
function placeOf(box: HTMLTextAreaElement, index: number): { left: number; top: number } {
    const style = getComputedStyle(box);
    const context = document.createElement('canvas').getContext('2d');
    const lines = box.value.slice(0, index).split('\n');
    if (context) context.font = `${style.fontSize} ${style.fontFamily}`;
    const text = lines[lines.length - 1].replaceAll('\t', '    ');
    const left = parseFloat(style.paddingLeft) + (context?.measureText(text).width ?? 0);
    return {
        left: Math.max(0, Math.min(left - box.scrollLeft, box.clientWidth - 200)),
        top: Math.min(PADDING_PX + lines.length * LINE_PX - box.scrollTop, box.clientHeight),
    };
}

export function SqlEditor(props: SqlEditorProps) {
    const { label, value, errorRange, onInput, onRun, views, handle } = props;
    const [list, setList] = useState<OpenList | null>(null);
    const pane = sizedPane('sql.editor', {
        normal: 148,
        min: 64,
        max: Math.max(64, Math.round(innerHeight * 0.6)),
    });
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
    function openList(isAsked: boolean): void {
        const box = field.current;
        if (!box) return;
        const found =
            box.selectionStart === box.selectionEnd
                ? completionsAt(box.value, box.selectionStart, views, isAsked)
                : null;
        setList(found && { ...found, at: 0, ...placeOf(box, found.from) });
    }
    function accept(at: number): void {
        const box = field.current;
        if (!box || !list) return;
        box.focus();
        box.setRangeText(completionText(list.items[at]), list.from, list.to, 'end');
        setList(null);
        onInput(box.value);
    }
    /* Keys of the open list; false: the key is not one of them. */
    function onListKey(event: KeyboardEvent, open: OpenList): boolean {
        const last = open.items.length - 1;
        if (event.key === 'ArrowDown') setList({ ...open, at: open.at < last ? open.at + 1 : 0 });
        else if (event.key === 'ArrowUp') setList({ ...open, at: open.at ? open.at - 1 : last });
        else if (event.key === 'Tab' || event.key === 'Enter') accept(open.at);
        else if (event.key === 'Escape') setList(null);
        else return false;
        event.preventDefault();
        event.stopPropagation();
        return true;
    }
    function onKeyDown(event: KeyboardEvent): void {
        const withCtrl = event.ctrlKey || event.metaKey;
        if (event.key === 'Enter' && withCtrl) {
            event.preventDefault();
            event.stopPropagation();
            setList(null);
            onRun();
        } else if (event.key === ' ' && withCtrl) {
            event.preventDefault();
            openList(true);
        } else if (list && !withCtrl && !event.shiftKey && onListKey(event, list)) return;
        else if (event.key === 'Escape') field.current?.blur();
        else if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End')
            setList(null);
    }
    return (
        <div class="sql-edit">
            <Splitter pane={pane} side="above" label="height of the statement" />
            <div class="sql-editor" style={{ height: pane.size }}>
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
                    role="combobox"
                    aria-expanded={list !== null}
                    aria-autocomplete="list"
                    aria-controls={LIST_ID}
                    aria-activedescendant={list ? `${LIST_ID}-${list.at}` : undefined}
                    onInput={(event) => {
                        onInput(event.currentTarget.value);
                        openList(false);
                    }}
                    onBlur={() => setList(null)}
                    onPointerDown={() => setList(null)}
                    // On focus the shown text becomes the user's text, so that an example that is
                    // loaded later does not replace it.
                    onFocus={(event) => onInput(event.currentTarget.value)}
                    onScroll={follow}
                    onKeyDown={onKeyDown}
                />
            </div>
            {list && <CompletionList list={list} onPick={accept} />}
        </div>
    );
}

function CompletionList({ list, onPick }: { list: OpenList; onPick: (at: number) => void }) {
    const box = useRef<HTMLDivElement | null>(null);
    useEffect(() => {
        box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    }, [list]);
    return (
        <div
            ref={box}
            id={LIST_ID}
            class="sql-completions"
            role="listbox"
            aria-label="completions"
            style={{ left: list.left, top: list.top }}
        >
            {list.items.map((item, at) => (
                <div
                    key={`${item.kind} ${item.name}`}
                    id={`${LIST_ID}-${at}`}
                    role="option"
                    aria-selected={at === list.at}
                    // Keeps the focus in the editor.
                    onPointerDown={(event) => {
                        event.preventDefault();
                        onPick(at);
                    }}
                >
                    <span class="mono">{item.name}</span>
                    <span class="soft ellipsis">
                        {[item.of || 'view', item.comment].filter(Boolean).join(': ')}
                    </span>
                </div>
            ))}
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
