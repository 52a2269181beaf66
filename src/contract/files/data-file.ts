import type { JsonValue } from '../json/json.js';

/** Kinds of files that programs write, and nobody reads as text. */
export type DataFormat = 'parquet' | 'excel' | 'hdf5';

/** One operation on a file of data. */
export interface DataFileAction {
  format: DataFormat;
  /** `list`: the names of sheets, or of datasets. */
  operation: 'read' | 'write' | 'list';
  /** The sheet, or the dataset. */
  part?: string;
  /** What is written. */
  data?: JsonValue;
}
