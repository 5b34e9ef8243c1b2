import { useTranslations } from 'use-intl'
import { shownAct } from '#shared/audit.ts'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import { readTruncatedJson } from './truncated-json.ts'

/**
 * Returns functions that translate audit entries into text. Unknown names, such as those written by a newer version,
 * are shown unchanged.
 */
export function useEntryWords() {
  const t = useTranslations('auditLog')
  const acts = useTranslations('auditAct')
  const errors = useTranslations('server-error')
  const jobs = useTranslations('jobs')
  const reasons = useTranslations('sso.refusals.reasons')
  const groupsProblems = useTranslations('sso.testResult.groupsProblems')
  const text = (key: string, otherwise: string) => (t.has(key as 'title') ? t(key as 'title') : otherwise)
  const nameOfJob = (name: string) =>
    jobs.has(`names.${name}` as 'title') ? jobs(`names.${name}` as 'title') : name
  const keyText = (key: string) => text(`keys.${key}`, key)

  /** Returns a text with a line for each property of an object. Nested objects are one line. */
  function valueText(value: unknown, separator = '\n'): string {
    if (value === undefined || value === null || value === '') return t('none')
    if (typeof value === 'boolean') return value ? t('yes') : t('no')
    if (typeof value === 'string') {
      const stored = readTruncatedJson(value)
      return stored === undefined ? value : valueText(stored, separator)
    }
    if (Array.isArray(value))
      return value.length > 0 ? value.map((part) => valueText(part, ', ')).join(', ') : t('none')
    if (typeof value !== 'object') return String(value)
    return Object.entries(value)
      .map(([key, part]) => {
        const shown = key === 'language' ? text(`parts.${part}`, String(part)) : valueText(part, ', ')
        return t('part', { name: text(`parts.${key}`, keyText(key)), value: shown })
      })
      .join(separator)
  }

  return {
    act: (entry: AuditEntry) => {
      const key = shownAct(entry) as 'app.create'
      return acts.has(key) ? acts(key) : entry.act
    },
    actor: ({ actor }: AuditEntry) =>
      actor.kind === 'job' || actor.kind === 'system'
        ? t('actor.job')
        : actor.kind === 'operator'
          ? t('actor.operator')
          : actor.kind === 'visitor'
            ? t('actor.visitor')
            : (actor.name ?? t('actor.nobody')),
    object: ({ object: { kind, name } }: AuditEntry) =>
      kind === 'job' && name !== null ? nameOfJob(name) : (name ?? ''),
    kind: ({ object }: AuditEntry) => text(`kinds.${object.kind}`, object.kind),
    outcome: ({ outcome }: AuditEntry) =>
      errors.has(outcome as 'Forbidden') ? errors(outcome as 'Forbidden') : outcome,
    key: keyText,
    value(value: unknown, key?: string): string {
      if (key === 'reason')
        return reasons.has(value as 'audience') ? reasons(value as 'audience') : String(value)
      if (key === 'groupsProblem')
        return groupsProblems.has(value as 'missing') ? groupsProblems(value as 'missing') : String(value)
      if (key === 'systemReason') return text(`systemReasons.${value}`, String(value))
      if (key === 'by') return text(`waysOfJoining.${value}`, String(value))
      if (key === 'signedInBy') return text(`waysOfSigningIn.${value}`, String(value))
      return valueText(value)
    },
  }
}
