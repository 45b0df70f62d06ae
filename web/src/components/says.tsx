/* SPDX-License-Identifier: MIT */

/** The conclusion of a tab: a sentence with its number, and one with what follows. */
export function Says({ first, second }: { first: string; second: string }) {
    return (
        <p class="says" role="status">
            <b>{first}</b> <span class="soft">{second}</span>
        </p>
    );
}
