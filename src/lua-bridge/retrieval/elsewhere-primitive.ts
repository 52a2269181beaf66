import { TactusError } from '../../contract/errors.js';
import { GlobalFunctions, type Bridge, type CFunction } from '../kernel/index.js';
import { openRetriever } from './retriever-primitive.js';

/** Names of the reference that stand for what isn't there: a file may hold them, and fails where it calls them. */
export function openElsewhere(bridge: Bridge): void {
  // In the order of old: that of `pairs(_G)`.
  if (bridge.holds('retrieval')) openRetriever(bridge);
  else instead.open(bridge);
  compactor.open(bridge);
}

const refuse =
  ({ scheduler }: Bridge, name: string): CFunction =>
  (L) =>
    scheduler.notes.raise(
      L,
      new TactusError(
        'lua_error',
        `${name} is not there; look things up in a tool, or put the text into the prompt`,
      ),
    );

const instead = new GlobalFunctions(['Corpus', 'Retriever'], (bridge) => ({
  Corpus: refuse(bridge, 'Corpus'),
  Retriever: refuse(bridge, 'Retriever'),
}));

const compactor = new GlobalFunctions(['Compactor'], (bridge) => ({
  Compactor: refuse(bridge, 'Compactor'),
}));
