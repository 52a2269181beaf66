import { asJson, type JsonValue } from '../../contract/json/json.js';
import { asPlan, type Plan } from '../../contract/sessions/plan.js';
import { planSlice } from '../../contract/sessions/session-content.js';
import type { SessionView } from '../../contract/sessions/session-view.js';
import {
  nameOfType,
  readSnapshot,
  tagsOf,
  typeOfSlice,
  writeSnapshot,
  type SnapshotSlice,
} from '../../contract/sessions/snapshot.js';

/** A snapshot of a session, in the JSON of WINK 0.14: version "1", keys sorted. */
export class SessionSnapshot {
  constructor(
    readonly createdAt: Date,
    readonly slices: readonly SnapshotSlice[],
    readonly tags: Readonly<Record<string, string>> = {},
  ) {}

  /**
   * Reads a snapshot that we or WINK wrote. The texts of errors are WINK's.
   * @throws TactusError snapshot_invalid
   */
  static fromJson(text: string): SessionSnapshot {
    const { createdAt, slices, tags } = readSnapshot(text);
    return new SessionSnapshot(new Date(createdAt), slices, tags);
  }

  /** Makes the snapshot of a run's session, as `TactusRun.session` shows it. */
  static ofSession(
    { plan, slices, types = {} }: SessionView,
    run: { runId: string; procedure: string },
  ): SessionSnapshot {
    const named = Object.entries(slices).map(([name, items]) => ({
      type: types[name] ?? typeOfSlice(name),
      items,
    }));
    const ofPlan = plan === null ? [] : [{ type: typeOfSlice(planSlice), items: [asJson(plan)] }];
    return new SessionSnapshot(new Date(), [...ofPlan, ...named], tagsOf(run));
  }

  /** Writes it, for `Session.restore` in Lua or `Snapshot.from_json` in Python. */
  toJson(): string {
    const { createdAt, slices, tags } = this;
    return writeSnapshot({ createdAt: createdAt.getTime(), slices: [...slices], tags: { ...tags } });
  }

  /** Gives the items of a slice, by its type or the name of its class: none where it has no such slice. */
  slice(name: string): readonly JsonValue[] {
    const found =
      this.slices.find(({ type }) => type === name) ??
      this.slices.find(({ type }) => nameOfType(type) === name);
    return found?.items ?? [];
  }

  /** Its plan; null where there is none. */
  get plan(): Plan | null {
    return asPlan(this.slice(planSlice).at(-1) ?? null);
  }
}
