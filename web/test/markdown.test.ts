/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseMarkdown, safeAddress } from '../src/model/markdown';

void test('only web pages, mail addresses and places of the page are links', () => {
    for (const href of ['https://a.b/c', 'http://a.b/', 'mailto:a@b.c', '#/run/1/timeline?note=2'])
        assert.equal(safeAddress(href), href);
    for (const href of [
        'javascript:alert(1)',
        ' javascript:alert(1)',
        'JaVaScRiPt:alert(1)',
        'java\nscript:alert(1)',
        'data:text/html,<script>alert(1)</script>',
        'vbscript:x',
        'file:///etc/passwd',
        'blob:https://a.b/c',
        '//evil.example',
        '/api/v1/logout',
        '#x',
        'http://',
        'https://[',
    ])
        assert.equal(safeAddress(href), null, href);
});

void test('HTML is a token of its own, whose text is shown', () => {
    const [paragraph] = parseMarkdown('a <img src=x onerror=alert(1)> b') ?? [];
    const kinds = (paragraph as { tokens: { type: string; raw: string }[] }).tokens;
    assert.deepEqual(
        kinds.map(({ type }) => type),
        ['text', 'html', 'text'],
    );
});

void test('any nesting ends: it is parsed, or refused', () => {
    for (const mark of ['>', '- ', '[', '*', '![', '`', '<']) {
        const tokens = parseMarkdown(mark.repeat(4000));
        assert.ok(tokens === null || Array.isArray(tokens), mark);
    }
});
