// SPDX-License-Identifier: MIT
// What eslint checks beyond the compiler: promises, any, hooks, sequences. Prettier has the form.
import eslint from '@eslint/js';
import hooks from 'eslint-plugin-react-hooks';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
    globalIgnores(['dist', 'generated', 'node_modules']),
    eslint.configs.recommended,
    {
        linterOptions: { reportUnusedDisableDirectives: 'error' },
        rules: {
            eqeqeq: ['error', 'always', { null: 'ignore' }],
            'no-sequences': ['error', { allowInParentheses: false }],
        },
    },
    {
        files: ['src/**/*.{ts,tsx}'],
        extends: [tseslint.configs.recommendedTypeChecked],
        plugins: { 'react-hooks': hooks },
        languageOptions: {
            parserOptions: {
                projectService: true,
                tsconfigRootDir: new URL('.', import.meta.url).pathname,
            },
        },
        rules: {
            'react-hooks/rules-of-hooks': 'error',
            'react-hooks/exhaustive-deps': 'error',
            'no-console': ['error', { allow: ['warn', 'error'] }],
            '@typescript-eslint/no-unused-vars': [
                'error',
                { argsIgnorePattern: '^_', ignoreRestSiblings: true },
            ],
        },
    },
    {
        files: ['test/**/*.ts'],
        extends: [tseslint.configs.recommended],
    },
    {
        files: ['*.mjs', 'test/**/*.mjs'],
        languageOptions: {
            globals: {
                process: 'readonly',
                console: 'readonly',
                URL: 'readonly',
                Buffer: 'readonly',
                AbortController: 'readonly',
                performance: 'readonly',
                setTimeout: 'readonly',
            },
        },
    },
);
