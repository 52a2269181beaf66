import { join, relative } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { interceptorModule } from './interceptor-module.js';
import { preloadedModules } from './preloaded-modules.js';

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
