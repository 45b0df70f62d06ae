/* SPDX-License-Identifier: MIT */
import { useEffect } from 'preact/hooks';
import type { Shelf } from '../../base/answers';
import { bytesText, plural } from '../../base/units';
import { setStatus } from '../../components/status_line';
import { currentUser, hasRole } from '../login/user';
import { connected, shelf } from '../shared/shelf_state';

export function isLocal(listen: string): boolean {
    return /^(127\.|localhost|\[::1\])/.test(listen);
}

/** Sets the status line of the shelf: totals, storage, who can connect, and keys. */
export function useShelfStatus(checked: number): void {
    const now = shelf.value;
    const isConnected = connected.value;
    const tokens = currentUser.value?.tokens ?? false;
    useEffect(() => {
        if (!now) return;
        const left = (
            <>
                {plural(now.runs, 'run')} · <QuotaStatus shelf={now} />
            </>
        );
        const middle = isConnected ? (
            now.store?.away ? (
                <DatabaseAway place={now.store.place} />
            ) : (
                <>
                    {now.listen}, {accessText(now.listen, tokens)}
                    {now.store && <StoreName place={now.store.place} />}
                    <RetentionRules shelf={now} />
                </>
            )
        ) : (
            <span class="warn">Connection lost. Trying again.</span>
        );
        setStatus(left, middle, now.runs > 0 ? <KeyHints checked={checked} /> : <EmptyHints />);
    }, [now, isConnected, tokens, checked]);
}

const NEARLY_FULL = 0.95;

function QuotaStatus({ shelf: now }: { shelf: Shelf }) {
    if (now.quota === null) {
        return (
            <>
                {bytesText(now.bytes_runs)} in runs, {bytesText(now.bytes_originals)} in originals
            </>
        );
    }
    const full = now.used >= NEARLY_FULL * now.quota;
    return (
        <span class={full ? 'warn' : undefined}>
            {bytesText(now.used)} of quota {bytesText(now.quota)}
            {full && '. Delete runs to free space'}
        </span>
    );
}

/** Describes who can connect. A server that listens on localhost may be behind a proxy, so other
 * machines may connect if the shelf requires tokens. */
function accessText(listen: string, tokens: boolean): string {
    if (!isLocal(listen)) return 'open to the network';
    return tokens ? 'for those with a token' : 'this machine only';
}

function StoreName({ place }: { place: string }) {
    return <span title="Several servers share this shelf"> · {place}</span>;
}

/** Shown in the middle of the status line while the shelf's database is unreachable; changes cannot
 * be stored. */
function DatabaseAway({ place }: { place: string }) {
    return (
        <span class="warn" title={`${place} does not answer`}>
            The database does not answer: you can read runs, not change them
        </span>
    );
}

/** Lists the retention rules, because they delete runs. */
function RetentionRules({ shelf: now }: { shelf: Shelf }) {
    if (now.keep.length === 0) return null;
    const rules = now.keep.map((rule) => rule.what).join(', ');
    return (
        <span
            class="shelf-keep"
            title={`The retention rules delete older runs. They keep ${rules}.`}
        >
            {' '}
            · keeps {rules}
        </span>
    );
}

function KeyHints({ checked }: { checked: number }) {
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

function EmptyHints() {
    return (
        <span class="wide-only status-keys">
            {hasRole('uploader') && (
                <>
                    <kbd>o</kbd> choose files <kbd>ctrl</kbd>
                    <kbd>V</kbd> paste{' '}
                </>
            )}
            <kbd>?</kbd> keys and help
        </span>
    );
}
