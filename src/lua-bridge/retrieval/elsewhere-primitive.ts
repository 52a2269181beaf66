import { TactusError } from '../../contract/errors.js';
import { literal, lua, type Bridge, type CFunction } from '../kernel/index.js';
import { openRetriever } from './retriever-primitive.js';

const retrieval = 'look things up in a tool, or put the text into the prompt';

/** Parts of the reference that are not there, with what to use in their place. */
const missing: Record<string, string> = {
  Corpus: retrieval,
  Retriever: retrieval,
  Compactor: retrieval,
};

/** Names of the reference that stand for what isn't there: a file may hold them, and fails where it calls them. */
export function openElsewhere(bridge: Bridge): void {
  const { L, scheduler } = bridge;
  // In the order of old: that of `pairs(_G)`.
  if (bridge.holds('retrieval')) openRetriever(bridge);
  for (const [name, instead] of Object.entries(missing)) {
    if (bridge.holds('retrieval') && name !== 'Compactor') continue;
    const refuse: CFunction = (thread) =>
      scheduler.notes.raise(thread, new TactusError('lua_error', `${name} is not there; ${instead}`));
    lua.lua_pushcfunction(L, refuse);
    lua.lua_setglobal(L, literal(name));
  }
}
