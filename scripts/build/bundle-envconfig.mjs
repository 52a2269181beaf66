import { build } from 'esbuild';
import { join } from 'node:path';

/**
 * Puts Temporal's reader of profiles and environment variables into the compiled module that names it.
 * @param {string} out the folder of the compiled files
 */
export async function bundleEnvconfig(out) {
  const file = join(out, 'cli', 'envconfig.js');
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    banner: {
      js: [
        '/* With @temporalio/envconfig and what it takes of @temporalio/common (MIT, Temporal Technologies). */',
        "import { createRequire } from 'node:module';",
        'const require = createRequire(import.meta.url);',
      ].join('\n'),
    },
    logLevel: 'warning',
  });
}
