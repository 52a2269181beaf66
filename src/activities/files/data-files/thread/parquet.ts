import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { TactusError } from '../../../../contract/errors.js';
import type { JsonValue } from '../../../../contract/json/json.js';
import type { Done, ThreadRequest } from './messages.js';
import { parsers, plainRow } from './parquet-values.js';
import { schemaOf } from './parquet-schema.js';
import { readRows } from './rows.js';

/** What a file may hold where it is unpacked: rows, and bytes. More would never fit into a result. */
const mostRows = 500_000;
const mostBytes = 256 * 1024 * 1024;

/** Reads rows of a file of Parquet, or makes one. */
export async function parquet(request: ThreadRequest): Promise<Done> {
  return request.operation === 'write' ? { bytes: write(request) } : { value: await read(request) };
}

async function read({ bytes, path }: ThreadRequest): Promise<JsonValue> {
  const file = (bytes ?? new Uint8Array()).slice().buffer;
  const metadata = await parquetMetadataAsync(file, { parsers, geoparquet: false });
  const unpacked = metadata.row_groups.reduce((sum, group) => sum + Number(group.total_byte_size), 0);
  const rows = Number(metadata.num_rows);
  if (rows > mostRows || unpacked > mostBytes)
    throw new TactusError(
      'payload_too_large',
      `${path} holds ${rows} rows in ${unpacked} bytes; at most ${mostRows} rows in ${mostBytes} bytes can be read`,
    );
  const found = await parquetReadObjects({ file, metadata, compressors, parsers, geoparquet: false });
  const tree = parquetSchema(metadata);
  return found.map((row) => plainRow(row, tree));
}

function write({ data, path }: ThreadRequest): Uint8Array {
  const { rows, columns } = readRows(data, path);
  const columnData = columns.map((name) => ({
    name,
    data: rows.map((row) => (Object.hasOwn(row, name) ? row[name] : null)),
  }));
  const { schema, values } = schemaOf(columnData, path);
  return new Uint8Array(
    parquetWriteBuffer({
      schema,
      columnData: columnData.map(({ name }, i) => ({ name, data: values[i] ?? [] })),
    }),
  );
}
