/** Tasks as pure values: the transition table, session records, admission, launches. No I/O, no clock. */
export {
  DEFAULT_ADMISSION_LIMITS,
  decideAdmission,
  isPendingTooLong,
  recentLaunches,
  type AdmissionFacts,
  type AdmissionLimits,
  type AdmissionVerdict,
} from './admission.policy.js';
export { ageOf, formatBootMoment, parseBootMoment, type BootMoment } from './boot-moment.js';
export { RESERVATION_MS, mayReserve, type Reservation } from './launch-reservation.js';
export { MAX_EARLY_MS, decideRedelivery, type RedeliveryVerdict } from './redelivery.policy.js';
export { renderTaskTransitions } from './render-transitions.js';
export {
  RECORD_STATUSES,
  decideConsequence,
  decideEnded,
  decideStarted,
  isEndedRecord,
  type RecordState,
  type RecordStatus,
  type RecordVerdict,
  type SessionEnd,
  type TaskConsequence,
} from './session-record.js';
export {
  TASK_REQUESTS,
  TASK_STATUSES,
  TASK_TRANSITIONS,
  allowedRequests,
  decideTransition,
  isEndedTask,
  type TaskAction,
  type TaskRequest,
  type TaskStatus,
  type TaskTransition,
  type TransitionVerdict,
} from './task-transitions.js';
