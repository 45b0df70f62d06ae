/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { int } from '../base/units';

export interface TabItem {
    id: string;
    title: string;
    count?: number | null;
    href: string;
    /** The count is a warning: rejected records in the ledger. */
    warn?: boolean;
}

interface TabsProps {
    /** Label of the tabs for screen readers. */
    label?: string;
    items: TabItem[];
    current: string;
    /** Buttons at the right end. */
    children?: ComponentChildren;
}

export function Tabs({ items, current, label = 'views of this run', children }: TabsProps) {
    const nav = useRef<HTMLElement | null>(null);
    // The tab bar may overflow: keep the current tab visible.
    useLayoutEffect(() => {
        const tab = nav.current?.querySelector('.is-current');
        tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }, [current, items.length]);
    return (
        <div class="tabs">
            <nav ref={nav} aria-label={label}>
                {items.map((item) => (
                    <a
                        key={item.id}
                        href={item.href}
                        class={item.id === current ? 'is-current' : ''}
                        aria-current={item.id === current ? 'page' : undefined}
                    >
                        {item.title}
                        {item.count !== null && item.count !== undefined && (
                            <span class={item.warn ? 'tab-count is-warn' : 'tab-count'}>
                                {int(item.count)}
                            </span>
                        )}
                    </a>
                ))}
            </nav>
            <div class="tabs-right">{children}</div>
        </div>
    );
}
