import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The last for which there is a `@temporalio/ai-sdk`. */
const sdk = '1.23.0';
const packages = [
  ...['ai-sdk', 'worker', 'client', 'workflow', 'activity', 'workflow-streams'].map(
    (name) => `@temporalio/${name}@${sdk}`,
  ),
  ...[
    'ai@7.0.173',
    '@ai-sdk/mcp@2.0.99',
    '@ai-sdk/provider@4',
    '@ai-sdk/openai-compatible@3.0.92',
    'zod@4.6.7',
  ],
];

/** A new folder with what stands in `ai-sdk`, and with the packages for it. */
export function installAiSdk(): { folder: string; remove(): void } {
  const npm = process.env['npm_execpath'];
  if (npm === undefined) throw new Error('This is run by npm: npm run bench -- …');
  const folder = mkdtempSync(join(tmpdir(), 'ai-sdk-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  cpSync(join(import.meta.dirname, 'ai-sdk'), folder, { recursive: true });
  const install = ['install', '--ignore-scripts', '--silent', '--save-exact', ...packages];
  execFileSync(process.execPath, [npm, ...install], { cwd: folder });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
