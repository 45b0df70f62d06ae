/* SPDX-License-Identifier: MIT
 *
 * Shows Markdown that people wrote. The parser is loaded when it is first needed; until then the
 * text is shown as it is.
 */
import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Parser = typeof import('../model/markdown');
let loaded: Parser | null = null;

/** Levels of quotes and lists that are shown; deeper ones are shown as they were typed. */
const MAX_DEPTH = 12;

function useParser(): Parser | null {
    const [parser, setParser] = useState<Parser | null>(loaded);
    useEffect(() => {
        if (loaded) return;
        void import('../model/markdown').then((module) => {
            loaded = module;
            setParser(module);
        });
    }, []);
    return parser;
}

export function Markdown({ text }: { text: string }) {
    const parser = useParser();
    const tokens = parser?.parseMarkdown(text);
    if (!parser || !tokens) return <div class="markdown is-plain">{text}</div>;
    return <div class="markdown">{renderTokens(tokens, parser, 0)}</div>;
}

function renderTokens(
    tokens: readonly Token[] | undefined,
    parser: Parser,
    depth: number,
): ComponentChildren {
    return (tokens ?? []).map((token, i) => (
        <MarkdownToken key={i} token={token} parser={parser} depth={depth} />
    ));
}

interface TokenProps {
    token: Token;
    parser: Parser;
    depth: number;
}

function MarkdownToken({ token, parser, depth }: TokenProps) {
    if (depth > MAX_DEPTH) return <>{token.raw}</>;
    const inside = (): ComponentChildren =>
        renderTokens((token as Tokens.Generic).tokens, parser, depth + 1);
    switch (token.type) {
        case 'space':
        case 'def':
            return null;
        case 'paragraph':
            return <p>{inside()}</p>;
        case 'heading':
            return (
                <p class="markdown-heading">
                    <b>{inside()}</b>
                </p>
            );
        case 'code':
            return (
                <pre>
                    <code>{(token as Tokens.Code).text}</code>
                </pre>
            );
        case 'blockquote':
            return <blockquote>{inside()}</blockquote>;
        case 'list':
            return <MarkdownList list={token as Tokens.List} parser={parser} depth={depth} />;
        case 'table':
            return <MarkdownTable table={token as Tokens.Table} parser={parser} depth={depth} />;
        case 'hr':
            return <hr />;
        case 'br':
            return <br />;
        case 'strong':
            return <strong>{inside()}</strong>;
        case 'em':
            return <em>{inside()}</em>;
        case 'del':
            return <del>{inside()}</del>;
        case 'codespan':
            return <code>{(token as Tokens.Codespan).text}</code>;
        case 'link':
        case 'image':
            return <MarkdownLink token={token as Tokens.Link} parser={parser} depth={depth} />;
        case 'text':
        case 'escape':
            return <>{(token as Tokens.Text).tokens ? inside() : (token as Tokens.Text).text}</>;
        default:
            return <>{token.raw}</>; // HTML too
    }
}

/* An image is a link to it: loading it would tell its server who reads the note. */
function MarkdownLink({ token, parser, depth }: TokenProps & { token: Tokens.Link }) {
    const href = parser.safeAddress(token.href);
    const label = token.tokens?.length ? renderTokens(token.tokens, parser, depth + 1) : token.text;
    if (href === null) return <>{token.raw}</>;
    const isHere = href.startsWith('#');
    return (
        <a
            class="link"
            href={href}
            {...(!isHere && { target: '_blank', rel: 'noopener noreferrer' })}
        >
            {label || href}
        </a>
    );
}

interface ListProps {
    list: Tokens.List;
    parser: Parser;
    depth: number;
}

function MarkdownList({ list, parser, depth }: ListProps) {
    const items = list.items.map((item, i) => (
        <li key={i}>
            {item.task && <input type="checkbox" checked={item.checked} disabled />}
            {renderTokens(item.tokens, parser, depth + 1)}
        </li>
    ));
    if (!list.ordered) return <ul>{items}</ul>;
    return <ol start={Number(list.start) || 1}>{items}</ol>;
}

interface TableProps {
    table: Tokens.Table;
    parser: Parser;
    depth: number;
}

function MarkdownTable({ table, parser, depth }: TableProps) {
    const cells = (row: Tokens.TableCell[], Cell: 'th' | 'td') =>
        row.map((cell, i) => (
            <Cell key={i} style={{ textAlign: cell.align ?? 'left' }}>
                {renderTokens(cell.tokens, parser, depth + 1)}
            </Cell>
        ));
    return (
        <table>
            <thead>
                <tr>{cells(table.header, 'th')}</tr>
            </thead>
            <tbody>
                {table.rows.map((row, i) => (
                    <tr key={i}>{cells(row, 'td')}</tr>
                ))}
            </tbody>
        </table>
    );
}
