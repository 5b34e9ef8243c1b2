import { uidProblem } from '#shared/identifiers.ts'

/** `blog`, or with the next number that is free where that is taken: `blog-2` of `blog`, `blog-4` of `blog-3`. */
export function freeUid(uid: string, taken: ReadonlySet<string>): string {
  if (!taken.has(uid)) return uid
  const [, base = uid, last = '1'] = /^(.+?)(?:-(\d{1,6}))?$/.exec(uid) ?? []
  for (let number = Number(last) + 1; ; number++) {
    const suffix = `-${number}`
    const candidate = base.slice(0, 64 - suffix.length) + suffix
    if (!taken.has(candidate) && uidProblem('app', candidate) === null) return candidate
  }
}
