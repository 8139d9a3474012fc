/** Text that a program chose, made fit to be shown outside the terminal. */

const LONGEST = 200;

/** One line without control or direction-changing characters. */
export function plainText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
    .slice(0, LONGEST);
}
