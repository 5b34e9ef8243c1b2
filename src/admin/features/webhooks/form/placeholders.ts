/**
 * The placeholders that are offered for own bodies, each with the key of its explanation; the server knows them
 * (`body-template.ts`).
 */
export const placeholders = {
  title: 'title',
  event: 'event',
  timestamp: 'timestamp',
  count: 'count',
  'actor.name': 'actorName',
  'space.uid': 'spaceUid',
  'app.uid': 'appUid',
  'app.name': 'appName',
  'model.uid': 'modelUid',
  document: 'document',
  'document._id': 'documentId',
  before: 'before',
  'asset.fileName': 'assetFileName',
  'asset.src': 'assetSrc',
} as const

export type Placeholder = keyof typeof placeholders
export const placeholderNames = Object.keys(placeholders) as Placeholder[]

/** A placeholder as it is written in a body. */
export const written = (name: string) => `{{${name}}}`

/** The placeholder that is being typed before the caret: where it begins, and its name so far. */
export function typedBefore(text: string, caret: number): { from: number; name: string } | null {
  const found = /\{\{[ \t]*([\p{L}\p{N}_.-]{0,64})$/u.exec(text.slice(0, caret))
  return found ? { from: found.index, name: found[1] ?? '' } : null
}

/** Where a placeholder that begins at `from` ends after the caret: behind its braces, if it has them already. */
export function endAfter(text: string, caret: number): number {
  const rest = /^[\p{L}\p{N}_.-]*[ \t]*\}\}/u.exec(text.slice(caret))
  return caret + (rest?.[0].length ?? 0)
}
