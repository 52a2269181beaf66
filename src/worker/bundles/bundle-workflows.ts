import { join, relative } from 'node:path';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type BundleOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { readFile } from 'node:fs/promises';
import { TactusError } from '../../contract/errors.js';
import {
  deadLetterType,
  holdsType,
  publishedSourceType,
  publishedType,
  turnType,
  workflowType,
  scoresType,
  updateNames,
} from '../../contract/names.js';

/**
 * Evaluated once for all workflows of a worker, and frozen, which saves each run its start and some 450 KB. They keep
 * nothing of a run outside of the objects that they make.
 */
const sharedModules = [
  'lua-bridge/vm/fengari.generated.js',
  'lua-bridge/index.js',
  'contract/people/ledger.js',
  'contract/runs/start-input.js',
  'log/pack.js',
  'workflows/index.js',
];

/** Their paths below a folder of compiled files. */
function preloadedModules(compiled: string): string[] {
  return sharedModules.map((module) => join(compiled, module));
}

/**
 * What watches over procedures inside the workflow sandbox.
 * @param compiled folder of our compiled files
 */
function interceptorModule(compiled: string): string {
  return join(compiled, 'workflows', 'interceptors.js');
}

/**
 * Bundles the compiled workflows for workers of the SDK that is installed.
 * @param compiled folder of the compiled files
 * @returns the code, with its source map inside
 */
export async function bundleWorkflows(compiled: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(compiled, 'workflows', 'index.js'),
    workflowInterceptorModules: [interceptorModule(compiled)],
    failureConverterPath: join(compiled, 'workflows', 'payloads', 'failure-converter.js'),
    preloadModules: preloadedModules(compiled),
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: (config) => ({
      ...config,
      // Names of modules and sources must not depend on where the project lies.
      context: compiled,
      // Every worker reads the map when it starts: the sources themselves, two thirds of it, would only cost time there.
      devtool: 'inline-nosources-source-map',
      output: {
        ...config.output,
        pathinfo: false,
        devtoolModuleFilenameTemplate: (info: { absoluteResourcePath: string }) =>
          relative(join(compiled, '..'), info.absoluteResourcePath),
      },
      // A package that calls itself free of side effects would silently be dropped from `preloadModules`.
      optimization: { ...config.optimization, sideEffects: false },
    }),
  });
  return code;
}

const placeholder = 'tactus-temporal-own-workflows$';

/**
 * Options of the SDK's bundler by which a bundle of somebody's own workflows has ours too.
 * @param compiled folder of our compiled files
 */
export function withOwnWorkflows(options: BundleOptions, compiled: string): BundleOptions {
  const { workflowsPath: own, webpackConfigHook: hook = (config) => config } = options;
  const workflowsPath = join(compiled, 'workflows', 'with-own-workflows.js');
  return {
    ...options,
    workflowsPath,
    workflowInterceptorModules: [...(options.workflowInterceptorModules ?? []), interceptorModule(compiled)],
    preloadModules: [...(options.preloadModules ?? []), ...preloadedModules(compiled)],
    webpackConfigHook: (config) => {
      const { resolve } = config;
      return hook({ ...config, resolve: { ...resolve, alias: { ...resolve?.alias, [placeholder]: own } } });
    },
  };
}

/** Has a bundle of a version with graphs: a bundle of an older version has no other workflow than ours. */
const graphs = 'Graph Execution Error';
/** Has a bundle of a version with published procedures. */
const published = 'has a published that is not';
/** Has a bundle of a version with holds. */
const held = 'is nothing that can be held';

/**
 * A bundle of somebody's own must have our workflows. Without the first one every run fails its first task, again and again; without the
 * others no turn of a graph begins, no dead letter is sent, nothing is published, and nothing is held.
 * @throws TactusError usage saying how the bundle is to be made
 */
export async function assertHasTactus(bundle: WorkflowBundleOption): Promise<void> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  const wanted = [
    workflowType,
    ...(code.includes(graphs) ? [turnType, deadLetterType] : []),
    ...(code.includes(published) ? [publishedType, publishedSourceType] : []),
    ...(code.includes(held) ? [holdsType] : []),
    ...(code.includes(updateNames.score) ? [scoresType] : []),
  ];
  const missing = wanted.filter((name) => !exportsName(code, name)).join(', ');
  if (missing === '') return;
  throw new TactusError(
    'usage',
    `The workflow bundle of this worker exports no ${missing}: make it with ${bundleWorkflowCode.name}({ plugins: [plugin], … }), or export ${missing} from tactus-temporal/workflow in your workflows`,
  );
}

/** Looks for each way in which bundlers write down that a module exports something. */
function exportsName(code: string, name: string): boolean {
  const exported = `\\b${name}["']?:\\s*(\\(\\)|function)|\\bexports\\.${name}\\b|exports, ["']${name}["']`;
  return new RegExp(exported).test(code);
}
