/* SPDX-License-Identifier: MIT
 *
 * The SQL views, parsed from the schema source: names, columns and comments. A comment describes
 * all columns on its line.
 */

export interface ViewLine {
    columns: string[];
    comment: string;
}

export interface ViewDoc {
    name: string;
    comment: string;
    lines: ViewLine[];
}

const VIEW_PATTERN = /((?:^--[^\n]*\n)*)^CREATE (?:TEMP )?VIEW (\w+) AS([^\n]*)\n?/gm;
const COMMENT_PATTERN = /--\s?(.*)$/;

/** The text from `from` up to its first semicolon. No string in the schema contains a semicolon. */
function statementFrom(sql: string, from: number): string {
    const lines: string[] = [];
    for (const line of sql.slice(from).split('\n')) {
        lines.push(line);
        if (line.replace(COMMENT_PATTERN, '').includes(';')) break;
    }
    return lines.join('\n');
}

function columnNameOf(item: string): string | null {
    return /(?:^|[\s.])"?(\w+)"?\s*$/.exec(item)?.[1] ?? null;
}

/** The items of a SELECT up to its FROM, with the index of the line on which each item ends. */
function selectItems(lines: string[]): { name: string; line: number }[] {
    const found: { name: string; line: number }[] = [];
    let depth = 0;
    let item = '';
    let lastLine = 0;
    const endItem = (line: number) => {
        const name = columnNameOf(item);
        if (name) found.push({ name, line });
        item = '';
    };
    for (let at = 0; at < lines.length; at++) {
        for (const word of lines[at].replace(COMMENT_PATTERN, '').match(/\w+|'[^']*'|[^\w]/g) ??
            []) {
            if (word === '(') depth++;
            if (word === ')') depth--;
            if (depth === 0 && (word === 'FROM' || word === ';')) {
                endItem(lastLine);
                return found;
            }
            if (depth === 0 && word === ',') endItem(at);
            else item += word;
            if (word.trim()) lastLine = at;
        }
        item += '\n';
    }
    return found;
}

function viewLinesOf(body: string): ViewLine[] {
    const lines = body.split('\n');
    const start = lines.findIndex((line) => /\bSELECT\b/.test(line));
    if (start < 0) return [];
    const text = lines.slice(start);
    text[0] = text[0].replace(/^.*?\bSELECT\b/, '');
    const found: ViewLine[] = [];
    let last = -1;
    for (const { name, line } of selectItems(text)) {
        if (line === last) found[found.length - 1].columns.push(name);
        else
            found.push({
                columns: [name],
                comment: COMMENT_PATTERN.exec(text[line])?.[1].trim() ?? '',
            });
        last = line;
    }
    return found;
}

function commentOf(before: string, sameLine: string): string {
    const above = before
        .split('\n')
        .map((line) => line.replace(/^--\s?/, ''))
        .filter((line) => line && !/^-+$/.test(line) && line !== 'The public views');
    return [...above, COMMENT_PATTERN.exec(sameLine)?.[1] ?? ''].join(' ').trim();
}

export function viewsOf(sql: string): ViewDoc[] {
    return [...sql.matchAll(VIEW_PATTERN)].map((match) => {
        const [all, before, name, sameLine] = match;
        const from =
            match.index + all.length - (all.endsWith('\n') ? sameLine.length + 1 : sameLine.length);
        return {
            name,
            comment: commentOf(before, sameLine),
            lines: viewLinesOf(statementFrom(sql, from)),
        };
    });
}

/** The same views as in queries over several runs, where they have an additional column `run`. */
export function multiRunViews(views: ViewDoc[]): ViewDoc[] {
    const run = { columns: ['run'], comment: 'which run a row is of' };
    return views.map((view) => ({ ...view, lines: [run, ...view.lines] }));
}
