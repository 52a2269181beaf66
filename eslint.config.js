import eslint from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Packages that are small, pure, and run in any JavaScript engine. */
const pure = ['@noble/hashes', '@cfworker/json-schema', 'fflate'];
/** The last stands for workflows of whoever uses the plugin. */
const workflowPackages = [
  ...pure,
  '@temporalio/workflow',
  '@temporalio/common',
  'tactus-temporal-own-workflows',
];

/** Which rooms of src a room may import from, besides itself. */
const doors = {
  contract: [],
  language: ['contract'],
  log: ['contract'],
  page: ['contract', 'server'],
  playground: ['contract', 'language', 'log', 'lua-bridge', 'validation', 'graph', 'page'],
  'lua-bridge': ['contract', 'log'],
  workflows: ['contract', 'log', 'lua-bridge'],
  sources: ['contract'],
  configuration: ['contract', 'egress', 'traces', 'validation'],
  streams: ['contract'],
  authority: ['contract'],
  egress: ['contract'],
  traces: ['contract', 'egress'],
  activities: [
    'contract',
    'authority',
    'egress',
    'streams',
    'sources',
    'configuration',
    'validation',
    'graph',
  ],
  'read-model': ['contract'],
  validation: ['contract', 'language', 'lua-bridge'],
  graph: ['contract', 'language', 'validation'],
  client: ['contract', 'streams', 'read-model', 'log', 'lua-bridge', 'validation', 'graph', 'sources'],
  worker: [
    'contract',
    'egress',
    'traces',
    'sources',
    'streams',
    'read-model',
    'log',
    'lua-bridge',
    'workflows',
    'configuration',
    'activities',
    'client',
  ],
  testing: ['contract', 'log', 'lua-bridge', 'validation', 'sources', 'configuration', 'client', 'worker'],
  cli: [
    'contract',
    'authority',
    'traces',
    'streams',
    'read-model',
    'validation',
    'graph',
    'sources',
    'configuration',
    'client',
    'worker',
    'activities',
    'testing',
    'server',
  ],
  server: [
    'contract',
    'authority',
    'egress',
    'traces',
    'streams',
    'read-model',
    'sources',
    'configuration',
    'validation',
    'graph',
    'client',
    'worker',
    'activities',
  ],
};

/** What most rooms of src/lua-bridge stand on: the state, values, the scheduler and the bridge come through `kernel/index.ts`. */
const base = ['kernel'];

/** The same for the rooms of src/lua-bridge; its own files assemble them. */
const luaDoors = {
  vm: [],
  values: ['vm'],
  scheduler: ['vm', 'values'],
  kernel: ['vm', 'values', 'scheduler'],
  determinism: base,
  stdlib: [...base, 'determinism'],
  budgets: base,
  checkpoints: [...base, 'budgets'],
  retries: base,
  time: base,
  state: base,
  files: base,
  people: base,
  specifications: base,
  progress: [...base, 'specifications'],
  mocks: base,
  events: [...base, 'checkpoints', 'mocks'],
  http: [...base, 'checkpoints', 'mocks'],
  modules: [...base, 'files'],
  retrieval: [...base, 'checkpoints', 'mocks'],
  tools: [...base, 'budgets', 'checkpoints', 'http', 'modules', 'mocks', 'progress', 'specifications'],
  scores: [...base, 'checkpoints', 'mocks', 'progress'],
  procedures: [
    ...base,
    'budgets',
    'checkpoints',
    'http',
    'people',
    'progress',
    'scores',
    'specifications',
    'state',
    'tools',
  ],
  sessions: [...base, 'budgets', 'checkpoints', 'tools'],
  graphs: [...base, 'checkpoints', 'people', 'procedures', 'tools'],
  models: [...base, 'budgets', 'checkpoints', 'determinism', 'mocks', 'procedures'],
  agents: [
    ...base,
    'budgets',
    'checkpoints',
    'models',
    'mocks',
    'procedures',
    'progress',
    'retrieval',
    'sessions',
    'specifications',
    'tools',
  ],
  signatures: [...base, 'checkpoints', 'mocks', 'models'],
  tasks: [...base, 'checkpoints', 'modules', 'procedures', 'retrieval', 'state'],
  main: [
    ...base,
    'agents',
    'checkpoints',
    'budgets',
    'determinism',
    'graphs',
    'modules',
    'procedures',
    'progress',
    'sessions',
    'specifications',
    'state',
    'tasks',
    'tools',
  ],
};

const zonesOf = (folder, rooms) =>
  Object.entries(rooms).map(([room, open]) => ({
    target: `${folder}/${room}`,
    from: folder,
    except: [room, ...open].map((name) => `./${name}`),
    message: `${folder.slice(2)}/${room} may import from: ${[room, ...open].join(', ')}.`,
  }));

/**
 * Files of a room that other rooms may import: its `index.ts`, and what would load too much there. `cli` loads commands lazily; what it imports
 * from a door must be light enough for all commands that use the door.
 */
const openFiles = {
  client: ['index.ts', 'storage/index.ts', 'procedures/index.ts', 'runs/index.ts', 'runs/is-running.ts'],
  worker: [
    'index.ts',
    'server/index.ts',
    'payloads/index.ts',
    'bundles/workflow-bundle.ts',
    'health/health-server.ts',
    'settings.schema.ts',
    'tools/configured-tools.ts',
    'worker-environment.ts',
  ],
  server: ['index.ts', 'access/read-signing-key.ts', 'settings.schema.ts', 'shapes.ts'],
  activities: [
    'index.ts',
    'models/index.ts',
    'predictions/served/model-place.ts',
    'predictions/served/ask-host.ts',
    'secrets/secrets.ts',
  ],
};

const doorZones = Object.entries(openFiles).map(([room, files]) => ({
  target: Object.keys(doors)
    .filter((other) => other !== room)
    .map((other) => `./src/${other}`),
  from: `./src/${room}`,
  except: files.map((file) => `./${file}`),
  message: `Other rooms import src/${room} by its door: ${files.join(', ')}.`,
}));

const zones = [...zonesOf('./src', doors), ...zonesOf('./src/lua-bridge', luaDoors), ...doorZones];

/** Forbids all packages but some, and Node's modules with them. */
const onlyPackages = (packages) => ({
  regex: `^(?!\\.{1,2}/|(${packages.join('|')})(/|$))`,
  message: `Only these packages run here: ${packages.join(', ')}.`,
});

const noPackages = {
  regex: '^(?!\\.{1,2}/)',
  message: 'Syntax trees come from src/validation/syntax/ast.ts; no other package runs here.',
};

const noSchemas = {
  regex: '\\.schema\\.js$',
  message: 'Schemas use zod, which must stay out of the workflow bundle.',
};

/** What the page gets of the server are types: zod and Node's modules stay out of browsers. */
const onlyTypes = {
  regex: '/server/',
  allowTypeImports: true,
  message: "Only the types of the server's answers come here: import type.",
};

const noWorker = {
  regex: '^@temporalio/(worker|testing|core-bridge)(/|$)',
  message: 'Only src/worker knows the worker.',
};

const restrictImports = (...patterns) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
});

/** A cast by way of `unknown`, or to `never`, takes any type for any other. */
const noBlindCasts = [
  'TSAsExpression > TSAsExpression > TSUnknownKeyword',
  'TSAsExpression > TSNeverKeyword',
].map((selector) => ({
  selector,
  message:
    'Use asJson or jsonAs of contract/json, or a better type; where it must stay: // eslint-disable-next-line no-restricted-syntax -- why.',
}));

export default defineConfig(
  {
    ignores: [
      'dist/',
      'dist-*/',
      'lib/',
      'lib-*/',
      '.toolchain/',
      'site/{dist,public,.astro}/',
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
    settings: {
      'import-x/resolver-next': [
        createTypeScriptImportResolver({
          project: ['tsconfig.json', 'src/page/tsconfig.json', 'src/playground/tsconfig.json'],
        }),
      ],
    },
    rules: {
      eqeqeq: ['error', 'smart'],
      'max-lines': ['error', 400],
      'import-x/no-default-export': 'error',
      'import-x/no-extraneous-dependencies': [
        'error',
        {
          devDependencies: [
            'test/**',
            'bench/**',
            'scripts/**',
            'src/{page,playground}/**',
            '*.config.{js,ts}',
          ],
        },
      ],
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...zones,
            {
              target: './src/workflow.ts',
              from: './src',
              except: ['./contract', './log', './lua-bridge', './workflows'],
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
    files: ['**/*.{ts,tsx}'],
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
      globals: {
        ...{ setTimeout: 'readonly', clearTimeout: 'readonly', Buffer: 'readonly' },
        ...{ fetch: 'readonly', AbortSignal: 'readonly' },
      },
    },
  },
  { files: ['*.config.{js,ts}', 'site/*.config.mjs'], rules: { 'import-x/no-default-export': 'off' } },
  { files: ['src/**/*.{ts,tsx}'], rules: { 'no-restricted-syntax': ['error', ...noBlindCasts] } },
  {
    // What a run computes may depend on nothing but the run.
    files: ['src/{contract,log,lua-bridge}/**/*.ts'],
    ignores: ['**/*.schema.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Use the generator of the run.' },
        { object: 'Date', property: 'now', message: 'Use the clock of the run.' },
      ],
      'no-restricted-syntax': [
        'error',
        ...noBlindCasts,
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
    rules: restrictImports(onlyPackages(workflowPackages), noSchemas),
  },
  { files: ['src/page/**/*.{ts,tsx}'], rules: restrictImports(onlyTypes) },
  { files: ['src/{validation,graph}/**/*.ts'], rules: restrictImports(noPackages) },
  { files: ['src/validation/syntax/{ast,parser}.ts'], rules: restrictImports(onlyPackages(['luaparse'])) },
  { files: ['src/{client,activities,sources,configuration}/**/*.ts'], rules: restrictImports(noWorker) },
);
