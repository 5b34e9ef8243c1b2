export function wordsToAvoid(text: string): { word: string; index: number; advice: string }[]
export function lineRange(text: string, part: { start: number; end: number }): { first: number; last: number }
export function subjectFaults(text: string): string[]
