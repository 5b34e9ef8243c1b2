import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { Time } from '#admin/ui/time.tsx'
import type { Revision } from '#shared/contract/documents.ts'

/** The time and author of a version, and its origin if that was the API, an import or the undoing of an import. */
export function RevisionFacts({ revision }: { revision: Revision }) {
  const t = useTranslations('documents.revisions')
  const nameOf = usePersonName()
  const { createdAt, createdBy, author, source } = revision
  return (
    <Text size="xs" c="dimmed" component="div">
      <Time at={createdAt} />
      {[nameOf(createdBy) ?? author, origin(source)].map((part) => part && `・${part}`)}
    </Text>
  )

  function origin(name: string): string | null {
    if (name === 'api') return t('byApi')
    if (name === 'moves.import') return t('byImport')
    return name === 'moves.undo' ? t('byImportUndo') : null
  }
}
