import { expect, it } from 'vitest';
import { definitions } from '../../../../src/contract/effects/all.generated.js';
import { definitions as performers } from '../../../../src/workflows/effects/all.generated.js';

it('each kind of effect that is defined is performed', () => {
  const defined = definitions.map(({ kind }) => kind).toSorted();
  expect(performers.map(({ kind }) => kind).toSorted()).toEqual(defined);
});
