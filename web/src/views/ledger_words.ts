/* SPDX-License-Identifier: MIT
 *
 * The ledger in words. read = stored + repaired + rejected + other: nothing is dropped in silence.
 */
import type { Ledger } from '../base/types';
import { int } from '../base/units';

export interface LedgerWords {
    /** For a narrow cell. */
    word: string;
    /** Something was repaired or rejected. */
    flagged: boolean;
    /** The identity. */
    whole: string;
}

export function ledgerIdentity(ledger: Ledger): string {
    const { unit, read, stored, other, repaired, rejected } = ledger;
    const parts = [`${int(stored)} stored`];
    if (other) parts.push(`${int(other)} other`);
    parts.push(`${int(repaired)} repaired`, `${int(rejected)} rejected`);
    return `read ${int(read)} ${unit} = ${parts.join(' + ')}`;
}

export function ledgerWords(ledger: Ledger): LedgerWords {
    const { repaired, rejected } = ledger;
    const parts: string[] = [];
    if (repaired) parts.push(`${int(repaired)} repaired`);
    if (rejected) parts.push(`${int(rejected)} rejected`);
    const both = repaired && rejected ? `${int(repaired + rejected)} flagged` : parts[0];
    return {
        word: parts.length ? both : 'complete',
        flagged: parts.length > 0,
        whole: ledgerIdentity(ledger),
    };
}
