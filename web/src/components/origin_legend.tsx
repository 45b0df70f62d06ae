/* SPDX-License-Identifier: MIT */
import type { Origin } from '../base/answers';
import { pct, THIN_SPACE } from '../base/units';

export function Swatch({ origin }: { origin: Origin }) {
    return <span class={`swatch is-${origin}`} title={origin} />;
}

interface OriginLegendProps {
    /** Percent of `base`. Origins that are not listed are not shown; null shows only the label. */
    shares: { origin: Origin; share: number | null }[];
    /** Base of the shares: 'of Σ self'. */
    base?: string;
    hidden: ReadonlySet<Origin>;
    onToggle: (origin: Origin) => void;
}

/** Swatch, label and share of each origin; a click hides or shows the origin. */
export function OriginLegend({ shares, base, hidden, onToggle }: OriginLegendProps) {
    return (
        <div class="origin-legend" role="group" aria-label="origin">
            {shares.map(({ origin, share }) => (
                <button
                    key={origin}
                    type="button"
                    aria-pressed={!hidden.has(origin)}
                    title={hidden.has(origin) ? `show ${origin}` : `hide ${origin}`}
                    onClick={() => onToggle(origin)}
                >
                    <Swatch origin={origin} />
                    {origin}
                    {share !== null && <b>{`${pct(share)}${THIN_SPACE}%`}</b>}
                </button>
            ))}
            {base && <span class="legend-base">{base}</span>}
        </div>
    );
}
