/* SPDX-License-Identifier: MIT
 *
 * Syntax colours of Python source. The file is parsed once, in short time slices that do not block
 * the page. Tokens are created only for the requested lines.
 */
import type { Input, PartialParse, Tree } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';

export type TokenKind = 'keyword' | 'string' | 'number' | 'comment';

/** Token of a line: the columns [from, to) in UTF-16 units, from 0. */
export interface Token {
    from: number;
    to: number;
    kind: TokenKind;
}

const highlighter = tagHighlighter([
    { tag: tags.keyword, class: 'keyword' },
    { tag: tags.bool, class: 'keyword' },
    { tag: tags.string, class: 'string' },
    { tag: tags.number, class: 'number' },
    { tag: tags.comment, class: 'comment' },
]);

const STAR = 42;

class TextInput implements Input {
    constructor(private readonly text: string) {}
    get length(): number {
        return this.text.length;
    }
    get lineChunks(): boolean {
        return false;
    }
    chunk(from: number): string {
        return this.text.slice(from, from + 4096);
    }
    read(from: number, to: number): string {
        return this.text.slice(from, to);
    }
}

export interface PythonText {
    /** Parses for about `ms`; returns true when the file is completely parsed. */
    parseFor: (ms: number) => boolean;
    /** Tokens of a line, counted from 1; null until the file is parsed. */
    tokens: (line: number) => Token[] | null;
}

/** Creates the parser of a file; unknown lines count as empty. */
export function pythonText(lines: readonly (string | null)[]): PythonText {
    const starts = new Float64Array(lines.length + 1);
    lines.forEach((line, i) => {
        starts[i + 1] = starts[i] + (line?.length ?? 0) + 1;
    });
    const text = lines.map((line) => line ?? '').join('\n');
    const tokensByLine = new Map<number, Token[]>();
    let parse: PartialParse | null = parser.startParse(new TextInput(text));
    let tree: Tree | null = null;

    function parseFor(ms: number): boolean {
        const end = performance.now() + ms;
        while (parse && performance.now() < end) {
            tree = parse.advance();
            if (tree) parse = null;
        }
        return !parse;
    }

    function tokens(line: number): Token[] | null {
        if (!tree || line < 1 || line > lines.length) return null;
        let found = tokensByLine.get(line);
        if (!found) {
            const from = starts[line - 1];
            const to = from + (lines[line - 1]?.length ?? 0);
            found = tokensBetween(tree, text, from, to);
            tokensByLine.set(line, found);
        }
        return found;
    }
    return { parseFor, tokens };
}

function tokensBetween(tree: Tree, text: string, from: number, to: number): Token[] {
    const out: Token[] = [];
    highlightTree(
        tree,
        highlighter,
        (start, end, kind) => {
            // The grammar treats the star of *args as a keyword.
            if (kind === 'keyword' && text.charCodeAt(start) === STAR) return;
            const [a, b] = [Math.max(start, from), Math.min(end, to)];
            if (a < b) out.push({ from: a - from, to: b - from, kind: kind as TokenKind });
        },
        from,
        to,
    );
    return out;
}
