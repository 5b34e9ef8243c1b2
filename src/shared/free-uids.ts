import { makeSlug } from './fields/slug.ts'
import { carriedUidProblem, type UidKind } from './identifiers.ts'
import { shorten } from './unicode.ts'

/**
 * Returns unique uids for imported names: the name itself if it is a valid uid, otherwise a new uid. Deterministic for
 * the same names in the same order. `wordFor` may return a word for a name that is not a valid uid.
 */
export function freeUids(
  kind: UidKind,
  names: readonly string[],
  wordFor: (name: string) => string | undefined = () => undefined,
): Map<string, string> {
  const isGood = (uid: string) => carriedUidProblem(kind, uid) === null
  const taken = new Set(names.filter(isGood))
  const uids = new Map<string, string>()
  for (const name of names) {
    if (isGood(name)) {
      uids.set(name, name)
      continue
    }
    const slug = wordFor(name) ?? makeSlug(name).slice(0, 50)
    const base = isGood(slug) ? slug : isGood(`${slug}_`) ? `${slug}_` : kind
    let uid = base
    for (let number = 2; taken.has(uid) || !isGood(uid); number++) uid = `${base}-${number}`
    taken.add(uid)
    uids.set(name, uid)
  }
  return uids
}

/**
 * Returns the uid itself, or the uid with the next free number if it is taken or invalid: `blog-2` for `blog`, `blog-4`
 * for `blog-3`. `problemOf` returns why a uid is invalid, or `null`.
 */
export function freeUid(
  uid: string,
  taken: Pick<ReadonlySet<string>, 'has'>,
  problemOf: (uid: string) => unknown = () => null,
): string {
  const isFree = (candidate: string) => !taken.has(candidate) && problemOf(candidate) === null
  if (isFree(uid)) return uid
  const [, base = uid, last = '1'] = /^(.+?)(?:-(\d{1,6}))?$/.exec(uid) ?? []
  for (let number = Number(last) + 1; ; number++) {
    const suffix = `-${number}`
    const candidate = base.slice(0, 64 - suffix.length) + suffix
    if (isFree(candidate)) return candidate
  }
}

/**
 * Returns a free display name: the name itself, or the name with a number (`Hero 2`), which has at most 100 UTF-16
 * units.
 */
export function freeName(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${shorten(name, 90)} ${number}`
  return free
}
