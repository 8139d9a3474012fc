/** Who was heard when, and what may be reaped for it: pure, on values and a monotonic `now`. */
export { deafen, hear, heardAgoMs, isDeafTo, isSilent, type Beat, type HearingLimits, type LastHeard } from './last-heard.js';
export { KEEP_LABEL, isLive, type InventorySession, type SessionState } from './inventory.js';
export { decideReap, type Evidence, type ReapInput, type ReapVerdict } from './reap.policy.js';
export { effectiveOrphanAgeMs, type ReapClass, type ReapLimits } from './reap-limits.js';
export { namedTaskId, type RecordAnswer, type StoreAnswer, type TaskAnswer } from './store-answer.js';
export { FIRST_KILL_PAUSE_MS, MAX_KILL_PAUSE_MS, killPauseMs } from './kill-pause.policy.js';
