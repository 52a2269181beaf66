import { TactusError } from '../contract/errors.js';
import { temporalIdentity, type Identity, type Role } from './access/identity.js';
import { NamespaceWatch } from './events/namespace-watch.js';
import { RequestBoard } from './people/request-board.js';
import type { ServedNamespace } from './served-namespace.js';
import { Uploads, type UploadLimits } from './files/uploads.js';

/** A namespace with what the server keeps of it. */
export interface OpenNamespace extends ServedNamespace {
  board: RequestBoard;
  watch: NamespaceWatch;
  uploads: Uploads;
}

/** The namespaces that one server serves: who may use one doesn't learn what there is in another. */
export class Namespaces {
  private readonly byName: ReadonlyMap<string, OpenNamespace>;

  constructor(served: readonly ServedNamespace[], limits: UploadLimits) {
    this.byName = new Map(
      served.map((namespace) => {
        const board = new RequestBoard(namespace);
        const watch = new NamespaceWatch(namespace, board);
        const uploads = new Uploads(namespace.name, namespace.files, limits);
        return [namespace.name, { ...namespace, board, watch, uploads }];
      }),
    );
  }

  /**
   * The namespace, for whoever has one of the roles. What they change there has their identity in the history of the run.
   * @throws TactusError forbidden; run_not_found where there is no such namespace for this identity
   */
  open(name: string, identity: Identity, ...anyOf: [Role, ...Role[]]): OpenNamespace {
    const namespace = identity.namespaces.includes(name) ? this.byName.get(name) : undefined;
    // One that is there and one that isn't look the same to whoever may use neither.
    if (namespace === undefined)
      throw new TactusError(
        'run_not_found',
        `There is no namespace ${JSON.stringify(name)}, or you may not use it`,
      );
    if (!anyOf.some((role) => identity.roles.includes(role)))
      throw new TactusError('forbidden', `This needs the role ${anyOf.join(' or ')}, which you don't have`);
    if (anyOf.includes('read')) return namespace;
    return { ...namespace, tactus: namespace.tactus.as(temporalIdentity(identity.mode, identity.name)) };
  }

  get(name: string): OpenNamespace | undefined {
    return this.byName.get(name);
  }

  close(): void {
    for (const { watch } of this.byName.values()) watch.close();
  }
}
