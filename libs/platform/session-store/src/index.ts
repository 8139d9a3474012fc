/** What sessions leave on disk, and who may touch it: paths, records, journals, locks, identities. */
export { overwriteFile, readJson, readText, replaceFile, syncPaths, writeFileAtomic, writeFileAtomicAsync } from './atomic-file.js';
export { readExitRecord, type StoredExit } from './exit-record.js';
export { HOLDER_PROGRAM, startHolderProcess, type HolderProcessStart } from './holder-process.js';
export { acquireInstanceLock, type InstanceLock } from './instance-lock.js';
export { SEGMENT_BYTES, type JournalEvent } from './journal/journal-format.js';
export { JournalWriter, type JournalWriterOptions } from './journal/journal-writer.js';
export { JournalReader, type JournalRead } from './journal/journal-reader.js';
export { bootId, livenessOf, parseProcessStat, processIdentity, processStat, type ProcessStat } from './process-identity.js';
export { MAX_SOCKET_PATH_BYTES, RuntimeLayout } from './runtime-layout.js';
export { StateLayout } from './state-layout.js';
