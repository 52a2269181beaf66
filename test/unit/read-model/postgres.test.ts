import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres-server.js';
import { runIndexSuite } from './run-index.suite.js';
import { aToldRun } from '../../support/told-run.js';

describe.skipIf(!hasPostgres)('with a real PostgreSQL', () => {
  let server: TestPostgres;
  let databases = 0;
  const name = (): string => `index_${databases}`;
  const open = () => openRunIndex(server.address(name()));

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  runIndexSuite(
    'an index in PostgreSQL',
    async () => {
      databases += 1;
      await server.create(name());
      return open();
    },
    open,
  );

  it('goes on when its connections were cut, and begins before its server does', async () => {
    databases += 1;
    const index = await open();
    await expect(index.counts()).rejects.toThrow();
    await server.create(name());
    await index.write([{ kind: 'told', run: aToldRun('r', 3) }]);
    await server.disconnect(name());
    // The connection that was cut may be found out by who asks next.
    await index.counts().catch(() => undefined);
    expect(await index.counts()).toMatchObject({ runs: 1 });
    await index.close();
  });
});
