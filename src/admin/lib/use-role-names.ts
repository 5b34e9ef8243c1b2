import { useTranslations } from 'use-intl'
import type { Messages } from '#admin/i18n/messages.ts'
import type { Role } from '#shared/contract/roles.ts'

interface RoleNames {
  /** The display name of the role with this uid; the uid itself while the name is unknown. */
  nameOf(uid: string): string
  /** Options for a select; includes the current role even before the others are loaded. */
  options(present: string): { value: string; label: string }[]
}

/** The names of roles: built-in ones in the reader's language, others as they were named. */
export function useRoleNames(roles: readonly Role[] = []): RoleNames {
  const t = useTranslations('role')
  function nameOf(uid: string): string {
    const builtIn = uid as keyof Messages['role']
    return t.has(builtIn) ? t(builtIn) : roles.find((role) => role.uid === uid)?.name || uid
  }
  return {
    nameOf,
    options: (present) =>
      [...new Set([...roles.map(({ uid }) => uid), present])].map((uid) => ({
        value: uid,
        label: nameOf(uid),
      })),
  }
}
