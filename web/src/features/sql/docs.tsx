/* SPDX-License-Identifier: MIT
 *
 * What can be asked for, beside the editor: views and columns with what the schema says of them.
 * A click puts the name where the caret is.
 */
import { useState } from 'preact/hooks';
import { PaneHead } from '../../components/toolbar';
import { quoted } from './syntax';
import type { ViewDoc, ViewLine } from './views';

interface SqlDocsProps {
    views: ViewDoc[];
    /** null: not known yet */
    filled: Set<string> | null;
    /** said of a view that has no rows */
    emptyWord: (view: ViewDoc) => string;
    onInsert: (words: string) => void;
}

export function SqlDocs({ views, filled, emptyWord, onInsert }: SqlDocsProps) {
    const holds = (view: ViewDoc) => !filled || filled.has(view.name);
    const ordered = [...views.filter(holds), ...views.filter((view) => !holds(view))];
    return (
        <section class="pane pane-sql-docs" aria-label="Views">
            <PaneHead title="Views" remark={filled ? `${filled.size} with rows` : ''} />
            <div class="sql-docs">
                {ordered.map((view) => (
                    <View
                        key={view.name}
                        view={view}
                        empty={holds(view) ? null : emptyWord(view)}
                        onInsert={onInsert}
                    />
                ))}
            </div>
        </section>
    );
}

interface ViewProps {
    view: ViewDoc;
    /** why it has nothing to show; null: it has */
    empty: string | null;
    onInsert: (words: string) => void;
}

function View({ view, empty, onInsert }: ViewProps) {
    const [open, setOpen] = useState(false);
    return (
        <details
            class={empty ? 'is-empty' : ''}
            open={open}
            onToggle={(event) => setOpen(event.currentTarget.open)}
        >
            <summary>
                <span class="mono">{view.name}</span>
                {empty && <span class="soft">{empty}</span>}
            </summary>
            {view.about && <p>{view.about}</p>}
            <Name name={view.name} title="insert at the cursor" onInsert={onInsert}>
                insert {view.name}
            </Name>
            {view.lines.map((line) => (
                <Line key={line.columns.join()} line={line} onInsert={onInsert} />
            ))}
        </details>
    );
}

function Line({ line, onInsert }: { line: ViewLine; onInsert: (words: string) => void }) {
    return (
        <div class="sql-doc-line">
            {line.columns.map((name) => (
                <Name key={name} name={name} onInsert={onInsert}>
                    {name}
                </Name>
            ))}
            {line.about && <span class="soft">{line.about}</span>}
        </div>
    );
}

interface NameProps {
    name: string;
    title?: string;
    onInsert: (words: string) => void;
    children: preact.ComponentChildren;
}

function Name({ name, title, onInsert, children }: NameProps) {
    return (
        <button
            type="button"
            class="sql-name mono"
            title={title}
            onClick={() => onInsert(quoted(name))}
        >
            {children}
        </button>
    );
}
