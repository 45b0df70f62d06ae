/* SPDX-License-Identifier: MIT
 *
 * The ledger as text. read = stored + repaired + rejected + other: no record is dropped silently.
 */
import type { Ledger } from '../../base/answers';
import { int } from '../../base/units';

export interface LedgerText {
    /** Text for a narrow cell. */
    short: string;
    /** Whether any record was repaired or rejected. */
    flagged: boolean;
    /** The complete equation. */
    identity: string;
}

export function ledgerIdentity(ledger: Ledger): string {
    const { unit, read, stored, other, repaired, rejected } = ledger;
    const parts = [`${int(stored)} stored`];
    if (other) parts.push(`${int(other)} other`);
    parts.push(`${int(repaired)} repaired`, `${int(rejected)} rejected`);
    return `read ${int(read)} ${unit} = ${parts.join(' + ')}`;
}

export function ledgerText(ledger: Ledger): LedgerText {
    const { repaired, rejected } = ledger;
    const parts: string[] = [];
    if (repaired) parts.push(`${int(repaired)} repaired`);
    if (rejected) parts.push(`${int(rejected)} rejected`);
    const both = repaired && rejected ? `${int(repaired + rejected)} flagged` : parts[0];
    return {
        short: parts.length ? both : 'complete',
        flagged: parts.length > 0,
        identity: ledgerIdentity(ledger),
    };
}
