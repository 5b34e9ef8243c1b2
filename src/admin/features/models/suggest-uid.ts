import { wordsOf } from '#admin/lib/uid-words.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { type UidKind, uidProblem } from '#shared/identifiers.ts'

function camelCase(words: string[]): string {
  return words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('')
}

/**
 * Returns `stem`, or `stem2`, `stem3`… if it is taken or reserved. With `always`, a number is always appended,
 * beginning with 1.
 */
function free(kind: UidKind, stem: string, taken: ReadonlySet<string>, always = false): string {
  const usable = (uid: string) => !taken.has(uid) && uidProblem(kind, uid) === null
  if (!always && usable(stem)) return stem
  for (let number = always ? 1 : 2; ; number++) {
    const uid = `${stem}${number}`
    if (usable(uid)) return uid
  }
}

/**
 * Suggests a uid for a field: `Meta title` → `metaTitle`, `本文` → `body`. `肩書き` → `katagaki` if its reading is known,
 * otherwise `text1`.
 */
export function suggestFieldUid(
  name: string,
  type: FieldTypeName,
  taken: ReadonlySet<string>,
  reading = name,
): string {
  const stem = camelCase(wordsOf(name, reading)).slice(0, 60)
  return stem
    ? free('field', stem, taken)
    : free('field', camelCase(type.toLowerCase().split('_')), taken, true)
}

/**
 * Suggests a uid for a model: `Blog posts` → `blog-posts`, `お知らせ` → `news`. `研究室` → `model1` if its reading is unknown.
 */
export function suggestModelUid(name: string, taken: ReadonlySet<string>, reading = name): string {
  const stem = wordsOf(name, reading).join('-').slice(0, 60).replace(/-+$/, '')
  return stem ? free('model', stem, taken) : free('model', 'model', taken, true)
}
