import type { JsonObject } from '../../contract/json/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { askRetriever, shownIndex } from '../retrieval/ask-retriever.js';
import { declaredRetrievers, type RetrieverDeclaration } from '../retrieval/retriever-declaration.js';
import { pushJson } from '../values/marshal.js';
import { seenNameOf } from '../vm/handle.js';
import { lua } from '../vm/fengari.js';
import type { TaskDeclaration } from './task-declaration.js';

/** `index`, and `index:NAME` for each retriever of a file: what brings their indexes up to date. */
export function indexTasks(bridge: Bridge): Map<string, TaskDeclaration> {
  const retrievers = declaredRetrievers.of(bridge).map((retriever, i) => {
    const name = retriever.name ?? seenNameOf(bridge.L, retriever) ?? `retriever_${i + 1}`;
    return [name, retriever] as const;
  });
  const tasks = new Map<string, TaskDeclaration>();
  if (retrievers.length === 0) return tasks;
  tasks.set('index', indexTask(bridge, 'Brings the indexes of all retrievers up to date', retrievers));
  for (const [name, retriever] of retrievers)
    tasks.set(
      `index:${name}`,
      indexTask(bridge, `Brings the index of ${name} up to date`, [[name, retriever]]),
    );
  return tasks;
}

function indexTask(
  bridge: Bridge,
  description: string,
  retrievers: readonly (readonly [string, RetrieverDeclaration])[],
): TaskDeclaration {
  const index = native(bridge, function* (L) {
    const held: JsonObject = {};
    for (const [name, retriever] of retrievers)
      held[name] = shownIndex(yield* askRetriever(bridge, L, retriever, null, retriever.bounds));
    pushJson(L, held);
    return 1;
  });
  return {
    ...{ name: null, description, dependsOn: [], children: new Map(), place: null, isImplied: true },
    entry: {
      names: null,
      push: (L) => {
        lua.lua_pushcfunction(L, index);
      },
    },
  };
}
