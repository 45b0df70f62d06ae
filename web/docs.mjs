/* SPDX-License-Identifier: MIT
 *
 * Builds the pages under /docs from docs/*.md: one HTML file for each Markdown file, the pictures
 * that they show, and the sections for the search. docs/README.md is the contents: its headings and
 * lists become the navigation. Links between Markdown files become links between pages; links to
 * other files of the repository stay text, since the program does not serve its sources.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { Marked } from 'marked';

const REPOSITORY_LINK = /^(?:[a-z]+:|#|\/)/;

export function escapeHtml(text) {
    return text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;');
}

/* The anchors that GitHub gives to headings, so that a link works in both places. */
export function slugger() {
    const seen = new Map();
    return (text) => {
        const base = text
            .toLowerCase()
            .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
            .replaceAll(' ', '-');
        const n = seen.get(base) ?? 0;
        seen.set(base, n + 1);
        return n ? `${base}-${n}` : base;
    };
}

/* Width and height of a WebP file, from its first chunk: the page keeps the space free. */
export function webpSize(bytes) {
    const kind = bytes.toString('latin1', 12, 16);
    if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    if (kind === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
    if (kind === 'VP8L') {
        const bits = bytes.readUInt32LE(21);
        return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
    }
    throw new Error(`not a WebP picture: ${kind}`);
}

/* A picture as ./dev package has converted it, in half the bytes; else as it is: [name, bytes]. */
function smallest(name, bytes, converted) {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const avif = join(converted, `${hash}.avif`);
    if (!existsSync(avif)) return [name, bytes];
    return [name.replace(/\.webp$/, '.avif'), readFileSync(avif)];
}

/* Text of inline tokens, without marks. */
function plain(tokens) {
    return tokens
        .map((token) => {
            if (token.type === 'html') return '';
            if (token.tokens) return plain(token.tokens);
            return token.text ?? '';
        })
        .join('');
}

export class Docs {
    constructor(folder, converted) {
        this.folder = folder;
        this.converted = converted;
        this.names = readdirSync(folder)
            .filter((name) => name.endsWith('.md'))
            .map((name) => name.slice(0, -3));
        this.images = new Map();
        this.sections = [];
    }

    source(name) {
        return readFileSync(join(this.folder, `${name}.md`), 'utf8');
    }

    /* The address of what a Markdown file links to, or null where the program does not serve it. */
    address(href) {
        if (REPOSITORY_LINK.test(href)) return href;
        const [file, anchor] = href.split('#');
        const name = normalize(file).replace(/\.md$/, '');
        if (!file.endsWith('.md') || !this.names.includes(name)) return null;
        return `/docs/${name === 'README' ? '' : name}${anchor ? `#${anchor}` : ''}`;
    }

    /* One <img> for each theme: the reader's choice on the page decides, not only the system's. */
    picture(html) {
        const alt = /\balt="([^"]*)"/.exec(html)?.[1] ?? '';
        const sources = [
            ['dark', /<source[^>]*srcset="([^"]+)"/.exec(html)?.[1]],
            ['light', /<img[^>]*src="([^"]+)"/.exec(html)?.[1]],
        ];
        return sources
            .filter(([, path]) => path)
            .map(([theme, path]) => {
                const original = path.replace(/^(?:docs\/)?images\//, '');
                const webp = readFileSync(join(this.folder, 'images', original));
                const [width, height] = webpSize(webp);
                const [name, bytes] = smallest(original, webp, this.converted);
                this.images.set(name, bytes);
                return `<img class="${theme}" src="/docs/images/${name}" alt="${alt}" width="${width}" height="${height}" loading="lazy" />`;
            })
            .join('');
    }

    /* {title, body, outline} of a page; adds its sections to those that can be found. */
    page(name) {
        const slug = slugger();
        const outline = [];
        let title = name;
        const docs = this;
        const marked = new Marked({
            renderer: {
                heading({ tokens, depth }) {
                    const id = slug(plain(tokens));
                    const html = this.parser.parseInline(tokens);
                    if (depth === 1) return `<h1 id="${id}">${html}</h1>\n`;
                    if (depth <= 3) outline.push({ depth, id, html: escapeHtml(plain(tokens)) });
                    return `<h${depth} id="${id}">${html}<a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
                },
                link({ href, title: hint, tokens }) {
                    const to = docs.address(href);
                    const text = this.parser.parseInline(tokens);
                    const about = hint ? ` title="${escapeHtml(hint)}"` : '';
                    return to === null ? text : `<a href="${escapeHtml(to)}"${about}>${text}</a>`;
                },
                table(token) {
                    const cells = (row, tag) =>
                        row
                            .map(
                                (cell) =>
                                    `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`,
                            )
                            .join('');
                    const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
                    return `<div class="table"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
                },
                html({ text }) {
                    if (text.startsWith('<!--')) return '';
                    return text.replace(/<picture>[\s\S]*?<\/picture>/g, (html) =>
                        docs.picture(html),
                    );
                },
            },
        });
        const tokens = marked.lexer(this.source(name));
        title = plain(tokens.find((token) => token.type === 'heading')?.tokens ?? []);
        this.collect(name, title, tokens);
        return { title, body: marked.parser(tokens), outline };
    }

    /* The text of each section of a page, for the search. */
    collect(name, page, tokens) {
        const slug = slugger();
        const path = `/docs/${name === 'README' ? '' : name}`;
        let section = null;
        for (const token of tokens) {
            if (token.type === 'heading') {
                const title = plain(token.tokens);
                const id = slug(title);
                section = {
                    id: `${path}${token.depth === 1 ? '' : `#${id}`}`,
                    page,
                    title,
                    text: '',
                };
                this.sections.push(section);
            } else if (section && token.type !== 'html' && token.type !== 'space') {
                section.text += `${token.raw.replace(/[`*|]|\]\([^)]*\)|\[/g, ' ').replace(/\s+/g, ' ')} `;
            }
        }
    }

    /* The navigation: headings and links of docs/README.md. */
    contents(current) {
        const marked = new Marked();
        const tokens = marked.lexer(this.source('README'));
        let html = '';
        for (const token of tokens) {
            if (token.type === 'heading' && token.depth === 2)
                html += `<h2>${escapeHtml(token.text)}</h2>`;
            if (token.type !== 'list') continue;
            const items = token.items.map((item) => {
                const link = item.tokens
                    .flatMap((t) => t.tokens ?? [])
                    .find((t) => t.type === 'link');
                if (!link) throw new Error(`docs/README.md: no link in "${item.text}"`);
                const to = this.address(link.href);
                const here = to === `/docs/${current}` ? ' aria-current="page"' : '';
                return `<li><a href="${to}"${here}>${escapeHtml(plain(link.tokens))}</a></li>`;
            });
            html += `<ul>${items.join('')}</ul>`;
        }
        return html;
    }
}

function outlineHtml(outline) {
    if (outline.length < 2) return '';
    const items = outline.map(
        ({ depth, id, html }) => `<li class="depth-${depth}"><a href="#${id}">${html}</a></li>`,
    );
    return `<h2>On this page</h2><ul>${items.join('')}</ul>`;
}

/* Writes dist/docs and returns the rows {path, file} of what is there. */
export function buildDocs({ folder, converted, template, dist, styles, main }) {
    const out = join(dist, 'docs');
    const docs = new Docs(folder, converted);
    const rows = [];
    mkdirSync(join(out, 'images'), { recursive: true });
    for (const name of docs.names) {
        const { title, body, outline } = docs.page(name);
        const parts = {
            title:
                name === 'README' ? 'perfshelf documentation' : `${escapeHtml(title)} · perfshelf`,
            styles,
            main,
            contents: docs.contents(name),
            body,
            outline: outlineHtml(outline),
        };
        const html = template.replace(/%(\w+)%/g, (whole, key) => parts[key] ?? whole);
        const file = name === 'README' ? 'docs/index.html' : `docs/${name}.html`;
        writeFileSync(join(dist, file), html);
        if (name === 'README') rows.push({ path: '/docs', file }, { path: '/docs/', file });
        else rows.push({ path: `/docs/${name}`, file });
    }
    for (const name of [...docs.images.keys()].sort()) {
        const file = `docs/images/${name}`;
        writeFileSync(join(dist, file), docs.images.get(name));
        rows.push({ path: `/docs/images/${name}`, file });
    }
    writeFileSync(join(out, 'search.json'), JSON.stringify(docs.sections));
    rows.push({ path: '/docs/search.json', file: 'docs/search.json' });
    return rows;
}
