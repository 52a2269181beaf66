import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchAttributeTypes } from '../../../src/contract/names.js';
import {
  allServerSettings,
  hasTemporalRoles,
  startTemporalRoles,
  temporalServer,
  type TemporalRoles,
} from '../../support/temporal-roles.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** What the server of docker-compose.yml is set up with, by that very server. */
describe.runIf(hasTemporalRoles)('the server of docker-compose.yml', () => {
  let server: TemporalRoles;
  beforeAll(async () => {
    server = await startTemporalRoles();
  }, 120_000);
  afterAll(() => server?.close());

  it('has the search attributes of runs, however often its jobs run', async () => {
    const attributes = async (): Promise<string[]> => {
      const { customAttributes } = await server.client.connection.operatorService.listSearchAttributes({
        namespace: 'default',
      });
      return Object.keys(customAttributes ?? {}).filter((name) => name.startsWith('Tactus'));
    };
    expect((await attributes()).sort()).toEqual(Object.keys(searchAttributeTypes).sort());
    server.doJobs();
    expect((await attributes()).sort()).toEqual(Object.keys(searchAttributeTypes).sort());
  });

  it('knows each of its settings, those that stand there as comments, too', () => {
    const file = join(temporaryFolder('settings'), 'all.yml');
    writeFileSync(file, allServerSettings());
    const said = execFileSync(temporalServer(), ['validate-dynamic-config', file], { encoding: 'utf8' });
    expect(said.trim()).toBe(file);
  });
});
