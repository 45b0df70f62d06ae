/* SPDX-License-Identifier: MIT */
import { familyOf } from '../model/family';

/** The square before a name, in the colour that its slices have in the timeline. */
export function FamilySwatch({ family }: { family: number | null | undefined }) {
    const { key, word } = familyOf(family);
    return <span class={`swatch is-family-${key}`} title={word} />;
}
