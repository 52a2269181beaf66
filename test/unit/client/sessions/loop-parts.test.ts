import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CheckpointTrigger, Deadline, SessionSnapshot } from '../../../../src/session.js';
import { runFake } from '../../../support/fake-host.js';

const winks = join(import.meta.dirname, '../../lua-bridge/sessions/wink');

describe('a trigger of checkpoints', () => {
  it('takes a step that is done, unless others are named', () => {
    const trigger = new CheckpointTrigger();
    expect(trigger.shouldCheckpoint({ type: 'UpdateStep', status: 'done' })).toBe(true);
    expect(trigger.shouldCheckpoint({ type: 'UpdateStep', status: 'in_progress' })).toBe(false);
    expect(trigger.shouldCheckpoint({ type: 'SetupPlan', objective: 'x' })).toBe(false);
    expect(trigger.checkpointOn).toEqual(['plan_step_done']);
  });

  it('takes any change of the plan, or an event of its own, where those are named', () => {
    const changes = new CheckpointTrigger(['SetupPlan', 'AddStep', 'UpdateStep']);
    expect(changes.shouldCheckpoint({ type: 'AddStep', steps: ['x'] })).toBe(true);
    expect(changes.checkpointOn).toEqual(['plan_changed']);
    const own = new CheckpointTrigger(['MilestoneReached']);
    expect(own.shouldCheckpoint({ type: 'MilestoneReached' })).toBe(true);
    expect(own.shouldCheckpoint({ type: 'UpdateStep', status: 'done' })).toBe(false);
    expect(own.checkpointOn).toEqual(['MilestoneReached']);
  });
});

describe('a deadline', () => {
  it('is a moment, or a time from now on', () => {
    const deadline = new Deadline(new Date(Date.now() + 60_000));
    expect(deadline.remaining()).toBeGreaterThan(50_000);
    expect(Deadline.in('2h').remaining()).toBeGreaterThan(7_000_000);
  });

  it.each([
    [new Date(NaN), 'Deadline expires_at must be a date.'],
    [new Date(0), 'Deadline expires_at must be in the future.'],
    [new Date(Date.now() + 500), 'Deadline must be at least one second in the future.'],
  ])('is not %s', (moment, message) => {
    expect(() => new Deadline(moment)).toThrow(message);
  });
});

describe('a snapshot of a session', () => {
  const text = readFileSync(join(winks, 'from-wink.txt'), 'utf8').trim();

  it('is read and written in the JSON of WINK', () => {
    const snapshot = SessionSnapshot.fromJson(text);
    expect(snapshot.plan).not.toBeNull();
    const again = JSON.parse(snapshot.toJson()) as { slices: unknown };
    expect(again.slices).toEqual((JSON.parse(text) as { slices: unknown }).slices);
    expect(() => SessionSnapshot.fromJson('{"version":"2"}')).toThrow('SnapshotRestoreError');
  });

  it('of a run has the classes that a snapshot gave its items', () => {
    const { program } = runFake(
      `Procedure { function(input)
        Session.slice("Finding") Session.slice("own").append { n = 1 }
        local text = Session.snapshot()
        Session.restore((text:gsub("tactus.session:own", "app.models:Finding")))
        return true end }`,
    );
    const view = program.session();
    expect(view.types).toEqual({ Finding: 'app.models:Finding' });
    const snapshot = SessionSnapshot.ofSession(view, { runId: 'run', procedure: 'main' });
    expect(snapshot.slice('Finding')).toEqual([{ n: 1 }]);
    expect(snapshot.slice('app.models:Finding')).toEqual([{ n: 1 }]);
    expect(snapshot.slice('nothing')).toEqual([]);
    expect(snapshot.plan).toBeNull();
    expect(SessionSnapshot.fromJson(snapshot.toJson()).tags).toMatchObject({ run_id: 'run' });
  });
});
