/**
 * Where the caret belongs after a text was replaced by a slightly different one: at the same distance from the start
 * when all before it is the same, else from the end.
 */
export function caretAfter(before: string, after: string, caret: number): number {
  if (after.startsWith(before.slice(0, caret))) return caret
  return Math.max(0, after.length - (before.length - caret))
}
