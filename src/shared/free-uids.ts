import { makeSlug } from './fields/slug.ts'
import { carriedUidProblem, type UidKind } from './identifiers.ts'

/**
 * uids for what moves in, by its name there: the same, but where that is none, is a word of ours, or two would be one. The same names in
 * the same order always get the same uids. `wordFor` knows what a name that is none is called, where there is a word for it.
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
