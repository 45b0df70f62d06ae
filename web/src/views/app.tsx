/* SPDX-License-Identifier: MIT */
import { StatusLine } from '../components/status_line';
import { TooltipLayer } from '../components/tooltip';

export function App() {
    return (
        <>
            <StatusLine />
            <TooltipLayer />
        </>
    );
}
