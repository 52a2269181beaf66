import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServerSettings, uploadLimitsOf } from '../../../src/server/settings.schema.js';
import { passiveType } from '../../../src/server/files/sent-file.js';
import { Uploads, usualUploadLimits, type UploadLimits } from '../../../src/server/files/uploads.js';
import { FilePayloadStore } from '../../../src/worker/payloads/store/file-payload-store.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const day = 86_400_000;
const bytes = (size: number): Uint8Array => new Uint8Array(size).fill(97);
const file = { name: 'a.txt', type: 'text/plain' };

function uploads(limits: Partial<UploadLimits>, folder = temporaryFolder('uploads')) {
  mkdirSync(folder, { recursive: true });
  const store = new FilePayloadStore(folder);
  return { folder, kept: new Uploads('default', store, { ...usualUploadLimits, ...limits }) };
}

it.each([
  'text/javascript',
  'application/javascript',
  'application/ecmascript',
  'application/x-javascript',
  'text/jscript',
  'TEXT/JavaScript; charset=utf-8',
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'image/svg',
  'application/xml',
  'text/xml',
  'model/x+xml',
  'text/css',
  'application/wasm',
  'text/event-stream',
  'multipart/x-mixed-replace',
  'application/manifest+json',
  'text/html<script>',
  '',
])('a browser runs nothing of what came as %j', (type) => {
  expect(passiveType(type)).toBe('application/octet-stream');
});

it.each(['image/png', 'application/pdf', 'text/csv', 'audio/mpeg', 'application/vnd.ms-excel'])(
  'a file that came as %s stays one',
  (type) => {
    expect(passiveType(type)).toBe(type);
    expect(passiveType(`${type.toUpperCase()}; x=y`)).toBe(type);
  },
);

describe('what people hand in', () => {
  it('has an end for each in a day, and for all', async () => {
    const { kept } = uploads({ dayBytes: 2_500, mostBytes: 6_000 });
    await kept.keep('ann', file, bytes(1_000));
    await kept.keep('ann', file, bytes(1_000));
    await expect(kept.keep('ann', file, bytes(1_000))).rejects.toMatchObject({ code: 'rate_limited' });
    await kept.keep('bob', file, bytes(1_000));
    await kept.keep('bob', file, bytes(1_000));
    await kept.keep('eve', file, bytes(1_000));
    await expect(kept.keep('eve', file, bytes(1_000))).rejects.toMatchObject({
      ...{ code: 'file_failed', message: expect.stringContaining('upload_total_bytes') as string },
    });
  });

  it('counts what was there when the server began', async () => {
    const first = uploads({});
    await first.kept.keep('ann', file, bytes(3_000));
    const { kept } = uploads({ mostBytes: 5_000 }, first.folder);
    await expect(kept.keep('ann', file, bytes(3_000))).rejects.toMatchObject({ code: 'file_failed' });
    await kept.keep('ann', file, bytes(1_000));
  });

  it('is removed in its time: sooner where no decision has named it', async () => {
    const { folder, kept } = uploads({ unusedMs: day, keptMs: 10 * day });
    const old = `upload-37a8eec1ce19687d-${'0'.repeat(32)}`;
    writeFileSync(join(folder, old), `${JSON.stringify({ ...file, size: 1 })}\nx`);
    writeFileSync(join(folder, 'a-payload-of-a-run'), 'x');
    for (const name of [old, 'a-payload-of-a-run']) utimesSync(join(folder, name), 1, 1);
    const unused = await kept.keep('ann', file, bytes(1_000));
    const used = await kept.keep('ann', file, bytes(1_000));
    const url = `https://runs.example.org/api/v1/namespaces/default/files/${used.id}`;
    await kept.use({ files: [{ url }, { url: `/files/${'1'.repeat(32)}` }] });
    const after = async (days: number): Promise<string[]> => {
      const { id } = await kept.keep('bob', file, bytes(1), Date.now() + days * day);
      expect((await kept.find(id))?.upload.name).toBe('a.txt');
      const there = [];
      for (const each of [unused, used]) if ((await kept.find(each.id)) !== null) there.push(each.id);
      return there;
    };
    expect(await after(0.9)).toEqual([unused.id, used.id]);
    expect(await after(1.1)).toEqual([used.id]);
    expect(await after(11)).toEqual([]);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([old, 'a-payload-of-a-run']));
    expect(readdirSync(folder).filter((name) => name.includes(used.id))).toEqual([]);
    expect((await kept.find('0'.repeat(32)))?.upload.name).toBe('a.txt');
  });

  it('is bounded as the configuration says', () => {
    expect(uploadLimitsOf(readServerSettings({}))).toEqual(usualUploadLimits);
    const given = {
      upload_total_bytes: 5,
      upload_day_bytes: 4,
      uploads_unused: 'forever',
      uploads_kept: '2d',
    };
    expect(uploadLimitsOf(readServerSettings(given))).toEqual({
      ...{ mostBytes: 5, dayBytes: 4, unusedMs: null, keptMs: 2 * day },
    });
    expect(() => readServerSettings({ uploads_kept: 'soon' })).toThrow(/uploads_kept: must be a time/);
  });
});
