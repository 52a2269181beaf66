/** Something that was begun with Temporal. */
export interface Begun {
  /** `timer`, or the name of an activity. */
  name: string;
  isLocal: boolean;
  /** Of a timer. */
  ms: number | null;
  isCancelled: boolean;
  end(value?: unknown): void;
  fail(error: Error): void;
}

/** All that was begun, in its order. */
export const begun: Begun[] = [];

let scope: Begun[] = [];

/** `@temporalio/workflow` as far as effects need it, without a workflow: what is begun stays open until a test ends it. */
export const temporal = {
  workflowInfo: () => ({ continueAsNewSuggested: false }) as never,
  sleep: (ms: number) => begin({ name: 'timer', isLocal: false, ms }) as Promise<void>,
  proxyActivities: () => activities(false),
  proxyLocalActivities: () => activities(true),
  CancellationScope: class {
    private readonly inside: Begun[] = [];
    run<T>(work: () => Promise<T>): Promise<T> {
      scope = this.inside;
      return work();
    }
    cancel(): void {
      for (const each of this.inside) each.isCancelled = true;
    }
  } as never,
};

function activities(isLocal: boolean): never {
  return new Proxy({}, { get: (_, name: string) => () => begin({ name, isLocal, ms: null }) }) as never;
}

function begin(what: Pick<Begun, 'name' | 'isLocal' | 'ms'>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const each: Begun = { ...what, isCancelled: false, end: resolve, fail: reject };
    begun.push(each);
    scope.push(each);
  });
}
