/** Graphs in the words of Zupa, for applications. */
export {
  checkpointSaver,
  type Checkpointer,
  type CheckpointSaverOptions,
} from './client/graphs/checkpoint-saver.js';
export type { SavedCheckpoint } from './client/graphs/saved-checkpoint.js';
