import { join } from 'node:path';
import type { BundleOptions } from '@temporalio/worker';
import { interceptorModule } from './interceptor-module.js';
import { preloadedModules } from './preloaded-modules.js';

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
