/** What is used here of a `DurableContext`, as AWS's SDK for durable functions gives it to a handler. */
export interface DurableContext {
  readonly executionContext: { readonly durableExecutionArn: string };
  step<T>(name: string, work: () => Promise<T>): PromiseLike<T>;
  runInChildContext<T>(name: string, work: (child: DurableContext) => Promise<T>): PromiseLike<T>;
}

/** The child of a function's context in which its record is kept, and each step there. */
export const recordContext = 'tactus';
export const recordStep = 'record';
