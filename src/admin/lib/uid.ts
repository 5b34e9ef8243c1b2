import { translator } from '#admin/i18n/messages.ts'
import { type UidKind, uidProblem } from '#shared/identifiers.ts'
import { wordsOf } from './uid-words.ts'

/**
 * Returns a uid of at most 40 characters for a name: `My Blog` → `my-blog`, `ブログ` → `blog`. `reading` is the name in
 * kana, as far as it is known. Empty for names that cannot be transcribed, for reserved words and for single letters.
 */
export function suggestUid(kind: UidKind, name: string, reading = name): string {
  const uid = wordsOf(name, reading).join('-').slice(0, 40).replace(/-+$/, '')
  // A single letter that remains of a Japanese name (`第2回Aチーム`) is not a useful uid.
  return uid.length > 1 && uidProblem(kind, uid) === null ? uid : ''
}

/** Returns the message for a uid as it is typed; null if it is valid. An existing uid (`own`) is always valid. */
export function uidText(kind: UidKind, uid: string, own?: string): string | null {
  const t = translator()
  if (uid === '') return t('issue.Required')
  if (uid.length > 64) return t('common.uidTooLong')
  const problem = uidProblem(kind, uid, own)
  if (problem === null) return null
  return problem === 'ReservedWord' ? t('common.uidReserved', { uid }) : t('common.uidFormat')
}
