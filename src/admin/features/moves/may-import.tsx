import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { appRoleQuery, spaceRoleQuery } from '#admin/lib/queries.ts'
import { importRights, type Right } from '#shared/permissions.ts'
import { rightKey } from '../roles/right-groups.ts'

interface MayImportProps {
  p: string
  /** uid of the app that receives the import. */
  a: string
  /** Whether the import creates models or fields. */
  makesModels: boolean
  /** Whether the import replaces files of the media library. */
  replacesFiles?: boolean
  children: ReactNode
}

/**
 * Shows the children, such as the button of an import, or the names of the rights that the member lacks for the import.
 */
export function MayImport({ p, a, makesModels, replacesFiles = false, children }: MayImportProps) {
  const t = useTranslations('moves.into')
  const rights = useTranslations('roles')
  const format = useFormatter()
  const inSpace = useQuery(spaceRoleQuery(p)).data
  const inApp = useQuery(appRoleQuery(p, a)).data
  if (!inSpace || !inApp) return null
  const held: readonly Right[] = [...inSpace.held, ...inApp.rights]
  const needed: readonly Right[] = [
    ...importRights,
    ...(replacesFiles ? (['asset.write.any'] as const) : []),
    ...(makesModels ? (['model.manage'] as const) : []),
  ]
  const lacking = needed.filter((right) => !held.includes(right))
  if (lacking.length === 0) return children
  const names = lacking.map((right) => t('lackingRight', { name: rights(rightKey(right, 'name')) }))
  return (
    <Text size="sm" role="note">
      {t('lacking', { rights: format.list(names) })}
    </Text>
  )
}
