import { describe, expect, it } from 'vitest';
import type { Bridge } from '../../../../src/lua-bridge/kernel/bridge.js';
import { countDeclared, DeclaredList, PerRun } from '../../../../src/lua-bridge/kernel/kept.js';

function run(): { bridge: Bridge; kept: Map<object, unknown>; bytes: () => number } {
  const kept = new Map<object, unknown>();
  let bytes = 0;
  const meter = { keep: (more: number) => void (bytes += more), charge: () => undefined };
  return { bridge: { kept, meter } as unknown as Bridge, kept, bytes: () => bytes };
}

describe('what a room keeps for a run', () => {
  it('is made when the run first asks for it, once', () => {
    let made = 0;
    const counter = new PerRun(() => ({ number: ++made }), 'declared');
    const { bridge, kept } = run();
    expect(kept.size).toBe(0);
    expect(counter.of(bridge)).toBe(counter.of(bridge));
    expect(made).toBe(1);
  });

  it('is told apart by run and by room', () => {
    const [names, others] = [
      new PerRun(() => new Set<string>(), 'declared'),
      new PerRun(() => new Set<string>(), 'declared'),
    ];
    const [one, another] = [run().bridge, run().bridge];
    names.of(one).add('ada');
    expect(names.of(another).size).toBe(0);
    expect(others.of(one).size).toBe(0);
  });
});

describe('declarations', () => {
  it('count as memory of the run', () => {
    const tools = new DeclaredList<string>();
    const { bridge, bytes } = run();
    tools.add(bridge, 'search');
    expect(tools.of(bridge)).toEqual(['search']);
    expect(bytes()).toBe(2_000);
  });

  it('are counted together, without one kind and those for tests', () => {
    const [tools, agents, tasks] = [
      new DeclaredList<string>(),
      new DeclaredList<string>(),
      new DeclaredList<string>(),
    ];
    const steps = new DeclaredList<string>(true);
    const { bridge } = run();
    for (const list of [tools, agents, agents, tasks, steps]) list.add(bridge, 'x');
    expect(countDeclared(bridge, tasks)).toBe(3);
  });
});
