/* SPDX-License-Identifier: MIT */
import { useState } from 'preact/hooks';
import { API } from '../../base/client';
import { offlineFile } from '../../base/offline';
import { route } from '../../base/router';
import { ShareDialog } from '../report/share_dialog';
import { groupsOf } from './state';

/** Button to export the comparison to a file; an offline file has no such button. */
export function ShareComparisonButton({ title }: { title: string }) {
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
