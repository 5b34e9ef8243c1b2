import { useTranslations } from 'use-intl'
import type { AuditEntry } from '#shared/contract/audit-log.ts'

/** The words for entries; what a newer version wrote is shown as it is. */
export function useEntryWords() {
  const t = useTranslations('auditLog')
  const errors = useTranslations('server-error')
  const text = (key: string, otherwise: string) => (t.has(key as 'title') ? t(key as 'title') : otherwise)
  return {
    act: (entry: AuditEntry) => text(`acts.${entry.act}`, entry.act),
    actor: ({ actor }: AuditEntry) =>
      actor.kind === 'job' ? t('actor.job') : (actor.name ?? t('actor.nobody')),
    object: ({ object }: AuditEntry) => object.name ?? '',
    kind: ({ object }: AuditEntry) => text(`kinds.${object.kind}`, object.kind),
    outcome: ({ outcome }: AuditEntry) =>
      errors.has(outcome as 'Forbidden') ? errors(outcome as 'Forbidden') : outcome,
    key: (key: string) => text(`keys.${key}`, key),
    value(value: unknown): string {
      if (value === undefined || value === null || value === '') return t('none')
      if (typeof value === 'boolean') return value ? t('yes') : t('no')
      if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(', ') : t('none')
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
    },
  }
}
