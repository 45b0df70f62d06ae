/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';

/** One line of controls; <Spacer/> separates left from right. */
export function Toolbar({ children, label }: { children: ComponentChildren; label?: string }) {
    return (
        <div class="toolbar" role="toolbar" aria-label={label}>
            {children}
        </div>
    );
}

export function Spacer() {
    return <span class="spacer" />;
}

interface PaneHeadProps {
    title: ComponentChildren;
    /** Grey text after the title. */
    remark?: ComponentChildren;
    /** At the right end. */
    children?: ComponentChildren;
}

export function PaneHead({ title, remark, children }: PaneHeadProps) {
    return (
        <div class="pane-head">
            <b title={typeof title === 'string' ? title : undefined}>{title}</b>
            {remark && <span class="pane-remark">{remark}</span>}
            <Spacer />
            {children}
        </div>
    );
}
