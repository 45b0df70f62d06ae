/* SPDX-License-Identifier: MIT */
import { familyOf } from '../model/family';

/** Square in front of a name, in the colour of its slices in the timeline. */
export function FamilySwatch({ family }: { family: number | null | undefined }) {
    const { key, label } = familyOf(family);
    return <span class={`swatch is-family-${key}`} title={label} />;
}
