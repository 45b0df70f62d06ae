/* SPDX-License-Identifier: MIT
 *
 * The current user and role. On a shelf without tokens every user is an admin without a name.
 */
import { signal } from '@preact/signals';
import type { CurrentUser, Role } from '../../base/answers';
import { API, getJson, onUnauthorized, sendJson } from '../../base/client';

const ROLE_RANK: Role[] = ['nobody', 'viewer', 'uploader', 'admin'];

/** Null until the server has answered; until then the page is shown as for an admin. */
export const currentUser = signal<CurrentUser | null>(null);

export function hasRole(role: Role): boolean {
    return (
        currentUser.value === null ||
        ROLE_RANK.indexOf(currentUser.value.role) >= ROLE_RANK.indexOf(role)
    );
}

/** Whether the user may delete a run; an uploader may delete only runs with the uploader's own
 * name. */
export function mayRemove({ who }: { who: string | null }): boolean {
    return hasRole('admin') || (hasRole('uploader') && who === currentUser.value?.name);
}

export async function fetchUser(): Promise<void> {
    currentUser.value = await getJson<CurrentUser>(`${API}/me`);
}

/** Throws an ApiError if the token is not valid for this shelf. */
export async function logIn(token: string): Promise<void> {
    currentUser.value = await sendJson<CurrentUser>('POST', `${API}/login`, { token });
}

export async function logOut(): Promise<void> {
    await sendJson('POST', `${API}/logout`, {});
    await fetchUser();
}

/* An unauthorized response means that the session has ended: fetch the user again. */
onUnauthorized(() => {
    if (currentUser.peek()?.role !== 'nobody') void fetchUser().catch(() => undefined);
});
