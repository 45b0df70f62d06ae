/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { KindMark } from './kind_mark';

interface RunHeadProps {
    name: ComponentChildren;
    kind: string;
    meta: ComponentChildren;
    children: ComponentChildren;
}

/** Who this run is, and its few figures. */
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
    /** After the value, lighter. */
    note?: ComponentChildren;
    tip?: string;
    /** Goes when the window is narrower than this, in px. */
    hideBelow?: number;
}

/** Label over value, divided by space. */
export function Facts({ facts }: { facts: Fact[] }) {
    return (
        <dl class="facts">
            {facts.map((fact) => (
                <div key={fact.label} title={fact.tip} class={hideClass(fact.hideBelow)}>
                    <dt>{fact.label}</dt>
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
