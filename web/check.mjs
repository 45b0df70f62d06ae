/* SPDX-License-Identifier: MIT
 *
 * Checks the types of the page and of its unit tests, and runs eslint over both.
 *
 *   node check.mjs
 *
 * eslint's rules that ask for types get the TypeScript program whose types were just checked. A program
 * of its own would parse, bind and infer everything a second time, which costs more than the rules do.
 */
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import ts from 'typescript';
import './rows.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));

/* Both programs read the same libraries and most of the same sources: each file is parsed once. Their
 * options differ only in what neither the parser nor the binder looks at. */
const parsed = new Map();

function compilerHost(options) {
    const host = ts.createCompilerHost(options);
    const { getSourceFile } = host;
    host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors; // as tsc does
    host.getSourceFile = (path, ...rest) => {
        if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...rest));
        return parsed.get(path);
    };
    return host;
}

function createProgram(config) {
    const host = {
        ...ts.sys,
        onUnRecoverableConfigFileDiagnostic(fault) {
            throw new Error(ts.flattenDiagnosticMessageText(fault.messageText, '\n'));
        },
    };
    const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
        `${root}${config}`,
        {},
        host,
    );
    return ts.createProgram({
        rootNames: fileNames,
        options,
        configFileParsingDiagnostics: errors,
        host: compilerHost(options),
    });
}

/* The faults of a program's own files, and of its options. */
function findFaults(program, isOwn) {
    const files = program.getSourceFiles().filter((file) => isOwn(file.fileName));
    return [
        ...program.getConfigFileParsingDiagnostics(),
        ...program.getOptionsDiagnostics(),
        ...program.getGlobalDiagnostics(),
        ...files.flatMap((file) => program.getSyntacticDiagnostics(file)),
        ...files.flatMap((file) => program.getSemanticDiagnostics(file)),
    ];
}

const printHost = {
    getCanonicalFileName: (path) => path,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => '\n',
};

const page = createProgram('tsconfig.json');
const unitTests = createProgram('test/tsconfig.json');
const isOfTests = (path) => path.startsWith(`${root}test/`);
const faults = [
    ...findFaults(page, () => true),
    ...findFaults(unitTests, isOfTests), // the sources that they import are the page's
];
process.stdout.write(ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(faults), printHost));

const eslint = new ESLint({
    cwd: root,
    overrideConfig: {
        files: ['src/**/*.{ts,tsx}'],
        languageOptions: { parserOptions: { projectService: false, programs: [page] } },
    },
});
const results = await eslint.lintFiles(['.']);
const formatter = await eslint.loadFormatter('stylish');
process.stdout.write(await formatter.format(results));

const isBad = ({ errorCount, fatalErrorCount }) => errorCount + fatalErrorCount > 0;
if (faults.length || results.some(isBad)) process.exitCode = 1;
