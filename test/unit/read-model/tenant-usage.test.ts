import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noTenantUsage, type TenantUsage } from '../../../src/contract/budgets/tenant-budget.js';
import { openRunIndex, openTenantUsage } from '../../../src/read-model/open-run-index.js';
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres-server.js';
import { aToldRun } from '../../support/told-run.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const hour = 3_600_000;
const start = Date.parse('2026-11-30T00:00:00Z');
const used = (change: Partial<TenantUsage> = {}): TenantUsage => ({
  ...{ costUsd: 0.1, tokens: 100, modelCalls: 1, unpricedCalls: 0 },
  ...change,
});

describe('the usage of tenants in SQLite', () => {
  suite(() => Promise.resolve(join(temporaryFolder('usage'), 'runs.sqlite')));
});

describe.skipIf(!hasPostgres)('the usage of tenants in PostgreSQL', () => {
  let server: TestPostgres;
  let databases = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
  suite(async () => {
    const name = `usage_${databases++}`;
    await server.create(name);
    return server.address(name);
  });
});

function suite(newPlace: () => Promise<string>): void {
  it('is added up by tenant and hour, exactly', async () => {
    const store = await openTenantUsage(await newPlace());
    for (const at of [0, 1, hour - 1, hour, 25 * hour]) await store.add('acme', used(), start + at);
    await store.add('other', used({ costUsd: 0, unpricedCalls: 1 }), start);
    expect(await store.of('acme', start, start + hour)).toEqual(
      used({ costUsd: 0.3, tokens: 300, modelCalls: 3 }),
    );
    expect(await store.of('acme', start, start + 24 * hour)).toMatchObject({ costUsd: 0.4, modelCalls: 4 });
    expect(await store.of('nobody', start, start + 24 * hour)).toEqual(noTenantUsage);
    const all = await store.since(start + hour);
    expect([...all]).toEqual([['acme', used({ costUsd: 0.2, tokens: 200, modelCalls: 2 })]]);
    expect([...(await store.since(start)).keys()]).toEqual(['acme', 'other']);
    await store.close();
  });

  it('is that of all who count at once, and stays where the index is rebuilt', async () => {
    const place = await newPlace();
    const [one, other] = await Promise.all([openTenantUsage(place), openTenantUsage(place)]);
    const index = await openRunIndex(place);
    await index.write([{ kind: 'told', run: aToldRun('r', 1) }]);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 === 0 ? one : other).add('acme', used({ costUsd: 1e-7 }), start),
      ),
    );
    await index.clear();
    expect(await one.of('acme', start, start + hour)).toEqual(
      used({ costUsd: 5e-6, tokens: 5_000, modelCalls: 50 }),
    );
    for (const each of [one, other, index]) await each.close();
  });
}
