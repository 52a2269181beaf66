import { describe, expect, it } from 'vitest';
import {
  mostVersions,
  newestOf,
  nothingPublished,
  readPublishedChange,
  rolledBack,
  withoutStarts,
  withShare,
  withVersion,
} from '../../../../src/contract/procedures/publish-change.js';
import {
  publishedNameOf,
  publishedView,
  versionFor,
  type PublishedRecord,
} from '../../../../src/contract/procedures/published.js';

const order = {
  kind: 'publish',
  source: 'tactus-published-source/4f1d-2c',
  digest: `sha256:${'0'.repeat(32)}`,
};

/** One more version, with this share. */
function publish(record: PublishedRecord, share = 100): PublishedRecord {
  const version = record.latest + 1;
  const kept = { version, digest: `sha256:${version}`, source: `source/${version}`, by: null };
  return withVersion(record, { ...kept, published_at: '2026-11-27T08:00:00.000Z' }, share);
}

/** What is left out has no share. */
function shares(record: PublishedRecord): Record<number, number> {
  const { versions } = publishedView(record);
  return Object.fromEntries(versions.flatMap(({ version, share }) => (share > 0 ? [[version, share]] : [])));
}

const one = publish(nothingPublished('review'));
const two = publish(one);
const onTrial = publish(two, 10);

describe('what a name comes to', () => {
  it('the newest version takes all starts, or a share of them', () => {
    expect(shares(one)).toEqual({ 1: 100 });
    expect(shares(two)).toEqual({ 2: 100 });
    expect(shares(onTrial)).toEqual({ 2: 90, 3: 10 });
    expect(shares(publish(onTrial, 0.5))).toEqual({ 2: 89.5, 3: 10, 4: 0.5 });
    expect(shares(publish(onTrial))).toEqual({ 4: 100 });
    expect(shares(withShare(onTrial, 3, 25))).toEqual({ 2: 75, 3: 25 });
  });

  it('a promoted version takes all of them, and ends the trials', () => {
    expect(shares(withShare(onTrial, 3, 100))).toEqual({ 3: 100 });
    expect(shares(withShare(onTrial, 1, 100))).toEqual({ 1: 100 });
  });

  it('a rollback ends the trials first, and goes back a version then', () => {
    expect(rolledBack(onTrial)).toEqual([3]);
    const back = withoutStarts(onTrial, [3]);
    expect(shares(back)).toEqual({ 2: 100 });
    expect(rolledBack(back)).toEqual([2]);
    const first = withoutStarts(back, [2]);
    expect(shares(first)).toEqual({ 1: 100 });
    expect(() => withoutStarts(first, rolledBack(first))).toThrow('no version to go back to');
    // A version that was rolled back isn't gone back to.
    expect(shares(withoutStarts(publish(first), [4]))).toEqual({ 1: 100 });
  });

  it('a rollback that comes twice, or after another, goes back once', () => {
    const back = withoutStarts(two, [2]);
    expect(withoutStarts(back, [2])).toEqual(back);
    const later = publish(two);
    expect(shares(withoutStarts(later, [2]))).toEqual({ 3: 100 });
  });

  it('what was promoted in between is gone back to', () => {
    const again = withShare(publish(two), 1, 100);
    expect(shares(withoutStarts(again, [1]))).toEqual({ 3: 100 });
  });

  it.each<[string, () => unknown, RegExp]>([
    ['a first version with a share', () => publish(nothingPublished('x'), 10), /first one is published/],
    ['a version that is not there', () => withShare(two, 9, 100), /no version 9: it has 1, 2/],
    ['a share for the version that takes the rest', () => withShare(two, 2, 10), /no share of its own/],
    ['shares of more than all', () => publish(publish(two, 60), 41), /would take 101 %/],
    [
      'more trials than may be',
      () => Array.from({ length: 11 }).reduce<PublishedRecord>((record) => publish(record, 1), one),
      /10 versions on trial/,
    ],
  ])('%s is refused', (_, change, message) => {
    expect(change).toThrow(message);
    expect(change).toThrow(expect.objectContaining({ code: 'change_refused' }) as Error);
  });

  it('the oldest versions that take no starts go, and never one that does', () => {
    let record = publish(one, 5);
    for (let i = 0; i < mostVersions + 5; i++) {
      record = publish(record, 1);
      record = withoutStarts(record, [record.latest]);
    }
    expect(record.versions).toHaveLength(mostVersions);
    expect(shares(record)).toEqual({ 1: 95, 2: 5 });
    expect(record.versions.slice(0, 3).map(({ version }) => version)).toEqual([1, 2, 10]);
  });

  it('what the newest version has is no other one', () => {
    expect(newestOf(two, 'sha256:2')?.version).toBe(2);
    expect(newestOf(two, 'sha256:1')).toBeNull();
    expect(newestOf(nothingPublished('x'), 'sha256:1')).toBeNull();
  });
});

describe('the version of a run', () => {
  const ids = Array.from({ length: 10_000 }, (_, i) => `run-${i}`);
  const versionsOf = (record: PublishedRecord) => ids.map((id) => versionFor(record, id)?.as.version ?? null);

  it('follows from its id, in the shares that the versions have', () => {
    const record = publish(onTrial, 25);
    const drawn = versionsOf(record);
    const countOf = (version: number) => drawn.filter((each) => each === version).length;
    expect(countOf(1)).toBe(0);
    expect(Math.abs(countOf(2) - 6_500)).toBeLessThan(200);
    expect(Math.abs(countOf(3) - 1_000)).toBeLessThan(120);
    expect(Math.abs(countOf(4) - 2_500)).toBeLessThan(170);
    expect(versionsOf(JSON.parse(JSON.stringify(record)) as PublishedRecord)).toEqual(drawn);
  });

  it('stays where a trial grows', () => {
    const before = versionsOf(onTrial);
    const after = versionsOf(withShare(onTrial, 3, 40));
    expect(before.filter((version, i) => version === 3 && after[i] !== 3)).toEqual([]);
  });

  it('is drawn for each name on its own', () => {
    const other = versionsOf({ ...onTrial, name: 'other' });
    const same = versionsOf(onTrial).filter((version, i) => version === 3 && other[i] === 3).length;
    expect(same).toBeLessThan(200);
  });

  it('is none where nothing is published', () => {
    expect(versionFor(nothingPublished('x'), 'run-1')).toBeNull();
    expect(versionFor(one, 'run-1')?.as).toEqual({ name: 'review', version: 1, share: 100 });
  });
});

describe('an order', () => {
  it.each<[unknown, RegExp]>([
    [null, /JSON object/],
    [[], /JSON object/],
    [{}, /kind/],
    [{ ...order, source: undefined }, /source/],
    [{ ...order, source: 'review-1' }, /source/],
    [{ ...order, source: 'tactus-published-source/../x' }, /source/],
    [{ ...order, digest: 'sha256:1' }, /digest/],
    [{ ...order, share: 0 }, /share/],
    [{ ...order, share: 0.001 }, /share/],
    [{ ...order, share: 101 }, /share/],
    [{ ...order, share: '10' }, /share/],
    [{ ...order, by: 'x'.repeat(201) }, /by/],
    [{ kind: 'promote', version: '1' }, /version/],
    [{ kind: 'promote', version: 1.5 }, /version/],
    [{ kind: 'rollback', versions: 3 }, /versions/],
    [{ kind: 'rollback', versions: Array.from({ length: 51 }, () => 1) }, /versions/],
  ])('of another shape is refused: %j', (given, message) => {
    expect(() => readPublishedChange(given)).toThrow(message);
  });

  it('has what it needs, and no more', () => {
    const change = { ...order, share: 12.345, more: 1 };
    expect(readPublishedChange(change)).toEqual({ ...order, share: 12.35, by: null });
  });

  it.each(['', '.', '../x', '/x', 'a//b', 'a b', 'x'.repeat(201), 'a\n'])('has no name %j', (name) => {
    expect(() => publishedNameOf(name)).toThrow(/no name/);
  });

  it('has the name of a procedure', () => {
    expect(publishedNameOf('support/triage.tac')).toBe('support/triage');
  });
});
