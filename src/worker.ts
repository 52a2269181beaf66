/** For processes that run procedures: a worker of ours, or the plugin for a worker of your own. */
export { createTactusWorker, type TactusWorkerOptions } from './worker/create-tactus-worker.js';
export { createModelWorker, type ModelWorkerOptions } from './worker/predictions/create-model-worker.js';
export type {
  ModelAttemptAuthority,
  ModelAttemptOutcome,
  ModelAttemptPlan,
  ModelAttemptReservation,
} from './activities/models/model-attempts.js';
export type {
  CallUsage,
  ModelCallResult,
  ProviderCall,
  Source,
  ThoughtPart,
  Thoughts,
  ToolCall,
} from './contract/models/model-call.js';
export type { CallQueue as ModelQueue } from './contract/runs/run-settings.js';
export type { WarmModel } from './contract/predictions/loaded-models.js';
export { openTraces, type Attributes, type AttributeValue, type Span, type Traces } from './traces/index.js';
export { TactusPlugin, type TactusPluginOptions } from './worker/tactus-plugin.js';
export { openStorage } from './client/storage/open-storage.js';
export { openRunIndex } from './read-model/open-run-index.js';
export { openTenantBudgets, type TenantBudgetPlaces } from './worker/tenant-budgets.js';
export type { TenantBudgetKeeper } from './activities/index.js';
export type { BudgetPeriod, TenantBudget, TenantBudgets } from './contract/budgets/tenant-budget.js';
export type { RunIndex } from './read-model/run-index.js';
export {
  payloadEncryption,
  type PayloadEncryption,
} from './worker/payloads/codecs/encryption/payload-encryption.js';
export { FilePayloadStore } from './worker/payloads/store/file-payload-store.js';
export { openPayloadStore } from './worker/payloads/store/open-payload-store.js';
export type { KeptPayload, ListedPayloadStore, PayloadStore } from './worker/payloads/store/payload-store.js';
export type { LinkSigner } from './authority/signed-links.js';
export type { ActivityDeps, LocalModelFiles, TextEvent } from './activities/index.js';
export type {
  Channel,
  ChatChannel,
  EmailChannel,
  Reach,
  WebhookChannel,
} from './contract/people/channels/channel.js';
export type { Environment } from './contract/environment.js';
export type { Egress } from './egress/egress-fetch.js';
export type { EgressPolicy, Profile } from './egress/egress-policy.js';
export {
  defineTool,
  type AnyToolDefinition,
  type ToolCallContext,
  type ToolDefinition,
  type Verification,
} from './activities/tools/define-tool.js';
export type {
  McpEndpoint,
  McpProcess,
  McpServerConfig,
  OutsideAgentConfig,
} from './contract/tools/tool-servers.js';
export { ToolFailed } from './activities/tools/tool-host.js';
export type { EffectClass } from './contract/tools/outside-tool.js';
export type { RetryPolicy } from './contract/retries/retry-policy.js';
export type { ArgumentCondition, PolicyAction, ToolPolicy, ToolRule } from './contract/tools/tool-policy.js';
export type { Dispatcher } from './contract/graphs/dispatcher.js';
