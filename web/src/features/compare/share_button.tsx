/* SPDX-License-Identifier: MIT */
import { useState } from 'preact/hooks';
import { API } from '../../base/client';
import { offlineFile } from '../../base/offline';
import { route } from '../../base/router';
import { ShareDialog } from '../report/share_dialog';
import { groupsOf } from './state';

/** Shares the groups of the address. A page that is such a file itself has none. */
export function ShareCompared({ title }: { title: string }) {
    const [open, setOpen] = useState(false);
    if (offlineFile()) return null;
    return (
        <>
            <button type="button" class="quiet" onClick={() => setOpen(true)}>
                Share…
            </button>
            {open && (
                <ShareDialog
                    path={`${API}/compare`}
                    params={groupsOf(route.value.query)}
                    title={title}
                    onClose={() => setOpen(false)}
                />
            )}
        </>
    );
}
