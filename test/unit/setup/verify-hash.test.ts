import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { SetUpError } from '../../../scripts/setup/set-up-error.mjs';
import { verifyHash } from '../../../scripts/setup/verify-hash.mjs';
import { temporaryFolder } from '../../support/temporary-folder.js';

const sha256OfAbc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
let folder: string;

beforeEach(async () => {
  folder = temporaryFolder('hash');
});

it('accepts the file that the project knows', async () => {
  await writeFile(join(folder, 'wheel.whl'), 'abc');
  await expect(verifyHash(join(folder, 'wheel.whl'), sha256OfAbc)).resolves.toBeUndefined();
});

it('refuses another file, with both hashes and what to do', async () => {
  await writeFile(join(folder, 'wheel.whl'), 'abd');
  const refusal = verifyHash(join(folder, 'wheel.whl'), sha256OfAbc);
  await expect(refusal).rejects.toThrow(SetUpError);
  await expect(refusal).rejects.toThrow(/wheel\.whl.*expected ba7816bf/);
  await expect(refusal).rejects.toHaveProperty('advice', expect.stringContaining('Nothing of it was used'));
});
