/* SPDX-License-Identifier: MIT
 *
 * One line of a SourceGrid: measured values, then the source text. It is redrawn only when its
 * props change.
 */
import { Component, type ComponentChildren } from 'preact';
import { TINT_MIN_LEVEL } from '../../model/heat';
import type { Token } from './python_syntax';
import type { LineRow } from './source';

export interface SourceColumn {
    key: string;
    title: ComponentChildren;
    unit?: string;
    width: number;
    /** Tooltip of the header. */
    tip?: string;
    /** true: the first column of another tool; a strong line separates it from the previous tool */
    startsGroup?: boolean;
    /** The column is hidden if the window is narrower than this, in px. */
    hideBelow?: number;
    /** Columns with a rank are hidden, the highest first, until the source has half of the width. */
    rank?: number;
    /** true: the values of the column determine the heat; its header is semibold */
    determinesHeat?: boolean;
    cellClass?: string;
    render: (row: LineRow) => ComponentChildren;
}

interface SourceRowProps {
    row: LineRow;
    index: number;
    top: number;
    columns: SourceColumn[];
    template: string;
    text: string | null;
    tokens: Token[] | null;
    level: number;
    /** The line was not executed and has no samples. */
    cold: boolean;
    current: boolean;
    remark: ComponentChildren;
}

export class SourceRowView extends Component<SourceRowProps> {
    override shouldComponentUpdate(next: SourceRowProps): boolean {
        const now = this.props;
        return (
            now.row !== next.row ||
            now.top !== next.top ||
            now.columns !== next.columns ||
            now.template !== next.template ||
            now.text !== next.text ||
            now.tokens !== next.tokens ||
            now.level !== next.level ||
            now.current !== next.current ||
            now.remark !== next.remark
        );
    }

    render(props: SourceRowProps) {
        const { row, index, top, columns, template, level, cold, current, remark } = props;
        const tint = level >= TINT_MIN_LEVEL ? ` is-tint-${level}` : '';
        const state = `${current ? ' is-current' : ''}${cold ? ' is-cold' : ''}`;
        return (
            <div
                role="row"
                id={current ? 'source-current' : undefined}
                class={`source-row${state}`}
                data-row={index}
                aria-rowindex={index + 2}
                aria-selected={current || undefined}
                style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
            >
                <div role="gridcell" class="source-number">
                    {row.isAdditional ? '' : row.line}
                </div>
                {columns.map((column) => (
                    <div
                        role="gridcell"
                        key={column.key}
                        class={`source-cell${column.startsGroup ? ' is-group' : ''}${column.cellClass ? ` ${column.cellClass}` : ''}`}
                    >
                        {column.render(row)}
                    </div>
                ))}
                <div role="gridcell" class={`source-text${tint}`}>
                    {level > 0 && <span class={`source-edge is-heat-${level}`} />}
                    <code>{row.isAdditional ? null : colouredText(props.text, props.tokens)}</code>
                    {remark && <span class="source-remark">{remark}</span>}
                </div>
            </div>
        );
    }
}

/** A line of Python with its colours. */
export function colouredText(text: string | null, tokens: Token[] | null): ComponentChildren {
    if (text === null) return null;
    if (!tokens?.length) return text;
    const parts: ComponentChildren[] = [];
    let end = 0;
    for (const { from, to, kind } of tokens) {
        if (from > end) parts.push(text.slice(end, from));
        parts.push(
            <span key={from} class={`code-${kind}`}>
                {text.slice(from, to)}
            </span>,
        );
        end = to;
    }
    parts.push(text.slice(end));
    return parts;
}
