/* SPDX-License-Identifier: MIT
 *
 * Completion of views and columns at the cursor of a statement.
 */
import { quoteIdentifier, sqlPieces } from './syntax';
import type { ViewDoc } from './views';

export interface Completion {
    name: string;
    kind: 'view' | 'column';
    /** views of a column; '' for a view */
    of: string;
    comment: string;
}

export interface Completions {
    /** range of the text that a completion replaces */
    from: number;
    to: number;
    items: Completion[];
}

const MAX_ITEMS = 50;
const SOURCE =
    /\b(?:from|join)\s+("?)(\w+)\1(?:\s+(?:as\s+)?(\w+))?|,\s*(\w+)(?:\s+(?:as\s+)?(\w+))?/gi;
const NOT_ALIASES =
    /^(?:as|on|where|join|left|inner|cross|natural|using|group|order|limit|union)$/i;

/** Views of the statement by the names that it gives them. */
function sourcesOf(sql: string, views: ViewDoc[]): Map<string, ViewDoc> {
    const found = new Map<string, ViewDoc>();
    for (const [, , first, alias, next, nextAlias] of sql.matchAll(SOURCE)) {
        const view = views.find(({ name }) => name === (first ?? next));
        if (!view) continue;
        const other = alias ?? nextAlias;
        found.set(view.name, view);
        if (other && !NOT_ALIASES.test(other)) found.set(other.toLowerCase(), view);
    }
    return found;
}

/** Whether the position is inside a string or a comment. */
function isInText(sql: string, at: number): boolean {
    let end = 0;
    for (const { text, kind } of sqlPieces(sql)) {
        const start = end;
        end += text.length;
        if (at <= end && at > start) {
            return (
                (kind === 'string' && at < end) ||
                (kind === 'comment' && (at < end || text.startsWith('--')))
            );
        }
    }
    return false;
}

function columnsOf(views: ViewDoc[]): Completion[] {
    const columns = new Map<string, Completion>();
    for (const view of views)
        for (const line of view.lines)
            for (const name of line.columns) {
                const known = columns.get(name);
                if (known) known.of += `, ${view.name}`;
                else
                    columns.set(name, {
                        name,
                        kind: 'column',
                        of: view.name,
                        comment: line.comment,
                    });
            }
    return [...columns.values()];
}

const viewItems = (views: ViewDoc[]): Completion[] =>
    views.map(({ name, comment }) => ({ name, kind: 'view', of: '', comment }));

/** Views and columns that may stand at the cursor. `isAsked`: also before the first letter. */
export function completionsAt(
    sql: string,
    cursor: number,
    views: ViewDoc[],
    isAsked = false,
): Completions | null {
    if (isInText(sql, cursor)) return null;
    const before = sql.slice(0, cursor);
    const [, source, word] = /(?:(\w+)\.)?(\w*)$/.exec(before) ?? ['', undefined, ''];
    const from = cursor - word.length;
    if (/^\d/.test(word) || (!word && source === undefined && !isAsked)) return null;
    const sources = sourcesOf(sql, views);
    let items: Completion[];
    if (source !== undefined) {
        const view = sources.get(source.toLowerCase()) ?? views.find(({ name }) => name === source);
        items = view ? columnsOf([view]) : [];
    } else if (/\b(?:from|join)\s+$/i.test(sql.slice(0, from))) {
        items = viewItems(views);
    } else {
        const used = sources.size ? [...new Set(sources.values())] : views;
        items = [...columnsOf(used), ...viewItems(views)];
    }
    const start = word.toLowerCase();
    items = items
        .filter(({ name }) => name.toLowerCase().startsWith(start))
        .filter(({ name }) => name !== word)
        .slice(0, MAX_ITEMS);
    return items.length ? { from, to: cursor, items } : null;
}

/** Text that a completion inserts. */
export function completionText({ name }: Completion): string {
    return quoteIdentifier(name);
}
