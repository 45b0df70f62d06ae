/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLayoutEffectOn } from '../base/hooks';
import { int } from '../base/units';

export interface TabItem {
    id: string;
    title: string;
    count?: number | null;
    href: string;
    /** The count is a warning: rejected records in the ledger. */
    warn?: boolean;
}

/** From this number of tabs on, they stand closer together, and what other menus offer too does not
 * stand beside them: so all tabs fit 1440 pixels. */
export const MANY_TABS = 11;

interface TabsProps {
    /** Label of the tabs for screen readers. */
    label?: string;
    items: TabItem[];
    current: string;
    /** Buttons at the right end. */
    children?: ComponentChildren;
}

/* Classes that fade the edges behind which more tabs are. */
function useHiddenSides(nav: { current: HTMLElement | null }, count: number): string {
    const [hidden, setHidden] = useState('');
    useLayoutEffectOn(() => {
        const bar = nav.current;
        if (!bar) return undefined;
        const measure = () => {
            const { scrollLeft, scrollWidth, clientWidth } = bar;
            const left = scrollLeft > 1 ? 'has-more-left' : '';
            const right = scrollLeft + clientWidth < scrollWidth - 1 ? 'has-more-right' : '';
            setHidden(`${left} ${right}`.trim());
        };
        const observer = new ResizeObserver(measure);
        observer.observe(bar);
        bar.addEventListener('scroll', measure, { passive: true });
        measure();
        return () => {
            observer.disconnect();
            bar.removeEventListener('scroll', measure);
        };
    }, [count]);
    return hidden;
}

export function Tabs({ items, current, label = 'views of this run', children }: TabsProps) {
    const nav = useRef<HTMLElement | null>(null);
    const hidden = useHiddenSides(nav, items.length);
    // The tab bar may overflow: keep the current tab visible.
    useLayoutEffect(() => {
        const tab = nav.current?.querySelector('.is-current');
        tab?.scrollIntoView({ block: 'nearest', inline: 'center' });
    }, [current, items.length]);
    return (
        <div class={items.length < MANY_TABS ? 'tabs' : 'tabs is-dense'}>
            <nav ref={nav} aria-label={label} class={hidden}>
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
