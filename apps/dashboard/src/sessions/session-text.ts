/** Facts of a session in words: its name, age, size and end. */
import type { ExitView, Session } from '@holdfast/contracts';

export function commandText(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

export function nameOf(session: Pick<Session, 'title' | 'command'>): string {
  return session.title !== undefined && session.title.trim() !== '' ? session.title : commandText(session.command);
}

export function exitText(exit: ExitView): string {
  if ('code' in exit) return `exit ${exit.code}`;
  return 'signal' in exit ? exit.signal : `lost: ${exit.lost}`;
}

/** For the terminal's own line, where there is room. */
export function exitSentence(exit: ExitView, endedAt: string | null | undefined): string {
  const when = endedAt === null || endedAt === undefined ? '' : ` at ${clockTime(endedAt)}`;
  if ('code' in exit) return `Exited with code ${exit.code}${when}`;
  return 'signal' in exit ? `Ended by ${exit.signal}${when}` : `Lost${when}: ${exit.lost}`;
}

export const isGood = (exit: ExitView) => 'code' in exit && exit.code === 0;

export function clockTime(iso: string): string {
  return new Date(iso).toLocaleTimeString();
}

const STEPS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
] as const;

/** The largest whole unit. The clocks of host and browser may differ: what is ahead of ours is new. */
export function ageText(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const step = STEPS.find((candidate) => seconds >= candidate.seconds);
  return step === undefined ? `${seconds} s` : `${Math.floor(seconds / step.seconds)} ${step.unit}`;
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
