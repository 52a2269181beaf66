/**
 * Names of attributes, as OpenTelemetry's semantic conventions 1.41.0 have them: those for generative AI are still in
 * development there, and change from one version to the next. Nothing else in this project writes such a name.
 */
export const conventionsVersion = '1.41.0';

export const attributes = {
  errorType: 'error.type',
  codeFile: 'code.file.path',
  codeLine: 'code.line.number',
  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  urlScheme: 'url.scheme',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agent: 'gen_ai.agent.name',
  workflow: 'gen_ai.workflow.name',
  tool: 'gen_ai.tool.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  /** What follows is content, and is written only where somebody asks for it. */
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  /** Ours: the conventions have no names for them. */
  run: 'tactus.run.id',
  procedure: 'tactus.procedure',
  status: 'tactus.run.status',
  position: 'tactus.position',
  type: 'tactus.checkpoint.type',
  name: 'tactus.checkpoint.name',
  cost: 'tactus.cost_usd',
  child: 'tactus.child.run.id',
  execution: 'tactus.execution.id',
  decisionKind: 'tactus.decision.kind',
  decisionOutcome: 'tactus.decision.outcome',
  decidedBy: 'tactus.decision.by',
} as const;

export const operations = {
  chat: 'chat',
  agent: 'invoke_agent',
  tool: 'execute_tool',
  workflow: 'invoke_workflow',
} as const;

/** Providers whose name there is another one than here. */
const providerNames: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export function providerNameOf(provider: string): string {
  return Object.hasOwn(providerNames, provider) ? (providerNames[provider] ?? provider) : provider;
}
