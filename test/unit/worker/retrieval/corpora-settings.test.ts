import { expect, it } from 'vitest';
import { workerVariables } from '../../../../src/configuration/settings.js';
import { corporaSettings } from '../../../../src/worker/worker-environment.js';

it('what configuration says of corpora becomes what a worker has', () => {
  const said = workerVariables({ corpora_folder: 'corpora', indexes_folder: '/var/indexes' }, 'tactus.yml');
  expect(corporaSettings(said, '/home/work')).toEqual({
    corporaFolder: '/home/work/corpora',
    indexesFolder: '/var/indexes',
  });
  expect(corporaSettings({}, '/home/work')).toEqual({});
});
