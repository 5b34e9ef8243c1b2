import type { Role } from '#shared/contract/roles.ts'
import { type DocumentRight, documentRights, presupposed, type Right } from '#shared/permissions.ts'

/** Turns a right on with the rights that it needs, or off with the rights that need it. */
export function toggled(rights: ReadonlySet<Right>, right: Right, on: boolean): Set<Right> {
  const next = new Set(rights)
  if (on) for (const one of [...(presupposed[right] ?? []), right]) next.add(one)
  else {
    next.delete(right)
    for (const other of rights) if (presupposed[other]?.includes(right)) next.delete(other)
  }
  return next
}

/** Returns a right that needs this one, so that this one cannot be removed. undefined: no right needs it. */
export const neededBy = (rights: ReadonlySet<Right>, right: Right): Right | undefined =>
  [...rights].find((other) => presupposed[other]?.includes(right))

/** The levels of document rights in one model. Each includes the rights of the levels before it. */
export const levels = ['none', 'read', 'write', 'publish', 'any'] as const
export type Level = (typeof levels)[number]
const highest: Record<Level, DocumentRight | null> = {
  none: null,
  read: 'document.read',
  write: 'document.write.own',
  publish: 'document.publish.own',
  any: 'document.write.any',
}

/** Returns the document rights of a level. */
export function rightsOfLevel(level: Level): DocumentRight[] {
  const top = highest[level]
  const given = new Set<Right>(top ? [top, ...(presupposed[top] ?? [])] : [])
  return documentRights.filter((right) => given.has(right))
}

/** Returns the highest level that these rights reach. */
export function levelOf(rights: readonly Right[]): Level {
  return [...levels].reverse().find((level) => {
    const top = highest[level]
    return top === null || rights.includes(top)
  }) as Level
}

/** Returns the document rights that the role grants differently in some models. */
export function differing(role: Role): ReadonlySet<Right> {
  const found = new Set<Right>()
  for (const { rights } of Object.values(role.models))
    if (rights)
      for (const right of documentRights)
        if (rights.includes(right) !== role.rights.includes(right)) found.add(right)
  return found
}
