import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import { NewerVersionError } from '../../../../src/contract/engine.js';
import { versionOf } from '../../../../src/contract/effects/digest.js';
import { runFake, type FakeRun } from '../../../support/fake-host.js';

const source = `
  local ok = Human.approve{message = "Sure?", timeout = 5}
  local page = File.read("x")
  Parallel{function() Sleep(1) end, function() Sleep(2) end}
  return {ok, page}`;

const recordedOn = (engine: number): Checkpoint[] => [...runFake(source, { engine }).program.log.entries];
const replayed = (log: Checkpoint[], asked = source): FakeRun => runFake(asked, { carried: log });
const errorOf = ({ ended }: FakeRun): string | null => (ended?.kind === 'failed' ? ended.error.code : null);

describe('a log whose digests are of the first version', () => {
  const log = recordedOn(1);

  it('is what a run of engine 1 records', () => {
    expect(new Set(log.map(({ digest }) => versionOf(digest)))).toEqual(new Set([1]));
    expect(new Set(recordedOn(2).map(({ digest }) => versionOf(digest)))).toEqual(new Set([1, 2]));
    expect(new Set(recordedOn(7).map(({ digest }) => versionOf(digest)))).toEqual(new Set([1, 3]));
  });

  it('is replayed by a program that makes digests of later versions', () => {
    const run = replayed(log);
    expect(run.ended).toMatchObject({ kind: 'completed', output: [true, 'content of x'] });
    expect(run.performed).toEqual([]);
  });

  it('is gone on from with newer ones', () => {
    const longer = source.replace('return', 'Human.approve("More?") return');
    const log2 = [...replayed(log, longer).program.log.entries];
    expect(log2.map(({ digest }) => versionOf(digest))).toEqual([1, 1, 1, 1, 1, 3]);
    expect(replayed(log2, longer)).toMatchObject({ ended: { kind: 'completed' }, performed: [] });
  });

  it('is compared by all that counted then', () => {
    expect(errorOf(replayed(log, source.replace('timeout = 5', 'timeout = 6')))).toBe('non_determinism');
  });
});

describe('a log whose digests are of the newest version', () => {
  const log = recordedOn(2);

  it('fits where something else is asked than what is compared', () => {
    const run = replayed(log, source.replace('timeout = 5', 'timeout = 6'));
    expect(run.ended).toMatchObject({ kind: 'completed' });
    expect(run.performed).toEqual([]);
  });

  it.each([1, 2])('is refused where another thing is asked for (engine %i)', (engine) => {
    const other = source.replace('message = "Sure?"', 'message = "Sure?", context = {n = 1}');
    expect(errorOf(replayed(recordedOn(engine), other))).toBe('non_determinism');
  });
});

describe('a log that a newer version wrote', () => {
  it.each([
    ['an effect', 0],
    ['a frame', 4],
  ])('ends no run: %s', (_what, index) => {
    const log = recordedOn(2).map((entry, i) =>
      i === index ? { ...entry, digest: `9:${entry.digest}` } : entry,
    );
    expect(log[4]?.type).toBe('parallel');
    const caught = `pcall(function() ${source.replace('return {ok, page}', '')} end)`;
    expect(() => replayed(log)).toThrow(NewerVersionError);
    expect(() => replayed(log, caught)).toThrow(/version 9, and this worker knows none after/);
  });
});
