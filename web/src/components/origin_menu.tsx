/* SPDX-License-Identifier: MIT */
import type { Origin } from '../base/answers';
import { setQuery } from '../base/router';
import { THIN_SPACE, pct } from '../base/units';
import { Menu } from './menu';
import { toggledOff } from '../model/filter_query';

interface OriginMenuProps {
    shares: { origin: Origin; share: number | null }[];
    base: string;
    off: ReadonlySet<Origin>;
}

/** The origin legend as a menu, where the window is too narrow for the legend. */
export function OriginMenu({ shares, base, off }: OriginMenuProps) {
    return (
        <Menu
            class="quiet"
            label={
                off.size > 0 ? `Origin: ${shares.length - off.size} of ${shares.length}` : 'Origin'
            }
            tip={`shows and hides origins; shares are ${base}`}
            items={shares.map(({ origin, share }) => ({
                text: origin,
                note: share === null ? undefined : `${pct(share)}${THIN_SPACE}%`,
                checked: !off.has(origin),
                onPick: () => setQuery({ off: toggledOff(off, origin) }, { replace: true }),
            }))}
        />
    );
}
