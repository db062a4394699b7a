/** What a call throws: its kind, code and message, as a stack begins with; 'none' if it returns. */
export function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).stack!.split('\n', 1)[0]!;
  }
  return 'none';
}
