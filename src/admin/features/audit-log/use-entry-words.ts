import { useTranslations } from 'use-intl'
import type { AuditEntry } from '#shared/contract/audit-log.ts'

/** The words for entries; what a newer version wrote is shown as it is. */
export function useEntryWords() {
  const t = useTranslations('auditLog')
  const errors = useTranslations('server-error')
  const jobs = useTranslations('jobs')
  const reasons = useTranslations('sso.refusals.reasons')
  const text = (key: string, otherwise: string) => (t.has(key as 'title') ? t(key as 'title') : otherwise)
  const nameOfJob = (name: string) =>
    jobs.has(`names.${name}` as 'title') ? jobs(`names.${name}` as 'title') : name
  return {
    act: (entry: AuditEntry) => text(`acts.${actOf(entry)}`, entry.act),
    actor: ({ actor }: AuditEntry) =>
      actor.kind === 'job'
        ? t('actor.job')
        : actor.kind === 'operator'
          ? t('actor.operator')
          : (actor.name ?? t('actor.nobody')),
    object: ({ object: { kind, name } }: AuditEntry) =>
      kind === 'job' && name !== null ? nameOfJob(name) : (name ?? ''),
    kind: ({ object }: AuditEntry) => text(`kinds.${object.kind}`, object.kind),
    outcome: ({ outcome }: AuditEntry) =>
      errors.has(outcome as 'Forbidden') ? errors(outcome as 'Forbidden') : outcome,
    key: (key: string) => text(`keys.${key}`, key),
    value(value: unknown, key?: string): string {
      if (key === 'reason')
        return reasons.has(value as 'audience') ? reasons(value as 'audience') : String(value)
      if (key === 'by') return text(`waysOfJoining.${value}`, String(value))
      if (value === undefined || value === null || value === '') return t('none')
      if (typeof value === 'boolean') return value ? t('yes') : t('no')
      if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(', ') : t('none')
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
    },
  }
}

/** Entries from before leaving the space had an act of its own bear that of leaving an app, but name no app. */
const actOf = ({ act, details }: AuditEntry) =>
  act === 'member.leave' && details.app === undefined ? 'member.leaveSpace' : act
