/* SPDX-License-Identifier: MIT */
import { setQuery } from '../base/router';
import { SearchField } from './search_field';
import { matcher } from '../model/search';

/** Field for a regular expression; matching items are hidden. The expression is stored in the URL
 * as `hide`. */
export function HideField({ hide, what, width }: { hide: string; what: string; width: number }) {
    return (
        <SearchField
            value={hide}
            width={width}
            placeholder="hide: regex"
            label={`hide ${what} that match this regular expression`}
            error={hide === '' ? null : matcher(hide, true).error}
            onInput={(next) => setQuery({ hide: next || null }, { replace: true })}
        />
    );
}
