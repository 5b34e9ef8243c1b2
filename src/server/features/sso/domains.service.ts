import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { OutgoingDnsError } from '#server/lib/outgoing-dns.ts'
import type { Outgoing } from '#server/outgoing.ts'
import type { SsoConnection, SsoDomainProblem } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { type DomainRow, findDomain, noteDomain } from './domains.repository.ts'
import { recordOf } from './domains.ts'
import { findConnection } from './sso.repository.ts'
import { getSso } from './sso.service.ts'
import { requireTrusted } from './trust.ts'

type Answer = { sso: SsoConnection | null; problem: SsoDomainProblem | null }

/**
 * Checks the TXT record of a domain that is not proven yet, and stores the result. Throws 404 for a domain that the
 * space does not claim. Throws `InvalidRoleChange` if the record is right, but the caller lacks the authority that
 * {@link requireTrusted} requires.
 */
export async function checkDomain(ctx: OwnTransactions<SpaceContext>, domain: string): Promise<Answer> {
  const row = await ctx.inSpace((inside) => requireDomain(inside, domain))
  const problem = row.proof === null ? await problemOf(row, ctx.services.outgoing) : null
  return ctx.inSpace(async (inside) => {
    await lockSpace(inside, 'security.manage')
    if (row.proof === null) {
      if (problem === null) await requireTrusted(inside)
      const noted = await noteDomain(inside.db, inside.scope, row, problem === null ? 'dns' : null)
      if (!noted) throw new AppError('NotFound')
    }
    noteAudit(inside, {
      objectName: inside.space.name,
      after: { domain, proof: problem ?? row.proof ?? 'dns' },
    })
    return { sso: (await getSso(inside)).sso, problem }
  })
}

/**
 * Lets an admin of the installation confirm a domain, for networks without a name server. Throws 403, 404,
 * `InvalidRoleChange`.
 */
export async function confirmDomain(ctx: SpaceContext, domain: string): Promise<Answer> {
  if (ctx.actor.kind !== 'account' || !ctx.actor.isAdmin) throw new AppError('Forbidden')
  await lockSpace(ctx, 'security.manage')
  const row = await requireDomain(ctx, domain)
  if (row.proof === null) {
    await requireTrusted(ctx)
    await noteDomain(ctx.db, ctx.scope, row, 'operator')
  }
  noteAudit(ctx, { objectName: ctx.space.name, after: { domain, proof: row.proof ?? 'operator' } })
  return { sso: (await getSso(ctx)).sso, problem: null }
}

async function requireDomain({ db, scope }: SpaceContext, domain: string): Promise<DomainRow> {
  // Domains of a deleted connection stay stored for the next one, but cannot be checked or confirmed in the meantime.
  const row = (await findConnection(db, scope)) && (await findDomain(db, scope, domain))
  if (!row) throw new AppError('NotFound')
  return row
}

async function problemOf(row: DomainRow, outgoing: Outgoing): Promise<SsoDomainProblem | null> {
  const { name, value } = recordOf(row)
  try {
    const texts = await outgoing.txtRecords(name)
    if (texts.some((text) => text.trim() === value)) return null
    return texts.length === 0 ? 'noRecord' : 'otherRecord'
  } catch (error) {
    if (error instanceof OutgoingDnsError) return 'unreachable'
    throw error
  }
}
