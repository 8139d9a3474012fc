/** Splits a command line into argv by the quoting rules of a POSIX shell; nothing is expanded, and a shell's own operators are not honoured. */

export type CommandLine = { readonly ok: true; readonly argv: string[] } | { readonly ok: false; readonly why: string };

/** One step of reading: blank space, a backslash with what it escapes, a whole quotation, or a run of plain characters. */
const TOKEN = /\s+|\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"|[^\s\\'"]+/y;

export function splitCommandLine(line: string): CommandLine {
  const argv: string[] = [];
  let word: string | undefined;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < line.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(line);
    if (match === null)
      return { ok: false, why: line[at] === '\\' ? 'nothing follows the last backslash' : `the quote ${line[at]} is not closed` };
    const [token, escaped, single, double] = match;
    if (/^\s/.test(token)) {
      if (word !== undefined) argv.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (escaped ?? single ?? (double === undefined ? token : unescaped(double)));
    }
  }
  if (word !== undefined) argv.push(word);
  if (argv.length === 0 || argv[0] === '') return { ok: false, why: 'name a program' };
  return { ok: true, argv };
}

/** Inside double quotes a backslash escapes these four only. */
function unescaped(quotation: string): string {
  return quotation.replace(/\\([\\"$`])/g, '$1');
}
