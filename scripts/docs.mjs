/**
 * `npm run docs`: set-up, build, then the site from the documents, in `site/dist`. `-- --serve` shows it on this machine; `--base /path/` and
 * `--url https://host` say where it will be published, `--out DIR` where to write it.
 */
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { asCommand } from './setup/as-command.mjs';
import { nodeStep } from './setup/node-step.mjs';
import { packagesStep } from './setup/packages-step.mjs';
import { projectFolder, siteFolder } from './setup/project-folder.mjs';
import { say, step } from './setup/report.mjs';
import { runInForeground } from './setup/run-in-foreground.mjs';

const { values } = parseArgs({
  options: {
    ...{ base: { type: 'string', default: '/' }, url: { type: 'string' }, out: { type: 'string' } },
    ...{ serve: { type: 'boolean', default: false }, port: { type: 'string', default: '8703' } },
  },
});
const base = `/${values.base.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/');
const made = join(siteFolder, 'dist');
const out = values.out === undefined ? made : resolve(values.out);

await asCommand(async () => {
  const { node } = await step('node', nodeStep);
  await step('packages', () => packagesStep(node));
  await step('site packages', () => packagesStep(node, siteFolder));
  const built = await runInForeground(node, [join(projectFolder, 'scripts', 'build.mjs')]);
  if (built !== 0) return built;
  const { writePages } = await import('../site/write-pages.mjs');
  const { pages } = writePages(base);
  Object.assign(process.env, { SITE_BASE: base, ASTRO_TELEMETRY_DISABLED: '1' });
  if (values.url !== undefined) process.env['SITE_URL'] = values.url;
  const astro = join(siteFolder, 'node_modules', 'astro', 'bin', 'astro.mjs');
  const code = await runInForeground(node, [astro, 'build', '--root', siteFolder]);
  if (code !== 0) return code;
  if (out !== made) cpSync(made, out, { recursive: true });
  say(`docs   ${pages} pages in ${out}`);
  return values.serve
    ? runInForeground(node, [
        astro,
        'preview',
        '--root',
        siteFolder,
        '--port',
        values.port,
        '--host',
        '127.0.0.1',
      ])
    : 0;
});
