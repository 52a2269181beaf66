import type * as Sdk from '@aws-sdk/client-lambda';
import type { Event, Execution } from '@aws-sdk/client-lambda';
import { defined } from '../../../contract/json/json.js';
import { askStore, awsOptions, readStoreAddress } from '../documents/store-requests.js';
import { loadPackage } from '../../../contract/load-package.js';

const pageSize = 1_000;

/** What Lambda tells of a durable function. @throws TactusError file_failed, by everything */
export class DurableFunction {
  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.LambdaClient,
    readonly name: string,
  ) {}

  /** @throws TactusError missing_package; usage where the address is none */
  static async open(address: string): Promise<DurableFunction> {
    const form = 'lambda:FUNCTION?region=REGION&endpoint=URL';
    const place = readStoreAddress(address, form, ['region', 'endpoint'], /^[A-Za-z0-9_-]{1,64}$/);
    const sdk = await load();
    return new DurableFunction(sdk, new sdk.LambdaClient(awsOptions(place)), place.name);
  }

  /** All executions by their names, or those of one name. Of several that had one name after each other, the last. */
  async executions(name?: string): Promise<Map<string, Execution>> {
    const found = new Map<string, Execution>();
    let Marker: string | undefined;
    do {
      const page = await this.#ask(
        new this.sdk.ListDurableExecutionsByFunctionCommand({
          ...{ FunctionName: this.name, MaxItems: pageSize },
          ...defined({ DurableExecutionName: name, Marker }),
        }),
      );
      for (const execution of page.DurableExecutions ?? []) {
        const key = execution.DurableExecutionName ?? '';
        if (name !== undefined && key !== name) continue;
        if (startOf(execution) >= startOf(found.get(key))) found.set(key, execution);
      }
      Marker = page.NextMarker;
    } while (Marker !== undefined);
    return found;
  }

  /** All that an execution has recorded, oldest first. */
  async history({ DurableExecutionArn }: Execution): Promise<Event[]> {
    const events: Event[] = [];
    let Marker: string | undefined;
    do {
      const page = await this.#ask(
        new this.sdk.GetDurableExecutionHistoryCommand({
          ...{ DurableExecutionArn, IncludeExecutionData: true, MaxItems: pageSize },
          ...defined({ Marker }),
        }),
      );
      events.push(...(page.Events ?? []));
      Marker = page.NextMarker;
    } while (Marker !== undefined);
    return events;
  }

  /** False where the callback is there no more: it has been answered, or has run out. */
  async succeed(CallbackId: string, result: string): Promise<boolean> {
    const {
      SendDurableExecutionCallbackSuccessCommand,
      CallbackTimeoutException,
      ResourceNotFoundException,
    } = this.sdk;
    const send = new SendDurableExecutionCallbackSuccessCommand({ CallbackId, Result: Buffer.from(result) });
    return askStore(this.#place, async () => {
      try {
        await this.client.send(send);
        return true;
      } catch (error) {
        if (error instanceof CallbackTimeoutException || error instanceof ResourceNotFoundException)
          return false;
        throw error;
      }
    });
  }

  close(): void {
    this.client.destroy();
  }

  #ask(
    command: Sdk.ListDurableExecutionsByFunctionCommand,
  ): Promise<Sdk.ListDurableExecutionsByFunctionResponse>;
  #ask(command: Sdk.GetDurableExecutionHistoryCommand): Promise<Sdk.GetDurableExecutionHistoryResponse>;
  #ask(command: never): Promise<unknown> {
    return askStore(this.#place, () => this.client.send(command));
  }

  get #place(): string {
    return `Lambda, function ${JSON.stringify(this.name)}`;
  }
}

function startOf(execution: Execution | undefined): number {
  return execution?.StartTimestamp?.getTime() ?? -Infinity;
}

/** @throws TactusError missing_package */
function load(): Promise<typeof Sdk> {
  return loadPackage(
    () => import('@aws-sdk/client-lambda'),
    'Lambda needs a package: npm install @aws-sdk/client-lambda',
  );
}
