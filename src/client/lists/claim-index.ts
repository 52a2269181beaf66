import type { Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import type { RunIndex } from '../../read-model/run-index.js';
import { namespaceIdOf } from '../server/namespace-id.js';

/**
 * Makes sure that an index is for the runs of this namespace: with those of two in it, each would forget the other's.
 * @throws TactusError config_invalid
 */
export async function claimIndex(client: Client, index: RunIndex): Promise<void> {
  const { namespace } = client.options;
  const owner = `${await namespaceIdOf(client)} ${namespace}`;
  const found = await index.claim(owner);
  if (found === owner) return;
  const [, other] = found.split(' ');
  const whose = other === namespace ? 'another server' : `the namespace ${other}`;
  throw new TactusError(
    'config_invalid',
    `The index has the runs of ${whose}. Name another one, or have this one made anew: tactus-temporal index rebuild`,
  );
}
