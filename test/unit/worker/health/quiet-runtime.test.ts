import { Runtime } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { quietRuntime } from '../../../../src/worker/health/quiet-runtime.js';

it('leaves the runtime of the process as it is, whoever installed it', () => {
  const theirs = Runtime.install({});
  const options = { verbose: false, write: () => undefined };
  quietRuntime(options);
  quietRuntime(options);
  expect(Runtime.instance()).toBe(theirs);
});
