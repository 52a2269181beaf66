/** For graphs whose nodes are TypeScript: what defines them, what runs their threads, and what reads their checkpoints. */
export {
  defineGraph,
  defineNode,
  phaseNode,
  type AnyGraph,
  type DefinedNode,
  type EngineGraph,
  type EngineGraphSpec,
  type NodeCall,
  type NodeHandler,
  type NodeInput,
  type NodeOptions,
  type NodeResult,
  type PhaseContractSpec,
  type PregelNode,
  type SomeNode,
} from './contract/graphs/graph-definition.js';
export {
  appendReducer,
  boundedMessagesReducer,
  CanonicalChannels,
  lastWriteWinsReducer,
  type ChannelReducer,
} from './contract/graphs/channel-reducers.js';
export {
  GraphInterrupt,
  isTimeoutCommand,
  type InterruptOptions,
  type TimeoutCommand,
} from './contract/graphs/graph-interrupt.js';
export {
  EngineExecutor,
  KernelExecutor,
  type EngineExecutorConfig,
  type LedgerWriter,
} from './client/graphs/engine-executor.js';
export { RunCheckpointer, type ThreadLedgerEvent } from './client/graphs/run-checkpointer.js';
export type { CheckpointReader, StateSnapshot } from './client/graphs/state-snapshot.js';
export type { IntentView } from './contract/graphs/recorded-intents.js';
export type { FailedNode, Intent, Interrupt, LedgerEvent } from './contract/graphs/super-step.js';
export {
  checkpointSaver,
  type Checkpointer,
  type CheckpointSaverOptions,
} from './client/graphs/checkpoint-saver.js';
export type { SavedCheckpoint } from './client/graphs/saved-checkpoint.js';
