/** The position of an error in a text: `line:column`, both from 1, as editors and compilers print it. Only \n ends a line. */
export function position(text: string, at: number): string {
  let line = 1;
  let begin = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', begin)) {
    line++;
    begin = end + 1;
  }
  return `${line}:${at - begin + 1}`;
}
