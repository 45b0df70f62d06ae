/* SPDX-License-Identifier: MIT */
import { int } from '../base/units';

interface DropOverlayProps {
    /** 0 where the browser does not say how many; it never tells the names before the drop. */
    count: number;
    listen: string;
}

export function DropOverlay({ count, listen }: DropOverlayProps) {
    const what = count === 1 ? 'the file' : count > 1 ? `${int(count)} files` : 'the files';
    return (
        <div class="drop-overlay">
            <b>
                Drop {what} to put {count === 1 ? 'it' : 'them'} on the shelf
            </b>
            <span class="soft">
                The format is read from the content, the name does not matter. Nothing leaves{' '}
                {listen}.
            </span>
        </div>
    );
}
