import type { Bridge } from './bridge.js';

/**
 * What a room keeps for each run: made when the run first asks for it, so that what a procedure doesn't use takes no
 * memory. The key is the object itself; the values are the run's.
 */
export class PerRun<T extends object> {
  constructor(private readonly make: (bridge: Bridge) => T) {}

  of(bridge: Bridge): T {
    const known = bridge.kept.get(this) as T | undefined;
    if (known !== undefined) return known;
    const made = this.make(bridge);
    bridge.kept.set(this, made);
    return made;
  }
}
