/* SPDX-License-Identifier: MIT */
import { splitTail } from '../model/labels';

/** A name that is cut in the middle where it does not fit, since long names often differ at their
 * end. The element around it needs a width. */
export function MiddleCut({ text }: { text: string }) {
    const [head, tail] = splitTail(text);
    if (!tail) return <>{text}</>;
    return (
        <>
            <span class="cut-head">{head}</span>
            {tail}
        </>
    );
}
