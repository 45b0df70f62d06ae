/* SPDX-License-Identifier: MIT
 *
 * SQL syntax colours, and the position of an error in a statement.
 */

export interface SqlPiece {
    text: string;
    kind: 'keyword' | 'string' | 'number' | 'comment' | '';
}

const KEYWORDS = new Set(
    (
        'all and as asc between by case cast collate cross current desc distinct else end escape except exists filter first ' +
        'following from full glob group groups having in inner intersect is isnull join last left like limit match ' +
        'materialized natural not notnull null nulls offset on or order outer over partition preceding range recursive regexp ' +
        'right row rows select then unbounded union using values when where window with'
    ).split(' '),
);
const PIECE_PATTERN =
    /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*'?)|("(?:[^"]|"")*"?|[A-Za-z_]\w*)|(\d[\d.]*(?:[eE][-+]?\d+)?)|[\s\S]/g;

function kindOf([, comment, string, word, number]: RegExpMatchArray): SqlPiece['kind'] {
    if (comment) return 'comment';
    if (string) return 'string';
    if (number) return 'number';
    return word && KEYWORDS.has(word.toLowerCase()) ? 'keyword' : '';
}

export function sqlPieces(sql: string): SqlPiece[] {
    const pieces: SqlPiece[] = [];
    for (const match of sql.matchAll(PIECE_PATTERN)) {
        const kind = kindOf(match);
        const last = pieces[pieces.length - 1];
        if (last && last.kind === kind && kind === '') last.text += match[0];
        else pieces.push({ text: match[0], kind });
    }
    return pieces;
}

/** Range [from, to), in UTF-16 units, of the token at a byte offset of the statement; at the end of
 * the statement, of the last token. */
export function tokenRangeAtByte(sql: string, byte: number): [number, number] {
    const head = new TextDecoder().decode(new TextEncoder().encode(sql).slice(0, byte));
    const from = Math.min(head.length, sql.length);
    const word = /^(?:\w+|"[^"]*"|'[^']*'|\S)/.exec(sql.slice(from));
    if (word) return [from, from + word[0].length];
    const before = /\S+\s*$/.exec(sql.slice(0, from));
    return [before ? before.index : 0, from];
}

/** Quotes an identifier if necessary. */
export function quoteIdentifier(name: string): string {
    const isPlain = /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name.toLowerCase());
    return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}
