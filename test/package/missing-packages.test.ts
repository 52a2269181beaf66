import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

/** Storages by the package that each needs: none of them comes with this one. */
const needed = [
  ['pg', 'PostgreSQL', 'postgres://nobody@127.0.0.1:9/runs'],
  ['@redis/client', 'Redis', 'redis://127.0.0.1:9'],
  ['@aws-sdk/client-dynamodb', 'DynamoDB', 'dynamodb:table?region=eu-west-1'],
  ['@aws-sdk/client-s3', 'S3', 's3://bucket/runs?region=eu-west-1'],
  ['@aws-sdk/client-lambda', 'Lambda', 'lambda:orders?region=eu-west-1'],
] as const;

/** What opening each says, and asking it, in the package as it was built. */
const script = `
  import { openStorage } from 'tactus-temporal';
  const told = {};
  for (const address of process.argv.slice(1))
    await openStorage(address).then((storage) => storage.getState('run-1')).catch((error) => {
      told[address] = { code: error.code, message: error.message };
    });
  console.log(JSON.stringify(told));`;

describe('a storage whose package is not installed', () => {
  let told: Record<string, unknown>;

  beforeAll(async () => {
    const hooks = new URL('../support/without-packages.mjs', import.meta.url).href;
    const addresses = needed.map(([, , address]) => address);
    const env = { ...process.env, WITHOUT_PACKAGES: needed.map(([name]) => name).join() };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', hooks, '--input-type=module', '--eval', script, ...addresses],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), env },
    );
    told = JSON.parse(stdout) as Record<string, unknown>;
  });

  it.each(needed)('%s: says that %s needs it, and how it is installed', (name, what, address) => {
    expect(told[address]).toEqual({
      code: 'missing_package',
      message: expect.stringMatching(
        new RegExp(`^${what} needs a package.*: npm install ${name}$`),
      ) as string,
    });
  });
});
