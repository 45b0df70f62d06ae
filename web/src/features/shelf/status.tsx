/* SPDX-License-Identifier: MIT */
import { useEffect } from 'preact/hooks';
import type { Shelf } from '../../base/types';
import { bytes, plural } from '../../base/units';
import { setStatus } from '../../components/status_line';
import { me } from '../login/user';
import { connected, shelf } from '../shared/shelf_state';

export function isLocal(listen: string): boolean {
    return /^(127\.|localhost|\[::1\])/.test(listen);
}

/** Totals, where this is served from and to whom, and the keys of the shelf. */
export function useShelfStatus(checked: number): void {
    const now = shelf.value;
    const live = connected.value;
    const tokens = me.value?.tokens ?? false;
    useEffect(() => {
        if (!now) return;
        const left = (
            <>
                {plural(now.runs, 'run')} · <Room shelf={now} />
            </>
        );
        const middle = live ? (
            now.store?.away ? (
                <Away place={now.store.place} />
            ) : (
                <>
                    {now.listen}, {openTo(now.listen, tokens)}
                    {now.store && <Store place={now.store.place} />}
                    <Kept shelf={now} />
                </>
            )
        ) : (
            <span class="warn">Connection lost. Trying again.</span>
        );
        setStatus(left, middle, now.runs > 0 ? <Keys checked={checked} /> : null);
    }, [now, live, tokens, checked]);
}

const NEARLY_FULL = 0.95;

function Room({ shelf: now }: { shelf: Shelf }) {
    if (now.quota === null) {
        return (
            <>
                {bytes(now.bytes_runs)} in runs, {bytes(now.bytes_originals)} in originals
            </>
        );
    }
    const full = now.used >= NEARLY_FULL * now.quota;
    return (
        <span class={full ? 'warn' : undefined}>
            {bytes(now.used)} of quota {bytes(now.quota)}
            {full && '. Delete runs to free space'}
        </span>
    );
}

/** Behind a proxy it listens to this machine alone, and is open to others all the same. */
function openTo(listen: string, tokens: boolean): string {
    if (!isLocal(listen)) return 'open to the network';
    return tokens ? 'for those with a token' : 'this machine only';
}

function Store({ place }: { place: string }) {
    return <span title="Several servers share this shelf"> · {place}</span>;
}

/** In place of all else: what is changed now would not stay. */
function Away({ place }: { place: string }) {
    return (
        <span class="warn" title={`${place} does not answer`}>
            The database does not answer: you can read runs, not change them
        </span>
    );
}

/** So that nobody wonders where a run went. */
function Kept({ shelf: now }: { shelf: Shelf }) {
    if (now.keep.length === 0) return null;
    const words = now.keep.map((rule) => rule.what).join(', ');
    return (
        <span
            class="shelf-keep"
            title={`The retention rules delete older runs. They keep ${words}.`}
        >
            {' '}
            · keeps {words}
        </span>
    );
}

function Keys({ checked }: { checked: number }) {
    return (
        <span class="wide-only status-keys">
            <kbd>↑</kbd>
            <kbd>↓</kbd> move <kbd>space</kbd> select
            {checked > 0 && (
                <>
                    {' '}
                    <kbd>e</kbd> edit
                    {checked > 1 && (
                        <>
                            {' '}
                            <kbd>c</kbd> compare
                        </>
                    )}
                </>
            )}{' '}
            <kbd>↵</kbd> open
        </span>
    );
}
