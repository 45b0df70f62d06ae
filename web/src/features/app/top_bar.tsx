/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { offlineFile } from '../../base/offline';
import { followsSystem, theme, toggleTheme } from '../../components/theme';

export interface Crumb {
    text: string;
    href?: string;
}

interface TopBarProps {
    home: string;
    crumbs: Crumb[];
    search: ComponentChildren;
    /** null if the user may not add runs */
    onAdd: (() => void) | null;
    /** Menu with the user and the commands of the shelf. */
    menu: ComponentChildren;
    /** null if the page has no list of keys */
    onHelp: (() => void) | null;
}

export function TopBar({ home, crumbs, search, onAdd, menu, onHelp }: TopBarProps) {
    return (
        <header class="top-bar">
            <nav class="crumbs" aria-label="breadcrumbs">
                <a class="brand" href={home}>
                    <BrandMark />
                    perfshelf
                </a>
                {crumbs.map((crumb) => [<span class="slash">/</span>, crumbLink(crumb)])}
            </nav>
            {search}
            {onAdd && (
                <button type="button" class="button" onClick={onAdd} title="or drop them anywhere">
                    Add profiles
                </button>
            )}
            {menu}
            {!offlineFile() && (
                <a class="quiet docs-link" href="/docs/" target="_blank" rel="noopener">
                    Docs
                </a>
            )}
            <ThemeButton />
            {onHelp && (
                <button type="button" class="quiet" aria-label="keys" title="keys" onClick={onHelp}>
                    <kbd>?</kbd>
                </button>
            )}
        </header>
    );
}

function crumbLink({ text, href }: Crumb) {
    if (!href) {
        return (
            <span aria-current="page" title={text}>
                {text}
            </span>
        );
    }
    return <a href={href}>{text}</a>;
}

function BrandMark() {
    return (
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M0 1h16v4H0zM0 6h10v4H0zM0 11h5v4H0z" />
        </svg>
    );
}

function ThemeButton() {
    const dark = theme.value === 'dark';
    const other = dark ? 'light' : 'dark';
    const follows = followsSystem.value ? 'follows the system' : 'set in this browser';
    return (
        <button
            type="button"
            class="quiet theme-button"
            title={`${follows}; click to use ${other}`}
            aria-label={`theme: ${theme.value}, ${follows}`}
            onClick={toggleTheme}
        >
            {dark ? 'Dark' : 'Light'}
        </button>
    );
}
