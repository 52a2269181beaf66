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

/** The folder that `File.*` works in where nobody names another one, in the working folder. */
export const usualFilesFolder = 'files';

/** Names another one: a folder, from the working folder. The setting `files_folder` stands for it; `--files` is stronger. */
export const filesFolderVariable = 'TACTUS_TEMPORAL_FILES';
