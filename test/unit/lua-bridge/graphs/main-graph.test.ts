import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';
import { inline, research, stepsIn } from './research.js';

describe('the declaration of a graph', () => {
  it.each([
    ['Graph { nodes = {} }', 'Graph has no nodes'],
    ['Graph {}', 'Graph needs nodes as a table of functions'],
    ['Graph { nodes = { a = 1 } }', 'Graph needs nodes.a as a function'],
    [
      'Graph { name = "r", nodes = { a = print }, entrypoint = "b" }',
      'Graph "r" needs entrypoint as the name of a node, got "b"; there are a',
    ],
    ['Graph { nodes = { a = print }, max_steps = 0 }', 'needs max_steps as an integer from 1'],
    ['Graph { nodes = { a = print }, chanels = {} }', 'has the unknown field chanels'],
    ['Graph { nodes = { a = print }, channels = { x = "append" } }', 'channels.x must be Graph.append'],
    ['Graph { nodes = { a = print }, channels = { "x" } }', 'has a key that is no name'],
  ])('%s is refused', (source, message) => {
    expect(() => outputOf(source)).toThrow(message);
  });

  it('is not there for runs of engines before', () => {
    expect(outputOf('return Graph == nil', { engine: 9 })).toBe(true);
  });
});

describe('a file whose main part is a graph', () => {
  const input = { notes: ['x'] };
  const expected = { notes: ['x', 'begun', 'l', 'r'], total: 3 };
  const local = research.replace('research = Graph', 'local research = Graph');

  it.each([
    ['a global named main', research.replace('research = Graph', 'main = Graph')],
    ['what the file returned', `${local} return research`],
    ['the only one that a global holds', research],
  ])('runs %s', (_, source) => {
    const { ended, program } = runFake(source, { input });
    expect(ended).toMatchObject({ kind: 'completed', output: expected });
    expect(stepsIn(program.log.entries)[0]?.result['thread']).toBe('run');
    expect(program.describe().input).toMatchObject({ notes: 'array', total: 'any' });
  });

  it('gives the values of its channels as its snapshot has them, what is empty too', () => {
    const source = `main = Graph { channels = { kept = Graph.last, list = Graph.append },
      nodes = { a = function(state) return { writes = { list = { 1 } } } end } }`;
    const { ended } = runFake(source, { input: { kept: { inner: {} } } });
    expect(ended).toEqual({ kind: 'completed', output: { kept: { inner: {} }, list: [1] } });
    const none = 'main = Graph { nodes = { a = function() end } }';
    expect(runFake(none).ended).toEqual({ kind: 'completed', output: {} });
  });

  it('refuses a channel that the graph does not have', () => {
    expect(() => outputOf(research, { input: { nots: [] } })).toThrow('Unknown field: nots');
    expect(() => outputOf(inline('return research({ nots = {} })'))).toThrow(
      'graph research: the input has the channel nots',
    );
  });

  it('asks for a main one among several, and leaves a script alone', () => {
    expect(() => outputOf(`${research} other = Graph { nodes = { a = print } }`)).toThrow(
      'has 2 graphs; call one of them main',
    );
    expect(outputOf(`${research} return research({}).values.total`)).toBe(3);
    expect(() => outputOf(local)).toThrow('declares no Procedure and returns nothing');
  });
});
