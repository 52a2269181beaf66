/** The folder that `File.*` works in where nobody names another one, in the working folder. */
export const usualFilesFolder = 'files';

/** Names another one: a folder, from the working folder. The setting `files_folder` stands for it; `--files` is stronger. */
export const filesFolderVariable = 'TACTUS_TEMPORAL_FILES';
