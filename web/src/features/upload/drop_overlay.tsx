/* SPDX-License-Identifier: MIT */
import { int } from '../../base/units';

interface DropOverlayProps {
    /** 0 if the browser does not report the number; file names are never available before the drop */
    count: number;
    listen: string;
}

export function DropOverlay({ count, listen }: DropOverlayProps) {
    const what = count === 1 ? 'the file' : count > 1 ? `${int(count)} files` : 'the files';
    return (
        <div class="drop-overlay">
            <b>
                Drop {what} to add {count === 1 ? 'it' : 'them'} to the shelf
            </b>
            <span class="soft">
                The content decides the format; file names do not matter. Files are sent only to{' '}
                {listen}.
            </span>
        </div>
    );
}
