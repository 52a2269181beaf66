import eslint from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Packages that are small, pure, and run in any JavaScript engine. */
const pure = ['@noble/hashes', '@cfworker/json-schema', 'fflate'];
const workflowPackages = [...pure, '@temporalio/workflow', '@temporalio/common'];

/** Which rooms of src a room may import from, besides itself. */
const doors = {
  contract: [],
  'lua-bridge': ['contract'],
  workflows: ['contract', 'lua-bridge', 'activities'],
  activities: ['contract'],
  validation: ['contract', 'lua-bridge'],
  graph: ['contract', 'validation'],
  client: ['contract', 'lua-bridge', 'validation', 'graph'],
  worker: ['contract', 'lua-bridge', 'workflows', 'activities', 'client'],
  testing: ['contract', 'lua-bridge', 'validation', 'client', 'worker'],
  cli: ['contract', 'validation', 'graph', 'client', 'worker', 'testing'],
  server: ['contract', 'client', 'worker'],
};

const zones = Object.entries(doors).map(([room, open]) => ({
  target: `./src/${room}`,
  from: './src',
  except: [room, ...open].map((name) => `./${name}`),
  message: `src/${room} may import from: ${[room, ...open].join(', ')}.`,
}));

/** Forbids all packages but some, and Node's modules with them. */
const onlyPackages = (packages) => ({
  regex: `^(?!\\.{1,2}/|(${packages.join('|')})(/|$))`,
  message: `Only these packages run here: ${packages.join(', ')}.`,
});

const noSchemas = {
  regex: '\\.schema\\.js$',
  message: 'Schemas use zod, which must stay out of the workflow bundle.',
};

const noActivities = {
  regex: '/activities/',
  allowTypeImports: true,
  message: 'Workflows call activities by their types only: `import type`.',
};

const noWorker = {
  regex: '^@temporalio/(worker|testing|core-bridge)(/|$)',
  message: 'Only src/worker knows the worker.',
};

const restrictImports = (...patterns) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
});

export default defineConfig(
  {
    ignores: [
      'dist/',
      'dist-*/',
      '.toolchain/',
      '**/*.generated.*',
      '**/node_modules/',
      '**/.tactus-temporal/',
    ],
  },
  eslint.configs.recommended,
  importX.flatConfigs.typescript,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.json' })] },
    rules: {
      eqeqeq: ['error', 'smart'],
      'max-lines': ['error', 400],
      'import-x/no-cycle': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-extraneous-dependencies': [
        'error',
        { devDependencies: ['test/**', 'bench/**', 'scripts/**', '*.config.{js,ts}'] },
      ],
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...zones,
            {
              target: './src/workflow.ts',
              from: './src',
              except: ['./contract', './lua-bridge', './workflows', './activities'],
              message: 'This entry is for workflow code: it may not reach the Node side.',
            },
            {
              target: ['./src', './bin'],
              from: ['./test', './bench'],
              message: 'Nothing may need the tests.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // An underscore names what is taken apart only to be left out.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // A function may be async because the interface that it fills is.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: { console: 'readonly', process: 'readonly', performance: 'readonly', URL: 'readonly' },
    },
  },
  {
    files: ['scripts/**/*.mjs'],
    languageOptions: {
      globals: { setTimeout: 'readonly', clearTimeout: 'readonly', Buffer: 'readonly', fetch: 'readonly' },
    },
  },
  { files: ['*.config.{js,ts}'], rules: { 'import-x/no-default-export': 'off' } },
  {
    // What a run computes may depend on nothing but the run.
    files: ['src/{contract,lua-bridge}/**/*.ts'],
    ignores: ['**/*.schema.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Use the generator of the run.' },
        { object: 'Date', property: 'now', message: 'Use the clock of the run.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'Use the clock of the run.',
        },
      ],
      ...restrictImports(onlyPackages(pure), noSchemas),
    },
  },
  {
    files: ['src/workflows/**/*.ts', 'src/workflow.ts'],
    rules: restrictImports(onlyPackages(workflowPackages), noSchemas, noActivities),
  },
  { files: ['src/{validation,graph}/**/*.ts'], rules: restrictImports(onlyPackages(['luaparse'])) },
  { files: ['src/client/**/*.ts', 'src/activities/**/*.ts'], rules: restrictImports(noWorker) },
);
