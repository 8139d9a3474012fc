/** How this library tells its service what went wrong in the background, without knowing its log. */

/** `what` is a word for the log, `error` its cause; never the payload of a message. */
export type ReportProblem = (what: string, error: unknown) => void;
