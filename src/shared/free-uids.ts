import { makeSlug } from './fields/slug.ts'
import { carriedUidProblem, type UidKind } from './identifiers.ts'
import { shorten } from './unicode.ts'

/**
 * Unique uids for imported names: the name itself where it is a valid, free uid, otherwise a new one. Deterministic for
 * the same names in the same order. `wordFor` may supply a word for names that are no valid uid.
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
 * The uid itself, or with the next free number when it is taken: `blog-2` for `blog`, `blog-4` for `blog-3`.
 * `problemOf` returns why a uid is invalid, or null.
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

/** The same for display names: `Hero 2`, at most 100 characters. */
export function freeName(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${shorten(name, 90)} ${number}`
  return free
}
