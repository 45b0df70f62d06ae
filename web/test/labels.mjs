/* SPDX-License-Identifier: MIT
 *
 * Lists the texts of the page, file:line<tab>text: what stands between tags, in attributes and
 * properties that are shown, and every other literal with a space in it. `./dev messages` prints it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const WEB = join(dirname(fileURLToPath(import.meta.url)), '..');
const SHOWN =
    /^(?:title|label|placeholder|alt|text|hint|help|header|heading|caption|unit|singular|plural|empty|message|summary|tooltip|aria-label|aria-description|one|many|name)$/;

const UNSEEN = /^(?:class|className|d|style|points|transform|viewBox)$/;

function filesOf(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return filesOf(path);
        return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
    });
}

/* The literal's text with `{}` in place of values. */
function textOf(node) {
    if (ts.isTemplateExpression(node))
        return node.head.text + node.templateSpans.map((span) => `{}${span.literal.text}`).join('');
    return node.text;
}

function isShown(node) {
    let parent = node.parent;
    while (
        ts.isConditionalExpression(parent) ||
        ts.isParenthesizedExpression(parent) ||
        ts.isJsxExpression(parent)
    )
        parent = parent.parent;
    if (ts.isJsxAttribute(parent)) return SHOWN.test(parent.name.getText());
    if (ts.isPropertyAssignment(parent))
        return SHOWN.test(parent.name.getText().replace(/['"]/g, ''));
    return ts.isJsxElement(parent) || ts.isJsxFragment(parent);
}

/* Two words side by side, and neither class names nor an import. */
function isProse(node, text) {
    if (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) return false;
    if (ts.isJsxAttribute(node.parent) && UNSEEN.test(node.parent.name.getText())) return false;
    if (/^[.#\w-]+(?: [.#>\w-]+)*$/.test(text) && !/^[A-Z]/.test(text)) return false;
    return /[A-Za-z]{2,}[,.:;]? [A-Za-z]{2,}/.test(text);
}

for (const path of filesOf(join(WEB, 'src')).sort()) {
    const source = ts.createSourceFile(
        path,
        readFileSync(path, 'utf8'),
        ts.ScriptTarget.ES2022,
        true,
        path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    );
    const visit = (node) => {
        const literal = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
        if (literal || ts.isJsxText(node)) {
            const text = (ts.isJsxText(node) ? node.text : textOf(node))
                .replace(/\s+/g, ' ')
                .trim();
            const shown = ts.isJsxText(node) || isShown(node) || isProse(node, text);
            if (shown && /[A-Za-z]{2,}/.test(text)) {
                const { line } = source.getLineAndCharacterOfPosition(node.getStart());
                console.log(`${relative(join(WEB, '..'), path)}:${line + 1}\t${text}`);
            }
        }
        ts.forEachChild(node, visit);
    };
    visit(source);
}
