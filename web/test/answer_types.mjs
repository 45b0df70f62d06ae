/* SPDX-License-Identifier: MIT
 *
 * Compares answers of the server with the types of the page: `node answer_types.mjs ANSWERS.json`.
 * The file holds {TYPE: [{from, value}, …]}; a TYPE is the name of an interface or a type in web/src,
 * followed by ` in FILE` if several files have the name. Fields that are missing, not declared, or of
 * another type are printed, each once. tests/http/answers_http.py asks for the answers.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const WEB = fileURLToPath(new URL('..', import.meta.url));
const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(WEB, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    WEB,
);
const program = ts.createProgram(config.fileNames, config.options);
const checker = program.getTypeChecker();

/* Every interface and type of our own, by name. */
function declarations() {
    const found = new Map();
    for (const file of program.getSourceFiles()) {
        if (file.fileName.includes('node_modules')) continue;
        for (const node of file.statements)
            if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
                const list = found.get(node.name.text) ?? [];
                found.set(node.name.text, [...list, node]);
            }
    }
    return found;
}

function typeOf(found, words) {
    const [name, file] = words.split(' in ');
    const nodes = (found.get(name) ?? []).filter(
        (node) => !file || basename(node.getSourceFile().fileName).startsWith(`${file}.`),
    );
    return nodes.length === 1 ? checker.getTypeAtLocation(nodes[0].name) : null;
}

const wordOf = (value) =>
    value === null
        ? 'null'
        : Array.isArray(value)
          ? 'an array'
          : JSON.stringify(value).slice(0, 40);

/* [path, what is wrong] for each field of the value that differs from the type. */
function differences(type, value, path) {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
    if (type.isUnion()) {
        const all = type.types.map((member) => differences(member, value, path));
        const least = all.sort((a, b) => a.length - b.length)[0];
        // Of a union of objects and null, differences inside the object; of plain types, one line.
        const inside = all.find((list) => list.some(([where]) => where !== path));
        return least.length === 0 ? [] : (inside ?? [[path, mismatch(type, value)]]);
    }
    if (type.flags & ts.TypeFlags.Null)
        return value === null ? [] : [[path, mismatch(type, value)]];
    if (type.isLiteral()) return type.value === value ? [] : [[path, mismatch(type, value)]];
    for (const [flag, name] of [
        [ts.TypeFlags.NumberLike, 'number'],
        [ts.TypeFlags.StringLike, 'string'],
        [ts.TypeFlags.BooleanLike, 'boolean'],
    ])
        if (type.flags & flag) {
            const fits =
                name === 'boolean' && type.flags & ts.TypeFlags.BooleanLiteral
                    ? checker.typeToString(type) === String(value) && typeof value === 'boolean'
                    : typeof value === name;
            return fits ? [] : [[path, mismatch(type, value)]];
        }
    if (type.flags & ts.TypeFlags.Undefined) return [[path, mismatch(type, value)]];
    if (checker.isTupleType(type) || checker.isArrayType(type)) return ofArray(type, value, path);
    return ofObject(type, value, path);
}

const mismatch = (type, value) => `is ${wordOf(value)}, declared ${checker.typeToString(type)}`;

function ofArray(type, value, path) {
    if (!Array.isArray(value)) return [[path, mismatch(type, value)]];
    const members = checker.getTypeArguments(type);
    if (checker.isTupleType(type) && members.length !== value.length)
        return [[path, `has ${value.length} elements, declared ${checker.typeToString(type)}`]];
    return value.flatMap((item, i) =>
        differences(members[checker.isTupleType(type) ? i : 0], item, `${path}[]`),
    );
}

function ofObject(type, value, path) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
        return [[path, mismatch(type, value)]];
    const out = [];
    const properties = new Map(checker.getPropertiesOfType(type).map((p) => [p.name, p]));
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    for (const [name, property] of properties)
        if (!(name in value) && !(property.flags & ts.SymbolFlags.Optional))
            out.push([`${path}.${name}`, 'is missing']);
    for (const [name, member] of Object.entries(value)) {
        const property = properties.get(name);
        const declared = property ? checker.getTypeOfSymbol(property) : index;
        if (declared) out.push(...differences(declared, member, `${path}.${name}`));
        else out.push([`${path}.${name}`, `is not declared; it is ${wordOf(member)}`]);
    }
    return out;
}

const found = declarations();
let failed = 0;
const answers = Object.entries(JSON.parse(readFileSync(process.argv[2], 'utf8')));
for (const [words, list] of answers) {
    const type = typeOf(found, words);
    const seen = new Map();
    if (!type) seen.set('', `${words} is not declared once in web/src`);
    for (const { from, value } of type ? list : [])
        for (const [path, what] of differences(type, value, words.split(' ')[0])) {
            const key = `${path} ${what.replace(/^is .*, declared/, 'declared').replace(/; it is.*/, '')}`;
            if (!seen.has(key)) seen.set(key, `${path} ${what} (${from})`);
        }
    for (const line of seen.values()) console.log(`FAILED ${line}`);
    failed += seen.size > 0;
}
console.log(`${answers.length - failed} types passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
