import { writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { AuditAct, AuditDetails } from '#shared/audit.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/** A use-case of the directory, in the space that its token is of: it may do everything that somebody may do there. */
export interface ScimContext extends SpaceContext {
  ip: string | null
  agent: string | null
  /** Are people who are new told by mail? */
  sendsMail: boolean
}

/** The entry of the audit log that an act of the directory leaves, in its transaction. */
export function recordAct(
  ctx: ScimContext,
  act: AuditAct,
  { id, name }: { id: string; name: string },
  details: AuditDetails = {},
): Promise<void> {
  const kind = act.startsWith('group.') ? 'group' : 'member'
  return writeAudit(ctx.db, ctx.scope, {
    act,
    outcome: 'done',
    actor: ctx.actor,
    ip: ctx.ip,
    agent: ctx.agent,
    object: { kind, id, name },
    details,
  })
}

/** What must not repeat of a name that a directory gives. */
export const keyOf = (name: string) => normalizeUnicode(name.trim(), 'NFKC').toLowerCase()

/** Rows by what they belong to, each in the order in which it came. */
export function grouped<T>(all: readonly T[], by: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(by(one))
    if (group) group.push(one)
    else groups.set(by(one), [one])
  }
  return groups
}
