/* SPDX-License-Identifier: MIT
 *
 * Where a step goes, as one bar: it says why to look. Each moment is counted once, so the parts sum
 * to the step.
 */
import type { ComponentChildren } from 'preact';
import { fig, fmtFixed, pct, text, THIN } from '../base/units';
import { viewportWidth } from './viewport';

interface StepPart {
    key: string;
    word: string;
    /** the token of its colour */
    tone: string;
    ns: number;
}

const PARTS: [key: string, word: string, tone: string, names: RegExp][] = [
    ['kernel', 'GPU kernel', 'matmul', /^(kernel|compute)/i],
    ['copy', 'copy', 'memory', /^(memcpy|memset|copy|memory)/i],
    ['communication', 'communication', 'communication', /^comm/i],
    ['runtime', 'CUDA runtime', 'runtime', /^runtime/i],
    ['data', 'DataLoader', 'data', /^data/i],
    ['cpu', 'CPU', 'norm', /^(cpu|host)/i],
];

/** The parts of a breakdown in the order of the bar; names that are not known count as other. */
export function stepParts(breakdown: [string, number][]): StepPart[] {
    const parts = PARTS.map(([key, word, tone]) => ({ key, word, tone, ns: 0 }));
    const other = { key: 'other', word: 'other', tone: 'other', ns: 0 };
    for (const [name, ns] of breakdown) {
        const at = PARTS.findIndex(([, , , names]) => names.test(name));
        (parts[at] ?? other).ns += ns;
    }
    return [...parts, other].filter(({ ns }) => ns > 0);
}

interface StepBarProps {
    /** `Mean of 6 steps` */
    title: ComponentChildren;
    breakdown: [string, number][];
    remark?: ComponentChildren;
}

const BAR_ROOM = 184;
const LETTER_PX = 6.4;

export function StepBar({ title, breakdown, remark }: StepBarProps) {
    const parts = stepParts(breakdown);
    const total = parts.reduce((sum, { ns }) => sum + ns, 0);
    if (total <= 0) return null;
    const width = viewportWidth.value - BAR_ROOM;
    const share = (ns: number): string => `${pct((ns / total) * 100)}${THIN}%`;
    return (
        <div class="timeline-steps">
            <div class="timeline-steps-title">
                <b>{title}</b>
                <span>each µs counted once</span>
            </div>
            <div class="timeline-steps-body">
                <div class="timeline-steps-bar" role="img" aria-label="parts of a step">
                    {parts.map((part) => (
                        <span
                            key={part.key}
                            class={`is-tone-${part.tone}`}
                            style={{ flexGrow: part.ns }}
                            title={`${part.word} ${text(fig(part.ns / 1e9))}, ${share(part.ns)} of step`}
                        >
                            {labelOf(part, (part.ns / total) * width)}
                        </span>
                    ))}
                </div>
                <div class="timeline-steps-legend">
                    {parts.map((part) => (
                        <span key={part.key}>
                            <i class={`swatch is-tone-${part.tone}`} />
                            {part.word} {share(part.ns)}
                        </span>
                    ))}
                    {remark && <span class="timeline-steps-remark">{remark}</span>}
                </div>
            </div>
        </div>
    );
}

function labelOf({ word, ns }: StepPart, room: number): string {
    const whole = `${word} ${fmtFixed(ns / 1e6, 1)} ms`;
    return whole.length * LETTER_PX + 12 <= room ? whole : '';
}
