/* SPDX-License-Identifier: MIT
 *
 * Who sits at this window, as far as the shelf wants to know it. A shelf of one's own wants
 * nothing: everybody is an admin without a name.
 */
import { signal } from '@preact/signals';
import { API, getJson, onUnauthorized, sendJson } from '../base/client';

export type Role = 'nobody' | 'viewer' | 'uploader' | 'admin';

export interface Me {
    name: string | null;
    role: Role;
    /** Whether the shelf is open to those alone who have a token. */
    tokens: boolean;
}

const RANK: Role[] = ['nobody', 'viewer', 'uploader', 'admin'];

/** Null until the server has answered; until then the page looks as to an admin. */
export const me = signal<Me | null>(null);

export function may(role: Role): boolean {
    return me.value === null || RANK.indexOf(me.value.role) >= RANK.indexOf(role);
}

/** An uploader removes what carries the own name. */
export function mayRemove({ who }: { who: string | null }): boolean {
    return may('admin') || (may('uploader') && who === me.value?.name);
}

export async function askWho(): Promise<void> {
    me.value = await getJson<Me>(`${API}/me`);
}

/** Throws an ApiError when the token is not one of this shelf. */
export async function logIn(token: string): Promise<void> {
    me.value = await sendJson<Me>('POST', `${API}/login`, { token });
}

export async function logOut(): Promise<void> {
    await sendJson('POST', `${API}/logout`, {});
    await askWho();
}

/* A session that ended while the page was open. */
onUnauthorized(() => {
    if (me.peek()?.role !== 'nobody') void askWho().catch(() => undefined);
});
