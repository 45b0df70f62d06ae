/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import type { SourceColumn } from './source_row';

/** A title above `columns` columns. */
export interface SourceGroup {
    title: ComponentChildren;
    columns: number;
}

export const HEAD_HEIGHT = 28;

interface SourceHeadProps {
    columns: SourceColumn[];
    template: string;
    groups?: SourceGroup[];
}

/** Column titles, below the titles of the runs if there are several. */
export function SourceHead({ columns, template, groups }: SourceHeadProps) {
    let at = 2;
    return (
        <div class="source-head">
            {groups && (
                <div class="source-groups" style={{ gridTemplateColumns: template }}>
                    {groups.map(({ title, columns: span }, i) => {
                        const from = at;
                        at += span;
                        return (
                            <div
                                key={i}
                                class="source-group"
                                style={{ gridColumn: `${from} / ${at}` }}
                            >
                                {title}
                            </div>
                        );
                    })}
                </div>
            )}
            <div role="row" class="source-titles" style={{ gridTemplateColumns: template }}>
                <div role="columnheader" class="source-number">
                    Line
                </div>
                {columns.map(
                    ({ key, title, unit, tip, startsGroup, determinesHeat, cellClass }) => (
                        <div
                            role="columnheader"
                            key={key}
                            title={tip}
                            class={`source-cell${startsGroup ? ' is-group' : ''}${determinesHeat ? ' is-main' : ''}${cellClass ? ` ${cellClass}` : ''}`}
                        >
                            {title}
                            {unit && <span class="unit"> {unit}</span>}
                        </div>
                    ),
                )}
                <div role="columnheader" class="source-text">
                    Source
                </div>
            </div>
        </div>
    );
}
