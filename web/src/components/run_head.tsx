/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import type { TermId } from '../base/terms';
import { KindMark } from './kind_mark';
import { Term } from './term';

interface RunHeadProps {
    name: ComponentChildren;
    kind: string;
    meta: ComponentChildren;
    children: ComponentChildren;
}

/** Header of a run: its name, kind and main values. */
export function RunHead({ name, kind, meta, children }: RunHeadProps) {
    return (
        <header class="run-head">
            <div class="run-who">
                <div class="run-title">
                    {name}
                    <KindMark kind={kind} long />
                </div>
                <div class="run-meta">{meta}</div>
            </div>
            {children}
        </header>
    );
}

export interface Fact {
    label: string;
    value: ComponentChildren;
    /** Shown after the value, in a lighter colour. */
    note?: ComponentChildren;
    tip?: string;
    /** Explains the label. */
    term?: TermId;
    /** Hidden if the window is narrower than this, in px. */
    hideBelow?: number;
}

/** Labels above values, separated by space. */
export function Facts({ facts }: { facts: Fact[] }) {
    return (
        <dl class="facts">
            {facts.map((fact) => (
                <div
                    key={fact.label}
                    title={fact.term ? undefined : fact.tip}
                    class={hideClass(fact.hideBelow)}
                >
                    <dt>
                        {fact.term ? (
                            <Term of={fact.term} details={fact.tip}>
                                {fact.label}
                            </Term>
                        ) : (
                            fact.label
                        )}
                    </dt>
                    <dd>
                        <b>{fact.value}</b>
                        {fact.note && <span class="fact-note">{fact.note}</span>}
                    </dd>
                </div>
            ))}
        </dl>
    );
}

function hideClass(width: number | undefined): string {
    return width ? `hide-below-${width}` : '';
}
