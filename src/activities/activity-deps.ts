import type { LinkSigner } from '../authority/signed-links.js';
import type { AnyGraph } from '../contract/graphs/graph-definition.js';
import type { Reach } from '../contract/people/channels/channel.js';
import type { VerificationKeys } from '../contract/authority/authority.js';
import type { Environment } from '../contract/environment.js';
import type { Limits } from '../contract/runs/limits.js';
import type { KnownAttributes } from '../contract/runs/start-input.js';
import type { ToolPolicy } from '../contract/tools/tool-policy.js';
import type { WarmModel } from '../contract/predictions/loaded-models.js';
import type { StreamPublisher } from '../streams/run-streams.js';
import type { McpServerConfig, OutsideAgentConfig } from '../contract/tools/tool-servers.js';
import type { TenantBudgetKeeper } from './budgets/tenant-budgets.js';
import type { ModelAttemptAuthority } from './models/model-attempts.js';
import type { Egress } from '../egress/egress-fetch.js';
import type { AnyToolDefinition } from './tools/define-tool.js';

/** A piece of an answer, as the model writes it. */
export interface TextEvent {
  runId: string;
  position: string;
  text: string;
  /** 1 for the first attempt; where it grows, the text so far is void and starts again. */
  attempt: number;
}

/** Where the local language model was installed. */
export interface LocalModelFiles {
  /** Path of the model's GGUF file. */
  gguf: string;
  /** Directory that holds an installed `node-llama-cpp`. */
  llamaPackage: string;
}

/** What the activities of one worker get handed in. */
export interface ActivityDeps extends Reach, Egress {
  /** Keys, base URLs and secrets come from here alone. */
  env: Environment;
  /** Folder that `File.*` works in and can't leave. What begins with a dot there, and sources, are out of its reach. */
  filesRoot: string;
  /** The folder that a run has in place of `filesRoot`, by its id; null: none. Left out: no run has one. Made for tests. */
  filesOf?: (runId: string) => string | null;
  /** Files and folders that no procedure may use, by absolute paths, even where they lie in `filesRoot`; left out: none. */
  keptPaths?: readonly string[];
  /** Where configuration of procedures is looked for that are started by name; left out: `filesRoot`. */
  workingFolder?: string;
  /** Folders elsewhere, by their absolute paths, in which procedures lie that may read and write beside themselves. */
  outerFolders?: readonly string[];
  /** Directories in which procedures are found by name, the first that has one wins. */
  procedureFolders: readonly string[];
  localModel?: LocalModelFiles | null;
  /** Folder that prediction models lie in, which they can't leave; left out: `models` in the working folder. Procedures must not be able to write there. */
  modelsFolder?: string;
  /** Folder that corpora of retrievers lie in, which they can't leave; left out: `filesRoot`. */
  corporaFolder?: string;
  /** Folder for the indexes of corpora, which workers of one machine may share; left out: `.tactus-temporal/indexes` in the working folder. */
  indexesFolder?: string;
  /** Prediction models that are loaded as soon as the worker runs, and not with the first question; left out: none. */
  warmModels?: readonly WarmModel[];
  /** Bytes of prediction models that are loaded at once, by the size of their files; left out: 2 GB. */
  modelMemoryBytes?: number;
  /**
   * Whether a call that needs a key or a package which this worker lacks fails at once where no other worker polls its task queue.
   * Left out: it is tried again for an hour, since another worker may come.
   */
  failsWithoutOthers?: boolean;
  /** Limits of runs that are started by name and bring none. */
  limits?: Partial<Limits>;
  /** The worker has a store for payloads that the server refuses for their size. */
  storesLargePayloads?: boolean;
  /** Whether the namespace has our search attributes: runs that are started by name set them then. Left out: they don't. */
  hasSearchAttributes?: () => Promise<KnownAttributes>;
  /** Makes model calls stream, and gets their text as it comes. */
  onText?: (event: TextEvent) => void;
  /** Makes model calls stream, and gets what agents say and do, for readers elsewhere. */
  streams?: StreamPublisher;
  /** Tools of this worker, made by `defineTool`, which procedures and agents call by name. */
  tools?: readonly AnyToolDefinition[];
  /** Graphs whose nodes are functions of this worker, made by `defineGraph`. */
  graphs?: readonly AnyGraph[];
  /** MCP servers that this worker starts or reaches when they are needed, by the names that procedures have for them. */
  mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** Agents of other systems that this worker reaches, by the names that procedures have for them. */
  outsideAgents?: Readonly<Record<string, OutsideAgentConfig>>;
  /** What becomes of calls of tools, looked at right before each; left out: they are done. */
  toolPolicy?: ToolPolicy;
  /** Keys of those who sign decisions; where there are any, runs that are started by name take signed decisions alone. */
  authorityKeys?: VerificationKeys;
  /** What links are signed with that answer a request, for channels that have any; left out: they have none. */
  links?: LinkSigner;
  /** Counts what tenants use, and holds those whose budget is used up; left out: tenants have no budgets. */
  tenantBudgets?: TenantBudgetKeeper;
  /** Who has a say over each attempt at a call of a model; left out: nobody. */
  modelAttempts?: ModelAttemptAuthority;
}
