import { useTranslations } from 'use-intl'
import type { Messages } from '#admin/i18n/messages.ts'
import type { Role } from '#shared/contract/roles.ts'

interface RoleNames {
  /** Returns the display name of the role with this uid; the uid itself while the name is not known. */
  nameOf(uid: string): string
  /** Returns the options for a select. They include the role `present` even before the others are loaded. */
  options(present: string): { value: string; label: string }[]
}

/** Returns the names of roles: built-in roles in the user's language, others with their own name. */
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
