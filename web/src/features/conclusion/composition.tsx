/* SPDX-License-Identifier: MIT
 *
 * What the whole is made of: one bar, and a legend whose entries lead to the views of the parts.
 */
import type { Composition as CompositionData, ReportLink } from '../../base/answers';
import { pct, text, THIN_SPACE } from '../../base/units';
import { StackedBar } from '../../components/stacked_bar';
import { viewportWidth } from '../../components/viewport';
import { barParts } from './data';
import { formatPart } from '../../model/sentence';

/** Width beside the causes, as in conclusion.css. */
const BESIDE_PX = 400;
const BESIDE_FROM_PX = 1200;

interface CompositionProps {
    composition: CompositionData;
    hrefOf: (link: ReportLink) => string;
}

export function Composition({ composition, hrefOf }: CompositionProps) {
    const { title, unit, base, whole } = composition;
    const parts = barParts(composition, hrefOf);
    const isBeside = viewportWidth.value >= BESIDE_FROM_PX;
    return (
        <section class="composition" aria-label={title}>
            <p class="composition-head">
                <b>{title}</b>
                <span>
                    {unit === 'percent' ? base : `${base} ${text(formatPart(whole, unit))}`}
                </span>
            </p>
            <StackedBar
                label={title}
                segments={parts}
                base={base}
                px={isBeside ? BESIDE_PX : viewportWidth.value - 32}
                hasAmounts={false}
            />
            <ul class="composition-legend">
                {parts.map(({ label, colour, amount, share, href }) => (
                    <li key={label}>
                        <a href={href}>
                            <i class="swatch" style={{ background: `var(--${colour})` }} />
                            <span class="composition-label" title={label}>
                                {label}
                            </span>
                            {unit !== 'percent' && <span class="num">{amount}</span>}
                            <span class="num soft">{`${pct(100 * share)}${THIN_SPACE}%`}</span>
                        </a>
                    </li>
                ))}
            </ul>
        </section>
    );
}
