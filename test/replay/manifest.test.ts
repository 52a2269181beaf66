import { describe, expect, it } from 'vitest';
import { hashesOfKept, readManifest } from './manifest.js';

/**
 * Histories and bundles of released versions are what runs in flight have: a test that fails here is no reason to make
 * them anew. `KEEP_HISTORIES=1` lists what it adds.
 */
describe('what is kept of released versions', () => {
  const listed = readManifest();
  const there = hashesOfKept();

  it('is all there', () => {
    expect(Object.keys(listed).filter((name) => there[name] === undefined)).toEqual([]);
  });

  it('is unchanged', () => {
    expect(Object.keys(listed).filter((name) => (there[name] ?? listed[name]) !== listed[name])).toEqual([]);
  });

  it('is all listed', () => {
    expect(Object.keys(there).filter((name) => listed[name] === undefined)).toEqual([]);
  });
});
