/* SPDX-License-Identifier: MIT */
import { signal } from '@preact/signals';
import { formatHash } from '../../base/router';
import { Menu, type MenuItem } from '../../components/menu';
import { ActivityDialog } from './activity_dialog';
import { logOut, currentUser } from './user';

const isActivityOpen = signal(false);

/** Menu with the current user and the commands for the complete shelf. */
export function UserMenu() {
    const now = currentUser.value;
    const items: MenuItem[] = [
        {
            text: 'Activity',
            note: 'who added and removed',
            onPick: () => (isActivityOpen.value = true),
        },
        { text: 'SQL', note: 'over the shelf and its runs', href: formatHash(['sql']) },
    ];
    if (now?.name && now.tokens) {
        items.push({ text: 'Log out', note: now.role, onPick: () => void logOut() });
    }
    return (
        <>
            <Menu
                label={<span class="person">{now?.name ?? 'More'}</span>}
                ariaLabel={now?.name ? `${now.name}, ${now.role}` : 'more of the shelf'}
                align="right"
                items={items}
            />
            {isActivityOpen.value && (
                <ActivityDialog onClose={() => (isActivityOpen.value = false)} />
            )}
        </>
    );
}
