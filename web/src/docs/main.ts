/* SPDX-License-Identifier: MIT
 *
 * The script of the pages under /docs: the theme, and the search in the sections that web/docs.mjs
 * wrote. They are loaded and indexed when the search field gets the focus: a file of the index has
 * 1.7 times their bytes, compressed.
 */
import MiniSearch, { type SearchResult } from 'minisearch';
import { toggleTheme } from '../components/theme';

const MAX_RESULTS = 12;
const CONTEXT_CHARS = 60; // characters before and after the first match

const input = document.querySelector<HTMLInputElement>('#search')!;
const list = document.querySelector<HTMLOListElement>('#found')!;
let index: Promise<MiniSearch> | null = null;
let chosen = -1;

/** A section of a page, as `search.json` lists them. */
interface Section {
    id: number;
    page: string;
    title: string;
    text: string;
}

async function fetchIndex(): Promise<MiniSearch> {
    const answer = await fetch('/docs/search.json');
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const built = new MiniSearch({
        fields: ['title', 'page', 'text'],
        storeFields: ['page', 'title', 'text'],
    });
    built.addAll((await answer.json()) as Section[]);
    return built;
}

function loadIndex(): Promise<MiniSearch> {
    index ??= fetchIndex().catch((error: unknown) => {
        index = null; // retry on the next key press
        throw error;
    });
    return index;
}

/** The text around the first match, with all matches highlighted. */
function excerpt(found: SearchResult): DocumentFragment {
    const text = String(found['text']);
    const patterns = found.terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = new RegExp(patterns.join('|') || '$^', 'giu');
    const first = Math.max(0, text.search(pattern));
    const begin = Math.max(0, first - CONTEXT_CHARS);
    const part = text.slice(begin, first + 2 * CONTEXT_CHARS);
    const out = new DocumentFragment();
    let at = 0;
    if (begin > 0) out.append('…');
    for (const match of part.matchAll(pattern)) {
        const mark = document.createElement('mark');
        mark.textContent = match[0];
        out.append(part.slice(at, match.index), mark);
        at = match.index + match[0].length;
    }
    out.append(part.slice(at));
    return out;
}

function resultItem(found: SearchResult, place: number): HTMLLIElement {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const title = document.createElement('b');
    const text = document.createElement('span');
    const page = String(found['page']);
    item.id = `found-${place}`;
    item.role = 'option';
    link.href = String(found.id);
    link.tabIndex = -1;
    title.textContent = found['title'] === page ? page : `${page}: ${String(found['title'])}`;
    text.append(excerpt(found));
    link.append(title, text);
    item.append(link);
    return item;
}

function showResults(items: (HTMLLIElement | string)[]): void {
    list.replaceChildren(
        ...items.map((item) => {
            if (typeof item !== 'string') return item;
            const note = document.createElement('li');
            note.className = 'note';
            note.textContent = item;
            return note;
        }),
    );
    list.hidden = items.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    selectResult(-1);
}

function selectResult(place: number): void {
    const items = list.querySelectorAll('[role=option]');
    chosen = items.length ? Math.min(Math.max(place, -1), items.length - 1) : -1;
    items.forEach((item, i) => item.setAttribute('aria-selected', String(i === chosen)));
    items[chosen]?.scrollIntoView({ block: 'nearest' });
    if (chosen < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `found-${chosen}`);
}

async function search(): Promise<void> {
    const text = input.value.trim();
    if (!text) {
        showResults([]);
        return;
    }
    try {
        const found = (await loadIndex()).search(text, {
            prefix: true,
            fuzzy: 0.15,
            combineWith: 'AND',
            boost: { title: 4, page: 2 },
        });
        if (text !== input.value.trim()) return; // the input has changed since
        showResults(
            found.length ? found.slice(0, MAX_RESULTS).map(resultItem) : [`No page has “${text}”`],
        );
    } catch (error) {
        showResults([`The search index could not be loaded: ${(error as Error).message}`]);
    }
}

input.addEventListener('focus', () => void loadIndex().catch(() => undefined));
input.addEventListener('input', () => void search());
input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') selectResult(chosen + 1);
    else if (event.key === 'ArrowUp') selectResult(chosen - 1);
    else if (event.key === 'Escape') showResults([]);
    else if (event.key === 'Enter')
        list.querySelector<HTMLAnchorElement>(`#found-${Math.max(chosen, 0)} a`)?.click();
    else return;
    if (event.key !== 'Escape' || input.value) event.preventDefault();
});
list.addEventListener('click', () => showResults([]));
document.addEventListener('click', (event) => {
    if (!(event.target as Element).closest('.search')) showResults([]);
});
document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === input) return;
    event.preventDefault();
    input.focus();
});
document.querySelector('#theme')!.addEventListener('click', toggleTheme);
