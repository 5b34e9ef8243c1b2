/**
 * The placeholders that are offered for custom bodies, each with the translation key of its explanation. The server
 * implements them in `body/body-template.ts`.
 */
export const placeholders = {
  'summary.ja': 'summaryJa',
  'summary.en': 'summaryEn',
  title: 'title',
  event: 'event',
  timestamp: 'timestamp',
  count: 'count',
  'actor.name': 'actorName',
  'actor.kind': 'actorKind',
  'space.uid': 'spaceUid',
  'app.uid': 'appUid',
  'app.name': 'appName',
  'model.uid': 'modelUid',
  _id: 'id',
  document: 'document',
  before: 'before',
  'asset.fileName': 'assetFileName',
  'asset.src': 'assetSrc',
} as const

export type Placeholder = keyof typeof placeholders
export const placeholderNames = Object.keys(placeholders) as Placeholder[]

/** The body with which a custom body starts. It resembles the default body. */
export const startingBody = `{
  "event": "{{event}}",
  "timestamp": "{{timestamp}}",
  "app": {{app}},
  "model": {{model}},
  "actor": {{actor}},
  "_id": {{_id}},
  "title": {{title}}
}`

/** Returns a placeholder as it is written in a body. */
export const written = (name: string) => `{{${name}}}`

/** Returns the placeholder that is being typed before the caret: its start, and its name so far. null: none. */
export function typedBefore(text: string, caret: number): { from: number; name: string } | null {
  const found = /\{\{[ \t]*([\p{L}\p{N}_.-]{0,64})$/u.exec(text.slice(0, caret))
  return found ? { from: found.index, name: found[1] ?? '' } : null
}

/** Returns where the placeholder at the caret ends: after its closing braces if it has them, otherwise at the caret. */
export function endAfter(text: string, caret: number): number {
  const rest = /^[\p{L}\p{N}_.-]*[ \t]*\}\}/u.exec(text.slice(caret))
  return caret + (rest?.[0].length ?? 0)
}
