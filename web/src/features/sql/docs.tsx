/* SPDX-License-Identifier: MIT
 *
 * Documentation next to the editor: the views and their columns, with the comments of the schema. A
 * click inserts the name at the cursor.
 */
import { useState } from 'preact/hooks';
import { sizedPane, Splitter } from '../../components/splitter';
import { PaneHead } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { quoteIdentifier } from './syntax';
import type { ViewDoc, ViewLine } from './views';

/** From this width of the window on, the views are beside the editor; see sql.css. */
const BESIDE_PX = 960;

interface SqlDocsProps {
    views: ViewDoc[];
    /** names of the views that have rows; null while unknown */
    viewsWithRows: Set<string> | null;
    /** text for a view without rows */
    emptyText: (view: ViewDoc) => string;
    onInsert: (text: string) => void;
}

export function SqlDocs({ views, viewsWithRows, emptyText, onInsert }: SqlDocsProps) {
    const isBeside = viewportWidth.value >= BESIDE_PX;
    const pane = sizedPane('sql.views', {
        normal: 340,
        min: 200,
        max: Math.max(200, Math.round(viewportWidth.value * 0.6)),
    });
    const hasRows = (view: ViewDoc) => !viewsWithRows || viewsWithRows.has(view.name);
    const ordered = [...views.filter(hasRows), ...views.filter((view) => !hasRows(view))];
    return (
        <section
            class="pane pane-sql-docs"
            aria-label="Views"
            style={isBeside ? { flexBasis: pane.size } : undefined}
        >
            {isBeside && <Splitter pane={pane} side="right" label="width of the views" />}
            <PaneHead
                title="Views"
                remark={viewsWithRows ? `${viewsWithRows.size} with rows` : ''}
            />
            <div class="sql-docs">
                {ordered.map((view) => (
                    <View
                        key={view.name}
                        view={view}
                        emptyReason={hasRows(view) ? null : emptyText(view)}
                        onInsert={onInsert}
                    />
                ))}
            </div>
        </section>
    );
}

interface ViewProps {
    view: ViewDoc;
    /** why the view has no rows; null if it has rows */
    emptyReason: string | null;
    onInsert: (text: string) => void;
}

function View({ view, emptyReason, onInsert }: ViewProps) {
    const [open, setOpen] = useState(false);
    return (
        <details
            class={emptyReason ? 'is-empty' : ''}
            open={open}
            onToggle={(event) => setOpen(event.currentTarget.open)}
        >
            <summary>
                <span class="mono">{view.name}</span>
                {emptyReason && <span class="soft">{emptyReason}</span>}
            </summary>
            {view.comment && <p>{view.comment}</p>}
            <Name name={view.name} title="insert at the cursor" onInsert={onInsert}>
                insert {view.name}
            </Name>
            {view.lines.map((line) => (
                <Line key={line.columns.join()} line={line} onInsert={onInsert} />
            ))}
        </details>
    );
}

function Line({ line, onInsert }: { line: ViewLine; onInsert: (text: string) => void }) {
    return (
        <div class="sql-doc-line">
            {line.columns.map((name) => (
                <Name key={name} name={name} onInsert={onInsert}>
                    {name}
                </Name>
            ))}
            {line.comment && <span class="soft">{line.comment}</span>}
        </div>
    );
}

interface NameProps {
    name: string;
    title?: string;
    onInsert: (text: string) => void;
    children: preact.ComponentChildren;
}

function Name({ name, title, onInsert, children }: NameProps) {
    return (
        <button
            type="button"
            class="sql-name mono"
            title={title}
            onClick={() => onInsert(quoteIdentifier(name))}
        >
            {children}
        </button>
    );
}
