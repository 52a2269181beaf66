/** Where corpora of retrievers lie: a folder, from the working folder. */
export const corporaFolderVariable = 'TACTUS_TEMPORAL_CORPORA_FOLDER';

/** Where their indexes are kept: likewise. */
export const indexesFolderVariable = 'TACTUS_TEMPORAL_INDEXES_FOLDER';
