/* SPDX-License-Identifier: MIT */

import type { ComponentChildren } from 'preact';

export function Pairs({ rows }: { rows: [label: ComponentChildren, value: ComponentChildren][] }) {
    return (
        <dl class="pairs">{rows.map(([label, value]) => [<dt>{label}</dt>, <dd>{value}</dd>])}</dl>
    );
}
