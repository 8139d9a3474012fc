/** Starts a holder process, wherever holders are to run. */

export interface HolderStart {
  readonly holderId: string;
  /** Of the copied bundle. */
  readonly build: string;
  /** As soon as the pid is known: a crash before the holder is ready must find it. A starter elsewhere knows it only at the end. */
  readonly onSpawned: (pid: number) => void;
}

export interface HolderStarter {
  /** The pid, once its socket accepts; one that does not get so far is killed. @throws ServiceError `holder.start-failed`. */
  start(start: HolderStart): Promise<number>;
}
