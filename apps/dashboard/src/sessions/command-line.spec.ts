/** A command line becomes the argv a shell would make of it. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitCommandLine } from './command-line.js';

describe('splitCommandLine', () => {
  it.each([
    ['bash', ['bash']],
    ['  vim   notes.txt ', ['vim', 'notes.txt']],
    [`bash -c 'echo "a  b"; exit 3'`, ['bash', '-c', 'echo "a  b"; exit 3']],
    ['bash -c "echo \\"$HOME\\" \\n"', ['bash', '-c', 'echo "$HOME" \\n']],
    ['bash -c "echo ${x:-1} \\$y"', ['bash', '-c', 'echo ${x:-1} $y']],
    [`run --name=' a 'b"c"\\ d`, ['run', '--name= a bc d']],
    [`run '' ""`, ['run', '', '']],
    ['echo *.txt | cat', ['echo', '*.txt', '|', 'cat']],
  ])('splits %s', (line, argv) => {
    expect(splitCommandLine(line)).toEqual({ ok: true, argv });
  });

  it.each([
    ['', 'name a program'],
    ['   ', 'name a program'],
    [`'' x`, 'name a program'],
    [`echo 'a`, "the quote ' is not closed"],
    ['echo "a\\"', 'the quote " is not closed'],
    ['echo a\\', 'nothing follows the last backslash'],
  ])('refuses %j', (line, why) => {
    expect(splitCommandLine(line)).toEqual({ ok: false, why });
  });

  it('gives back any argv that was quoted', () => {
    const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.array(fc.string({ unit: 'binary' })), (program, rest) => {
        const argv = [program, ...rest];
        expect(splitCommandLine(argv.map(quoted).join(' '))).toEqual({ ok: true, argv });
      }),
    );
  });
});
