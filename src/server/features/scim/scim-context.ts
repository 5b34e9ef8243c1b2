import { writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { AuditAct, AuditDetails } from '#shared/audit.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/** Writes an audit log entry for an action of the directory, in its transaction. */
export function recordAct(
  ctx: SpaceContext,
  act: AuditAct,
  { id, name }: { id: string; name: string },
  details: AuditDetails = {},
): Promise<void> {
  const kind = act.startsWith('group.') ? 'group' : 'member'
  return writeAudit(ctx.db, ctx.scope, {
    act,
    outcome: 'done',
    actor: ctx.actor,
    ip: ctx.origin?.ip ?? null,
    agent: ctx.origin?.agent ?? null,
    object: { kind, id, name },
    details,
  })
}

/** Returns the normalised form of the name of a user or group. Names must be unique in this form. */
export const keyOf = (name: string) => normalizeUnicode(name.trim(), 'NFKC').toLowerCase()

/** Groups rows by key, keeping their order. */
export function grouped<T>(all: readonly T[], by: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(by(one))
    if (group) group.push(one)
    else groups.set(by(one), [one])
  }
  return groups
}
