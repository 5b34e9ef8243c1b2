import { useTranslations } from 'use-intl'
import type { Messages } from '#admin/i18n/messages.ts'
import type { Role } from '#shared/contract/roles.ts'

interface RoleNames {
  /** What people call the role of that uid; its uid as long as nothing more is known. */
  nameOf(uid: string): string
  /** To choose from; the present one is there even before the others are known. */
  options(present: string): { value: string; label: string }[]
}

/** The names of these roles: built-in ones in the language of the reader, others as they were given. */
export function useRoleNames(roles: readonly Role[] = []): RoleNames {
  const t = useTranslations('members.roles')
  function nameOf(uid: string): string {
    const builtIn = uid as keyof Messages['members']['roles']
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
